"""Articles of CL-SciSumm: XML in which each sentence is an ``<S sid="…">``.

>>> xml = '<PAPER><S sid="0">On rest</S><SECTION title="Intro. "><S sid="1">Cells rest.</S></SECTION></PAPER>'
>>> article = parse_article("P01-1", xml, Reporter([], "P01-1.xml"))
>>> [(b.kind, article.text[b.start:b.end]) for b in article.blocks]
[('title', 'On rest'), ('heading', 'Intro'), ('body', 'Cells rest.')]
>>> article.sentence_spans["1"]
Span(start=16, end=27)
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from citectx.corpora.files import Reporter, decode, squeeze
from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.structure import section_kind
from citectx.types import Span

_TAG = re.compile(
    r"""<(/?)(ABSTRACT|SECTION|SUBSECTION|S)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*+>|[^<>]*>)"""
)  # a ">" in quotes ends no tag, unless the quotes are broken
TITLE = "0"
"""The ``sid`` of the sentence that is the title."""


def read_article(path: Path, report: Reporter) -> Document:
    """Read a file; its name without the ending is the document's id.

    Raises
    ------
    DataError
        If the file declares a document type or entities.
    """
    return parse_article(path.stem, decode(path.read_bytes(), "cp1252", report), report)


def parse_article(doc_id: str, xml: str, report: Reporter) -> Document:
    """Build a document from its sentences.

    Sentences of a section are joined by a space, sections and headings by a blank line; white space inside
    a sentence is squeezed. Ids are those of the file, "" where it gives none. XML that is not well-formed is
    read nevertheless, tag by tag, and reported.

    Raises
    ------
    DataError
        If the XML declares a document type or entities: nothing of the kind is expected here, and expanding
        them can fill the memory or read other files.
    """
    _check(xml, report)
    xml = "".join(_without_comments(xml))
    builder = _Builder(report)
    sid, start = "", -1  # of the sentence that is open, if any
    for tag in _TAG.finditer(xml):
        if start >= 0:  # a sentence ends at the next tag, whichever it is
            builder.sentence(sid, squeeze(html.unescape(xml[start : tag.start()])))
            start = -1
        closing, name, attributes = tag.groups()
        if name == "S":
            sid, start = _attribute("sid", attributes), -1 if closing else tag.end()
        elif closing:
            builder.section("", "body")
        elif name == "ABSTRACT":
            builder.section("", "abstract")
        else:
            title = squeeze(_attribute("title", attributes)).rstrip(". ")
            kind = section_kind(title)
            builder.section(title, "body" if kind == "abstract" else kind)  # "Summary" may close a paper
    return builder.document(doc_id)


class _Nothing:
    """What a parser builds that only looks whether XML is well-formed."""

    def close(self) -> None:
        """Take the end of the file."""


def _check(xml: str, report: Reporter) -> None:
    parser = XMLParser(target=_Nothing(), forbid_dtd=True)
    try:
        parser.feed(xml)
        parser.close()
    except ParseError as error:
        report.at(error.position[0])("repaired", f"not well-formed XML ({error}); read tag by tag")
    except DefusedXmlException as error:
        raise report.error("declares a document type or entities, which is refused") from error


def _without_comments(xml: str) -> Iterator[str]:
    """Return what stands outside comments, in pieces; the text of CDATA sections is escaped."""
    ends = {"<!--": "-->", "<![CDATA[": "]]>"}
    at, unclosed = 0, set[str]()
    for begin in re.finditer(r"<!--|<!\[CDATA\[", xml):
        if begin.start() < at or begin[0] in unclosed:
            continue
        end = xml.find(ends[begin[0]], begin.end())
        if end < 0:
            unclosed.add(begin[0])  # not well-formed, which has been reported
            continue
        yield xml[at : begin.start()]
        if begin[0] != "<!--":
            yield html.escape(xml[begin.end() : end])
        at = end + 3
    yield xml[at:]


def _attribute(name: str, attributes: str) -> str:
    match = re.search(rf"""\b{name}\s*=\s*(?:"([^"]*)"|'([^']*)')""", attributes)
    return html.unescape(match[1] or match[2] or "") if match else ""


class _Builder:
    """Puts text, blocks and sentences together while the tags go by."""

    def __init__(self, report: Reporter) -> None:
        self.report = report
        self.pieces: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.sentences: list[Span] = []
        self.ids: list[str] = []
        self.empty: list[str] = []
        self.place: tuple[BlockKind, int, str] = ("body", 0, "")
        self.fresh = True

    def section(self, title: str, kind: BlockKind) -> None:
        """Open a section and write its heading, if it has one."""
        self.place, self.fresh = (kind, self.place[1] + 1, title), True
        if title:
            self._add(title, "heading")

    def sentence(self, sid: str, text: str) -> None:
        """Write a sentence; the one that is the title makes a block of its own."""
        if not text:
            self.empty.append(sid)
            return
        span = self._add(text, "title") if sid == TITLE else self._continue(text)
        self.sentences.append(span)
        self.ids.append(sid)

    def _add(self, text: str, kind: BlockKind) -> Span:
        """Write a block of its own, behind a blank line."""
        span = self._write("\n\n" if self.pieces else "", text)
        self.blocks.append(Block(*span, kind, *self.place[1:]))
        return span

    def _continue(self, text: str) -> Span:
        if self.fresh:
            self.fresh = False
            return self._add(text, self.place[0])
        span = self._write(" ", text)
        self.blocks[-1] = replace(self.blocks[-1], end=span.end)
        return span

    def _write(self, border: str, text: str) -> Span:
        self.pieces += [border, text]
        start = self.length + len(border)
        self.length = start + len(text)
        return Span(start, self.length)

    def document(self, doc_id: str) -> Document:
        """Finish."""
        if self.empty:
            self.report(
                "skipped", f"{len(self.empty)} sentences hold no text, the first is sid {self.empty[0]}"
            )
        nameless = self.ids.count("")
        if nameless:
            self.report("noted", f"{nameless} sentences have no sid; they are kept without")
        twice = sorted(sid for sid, count in Counter(self.ids).items() if sid and count > 1)
        if twice:
            self.report("noted", f"several sentences have sid {', '.join(twice)}; the last one counts")
        return Document(
            doc_id, "".join(self.pieces), tuple(self.blocks), tuple(self.sentences), tuple(self.ids)
        )
