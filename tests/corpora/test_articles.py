from pathlib import Path

import pytest

from citectx.corpora.articles import article_of, read_article
from citectx.errors import DataError, MissingDataError

USE = "<article><body><p>&a;</p></body></article>"
BOMB = f'<!DOCTYPE x [<!ENTITY b "bbb"><!ENTITY a "&b;&b;&b;">]>{USE}'
FILE = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>{USE}'


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "well-formed"),
        (b"<html><body>x</body></html>", "found 0"),
        (b"<article><body></body></article>", "no text"),
        (b"<article><body><p>x</body></article>", "not well-formed"),
        (b"<article><body><p>&nbsp;</p></body></article>", "not well-formed"),
        (b"<?xml version='1.0' encoding='nonsense'?><article/>", "readable|well-formed"),
        (b"<set><article/><article/></set>", "found 2"),
        (BOMB.encode(), "entities"),
        (FILE.encode(), "entities"),
        (b"<article>" + b"<sec>" * 5_000, "deeper"),
        (b"%PDF-1.4 nonsense", "PDF"),
    ],
)
def test_what_is_no_article_is_refused_by_name(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "paper.xml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"paper\.xml.*({complaint})"):
        read_article(path)


def test_a_document_type_is_not_fetched(tmp_path: Path) -> None:
    path = tmp_path / "paper.xml"
    doctype = '<!DOCTYPE article SYSTEM "file:///nowhere.dtd">'
    path.write_text(f"{doctype}<article><body><p>Cells rest.</p></body></article>")
    assert read_article(path).document.text == "Cells rest."


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.md", "# On rest\n\nCells rest.\n"), ("a.txt", "\ufeff# On rest\r\n\r\nCells rest.\r\n")],
)
def test_text_is_markdown_by_name_or_by_look(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    article = read_article(path)
    assert article.work.title == "On rest"
    assert [b.kind for b in article.document.blocks] == ["title", "body"]
    assert not article.references


def test_a_reference_list_in_text_is_read_and_what_is_guessed_is_said() -> None:
    text = "Why cells rest\n\nThey do [1].\n\nReferences\n\n1. Doe J. How fish swim. 2001.\n"
    article = article_of(text, Path("own.txt"))
    assert [(r.label, r.work.title, r.guessed) for r in article.references] == [
        ("1", "How fish swim", True)
    ]
    assert [m.key for m in article.marked] == [article.references[0].key]
    [finding] = article.findings
    assert "'Why cells rest' from the first line; DOI not found" in str(finding)


@pytest.mark.parametrize(("filler", "noted"), [(8, True), (200, False)])
def test_much_caption_is_a_finding(filler: int, noted: bool) -> None:
    text = "Why cells rest\n\nFigure 1. " + "Cells at rest. " * 20 + "\n\n" + "We rest. " * filler
    found = [finding for finding in article_of(text).findings if "captions" in finding.message]
    assert bool(found) is noted


def test_one_article_may_stand_in_a_set(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text(
        "<pmc-articleset><article><body><p>Cells rest.</p></body></article></pmc-articleset>"
    )
    assert read_article(path).document.text == "Cells rest."


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"nowhere\.xml"):
        read_article(tmp_path / "nowhere.xml")
