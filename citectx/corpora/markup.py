"""What the readers of XML articles share: parsing with closed entities, and putting a document
together.

Also the articles of CL-SciSumm: XML in which each sentence is an ``<S sid="…">``.

>>> xml = '<PAPER><S sid="0">On rest</S><SECTION title="Intro. "><S sid="1">Cells rest.</S></SECTION></PAPER>'
>>> article = parse_sentences("P01-1", xml, Reporter([], "P01-1.xml"))
>>> [(b.kind, article.text[b.start:b.end]) for b in article.blocks]
[('title', 'On rest'), ('heading', 'Intro'), ('body', 'Cells rest.')]
>>> article.sentence_spans["1"]
Span(start=16, end=27)
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

import defusedxml.ElementTree
from defusedxml import DefusedXmlException

from citectx.corpora.files import Release, Reporter, squeeze
from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.references import Link
from citectx.corpora.structure import section_kind
from citectx.errors import DataError
from citectx.types import Span

DEEPEST = 100
"""Levels of XML; articles have at most a few dozen."""


def parse(content: bytes, file: str) -> Element:
    """Parse XML; a document type may be named, but nothing is fetched or expanded.

    Raises
    ------
    DataError
        If it is not well-formed, declares entities, or nests deeper than `DEEPEST`.
    """
    root: Element | None = None
    depth = 0
    try:
        for event, element in defusedxml.ElementTree.iterparse(
            BytesIO(content), events=("start", "end")
        ):
            root = element if root is None else root
            depth += 1 if event == "start" else -1
            if depth > DEEPEST:
                raise DataError(
                    f"elements nest deeper than {DEEPEST} levels: no article", file=file
                )
    except ParseError as error:
        raise DataError(
            f"not well-formed XML ({error})", file=file, line=error.position[0]
        ) from error
    except DefusedXmlException as error:
        raise DataError("declares entities, which is refused", file=file) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise DataError(f"not readable as XML ({error})", file=file) from error
    assert root is not None  # an empty file is not well-formed
    return root


def name(element: Element) -> str:
    """Return the name of an element without its namespace; "" for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def below(element: Element, *names: str) -> Iterator[Element]:
    """Iterate over all descendants of some names, in order."""
    return (found for found in element.iter() if name(found) in names and found is not element)


def child(element: Element, *path: str) -> Element:
    """Return the first child of a name, of this its first child of the next name, and so on.

    An empty element where there is none, so that it can be searched like any other.
    """
    for step in path:
        element = next((c for c in element if name(c) == step), Element(""))
    return element


def text_of(element: Element) -> str:
    """Return all text of an element, with white space squeezed."""
    return squeeze("".join(element.itertext()))


@dataclass
class Builder:
    r"""Writes the text of a document block by block, and keeps the places of its links.

    >>> builder = Builder()
    >>> builder.heading("Results")
    >>> builder.open("body")
    >>> builder.add(" Cells  rest ")
    >>> builder.close()
    >>> builder.document("x").text
    'Results\n\nCells rest'
    """

    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    section: int = 0
    title: str = ""
    _done: list[str] = field(default_factory=list)
    _end: int = 0
    _start: int = 0
    _now: str = ""
    _kind: BlockKind = "body"

    def open(self, kind: BlockKind) -> None:
        """Begin a block."""
        self._start, self._now, self._kind = self._end + 2 if self._done else 0, "", kind

    def close(self) -> None:
        """End the block; an empty one leaves no trace."""
        text = self._now.rstrip()
        if text:
            self._done.append(text)
            self._end = self._start + len(text)
            self.blocks.append(Block(self._start, self._end, self._kind, self.section, self.title))
        self._now = ""

    def enter(self, title: str) -> None:
        """Begin a section whose heading is not printed."""
        self.section, self.title = self.section + 1, title

    def heading(self, title: str) -> None:
        """Begin a section and print its heading."""
        self.enter(title)
        self.block(title, "heading")

    def block(self, text: str, kind: BlockKind) -> None:
        """Write a block without links."""
        self.open(kind)
        self.add(text)
        self.close()

    def sentence(self, text: str, kind: BlockKind, *, alone: bool) -> Span:
        """Write a sentence of a section's only block, or the title, which is a block of its own."""
        last = self.blocks[-1] if self.blocks else None
        if (
            alone
            or last is None
            or last.section != self.section
            or last.kind in ("heading", "title")
        ):
            self.block(text, "title" if alone else kind)
            return Span(self._start, self._end)
        start, self._end = self._end + 1, self._end + 1 + len(text)
        self._done[-1] += f" {text}"
        self.blocks[-1] = replace(last, end=self._end)
        return Span(start, self._end)

    def add(self, text: str | None) -> None:
        """Append running text; white space is squeezed."""
        plain = re.sub(r"\s+", " ", text or "")
        self._now += plain.lstrip() if not self._now or self._now[-1].isspace() else plain

    def table(self, rows: Iterable[Element], inline: Callable[[Element], None]) -> None:
        """Write a table with a function that appends the text of a cell: a line a row, tabs after
        cells.
        """
        self.open("table")
        for row in rows:
            for cell in row:
                inline(cell)
                self._now += "\t" if self._now else ""
            self._now += "\n" if self._now else ""
        self.close()

    def take_back(self, characters: str) -> str:
        """Remove and return what the block ends with of some characters."""
        kept = self._now.rstrip(characters)
        taken = self._now[len(kept) :]
        self._now = kept
        return taken

    @property
    def here(self) -> int:
        """The offset of what is written next."""
        return self._start + len(self._now)

    def link(self, start: int, keys: tuple[str, ...]) -> None:
        """Note that what was written since `start` points to entries of the reference list."""
        self.links.append(Link(Span(start, max(start, self.here)), keys))

    def document(self, doc_id: str) -> Document:
        """Finish."""
        return Document(doc_id, "\n\n".join(self._done), tuple(self.blocks))


_TAG = re.compile(
    r"""<(/?)(ABSTRACT|SECTION|SUBSECTION|S)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*+>|[^<>]*>)"""
)  # a ">" in quotes ends no tag, unless the quotes are broken
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")  # its encoding is no longer that of the text
TITLE = "0"
"""The ``sid`` of the sentence that is the title."""


def read_sentences(path: Path, release: Release) -> Document:
    """Read a file; its name without the ending is the document's id.

    Raises
    ------
    DataError
        If the file declares entities.
    """
    return parse_sentences(path.stem, release.text(path), release(path))


def parse_sentences(doc_id: str, xml: str, report: Reporter) -> Document:
    """Build a document from its sentences.

    Sentences of a section are joined by a space, sections and headings by a blank line; white space
    inside a sentence is squeezed. Ids are those of the file, "" where it gives none. XML that is
    not well-formed is read nevertheless, tag by tag, and reported.

    Raises
    ------
    DataError
        If the XML declares entities: none are expected here, and expanding them can fill the memory
        or read other files.
    """
    try:
        parse(_DECLARATION.sub("", xml).encode(), report.file)
    except DataError as error:
        if error.line is None:
            raise
        report.at(error.line)("repaired", f"{error.message}; read tag by tag")
    xml = "".join(_without_comments(xml))
    builder = Builder()
    empty: list[str] = []
    sentences: list[tuple[Span, str]] = []
    kind: BlockKind = "body"
    sid, start = "", -1  # of the sentence that is open, if any
    for tag in _TAG.finditer(xml):
        if start >= 0:  # a sentence ends at the next tag, whichever it is
            text = squeeze(html.unescape(xml[start : tag.start()]))
            if text:
                sentences.append((builder.sentence(text, kind, alone=sid == TITLE), sid))
            else:
                empty.append(sid)
            start = -1
        closing, name, attributes = tag.groups()
        if name == "S":
            sid, start = _attribute("sid", attributes), -1 if closing else tag.end()
            continue
        if closing or name == "ABSTRACT":
            title, kind = "", "body" if closing else "abstract"
        else:
            title = squeeze(_attribute("title", attributes)).rstrip(". ")
            kind = section_kind(title)
            kind = "body" if kind == "abstract" else kind  # "Summary" may close a paper
        builder.heading(title)
    counts = Counter(sid for _, sid in sentences)
    if empty:
        report("skipped", f"{len(empty)} sentences hold no text, the first is sid {empty[0]}")
    if counts[""]:
        report("noted", f"{counts['']} sentences have no sid; they are kept without")
    if twice := sorted(sid for sid, count in counts.items() if sid and count > 1):
        report("noted", f"several sentences have sid {', '.join(twice)}; the last one counts")
    document = builder.document(doc_id)
    spans, ids = (tuple(part) for part in zip(*sentences, strict=True)) if sentences else ((), ())
    return replace(document, sentences=spans, sentence_ids=ids)


def _without_comments(xml: str) -> Iterator[str]:
    """Return the text outside comments, in pieces; the text of CDATA sections is escaped."""
    ends, end = {"<!--": "-->", "<![CDATA[": "]]>"}, ""
    for piece in re.split(r"(<!--|-->|<!\[CDATA\[|\]\]>)", xml):
        if piece == end or (not end and piece in ends):
            end = ends.get(piece, "")
        elif end != "-->":
            yield html.escape(piece) if end else piece


def _attribute(name: str, attributes: str) -> str:
    match = re.search(rf"""\b{name}\s*=\s*(?:"([^"]*)"|'([^']*)')""", attributes)
    return html.unescape(match[1] or match[2] or "") if match else ""
