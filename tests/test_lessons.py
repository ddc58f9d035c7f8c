"""Notebooks are lessons: what one sees in them, and the words that they use."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import nbformat
import pytest

from citectx import catalogue
from citectx.corpora import coresc
from citectx.papers.acl2008.methods import ELSEWHERE, FIXED
from citectx.papers.naacl2015 import table2
from citectx.paths import ROOT
from citectx.retrieval import MODELS, OURS, reformulation
from citectx.summarization import SUMMARIZERS
from tests.lesson_cells import LESSONS, names


@cache
def cells_of(lesson: str) -> list[Any]:
    return nbformat.read(LESSONS[lesson], as_version=4).cells


def pictures(cells: Iterable[Any]) -> list[Any]:
    """The outputs of cells that are pictures."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return [output for output in outputs if "image/png" in output.get("data", {})]


def tags(cell: Any) -> list[str]:
    return cell.metadata.get("tags", [])


@pytest.mark.parametrize("lesson", LESSONS)
def test_solutions_are_folded_text_wherever_it_is_opened(lesson: str) -> None:
    for cell in cells_of(lesson):
        folded = re.fullmatch(r"<details>.*</details>", cell.source.strip(), re.DOTALL)
        is_folded = cell.cell_type == "markdown" and bool(folded)
        assert is_folded == ("solution" in tags(cell))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_without_the_cells_about_the_teaching_corpus(lesson: str) -> None:
    lost, kept, used = set[str](), set[str](), set[str]()
    for cell in cells_of(lesson):
        binds, uses = names(cell.source) if cell.cell_type == "code" else (set(), set())
        if "teaching" in tags(cell):
            lost |= binds
        else:
            kept, used = kept | binds, used | uses
    assert not (lost - kept) & used


@pytest.mark.parametrize("lesson", LESSONS)
def test_pictures_have_words_and_tables_no_holes(lesson: str) -> None:
    for picture in pictures(cells_of(lesson)):
        assert len(picture.metadata["image/png"]["alt"].split()) > 4
    for page in tables(lesson):
        assert not re.search(r">(nan|NaN|&lt;NA&gt;|<NA>)<", page)


def tables(lesson: str) -> list[str]:
    """What a lesson shows as HTML."""
    outputs = [output for cell in cells_of(lesson) for output in cell.get("outputs", ())]
    return [output.get("data", {}).get("text/html", "") for output in outputs]


WORDS, CODE, FIGURES = 1600, 26, 3
LONGER = {"08": (1900, 30), "09": (1900, 30), "07": (1900, 24)}
"""Words and cells of code of the lessons that may have more, or must have fewer."""


def is_drawing(cell: Any) -> bool:
    """Whether a cell draws steps or a forest of intervals, which do not count."""
    return "steps." in cell.source or "forest" in cell.source


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_no_longer_than_a_student_bears(lesson: str) -> None:
    words, most_code = LONGER.get(lesson, (WORDS, CODE))
    text = [cell.source for cell in cells_of(lesson) if cell.cell_type == "markdown"]
    code = [cell for cell in cells_of(lesson) if cell.cell_type == "code"]
    assert len(" ".join(text).split()) <= words
    assert sum("forest" not in cell.source for cell in code) <= most_code
    assert len(pictures(cell for cell in code if not is_drawing(cell))) <= FIGURES


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_guess_is_kept_and_meets_the_results_before_a_recap(lesson: str) -> None:
    cells = cells_of(lesson)
    asked, kept, answered = (
        next(i for i, cell in enumerate(cells) if words in cell.source)
        for words in ("What do you predict?", "predict(guess", "closing(")
    )
    assert kept == asked + 1 < answered
    shown = cells[answered].outputs[0]["data"]["text/plain"]
    assert "your guess" in shown and "none yet" in shown
    recap = cells[answered + 1].source.replace("\n", " ")
    head, _, said = recap.partition(".** ")
    assert head == "**In three sentences"
    assert len(re.findall(r"[.?](?= |$)", said)) == 3


@pytest.mark.parametrize("lesson", ["01", "04", "06", "07", "08"])
def test_the_steps_of_an_algorithm_are_drawn_and_named_in_its_code(lesson: str) -> None:
    cells = cells_of(lesson)
    drawn = pictures(cell for cell in cells if "steps." in cell.source)
    assert drawn
    assert all(len(picture.metadata["image/png"]["alt"].split()) > 20 for picture in drawn)
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert all(f"Step {number}" in code for number in (1, 2, 3))


NUMBER = re.compile(r"(?<![\w-])[+−]?\d[\d,]*(?:\.\d+)?")


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_was_found_on_open_data_has_at_most_twelve_numbers(lesson: str) -> None:
    for cell in cells_of(lesson):
        text = re.sub(r"\]\([^)]*\)|Eq\. \d", "", cell.source)
        if "open-data" in tags(cell):
            numbers = NUMBER.findall(text)
            assert len(numbers) <= 12, numbers
        if cell.cell_type == "markdown":
            prose = re.sub(r"\$.*?\$|`.*?`", "", text, flags=re.DOTALL)
            assert not re.search(r"(?<![\w@-])-\d", prose), "a hyphen is no minus sign"
        tables = cell.source.count("on_open_data(") and cell.outputs[0]["data"]["text/plain"]
        if tables and "closing(" not in cell.source:
            rows = tables.splitlines()[1:]
            assert sum(len(re.findall(r" −?\d+\.\d", row)) for row in rows) <= 12


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_picture_and_a_question_come_within_ten_cells(lesson: str) -> None:
    opening = cells_of(lesson)[:10]
    asks = any("What do you predict?" in cell.source for cell in opening)
    assert asks, f"{LESSONS[lesson].name} needs 'What do you predict?' among its first ten cells"
    assert pictures(opening), f"{LESSONS[lesson].name} needs a picture among its first ten cells"


@pytest.mark.parametrize(("lesson", "mark"), [("01", "†"), ("04", "†"), ("06", "**")])
def test_tables_keep_the_marks_of_significance_that_papers_print(lesson: str, mark: str) -> None:
    assert any(re.search(rf">\d+\.\d{re.escape(mark)}<", page) for page in tables(lesson))


def test_06_shows_the_seven_ways_that_it_announces() -> None:
    announced, shown = "", []
    for cell in cells_of("06"):
        if cell.source.startswith("## Seven ways to ask"):
            announced = cell.source
        for output in cell.get("outputs", ()):
            lines = output.get("data", {}).get("text/plain", "").splitlines()
            rows = [line.split()[0] for line in lines if line.startswith(table2.METHODS)]
            shown += [tuple(rows)] if "baseline" in rows else []
    assert all(name in announced for name in table2.METHODS)
    assert {*shown} == {table2.METHODS}


# --- the words that lessons use


@pytest.mark.parametrize(
    "name",
    [
        *MODELS,
        *OURS,
        *reformulation.STEPS,
        *SUMMARIZERS,
        *("Random", *FIXED, ELSEWHERE, "greedy oracle"),
        *coresc.CLASSES,
        *(name for name in catalogue.LOADERS if name not in ("own", "tac2014")),
        *("sigir2017", "naacl2015", "lrec2016", "acl2008"),
        *("c-F", "nDCG", "c-P@1", "wc-F", "F-1", "LTR", "MLE"),
    ],
)
def test_the_glossary_has_every_name_of_the_tables(name: str) -> None:
    glossary = (ROOT / "docs/glossary.md").read_text("utf-8")
    anchor = re.sub(r"\W+", "-", name.lower())
    row = f'| <a id="{anchor}"></a>**{name}** | what it is |'
    assert f"**{name}**" in glossary, f"docs/glossary.md needs a row {row}"


def test_no_two_entries_of_the_glossary_have_one_anchor() -> None:
    known = re.findall(r'<a id="([\w-]+)">', (ROOT / "docs/glossary.md").read_text("utf-8"))
    assert len(known) == len(set(known))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_says_how_long_it_takes_as_the_syllabus_does(lesson: str) -> None:
    opening = cells_of(lesson)[:2]
    first = "\n".join(cell.source for cell in opening)
    found = re.search(r"\*\*Time\*\* (\d+) minutes .*\*\*Level\*\* [●○]{3}", first)
    assert found, f"{LESSONS[lesson].name} must open with **Time** N minutes … **Level** ●○○"
    assert "../docs/glossary.md" in first
    syllabus = (ROOT / "docs/teaching.md").read_text("utf-8")
    card = syllabus.partition(f"\n### {lesson} ")[2].partition("\n### ")[0]
    told = f"docs/teaching.md needs a card ### {lesson} with {found[1]} minutes alone, and **Plan**"
    assert f" {found[1]} minutes alone" in card, told
    [plan] = re.findall(r"\*\*Plan\*\* (.*)", card)
    assert sum(map(int, re.findall(r"(?:^|; )(\d+) ", plan))) == 90
