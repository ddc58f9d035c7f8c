"""Executing notebooks: order, strict parameters, resume, and errors that name the cell."""

import json
import time
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import nbformat
import pytest

from citectx import cli
from citectx.errors import MissingDataError, ParameterError
from citectx.experiments.results import RUN
from citectx.profiles import Profile
from citectx.runs import kernel, runner
from citectx.runs.execution import Job, Outcome
from citectx.runs.kernel import NotebookError
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


def needing(path: Path, *others: str) -> None:
    """Say in a notebook which others it needs."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["citectx"] = {"after": list(others)}
    nbformat.write(notebook, path)


def test_run_resume_and_error(
    tmp_path: Path, results: Path, request: pytest.FixtureRequest
) -> None:
    show = "import os\nprint(*seen, os.environ['CITECTX_OUTPUT'])"
    write_notebook(tmp_path, "00_good", "seen = profile, k", show)
    bad = write_notebook(tmp_path, "01_bad", "x = 1", "raise ValueError('no such thing')")
    needing(write_notebook(tmp_path, "02_never", "print('ran')"), "01_bad")
    message = r"01_bad\.ipynb, cell In \[4\]: ValueError: no such thing"
    with pytest.raises(NotebookError, match=message):  # two kernels side by side
        runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path, jobs=2)
    done = results / "00_good" / "00_good.ipynb"
    text = done.read_text()
    assert rf"teaching 7 {results / '00_good'}\n" in text  # not the folder of the unfinished run
    assert text.count(str(tmp_path)) == 1
    nbformat.validate(nbformat.read(done, as_version=4))
    failed = results / "01_bad.failed.ipynb"
    assert "no such thing" in failed.read_text()
    assert "report" not in failed.read_text()
    assert sorted(p.name for p in results.iterdir()) == ["00_good", failed.name]
    about = json.loads((results / "00_good" / RUN).read_text())
    assert about["wall_time_s"] > 0
    assert about["state"]["parameters"] == {"k": 7, "profile": "teaching"}

    request.getfixturevalue("quick")
    write_notebook(tmp_path, bad.stem, "print('mended')")
    outcomes = runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path)
    assert [o.seconds > 0 for o in outcomes] == [False, True, True]
    assert sorted(p.name for p in results.iterdir()) == ["00_good", "01_bad", "02_never"]

    asked: list[str] = []
    first = partial(asked.append, "data")
    runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path, first=first)
    assert not asked  # all is up to date
    (again,) = runner.run(PROFILE, ["00"], {"k": 8}, folder=tmp_path, first=first)
    assert again.seconds > 0
    assert asked == ["data"]
    assert "('teaching', 8)" in done.read_text()


def test_side_by_side_notebooks_wait_for_what_they_need(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, went_on = Event(), Event()

    def execute(notebook: Any, path: Path, part: Path, report: Path, failed: Path) -> None:
        if path.stem == "00_first":  # with one job it would wait forever
            assert beside.wait(60)
            time.sleep(0.1)
            went_on.set()
        elif path.stem == "01_beside":
            beside.set()
        else:
            assert went_on.is_set()
        report.write_text('{"modules": {}, "inputs": {}}')

    monkeypatch.setattr(kernel, "execute", execute)
    for name in ("00_first", "01_beside", "02_last"):
        last = write_notebook(tmp_path, name)
    needing(last, "00_first", "never_asked_for")
    outcomes = runner.run(PROFILE, folder=tmp_path, jobs=2)
    assert [o.name for o in outcomes] == ["00_first", "01_beside", "02_last"]
    assert len(list(results.glob(f"*/{RUN}"))) == 3
    with pytest.raises(ParameterError, match="jobs must be at least 1"):
        runner.run(PROFILE, folder=tmp_path, jobs=0)


def test_a_failure_side_by_side_stops_what_has_not_begun(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, failing = [], Event()

    def perform(job: Job, *, force: bool) -> Outcome:
        begun.append(job.notebook.stem)
        if job.notebook.stem == "00_bad":
            failing.set()
            raise NotebookError("no such thing")
        assert failing.wait(60)
        time.sleep(0.1)
        return Outcome(job, 0.1)

    monkeypatch.setattr(runner, "perform", perform)
    for name in ("00_bad", *(f"0{i}_slow" for i in range(1, 6))):
        write_notebook(tmp_path, name)
    with pytest.raises(NotebookError, match="no such thing"):
        runner.run(PROFILE, folder=tmp_path, jobs=2)
    assert len(begun) <= 3  # the free worker may have begun one more meanwhile


@pytest.mark.usefixtures("quick")
def test_out_leaves_former_results_alone(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "elsewhere"
    assert cli.main(["run", "--only", "00", "--out", str(out)]) == 0
    assert f"results are in {out / 'teaching'}" in capsys.readouterr().out
    assert [p.name for p in (out / "teaching").iterdir()] == ["00_start_here"]
    assert not results.exists()
    mine = tmp_path / "mine" / "teaching" / "00_start_here"
    mine.mkdir(parents=True)
    (mine / "slides.tex").write_text("my lecture")
    assert cli.main(["run", "--only", "00", "--out", str(tmp_path / "mine")]) == 1
    assert str(mine / "slides.tex") in capsys.readouterr().err
    assert [p.name for p in mine.iterdir()] == ["slides.tex"]


def test_interruption_leaves_nothing_half_made(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    write_notebook(tmp_path, "00_a")
    monkeypatch.setattr("nbclient.NotebookClient.execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runner.run(PROFILE, folder=tmp_path)
    assert not list(results.rglob("*"))


def test_what_needs_others_comes_last_and_the_longest_first(tmp_path: Path) -> None:
    times = {"00_a": 14.0, "01_b": 1.0, "02_c": 5.0, "03_d": 20.0}
    for name, seconds in times.items():
        (tmp_path / name).mkdir()
        about = {"outputs": {}, "state": {"modules": {}, "inputs": {}}, "wall_time_s": seconds}
        (tmp_path / name / RUN).write_text(json.dumps(about))
    todo = {name: Job(Path(f"{name}.ipynb"), {}, tmp_path / name) for name in times}
    needs = {name: set[str]() for name in times} | {"02_c": {"01_b"}, "03_d": {"02_c"}}
    assert runner.in_order(todo, needs) == ["00_a", "01_b", "02_c", "03_d"]
    ours = {p.stem: Job(p, {}, tmp_path / "nowhere" / p.stem) for p in notebooks()}
    order = runner.in_order(ours, {name: set() for name in ours})
    assert {name[:2] for name in order[:3]} == {"01", "07", "09"}
