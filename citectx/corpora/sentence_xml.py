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

from citectx.corpora.files import Release, Reporter, squeeze
from citectx.corpora.markup import Builder, parse
from citectx.corpora.model import BlockKind, Document
from citectx.corpora.structure import section_kind
from citectx.errors import DataError
from citectx.types import Span

_TAG = re.compile(
    r"""<(/?)(ABSTRACT|SECTION|SUBSECTION|S)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*+>|[^<>]*>)"""
)  # a ">" in quotes ends no tag, unless the quotes are broken
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")  # its encoding is no longer that of the text
TITLE = "0"
"""The ``sid`` of the sentence that is the title."""


def read_article(path: Path, release: Release) -> Document:
    """Read a file; its name without the ending is the document's id.

    Raises
    ------
    DataError
        If the file declares entities.
    """
    return parse_article(path.stem, release.text(path), release(path))


def parse_article(doc_id: str, xml: str, report: Reporter) -> Document:
    """Build a document from its sentences.

    Sentences of a section are joined by a space, sections and headings by a blank line; white space inside
    a sentence is squeezed. Ids are those of the file, "" where it gives none. XML that is not well-formed is
    read nevertheless, tag by tag, and reported.

    Raises
    ------
    DataError
        If the XML declares entities: none are expected here, and expanding them can fill the memory or read
        other files.
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
    _report_sids([sid for _, sid in sentences], empty, report)
    document = builder.document(doc_id)
    spans, ids = (tuple(part) for part in zip(*sentences, strict=True)) if sentences else ((), ())
    return replace(document, sentences=spans, sentence_ids=ids)


def _report_sids(sids: list[str], empty: list[str], report: Reporter) -> None:
    if empty:
        report("skipped", f"{len(empty)} sentences hold no text, the first is sid {empty[0]}")
    if nameless := sids.count(""):
        report("noted", f"{nameless} sentences have no sid; they are kept without")
    if twice := sorted(sid for sid, count in Counter(sids).items() if sid and count > 1):
        report("noted", f"several sentences have sid {', '.join(twice)}; the last one counts")


def _without_comments(xml: str) -> Iterator[str]:
    """Return the text outside comments, in pieces; the text of CDATA sections is escaped."""
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
