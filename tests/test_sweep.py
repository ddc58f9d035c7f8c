"""Sweeps of a small notebook: one table, nothing twice, and a Dask cluster."""

from pathlib import Path

import joblib
import pandas as pd
import pytest

from citectx import cli
from citectx.experiments.results import COLUMNS
from citectx.runs import folder_name
from tests.test_runs import write_notebook

WRITES = """\
import os
from pathlib import Path
folder = Path(os.environ["CITECTX_OUTPUT"])
columns = "experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed"
table = folder.joinpath("toy.csv").write_text(f"{columns}\\ntoy,a,M,c-F,{k * k},,,,1,{{}},0\\n")
other = folder.joinpath("toy.more.csv").write_text("square\\n1")
assert k != 3, "no threes" """
PARAMETERS = "k: int = 1\nmethods: list = None\nwhen = None"


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    path = write_notebook(tmp_path, WRITES, parameters=PARAMETERS)
    return ["sweep", str(path), "--out", str(tmp_path / "out"), "-p"]


def test_tidy_tables_are_collected_and_nothing_is_run_twice(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert cli.main([*command, "k=1,2", "methods=[BM25, LMD]"]) == 0
    assert "2 of 2 runs were new; tables are in" in capsys.readouterr().out
    table = pd.read_csv(out / "collected.csv")
    assert list(table.columns) == [*COLUMNS, "param_k", "param_methods"]
    assert table["value"].tolist() == [1, 4]
    assert table["param_k"].tolist() == [1, 2]
    assert set(table["param_methods"]) == {"['BM25', 'LMD']"}
    before = (out / "collected.csv").read_bytes()
    (folder,) = out.glob("k-2-*")
    (folder / "toy.csv").unlink()  # who runs it again would make it again
    assert cli.main([*command, "k=2,1", "methods=[BM25, LMD]"]) == 0
    assert "0 of 2 runs were new" in capsys.readouterr().out
    assert not (folder / "toy.csv").exists()
    assert (out / "collected.csv").read_bytes() != before


def test_a_date_and_no_number_are_values_and_not_run_twice(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for new in (2, 0):
        assert cli.main([*command, "when=2020-01-01,.nan"]) == 0
        assert f"{new} of 2 runs were new" in capsys.readouterr().out
    table = pd.read_csv(tmp_path / "out" / "collected.csv", keep_default_na=False)
    assert table["param_when"].tolist() == ["2020-01-01", "nan"]


def test_after_a_failure_finished_runs_are_there(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command, "k=3,2,5"]) == 1
    told = capsys.readouterr().err
    assert "1 of 3 runs failed\ntoy.ipynb, cell In [3]: AssertionError: no threes" in told
    assert pd.read_csv(tmp_path / "out" / "collected.csv")["value"].tolist() == [4, 25]
    assert cli.main([*command, "k=2,4"]) == 0
    assert "1 of 2 runs were new" in capsys.readouterr().out


@pytest.mark.slow
def test_jobs_and_a_cluster_give_the_same_bytes(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two kernels are started by one process of the cluster, each with an output of its own."""
    distributed = pytest.importorskip("distributed")
    collected = tmp_path / "out" / "collected.csv"
    assert cli.main([*command, "k=1,2", "--jobs", "2"]) == 0
    before = collected.read_bytes()
    how = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.Client(**how), joblib.parallel_config("dask"):
        assert cli.main([*command, "k=1,2", "--out", str(tmp_path / "cluster")]) == 0
    assert (tmp_path / "cluster" / "collected.csv").read_bytes() == before


def test_a_folder_of_somebody_else_stops_no_other_point(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "out" / folder_name({"k": 1}) / "notes.csv"
    theirs.parent.mkdir(parents=True)
    theirs.write_text(",".join(COLUMNS) + "\n" + ",".join("a" * len(COLUMNS)))
    assert cli.main([*command, "k=1,2"]) == 1
    assert "was not written by a run" in capsys.readouterr().err
    assert pd.read_csv(tmp_path / "out" / "collected.csv")["value"].tolist() == [4]
    assert theirs.exists()
