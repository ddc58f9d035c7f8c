r"""The structure of an article that comes as text: headings, abstract, body, captions, tables.

Two dialects are read: Markdown-like text with ``#`` headings (Citation-Integrity), and plain text
(TAC 2014), where a heading is a short line on its own.

Ambiguity: the papers do not say what counts as part of an article. The public code of naacl2015's
authors left out what precedes the abstract, tables, references and acknowledgements. So do we: such
paragraphs are ``table``, ``references`` or ``back``. The rules were written for the ten articles of
Citation-Integrity, where annotated evidence hardly ever lies in any of the three.

>>> text = "# On rest\n\n## Abstract\n\nCells rest.\n\n## Results\n\nThey do.\n\n"
>>> text += "## References\n\n1. Doe J."
>>> for block in markdown_blocks(text):
...     print(block.kind, block.section, repr(block.heading), text[block.start:block.end])
title 0 '' On rest
heading 1 'Abstract' Abstract
abstract 1 'Abstract' Cells rest.
heading 2 'Results' Results
body 2 'Results' They do.
heading 3 'References' References
references 3 'References' 1. Doe J.
"""

import re
from collections.abc import Iterator

from citectx.corpora.model import Block, BlockKind
from citectx.types import Span

_ABSTRACT = re.compile(r"(author |executive )?(abstract|summary|synopsis)")
_REFERENCES = re.compile(
    r"(references?|bibliography|literature|literature cited|works cited)( and notes)?"
)
_BACK = re.compile(
    r"acknowledge?ments?|(end|foot)?notes|abbreviations|funding|appendix"
    r"|authors?( s)? contributions|(competing|conflicts? of)( financial)? interests?"
    r"|(supplementary|supplemental|supporting|additional) (materials?|information|data|files?)"
    r"|accession (numbers?|codes?)|(data|code) availability|pre publication history"
)
_BODY = re.compile(
    r"introduction|background|(experimental |online )?(methods?|procedures)( summary)?"
    r"|(materials?|patients|subjects) and methods|results?( and discussion)?|discussion"
    r"|concluding remarks|conclusions?"
)
_PART_OF_ABSTRACT = re.compile(
    r"background|context|introduction|aims?|objectives?|purpose|rationale|(study )?design|setting"
    r"|(materials? and )?methods?|methodology( principal findings)?"
    r"|(principal |main )?(findings|results)"
    r"|discussion|conclusions?( significance)?|significance|interpretation"
)
_KNOWN = (_ABSTRACT, _REFERENCES, _BACK, _BODY)
# "A. Methods", not "E. coli grows".
_NUMBERING = re.compile(r"(?:\d+|[IVX]+)(?:\.\d+)*\.?\s+|[A-Z]\.\s+(?=[A-Z\d])")
# "Figure 2 shows that ..." is body; a caption goes on with a capital letter or after a full stop.
_CAPTION = re.compile(
    r"(?:(?i:supplementary )?(?i:fig(?:ure|\.)?)\s*S?\d+)(?:[.:|]\s|\s+(?![a-z]))"
)
_TABLE = re.compile(
    r"(?:(?i:supplementary )?(?i:table)\s*(?:S?\d+|[IVX]+))(?:[.:|]\s|\s+(?![a-z])|$)"
)
_PANEL = re.compile(
    r"(?i:\(([a-z])([-–,]\s?[a-z])*\)\s|[a-z]([-–,]\s?[a-z])*(,|\.| and [a-z],)\s)"
    r"|[A-Z](, [A-Z])+ "
)
_RULE = re.compile(r"[\s*-]+")
_STOPS = (".", "?", "!", ":")
_SENTENCE_END = (".", "?", "!", ":", ";", ",")
_HEADING, _FOOTNOTE, _TITLE, _WRAP = 100, 300, 300, 120  # most characters of each


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Find the blocks of an article in which ``#`` marks the headings and each paragraph is a line.

    A heading without a title (``##``) opens a section whose heading is ``""``. Tables and captions
    belong to the section that they are in.
    """
    walk = _Walk()
    for span in _lines(text):
        walk.marked(span, span.of(text))
    return tuple(walk.blocks)


def plain_blocks(text: str) -> tuple[Block, ...]:
    r"""Find the blocks of an article in plain text.

    The first line is the title; what is between it and a line ``Abstract`` is back matter (authors,
    addresses). A line that breaks off in mid-sentence is continued by the next one.

    >>> text = "Rest in cells\nJ. Doe\nAbstract\nCells rest.\nResults\nThey rest\nfor long.\n"
    >>> [(b.kind, text[b.start:b.end]) for b in plain_blocks(text)][-3:]
    [('abstract', 'Cells rest.'), ('heading', 'Results'), ('body', 'They rest\nfor long.')]
    """
    paragraphs = [(span, span.of(text)) for span in _paragraphs(text)]
    walk = _Walk()
    if len(paragraphs) > 1 and _may_be_title(paragraphs[0][1]):
        walk.heading(*paragraphs.pop(0), level=1)
    if any(_ABSTRACT.fullmatch(_name(paragraph)) for _, paragraph in paragraphs):
        walk.zone, walk.level = "back", 2
    for span, paragraph in paragraphs:
        walk.line(span, paragraph, level=2)
    return tuple(walk.blocks)


def section_kind(title: str) -> BlockKind:
    """Return the kind of a section by its heading.

    >>> [section_kind(title) for title in ("6. Acknowledgments. ", "Related Work", "REFERENCES")]
    ['back', 'body', 'references']
    """
    name = _name(title)
    if _ABSTRACT.fullmatch(name):
        return "abstract"
    if _REFERENCES.fullmatch(name):
        return "references"
    return "back" if _BACK.fullmatch(name) else "body"


class _Walk:
    """Goes through an article from top to bottom and remembers where it is.

    ``zone`` is what a plain paragraph is here; ``floating`` tells what of a caption or table may
    still come.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.zone: BlockKind = "body"
        self.level = 1
        self.section = 0
        self.title = ""
        self.floating = ""
        self.parts_of_abstract: set[str] = set()

    def add(self, span: Span, kind: BlockKind) -> None:
        """Take a block as what it is, unless it is empty."""
        if span.start < span.end:
            self.blocks.append(Block(*span, kind, self.section, self.title))

    def heading(self, span: Span, title: str, level: int) -> None:
        """Open a section, unless this is the article's title or a table's."""
        if level == 1 and not self.blocks:
            self.add(span, "title")
            return
        if _TABLE.match(title):
            self.floating = "above rows"
            self.add(span, "caption")
            return
        self.zone = self._zone(title, level)
        self.section += 1
        self.title, self.floating = title, ""
        self.add(span, "heading")

    def _zone(self, title: str, level: int) -> BlockKind:
        name = _name(title)
        if level > self.level and self.zone != "body":
            return self.zone  # "### Methods" below "## Abstract"
        if self.zone == "abstract" and self._continues_abstract(name):
            return "abstract"
        self.level, self.parts_of_abstract = level, set()
        kind = section_kind(title)
        late_summary = kind == "abstract" and self.zone == "body" and self.section > 0
        return "body" if late_summary else kind

    def _continues_abstract(self, name: str) -> bool:
        """Whether a heading of the same level is a part of a structured abstract."""
        opening = self.blocks[-1].kind == "heading" or bool(self.parts_of_abstract)
        if not opening or name in self.parts_of_abstract or not _PART_OF_ABSTRACT.fullmatch(name):
            return False
        self.parts_of_abstract.add(name)
        return True

    def marked(self, span: Span, line: str) -> None:
        """Take a line in which ``#`` marks a heading."""
        title = line.lstrip("#")
        if level := len(line) - len(title):
            start = span.end - len(title.lstrip())
            self.heading(Span(start, span.end), title.strip(), level)
        else:
            self.line(span, line, level=9)

    def line(self, span: Span, line: str, level: int) -> None:
        """Take a line without ``#``: a paragraph, or a heading by its words or its shortness."""
        if self._is_known(line) or self._looks_like_heading(line):
            self.heading(span, line, level)
        else:
            self.add(span, self._kind(line))

    def _is_known(self, line: str) -> bool:
        """Whether a line is one of the headings that most articles have."""
        if len(line) > _HEADING:
            return False
        name = _name(line)
        if self.zone == "abstract" and _PART_OF_ABSTRACT.fullmatch(name):
            return True
        return any(known.fullmatch(name) for known in _KNOWN)

    def _looks_like_heading(self, line: str) -> bool:
        if self.zone != "body" or not _may_be_heading(line):
            return False
        return self.floating == "" or (self.floating == "panels" and not _PANEL.match(line))

    def _kind(self, line: str) -> BlockKind:
        caption, table = _CAPTION.match(line), _TABLE.match(line)
        if self.zone == "abstract" and (caption or table):
            self.zone = "body"  # in a letter nothing else separates the abstract from the text
        if self.zone != "body":
            return self.zone
        if caption:
            self.floating = "panels" if ". " in line.rstrip(".")[12:] else "legend"
            return "caption"
        if table:
            self.floating = "above rows"
            return "caption"
        if self.floating == "legend":  # a bare caption title is followed by its text
            self.floating = "panels"
            return "caption"
        if self.floating == "panels":
            if _PANEL.match(line):
                return "caption"
            self.floating = ""
        return self._kind_near_table(line)

    def _kind_near_table(self, line: str) -> BlockKind:
        row = _is_row(line)
        if row and self.floating:
            self.floating = "rows"
        elif self.floating == "rows" and len(line) > _FOOTNOTE and not line[0].islower():
            self.floating = ""
        if self.floating == "above rows":
            return "caption"
        return "table" if row or self.floating else "body"


def _lines(text: str) -> Iterator[Span]:
    """Return the lines that are not blank, without the white space around them."""
    return (Span(*line.span()) for line in _LINE.finditer(text))


_LINE = re.compile(r"\S(?:[^\n]*\S)?")


def _paragraphs(text: str) -> Iterator[Span]:
    """Return the lines, those of one sentence joined."""
    lines = list(_lines(text))
    wrapped = max((end - start for start, end in lines), default=0) <= _WRAP
    current: Span | None = None
    for line in lines:
        if current and _goes_on(text, current, line, wrapped):
            current = Span(current.start, line.end)
            continue
        if current:
            yield current
        current = line
    if current:
        yield current


def _goes_on(text: str, before: Span, line: Span, wrapped: bool) -> bool:
    adjacent = text.count("\n", before.end, line.start) == 1
    if not adjacent or text[before.end - 1] in _STOPS or _is_row(line.of(text)):
        return False
    broken = text.rfind("\n", 0, before.end) + 1
    last_line = before.end - max(before.start, broken)
    return text[line.start].islower() or (wrapped and last_line > _WRAP / 2)


def _is_row(line: str) -> bool:
    return "|" in line or "\t" in line or _RULE.fullmatch(line) is not None


def _name(title: str) -> str:
    """Reduce a heading to lower-case words: "2. Materials & Methods:" is "materials and methods".

    A whole paragraph has none.
    """
    if len(title) > _TITLE:
        return ""
    unnumbered = _NUMBERING.sub("", title, count=1)
    words = unnumbered.replace("&", " and ").lower()
    return " ".join(re.findall(r"[^\W\d_]+", words))


def _may_be_title(line: str) -> bool:
    if len(line) > _TITLE or line.endswith("."):
        return False
    return not _ABSTRACT.fullmatch(_name(line))


def _may_be_heading(line: str) -> bool:
    """Whether a line is short, begins with a capital or a number, and ends unlike a sentence."""
    if len(line) > _HEADING or line.endswith(_SENTENCE_END):  # most lines are whole paragraphs
        return False
    if _is_row(line) or _CAPTION.match(line) or _TABLE.match(line):
        return False
    bare = _NUMBERING.sub("", line, count=1)
    letters = sum(map(str.isalpha, bare))
    return letters > len(bare) / 2 and not bare[0].islower()
