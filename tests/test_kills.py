"""Killed at each step at which it changes a file, work loses nothing, and ends with the same
bytes."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import nbformat
import numpy as np
import pytest

from citectx import storage
from citectx.apps import parts
from citectx.apps.parts import TextFiles
from citectx.cache import Cache
from citectx.embeddings import train as training
from citectx.embeddings.texts import CORPORA, TextCorpus
from citectx.embeddings.train import Word2VecSettings
from citectx.errors import DataError
from citectx.profiles import Profile
from citectx.runs import execution, folders, inputs, kernel, runner
from citectx.runs.kernel import NotebookError
from citectx.runs.sweep import sweep
from tests.kills import problems, tree
from tests.runs.test_runner import write_notebook

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="copies a process")

PROFILE = Profile("teaching", "", ())
WRITES = """\
import os
from pathlib import Path
folder = Path(os.environ["CITECTX_OUTPUT"])
folder.joinpath("tables").mkdir()
done = folder.joinpath("one.csv").write_text(f"k,{k}")
done = folder.joinpath("tables", "two.csv").write_text(f"k,{k}")"""


@pytest.fixture(scope="module")
def process() -> Iterator[ProcessPoolExecutor]:
    """A process without the threads of pytest and its plugins, which can be copied."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


def execute(notebook: Any, path: Path, part: Path, report: Path, failed: Path) -> None:
    """Execute cells here and now."""
    os.environ["CITECTX_OUTPUT"] = str(part)
    names: dict[str, object] = {}
    for cell in kernel.code_cells(notebook):
        exec(cell.source, names)
    notebook.metadata["language_info"] = {"name": "python"}
    inputs.report(report, [])
    if names["k"] == 3:
        kernel.kept(nbformat.v4.new_notebook(), failed)
        raise NotebookError("no threes")


def refuse(*_: object) -> None:
    raise AssertionError("text alone has changed")


class Runs:
    """Small notebooks, and the results of a run with k = 1."""

    def __init__(self, base: Path, patch: pytest.MonkeyPatch, number: int) -> None:
        self.base, self.out = base, base / "out"
        self.names = ["00_a", "01_b"][:number]
        patch.setenv("CITECTX_OUTPUT", "")
        patch.setenv("CITECTX_RESULTS", str(self.out))
        patch.setenv("CITECTX_DATA", str(base / "data"))
        patch.setattr(kernel, "execute", execute)
        patch.setattr(execution, "commit", lambda: "none")
        patch.setattr(execution, "time", SimpleNamespace(perf_counter=lambda: 0.0))
        patch.setattr(runner, "tqdm", lambda begun, **_: begun)  # its monitor is a thread
        for name in self.names:
            write_notebook(base, name, WRITES)
        self.run(1)

    def run(self, k: int) -> None:
        runner.run(PROFILE, parameters={"k": k}, folder=self.base)

    def fail(self) -> None:
        with pytest.raises(NotebookError):
            self.run(3)

    def edit(self) -> None:
        for path in self.base.glob("*.ipynb"):
            notebook = nbformat.read(path, as_version=4)
            notebook.cells.append(nbformat.v4.new_markdown_cell("More.", id="more"))
            nbformat.write(notebook, path)

    def kept(self) -> dict[str, object]:
        """Whole results of each notebook, where they are or where they were moved aside."""
        return {name: whole(self.out / "teaching" / name) for name in self.names}


def whole(folder: Path) -> dict[str, bytes]:
    """The files of a folder of results, or of that which was moved aside for it."""
    place = folder if folder.exists() else folder.with_name(f".{folder.name}.old")
    about = folders.about(place)
    assert folders.outputs(place) == about["outputs"], f"{place.name} is not whole"
    return tree(place)


Case: TypeAlias = tuple[Path, Callable[[], object], Callable[[], Mapping[str, object]]]
Scenario: TypeAlias = Callable[[Path, pytest.MonkeyPatch, int], Case]
"""Makes the arguments of `tests.kills.problems`."""


def run(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    runs = Runs(base, patch, number)
    return runs.out, partial(runs.run, 2), runs.kept


def new_text(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    runs = Runs(base, patch, number)
    runs.edit()
    patch.setattr(kernel, "execute", refuse)
    return runs.out, partial(runs.run, 1), runs.kept


def failure(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    runs = Runs(base, patch, number)
    return runs.out, runs.fail, runs.kept


def after_a_failure(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    runs = Runs(base, patch, number)
    runs.fail()
    return runs.out, partial(runs.run, 2), runs.kept


def sweep_(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    notebook = Runs(base, patch, 1).base / "00_a.ipynb"
    (folder := base / "sweeps").mkdir()

    def kept() -> dict[str, object]:
        made = [path for path in folder.glob("out/k-*") if path.is_dir()]
        return {path.name: whole(path) for path in made}

    return folder, partial(sweep, notebook, {"k": [1, 2][:number]}, folder / "out"), kept


def index(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    """An index in parts takes the place of another of as many parts."""
    patch.setenv("CITECTX_CACHE", str(base / "cache"))
    (texts := base / "texts").mkdir()
    for name in "abcd":
        (texts / f"{name}.txt").write_text("Cells divide. Cells rest.")
    (folder := base / "index").mkdir()
    parts.index(TextFiles.of(texts), folder / "out", number)
    for name in "ac":
        (texts / f"{name}.txt").write_text("Mice divide.")

    def kept() -> dict[str, object]:
        with suppress(DataError):  # what is neither the old index nor the new one is refused
            hits = parts.search(folder / "out", [("rest",)])["article"].tolist()
            return {"right": "".join(hits) in ("abcd", "bd")}
        return {"right": True}

    work = partial(parts.index, TextFiles.of(texts), folder / "out", number, force=True)
    return folder, without_parts(work, folder), kept


def without_parts(work: Callable[[], object], folder: Path) -> Callable[[], None]:
    """Where no lock is held a killed process leaves a hidden file, which nobody reads."""

    def working() -> None:
        work()
        for left in folder.rglob(".*.part"):
            left.unlink()

    return working


def cache(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    (folder := base / "cache").mkdir()
    patch.setenv("CITECTX_CACHE", str(folder))
    entries = Cache("sums", __name__, {"sum": "i8 n"})

    def fill() -> None:
        for key in range(number):
            assert entries.get((key,), lambda: {"sum": np.arange(3)})["sum"].tolist() == [0, 1, 2]

    def kept() -> dict[str, object]:
        return {path.name: path.read_bytes() for path in folder.rglob("*.npz")}

    return folder, without_parts(fill, folder), kept


def pages(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    """A folder of pages takes the place of another; what is there meanwhile does not count."""
    (folder := base / "pages").mkdir()

    def work() -> None:
        for _ in range(number):
            storage.own_folder(folder / "site")
            storage.clear(folder / "site")
            storage.own_folder(folder / "site")
            for place in ("index.html", "more/index.html"):
                path = folder / "site" / place
                path.parent.mkdir(exist_ok=True)
                storage.write_atomically(path, "A page.")

    work()
    return folder, work, dict


def vectors(base: Path, patch: pytest.MonkeyPatch, number: int) -> Case:
    (folder := base / "data").mkdir()
    patch.setenv("CITECTX_DATA", str(folder))
    lines = ["Cells divide and cells rest in tissue."] * 4
    articles = [(f"a{i}", f"{line} {i * 'So they do. '}") for i, line in enumerate(lines)]
    patch.setitem(CORPORA, "small", TextCorpus("cells", (), lambda: articles))
    patch.setattr(training, "datetime", SimpleNamespace(now=lambda _: datetime(2026, 1, 1)))
    settings = Word2VecSettings(dimensions=3, epochs=number, min_count=1)
    work = partial(training.train, "small", settings, progress=False)
    return folder, without_parts(work, folder), dict


SCENARIOS = [run, new_text, failure, after_a_failure, sweep_, index, cache, pages, vectors]


def tried(scenario: Scenario, base: Path, number: int, times: int, every: int) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        return problems(*scenario(base, patch, number), times, every)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_killed_at_every_seventh_step_nothing_is_lost_or_left(
    tmp_path: Path, process: ProcessPoolExecutor, scenario: Scenario
) -> None:
    assert process.submit(tried, scenario, tmp_path, 1, 1, 7).result() == []


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(("number", "times", "every"), [(2, 1, 1), (1, 2, 3)])
def test_killed_at_each_step_or_twice_nothing_is_lost_or_left(
    tmp_path: Path,
    process: ProcessPoolExecutor,
    scenario: Scenario,
    number: int,
    times: int,
    every: int,
) -> None:
    assert process.submit(tried, scenario, tmp_path, number, times, every).result() == []
