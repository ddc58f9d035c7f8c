"""Sweeps of small real notebooks: grid, resume, a failed run, strictness, one table, several
jobs."""

import os
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from citectx import cli
from citectx.errors import ParameterError
from citectx.experiments.results import COLUMNS
from citectx.runs.parameters import parse_grid
from citectx.runs.sweep import sweep
from tests.runs.test_runner import write_notebook

WRITES = """\
import os
from pathlib import Path
folder = Path(os.environ["CITECTX_OUTPUT"])
columns = "experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed"
row = f"toy,{corpus},M,c-F,{k * factor},,,,1,{{}},0"
path = folder.joinpath("toy.csv").write_text(f"{columns}\\n{row}\\n")
path = folder.joinpath("toy.more.csv").write_text("square,1")"""
PARAMETERS = 'profile = "teaching"\ncorpus = "a"\nk = 1\nfactor = 1.0\nmethods = None'


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    return write_notebook(
        tmp_path, "toy", WRITES, "assert k != 3, 'no threes'", parameters=PARAMETERS
    )


def test_grid_values_are_yaml_and_commas_in_brackets_do_not_part() -> None:
    assert parse_grid(["methods=[BM25],[LMD, VSM]", "k=1,2.5", "x=null,true,it's,'a,b'"]) == {
        "methods": [["BM25"], ["LMD", "VSM"]],
        "k": [1, 2.5],
        "x": [None, True, "it's", "a,b"],
    }


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["k"], "expected NAME=VALUE,VALUE,..., found 'k'"),
        (["k="], "'k=' has no value"),
        (["k=1", "k=2"], "parameter k is given twice"),
        (["k=1,2,1"], 'one twice: {"k": 1}'),
        (["k=[1"], "is not YAML"),
    ],
)
def test_malformed_grids(pairs: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("[", r"\[")):
        parse_grid(pairs)


def test_grid_failure_resume_and_one_table(
    tmp_path: Path,
    notebook: Path,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    out = tmp_path / "out"
    command = ["sweep", str(notebook), "--out", str(out), "--param", "corpus=b"]
    assert cli.main([*command, "k=3,2"]) == 1
    printed = capfd.readouterr()
    assert "1 of 2 runs are in" in printed.out
    assert printed.err.count("AssertionError: no threes") == 1
    assert "executed so far: " in printed.err

    table = pd.read_csv(out / "collected.csv")
    assert list(table.columns) == ["param_corpus", "param_k", *COLUMNS]
    assert table[["param_corpus", "param_k", "corpus", "value"]].to_numpy().tolist() == [
        ["b", 2, "b", 2.0]
    ]
    runs = pd.read_csv(out / "runs.csv")
    assert runs["state"].tolist() == ["failed", "finished"]
    failed, finished = (out / name for name in runs["run"])
    assert not failed.exists()
    assert "no threes" in (out / f"{failed.name}.failed.ipynb").read_text()
    assert "no threes" in runs["error"][0]
    nbformat.validate(nbformat.read(finished / "toy.ipynb", as_version=4))

    request.getfixturevalue("quick")
    write_notebook(
        tmp_path, "toy", WRITES, parameters=PARAMETERS
    )  # mended: another notebook, all runs again
    assert cli.main([*command, "k=3,2"]) == 0
    assert "up to date" not in capfd.readouterr().out
    assert pd.read_csv(out / "collected.csv")["value"].tolist() == [3, 2]

    os.utime(
        notebook
    )  # touched, but the same; and one whose executed notebook is gone is done again
    (finished / "toy.ipynb").unlink()
    assert cli.main([*command, "k=3,2"]) == 0
    assert capfd.readouterr().out.count("up to date") == 1
    assert (finished / "toy.ipynb").exists()


def test_unknown_names_stop_before_a_run(
    tmp_path: Path, notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for wrong, message in (
        (
            ["--param", "kk=1"],
            "toy.ipynb has no parameter kk; it has profile, corpus, k, factor, methods",
        ),
        (["--param", "k=1", "profile=open", "--profile", "open"], "profile is given twice"),
        ([], "name the parameters to sweep"),
    ):
        assert cli.main(["sweep", str(notebook), *wrong, "--out", str(out)]) == 1
        assert message in capsys.readouterr().err
    assert cli.main(["sweep", "77", "--param", "k=1", "--out", str(out)]) == 1
    assert "unknown notebook '77'" in capsys.readouterr().err
    assert not out.exists()


def test_what_is_the_readers_stays(
    tmp_path: Path,
    notebook: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    mine = out / "collected" / "interviews.csv"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    assert cli.main(["sweep", str(notebook), "--param", "k=1", "--out", str(out)]) == 1
    assert str(mine.parent) in capsys.readouterr().err
    assert [p for p in out.rglob("*") if p.is_file()] == [mine]
    monkeypatch.chdir(tmp_path)
    for command in (["sweep", str(notebook), "--param", "k=1"], ["run"]):
        with pytest.raises(SystemExit):
            cli.main([*command, "--out", ""])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "toy.ipynb"]


def test_a_million_runs_must_be_confirmed(
    tmp_path: Path, notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = ",".join(map(str, range(1_000)))
    command = [
        "sweep",
        str(notebook),
        "--param",
        f"k={numbers}",
        f"factor={numbers}",
        "--out",
        str(tmp_path),
    ]
    assert cli.main(command) == 1
    assert "1,000,000 runs" in capsys.readouterr().err


@pytest.mark.usefixtures("quick")
def test_cells_are_neither_lost_nor_formulas(tmp_path: Path, notebook: Path) -> None:
    """What is NA stays NA; what a spreadsheet would run is escaped."""
    sweep(notebook, {"corpus": ["NA", "=cmd()"]}, tmp_path / "out")
    written = (tmp_path / "out" / "collected.csv").read_text().splitlines()
    assert [line[:27] for line in written[1:]] == [
        "NA,toy,NA,M,c-F,1.0000,,,,1",
        "'=cmd(),toy,'=cmd(),M,c-F,1",
    ]


def test_two_jobs_in_other_surroundings_give_the_same_bytes_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = write_notebook(tmp_path, "toy", WRITES, "object()", parameters=PARAMETERS)
    grid: dict[str, list[Any]] = {"k": [1, 2], "methods": [["BM25"]]}
    found = []
    for jobs, hash_seed, zone in ((1, "1", "UTC"), (2, "77", "Asia/Tokyo")):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        monkeypatch.setenv("TZ", zone)
        out = tmp_path / f"jobs{jobs}"
        runs = sweep(notebook, grid, out, jobs=jobs)
        assert not any(run.error for run in runs)
        files = [p for p in sorted(out.rglob("*")) if p.suffix in (".csv", ".ipynb")]
        found.append({p.relative_to(out).as_posix(): p.read_bytes() for p in files})
    assert found[0] == found[1]
    assert len(found[0]) == 8
    assert all(
        b"object at 0x0>" in text for name, text in found[0].items() if name.endswith("ipynb")
    )
    assert pd.read_csv(out / "collected.csv")["param_methods"].tolist() == ['["BM25"]'] * 2
