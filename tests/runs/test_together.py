"""Two at once: runs on the same results, kernels that outlive theirs, and people who look on."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from citectx import storage
from citectx.errors import ParameterError
from citectx.profiles import Profile
from citectx.runs import folders, kernel, runner, sweep
from citectx.storage import LockedError
from tests.kills import tree
from tests.runs.test_runner import write_notebook

PROFILE = Profile("teaching", "", ())


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    write_notebook(tmp_path, "00_a")
    for module in (runner, sweep):
        monkeypatch.setattr(module, "lock", lambda path, _: storage.lock(path, 0.1))
    return tmp_path / "results" / "teaching"


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen while a notebook is executed, before its table is written."""

    def execute(notebook: Any, path: Path, part: Path, report: Path, failed: Path) -> None:
        act()
        notebook.metadata["language_info"] = {"name": "python"}
        (part / "table.csv").write_text("k,1")
        report.write_text('{"modules": {}, "inputs": {}}')

    monkeypatch.setattr(kernel, "execute", execute)


def run(folder: Path, *, force: bool = False) -> None:
    runner.run(PROFILE, folder=folder, force=force)


def swept(folder: Path) -> None:
    sweep.sweep(folder / "00_a.ipynb", {"k": [1]}, folder / "results" / "sweep")


@pytest.mark.parametrize("work", [run, swept])
def test_the_second_of_two_is_told_who_is_first(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[Path], None]
) -> None:
    begun, refused = Event(), Event()

    def wait() -> None:
        begun.set()
        assert refused.wait(60)

    meanwhile(monkeypatch, wait)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(work, tmp_path)
        assert begun.wait(60)
        during = tree(results.parent)
        with pytest.raises(LockedError, match=f"is in use by process {os.getpid()} on"):
            work(tmp_path)
        assert tree(results.parent) == during
        refused.set()
        first.result()
    assert list(results.parent.rglob("table.csv"))
    assert not list(results.parent.rglob(".*lock"))
    work(tmp_path)


def test_a_kernel_that_outlives_its_run_does_not_write_to_the_next(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = folders.begin(results / "00_a")  # of a run that was killed

    def write_late() -> None:
        late.mkdir(exist_ok=True)
        (late / "late.csv").write_text("k,7")

    meanwhile(monkeypatch, write_late)
    run(tmp_path)
    made = {"00_a", "00_a/00_a.ipynb", "00_a/run.json", "00_a/table.csv"}
    assert {name for name in tree(results) if not name.startswith(".")} == made
    run(tmp_path)
    assert tree(results).keys() == made


def test_what_is_saved_among_old_results_while_new_ones_are_made_stays(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, int)
    run(tmp_path)
    good = tree(results)
    mine = results / "00_a" / "my notes.ipynb"
    meanwhile(monkeypatch, partial(mine.write_text, "years of work"))
    with pytest.raises(ParameterError, match=r"my notes\.ipynb was not written by a run"):
        run(tmp_path, force=True)
    assert mine.read_text() == "years of work"
    mine.unlink()
    assert tree(results) == good


def test_jupyters_copies_of_what_is_open_do_not_stop_a_run(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, int)
    run(tmp_path)
    names = tree(results).keys()
    copy = results / "00_a" / folders.IGNORED / "00_a-checkpoint.ipynb"

    def look() -> None:
        copy.parent.mkdir()
        copy.write_text("Jupyter's own")

    meanwhile(monkeypatch, look)
    run(tmp_path, force=True)
    assert tree(results).keys() == names


def test_a_reader_of_results_finds_old_or_new_ones_whole(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    meanwhile(monkeypatch, lambda: seen.append(tree(results / "00_a")))
    run(tmp_path)
    before = tree(results / "00_a")
    run(tmp_path, force=True)
    assert seen == [{}, before]


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="a folder that root cannot write to")
def test_a_folder_that_cannot_be_written_to_is_named_at_once() -> None:
    place = Path("/sys/kernel/results")
    with pytest.raises(PermissionError) as error, storage.lock(place, 600):
        pass
    assert error.value.filename == "/sys/kernel/.results.lock"
