"""Hand-outs of the lessons, by ``make assignments``: without outputs and solutions, and standing alone.

python notebooks/handouts.py build/assignments [--format nbgrader] [-p topic D9002_TEACH] ...
"""

import argparse
import os
import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat

from citectx import paths
from citectx.errors import ParameterError
from citectx.runs import TEACHING, parameter_grid, parameters_of, tags_of
from citectx.storage import write_atomically

PAGES = ("glossary.md", "verdicts.md", "your-paper.md")
"""Pages of docs/ that lessons refer to, which lie beside them."""

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
"""A link or a picture: its mark, its words, and where it leads."""

COLAB = """\
import sys

if "google.colab" in sys.modules:  # elsewhere this cell does nothing
    %pip install --quiet "citectx @ git+{}"
"""

POINTS = {"●○○": 1, "●●○": 2, "●●●": 3}
HIDDEN_TEST = """\
# Exercise {exercise} is graded here: {points} of the points.
### BEGIN HIDDEN TESTS
from importlib import reload

from citectx.show import answers, exercises

reload(answers), reload(exercises)  # as they were installed
right = exercises.solution("{exercise}", globals())()
assert exercises.judge({answer}, right, "") == "right.", "not yet"
### END HIDDEN TESTS"""


def hand_out(lesson: Path, pairs: Sequence[Sequence[str]], beside: Sequence[str]) -> Any:
    """Return a lesson as students get it, with a lecturer's parameters.

    Links lead to files that are `beside` it, or to the repository's address. While it has none,
    other links are plain words.
    """
    notebook = nbformat.read(lesson, as_version=4)
    values = values_of(lesson, pairs)
    left_out = {"solution", TEACHING} if values else {"solution"}
    notebook.cells = [cell for cell in notebook.cells if left_out.isdisjoint(tags_of(cell))]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            cell.source = relinked(cell.source, lesson.parent, beside)
    if values:
        after = next(i for i, c in enumerate(notebook.cells) if "parameters" in tags_of(c)) + 1
        lines = "\n".join(f"{name} = {value!r}" for name, value in values.items())
        cell = code_cell(lines, "handout-parameters", tags=["injected-parameters"])
        notebook.cells.insert(after, cell)
    if paths.ADDRESS:
        notebook.cells.insert(1, code_cell(COLAB.format(paths.ADDRESS), "handout-install"))
    return notebook


def code_cell(source: str, name: str, **metadata: Any) -> Any:
    """Make a cell whose id stays the same."""
    return nbformat.v4.new_code_cell(source, id=name, metadata=metadata)


def values_of(lesson: Path, pairs: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Read the values of those parameters that a lesson has."""
    known = parameters_of(lesson)
    written = [f"{name}={value}" for name, value in pairs if name in known]
    values, *others = parameter_grid(lesson, written)
    if others:
        raise ParameterError(f"{written} has several values; a hand-out takes one of each")
    return values


def relinked(text: str, home: Path, beside: Sequence[str]) -> str:
    """Let the links of a text in the folder `home` lead where a hand-out's can.

    >>> relinked("[c-F](../docs/glossary.md#c-f)", paths.NOTEBOOKS, ["glossary.md"])
    '[c-F](glossary.md#c-f)'
    """

    def place(link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        if re.match(r"[a-z]+:|#", target):
            return link[0]
        file, _, anchor = target.partition("#")
        path = Path(os.path.normpath(home / file))
        ending = f"#{anchor}" if anchor else ""
        if path.name in beside:
            return f"{mark}[{words}]({path.name}{ending})"
        if paths.ADDRESS:
            relative = path.relative_to(paths.ROOT).as_posix()
            return f"{mark}[{words}]({paths.ADDRESS}/blob/main/{relative}{ending})"
        return words

    return LINK.sub(place, text)


def for_nbgrader(notebook: Any) -> Any:
    """Add a graded cell below each exercise; a student's copy has no tests in it."""
    notebook, points = deepcopy(notebook), 1
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if difficulty := re.search("●[●○]{2}", cell.source):
            points = POINTS[difficulty[0]]
        asked = re.search(r'^exercises\.check\("(\d\d\.\d)", (\w+)\)$', cell.source, re.MULTILINE)
        if asked and cell.cell_type == "code":
            exercise, answer = asked.groups()
            test = HIDDEN_TEST.format(exercise=exercise, answer=answer, points=points)
            name = f"test-{exercise.replace('.', '-')}"
            cells.append(code_cell(test, name, nbgrader=about_test(name, points)))
    notebook.cells = cells
    return notebook


def about_test(name: str, points: int) -> dict[str, Any]:
    """Describe a cell of tests to nbgrader."""
    return {
        "schema_version": 3,
        "grade": True,
        "grade_id": name,
        "points": points,
        "locked": True,
        "solution": False,
        "task": False,
    }


def write(folder: Path, form: str, pairs: Sequence[Sequence[str]]) -> None:
    """Write all hand-outs with the pages beside them; for nbgrader, a folder for each lesson."""
    lessons = sorted(paths.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    known = {name for lesson in lessons for name in parameters_of(lesson)}
    unknown = [name for name, _ in pairs if name not in known]
    if unknown:
        raise ParameterError(f"no lesson has a parameter {unknown[0]!r}; known: {sorted(known)}")
    for lesson in lessons:
        home, beside = folder, [*PAGES, *(other.name for other in lessons)]
        if form == "nbgrader":
            home, beside = folder / "source" / f"lesson-{lesson.name[:2]}", [*PAGES, lesson.name]
        notebook = hand_out(lesson, pairs, beside)
        notebook = for_nbgrader(notebook) if form == "nbgrader" else notebook
        write_atomically(home / lesson.name, f"{nbformat.writes(notebook)}\n")
        for page in PAGES:
            text = (paths.ROOT / "docs" / page).read_text("utf-8")
            write_atomically(home / page, relinked(text, paths.ROOT / "docs", beside))
    print(f"{len(lessons)} hand-outs are in {folder}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", default="notebook", choices=("notebook", "nbgrader"))
    parser.add_argument("-p", dest="pairs", nargs=2, action="append", default=[])
    given = parser.parse_args()
    try:
        write(given.folder, given.format, given.pairs)
    except ParameterError as error:
        parser.exit(1, f"{error}\n")
