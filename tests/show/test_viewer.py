"""The page of an article: what is marked, where links lead, and where it is written."""

import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from citectx import profiles
from citectx.cli import main
from citectx.corpora.model import Block, Document
from citectx.show.viewer import Marks, mark_up, page, render
from citectx.types import Span

EVIL = '<script>alert("&")</script>'


def parsed(page: str) -> Any:
    """The page as a tree; its elements are nested, and nothing in it runs."""
    parser = etree.HTMLParser()
    tree = etree.fromstring(page, parser)
    # libxml2 does not know the elements of HTML 5
    assert {error.type_name for error in parser.error_log} <= {"HTML_UNKNOWN_TAG"}
    assert not tree.xpath("//script | //@*[starts-with(name(), 'on')]")
    return tree


@pytest.mark.parametrize(
    ("gold", "found", "html"),
    [
        ({}, {}, "Cells rest."),
        ({"A": [Span(3, 30)]}, {}, 'Cel<u class="n1" title="A">ls rest.</u>'),
        (
            {"A": [Span(6, 11)], "B": [Span(0, 7)]},
            {"M": [Span(6, 7)]},
            '<u class="n1" title="B">Cells </u><mark class="n1" title="M"><u class="n2" '
            'title="A, B">r</u></mark><u class="n1" title="A">est.</u>',
        ),
    ],
)
def test_marks_are_cut_where_they_overlap(gold: Marks, found: Marks, html: str) -> None:
    pieces = mark_up("Cells rest. So.", Span(0, 11), found, gold, "c")
    assert re.sub('<a id="c-[0-9]+"></a>', "", pieces) == html


def test_a_page_escapes_everything_and_has_all_text() -> None:
    text = f"{EVIL}\n\nCells {EVIL} rest."
    blocks = (Block(0, len(EVIL), "title"), Block(len(EVIL) + 2, len(text), "body"))
    spans = [Span(len(EVIL) + 2, len(text))]
    section = EVIL, f"They {EVIL} rest.", {EVIL: spans}, {EVIL: spans}
    tree = parsed(render(Document(EVIL, text, blocks), [section, section]))
    marked = ["".join(mark.itertext()) for mark in tree.iter("mark")]
    assert marked.count(f"Cells {EVIL} rest.") == 2


def test_each_link_leads_to_one_place() -> None:
    tree = parsed(page(profiles.load("teaching"), "D9001_TEACH", ["BM25", "LMD"]))
    ids = tree.xpath("//@id")
    assert len(ids) == len({*ids})
    assert {link.removeprefix("#") for link in tree.xpath("//@href")} <= {*ids}
    assert tree.xpath("//section/@id") == [f"c{i}" for i in range(1, 9)]


def test_the_page_has_what_methods_and_annotators_marked() -> None:
    corpus = profiles.load("teaching")
    [topic] = (each for each in corpus if each.topic_id == "D9001_TEACH")
    [first] = parsed(page(corpus, "D9001_TEACH", ["BM25"])).xpath("//section[@id='c1']")
    gold = topic.citances[0].gold
    article = "".join("".join(first.find("article").itertext()).split())
    for span in {span for spans in gold.values() for span in spans}:
        assert "".join(span.of(topic.reference.text).split()) in article
    # three in the list, and their marks
    assert len(first.xpath(".//small[contains(., 'BM25')] | .//mark[@title='BM25']")) >= 6
    titles = first.xpath(".//u/@title")
    assert {name for title in titles for name in title.split(", ")} == {*gold}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that the browser was sent to; results go to a folder of their own."""
    addresses: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_the_command_writes_and_opens_the_page(
    opened: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", "D9001_TEACH", "--methods", "BM25"]) == 0
    path = tmp_path / "results" / "teaching" / "views" / "D9001_TEACH.html"
    assert capsys.readouterr().out == f"{path}\n"
    assert opened == [path.as_uri()]


def test_where_results_cannot_be_written_the_page_is_a_temporary_file(
    opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "results").touch()
    assert main(["view", "D9001_TEACH", "--methods", "BM25"]) == 0
    assert opened == [path.as_uri() for path in tmp_path.glob("*/D9001_TEACH.html")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["D9002"], "unknown topic of profile teaching 'D9002'; did you mean 'D9002_TEACH'?"),
        (["D9001_TEACH", "--methods", "BM52"], "BM52"),
    ],
)
def test_wrong_use_has_a_message(
    arguments: list[str], message: str, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert opened == []
