"""Citation contexts: the citing sentence and its neighbours, found in the citing documents.

What we saw in the data: CL-SciSumm's training topics name the citing sentences by their ids, but
what was annotated is often a clause of them, and now and then something else; the gold test topics
name none, so that the citing sentence has to be looked for by its text; Citation-Integrity ships
the citing passage only, so its windows end where the passage ends. `align` says for every citance
how it was found.

>>> from citectx.corpora import Citance, Document, Topic
>>> from citectx.types import Span
>>> citing = Document("Roe", "We rest. Cells rest, too (Doe, 2001). They do. Why not? Nobody knows.")
>>> citance = Citance("1", "Roe", "Cells rest, too (Doe, 2001).", marker="Doe, 2001", span=Span(9, 37))
>>> topic = Topic("Doe", Document("Doe", "Cells rest."), (citance,), {"Roe": citing})
>>> [context] = citation_contexts(topic, SentenceSplitter())
>>> [*zip(context.sentences, context.distances)][1:3]
[('Cells rest, too (Doe, 2001).', 0), ('They do.', 1)]
>>> context.found, len(context.sentences)
('offset', 4)
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

from citectx.corpora.files import bare
from citectx.corpora.model import BlockKind, Citance, Topic
from citectx.errors import DataError, ParameterError
from citectx.language.text import Analyzer, Sentences, SentenceSplitter

Found = Literal["offset", "text", "words", "alone"]
"""How a citing sentence was found in the citing document: see `align`."""

CONTEXT_KINDS: tuple[BlockKind, ...] = tuple(
    kind for kind in get_args(BlockKind) if kind not in ("title", "heading")
)
"""Blocks whose sentences may be in a context: all but titles and headings."""

SHARE = 0.8
"""Part of a citance's words that a place must hold to be taken for its place."""

_WORDS = Analyzer(stop_words="none", numbers=True)


@dataclass(frozen=True)
class CitationContext:
    """A citing sentence with its neighbours.

    Parameters
    ----------
    citance_id, citing_id : str
    sentences : tuple of str
        In reading order.
    distances : tuple of int
        k of each: sentences between it and the nearest citing sentence; 0 for the citing sentence
        itself.
    found : {"offset", "text", "words", "alone"}
    """

    citance_id: str
    citing_id: str
    sentences: tuple[str, ...]
    distances: tuple[int, ...]
    found: Found


def citation_contexts(
    topic: Topic, splitter: SentenceSplitter, window: int = 2
) -> list[CitationContext]:
    """Cut a window of sentences around each citance of a topic.

    Source: acl2008 §2 and §5.1.1: two sentences before and two behind the citing sentence.

    Parameters
    ----------
    topic : Topic
    splitter : SentenceSplitter
        For citing documents whose release prescribes no sentences.
    window : int
        Sentences taken on either side; windows end where the document ends.

    Returns
    -------
    list of CitationContext
        One for each citance, in their order: C is a bag, so a sentence near two citances counts
        twice.

    Notes
    -----
    Ambiguity: acl2008 has one citing sentence a citation, with the label in it. Where a citance has
    several sentences, those that hold its marker are the citing ones; where none does (the marker
    may be spelled in another way), all of them are.

    Ambiguity: whether a window may cross from one paragraph into the next is not said. Ours may;
    titles and headings count as no sentence.

    Raises
    ------
    ParameterError
        If `window` is negative.
    DataError
        If a citance lies outside its citing document.
    """
    if window < 0:
        raise ParameterError(f"window must be 0 or more, not {window}")
    split = {name: splitter.sentences(d, CONTEXT_KINDS) for name, d in topic.citing.items()}
    return [_context(citance, split.get(citance.citing_id), window) for citance in topic.citances]


def _context(citance: Citance, document: Sentences | None, window: int) -> CitationContext:
    found, which = align(citance, document)
    if document is None or not which:
        return CitationContext(
            citance.citance_id, citance.citing_id, (citance.text,), (0,), "alone"
        )
    texts = document.texts()
    centres = _citing(citance, document, texts, which)
    first, last = max(0, centres[0] - window), min(len(texts), centres[-1] + window + 1)
    near = [(i, min(abs(i - c) for c in centres)) for i in range(first, last)]
    kept = [(texts[i], k) for i, k in near if k <= window]
    sentences, distances = zip(*kept, strict=True)
    return CitationContext(citance.citance_id, citance.citing_id, sentences, distances, found)


def align(citance: Citance, document: Sentences | None) -> tuple[Found, list[int]]:
    """Find the sentences of a citance in the citing document.

    Parameters
    ----------
    citance : Citance
    document : Sentences or None
        Those of the citing document; None where the release does not ship it.

    Returns
    -------
    str, list of int
        ``offset``: at the annotated place, which holds at least `SHARE` of the citance's words.
        ``text``: the only place with exactly the citance's letters and digits. ``words``: the only
        sentence that holds at least `SHARE` of its words, and more of them than any other.
        ``alone``: none of these, so there are no sentences and the citance has no neighbours.
        Nothing else is guessed.

    Raises
    ------
    DataError
        If the annotated place lies outside the document.
    """
    if document is None:
        return "alone", []
    texts, words = document.texts(), Counter(_WORDS(citance.text))
    if citance.span is not None:
        start, end = citance.span
        if end > (size := len(document.document.text)):
            found = f"{start}-{end}, but its citing document has {size} characters"
            raise DataError(f"citance {citance.citance_id} is at {found}", file=citance.citing_id)
        here = [i for i, s in enumerate(document.spans) if s.start < end and start < s.end]
        if here and _share(words, (texts[i] for i in here)) >= SHARE:
            return "offset", here
    place = _only_place(citance.text, texts)
    if place:
        return "text", place
    shares = [_share(words, [text]) for text in texts]
    best = max(shares, default=0.0)
    if best >= SHARE and shares.count(best) == 1:
        return "words", [shares.index(best)]
    return "alone", []


def _share(words: Counter[str], texts: Iterable[str]) -> float:
    """Return the share of the words that the texts hold."""
    there = Counter(word for text in texts for word in _WORDS(text))
    return (words & there).total() / max(words.total(), 1)


def _only_place(text: str, sentences: Sequence[str]) -> list[int]:
    """Find the sentences over which a text runs, if letter by letter it occurs just once."""
    wanted, pieces = bare(text), [bare(s) for s in sentences]
    whole = "".join(pieces)
    start = whole.find(wanted) if wanted else -1
    if start < 0 or whole.find(wanted, start + 1) >= 0:
        return []
    ends = accumulate(map(len, pieces))
    inside = (
        start < end and end - len(piece) < start + len(wanted)
        for piece, end in zip(pieces, ends, strict=True)
    )
    return [i for i, found in enumerate(inside) if found and pieces[i]]


def _citing(
    citance: Citance, document: Sentences, texts: Sequence[str], which: list[int]
) -> list[int]:
    """Of a citance's sentences, return those that hold its marker; all of them if none does."""
    marked = citance.marker_span
    if marked is not None:
        spans = document.spans
        inside = [i for i in which if spans[i].start < marked.end and marked.start < spans[i].end]
    else:
        marker = bare(citance.marker)
        inside = [i for i in which if marker and marker in bare(texts[i])]
    return inside or which
