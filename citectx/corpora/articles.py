"""Read an article from whatever file somebody has: JATS, TEI, plain text, Markdown or PDF.

JATS is the XML of PubMed Central and of most publishers, TEI is what GROBID makes.

What we saw in 122 articles of PLOS and three of PMC: links to the reference list are
``<xref ref-type="bibr">``, a few of them empty (``<xref rid="b4"/>–<xref rid="b5">5</xref>``), and
ranges link their ends only; entries are ``element-``, ``mixed-`` or ``nlm-citation``, three
quarters without an identifier, and some hold no title. Figures and tables are between paragraphs,
inside them, or in ``floats-group`` behind the article.

In two papers that GROBID read from PDF, links are ``<ref type="bibr" target="#b3">``, without a
target where it could not tell, and numbers of footnotes come as such links, too; entries are
``biblStruct`` with the entry as printed in a note. Sections are not nested, their numbers are in
``<head n="2.1">``. Whole paragraphs of the PDF may be missing.

>>> from citectx.corpora.markup import parse
>>> xml = '''<article><body><sec><title>Results</title>
...   <p>Cells rest <xref ref-type="bibr" rid="b1">[1]</xref>.</p></sec></body>
...   <back><ref-list><ref id="b1"><label>1</label><mixed-citation><article-title>On rest</article-title>.
...   <year>2001</year></mixed-citation></ref></ref-list></back></article>'''
>>> article = parse_jats("Roe", parse(xml.encode(), "Roe.xml"))
>>> [(b.kind, article.document.text[b.start:b.end]) for b in article.document.blocks]
[('heading', 'Results'), ('body', 'Cells rest [1].')]
>>> article.references[0].work.title, article.links
('On rest', (Link(span=Span(start=20, end=23), keys=('b1',)),))
>>> xml = '''<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head n="1">Results</head>
...   <p>Cells rest <ref type="bibr" target="#b0">(Doe, 2001)</ref>.</p></div></body><back><listBibl>
...   <biblStruct xml:id="b0"><monogr><title level="m">On rest</title><imprint><date when="2001"/></imprint>
...   </monogr></biblStruct></listBibl></back></text></TEI>'''
>>> article = parse_tei("Roe", parse(xml.encode(), "Roe.xml"))
>>> [(r.key, r.work.title, r.work.year) for r in article.references]
[('b0', 'On rest', '2001')]
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from citectx.corpora.files import Reporter, decode, squeeze
from citectx.corpora.markup import Builder, below, child, name, parse, text_of
from citectx.corpora.model import BlockKind, Document, Finding
from citectx.corpora.references import Article, Reference, Work, doi_in, pmid_in
from citectx.corpora.structure import markdown_blocks, plain_blocks, section_kind
from citectx.errors import DataError, MissingDataError

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_ABSTRACTS = (None, "summary", "author-summary", "executive-summary")
"""Kinds of abstract that are text of the article; "toc", "teaser", "graphical" and others are
not."""
_FIGURES = ("fig", "table-wrap", "supplementary-material", "figure")
_LATER = frozenset(
    "fig-group table-wrap-group boxed-text list def-list disp-quote verse-group statement".split()
)
_SILENT = frozenset(
    "graphic inline-graphic media tex-math label object-id permissions attrib formula listBibl".split()
)
_XML = "{http://www.w3.org/XML/1998/namespace}"


def parse_jats(doc_id: str, root: Element) -> Article:
    """Build an article from its root element, ``<article>``.

    Abstract, body, captions, tables and back matter become text; the reference list, formulas in
    TeX and images do not. A superscript that cites is written in brackets and before the
    punctuation it follows ("cells.¹²" becomes "cells [12]."), so that sentences end where they
    should. Articles inside the article (responses, reviews) are left out.
    """
    meta, reader = child(root, "front", "article-meta"), _Reader()
    title = text_of(child(meta, "title-group", "article-title"))
    reader.builder.block(title, "title")
    for part in meta:
        if name(part) in ("abstract", "trans-abstract") and part.get("abstract-type") in _ABSTRACTS:
            if not any(name(each) == "title" for each in part):
                reader.builder.enter("Abstract")
            reader.blocks(part, "abstract", top=False)
    reader.builder.enter("")
    reader.blocks(child(root, "body"), "body")
    reader.blocks(child(root, "back"), "back")
    reader.blocks(child(root, "floats-group"), "back")
    years = filter(None, (text_of(child(date, "year")) for date in below(meta, "pub-date")))
    authors = tuple(text_of(e) for e in below(child(meta, "contrib-group"), "surname"))
    ids = _ids((e for e in meta if name(e) == "article-id"), "pub-id-type")
    work = Work(title, min(years, default=""), authors, **ids)
    return reader.article(doc_id, work, _jats_references(child(root, "back")))


def parse_tei(doc_id: str, root: Element) -> Article:
    """Build an article from its root element, ``<TEI>``.

    Abstract, body, captions, tables, footnotes and annexes become text; formulas and the reference
    list do not.
    """
    header, text, reader = child(root, "teiHeader"), child(root, "text"), _Reader()
    description, abstract = child(header, "fileDesc"), child(header, "profileDesc", "abstract")
    title = text_of(child(description, "titleStmt", "title"))
    reader.builder.block(title, "title")
    if text_of(abstract):
        reader.builder.enter("Abstract")
        reader.blocks(abstract, "abstract")
    reader.builder.enter("")
    reader.blocks(child(text, "body"), "body")
    reader.blocks(child(text, "back"), "back")
    own = child(description, "sourceDesc", "biblStruct")
    authors = tuple(text_of(e) for e in below(child(own, "analytic"), "surname"))
    work = Work(title, _tei_year(description), authors, **_ids(below(own, "idno"), "type"))
    return reader.article(doc_id, work, _tei_references(text))


class _Reader:
    """Goes through the elements; what cannot be inside a paragraph follows it."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.pending: list[Element] = []

    def article(self, doc_id: str, work: Work, references: Iterator[Reference]) -> Article:
        """Finish."""
        return Article(
            self.builder.document(doc_id), work, tuple(references), tuple(self.builder.links)
        )

    def blocks(self, element: Element, kind: BlockKind, *, top: bool = True) -> None:
        """Read the children of an element that holds blocks; with `top` sections are the
        article's.
        """
        for part in element:
            tag = name(part)
            if tag in ("sec", "app", "ack", "notes", "fn-group", "glossary"):
                if top and kind == "body" and part.get("sec-type") == "supplementary-material":
                    self.blocks(part, "back", top=False)
                    continue
                self.blocks(part, _kind(child(part, "title"), kind) if top else kind, top=False)
            elif tag in ("title", "head") and text_of(part):
                self.builder.heading(f"{part.get('n', '')} {text_of(part)}".strip())
                kind = _kind(part, kind) if tag == "head" else kind
            elif tag in _FIGURES:
                self.float(part)
            elif tag in ("p", "ab", "item", "note"):
                kind_here: BlockKind = "back" if tag == "note" else kind
                self.builder.open(kind_here)
                self.inline(part)
                self.builder.close()
                self.flush(kind_here)
            elif tag not in ("ref-list", "ref", *_SILENT):
                self.blocks(part, kind, top=False)

    def float(self, element: Element) -> None:
        """Read a figure or table: a caption, then the table's rows."""
        self.builder.open("caption")
        if name(element) != "figure":  # of TEI, where the head repeats it
            self.builder.add(text_of(child(element, "label")))
        for part in (child(element, "head"), child(element, "figDesc"), *child(element, "caption")):
            self.builder.add(" ")
            self.inline(part)
        self.builder.close()
        self.flush("caption")
        for table in below(element, "table"):
            self.builder.table(below(table, "tr", "row"), self.inline)
        for foot in below(element, "table-wrap-foot"):
            self.blocks(foot, "table", top=False)
        self.flush("table")

    def flush(self, kind: BlockKind) -> None:
        """Read what had to wait for the end of a block."""
        pending, self.pending = self.pending, []
        for element in pending:
            if name(element) in _FIGURES:
                self.float(element)
            else:
                self.blocks(element, kind, top=False)

    def inline(self, element: Element) -> None:
        """Append the text of an element to the open block."""
        self.builder.add(element.text)
        for part in element:
            self._part(part)
            self.builder.add(part.tail)

    def _part(self, part: Element) -> None:
        tag, start = name(part), self.builder.here
        if tag in _FIGURES or tag in _LATER:
            self.pending.append(part)
        elif "bibr" in (part.get("ref-type"), part.get("type")) and tag in ("xref", "ref"):
            self.inline(part)
            targets = part.get("rid", "") + part.get("target", "").replace("#", "")
            self.builder.link(start, tuple(targets.split()))
        elif tag == "sup" and any(x.get("ref-type") == "bibr" for x in below(part, "xref")):
            behind = self.builder.take_back(".,;: ")
            self.builder.add(" [")
            self.inline(part)
            self.builder.add("]" + behind)
        elif tag == "math":
            self.builder.add(squeeze("".join(part.itertext())).replace(" ", ""))
        elif tag and tag not in _SILENT:
            space = " " if tag in ("break", "p", "title") else ""
            self.builder.add(space)
            self.inline(part)
            self.builder.add(space)


def _kind(title: Element, kind: BlockKind) -> BlockKind:
    """Return what the paragraphs of a section are, by its title."""
    back = kind == "body" and section_kind(text_of(title)) in ("back", "references")
    return "back" if back else kind


def _ids(elements: Iterable[Element], kind: str) -> dict[str, str]:
    ids = {e.get(kind, "").lower(): text_of(e) for e in elements}
    numbers = {"pmid": ids.get("pmid", ""), "pmcid": ids.get("pmcid", "") or ids.get("pmc", "")}
    return {"doi": doi_in(ids.get("doi", ""))} | {
        k: re.sub(r"\D", "", v) for k, v in numbers.items()
    }


def _jats_references(back: Element) -> Iterator[Reference]:
    for place, entry in enumerate(below(back, "ref"), 1):
        label = text_of(child(entry, "label")).strip("[]().") or str(place)
        for citation in [*below(entry, *_CITATIONS)] or [entry]:
            yield Reference(
                entry.get("id") or f"#{place}", label, _jats_work(citation), text_of(citation)
            )


def _jats_work(citation: Element) -> Work:
    text = text_of(citation)
    ids = _ids(below(citation, "pub-id", "object-id", "article-id"), "pub-id-type")
    links = (
        v for e in below(citation, "ext-link", "uri") for k, v in e.items() if k.endswith("href")
    )
    ids["doi"] = ids["doi"] or doi_in(" ".join(links)) or doi_in(text)
    ids["pmid"] = ids["pmid"] or pmid_in(text)
    titles = ["article-title", "chapter-title", "data-title"]
    if "journal" not in (citation.get("publication-type"), citation.get("citation-type")):
        titles.append("source")
    title = next((text_of(e) for tag in titles for e in below(citation, tag) if text_of(e)), "")
    authors = tuple(text_of(e) for e in below(citation, "surname", "collab"))
    return Work(title, next((text_of(e) for e in below(citation, "year")), ""), authors, **ids)


def _tei_year(element: Element) -> str:
    """Return the first year of all dates, "" if there is none."""
    dates = (date.get("when", "") or text_of(date) for date in below(element, "date"))
    return min((found[0] for date in dates if (found := re.search(r"\d{4}", date))), default="")


def _tei_references(text: Element) -> Iterator[Reference]:
    entries = (e for group in below(text, "listBibl") for e in group if name(e) == "biblStruct")
    for place, entry in enumerate(entries, 1):
        raw = next(
            (text_of(n) for n in below(entry, "note") if n.get("type") == "raw_reference"), ""
        )
        label = next(map(text_of, below(entry, "label")), "").strip("[]().") or str(place)
        yield Reference(
            entry.get(f"{_XML}id") or f"#{place}",
            label,
            _tei_work(entry, raw),
            raw or text_of(entry),
        )


def _tei_work(entry: Element, raw: str) -> Work:
    analytic, monograph = child(entry, "analytic"), child(entry, "monogr")
    title = text_of(child(analytic, "title")) or text_of(child(monograph, "title"))
    authors = [*below(analytic, "surname")] or [*below(monograph, "surname")]
    ids = _ids(below(entry, "idno"), "type")
    ids["doi"], ids["pmid"] = ids["doi"] or doi_in(raw), ids["pmid"] or pmid_in(raw)
    return Work(title, _tei_year(child(monograph, "imprint")), tuple(map(text_of, authors)), **ids)


READERS = {"article": parse_jats, "TEI": parse_tei}


def read_article(path: Path | str) -> Article:
    """Read an article, whatever its format.

    The content decides: XML begins with ``<``, and PDF with ``%PDF``; anything else is text,
    Markdown if its name ends in ``.md`` or a line begins with ``#``. What is called ``.xml`` must
    be XML. Text and PDF have no reference list that could be read.

    Parameters
    ----------
    path : Path or str

    Returns
    -------
    Article
        With the file's name, without ending, as the document's id.

    Raises
    ------
    MissingDataError
        If there is no such file, or the library that reads PDF is not installed.
    DataError
        If the file is empty, is XML of another kind, or holds no text.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(
            f"there is no file {path}; expected JATS, TEI, text, Markdown or PDF"
        )
    content = path.read_bytes()
    if content.startswith(b"%PDF"):
        article = article_of(pdf_text(content, path.name), path)
    elif path.suffix.lower() == ".xml" or _is_xml(content):
        article = _of_xml(path, content)
    else:
        findings: list[Finding] = []
        text = decode(content, "cp1252", Reporter(findings, path.name)).lstrip("\ufeff")
        if "\x00" in text:
            raise DataError("is no text: expected JATS, TEI, text, Markdown or PDF", file=path.name)
        article = article_of(text, path, findings)
    if not article.document.text.strip():
        raise DataError("holds no text", file=path.name)
    return article


def read_citing(path: Path | str) -> Article:
    """Read a citing article, which has to be XML: only there can its references be followed.

    Raises
    ------
    DataError
        If it is text or PDF, or as `read_article`.
    """
    article = read_article(path)
    if not article.links and not article.references and not _is_xml(Path(path).read_bytes()):
        message = "a citing article must be XML (JATS or TEI), so that its reference list can be followed; "
        raise DataError(
            message + "GROBID makes TEI from PDF, or name the sentences with --cites",
            file=Path(path).name,
        )
    return article


def _is_xml(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _of_xml(path: Path, content: bytes) -> Article:
    root = parse(content, path.name)
    found = [root] if name(root) in READERS else [e for e in root.iter() if name(e) in READERS]
    if len(found) != 1:
        raise DataError(f"expected one <article> or <TEI>, found {len(found)}", file=path.name)
    return READERS[name(found[0])](path.stem.removesuffix(".tei"), found[0])


def article_of(
    text: str, path: Path = Path("article.txt"), findings: Iterable[Finding] = ()
) -> Article:
    r"""Make an article of plain text or Markdown.

    >>> article_of("# On rest\n\nCells rest.\n").work.title
    'On rest'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    marked = path.suffix.lower() in (".md", ".markdown") or re.search(
        r"^#{1,6} \S", text, re.MULTILINE
    )
    document = Document(path.stem, text, markdown_blocks(text) if marked else plain_blocks(text))
    title = next((text[b.start : b.end] for b in document.blocks if b.kind == "title"), "")
    return Article(document, Work(title), findings=tuple(findings))


def pdf_text(content: bytes, file: str) -> str:
    """Return the text of a PDF: lines joined where a word is broken, ligatures as letters, no page
    numbers.

    Lost: sections and captions are guessed from the look of lines, formulas and tables are
    scrambled, notes are where the page has them, and superscript citations stick to words.

    Raises
    ------
    MissingDataError
        If pypdf is not installed.
    DataError
        If the file is damaged or locked, or has no text, as scans have not.
    """
    try:
        import pypdf
    except ImportError as error:
        raise MissingDataError("PDF needs the library pypdf: pip install 'citectx[pdf]'") from error
    from io import BytesIO

    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(BytesIO(content)).pages]
    except Exception as error:  # pypdf raises whatever a damaged file makes happen
        raise DataError(f"cannot be read as PDF ({error})", file=file) from error
    text = "\n".join(_without_running_lines(pages)).translate(_LIGATURES)
    text = re.sub(r"(?<=[^\W\d_]{2})[-\u00ad]\n(?=[a-z])", "", text)
    if sum(map(str.isalpha, text)) < 100:
        raise DataError(
            "has no readable text; if it is a scan, run text recognition (OCR) first", file=file
        )
    return text


_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\x00": " "})


def _without_running_lines(pages: list[str]) -> list[str]:
    """Drop page numbers, and lines that open or close several pages."""
    split = [
        [line for line in page.splitlines() if not re.fullmatch(r"\s*\d*\s*", line)]
        for page in pages
    ]
    ends = Counter(line for page in split for line in {*page[:2], *page[-2:]})
    return ["\n".join(line for line in page if ends[line] < 3) for page in split]
