"""Notebooks are lessons: question, formula, algorithm, the package's version, and what one sees."""

import ast
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from citectx.paths import NOTEBOOKS
from tests.lesson_cells import names

LESSONS = sorted(p for p in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb") if not p.name.startswith("09"))
LONGEST = 15


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text("utf-8"))["cells"]
    return [c | {"source": "".join(c["source"])} for c in found if c["cell_type"] == kind]


def functions(path: Path) -> list[ast.FunctionDef]:
    trees = [ast.parse(c["source"]) for c in cells(path, "code")]
    return [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
class TestLesson:
    def test_begins_with_goals_and_ends_with_exercises(self, path: Path) -> None:
        text = [c["source"] for c in cells(path, "markdown")]
        assert "**You will learn**" in text[0]
        assert "**You need**" in text[0]
        exercises = "\n".join(text).partition("## Exercises")[2]
        told = re.findall(
            r"<details><summary>What one sees</summary>\n\n(.+?)\n\n</details>",
            exercises,
            re.DOTALL,
        )
        assert len(told) == 3

    def test_shows_formulas_and_the_algorithm(self, path: Path) -> None:
        assert any("$$" in c["source"] for c in cells(path, "markdown"))
        found = functions(path)
        assert found, "no algorithm can be read in this notebook"
        assert all(ast.get_docstring(f) and (f.end_lineno or 0) - f.lineno < LONGEST for f in found)

    def test_cells_are_short(self, path: Path) -> None:
        for cell in cells(path, "code"):
            lines = [line for line in cell["source"].splitlines() if line.strip()]
            assert len(lines) <= LONGEST, lines[0]

    def test_a_sentence_follows_every_figure(self, path: Path) -> None:
        everything = json.loads(path.read_text("utf-8"))["cells"]
        for cell, following in itertools.pairwise(everything):
            drawn = any("image/png" in o.get("data", {}) for o in cell.get("outputs", []))
            if drawn:
                text = "".join(following["source"])
                assert following["cell_type"] == "markdown", "".join(cell["source"])
                assert not text.startswith("#"), text[:80]

    def test_only_solutions_are_folded_wherever_it_is_opened(self, path: Path) -> None:
        for cell in cells(path, "code"):
            tags = cell["metadata"].get("tags", ())
            in_lab = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            in_colab = cell["metadata"].get("cellView") == "form"
            assert ("solution" in tags) == in_lab == in_colab == ("hide-input" in tags)

    def test_runs_without_the_cells_about_the_teaching_corpus(self, path: Path) -> None:
        lost, kept, used = set[str](), set[str](), set[str]()
        for cell in cells(path, "code"):
            binds, uses = names(cell["source"])
            if "teaching" in cell["metadata"].get("tags", ()):
                lost |= binds
            else:
                kept, used = kept | binds, used | uses
        assert not (lost - kept) & used

    def test_a_saved_figure_says_in_words_what_it_shows(self, path: Path) -> None:
        outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
        shown = [
            o["metadata"]["image/png"] for o in outputs if "image/png" in o.get("metadata", {})
        ]
        assert all(len(about["alt"].split()) > 4 for about in shown)

    def test_nothing_is_missing_on_screen(self, path: Path) -> None:
        for cell in cells(path, "code"):
            for output in cell["outputs"]:
                page = "".join(output.get("data", {}).get("text/html", []))
                assert not re.search(r">(nan|NaN|&lt;NA&gt;|<NA>)<", page)


@pytest.mark.parametrize(("lesson", "mark"), [("01", "†"), ("04", "†"), ("06", "**")])
def test_tables_keep_the_marks_of_significance_that_papers_print(lesson: str, mark: str) -> None:
    (path,) = (p for p in LESSONS if p.name.startswith(lesson))
    pages = [
        "".join(o.get("data", {}).get("text/html", []))
        for c in cells(path, "code")
        for o in c["outputs"]
    ]
    assert any(re.search(rf">\d+\.\d{re.escape(mark)}<", page) for page in pages)
