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
...   <back><ref-list><ref id="b1"><label>1</label>
...   <mixed-citation><article-title>On rest</article-title>.
...   <year>2001</year></mixed-citation></ref></ref-list></back></article>'''
>>> article = parse_jats("Roe", parse(xml.encode(), "Roe.xml"))
>>> [(b.kind, article.document.text[b.start:b.end]) for b in article.document.blocks]
[('heading', 'Results'), ('body', 'Cells rest [1].')]
>>> article.references[0].work.title, article.links
('On rest', (Link(span=Span(start=20, end=23), keys=('b1',)),))
>>> xml = '''<TEI xmlns="http://www.tei-c.org/ns/1.0"><text>
...   <body><div><head n="1">Results</head>
...   <p>Cells rest <ref type="bibr" target="#b0">(Doe, 2001)</ref>.</p></div></body>
...   <back><listBibl><biblStruct xml:id="b0"><monogr><title level="m">On rest</title>
...   <imprint><date when="2001"/></imprint></monogr></biblStruct></listBibl></back>
...   </text></TEI>'''
>>> article = parse_tei("Roe", parse(xml.encode(), "Roe.xml"))
>>> [(r.key, r.work.title, r.work.year) for r in article.references]
[('b0', 'On rest', '2001')]
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element

from citectx.corpora.bibliography import references_in
from citectx.corpora.front_matter import Told, front_matter
from citectx.corpora.markup import Builder, below, child, parse, text_of, texts_of
from citectx.corpora.model import BlockKind, Document, Finding
from citectx.corpora.pdf import read_pdf
from citectx.corpora.references import Article, Reference, Work, doi_in, pmid_in
from citectx.corpora.structure import own_blocks, section_kind
from citectx.corpora.text_files import decode, shown, squeeze
from citectx.errors import DataError, MissingDataError

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_ABSTRACTS = (None, "summary", "author-summary", "executive-summary")
"""Kinds of abstract that are text of the article, unlike "toc", "teaser" and others."""

_SECTIONS = frozenset(["sec", "app", "ack", "notes", "fn-group", "glossary"])
_PARAGRAPHS = frozenset(["p", "ab", "item", "note"])
_FIGURES = frozenset(["fig", "table-wrap", "supplementary-material", "figure"])
_LATER = _FIGURES.union(
    "fig-group table-wrap-group boxed-text list def-list disp-quote verse-group statement".split()
)
"""What cannot be inside a paragraph."""
_SILENT = frozenset(
    "graphic inline-graphic media tex-math label object-id permissions attrib formula "
    "listBibl".split()
)
"""What is not text."""
_XML = "{http://www.w3.org/XML/1998/namespace}"


def parse_jats(doc_id: str, root: Element) -> Article:
    """Build an article from its root element, ``<article>``.

    Abstract, body, captions, tables and back matter become text; the reference list, formulas in
    TeX and images do not. A superscript that cites is written in brackets and before the
    punctuation it follows ("cells.¹²" becomes "cells [12]."), so that sentences end where they
    should. Articles inside the article (responses, reviews) are left out.
    """
    meta, back = child(root, "front", "article-meta"), child(root, "back")
    title = text_of(child(meta, "title-group", "article-title"))
    reader = _Reader()
    reader.builder.block(title, "title")
    for part in (*meta.findall("abstract"), *meta.findall("trans-abstract")):
        if part.get("abstract-type") in _ABSTRACTS:
            if part.find("title") is None:
                reader.builder.enter("Abstract")
            reader.blocks(part, "abstract", top=False)
    reader.builder.enter("")
    reader.blocks(child(root, "body"), "body")
    reader.blocks(back, "back")
    reader.blocks(child(root, "floats-group"), "back")
    years = texts_of(child(date, "year") for date in below(meta, "pub-date"))
    authors = below(child(meta, "contrib-group"), "surname")
    ids = _ids(meta.findall("article-id"), "pub-id-type")
    year = min(filter(None, years), default="")
    work = Work(title, year, texts_of(authors), **ids)
    return reader.article(doc_id, work, _jats_references(back))


def parse_tei(doc_id: str, root: Element) -> Article:
    """Build an article from its root element, ``<TEI>``.

    Abstract, body, captions, tables, footnotes and annexes become text; formulas and the reference
    list do not.
    """
    header, text = child(root, "teiHeader"), child(root, "text")
    description, abstract = child(header, "fileDesc"), child(header, "profileDesc", "abstract")
    title = text_of(child(description, "titleStmt", "title"))
    reader = _Reader()
    reader.builder.block(title, "title")
    if text_of(abstract):
        reader.builder.enter("Abstract")
        reader.blocks(abstract, "abstract")
    reader.builder.enter("")
    reader.blocks(child(text, "body"), "body")
    reader.blocks(child(text, "back"), "back")
    own = child(description, "sourceDesc", "biblStruct")
    authors = below(child(own, "analytic"), "surname")
    ids = _ids(below(own, "idno"), "type")
    work = Work(title, _tei_year(description), texts_of(authors), **ids)
    return reader.article(doc_id, work, _tei_references(text))


class _Reader:
    """Goes through the elements; what cannot be inside a paragraph follows it."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.pending: list[Element] = []

    def article(self, doc_id: str, work: Work, references: Iterator[Reference]) -> Article:
        """Finish."""
        document, links = self.builder.document(doc_id), tuple(self.builder.links)
        return Article(document, work, tuple(references), links)

    def blocks(self, element: Element, kind: BlockKind, *, top: bool = True) -> None:
        """Read the children of an element that holds blocks; `top` if they are main sections."""
        for part in element:
            if part.tag in _SECTIONS:
                self.blocks(part, _section_kind(part, kind) if top else kind, top=False)
            elif part.tag in ("title", "head") and text_of(part):
                self.builder.heading(f"{part.get('n', '')} {text_of(part)}".strip())
                kind = _kind(part, kind) if part.tag == "head" else kind
            elif part.tag in _FIGURES:
                self.float(part)
            elif part.tag in _PARAGRAPHS:
                self.paragraph(part, "back" if part.tag == "note" else kind)
            elif part.tag not in _SILENT and part.tag not in ("ref-list", "ref"):
                self.blocks(part, kind, top=False)

    def paragraph(self, element: Element, kind: BlockKind) -> None:
        """Read a paragraph, then what cannot be inside one."""
        self.builder.open(kind)
        self.inline(element)
        self.builder.close()
        self.flush(kind)

    def float(self, element: Element) -> None:
        """Read a figure or table: a caption, then the table's rows."""
        self.builder.open("caption")
        if element.tag != "figure":  # of TEI, where the head repeats it
            self.builder.add(text_of(child(element, "label")))
        heads = child(element, "head"), child(element, "figDesc")
        for part in (*heads, *child(element, "caption")):
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
            if element.tag in _FIGURES:
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
        if part.tag in _LATER:
            self.pending.append(part)
        elif part.tag in ("xref", "ref") and _is_citation(part):
            start = self.builder.here
            self.inline(part)
            targets = part.get("rid", "") + part.get("target", "").replace("#", "")
            self.builder.link(start, tuple(targets.split()))
        elif part.tag == "sup" and any(map(_is_citation, below(part, "xref"))):
            behind = self.builder.take_back(".,;: ")
            self.builder.add(" [")
            self.inline(part)
            self.builder.add("]" + behind)
        elif part.tag == "math":
            self.builder.add(text_of(part).replace(" ", ""))
        elif part.tag not in _SILENT:
            space = " " if part.tag in ("break", "p", "title") else ""
            self.builder.add(space)
            self.inline(part)
            self.builder.add(space)


def _is_citation(part: Element) -> bool:
    return "bibr" in (part.get("ref-type"), part.get("type"))


def _section_kind(section: Element, kind: BlockKind) -> BlockKind:
    """Return what the paragraphs of a section of the article are, by its type and its title."""
    if kind == "body" and section.get("sec-type") == "supplementary-material":
        return "back"
    return _kind(child(section, "title"), kind)


def _kind(title: Element, kind: BlockKind) -> BlockKind:
    """Return what the paragraphs of a section are, by its title."""
    back = kind == "body" and section_kind(text_of(title)) in ("back", "references")
    return "back" if back else kind


def _ids(elements: Iterable[Element], kind: str) -> dict[str, str]:
    """Return the identifiers that `Work` knows."""
    ids = {element.get(kind, "").lower(): text_of(element) for element in elements}
    pmcid = ids.get("pmcid") or ids.get("pmc", "")
    return {
        "doi": doi_in(ids.get("doi", "")),
        "pmid": re.sub(r"\D", "", ids.get("pmid", "")),
        "pmcid": re.sub(r"\D", "", pmcid),
    }


def _first(texts: Iterable[str]) -> str:
    """Return the first text that is not empty, "" if there is none."""
    return next(filter(None, texts), "")


def _label(entry: Element, place: int) -> str:
    """Return the label of an entry as printed, or its place in the list."""
    return text_of(entry).strip("[]().") or str(place)


def _jats_references(back: Element) -> Iterator[Reference]:
    for place, entry in enumerate(below(back, "ref"), 1):
        key = entry.get("id") or f"#{place}"
        label = _label(child(entry, "label"), place)
        for citation in [*below(entry, *_CITATIONS)] or [entry]:
            yield Reference(key, label, _jats_work(citation), text_of(citation))


def _jats_work(citation: Element) -> Work:
    text = text_of(citation)
    ids = _ids(below(citation, "pub-id", "object-id", "article-id"), "pub-id-type")
    ids["doi"] = ids["doi"] or doi_in(_addresses(citation)) or doi_in(text)
    ids["pmid"] = ids["pmid"] or pmid_in(text)
    titles = ["article-title", "chapter-title", "data-title"]
    if "journal" not in (citation.get("publication-type"), citation.get("citation-type")):
        titles.append("source")
    title = _first(text_of(element) for tag in titles for element in below(citation, tag))
    year = next(map(text_of, below(citation, "year")), "")
    authors = texts_of(below(citation, "surname", "collab"))
    return Work(title, year, authors, **ids)


def _addresses(citation: Element) -> str:
    """Return what the links of an entry point to."""
    attributes = (item for link in below(citation, "ext-link", "uri") for item in link.items())
    return " ".join(value for key, value in attributes if key.endswith("href"))


def _tei_year(element: Element) -> str:
    """Return the first year of all dates, "" if there is none."""
    dates = (date.get("when", "") or text_of(date) for date in below(element, "date"))
    years = (re.search(r"\d{4}", date) for date in dates)
    return min((year[0] for year in years if year), default="")


def _tei_references(text: Element) -> Iterator[Reference]:
    entries = (entry for group in below(text, "listBibl") for entry in group.findall("biblStruct"))
    for place, entry in enumerate(entries, 1):
        notes = (n for n in below(entry, "note") if n.get("type") == "raw_reference")
        raw = next(map(text_of, notes), "")
        label = _label(next(below(entry, "label"), Element("")), place)
        key = entry.get(f"{_XML}id") or f"#{place}"
        yield Reference(key, label, _tei_work(entry, raw), raw or text_of(entry))


def _tei_work(entry: Element, raw: str) -> Work:
    analytic, monograph = child(entry, "analytic"), child(entry, "monogr")
    title = text_of(child(analytic, "title")) or text_of(child(monograph, "title"))
    authors = [*below(analytic, "surname")] or [*below(monograph, "surname")]
    ids = _ids(below(entry, "idno"), "type")
    ids["doi"] = ids["doi"] or doi_in(raw)
    ids["pmid"] = ids["pmid"] or pmid_in(raw)
    return Work(title, _tei_year(child(monograph, "imprint")), texts_of(authors), **ids)


READERS = {"article": parse_jats, "TEI": parse_tei}


def read_article(path: Path | str) -> Article:
    """Read an article, whatever its format.

    The content decides: XML begins with ``<``, and PDF with ``%PDF``; anything else is text,
    Markdown if a line begins with ``#``. What is called ``.xml`` must be XML. Of text and PDF,
    title, DOI, year and reference list are guessed, and findings say so.

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
    formats = "expected JATS, TEI, text, Markdown or PDF"
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}; {formats}")
    content = path.read_bytes()
    if content.startswith(b"%PDF"):
        text, told = read_pdf(content, path.name)
        article = article_of(text, path, told=told)
    elif path.suffix.lower() == ".xml" or _is_xml(content):
        article = _of_xml(path, content)
    else:
        text = decode(content, path.name, "cp1252").lstrip("\ufeff")
        article = article_of(text, path, [])
    if not article.document.text.strip():
        raise DataError("holds no text", file=path.name)
    return article


def _is_xml(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _of_xml(path: Path, content: bytes) -> Article:
    root = parse(content, path.name)
    found = [root] if root.tag in READERS else [*below(root, *READERS)]
    if len(found) != 1:
        raise DataError(f"expected one <article> or <TEI>, found {len(found)}", file=path.name)
    [article] = found
    return READERS[article.tag](path.stem.removesuffix(".tei"), article)


def article_of(
    text: str,
    path: Path = Path("article.txt"),
    findings: Iterable[Finding] = (),
    told: Told = Told(),  # noqa: B008 (a tuple)
) -> Article:
    r"""Make an article of plain text or Markdown.

    Parameters
    ----------
    text : str
    path : Path
        Its name is the article's id; one that ends in ``.md`` says that this is Markdown.
    findings : iterable of Finding
        What reading the file found.
    told : Told
        What the file tells of its title.

    >>> article = article_of("# On rest\n\nCells rest.\n\n# References\n\nDoe, J. (2001). Sleep.\n")
    >>> article.work.title, article.references[0].work.title
    ('On rest', 'Sleep')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = front_matter(text, told.head)
    marked = re.search(r"^#{1,6} \S", text, re.MULTILINE) is not None
    blocks = own_blocks(text, marked=marked, start=front.start)
    document = Document(path.stem, text, blocks)
    printed = next((text[b.start : b.end] for b in blocks if b.kind == "title"), "")
    title = told.title or front.work.title or printed
    source = told.source or ("its fields" if front.work.title else "the first line")
    work = replace(front.work, title=squeeze(title))
    notes = [_about(work, source), _captions(document)]
    noted = [Finding(path.name, None, "noted", note) for note in notes if note]
    return Article(document, work, _listed(document), findings=(*findings, *noted))


CAPTIONS = 0.3
"""Share of an article in captions above which something went wrong."""


def _about(work: Work, source: str) -> str:
    """Say where title, DOI and year come from."""
    title = f"title {shown(work.title)} from {source}" if work.title else "no title"
    others = f"DOI {work.doi or 'not found'}, year {work.year or 'not found'}"
    return f"guessed: {title}; {others}; what you give of them counts instead"


def _captions(document: Document) -> str:
    """Say that much of an article is caption, if it is."""
    size = sum(block.end - block.start for block in document.blocks if block.kind == "caption")
    share = size / max(len(document.text), 1)
    if share <= CAPTIONS:
        return ""
    return f"{100 * share:.0f} % of the text is read as captions: the sections may be wrong"


def _listed(document: Document) -> tuple[Reference, ...]:
    """Return the entries of the reference list."""
    runs = groupby(document.blocks, key=lambda block: block.kind == "references")
    texts = []
    for is_list, run in runs:
        if is_list:
            blocks = [*run]
            texts.append(document.text[blocks[0].start : blocks[-1].end])
    return references_in("\n\n".join(texts))
