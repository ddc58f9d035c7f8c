"""The words that lessons use, and what they say of themselves."""

import re

import nbformat
import pytest

from citectx import profiles
from citectx.corpora import coresc
from citectx.papers.acl2008 import table1
from citectx.paths import ROOT
from citectx.retrieval import MODELS, reformulation
from citectx.summarization import SUMMARIZERS
from tests.lesson_cells import LESSONS


@pytest.mark.parametrize(
    "name",
    [
        *MODELS,
        *reformulation.STEPS,
        *SUMMARIZERS,
        *table1.METHODS,
        *coresc.CLASSES,
        *(name for name in profiles.LOADERS if name not in ("own", "tac2014")),
        *("sigir2017", "naacl2015", "lrec2016", "acl2008"),
        *("c-F", "nDCG", "c-P@1", "wc-F", "F-1", "LTR", "MLE"),
    ],
)
def test_the_glossary_has_every_name_of_the_tables(name: str) -> None:
    glossary = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert f"**{name}**" in glossary, f"{name} is not in docs/glossary.md"


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
def test_a_lesson_names_things_to_read(lesson: str) -> None:
    last = nbformat.read(LESSONS[lesson], as_version=4).cells[-1].source
    assert re.search(r"\*\*Read on\*\*|## Further reading", last)
