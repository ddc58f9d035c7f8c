"""PDF, made here line by line, and the two samples with their TEI."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

import pytest

from citectx.corpora.articles import read_article
from citectx.corpora.pdf import Line, markdown, read_pdf, without_running_lines
from citectx.corpora.references import Article
from citectx.errors import DataError

pypdf = pytest.importorskip("pypdf")

Ink = tuple[str, float, str, float, float]
"""Text, size, font (F1: regular, F2: bold), and place of its first letter."""


def pdf(*pages: Sequence[Ink], title: str = "") -> bytes:
    """Write a PDF, object by object."""
    kids = " ".join(f"{6 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
        f"<< /Title ({title}) >>",
    ]
    for i, page in enumerate(pages):
        inks = (f"/{font} {size} Tf 1 0 0 1 {x} {y} Tm ({t}) Tj" for t, size, font, x, y in page)
        stream = f"BT {' '.join(inks)} ET"
        fonts = "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
        box = "/MediaBox [0 0 600 800]"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} {fonts} /Contents {7 + 2 * i} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    whole, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(whole))
        whole += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>"
    return whole + f"{head}{trailer}\nstartxref\n{len(whole)}\n%%EOF".encode()


def lines(*texts: str, top: float = 600, x: float = 72, size: float = 10) -> list[Ink]:
    return [(text, size, "F1", x, top - 12 * i) for i, text in enumerate(texts)]


HEAD: list[Ink] = [
    ("Journal of Rest 2016, doi:10.99999/rest.7", 8, "F1", 72, 780),
    ("Why cells rest", 16, "F2", 72, 740),
    ("in the dark", 16, "F2", 72, 722),
    ("Jane Doe, University of Rest", 10, "F1", 72, 690),
    ("Abstract", 12, "F2", 72, 650),
]
FIRST = lines(
    "Cells rest in the dark, as was seen by many who had waited for long, and they di-",
    "vide in the light.",
)
MIDDLE: list[Ink] = [
    ("1 Introduction", 12, "F2", 72, 560),
    *lines("Most cells rest at night, and what they do by day is not", top=540),
    ("Figure 1: Cells that rest.", 10, "F1", 100, 500),
    *lines("known as well.", top=460),
    ("3,4", 6, "F1", 143, 464),
    (" Few have looked.", 10, "F1", 155, 460),
    ("2 Results", 12, "F2", 72, 420),
    *lines("They rest. This is all that we have found in nine years of looking.", top=400),
]
BODY = "We have seen that cells rest by day, whoever looks at them, and for how long."
PAGE = [*HEAD, *FIRST, *MIDDLE]


def read(tmp_path: Path, content: bytes) -> Article:
    path = tmp_path / "own.pdf"
    path.write_bytes(content)
    return read_article(path)


def test_title_headings_and_paragraphs_are_told_by_type(tmp_path: Path) -> None:
    article = read(tmp_path, pdf(PAGE))
    document = article.document
    assert article.work.title == "Why cells rest in the dark"
    assert (article.work.doi, article.work.year) == ("10.99999/rest.7", "")
    blocks = [(b.kind, document.text[b.start : b.end]) for b in document.blocks]
    assert [text for kind, text in blocks if kind == "heading"] == [
        "Abstract",
        "1 Introduction",
        "2 Results",
    ]
    assert [kind for kind, _ in blocks[:4]] == ["title", "back", "heading", "abstract"]
    assert blocks[3][1].endswith("and they divide in the light.")


def test_a_figure_in_a_sentence_comes_behind_it_and_raised_numbers_cite(tmp_path: Path) -> None:
    document = read(tmp_path, pdf(PAGE)).document
    kinds = {document.text[b.start : b.end]: b.kind for b in document.blocks}
    assert kinds["Figure 1: Cells that rest."] == "caption"
    [whole] = [text for text in kinds if text.startswith("Most cells")]
    assert whole.endswith("is not known as well [3,4]. Few have looked.")


@pytest.mark.parametrize(
    ("told", "title"),
    [
        ("Why Cells Rest In The Dark", "Why Cells Rest In The Dark"),
        ("Microsoft Word - why_cells.doc", "Why cells rest in the dark"),
        ("whycellsrestinthedark", "Why cells rest in the dark"),
        ("Something else that is not printed", "Why cells rest in the dark"),
        ("", "Why cells rest in the dark"),
    ],
)
def test_the_title_of_the_metadata_counts_if_it_is_printed(
    told: str, title: str, tmp_path: Path
) -> None:
    article = read(tmp_path, pdf(PAGE, title=told))
    assert article.work.title == title
    assert article.document.text.startswith("# Why cells rest in the dark\n")
    source = "metadata" if title == told else "largest letters"
    assert source in article.findings[0].message


def test_a_page_in_one_size_has_the_first_line_that_is_no_running_head(tmp_path: Path) -> None:
    page = lines("Journal of Rest, vol. 3", "Why cells rest by day", top=780)
    article = read(tmp_path, pdf([*page, *lines(*[BODY] * 3, top=720)]))
    assert article.work.title == "Why cells rest by day"
    assert "first line" in article.findings[0].message


def test_a_reference_list_is_cut_by_its_hanging_indent(tmp_path: Path) -> None:
    entries: list[Ink] = [("References", 12, "F2", 72, 300)]
    for i in range(4):
        entries += lines(f"Jane Doe{i}, Ann Roe, and Eve Poe. 200{i}. How", top=280 - 24 * i)
        entries += lines(f"fish of pond {i} swim. In Fish.", top=268 - 24 * i, x=84)
    references = read(tmp_path, pdf([*PAGE, *entries])).references
    assert [r.work.title for r in references] == [f"How fish of pond {i} swim" for i in range(4)]
    assert [r.work.year for r in references] == ["2000", "2001", "2002", "2003"]
    assert references[0].work.authors == ("Doe0", "Roe", "Poe")


def test_a_locked_pdf_is_named_as_such() -> None:
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf(PAGE)))
    writer.encrypt("secret", algorithm="RC4-128")
    buffer = BytesIO()
    writer.write(buffer)
    with pytest.raises(DataError, match=r"own\.pdf.*cannot be read as PDF"):
        read_pdf(buffer.getvalue(), "own.pdf")


def test_a_scanned_pdf_is_named_as_such() -> None:
    with pytest.raises(DataError, match="OCR"):
        read_pdf(pdf([]), "scan.pdf")


def test_lines_that_run_through_a_pdf_are_dropped() -> None:
    def page(n: int) -> list[Line]:
        texts = {
            "Journal of Rest": 8.0,
            f"Doe et al., page {n}": 8.0,
            f"Page {n} of text. {BODY}": 10.0,
        }
        return [Line(n, t, size, "", 72, 700) for t, size in {**texts, f"{n}": 10.0}.items()]

    kept = without_running_lines([page(n) for n in range(5)])
    assert [line.text for line in kept] == [f"Page {n} of text. {BODY}" for n in range(5)]


def test_a_hyphen_stays_where_the_article_writes_the_word_with_one() -> None:
    texts = ["State-of-", "the-art is state-of-the-art, and un-", "known is not. BERT-", "like."]
    text = markdown([Line(0, t, 10, "", 72, 700 - 12 * i) for i, t in enumerate(texts)])
    assert text == "State-of-the-art is state-of-the-art, and unknown is not. BERT-like."


SAMPLES = {
    "N18-3011": ("Construction of the Literature Graph in Semantic Scholar", "2018", 27, 12),
    "2020.acl-main.207": (
        "SPECTER: Document-level Representation Learning using Citation-informed Transformers",
        "2020",
        57,
        16,
    ),
}


@pytest.mark.open_data
@pytest.mark.parametrize("name", SAMPLES)
def test_a_pdf_holds_what_grobid_found_in_it(open_corpus: Callable[[str], Path], name: str) -> None:
    folder = open_corpus("s2orc-samples") / "tests" / "pdf"
    pdf, tei = (read_article(folder / f"{name}.{end}") for end in ("pdf", "tei.xml"))
    title, year, entries, headings = SAMPLES[name]
    assert (pdf.work.title, pdf.work.year, len(pdf.references)) == (title, year, entries)
    assert len(tei.references) == entries
    whole = "".join(pdf.document.text.split())
    starts = [text[:60] for text in texts(tei, "abstract", "body")]
    found = [("".join(start.split()) in whole) for start in starts]
    assert sum(found) / len(found) > 0.85
    assert len({*texts(tei, "heading")} & {*texts(pdf, "heading")}) >= headings
    captions = sum(map(len, texts(pdf, "caption")))
    assert captions < 0.02 * len(pdf.document.text)


def texts(article: Article, *kinds: str) -> list[str]:
    document = article.document
    return [document.text[b.start : b.end] for b in document.blocks if b.kind in kinds]
