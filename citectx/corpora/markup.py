"""What the readers of XML articles share: safe parsing, and the assembly of a document.

Also the articles of CL-SciSumm: XML in which each sentence is an ``<S sid="…">``.

>>> xml = '<S sid="0">On rest</S><SECTION title="Intro. "><S sid="1">Cells rest.</S></SECTION>'
>>> article = parse_sentences("P01-1", f"<PAPER>{xml}</PAPER>", Reporter([], "P01-1.xml"))
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
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

import defusedxml.ElementTree
from defusedxml import DefusedXmlException

from citectx.corpora.text_files import Release, Reporter, squeeze
from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.references import Link
from citectx.corpora.structure import section_kind
from citectx.errors import DataError
from citectx.types import Span

DEEPEST = 100
"""Levels of XML; articles have at most a few dozen."""


def parse(content: bytes, file: str) -> Element:
    """Parse XML; a document type may be named, but nothing is fetched or expanded.

    Names of elements lose their namespaces.

    Raises
    ------
    DataError
        If it is not well-formed, declares entities, or nests deeper than `DEEPEST`.
    """
    events = defusedxml.ElementTree.iterparse(BytesIO(content), events=("start", "end"))
    depth = 0
    try:
        for event, element in events:
            depth += 1 if event == "start" else -1
            if depth > DEEPEST:
                message = f"elements nest deeper than {DEEPEST} levels: no article"
                raise DataError(message, file=file)
            element.tag = element.tag.rpartition("}")[2]
    except ParseError as error:
        message, (line, _) = f"not well-formed XML ({error})", error.position
        raise DataError(message, file=file, line=line) from error
    except DefusedXmlException as error:
        raise DataError("declares entities, which is refused", file=file) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise DataError(f"not readable as XML ({error})", file=file) from error
    root: Element = element  # it ends last
    return root


def below(element: Element, *names: str) -> Iterator[Element]:
    """Iterate over all descendants of some names, in order."""
    return (found for found in element.iter() if found.tag in names and found is not element)


def child(element: Element, *path: str) -> Element:
    """Return the first child of a name, of this its first child of the next name, and so on.

    An empty element where there is none, so that it can be searched like any other.
    """
    for step in path:
        found = element.find(step)
        element = Element("") if found is None else found
    return element


def texts_of(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return the text of each element."""
    return tuple(map(text_of, elements))


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
    _now: list[str] = field(default_factory=list)
    _length: int = 0
    _kind: BlockKind = "body"

    def open(self, kind: BlockKind) -> None:
        """Begin a block."""
        self._start = self._end + 2 if self._done else 0
        self._now, self._length, self._kind = [], 0, kind

    def close(self) -> None:
        """End the block; an empty one leaves no trace."""
        text = "".join(self._now).rstrip()
        if text:
            self._done += ["\n\n", text] if self._done else [text]
            self._end = self._start + len(text)
            place = self._start, self._end
            self.blocks.append(Block(*place, self._kind, self.section, self.title))
        self._now, self._length = [], 0

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
        last = self.blocks[-1] if self.blocks else Block(0, 0, "title")
        if alone or last.kind in ("heading", "title") or last.section != self.section:
            self.block(text, "title" if alone else kind)
            return Span(self._start, self._end)
        start = self._end + 1
        self._end = start + len(text)
        self._done.append(f" {text}")
        self.blocks[-1] = replace(last, end=self._end)
        return Span(start, self._end)

    def add(self, text: str | None) -> None:
        """Append running text; white space is squeezed."""
        plain = re.sub(r"\s+", " ", text or "")
        follows_space = not self._now or self._now[-1][-1].isspace()
        self._append(plain.lstrip() if follows_space else plain)

    def _append(self, text: str) -> None:
        if text:
            self._now.append(text)
            self._length += len(text)

    def table(self, rows: Iterable[Element], inline: Callable[[Element], None]) -> None:
        """Write a table, a line a row and a tab after each cell; `inline` appends a cell's text."""
        self.open("table")
        for row in rows:
            for cell in row:
                inline(cell)
                self._append("\t" if self._now else "")
            self._append("\n" if self._now else "")
        self.close()

    def take_back(self, characters: str) -> str:
        """Remove and return what the block ends with of some characters, at most ten."""
        taken = ""
        while self._now and self._now[-1][-1] in characters and len(taken) < 10:
            last = self._now.pop()
            taken = last[-1] + taken
            self._length -= len(last)
            self._append(last[:-1])
        return taken

    @property
    def here(self) -> int:
        """The offset of what is written next."""
        return self._start + self._length

    def link(self, start: int, keys: tuple[str, ...]) -> None:
        """Note that what was written since `start` points to entries of the reference list."""
        span = Span(start, max(start, self.here))
        self.links.append(Link(span, keys))

    def document(self, doc_id: str) -> Document:
        """Finish."""
        return Document(doc_id, "".join(self._done), tuple(self.blocks))


# A ">" in quotes does not end a tag, unless the quotes are broken.
_TAG = re.compile(
    r"""<(/?)(ABSTRACT|SECTION|SUBSECTION|S)\b((?>(?:[^<>"']|"[^"<]*"|'[^'<]*')*)>|[^<>]*>)"""
)
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
    builder = Builder()
    sentences: list[tuple[Span, str]] = []
    empty: list[str] = []
    for span, sid in _sentences("".join(_without_comments(xml)), builder):
        if span:
            sentences.append((span, sid))
        else:
            empty.append(sid)
    if empty:
        report("skipped", f"{len(empty)} sentences hold no text, the first is sid {empty[0]}")
    spans, ids = zip(*sentences, strict=True) if sentences else ((), ())
    _check_ids(ids, report)
    return replace(builder.document(doc_id), sentences=spans, sentence_ids=ids)


def _check_ids(ids: Iterable[str], report: Reporter) -> None:
    counts = Counter(ids)
    if counts[""]:
        report("noted", f"{counts['']} sentences have no sid; they are kept without")
    twice = sorted(sid for sid in counts if sid and counts[sid] > 1)
    if twice:
        report("noted", f"several sentences have sid {', '.join(twice)}; the last one counts")


def _sentences(xml: str, builder: Builder) -> Iterator[tuple[Span | None, str]]:
    """Write sections and sentences; yield place and id of each sentence, no place if empty."""
    kind: BlockKind = "body"
    for tag, following in pairwise([*_TAG.finditer(xml), None]):
        assert tag  # only the last of them is None
        closing, name, attributes = tag.groups()
        if name != "S":
            title, kind = ("", "body") if closing else _part(name, attributes)
            builder.heading(title)
        elif following and not closing:  # a sentence ends at the next tag, whichever it is
            sid = _attribute("sid", attributes)
            text = squeeze(html.unescape(xml[tag.end() : following.start()]))
            yield builder.sentence(text, kind, alone=sid == TITLE) if text else None, sid


def _part(name: str, attributes: str) -> tuple[str, BlockKind]:
    """Return heading and kind of the part that a tag opens."""
    if name == "ABSTRACT":
        return "", "abstract"
    title = squeeze(_attribute("title", attributes)).rstrip(". ")
    kind = section_kind(title)
    return title, "body" if kind == "abstract" else kind  # "Summary" may close a paper


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
