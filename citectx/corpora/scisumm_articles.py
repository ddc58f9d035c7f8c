"""Read the articles of CL-SciSumm and ScisummNet.

They look like XML, but 20 of them close a tag that they never opened, so all are read tag by tag.
"""

import html
import re
from pathlib import Path

from citectx.corpora.layout import Section, lay_out
from citectx.corpora.model import BlockKind, Document
from citectx.corpora.structure import section_kind
from citectx.corpora.text_files import read_text, squeeze

SOURCE = "scisumm-corpus"
"""The source that holds CL-SciSumm and ScisummNet."""

ENCODING = "cp1252"
"""The encoding of files that are not in UTF-8."""

_SENTENCE = r'<S sid ?= ?"(?P<sid>\d*)"[^<>]*>(?P<sentence>.*?)</S>'
_PART = r'<(?P<end>/)?(?P<part>ABSTRACT|SECTION|SUBSECTION)\b(?:[^<>]*?title="(?P<title>.*?)")?'
_SENTENCE_OR_PART = re.compile(f"{_SENTENCE}|{_PART}", re.DOTALL)


def read_article(path: Path) -> Document:
    """Read an article of CL-SciSumm or ScisummNet."""
    return parse_article(path.stem, read_text(path, ENCODING))


def parse_article(doc_id: str, xml: str) -> Document:
    """Build an article from its sentences.

    Sentences of a section are joined by a space, sections and headings by a blank line.

    >>> xml = '<S sid="0">On rest</S><SECTION title="Intro. "><S sid="1">Cells rest.</S></SECTION>'
    >>> article = parse_article("P01-1", f"<PAPER>{xml}</PAPER>")
    >>> [(b.kind, article.text[b.start:b.end]) for b in article.blocks]
    [('title', 'On rest'), ('heading', 'Intro'), ('body', 'Cells rest.')]
    """
    sections: list[Section] = [("", "body", [])]
    for match in _SENTENCE_OR_PART.finditer(xml):
        if match["part"]:
            sections.append((*_heading(match), []))
        else:
            sections[-1][2].append((match["sid"], squeeze(html.unescape(match["sentence"]))))
    return lay_out(doc_id, sections)


def _heading(part: re.Match[str]) -> tuple[str, BlockKind]:
    """Return heading and kind of what a tag begins; after a section the body goes on."""
    if part["part"] == "ABSTRACT" and not part["end"]:
        return "", "abstract"
    title = squeeze(html.unescape(part["title"] or "")).rstrip(". ")
    kind = section_kind(title)
    return title, "body" if kind == "abstract" else kind  # "Summary" may close a paper
