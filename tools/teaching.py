"""What a lecturer makes of the lessons: assignments for nbgrader, keys, slides.

    python tools/teaching.py assignment 01 FOLDER       # FOLDER/01_.../01_....ipynb, for nbgrader
    python tools/teaching.py key 00 citance=3           # the right answers of a student's variant
    python tools/teaching.py slides 01 FOLDER           # FOLDER/01_....slides.html

An assignment is nbgrader's *source* version: put it into the course's `source` folder and say
`nbgrader generate_assignment`. That takes the solutions and the tests out. `docs/teaching.md` tells
more.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from traitlets.config import Config

from citectx.errors import CitectxError, ParameterError
from citectx.runs import notebooks
from citectx.show.lessons import STATIC
from citectx.storage import write_atomically

POINTS = {"●○○": 1, "●●○": 2, "●●●": 3}
TASK = "Write your answers where the code says so."
CHECK = re.compile(r'^exercises\.check\("(?P<exercise>[\d.]+)", (?P<name>\w+)\)$', re.MULTILINE)
KEY = """
import json
from citectx.show import exercises
def plain(answer):
    if isinstance(answer, (set, frozenset)):
        return sorted(answer)
    return answer.item() if hasattr(answer, "item") else dict(answer)
print(json.dumps(exercises.key(), default=plain, ensure_ascii=False))
"""


def assignment(notebook: NotebookNode) -> NotebookNode:
    """Return a lesson as nbgrader's source version: its exercises, and a test for each answer."""
    cells: list[NotebookNode] = []
    points = 1
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "exercise" in tags:
            cells.append(cell)
        elif "solution" in tags:
            cells[-1], test = _graded(cells[-1], cell, points)
            cells.append(test)
        else:
            found = re.search("[●○]{3}", cell.source)
            points = POINTS[found[0]] if found else points
            cells.append(_without_discussion(cell))
    made: NotebookNode = nbformat.from_dict(notebook | {"cells": cells})
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return made


def _without_discussion(cell: NotebookNode) -> NotebookNode:
    """Take out what a cell tells of the answers."""
    text = re.sub(r"<details>.*?</details>\s*", "", cell.source, flags=re.DOTALL)
    text = re.sub(
        r"Put your answer in the place of .*?this very run\.", TASK, text, flags=re.DOTALL
    )
    changed: NotebookNode = nbformat.from_dict(cell | {"source": text.strip()})
    return changed


def _graded(
    starter: NotebookNode, solution: NotebookNode, points: int
) -> tuple[NotebookNode, NotebookNode]:
    """Return the cell that a student fills in, and the one that grades it."""
    found = CHECK.search(starter.source)
    if not found:
        raise ParameterError(f"cell {starter.id} does not end with a check of one answer")
    exercise, name = found["exercise"], found["name"]
    function = re.search(r"^def (\w+)\(\)", solution.source, re.MULTILINE)
    if not function:
        raise ParameterError(f"cell {solution.id} has no function without arguments")
    before, answer = _parted(starter.source[: found.start()], name)
    answered = f"{name} = {function[1]}()"
    filled = f"{before}# {answer}\n### BEGIN SOLUTION\n{solution.source}\n\n\n{answered}"
    filled += "\n### END SOLUTION"
    tested = (
        f"# Exercise {exercise}\n### BEGIN HIDDEN TESTS\n{solution.source}\n\n\n"
        f'assert exercises.is_right("{exercise}", {name})\n### END HIDDEN TESTS'
    )
    number = exercise.replace(".", "-")
    own: dict[str, Any] = {
        "schema_version": 3,
        "task": False,
        "locked": False,
        "grade": False,
        "solution": True,
    }
    own |= {"grade_id": f"answer-{number}"}
    other: dict[str, Any] = {
        "schema_version": 3,
        "task": False,
        "locked": True,
        "grade": True,
        "solution": False,
    }
    other |= {"grade_id": f"test-{number}", "points": points}
    cell, test = (nbformat.v4.new_code_cell(text) for text in (filled, tested))
    cell.id, test.id = starter.id, solution.id
    cell.metadata["nbgrader"], test.metadata["nbgrader"] = own, other
    return cell, test


def _parted(source: str, name: str) -> tuple[str, str]:
    """Part a starter into what comes before the answer, and the line of the answer."""
    found = re.search(rf"^{name} = .*$", source, re.MULTILINE)
    if not found:
        raise ParameterError(f"no line begins with {name!r} =")
    return source[: found.start()], found[0]


def key(notebook: NotebookNode, folder: Path, parameters: dict[str, Any]) -> dict[str, Any]:
    """Execute a lesson with these parameters; return the right answers."""
    made = parameterize_notebook(notebook, parameters)
    made.cells.append(nbformat.v4.new_code_cell(KEY))
    os.environ[STATIC] = "1"
    NotebookClient(made, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    printed = "".join(output.get("text", "") for output in made.cells[-1].outputs)
    return dict(json.loads(printed))


def slides(notebook: NotebookNode) -> str:
    """Return a lesson as slides: one a heading, then what is below it bit by bit."""
    exercises = False
    for cell in notebook.cells:
        exercises = exercises or cell.source.startswith("## Exercises")
        heading = cell.cell_type == "markdown" and re.search("^#+ ", cell.source)
        kind = "skip" if exercises or _set_up(cell) else "slide" if heading else "fragment"
        cell.metadata["slideshow"] = {"slide_type": kind}
    texts = Config({"TagRemovePreprocessor": {"remove_input_tags": ("hide-input",)}})
    exporter = SlidesExporter(config=texts, reveal_scroll=True)  # type: ignore[no-untyped-call]
    page, _ = exporter.from_notebook_node(notebook)
    return str(page)


def _set_up(cell: NotebookNode) -> bool:
    tags = cell.metadata.get("tags", [])
    return (
        "parameters" in tags or "about_this_run" in cell.source or cell.source.startswith("from ")
    )


def main(what: str, lesson: str, *rest: str) -> str:
    """Make one of the three; return what to print."""
    (path,) = notebooks([lesson])
    notebook = load_notebook_node(str(path))
    if what == "key":
        given = dict(each.split("=", 1) for each in rest)
        return json.dumps(key(notebook, path.parent, given), indent=1, ensure_ascii=False)
    folder = Path(*rest) if rest else Path("build/teaching")
    if what == "assignment":
        place = folder / path.stem / path.name
        text = nbformat.writes(assignment(notebook)) + "\n"
    elif what == "slides":
        place, text = folder / f"{path.stem}.slides.html", slides(notebook)
    else:
        raise ParameterError(f"expected assignment, key or slides, not {what!r}")
    if place.exists():
        raise ParameterError(f"{place} exists; name another folder or remove it")
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(place, text.encode())
    return str(place)


if __name__ == "__main__":
    try:
        if len(sys.argv) < 3:
            raise ParameterError("expected what to make and a lesson, such as: key 00 citance=3")
        print(main(*sys.argv[1:]))
    except CitectxError as error:
        sys.exit(f"teaching: {error}")
