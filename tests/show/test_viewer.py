"""The page of an article: what is marked, where links lead, and where it is written."""

import re
import tempfile
import webbrowser
from html.parser import HTMLParser
from pathlib import Path

import pytest

from citectx import profiles
from citectx.cli import main
from citectx.corpora.model import Block, Document
from citectx.show.viewer import Marks, mark_up, page, render
from citectx.types import Span

EVIL = '<script>alert("&")</script>'
VOID = ("meta",)


class Tags(HTMLParser):
    """Checks that elements are nested, and collects ids, links and what is marked."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text: dict[str, str] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.open += [tag] if tag not in VOID else []
        for name, value in attrs:
            assert not name.startswith("on")
            self.ids += [value or ""] if name == "id" else []
            self.links += [value or ""] if name == "href" else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in {*self.open}:
            self.text[tag] = self.text.get(tag, "") + data


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
    html = render(Document(EVIL, text, blocks), [section, section])
    tags = Tags(html)
    assert "script" not in tags.seen
    assert tags.text["mark"].count(f"Cells {EVIL} rest.") == 2
    assert tags.open == []


def test_each_link_leads_to_one_place() -> None:
    html = page(profiles.load("teaching"), "D9001_TEACH", ["BM25", "LMD"])
    tags = Tags(html)
    assert len(tags.ids) == len({*tags.ids})
    assert {link.removeprefix("#") for link in tags.links} <= {*tags.ids}
    assert [id_ for id_ in tags.ids if "-" not in id_] == [f"c{i}" for i in range(1, 9)]
    assert tags.seen.count("section") == 8


def test_the_page_has_what_methods_and_annotators_marked() -> None:
    corpus = profiles.load("teaching")
    (topic,) = (each for each in corpus if each.topic_id == "D9001_TEACH")
    html = page(corpus, "D9001_TEACH", ["BM25"])
    first = html.partition('<section id="c1">')[2].partition("</section>")[0]
    marks = {span for spans in topic.citances[0].gold.values() for span in spans}
    for span in marks:
        assert "".join(Tags(first).text["article"].split()).count(
            "".join(span.of(topic.reference.text).split())
        )
    assert first.count("BM25") >= 6  # three in the list, and their marks
    names = {
        name for title in re.findall('<u .*?title="(.*?)"', first) for name in title.split(", ")
    }
    assert names == {*topic.citances[0].gold}


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
        (["D9002"], "unknown topic of profile teaching 'D9002'; known: 'D9001_TEACH'"),
        (["D9001_TEACH", "--methods", "BM52"], "BM52"),
    ],
)
def test_wrong_use_has_a_message(
    arguments: list[str], message: str, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert opened == []
