"""The words that lessons use, and what they say of themselves."""

import json
import re
import runpy

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
