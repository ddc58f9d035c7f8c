"""Citation contexts: the citing sentence and its neighbours in the citing document.

What we saw in the data: CL-SciSumm's training topics give the ids of the citing sentences, but the
annotated text is often only a clause of them. The gold test topics give no ids, so `align` searches
for the text of the citance. Citation-Integrity ships only the citing passage, where windows end.

>>> from citectx.corpora import Citance, Document, Topic
>>> from citectx.types import Span
>>> text = "We rest. Cells rest, too (Doe, 2001). They do. Why not? Nobody knows."
>>> citing, citance = Document("Roe", text), Citance("1", "Roe", text[9:37], span=Span(9, 37))
>>> topic = Topic("Doe", Document("Doe", "Cells rest."), (citance,), {"Roe": citing})
>>> [context] = citation_contexts(topic, SentenceSplitter())
>>> context.found, context.distances
('offset', (1, 0, 1, 2))
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from citectx.corpora.model import BlockKind, Citance, Document, Topic
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
"""Sentences must hold this share of a citance's words to be taken for the citance."""

_WORDS = Analyzer(stop_words="none", numbers=True)


class CitationContext(NamedTuple):
    """A citing sentence with its neighbours, in reading order.

    ``distances`` holds k of each sentence, the number of sentences to the nearest citing one.
    """

    citing_id: str
    sentences: tuple[str, ...]
    distances: tuple[int, ...]
    found: Found


def citation_contexts(
    topic: Topic, splitter: SentenceSplitter, window: int = 2
) -> list[CitationContext]:
    """Cut a window of `window` sentences on either side of each citance of a topic, in order.

    C is a bag, so a sentence near two citances counts twice.

    Source: acl2008 §2 and §5.1.1: two sentences before and two after the citing sentence.
    Ambiguity: acl2008 has one citing sentence for each citation. Where a citance has several, those
    that hold its marker are the citing ones; if none does, all of them are.
    Ambiguity: the paper does not say whether a window may cross from one paragraph into the next.
    Ours may. Titles and headings do not count as sentences.
    """
    split = {name: splitter.sentences(d, CONTEXT_KINDS) for name, d in topic.citing.items()}
    missing = Sentences(Document("", ""), (), ())
    return [_context(c, split.get(c.citing_id, missing), window) for c in topic.citances]


def _context(citance: Citance, document: Sentences, window: int) -> CitationContext:
    found, places = align(citance, document)
    if not places:
        return CitationContext(citance.citing_id, (citance.text,), (0,), "alone")
    texts = document.texts()
    centres = _citing(citance, document, texts, places)
    distances = [min(abs(i - centre) for centre in centres) for i in range(len(texts))]
    near = [(text, k) for text, k in zip(texts, distances, strict=True) if k <= window]
    sentences, steps = zip(*near, strict=True)
    return CitationContext(citance.citing_id, sentences, steps, found)


def align(citance: Citance, document: Sentences) -> tuple[Found, list[int]]:
    """Find the sentences of a citance in the citing document; if the release lacks it, in none.

    By ``offset``: the annotated place, if it holds at least `SHARE` of the citance's words. Else by
    ``text``: the only place with exactly its letters and digits. Else by ``words``: the sentence
    with at least `SHARE` of its words and more than any other. Else it stands ``alone``.
    """
    texts = document.texts()
    words = Counter(_WORDS(citance.text))
    annotated = _sentences_at(document, citance.span) if citance.span else []
    if _share(words, " ".join(texts[i] for i in annotated)) >= SHARE:
        return "offset", annotated
    if place := _only_place(citance.text, texts):
        return "text", place
    shares = [_share(words, text) for text in texts]
    best = max(shares, default=0.0)
    if best >= SHARE and shares.count(best) == 1:
        return "words", [shares.index(best)]
    return "alone", []


def _sentences_at(document: Sentences, place: Span) -> list[int]:
    """Return which sentences a place overlaps."""
    return [i for i, span in enumerate(document.spans) if span.overlap(place)]


def _share(words: Counter[str], text: str) -> float:
    """Return the share of words that a text holds."""
    shared = words & Counter(_WORDS(text))
    return shared.total() / max(words.total(), 1)


def _only_place(text: str, sentences: Sequence[str]) -> list[int]:
    """Return the sentences over which a text runs, if its letters occur just once."""
    letters = bare(text)
    pieces = [bare(sentence) for sentence in sentences]
    whole = "".join(pieces)
    if not letters or whole.count(letters) != 1:
        return []
    sentence_of = [i for i, piece in enumerate(pieces) for _ in piece]  # of each letter
    start = whole.index(letters)
    return sorted({*sentence_of[start : start + len(letters)]})


def _citing(
    citance: Citance, document: Sentences, texts: Sequence[str], places: list[int]
) -> list[int]:
    """Return the sentences of a citance that hold its marker, or all if none does."""
    if citance.marker_span is not None:
        citing = [i for i in _sentences_at(document, citance.marker_span) if i in places]
    else:
        marker = bare(citance.marker)
        citing = [i for i in places if marker and marker in bare(texts[i])]
    return citing or places
