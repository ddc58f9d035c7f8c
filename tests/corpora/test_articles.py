from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import articles
from citectx.corpora.articles import pdf_text, read_article, read_citing
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
    with pytest.raises(DataError, match="XML"):
        read_citing(path)


def test_one_article_may_stand_in_a_set(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text(
        "<pmc-articleset><article><body><p>Cells rest.</p></body></article></pmc-articleset>"
    )
    assert read_article(path).document.text == "Cells rest."


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"nowhere\.xml"):
        read_article(tmp_path / "nowhere.xml")


def test_a_scanned_pdf_is_named_as_such() -> None:
    pypdf = pytest.importorskip("pypdf")
    from io import BytesIO

    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    buffer = BytesIO()
    writer.write(buffer)
    with pytest.raises(DataError, match="OCR"):
        pdf_text(buffer.getvalue(), "scan.pdf")


def test_lines_that_run_through_a_pdf_are_dropped() -> None:
    pages = [f"Journal of Rest\nPage {n} of text.\n{n}" for n in range(5)]
    assert articles._without_running_lines(pages) == [f"Page {n} of text." for n in range(5)]


@pytest.mark.open_data
def test_a_pdf_holds_what_grobid_found_in_it(open_corpus: Callable[[str], Path]) -> None:
    pytest.importorskip("pypdf")
    folder = open_corpus("s2orc-samples") / "tests" / "pdf"
    pdf, tei = (read_article(folder / f"N18-3011.{end}").document for end in ("pdf", "tei.xml"))
    sentences = [
        tei.text[b.start : b.start + 60] for b in tei.blocks if b.kind in ("abstract", "body")
    ]
    squeezed = "".join(pdf.text.split())
    found = [("".join(s.split()) in squeezed) for s in sentences]
    assert sum(found) / len(found) > 0.8
    assert {"abstract", "body", "heading", "references"} <= {b.kind for b in pdf.blocks}
