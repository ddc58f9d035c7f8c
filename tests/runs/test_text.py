"""Only the text of a notebook has changed: nothing is executed, and it is as executing it would
have made it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from citectx.experiments.results import RUN
from citectx.profiles import Profile
from citectx.runs import kernel, runner
from citectx.runs.folders import IGNORED
from citectx.storage import sha256
from tests.runs.test_runner import write_notebook

Edit = Callable[[Any], None]
PROFILE = Profile("teaching", "", ())


class Lesson:
    """A notebook whose cells a pretended kernel executes: each shows its number and the code."""

    def __init__(self, folder: Path) -> None:
        self.source = write_notebook(folder, "00_a", "seen = k", "print(k)")
        self.executed = folder / "results" / "teaching" / "00_a" / "00_a.ipynb"
        self.times = 0

        def add_text(notebook: Any) -> None:
            notebook.cells.insert(0, new_markdown_cell("Before.", id="before"))
            notebook.cells.append(new_markdown_cell("After.", id="after"))

        self.edit(add_text)

    def execute(self, notebook: Any) -> None:
        self.times += 1
        lexer = {"name": "python", "version": "3", "pygments_lexer": "ipython3"}
        notebook.metadata["language_info"] = lexer
        code = (cell for cell in notebook.cells if cell.cell_type == "code")
        for number, cell in enumerate(code, 1):
            cell.metadata["execution"] = {"iopub.execute_input": "today"}
            cell["execution_count"] = number
            cell["outputs"] = [nbformat.v4.new_output("stream", text=f"{number}: {cell.source}\n")]

    def edit(self, edited: Edit) -> None:
        notebook = nbformat.read(self.source, as_version=4)
        edited(notebook)
        nbformat.write(notebook, self.source)

    def run(self, k: int = 2, *, force: bool = False) -> str:
        (done,) = runner.run(PROFILE, parameters={"k": k}, folder=self.source.parent, force=force)
        return "executed" if done.seconds else str(done)[40:].strip()


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lesson:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    made = Lesson(tmp_path)

    def execute(notebook: Any, path: Path, part: Path, report: Path, failed: Path) -> None:
        made.execute(notebook)
        report.write_text('{"modules": {}, "inputs": {}}')

    monkeypatch.setattr(kernel, "execute", execute)
    assert made.run() == "executed"
    assert made.run() == "up to date"
    return made


def say_more(notebook: Any) -> None:
    notebook.cells[0].source += " More."


def add(notebook: Any) -> None:
    notebook.cells[2:2] = [new_markdown_cell("New.", id="new"), new_raw_cell("Raw.", id="raw")]


def remove(notebook: Any) -> None:
    del notebook.cells[0]


def move(notebook: Any) -> None:
    notebook.cells.insert(1, notebook.cells.pop())


def rename(notebook: Any) -> None:
    notebook.cells[0]["id"] = "another"


def tag(notebook: Any) -> None:
    notebook.cells[0].metadata["tags"] = ["goals"]


def describe(notebook: Any) -> None:
    notebook.metadata["title"] = "A lesson"


@pytest.mark.parametrize("edit", [say_more, add, remove, move, rename, tag, describe])
def test_text_alone_is_replaced(lesson: Lesson, edit: Edit) -> None:
    about = lesson.executed.with_name(RUN)
    before, seconds = lesson.executed.read_bytes(), json.loads(about.read_text())["wall_time_s"]
    lesson.edit(edit)
    assert lesson.run() == "text replaced, nothing executed"
    assert lesson.times == 1
    replaced = lesson.executed.read_bytes()
    assert replaced != before
    assert json.loads(about.read_text())["wall_time_s"] == seconds  # of the run that made them
    assert lesson.run() == "up to date"
    assert lesson.run(force=True) == "executed"
    assert lesson.executed.read_bytes() == replaced


def change_code(notebook: Any) -> None:
    notebook.cells[2].source += " "


def tag_code(notebook: Any) -> None:
    notebook.cells[2].metadata["tags"] = ["skip-execution"]


def swap_code(notebook: Any) -> None:
    notebook.cells[2:4] = notebook.cells[3:1:-1]


def add_code(notebook: Any) -> None:
    notebook.cells.append(new_code_cell("pass", id="new"))


def code_as_text(notebook: Any) -> None:
    notebook.cells[2] = new_markdown_cell(notebook.cells[2].source, id=notebook.cells[2]["id"])


@pytest.mark.parametrize("edit", [change_code, tag_code, swap_code, add_code, code_as_text])
def test_other_code_is_executed(lesson: Lesson, edit: Edit) -> None:
    lesson.edit(say_more)
    lesson.edit(edit)
    assert lesson.run() == "executed"


def test_text_and_something_else_is_executed(lesson: Lesson) -> None:
    lesson.edit(say_more)
    assert lesson.run(k=3) == "executed"
    lesson.edit(say_more)
    lesson.executed.write_text("mine")
    assert lesson.run(k=3) == "executed"


def damaged(change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        notebook = json.loads(content)
        return json.dumps(change(notebook) or notebook).encode()

    return damage


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "no JSON": lambda content: content[:-10],
    "nothing": lambda _: b"",
    "bytes": lambda _: bytes(range(256)),
    "deep": lambda _: b"[" * 100_000,
    "a list": damaged(lambda _: [1]),
    "an older format": damaged(lambda notebook: notebook.update(nbformat=3)),
    "a newer format": damaged(lambda notebook: notebook.update(nbformat=5)),
    "no cells": damaged(lambda notebook: notebook.update(cells=[])),
    "cells of nothing": damaged(lambda notebook: notebook.update(cells=[5])),
    "fewer cells": damaged(lambda notebook: notebook.update(cells=notebook["cells"][:-3])),
    "other code": damaged(lambda notebook: notebook["cells"][2].update(source="k = 9")),
    "outputs of nothing": damaged(lambda notebook: notebook["cells"][2].update(outputs=[7])),
    "no language": damaged(lambda notebook: notebook.update(metadata={})),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_outputs_of_a_damaged_notebook_are_not_taken_though_it_is_listed(
    lesson: Lesson, damage: str
) -> None:
    good = lesson.executed.read_bytes()
    lesson.edit(say_more)
    lesson.executed.write_bytes(DAMAGES[damage](good))
    about = lesson.executed.with_name(RUN)
    listed = json.loads(about.read_text())
    listed["outputs"][lesson.executed.name] = sha256(lesson.executed)
    about.write_text(json.dumps(listed))
    assert lesson.run() == "executed"
    nbformat.validate(nbformat.read(lesson.executed, as_version=4))
    assert lesson.run() == "up to date"


def test_what_lies_beside_the_outputs_is_not_copied(lesson: Lesson) -> None:
    beside = lesson.executed.with_name(IGNORED)
    beside.mkdir()
    (beside / "all").symlink_to("/")
    (beside / "zero").symlink_to("/dev/zero")
    lesson.edit(say_more)
    assert lesson.run() == "text replaced, nothing executed"
    assert not beside.exists()


def test_outputs_of_the_source_do_not_count(lesson: Lesson) -> None:
    def show(notebook: Any) -> None:
        notebook.cells[2]["outputs"] = [
            nbformat.v4.new_output("stream", text="shown in the lesson")
        ]
        notebook.cells[2]["execution_count"] = 7

    lesson.edit(show)
    assert lesson.run() == "up to date"
