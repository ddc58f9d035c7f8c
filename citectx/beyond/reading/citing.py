"""The sentences in which an article cites a work.

The file's links count first, and what a dash between two of them implies. A link that points
nowhere is read by its text, and so is the whole article for an entry to which no link points:
``[3]``, ``Doe et al. (2001)``.

What we saw in 122 articles of PLOS and five papers of computer science: most cite before the full
stop. Two articles cite behind it throughout ("… rest. [3] However, …"), and a splitter gives such a
citation to the sentence that follows; but one article begins sentences with a citation ("[3] showed
that …"). What follows tells the two apart. The corpora of the papers' tables keep the sentences of
`SentenceSplitter`.

>>> from citectx.beyond.reading.references import Work
>>> text = "Cells rest. [3] However, some divide (Doe, 2001). [4] saw this."
>>> entries = tuple(Entry((f"b{i}",), str(i), Work()) for i in range(1, 5))
>>> links = (Span(12, 15), ("b3",)), (Span(50, 53), ("b4",))
>>> article = Article(Document("Roe", text), Work(), entries, links)
>>> document = with_sentences(article)
>>> [s.of(text) for s in document.sentences]
['Cells rest. [3]', 'However, some divide (Doe, 2001).', '[4] saw this.']
>>> [place.span.of(text) for place in Citations(article).of(entries[2:3])]
['[3]']
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, get_args

from citectx.beyond.reading.articles import Article, Link
from citectx.beyond.reading.names import DATE, Names, dates
from citectx.beyond.reading.references import Entry, Work, find
from citectx.corpora.model import BlockKind, Citance, Document
from citectx.language.text import SentenceSplitter, stop_words
from citectx.types import Span

SENTENCE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption", "back")
"""Blocks whose sentences may cite; a heading or a row of a table is not a sentence."""
REACHED = 0.3
"""Unlinked numbers are believed if they reach more than this share of the reference list."""

_STROKE = r"(?:[-‐-―−~∼]|to|through|until)"
# between the numbers of a range, "3]-[5": brackets may close and open
_DASH = rf"[\])]?\s*{_STROKE}\s*[\[(]?"
_RANGE = re.compile(rf"(\d{{1,4}})[a-z]?(?:{_DASH}(\d{{1,4}}))?")
# "3, 5-7 and 9"
_GROUP = rf"\d{{1,4}}(?:(?:{_DASH}|\s*(?:[,;]|and|&)\s*)\d{{1,4}})*"
# "[3, 5]", "3b"
_NUMBERED = re.compile(rf"\s*[\[(]?\s*{_GROUP}[a-z]?\s*[\])]?\s*")
_BRACKETS = re.compile(rf"(?P<place>\[\s*{_GROUP}\s*\])")
# "Doe and Roe, 2001a, b; 2003": years, and what may be names before them
_DATED = re.compile(
    rf"[^;()\[\]]{{3,80}}?[\s,(\[](?P<place>{DATE}(?:\s*(?:[,;&]|and)\s*{DATE})*)\b"
)
# "vitamin C. Birds": a word, a letter with a stop, and the next word, no initial
_LETTER_END = re.compile(r"(?<![^\W_])([^\W_]+) [^\W\d_]\.\s+(?=([A-Z][a-z]*)\b(?!\.))")
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


class Place(NamedTuple):
    """A place in a text, and the entries of the reference list that it cites, by their numbers.

    It is unsure if it fits these entries alike, though it means one of them.
    """

    span: Span
    cited: set[int]
    is_unsure: bool = False


def cited_in(citing: Article, work: Work, document: Document) -> tuple[list[Citance], str]:
    """Find the sentences in which an article cites a work, and tell how, or why there is none."""
    name = document.doc_id
    match = find(work, citing.entries)
    if not match.entries:
        return [], f"{name}: {why_not(work, citing.entries)}"
    places = Citations(citing).of(match.entries)
    citances, unsure = [], 0
    sentences = SentenceSplitter().sentences(document, SENTENCE_KINDS)
    for i, place in in_sentences(places, sentences.spans):
        span = sentences.spans[i]
        texts = span.of(document.text), place.span.of(document.text)
        citances.append(Citance(f"{name}:{i + 1}", name, *texts, span, place.span))
        unsure += place.is_unsure
    kind = "citing sentence" if len(citances) == 1 else "citing sentences"
    found = f"{name}: {len(citances)} {kind}, found by {match.how}"
    if not citances:
        found = f"{name}: lists the article (found by {match.how}), but no sentence points there"
    doubt = f"{unsure} of them may cite another entry, which has the same names and year"
    notes = [found, doubt if unsure else "", match.doubt, *citing.notes]
    return citances, "; ".join(filter(None, notes))


def why_not(work: Work, entries: Sequence[Entry]) -> str:
    """Tell why a reference list does not hold a work."""
    if not (work.ids or work.titles):
        return "not searched: the article's file has neither title nor DOI"
    why = "does not cite the article" if entries else "has no reference list"
    return f"{why} (searched for {work})"


def in_sentences(places: Sequence[Place], sentences: Sequence[Span]) -> Iterator[tuple[int, Place]]:
    """Yield the numbers of the sentences that hold a place, and the first place in each."""
    ordered = sorted(places, key=lambda place: place.span)
    starts = [place.span.start for place in ordered]
    for i, span in enumerate(sentences):
        first = bisect_left(starts, span.start)
        # a mark behind the full stop may begin where its sentence ends
        if first < len(starts) and starts[first] <= span.end:
            yield i, ordered[first]


def with_sentences(article: Article) -> Document:
    """Return the document with its sentences: the file's own where it marks them.

    Elsewhere the splitter sees the text without citations behind a full stop. They close the
    sentence before, and so does a stretch without a word.
    """
    document = article.document
    text = _hidden(article)
    cuts = {*article.starts, len(text), *(block.start for block in document.blocks)}
    cuts |= {match.end() for match in re.finditer(r"[\])]\.(?=[A-Z][a-z])", text)}
    cuts |= {m.end() for m in _LETTER_END.finditer(text) if ends_behind(*m.groups())}
    cuts |= {*_splits(article, text)}
    pieces = [(start, document.text[start:end].rstrip()) for start, end in pairwise(sorted(cuts))]
    spans = tuple(Span(start, start + len(piece)) for start, piece in pieces if piece)
    return replace(document, sentences=spans)


def _splits(article: Article, text: str) -> Iterator[int]:
    """Yield where the splitter begins a sentence inside a block, and nothing speaks against it."""
    starts = article.starts
    masked = replace(article.document, text=text)
    split = SentenceSplitter().sentences(masked, get_args(BlockKind))
    before = None
    for (start, end), block in zip(split.spans, split.blocks, strict=True):
        # the file says where sentences of the block begin
        is_marked = bisect_left(starts, block.start) < bisect_left(starts, block.end)
        if is_marked or not _WORD.search(text, start, end):
            continue
        is_source = any(a <= start < b for a, b in article.sources)
        if block == before and not is_source and not _GOES_ON.match(text, start):
            yield start
        before = block


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
        self.names = Names(article.entries)
        self.labels: dict[str, int] = {}
        self.keys: dict[str, set[int]] = defaultdict(set)
        for i, entry in enumerate(article.entries):
            self.labels.setdefault(entry.label, i)
            for key in entry.keys:
                self.keys[key].add(i)

    def of(self, entries: Sequence[Entry]) -> list[Place]:
        """Find the places that cite one of some entries."""
        wanted = {*map(self.entries.index, entries)}
        linked = [place for place in self.linked if place.cited & wanted]
        return linked or [place for place in self.unlinked if place.cited & wanted]

    @cached_property
    def linked(self) -> list[Place]:
        """The links, and the ranges between links: "[3]-[5]"."""
        places = [self.cited(link) for link in self.links]
        for (first, _), (last, _) in pairwise(self.links):
            # as long as "[1234] through [1234]"
            if last.end - first.start < 40:
                places.append(Place(first, self.numbers(self.text[first.start : last.end])))
        return places

    @cached_property
    def unlinked(self) -> list[Place]:
        """What cites by its text: numbers in brackets that reach enough entries, or names."""
        matches = _BRACKETS.finditer(self.text)
        numbered = [Place(Span(*m.span("place")), self.numbers(m["place"])) for m in matches]
        reached = {i for place in numbered for i in place.cited}
        return numbered if len(reached) > REACHED * len(self.entries) else self.dated

    @cached_property
    def dated(self) -> list[Place]:
        """What cites by author and year, in the order of the text."""
        places = []
        for match in _DATED.finditer(self.text):
            named = self.names.cited(match[0])
            is_unsure = len(named) > len([*dates(match["place"])])
            places.append(Place(Span(*match.span("place")), named, is_unsure))
        return places

    def cited(self, link: Link) -> Place:
        """Return the entries that a link cites: its targets, and what its text implies."""
        span, keys = link
        cited = {i for key in keys for i in self.keys.get(key, ())}
        numbers = self.numbers(span.of(self.text))
        if len(numbers) > 1 or not cited:
            cited |= numbers
        if cited:
            return Place(span, cited)
        inside = [place for place in self.near(span) if place.cited]
        named = {i for place in inside for i in place.cited}
        return Place(span, named, any(place.is_unsure for place in inside))

    def near(self, span: Span) -> list[Place]:
        """Return the dates that overlap a link."""
        # dates do not overlap, so their ends are in order, too
        first = bisect_right(self.dated, span.start, key=lambda place: place.span.end)
        end = bisect_left(self.dated, span.end, key=lambda place: place.span.start)
        return self.dated[first:end]

    def numbers(self, printed: str) -> set[int]:
        """Return the entries whose numbers a marker such as "[3-5, 7]" prints."""
        if not _NUMBERED.fullmatch(printed):
            return set()
        numbers: set[str] = set()
        for first, last in _RANGE.findall(printed):
            numbers.update(map(str, range(int(first), int(last or first) + 1)))
        return {self.labels[number] for number in numbers if number in self.labels}
