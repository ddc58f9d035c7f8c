"""Read articles in JATS, the XML of PubMed Central and of most publishers.

What we saw in 122 articles of PLOS and three of PMC: links to the reference list are
``<xref ref-type="bibr">``, a few of them empty (``<xref rid="b4"/>–<xref rid="b5">5</xref>``), and ranges
link their ends only; entries are ``element-``, ``mixed-`` or ``nlm-citation``, three quarters without an
identifier, and some hold no title. Figures and tables are between paragraphs, inside them, or in
``floats-group`` behind the article.

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
"""

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from citectx.corpora.files import squeeze
from citectx.corpora.markup import Builder, below, child, name, text_of
from citectx.corpora.model import BlockKind
from citectx.corpora.references import Article, Reference, Work, doi_in, pmid_in
from citectx.corpora.structure import section_kind

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_ABSTRACTS = (None, "summary", "author-summary", "executive-summary")
"""Kinds of abstract that are text of the article; "toc", "teaser", "graphical" and others are not."""
_FLOATS = frozenset("fig fig-group table-wrap table-wrap-group boxed-text supplementary-material".split())
_LISTS = frozenset("list def-list disp-quote verse-group statement".split())
_SILENT = frozenset("graphic inline-graphic media tex-math label object-id permissions attrib".split())


def parse_jats(doc_id: str, root: Element) -> Article:
    """Build an article from its root element.

    Abstract, body, captions, tables and back matter become text; the reference list, formulas in TeX and
    images do not. A superscript that cites is written in brackets and before the punctuation it follows
    ("cells.¹²" becomes "cells [12]."), so that sentences end where they should. Articles inside the
    article (responses, reviews) are left out.

    Parameters
    ----------
    doc_id : str
    root : Element
        ``<article>``.
    """
    meta = child(root, "front", "article-meta")
    reader = _Reader()
    title = text_of(child(meta, "title-group", "article-title"))
    reader.builder.block(title, "title")
    for abstract in meta:
        if name(abstract) in ("abstract", "trans-abstract") and abstract.get("abstract-type") in _ABSTRACTS:
            reader.abstract(abstract)
    reader.builder.enter("")
    for part, kind in (("body", "body"), ("back", "back"), ("floats-group", "back")):
        reader.blocks(child(root, part), kind)  # type: ignore[arg-type]
    builder = reader.builder
    references = tuple(_references(child(root, "back")))
    language = next((v for k, v in root.attrib.items() if k.endswith("lang")), "")
    return Article(builder.document(doc_id), _work(meta, title), references, tuple(builder.links), language)


class _Reader:
    """Goes through the elements; what cannot be inside a paragraph follows it."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.pending: list[Element] = []

    def abstract(self, element: Element) -> None:
        if not any(name(c) == "title" for c in element):
            self.builder.enter("Abstract")
        self.blocks(element, "abstract", top=False)

    def blocks(self, element: Element, kind: BlockKind, *, top: bool = True) -> None:
        """Read the children of an element that holds blocks; with `top` sections are the article's."""
        for part in element:
            tag = name(part)
            if tag in ("sec", "app", "ack", "notes", "fn-group", "glossary"):
                self.blocks(part, self._kind(part, kind, top), top=False)
            elif tag == "title":
                if text_of(part):
                    self.builder.heading(text_of(part))
            elif tag in ("fig", "table-wrap", "supplementary-material"):
                self.float(part)
            elif tag == "p":
                self.paragraph(part, kind)
            elif tag not in ("ref-list", "ref", *_SILENT):
                self.blocks(part, kind, top=False)

    def _kind(self, section: Element, kind: BlockKind, top: bool) -> BlockKind:
        if not top or kind != "body":
            return kind
        found = section_kind(text_of(child(section, "title")))
        supplement = section.get("sec-type") == "supplementary-material"
        return "back" if supplement or found in ("back", "references") else "body"

    def float(self, element: Element) -> None:
        """Read a figure or table: a caption, then the table's rows."""
        self.builder.open("caption")
        self.builder.add(text_of(child(element, "label")))
        for part in child(element, "caption"):
            self.builder.add(" ")
            self.inline(part)
        self.builder.close()
        self.flush("caption")
        for table in below(element, "table"):
            self.builder.table(below(table, "tr"), self.inline)
        for foot in below(element, "table-wrap-foot"):
            self.blocks(foot, "table", top=False)
        self.flush("table")

    def paragraph(self, element: Element, kind: BlockKind) -> None:
        self.builder.open(kind)
        self.inline(element)
        self.builder.close()
        self.flush(kind)

    def flush(self, kind: BlockKind) -> None:
        """Read what had to wait for the end of a block."""
        pending, self.pending = self.pending, []
        for element in pending:
            if name(element) in ("fig", "table-wrap", "supplementary-material"):
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
        tag = name(part)
        if tag in _FLOATS or tag in _LISTS:
            self.pending.append(part)
        elif tag == "xref" and part.get("ref-type") == "bibr":
            start = self.builder.here
            self.inline(part)
            self.builder.link(start, tuple(part.get("rid", "").split()))
        elif tag == "sup" and any(x.get("ref-type") == "bibr" for x in below(part, "xref")):
            behind = self.builder.take_back(".,;: ")
            self.builder.add(" [")
            self.inline(part)
            self.builder.add("]" + behind)
        elif tag == "math":
            self.builder.add(squeeze("".join(part.itertext())).replace(" ", ""))
        elif tag in ("break", "p", "title"):
            self.builder.add(" ")
            self.inline(part)
            self.builder.add(" ")
        elif tag and tag not in _SILENT:
            self.inline(part)


def _work(meta: Element, title: str) -> Work:
    years = sorted(filter(None, (text_of(child(date, "year")) for date in below(meta, "pub-date"))))
    names = tuple(text_of(e) for e in below(child(meta, "contrib-group"), "surname"))
    return Work(title, min(years, default=""), names, **_ids(e for e in meta if name(e) == "article-id"))


def _ids(elements: Iterable[Element]) -> dict[str, str]:
    ids = {e.get("pub-id-type", ""): text_of(e) for e in elements}
    pmid, pmc = ids.get("pmid", ""), ids.get("pmcid", "") or ids.get("pmc", "")
    return {
        "doi": doi_in(ids.get("doi", "")),
        "pmid": re.sub(r"\D", "", pmid),
        "pmcid": re.sub(r"\D", "", pmc),
    }


def _references(back: Element) -> Iterator[Reference]:
    for place, entry in enumerate(below(back, "ref"), 1):
        label = text_of(child(entry, "label")).strip("[]().") or str(place)
        for citation in [*below(entry, *_CITATIONS)] or [entry]:
            yield Reference(entry.get("id") or f"#{place}", label, _cited(citation), text_of(citation))


def _cited(citation: Element) -> Work:
    text = text_of(citation)
    ids = _ids(below(citation, "pub-id", "object-id", "article-id"))
    links = (v for e in below(citation, "ext-link", "uri") for k, v in e.items() if k.endswith("href"))
    ids["doi"] = ids["doi"] or doi_in(" ".join(links)) or doi_in(text)
    ids["pmid"] = ids["pmid"] or pmid_in(text)
    titles = ["article-title", "chapter-title", "data-title"]
    if "journal" not in (citation.get("publication-type"), citation.get("citation-type")):
        titles.append("source")
    title = next((text_of(e) for tag in titles for e in below(citation, tag) if text_of(e)), "")
    authors = tuple(text_of(e) for e in below(citation, "surname", "collab"))
    return Work(title, next((text_of(e) for e in below(citation, "year")), ""), authors, **ids)
