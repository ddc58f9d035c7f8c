"""Citation contexts: the citing sentence and its neighbours, found in the citing documents.

What we saw in the data: CL-SciSumm's training topics give the ids of the citing sentences, but what
was annotated is often a clause of them, and occasionally something else. The gold test topics give
no ids, so the citing sentence is searched for by its text. Citation-Integrity ships only the citing
passage, so its windows end where the passage ends. `align` says how each citance was found.

>>> from citectx.corpora import Citance, Document, Topic
>>> from citectx.types import Span
>>> text = "We rest. Cells rest, too (Doe, 2001). They do. Why not? Nobody knows."
>>> citing, citance = Document("Roe", text), Citance("1", "Roe", text[9:37], span=Span(9, 37))
>>> topic = Topic("Doe", Document("Doe", "Cells rest."), (citance,), {"Roe": citing})
>>> [context] = citation_contexts(topic, SentenceSplitter())
>>> [*zip(context.sentences, context.distances)][1:3]
[('Cells rest, too (Doe, 2001).', 0), ('They do.', 1)]
>>> context.found, len(context.sentences)
('offset', 4)
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from citectx.corpora.model import BlockKind, Citance, Topic
from citectx.corpora.text_files import bare
from citectx.language.text import Analyzer, Sentences, SentenceSplitter
from citectx.types import Span

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

    Source: acl2008 §2 and §5.1.1: two sentences before and two after the citing sentence.

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
    Ambiguity: acl2008 has one citing sentence for each citation, with the label in it. Where a
    citance has several sentences, those that hold its marker are the citing ones; where none does
    (the marker may be spelled differently), all of them are.

    Ambiguity: the paper does not say whether a window may cross from one paragraph into the next.
    Ours may; titles and headings do not count as sentences.
    """
    split = {name: splitter.sentences(d, CONTEXT_KINDS) for name, d in topic.citing.items()}
    return [_context(citance, split.get(citance.citing_id), window) for citance in topic.citances]


def _context(citance: Citance, document: Sentences | None, window: int) -> CitationContext:
    found, which = align(citance, document)
    place = (citance.citance_id, citance.citing_id)
    if document is None or not which:
        return CitationContext(*place, (citance.text,), (0,), "alone")
    texts = document.texts()
    distances: dict[int, int] = {}
    for centre in _citing(citance, document, texts, which):
        for i in range(max(centre - window, 0), min(centre + window + 1, len(texts))):
            distances[i] = min(abs(i - centre), distances.get(i, window))
    near = sorted(distances)
    sentences = tuple(texts[i] for i in near)
    return CitationContext(*place, sentences, tuple(distances[i] for i in near), found)


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
    """
    if document is None:
        return "alone", []
    texts = document.texts()
    wanted = Counter(_WORDS(citance.text))
    here = _touched(document, citance.span) if citance.span else []
    if here and _share(wanted, " ".join(texts[i] for i in here)) >= SHARE:
        return "offset", here
    place = _only_place(citance.text, texts)
    if place:
        return "text", place
    shares = [_share(wanted, text) for text in texts]
    best = max(shares, default=0.0)
    if best >= SHARE and shares.count(best) == 1:
        return "words", [shares.index(best)]
    return "alone", []


def _touched(document: Sentences, place: Span) -> list[int]:
    """Return the sentences that a span overlaps."""
    return [i for i, span in enumerate(document.spans) if span.overlap(place)]


def _share(wanted: Counter[str], text: str) -> float:
    """Return the share of the wanted words that a text holds."""
    held = wanted & Counter(_WORDS(text))
    return held.total() / max(wanted.total(), 1)


def _only_place(text: str, sentences: Sequence[str]) -> list[int]:
    """Find the sentences over which a text runs, if letter by letter it occurs just once."""
    wanted = bare(text)
    pieces = [bare(sentence) for sentence in sentences]
    whole = "".join(pieces)
    if not wanted or whole.count(wanted) != 1:
        return []
    start, found, end = whole.index(wanted), [], 0
    for i, piece in enumerate(pieces):
        begin, end = end, end + len(piece)
        if piece and begin < start + len(wanted) and start < end:
            found.append(i)
    return found


def _citing(
    citance: Citance, document: Sentences, texts: Sequence[str], which: list[int]
) -> list[int]:
    """Of a citance's sentences, return those that hold its marker; all of them if none does."""
    if citance.marker_span is not None:
        marked = set(_touched(document, citance.marker_span))
        inside = [i for i in which if i in marked]
    else:
        marker = bare(citance.marker)
        inside = [i for i in which if marker and marker in bare(texts[i])]
    return inside or which
