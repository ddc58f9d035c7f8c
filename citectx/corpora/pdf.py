"""Read a PDF as Markdown: title and headings by their type, a paragraph a line.

What we saw in two papers of computational linguistics: pypdf's words and their order are right, and
so are those of four other libraries; what was missing is the structure. The size and the font of a
line tell headings, indents and gaps tell paragraphs. Running heads stand before the title, figures
and footnotes in the middle of a sentence, and ``/Title`` is right in both.

>>> lines = [Line(0, "Why cells rest", 14, "Bold", 90, 700)]
>>> lines += [Line(0, "Cells do not di-", 10, "", 72, 660), Line(0, "vide.", 10, "", 72, 648)]
>>> lines += [Line(0, "They rest.", 10, "", 82, 636)]
>>> print(markdown(lines))
# Why cells rest
<BLANKLINE>
Cells do not divide.
<BLANKLINE>
They rest.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import hypot
from typing import Any, NamedTuple
from unicodedata import normalize

from citectx.corpora.front_matter import Told, is_stamp
from citectx.corpora.structure import is_caption, is_known_heading, is_numbered, section_kind
from citectx.corpora.text_files import bare
from citectx.errors import DataError, MissingDataError


class Line(NamedTuple):
    """A line of a page: its text, its most common type, and where it begins, in points."""

    page: int
    text: str
    size: float
    font: str
    x: float
    y: float


def read_pdf(content: bytes, file: str) -> tuple[str, Told]:
    """Read a PDF: words joined, ligatures as letters, without page numbers and running lines.

    Lost: formulas and tables are scrambled, and superscript citations stick to words. Sections,
    paragraphs and captions are guessed from the look of lines.

    Returns
    -------
    text : str
        In Markdown.
    told : Told
        What the metadata and the first page tell of the article.

    Raises
    ------
    MissingDataError
        If pypdf is not installed.
    DataError
        If the file is damaged or locked, or has no text, as scans have not.
    """
    try:
        import pypdf
    except ImportError as error:
        raise MissingDataError("PDF needs the library pypdf: pip install 'citectx[pdf]'") from error
    from io import BytesIO

    try:
        reader = pypdf.PdfReader(BytesIO(content))
        pages = [list(_lines(page, number)) for number, page in enumerate(reader.pages)]
        told = {key: str(value) for key, value in (reader.metadata or {}).items()}
    except Exception as error:  # pypdf raises whatever a damaged file makes happen
        raise DataError(f"cannot be read as PDF ({error})", file=file) from error
    lines = without_running_lines(pages)
    if sum(c.isalpha() for line in lines for c in line.text) < 100:
        raise DataError(
            "has no readable text; if it is a scan, run text recognition (OCR) first", file=file
        )
    front = _told(lines, told)
    return markdown(lines, front.title), front


def _told(lines: Sequence[Line], told: dict[str, str]) -> Told:
    first = [line for line in lines if line.page == lines[0].page]
    title, source = _clean(told.get("/Title", "")), "the PDF's metadata"
    if not _plausible(title, first):
        title, source = _joined(title_lines(lines)), "the largest letters of the first page"
    if not title:
        lines_of_words = (x.text for x in first if len(x.text.split()) > 2 and not is_stamp(x.text))
        title, source = next(lines_of_words, ""), "the first line"
    named = [told[key] for key in ("/doi", "/DOI", "/Subject") if key in told]
    head = "\n".join([*named, *(line.text for line in first)])
    return Told(title, source if title else "", head)


def _lines(page: Any, number: int) -> Iterator[Line]:
    """Take a page's lines; where a line changes its type, what has most letters counts."""
    lines: list[list[Line]] = [[]]

    def visit(
        text: str, outer: Sequence[float], own: Sequence[float], font: Any, size: Any
    ) -> None:
        x, y = (own[4] * outer[i] + own[5] * outer[i + 2] + outer[i + 4] for i in (0, 1))
        height = (size or 0) * hypot(own[2], own[3]) * hypot(outer[2], outer[3])
        name = str((font or {}).get("/BaseFont", ""))
        for i, part in enumerate(text.split("\n")):
            if i:
                lines.append([])
            lines[-1].append(Line(number, part.translate(_LETTERS), round(height, 1), name, x, y))

    page.extract_text(visitor_text=visit)
    for parts in lines:
        if inked := [part for part in parts if part.text.strip()]:
            most = max(_weights(inked).items(), key=lambda item: item[1])[0]
            yield Line(number, _clean(_with_notes(parts, *most)), *most, inked[0].x, inked[0].y)


def _with_notes(parts: Sequence[Line], size: float, font: str) -> str:
    """Join the parts of a line; raised numbers are written as citations, as in JATS.

    "cells.¹²" becomes "cells [12]."; those behind a formula or a short unit stay as they are.
    """
    inked = (part for part in parts if part.text.strip())
    base = next(part.y for part in inked if (part.size, part.font) == (size, font))
    text = ""
    for part in parts:
        raised = part.size < 0.85 * size and part.y > base + 0.15 * size
        behind = _NOTED.search(text) if raised and _GROUP.fullmatch(part.text.strip()) else None
        if behind:
            text = f"{text[: behind.start(1)]} [{part.text.strip()}]{behind[1].rstrip()}"
        else:
            text += part.text
    return text


_GROUP = re.compile(r"\d{1,3}(?:\s*[-–,]\s*\d{1,3})*")
_NOTED = re.compile(r"(?:[^\W\d_]{3}|[)\]”’\"])([.,;:]?\s*)$")


def _weights(lines: Iterable[Line]) -> Counter[tuple[float, str]]:
    """Count the characters of each type."""
    weights: Counter[tuple[float, str]] = Counter()
    for line in lines:
        weights[line.size, line.font] += len(line.text)
    return weights


_LETTERS = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\x00": " ", "\u00ad": "-"}
)
_NUMBER = re.compile(r"\s*\d*\s*")


_ACCENTS = dict(zip("`´ˆ˜¨˚˝ˇ", "\u0300\u0301\u0302\u0303\u0308\u030a\u030b\u030c", strict=True))


def _clean(text: str) -> str:
    """Replace ligatures, accents that stand before their letter, and runs of white space."""
    text = re.sub(r"([`´ˆ˜¨˚˝ˇ])([^\W\d_])", _accented, text.translate(_LETTERS))
    return " ".join(text.split())


def _accented(found: re.Match[str]) -> str:
    composed = normalize("NFC", found[2] + _ACCENTS[found[1]])
    return composed if len(composed) == 1 else found[0]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Drop page numbers, and lines that open or close several pages.

    Numbers in them may differ, if they are not set as the text is.
    """
    kept = [[line for line in page if not _NUMBER.fullmatch(line.text)] for page in pages]
    body = _body([line for page in kept for line in page])

    def alike(line: Line) -> str:
        return line.text if line.size == body[0] else re.sub(r"\d+", "0", line.text)

    ends = Counter(like for page in kept for like in {*map(alike, (*page[:2], *page[-2:]))})
    return [line for page in kept for line in page if ends[alike(line)] < 3]


def _body(lines: Sequence[Line]) -> tuple[float, str]:
    """Return the size and the font of most of the text."""
    weights = _weights(lines)
    return max(weights, key=weights.__getitem__, default=(0.0, ""))


_FILE = re.compile(r"(?i)(untitled|microsoft \w+ - |slide \d|pii:|doi:)|\S+$")


def _plausible(title: str, first: Sequence[Line]) -> bool:
    """Whether what the metadata call the title is one: several words of the first page."""
    printed = bare("".join(line.text for line in first))
    return not _FILE.match(title) and len(bare(title)) > 9 and bare(title) in printed


def title_lines(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of the first page in its largest letters, [] if all are as large."""
    first = [line for line in lines if line.page == lines[0].page]
    size, _ = _body(lines)
    runs = [list(run) for _, run in groupby(first, key=lambda line: (line.size, line.font))]
    may_be = [run for run in runs if run[0].size > size + 1 and len(_joined(run).split()) > 2]
    may_be = [run for run in may_be if not is_stamp(run[0].text)]
    return max(may_be, key=lambda run: run[0].size, default=[])


def _joined(lines: Iterable[Line]) -> str:
    return " ".join(line.text for line in lines)


def _printed(title: str, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of the first page that are the title."""
    wanted = bare(title)
    for i in range(len(lines)):
        for j in range(i + 1, min(i + 8, len(lines) + 1)):
            letters = bare(_joined(lines[i:j]))
            if letters == wanted:
                return [*lines[i:j]]
            if not wanted.startswith(letters):
                break
    return []


@dataclass
class _Paragraph:
    lines: list[Line]
    kind: str = "text"  # or: title, heading, small, caption, references


def markdown(lines: Sequence[Line], title: str = "") -> str:
    """Write lines as Markdown; `title`, if it is known, is marked where it is printed.

    Sections are marked if three or more headings stand out by size or weight; else nothing but the
    title is.
    """
    own = _printed(title, lines) if title else title_lines(lines)
    rest = [line for line in lines if line not in own]
    layout = _Layout(rest)
    hyphens = _Hyphens(lines)
    parts = [f"# {_joined(own) or title}"] if own or title else []
    for paragraph in _whole(layout.paragraphs()):
        texts = [line.text for line in paragraph.lines]
        if paragraph.kind == "references":
            parts.append("\n".join(layout.hanging(line) for line in paragraph.lines))
        else:
            mark = "## " if paragraph.kind == "heading" else ""
            parts.append(mark + hyphens.join(texts).lstrip("#"))
    return "\n\n".join(parts)


_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"
_LONGEST = 100  # letters of a word that a line may break


class _Hyphens:
    """Joins lines; a hyphen at the end stays where the article writes the word with one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        words = re.findall(_WORD, _joined(lines))
        self.words = frozenset(map(str.lower, words))

    def join(self, texts: Sequence[str]) -> str:
        whole = texts[0]
        for text in texts[1:]:
            broken = re.search(rf"({_WORD})-$", whole[-_LONGEST:])
            goes_on = re.match(_WORD, text)
            if broken and goes_on:
                stays = self._stays(broken[1], goes_on[0])
                whole = (whole if stays else whole[:-1]) + text
            else:
                whole += " " + text
        return whole

    def _stays(self, one: str, other: str) -> bool:
        if one.isupper() or other[0].isupper():
            return True
        together, apart = (one + other).lower(), f"{one}-{other}".lower()
        return together not in self.words and apart in self.words


class _Layout:
    """Tells headings and paragraphs by the look of lines."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.size, self.font = _body(lines)
        self.leading = _leading(lines)
        self.margins = _margins(lines)
        self.front = self._front()
        self.marked = self._headings()

    def _headings(self) -> set[Line]:
        """Find the lines that look like headings of sections; none if there are hardly any."""
        marked = [line for line in self.lines[self.front :] if self._stands_out(line)]
        certain = [line for line in marked if _is_section(line.text)]
        if len(certain) > 2:
            marked = _of_type(marked, certain)
        numbered = sum(is_numbered(line.text) for line in certain) > 2
        found = {line for line in marked if not numbered or _is_section(line.text)}
        return found if len(found) > 2 else set()

    def _front(self) -> int:
        """Count the lines above the first section: authors, addresses."""
        first = [line for line in self.lines if line.page == self.lines[0].page]
        known = (i for i, line in enumerate(first) if is_known_heading(line.text))
        return next(known, 0)

    def _stands_out(self, line: Line) -> bool:
        bold = line.font != self.font and _BOLD.search(line.font) is not None
        large = line.size > self.size + 0.5
        letters = sum(map(str.isalpha, line.text))
        wordy = 2 * letters > len(line.text) and letters > 2 and len(line.text) <= 100
        small = line.size < self.size - 0.5
        return wordy and (bold or large) and not small and not is_caption(line.text)

    def paragraphs(self) -> Iterator[_Paragraph]:
        """Cut the lines into paragraphs."""
        current: _Paragraph | None = None
        before: Line | None = None
        references = False
        for i, line in enumerate(self.lines):
            kind = self._kind(line, references, front=i < self.front)
            if current is None or before is None or self._begins(line, before, kind, current):
                if current:
                    yield current
                current = _Paragraph([], kind)
            current.lines.append(line)
            if kind == "heading" or is_known_heading(line.text):
                references = section_kind(line.text) == "references"
            before = line
        if current:
            yield current

    def _kind(self, line: Line, references: bool, front: bool) -> str:
        if front:
            return "front"
        if line in self.marked or is_known_heading(line.text):
            return "heading" if self.marked else "name"
        if references:
            return "references"
        if is_caption(line.text):
            return "caption"
        return "small" if line.size < self.size - 0.5 else "text"

    def _begins(self, line: Line, before: Line, kind: str, current: _Paragraph) -> bool:
        """Whether a line begins a paragraph."""
        if kind == current.kind and kind in ("references", "front"):
            return False
        caption = current.kind == "caption" and kind in ("text", "small")
        if kind in ("caption", "name") or (kind != current.kind and not caption):
            return True
        near = line.page == before.page and 0 <= before.y - line.y < 1.4 * self.leading
        if caption or kind == "heading":
            return not near or line.size != before.size or is_numbered(line.text)
        return self._is_apart(line, before, near)

    def _is_apart(self, line: Line, before: Line, near: bool) -> bool:
        """Whether a line of text begins a paragraph behind one of the same type."""
        if line.page != before.page or line.y > before.y:  # the next column
            return _ends(before.text) and not line.text[0].islower()
        return not near or self._is_indented(line, before)

    def _is_indented(self, line: Line, before: Line) -> bool:
        """Whether a line is set in from the margin, at which the line before begins."""
        return before.text.endswith((*_STOPS, ":", ")")) and 4 < line.x - before.x < 40

    def hanging(self, line: Line) -> str:
        """Return a line with space in front if it is set in from the margin of its column."""
        is_in = any(4 < line.x - margin < 40 for margin in self.margins[line.page])
        return f"    {line.text}" if is_in else line.text


def _of_type(lines: Iterable[Line], others: Iterable[Line]) -> list[Line]:
    """Return the lines in the type and size of some others."""
    types = {(line.size, line.font) for line in others}
    return [line for line in lines if (line.size, line.font) in types]


def _leading(lines: Sequence[Line]) -> float:
    """Return how far a line is from the next, as most are at least."""
    down = sorted(a.y - b.y for a, b in pairwise(lines) if a.page == b.page and a.y > b.y)
    return down[len(down) // 4] if down else 0.0


def _margins(lines: Sequence[Line]) -> dict[int, list[int]]:
    """Return where several lines of each page begin."""
    places = defaultdict[int, Counter[int]](Counter)
    for line in lines:
        places[line.page][round(line.x)] += 1
    return {page: [x for x, n in found.items() if n > 2] for page, found in places.items()}


def _is_section(line: str) -> bool:
    return is_numbered(line) or is_known_heading(line) or _APPENDIX.match(line) is not None


_APPENDIX = re.compile(r"[A-H](?:\.\d+)*\.?\s+[A-Z][^\W\d_]{2}")


_BOLD = re.compile(r"(?i)bold|medi|black|heavy|demi|cmbx|\bBX")


def _whole(paragraphs: Iterable[_Paragraph]) -> list[_Paragraph]:
    """Join what figures, footnotes and page ends tore apart; what is between comes behind."""
    found: list[_Paragraph] = []
    torn: _Paragraph | None = None
    for paragraph in paragraphs:
        if torn and paragraph.kind == "text" and _goes_on(paragraph):
            torn.lines.extend(paragraph.lines)
        else:
            found.append(paragraph)
        if paragraph.kind == "text" and not (torn and torn.lines[-1] is paragraph.lines[-1]):
            torn = paragraph
        if paragraph.kind not in ("text", "small", "caption") or (
            torn and _ends(torn.lines[-1].text)
        ):
            torn = None
    return found


def _ends(text: str) -> bool:
    return text.endswith(_STOPS)


_STOPS = (".", "?", "!", ".”", '."', ".)")


def _goes_on(paragraph: _Paragraph) -> bool:
    """Whether a paragraph may be the rest of one: it begins so, or is too long for a label."""
    return not paragraph.lines[0].text[0].isupper() or len(_joined(paragraph.lines)) > 200
