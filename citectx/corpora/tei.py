"""Read articles in TEI as GROBID writes it from PDF files.

What we saw in two papers: links are ``<ref type="bibr" target="#b3">``, without a target where GROBID could
not tell, and numbers of footnotes come as such links, too; entries are ``biblStruct`` with the entry as
printed in a note. Sections are not nested, their numbers are in ``<head n="2.1">``. Whole paragraphs of the
PDF may be missing.

>>> from citectx.corpora.markup import parse
>>> xml = '''<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head n="1">Results</head>
...   <p>Cells rest <ref type="bibr" target="#b0">(Doe, 2001)</ref>.</p></div></body><back><listBibl>
...   <biblStruct xml:id="b0"><monogr><title level="m">On rest</title><imprint><date when="2001"/></imprint>
...   </monogr></biblStruct></listBibl></back></text></TEI>'''
>>> article = parse_tei("Roe", parse(xml.encode(), "Roe.xml"))
>>> [(b.kind, article.document.text[b.start:b.end]) for b in article.document.blocks]
[('heading', '1 Results'), ('body', 'Cells rest (Doe, 2001).')]
>>> [(r.key, r.work.title, r.work.year) for r in article.references]
[('b0', 'On rest', '2001')]
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citectx.corpora.markup import Builder, below, child, name, text_of
from citectx.corpora.model import BlockKind
from citectx.corpora.references import Article, Reference, Work, doi_in, pmid_in
from citectx.corpora.structure import section_kind

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def parse_tei(doc_id: str, root: Element) -> Article:
    """Build an article from its root element.

    Abstract, body, captions, tables, footnotes and annexes become text; formulas and the reference list do
    not.

    Parameters
    ----------
    doc_id : str
    root : Element
        ``<TEI>``.
    """
    header, text = child(root, "teiHeader"), child(root, "text")
    reader = _Reader()
    title = text_of(child(header, "fileDesc", "titleStmt", "title"))
    reader.builder.block(title, "title")
    abstract = child(header, "profileDesc", "abstract")
    if text_of(abstract):
        reader.builder.enter("Abstract")
        reader.blocks(abstract, "abstract")
    reader.builder.enter("")
    reader.blocks(child(text, "body"), "body")
    reader.blocks(child(text, "back"), "back")
    references = tuple(_references(text))
    builder = reader.builder
    language = text.get(_LANGUAGE, "")
    work = _work(child(header, "fileDesc"), title)
    return Article(builder.document(doc_id), work, references, tuple(builder.links), language)


class _Reader:
    def __init__(self) -> None:
        self.builder = Builder()

    def blocks(self, element: Element, kind: BlockKind) -> None:
        """Read the children of an element that holds blocks."""
        for part in element:
            tag = name(part)
            if tag == "head":
                kind = self.head(part, kind)
            elif tag in ("p", "ab", "item", "note"):
                self.text(part, "back" if tag == "note" else kind)
            elif tag == "figure":
                self.figure(part)
            elif tag in ("div", "list", "abstract"):
                self.blocks(part, kind)

    def head(self, part: Element, kind: BlockKind) -> BlockKind:
        """Begin a section; return what its paragraphs are."""
        title = text_of(part)
        if not title:
            return kind
        self.builder.heading(f"{part.get('n', '')} {title}".strip())
        back = kind == "body" and section_kind(title) in ("back", "references")
        return "back" if back else kind

    def text(self, element: Element, kind: BlockKind) -> None:
        self.builder.open(kind)
        self.inline(element)
        self.builder.close()

    def figure(self, element: Element) -> None:
        """Read a figure or table: head and description, then the table's rows."""
        self.builder.open("caption")
        for part in (child(element, "head"), child(element, "figDesc")):
            self.inline(part)
            self.builder.add(" ")
        self.builder.close()
        for table in below(element, "table"):
            self.builder.table(below(table, "row"), self.inline)

    def inline(self, element: Element) -> None:
        """Append the text of an element to the open block."""
        self.builder.add(element.text)
        for part in element:
            start = self.builder.here
            if name(part) != "formula":
                self.inline(part)
            if name(part) == "ref" and part.get("type") == "bibr":
                keys = tuple(target.lstrip("#") for target in part.get("target", "").split())
                self.builder.link(start, keys)
            self.builder.add(part.tail)


def _work(description: Element, title: str) -> Work:
    own = child(description, "sourceDesc", "biblStruct")
    authors = tuple(text_of(e) for e in below(child(own, "analytic"), "surname"))
    return Work(title, _year(description), authors, **_ids(own))


def _year(element: Element) -> str:
    """Return the first year of all dates, "" if there is none."""
    dates = (date.get("when", "") or text_of(date) for date in below(element, "date"))
    return min((found[0] for date in dates if (found := re.search(r"\d{4}", date))), default="")


def _ids(entry: Element) -> dict[str, str]:
    ids = {i.get("type", "").lower(): text_of(i) for i in below(entry, "idno")}
    return {
        "doi": doi_in(ids.get("doi", "")),
        "pmid": re.sub(r"\D", "", ids.get("pmid", "")),
        "pmcid": re.sub(r"\D", "", ids.get("pmcid", "")),
    }


def _references(text: Element) -> Iterator[Reference]:
    entries = (e for group in below(text, "listBibl") for e in group if name(e) == "biblStruct")
    for place, entry in enumerate(entries, 1):
        raw = next((text_of(n) for n in below(entry, "note") if n.get("type") == "raw_reference"), "")
        label = next(map(text_of, below(entry, "label")), "").strip("[]().") or str(place)
        work = _cited(entry, raw)
        yield Reference(entry.get(_ID) or f"#{place}", label, work, raw or text_of(entry))


def _cited(entry: Element, raw: str) -> Work:
    analytic, monograph = child(entry, "analytic"), child(entry, "monogr")
    title = text_of(child(analytic, "title")) or text_of(child(monograph, "title"))
    authors = [*below(analytic, "surname")] or [*below(monograph, "surname")]
    ids = _ids(entry)
    ids["doi"], ids["pmid"] = ids["doi"] or doi_in(raw), ids["pmid"] or pmid_in(raw)
    return Work(title, _year(child(monograph, "imprint")), tuple(map(text_of, authors)), **ids)
