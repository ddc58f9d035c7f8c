"""The sentences in which an article cites a work.

The file's links count first, and what a dash between two of them implies. A link that points
nowhere is read by its text, and so is the whole article for an entry to which no link points:
``[3]``, ``Doe et al. (2001)``.

What we saw in 122 articles of PLOS and five papers of computer science: most cite before the full
stop. Two articles cite behind it throughout ("… rest. [3] However, …"), and a splitter gives such a
citation to the sentence that follows; but one article begins sentences with a citation ("[3] showed
that …"). What follows tells the two apart. The corpora of the papers' tables keep the sentences of
`SentenceSplitter`.

>>> text = "Cells rest. [3] However, some divide (Doe, 2001). [4] saw this."
>>> entries = tuple(Entry((f"b{i}",), str(i), Work()) for i in range(1, 5))
>>> links = (Span(12, 15), ("b3",)), (Span(50, 53), ("b4",))
>>> article = Article(Document("Roe", text), Work(), entries, links)
>>> document = with_sentences(article)
>>> [s.of(text) for s in document.sentences]
['Cells rest. [3]', 'However, some divide (Doe, 2001).', '[4] saw this.']
>>> [s.of(text) for s in Citations(article).of(entries[2:3])]
['[3]']
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import get_args

from citectx.beyond.reading.articles import Article, Link
from citectx.beyond.reading.references import Entry, Work, find, letters
from citectx.corpora.model import Block, BlockKind, Citance, Document
from citectx.language.text import SentenceSplitter, stop_words
from citectx.types import Span

SENTENCE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption", "back")
"""Blocks whose sentences may cite; a heading or a row of a table is not a sentence."""
REACHED = 0.3
"""Share of the reference list that unlinked numbers must reach to be believed."""

_DASH = r"(?:[-‐-―−~∼]|to|through|until)"
_DASH = rf"[\])]?\s*{_DASH}\s*[\[(]?"
_RANGE = re.compile(rf"(\d{{1,4}})[a-z]?(?:{_DASH}(\d{{1,4}}))?")
_GROUP = rf"\d{{1,4}}(?:(?:{_DASH}|\s*(?:[,;]|and|&)\s*)\d{{1,4}})*"
_NUMBERED = re.compile(rf"\s*[\[(]?\s*{_GROUP}[a-z]?\s*[\])]?\s*")
_BRACKETS = re.compile(rf"(?P<place>\[\s*{_GROUP}\s*\])")
_YEAR = r"\b((?:1[5-9]|20)\d\d)([a-z]\b(?:\s*(?:,|&|and)\s*[a-z]\b)*)?"  # 2001, or 2001a, b
_DATE = re.sub(r"\((?!\?)", "(?:", _YEAR)
_DATED = re.compile(
    rf"[^;()\[\]]{{3,80}}?[\s,(\[](?P<place>{_DATE}(?:\s*(?:[,;&]|and)\s*{_DATE})*)\b"
)
_WORD = re.compile(r"[^\W\d_]{2}")
# a citation behind a full stop, masked as \x01: "rest. [3] However", "rest." [3]" at the end
_BEHIND = re.compile(
    "(?m)(?<=[.!?…])[\"'”’»)]*(\\s*[\\[(]?\x01[\x01\\s,;–—−‐&\\[\\]()-]*)(?=\\s+[^a-z\\s\x01]|\\s*$)"
)
# no sentence begins with a word in lower case, a number behind "Sec.", or [3] behind "(Table 1.)"
_GOES_ON = re.compile(
    r"[a-z]{2,}(?![\w-])|[a-z]\.\w|(?<=[.!?]\) )[\[(]"
    r"|(?<=\W[A-Za-z][a-z]\. )\d|(?<=\W[A-Za-z][a-z]{2}\. )\d"
)


Places = list[tuple[Span, set[int]]]
"""Places in a text, with the entries of the reference list that they cite."""


def cited_in(citing: Article, work: Work, document: Document) -> tuple[list[Citance], str]:
    """Find the sentences in which an article cites a work, and tell how, or why there is none."""
    name = document.doc_id
    if not (work.ids or work.titles):
        return [], f"{name}: not searched: the article's file has neither title nor DOI"
    entries, how = find(work, citing.entries)
    if not entries:
        why = "does not cite the article" if citing.entries else "has no reference list"
        return [], f"{name}: {why} (searched for {work})"
    places = Citations(citing).of(entries)
    sentences = SentenceSplitter().sentences(document, SENTENCE_KINDS)
    citances = []
    for i, span in enumerate(sentences.spans, 1):
        marker = next((place for place in places if span.start <= place.start <= span.end), None)
        if marker:
            texts = span.of(document.text), marker.of(document.text)
            citances.append(Citance(f"{name}:{i}", name, *texts, span, marker))
    many = "" if len(citances) == 1 else "s"
    note = f"{len(citances)} citing sentence{many}, found by {how}"
    if not citances:
        note = f"lists the article (found by {how}), but no sentence points there"
    return citances, "; ".join([f"{name}: {note}", *citing.notes])


def with_sentences(article: Article) -> Document:
    """Return the document with its sentences: the file's own where it marks them.

    Elsewhere the splitter sees the text without citations behind a full stop. They close the
    sentence before, and so does a stretch without a word.
    """
    document = article.document
    text = _hidden(article)
    cuts = {*article.starts, len(text), *(block.start for block in document.blocks)}
    cuts |= {match.end() for match in re.finditer(r"[\])]\.(?=[A-Z][a-z])", text)}
    cuts |= {
        match.end()
        for match in re.finditer(r"([^\W_]+) [^\W\d_]\.\s+(?=([A-Z][a-z]*)\b(?!\.))", text)
        if ends_behind(*match.groups())
    }
    for (_, before), (start, block) in pairwise(_worded(article, text)):
        if block == before and not _GOES_ON.match(text, start):
            cuts.add(start)
    pieces = [(start, document.text[start:end].rstrip()) for start, end in pairwise(sorted(cuts))]
    spans = tuple(Span(start, start + len(piece)) for start, piece in pieces if piece)
    return replace(document, sentences=spans)


def _worded(article: Article, text: str) -> Iterator[tuple[int, Block]]:
    """Split blocks whose sentences the file does not mark; yield the starts of those with words."""
    masked = replace(article.document, text=text)
    split = SentenceSplitter().sentences(masked, get_args(BlockKind))
    for (start, end), block in zip(split.spans, split.blocks, strict=True):
        is_marked = any(block.start <= place < block.end for place in article.starts)
        if not is_marked and _WORD.search(text, start, end):
            yield start, block


def _hidden(article: Article) -> str:
    """Mask the citations, and blank those behind full stops."""
    masked = [*article.document.text]
    for (start, end), _ in article.links:
        masked[start:end] = "\x01" * (end - start)
    return _BEHIND.sub(lambda match: " " * len(match[0]), "".join(masked))


def ends_behind(before: str, behind: str) -> bool:
    """Tell whether a sentence ends at a single letter, from the words on either side.

    An initial has a name behind it, and at most a function word before it.

    >>> ends_behind("vitamin", "Birds"), ends_behind("and", "These"), ends_behind("by", "Doe")
    (True, True, False)
    """
    function = stop_words("english")
    is_term = not before[0].isupper() and before not in function and len(behind) > 1
    return is_term or behind.lower() in function


class Citations:
    """Where an article cites which entries of its reference list, given by their numbers there."""

    def __init__(self, article: Article) -> None:
        self.links = article.links
        self.text = article.document.text
        self.entries = article.entries
        self.labels = [entry.label for entry in self.entries]

    def of(self, entries: Sequence[Entry]) -> list[Span]:
        """Find the places that cite one of some entries."""
        wanted = {*map(self.entries.index, entries)}
        linked = [span for span, cited in self.linked if cited & wanted]
        return linked or [span for span, cited in self.unlinked if cited & wanted]

    @cached_property
    def linked(self) -> Places:
        """The links, and the ranges between links: "[3]-[5]"."""
        places = [(link[0], self.cited(link)) for link in self.links]
        for (first, _), (last, _) in pairwise(self.links):
            places.append((first, self.numbers(self.text[first.start : last.end])))
        return places

    @cached_property
    def unlinked(self) -> Places:
        """What cites by its text: numbers in brackets that reach enough entries, or names."""
        numbered = self.matches(_BRACKETS, self.numbers)
        reached = {i for _, cited in numbered for i in cited}
        return numbered if len(reached) > REACHED * len(self.entries) else self.dated

    @cached_property
    def dated(self) -> Places:
        """What cites by author and year."""
        return self.matches(_DATED, self.named)

    def matches(self, style: re.Pattern[str], read: Callable[[str], set[int]]) -> Places:
        """Find markers of a style."""
        matches = style.finditer(self.text)
        return [(Span(*match.span("place")), read(match[0])) for match in matches]

    def cited(self, link: Link) -> set[int]:
        """Return the entries that a link cites: its targets, and what its text implies."""
        span, keys = link
        asked = {*keys}
        cited = {i for i, entry in enumerate(self.entries) if not asked.isdisjoint(entry.keys)}
        numbers = self.numbers(span.of(self.text))
        if len(numbers) > 1 or not cited:
            cited |= numbers
        return cited or {i for place, named in self.dated if place.overlap(span) for i in named}

    def numbers(self, printed: str) -> set[int]:
        """Return the entries whose numbers a marker such as "[3-5, 7]" prints."""
        if not _NUMBERED.fullmatch(printed):
            return set()
        numbers: set[str] = set()
        for first, last in _RANGE.findall(printed):
            numbers.update(map(str, range(int(first), int(last or first) + 1)))
        return {*map(self.labels.index, numbers.intersection(self.labels))}

    def named(self, printed: str) -> set[int]:
        """Return the entries that "Doe and Roe, 2001a, b" names; none if several fit."""
        names = fold(printed)
        named: set[int] = set()
        works = [(i, entry.work) for i, entry in enumerate(self.entries) if entry.work.authors]
        for date in dates(printed):
            fit = {
                i for i, work in works if date[:4] in work.years and fold(work.authors[0]) in names
            }
            if len(fit) > 1:  # the letter of "2001b" tells them apart
                fit = {i for i in fit if date in self.entries[i].text}
            if len(fit) == 1:
                named |= fit
        return named


def dates(printed: str) -> Iterator[str]:
    """Yield years with the letter that each has.

    >>> [*dates("Doe, 2001a, b; 2003")]
    ['2001a', '2001b', '2003']
    """
    for year, marks in re.findall(_YEAR, printed):
        for letter in re.findall(r"\b[a-z]\b", marks) or [""]:
            yield year + letter


def fold(text: str) -> str:
    """Reduce a text to words without case, accents and apostrophes, a space around each.

    >>> fold("(O’Mädden, 2016)")
    ' omadden 2016 '
    """
    words = re.findall(r"[\w'’‘ʼ`´\u00ad‐-―−-]+", text)
    return f" {' '.join(map(letters, words))} "
