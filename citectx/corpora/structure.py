r"""The structure of an article that comes as text: headings, abstract, body, captions, tables.

Two dialects are read: Markdown-like text with ``#`` headings (Citation-Integrity), and plain text
(TAC 2014), where a heading is a short line on its own.

Ambiguity: the papers do not say what counts as part of an article. The public code of naacl2015's
authors left out what precedes the abstract, tables, references and acknowledgements. So do we. The
rules were written for the ten articles of Citation-Integrity, where hardly any evidence lies there.

>>> text = "# On rest\n\n## Abstract\n\nCells rest.\n\n## References\n\n1. Doe J."
>>> for block in markdown_blocks(text):
...     print(block.kind, block.section, repr(block.heading), text[block.start:block.end])
title 0 '' On rest
heading 1 'Abstract' Abstract
abstract 1 'Abstract' Cells rest.
heading 2 'References' References
references 2 'References' 1. Doe J.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from citectx.corpora.model import Block, BlockKind
from citectx.types import Span

_SECTIONS: dict[BlockKind, re.Pattern[str]] = {
    "abstract": re.compile(r"(author |executive )?(abstract|summary|synopsis)"),
    "references": re.compile(
        r"(references?|bibliography|literature|literature cited|works cited)( and notes)?"
    ),
    "back": re.compile(
        r"acknowledge?ments?|(end|foot)?notes|abbreviations|funding|appendix"
        r"|authors?( s)? contributions|(competing|conflicts? of)( financial)? interests?"
        r"|(supplementary|supplemental|supporting|additional) (materials?|information|data|files?)"
        r"|accession (numbers?|codes?)|(data|code) availability|pre publication history"
    ),
    "body": re.compile(
        r"introduction|background|(experimental |online )?(methods?|procedures)( summary)?"
        r"|(materials?|patients|subjects) and methods|results?( and discussion)?|discussion"
        r"|concluding remarks|conclusions?"
    ),
}
_PART_OF_ABSTRACT = re.compile(
    r"background|context|introduction|aims?|objectives?|purpose|rationale|(study )?design|setting"
    r"|(materials? and )?methods?|methodology( principal findings)?"
    r"|(principal |main )?(findings|results)"
    r"|discussion|conclusions?( significance)?|significance|interpretation"
)
# "A. Methods", not "E. coli grows".
_NUMBERING = re.compile(r"(?:\d+|[IVX]+)(?:\.\d+)*\.?\s+|[A-Z]\.\s+(?=[A-Z\d])")
# "Figure 2 shows that ..." is body; a caption goes on with a capital letter or after a full stop.
_CAPTION = re.compile(
    r"(?:(?i:supplementary )?(?i:fig(?:ure|\.)?)\s*S?\d+)(?:[.:|]\s|\s+(?![a-z]))"
)
_TABLE = re.compile(
    r"(?:(?i:supplementary )?(?i:table)\s*(?:S?\d+|[IVX]+))(?:[.:|]\s|\s+(?![a-z])|$)"
)
_PANEL = (
    r"(?i:\(([a-z])([-–,]\s?[a-z])*\)\s|[a-z]([-–,]\s?[a-z])*(,|\.| and [a-z],)\s)"
    r"|[A-Z](, [A-Z])+ "
)
_ANY, _NONE = "", "(?!)"
_ROW = re.compile(r"(?s:.*[|\t].*)|[\s*-]+")
_MARKS = re.compile(r"(#+)\s*")
_STOPS = (".", "?", "!", ":")
_SENTENCE_END = (".", "?", "!", ":", ";", ",")
_HEADING, _FOOTNOTE, _TITLE, _WRAP = 100, 300, 300, 120  # most characters of each


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Find the blocks of an article in which ``#`` marks the headings and each paragraph is a line.

    A heading without a title (``##``) opens a section whose heading is ``""``. Tables and captions
    belong to the section that they are in.
    """
    walk = _Walk(text)
    for start, end in lines_of(text):
        if marks := _MARKS.match(text, start, end):
            walk.heading(Span(marks.end(), end), len(marks[1]))
        else:
            walk.line(Span(start, end), level=9)
    return tuple(walk.blocks)


def plain_blocks(text: str) -> tuple[Block, ...]:
    """Find the blocks of an article in plain text.

    The first line is the title; between it and a line ``Abstract`` is back matter. A line that
    breaks off in mid-sentence is continued by the next one.
    """
    walk = _Walk(text)
    paragraphs = _paragraphs(text)
    if len(paragraphs) > 1:
        first = paragraphs[0].of(text)
        if len(first) <= _TITLE and first[-1] != "." and section_kind(first) != "abstract":
            walk.add(paragraphs.pop(0), "title")
    if any(section_kind(paragraph.of(text)) == "abstract" for paragraph in paragraphs):
        walk.zone, walk.level = "back", 2
    for paragraph in paragraphs:
        walk.line(paragraph, level=2)
    return tuple(walk.blocks)


def lines_of(text: str) -> list[Span]:
    """Return the lines of a text that are not blank, without the white space around them."""
    return [Span(*match.span()) for match in re.finditer(r"\S(?:[^\n]*\S)?", text)]


def section_kind(title: str) -> BlockKind:
    """Return the kind of a section by its heading.

    >>> [section_kind(title) for title in ("6. Acknowledgments. ", "Related Work", "REFERENCES")]
    ['back', 'body', 'references']
    """
    words = _words(title)
    return next((kind for kind, known in _SECTIONS.items() if known.fullmatch(words)), "body")


@dataclass
class _Walk:
    """Goes through an article; ``zone`` is what a plain paragraph is here.

    ``legend`` fits lines that still belong to a figure's caption: any line behind a bare title, and
    then each that begins as a panel does. ``table`` is what a line is behind a table's caption.
    """

    text: str
    blocks: list[Block] = field(default_factory=list)
    zone: BlockKind = "body"
    level: int = 1
    section: int = 0
    title: str = ""
    legend: str = _NONE
    table: Literal["", "caption", "table"] = ""
    parts_of_abstract: set[str] = field(default_factory=set)

    def add(self, span: Span, kind: BlockKind) -> None:
        """Append a block, unless it is empty."""
        if span.start < span.end:
            self.blocks.append(Block(*span, kind, self.section, self.title))

    def heading(self, span: Span, level: int) -> None:
        """Open a section, unless this is the article's title or a table's."""
        title = span.of(self.text)
        if level == 1 and not self.blocks:
            self.add(span, "title")
        elif _TABLE.match(title):
            self.table = "caption"
            self.add(span, "caption")
        else:
            self.zone = self.zone_of(title, level)
            self.section += 1
            self.title, self.legend, self.table = title, _NONE, ""
            self.add(span, "heading")

    def zone_of(self, title: str, level: int) -> BlockKind:
        """Return the zone that a heading opens."""
        if level > self.level and self.zone != "body":
            return self.zone  # "### Methods" below "## Abstract"
        parts = self.parts_of_abstract
        if self.zone == "abstract" and (parts or self.blocks[-1].kind == "heading"):
            # A heading of the same level may be a part of a structured abstract.
            words = _words(title)
            if _PART_OF_ABSTRACT.fullmatch(words) and words not in parts:
                parts.add(words)
                return "abstract"
        self.level = level
        self.parts_of_abstract = set()
        kind = section_kind(title)
        late_summary = kind == "abstract" and self.zone == "body" and self.section > 0
        return "body" if late_summary else kind

    def line(self, span: Span, level: int) -> None:
        """Take a line without ``#``: a paragraph, or a heading by its words or its shortness."""
        line = span.of(self.text)
        is_short = len(line) <= _HEADING
        words = _words(line)
        is_part = self.zone == "abstract" and _PART_OF_ABSTRACT.fullmatch(words)
        is_known = any(known.fullmatch(words) for known in _SECTIONS.values())
        if is_part or is_known or (is_short and self.looks_like_heading(line)):
            self.heading(span, level)
        else:
            self.add(span, self.kind(line))

    def looks_like_heading(self, line: str) -> bool:
        """Tell whether a line begins with a capital or a number, and ends unlike a sentence."""
        if self.zone != "body" or self.table or re.match(self.legend, line):
            return False
        if line.endswith(_SENTENCE_END) or _ROW.fullmatch(line):
            return False
        bare = _NUMBERING.sub("", line, count=1)
        if _CAPTION.match(line) or _TABLE.match(line) or bare[0].islower():
            return False
        return sum(map(str.isalpha, bare)) > len(bare) / 2

    def kind(self, line: str) -> BlockKind:
        """Return what a paragraph is."""
        caption = _CAPTION.match(line)
        table = _TABLE.match(line)
        if self.zone == "abstract" and (caption or table):
            self.zone = "body"  # in a letter nothing else separates the abstract from the text
        if self.zone != "body":
            return self.zone
        is_legend = re.match(self.legend, line)
        self.legend = _PANEL if is_legend else _NONE
        if caption or table:
            is_bare = caption and ". " not in line.rstrip(".")[12:]
            self.legend = _ANY if is_bare else _PANEL
            self.table = "caption" if table else ""
        elif not is_legend:
            return self.kind_near_table(line)
        return "caption"

    def kind_near_table(self, line: str) -> BlockKind:
        """Return what a paragraph is that belongs to no figure."""
        row = _ROW.fullmatch(line)
        is_late = self.table == "table" and len(line) > _FOOTNOTE
        if self.table and row:
            self.table = "table"
        elif is_late:
            self.table = ""
        return self.table or ("table" if row else "body")


def _paragraphs(text: str) -> list[Span]:
    """Return the lines that are not blank, those of one sentence joined."""
    lines = lines_of(text)
    wrapped = all(end - start <= _WRAP for start, end in lines)
    paragraphs = lines[:1]
    for line in lines[1:]:
        last = paragraphs[-1]
        if _goes_on(text, last, line, wrapped):
            paragraphs[-1] = Span(last.start, line.end)
        else:
            paragraphs.append(line)
    return paragraphs


def _goes_on(text: str, before: Span, line: Span, wrapped: bool) -> bool:
    adjacent = text.count("\n", before.end, line.start) == 1
    if not adjacent or text[before.end - 1] in _STOPS or _ROW.fullmatch(line.of(text)):
        return False
    broken = text.rfind("\n", 0, before.end) + 1
    last_line = before.end - max(before.start, broken)
    return text[line.start].islower() or (wrapped and last_line > _WRAP / 2)


def _words(title: str) -> str:
    """Reduce a heading to lower-case words without its number; a whole paragraph has none."""
    if len(title) > _TITLE:
        return ""
    unnumbered = _NUMBERING.sub("", title, count=1)
    return " ".join(re.findall(r"[^\W\d_]+", unnumbered.replace("&", " and ").lower()))
