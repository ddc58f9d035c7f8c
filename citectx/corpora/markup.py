"""What the readers of XML articles share: safe parsing, and the assembly of a document."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

import defusedxml.ElementTree
from defusedxml import DefusedXmlException

from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.references import Link
from citectx.corpora.text_files import squeeze
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
