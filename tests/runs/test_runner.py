"""Executing notebooks: order, strict parameters, resume, and errors that name the cell."""

import json
import time
from pathlib import Path
from threading import Event

import nbformat
import pytest

from citectx import cli
from citectx.errors import MissingDataError, ParameterError
from citectx.profiles import Profile
from citectx.runs import execution, inputs, runner
from citectx.runs.execution import NotebookError, Run, Task
from citectx.runs.inputs import data_of
from citectx.runs.runner import notebooks

PROFILE = Profile("teaching", "", ())


def write_notebook(
    folder: Path, name: str, *cells: str, parameters: str = 'profile = "none"\nk = 1'
) -> Path:
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    first = nbformat.v4.new_code_cell(parameters)
    first.metadata["tags"] = ["parameters"]
    notebook.cells = [first, *map(nbformat.v4.new_code_cell, cells)]
    path = folder / f"{name}.ipynb"
    nbformat.write(notebook, path)
    return path


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results" / "teaching"


def test_order_and_choice(tmp_path: Path) -> None:
    for name in ("10_last", "02_second", "01_first", "solutions"):
        write_notebook(tmp_path, name)
    assert [p.stem for p in notebooks(folder=tmp_path)] == ["01_first", "02_second", "10_last"]
    assert [p.stem for p in notebooks(["10", "02_sec"], tmp_path)] == ["02_second", "10_last"]
    with pytest.raises(
        ParameterError, match="unknown notebook '07'; known: '01_first', '02_second', '10_last'"
    ):
        notebooks(["07"], tmp_path)
    with pytest.raises(MissingDataError, match="no notebooks in"):
        notebooks(folder=tmp_path / "nowhere")


def test_unknown_parameters_are_refused_before_anything_runs(tmp_path: Path, results: Path) -> None:
    write_notebook(tmp_path, "00_a")
    write_notebook(tmp_path, "01_b", parameters='profile = "x"')
    with pytest.raises(ParameterError, match=r"01_b\.ipynb has no parameter k; it has profile"):
        runner.run(PROFILE, parameters={"k": 2}, folder=tmp_path)
    assert not results.exists()


def test_run_resume_error_and_provenance(
    tmp_path: Path, results: Path, request: pytest.FixtureRequest
) -> None:
    write_notebook(
        tmp_path,
        "00_good",
        "seen = profile, k",
        "import os\nprint(*seen, os.environ['CITECTX_RESULTS'])",
    )
    bad = write_notebook(tmp_path, "01_bad", "x = 1", "raise ValueError('no such thing')")
    never = nbformat.read(write_notebook(tmp_path, "02_never", "print('ran')"), as_version=4)
    never.metadata["citectx"] = {"after": ["01_bad"]}
    nbformat.write(never, tmp_path / "02_never.ipynb")
    with pytest.raises(
        NotebookError, match=r"01_bad\.ipynb, cell In \[4\]: ValueError: no such thing"
    ):
        runner.run(
            PROFILE, parameters={"k": 7}, folder=tmp_path, jobs=2
        )  # two kernels side by side
    done = results / "notebooks" / "00_good.ipynb"
    text = done.read_text()
    assert rf"teaching 7 {results.parent}\n" in text  # not the staging folder
    assert text.count(str(tmp_path)) == 1
    nbformat.validate(nbformat.read(done, as_version=4))
    assert sorted(p.name for p in done.parent.iterdir()) == ["00_good.ipynb", "01_bad.failed.ipynb"]
    assert (
        "wall_time_s" in json.loads((results / "provenance.json").read_text())["notebook 00_good"]
    )

    request.getfixturevalue("quick")
    write_notebook(tmp_path, bad.stem, "print('mended')")
    outcomes = runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path)
    assert [o.seconds > 0 for o in outcomes] == [False, True, True]
    assert sorted(p.name for p in done.parent.iterdir()) == [
        "00_good.ipynb",
        "01_bad.ipynb",
        "02_never.ipynb",
    ]

    asked: list[str] = []
    runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path, first=lambda: asked.append("data"))
    assert not asked  # all is up to date
    (again,) = runner.run(
        PROFILE, ["00"], {"k": 8}, folder=tmp_path, first=lambda: asked.append("data")
    )
    assert again.seconds > 0
    assert asked == ["data"]
    assert json.loads(done.read_text())["seen"] == ["teaching", 8]


def test_side_by_side_notebooks_wait_for_what_they_need(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, went_on = Event(), Event()

    def executed(task: Task, stage: Path, failed: Path) -> bytes:
        if task.notebook.stem == "00_first":  # with one job it would wait forever
            assert beside.wait(60)
            time.sleep(0.1)
            went_on.set()
        elif task.notebook.stem == "01_beside":
            beside.set()
        else:
            assert went_on.is_set()
        return b"{}"

    monkeypatch.setattr(execution, "_executed", executed)
    for name in ("00_first", "01_beside", "02_last"):
        last = write_notebook(tmp_path, name)
    notebook = nbformat.read(last, as_version=4)
    notebook.metadata["citectx"] = {"after": ["00_first", "never_asked_for"]}
    nbformat.write(notebook, last)
    outcomes = runner.run(PROFILE, folder=tmp_path, jobs=2)
    assert [o.name for o in outcomes] == ["00_first", "01_beside", "02_last"]
    assert len(json.loads((results / "provenance.json").read_text())) == 3
    with pytest.raises(ParameterError, match="jobs must be at least 1"):
        runner.run(PROFILE, folder=tmp_path, jobs=0)


def test_a_failure_side_by_side_stops_what_has_not_begun(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, failing = [], Event()

    def perform(task: Task, *, force: bool) -> Run:
        begun.append(task.notebook.stem)
        if task.notebook.stem == "00_bad":
            failing.set()
            raise NotebookError("no such thing")
        assert failing.wait(60)
        time.sleep(0.1)
        return Run(task.notebook.stem, task, 0.1)

    monkeypatch.setattr(runner, "perform", perform)
    for name in ("00_bad", *(f"0{i}_slow" for i in range(1, 6))):
        write_notebook(tmp_path, name)
    with pytest.raises(NotebookError, match="no such thing"):
        runner.run(PROFILE, folder=tmp_path, jobs=2)
    assert sorted(begun) == ["00_bad", "01_slow"]


@pytest.mark.usefixtures("quick")
def test_out_leaves_former_results_alone(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "elsewhere"
    assert cli.main(["run", "--only", "00", "--out", str(out)]) == 0
    assert f"results are in {out / 'teaching'}" in capsys.readouterr().out
    assert sorted(p.name for p in (out / "teaching" / "notebooks").iterdir()) == [
        "00_start_here.ipynb"
    ]
    assert not results.exists()
    (tmp_path / "mine" / "teaching").mkdir(parents=True)
    (tmp_path / "mine" / "teaching" / "slides.tex").write_text("my lecture")
    assert cli.main(["run", "--only", "00", "--out", str(tmp_path / "mine")]) == 1
    assert str(tmp_path / "mine" / "teaching" / "slides.tex") in capsys.readouterr().err
    assert [p.name for p in (tmp_path / "mine" / "teaching").iterdir()] == ["slides.tex"]


def test_interruption_leaves_nothing_half_made(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    write_notebook(tmp_path, "00_a")
    monkeypatch.setattr("nbclient.NotebookClient.execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runner.run(PROFILE, folder=tmp_path)
    assert {p.name for p in results.rglob("*") if p.is_file()} == {".citectx", "00_a.json"}


def test_a_job_does_not_wait_while_there_is_work(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Event()

    def perform(task: Task, *, force: bool) -> Run:
        if (
            task.notebook.stem == "00_first"
        ):  # if one that waits for it took the second job, 03 would never begin
            assert beside.wait(60)
        elif task.notebook.stem == "03_beside":
            beside.set()
        return Run(task.notebook.stem, task, 0.1)

    monkeypatch.setattr(runner, "perform", perform)
    for name in ("00_first", "01_waits", "02_waits", "03_beside"):
        path = write_notebook(tmp_path, name)
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata["citectx"] = {"after": ["00_first"] if "waits" in name else []}
        nbformat.write(notebook, path)
    times = {
        f"notebook 0{i}_waits": {"wall_time_s": 100.0} for i in (1, 2)
    }  # so they come before 03
    results.mkdir(parents=True)
    (results / "provenance.json").write_text(json.dumps(times))
    assert len(runner.run(PROFILE, folder=tmp_path, jobs=2)) == 4


def test_the_longest_chain_goes_first(tmp_path: Path) -> None:
    needs = {"00_a": set(), "01_b": set(), "02_c": {"01_b"}, "03_d": set(), "04_e": {"02_c"}}
    times = {"00_a": 14, "01_b": 1, "02_c": 5, "03_d": 2, "04_e": 9}
    entries = {f"notebook {name}": {"wall_time_s": seconds} for name, seconds in times.items()}
    (tmp_path / "provenance.json").write_text(json.dumps(entries))
    assert runner.longest_first(needs, tmp_path) == ["01_b", "00_a", "02_c", "04_e", "03_d"]
    names = {path.stem: set() for path in notebooks()}
    assert {name[:2] for name in runner.longest_first(names, tmp_path / "nowhere")[:3]} == {
        "01",
        "07",
        "09",
    }


def test_articles_and_tables_that_notebooks_read_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = tmp_path / "docs" / "your-paper" / "article.xml"
    curve, another = (
        tmp_path / "results" / "open" / name for name in ("embeddings_curve.csv", "another.csv")
    )
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(inputs, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(inputs, "RESULTS", tmp_path / "results")
    for profile, file, counts in (
        ("teaching", article, True),
        ("open", article, True),
        ("teaching", curve, True),  # lessons show the open results
        ("open", curve, True),
        ("open", another, False),  # made by a notebook
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("one")
        before = data_of(profile)
        file.write_text("another")
        assert (data_of(profile) != before) is counts, (profile, file.name)


def test_caches_that_a_run_writes_do_not_make_it_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    before = data_of("open")
    for cache in ("coresc/folds", "coresc/labels/references", "topic-models", "tuning"):
        (tmp_path / cache).mkdir(parents=True)
        (tmp_path / cache / "some.npz").write_bytes(b"computed")
    assert data_of("open") == before
