"""What a lecturer makes of the lessons, and the words that they use."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from citectx import profiles
from citectx.corpora import coresc
from citectx.papers.acl2008 import methods
from citectx.paths import NOTEBOOKS, ROOT
from citectx.retrieval import MODELS, reformulation
from citectx.show import lessons
from citectx.summarization import SUMMARIZERS
from tests.lesson_cells import LESSONS

TOOL = ROOT / "tools/teaching.py"
START = "00_start_here"


def teaching(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, TOOL, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_is_an_assignment_without_what_gives_answers_away(lesson: str) -> None:
    tool = runpy.run_path(str(TOOL))
    made = tool["assignment"](nbformat.read(LESSONS[lesson], as_version=4))
    graders = [c.metadata["nbgrader"] for c in made.cells if "nbgrader" in c.metadata]
    answers = [cell for cell in graders if cell["solution"]]
    tests = [cell for cell in graders if cell["grade"]]
    assert len(answers) == len(tests) == 3
    assert len({cell["grade_id"] for cell in graders}) == 6
    assert all(1 <= cell["points"] <= 3 for cell in tests)
    assert not any("<details>" in cell.source for cell in made.cells)
    assert not any("solution is" in cell.source for cell in made.cells)
    hidden = ("### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS")
    for cell in made.cells:
        shown = cell.source
        for mark in hidden:
            shown = shown.split(mark)[0]
        assert "@exercises.solution" not in shown


def test_an_assignment_with_its_solutions_passes_its_own_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = teaching("assignment", "00", tmp_path)
    assert done.returncode == 0, done.stderr
    made = nbformat.read(tmp_path / START / f"{START}.ipynb", as_version=4)
    monkeypatch.setenv(lessons.STATIC, "1")
    how: dict[str, Any] = {"kernel_name": "python3", "resources": {"metadata": {"path": NOTEBOOKS}}}
    NotebookClient(made, **how).execute()
    again = teaching("assignment", "00", tmp_path)
    assert again.returncode == 1
    assert "exists" in again.stderr


def test_a_key_for_a_variant() -> None:
    done = teaching("key", "00", "citance=3")
    assert '"00.2"' in done.stdout, done.stderr
    assert teaching("quiz", "00").returncode == 1


def test_slides_are_headings_and_leave_the_exercises_out(tmp_path: Path) -> None:
    done = teaching("slides", "00", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / f"{START}.slides.html").read_text("utf-8")
    assert page.count("<section") > 5
    assert "exercises.solution" not in page


@pytest.mark.skipif(not shutil.which("nbgrader"), reason="nbgrader is not installed")
def test_nbgrader_reads_the_assignment(tmp_path: Path) -> None:
    assert teaching("assignment", "00", tmp_path / "source").returncode == 0
    command = ["nbgrader", "generate_assignment", START, "--create"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    made = (tmp_path / "release" / START / f"{START}.ipynb").read_text("utf-8")
    assert "exercises.solution" not in made


@pytest.mark.parametrize(
    "name",
    [
        *MODELS,
        *reformulation.STEPS,
        *SUMMARIZERS,
        *methods.BASELINES,
        *methods.LATER,
        *(methods.OURS, methods.MOST_CITED, methods.ORACLE),
        *coresc.CLASSES,
        *(name for name in profiles.LOADERS if name not in ("own", "tac2014")),
        *("sigir2017", "naacl2015", "lrec2016", "acl2008"),
        *("c-F", "nDCG", "c-P@1", "wc-F", "F-1", "LTR", "MLE"),
    ],
)
def test_the_glossary_has_every_name_of_the_tables(name: str) -> None:
    glossary = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert f"**{name}**" in glossary, f"{name} is not in docs/glossary.md"


def test_words_are_linked_to_the_glossary_where_they_first_stand() -> None:
    """By `tools/glossary_links.py`, which would change nothing."""
    tool = runpy.run_path(str(ROOT / "tools/glossary_links.py"))
    changed = []
    for path, notebook in tool["lessons"]():
        before = json.dumps(notebook)
        if json.dumps(tool["relinked"](notebook)) != before:
            changed.append(path.name)
    assert not changed, f"run python tools/glossary_links.py, then look at {changed}"


def test_the_first_of_each_word_is_linked_and_nothing_else_is() -> None:
    linked = runpy.run_path(str(ROOT / "tools/glossary_links.py"))["linked"]
    texts = [
        "# A citance\n\n`citance`, $citance$ and [a citance](x.md); a citance.",
        "Citances, BM25.",
    ]
    place = "../docs/glossary.md"
    assert linked(texts) == [
        f"{texts[0][:-8]}[citance]({place}#citance).",
        f"Citances, [BM25]({place}#bm25).",
    ]
    assert linked(linked(texts)) == linked(texts)


def test_every_link_to_the_glossary_leads_to_an_entry() -> None:
    known = re.findall(r'<a id="([\w-]+)">', (ROOT / "docs/glossary.md").read_text("utf-8"))
    assert len(known) == len(set(known))
    for path in LESSONS.values():
        used = re.findall(r"glossary\.md#([\w-]+)", path.read_text("utf-8"))
        assert {*used} <= {*known, "core-scientific-concepts"}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_says_how_long_it_takes_as_the_syllabus_does(lesson: str) -> None:
    first = nbformat.read(LESSONS[lesson], as_version=4).cells[0].source
    found = re.search(r"\*\*Time\*\* (\d+) minutes .*\*\*Level\*\* [●○]{3}", first)
    assert found
    assert "../docs/glossary.md" in first
    syllabus = (ROOT / "docs/teaching.md").read_text("utf-8")
    assert re.search(rf"^\| {lesson} [^|]*\| {found[1]} \|", syllabus, re.MULTILINE)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_names_three_things_to_read(lesson: str) -> None:
    last = nbformat.read(LESSONS[lesson], as_version=4).cells[-1].source
    section = last.partition("## Further reading")[2].partition("\n\n")[2].partition("\n\n")[0]
    assert section.count("\n- ") == 2
    assert section.startswith("- ")
