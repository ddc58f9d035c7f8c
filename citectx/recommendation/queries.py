"""From a citation to a query: the sentences around it, without anything that reveals what is cited.

What we saw in the 2,420 marks of Citation-Integrity: most are one number of a bracketed group, some are glued
to a word (``described31338``, where 38 is the mark and 313 another), some are the year behind names that are
not marked.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from citectx.corpora.fulltext import CitationMark
from citectx.corpora.model import Document
from citectx.language.text import citation_markers
from citectx.recommendation.collection import LabelledSentences, words
from citectx.types import Span

PLACEHOLDER = "⟦⟧"
"""Replaces a citation; it holds no letter or digit, so it yields no term."""

_STOP = frozenset("the and or not of to from by with a an in".split())


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a text without markers: no stop words, nothing that starts with a digit.

    Source: lrec2016 §4. Ambiguity: the list of stop words is not printed; eleven are known from the public
    code and we add "in". Ambiguity: the paper speaks of each distinct token; the public code is not clear
    about it.

    >>> query_terms("The arrest of 12 cells and the arrest of p53")
    ('arrest', 'cells', 'p53')
    """
    return tuple(dict.fromkeys(w for w in words(text) if w not in _STOP and not w[0].isdigit()))


class Citation(NamedTuple):
    """A citation whose target can be recommended.

    Parameters
    ----------
    citing_id, target_id : str
    kind : str
        Class of the sentence that cites.
    terms : tuple of str
        The query.
    place : int
        Where the marker starts in the citing article.
    """

    citing_id: str
    target_id: str
    kind: str
    terms: tuple[str, ...]
    place: int


def by_kind(citations: Iterable[Citation], limit: int | None = None, seed: int = 0) -> dict[str, tuple[Citation, ...]]:
    """Group citations by class, in order.

    Parameters
    ----------
    citations : iterable of Citation
    limit : int, optional
        Draw this many of a class that has more.
        Ambiguity: lrec2016 §6 takes at most 700 citations of a class, without saying which; we draw them over
        all citing articles.
    seed : int
    """
    groups: dict[str, list[Citation]] = {}
    for citation in citations:
        groups.setdefault(citation.kind, []).append(citation)
    rng = np.random.default_rng(seed)
    for kind, group in sorted(groups.items()):
        if limit is not None and len(group) > limit:
            groups[kind] = [group[i] for i in np.sort(rng.permutation(len(group))[:limit])]
    return {kind: tuple(group) for kind, group in sorted(groups.items())}


def conceal(text: str, marks: Sequence[Span]) -> str:
    """Replace known markers, and whatever else looks like one, by the same placeholder.

    Parameters
    ----------
    text : str
    marks : sequence of Span
        Known markers.

    Examples
    --------
    >>> conceal("As described31338, p53 of Doe et al. rests [3, 4].", [Span(15, 17)])
    'As described ⟦⟧ ⟦⟧ , p53 of ⟦⟧ rests ⟦⟧ .'
    """
    text = _replace(text, [*citation_markers(text), *(Span(a, b) for a, b in marks if a < b)])
    text = _replace(text, citation_markers(text))
    return " ".join(text.split())


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces, last = [], 0
    for start, end in sorted(spans):
        if start >= last:
            pieces.append(text[last:start])
        if not pieces or pieces[-1] != f" {PLACEHOLDER} ":
            pieces.append(f" {PLACEHOLDER} ")
        last = max(last, end)
    return "".join([*pieces, text[last:]])


def context(document: Document, spans: Sequence[Span], marks: Sequence[Span], sentence: int) -> str:
    """Return a citing sentence and one on either side, without markers.

    Source: lrec2016 §4. Ambiguity: the paper does not say whether a context may leave its paragraph; the
    public code's does.

    Parameters
    ----------
    document : Document
        The citing article.
    spans : sequence of Span
        Its sentences.
    marks : sequence of Span
        All its known markers.
    sentence : int
        Number of the sentence that cites.
    """
    pieces = []
    for start, end in spans[max(0, sentence - 1) : sentence + 2]:
        inside = [Span(max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start]
        pieces.append(conceal(document.text[start:end], inside))
    return " ".join(pieces)


def citations(
    marks: Sequence[CitationMark],
    citing: Sequence[Document],
    labels: Mapping[str, LabelledSentences],
    targets: Iterable[str],
) -> tuple[list[Citation], dict[str, int]]:
    """Turn citation marks into queries.

    Parameters
    ----------
    marks : sequence of CitationMark
    citing : sequence of Document
    labels : mapping of str to LabelledSentences
        Sentences of the citing articles.
    targets : iterable of str
        Articles that can be recommended.

    Returns
    -------
    citations : list of Citation
    left_out : dict of str to int
        How many marks yield none, by reason: the target is not in the collection, the mark is in no labelled
        sentence (a table, back matter), or no term is left.
    """
    known, documents = set(targets), {d.doc_id: d for d in citing}
    spans: dict[str, list[Span]] = {}
    for mark in marks:
        spans.setdefault(mark.citing_id, []).append(mark.span)
    kept: list[Citation] = []
    left_out: Counter[str] = Counter()
    for name, target, span, *_ in marks:
        own = labels.get(name)
        sentence = None if own is None else _sentence_at(own.spans, span.start)
        if target not in known:
            left_out["target outside the collection"] += 1
        elif own is None or sentence is None:
            left_out["not in a labelled sentence"] += 1
        else:
            terms = query_terms(context(documents[name], own.spans, spans[name], sentence))
            if terms:
                kept.append(Citation(name, target, own.classes[sentence], terms, span.start))
            else:
                left_out["empty query"] += 1
    return kept, dict(sorted(left_out.items()))


def _sentence_at(spans: Sequence[Span], place: int) -> int | None:
    i = bisect_right([start for start, _ in spans], place) - 1
    return i if i >= 0 and place < spans[i].end else None
