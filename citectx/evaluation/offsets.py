"""Precision, recall and F over character offsets; nDCG of a ranking of candidate spans.

Spans may come in any order and overlap; a character counts once. Scores are fractions.

>>> candidates, gold = [(0, 10), (10, 20), (20, 30)], {"A": [(12, 18)], "B": [(18, 22)]}
>>> ranking = np.array([1, 0, 2])  # candidate 1 first, then 0, then 2
>>> round(ndcg(relevance(candidates, gold)[ranking]), 4)
0.9197
"""

from collections.abc import Mapping, Sequence
from itertools import chain, starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError
from citectx.types import Floats, Ints

Spans = Sequence[tuple[int, int]] | NDArray[np.integer]
"""A set of spans: pairs of offsets, or an integer array of shape (n, 2)."""
Gold = Mapping[str, Spans]
"""The evidence of each annotator, such as `Citance.gold`."""


class Scores(NamedTuple):
    """Precision, recall and their harmonic mean, as fractions.

    >>> Scores(0.5, 0.25, 1 / 3).precision
    0.5
    """

    precision: float
    recall: float
    f1: float


def union_scores(retrieved: Spans, gold: Gold) -> Scores:
    """Score retrieved spans against the union of the annotators' evidence.

    P = ``|S ∩ G| / |S|``, R = ``|S ∩ G| / |G|``; G has each character that any annotator marked.

    Source: sigir2017 §3.1 (c-P, c-R, c-F).
    Ambiguity: the paper does not say whether gold is the union of the annotators or each in turn
    (`weighted_scores`). Its human precision of 56.7 %, one annotator against the other three, is
    closer to the union's on our open corpus, so we take the union.
    Ambiguity: of overlapping or empty results the paper says nothing. A character counts once, and
    an empty result scores 0.

    >>> union_scores([(0, 10)], {"A": [(5, 10)], "B": [(5, 15)]})
    Scores(precision=0.5, recall=0.5, f1=0.5)
    """
    returned = characters(retrieved)
    marked = set.union(*evidence(gold))
    return scores(len(returned & marked), len(returned), len(marked))


def weighted_scores(retrieved: Spans, gold: Gold) -> Scores:
    """Score retrieved spans against each annotator, weighting a character by how many marked it.

    P = ``Σ_i |S ∩ G_i| / (M |S|)`` and R = ``Σ_i |S ∩ G_i| / Σ_i |G_i|`` over the M annotators.

    Source: naacl2015 Eq. 1.
    Ambiguity: M may count the annotators who found evidence or all who looked for it.
    `Citance.gold` holds the former, our choice. To count all, pass the others with an empty tuple.

    >>> weighted_scores([(0, 10)], {"A": [(5, 10)], "B": [(5, 15)]})
    Scores(precision=0.5, recall=0.6666666666666666, f1=0.5714285714285714)
    """
    returned = characters(retrieved)
    marked = evidence(gold)
    hits = sum(len(returned & other) for other in marked)
    return scores(hits, len(marked) * len(returned), sum(map(len, marked)))


def union_f1_by_row(returned: Ints, marked: Ints) -> Floats:
    """Return the F1 of `union_scores` for many citances at once, shape (citances,).

    `returned` and `marked` have the shape (citances, n, 2), where n may differ. Spans of a citance
    must not overlap (`cut_overlaps`); empty ones fill up its row.

    >>> union_f1_by_row(np.array([[(0, 10), (0, 0)]]), np.array([[(5, 15)]]))
    array([0.5])
    """
    lengths = np.diff(returned).sum(axis=(1, 2)) + np.diff(marked).sum(axis=(1, 2))
    return 2 * count_marked(returned, marked).sum(axis=1) / lengths


def count_marked(spans: Ints, marked: Ints) -> Ints:
    """Count the marked characters of each span, shape (citances, spans).

    `spans` and `marked` have the shape (citances, n, 2), where n may differ.

    >>> count_marked(np.array([[(0, 10), (20, 30)]]), np.array([[(5, 22)]]))
    array([[5, 2]])
    """
    start, end = np.moveaxis(spans[:, :, None], -1, 0)  # (citances, spans, 1)
    first, last = np.moveaxis(marked[:, None], -1, 0)  # (citances, 1, marked)
    shared = np.minimum(end, last) - np.maximum(start, first)  # negative where they are apart
    return np.maximum(shared, 0).sum(axis=-1)


def cut_overlaps(spans: Ints) -> Ints:
    """Sort the spans of each row, and cut off what an earlier one holds, shape (rows, n, 2).

    >>> cut_overlaps(np.array([[(5, 9), (0, 6), (1, 2)]])).tolist()
    [[[0, 6], [6, 6], [6, 9]]]
    """
    order = np.argsort(spans[:, :, 0], axis=1, kind="stable")
    start, end = np.moveaxis(np.take_along_axis(spans, order[:, :, None], axis=1), -1, 0)
    reached = np.maximum.accumulate(end, axis=1)  # by a span and those before it
    start[:, 1:] = np.maximum(start[:, 1:], reached[:, :-1])
    return np.stack([start, np.maximum(start, end)], axis=-1)


def precision_at(ranked_spans: Spans, gold: Gold, k: int) -> float:
    """Score the precision of the first `k` spans, best first, against the union of the annotators.

    Source: sigir2017 §3.1 (c-P@K).
    Ambiguity: the paper says neither which units are ranked nor what happens to overlapping
    results. We pool the characters of the first `k` results that the system returns.

    >>> precision_at([(0, 10), (20, 40), (90, 99)], {"A": [(5, 25)]}, k=1)
    0.5
    """
    return union_scores(ranked_spans[:k], gold).precision


def characters(spans: Spans) -> set[int]:
    """Return the places of all characters in some spans.

    >>> characters([(0, 3), (2, 5)])
    {0, 1, 2, 3, 4}
    """
    return {*chain.from_iterable(starmap(range, spans))}


def evidence(gold: Gold) -> list[set[int]]:
    """Return the characters that each annotator marked; an error if nobody marked any.

    >>> evidence({"A": [(0, 3)], "B": ()})
    [{0, 1, 2}, set()]
    """
    marked = [characters(spans) for spans in gold.values()]
    if not any(marked):
        raise ParameterError("no annotator marked any evidence: leave such a citance out")
    return marked


def scores(hits: int, retrieved: int, relevant: int) -> Scores:
    """Compute precision, recall and F1 from counts; 0 where nothing could match.

    >>> scores(1, 2, 4)
    Scores(precision=0.5, recall=0.25, f1=0.3333333333333333)
    """
    precision = hits / max(retrieved, 1)
    recall = hits / max(relevant, 1)
    return Scores(precision, recall, 2 * hits / max(retrieved + relevant, 1))


def relevance(candidates: Spans, gold: Gold) -> Ints:
    """Judge each candidate: 1 if it overlaps any annotator's evidence, else 0, shape (n,).

    Source: sigir2017 §3.1 (any partial overlap is a hit).
    Ambiguity: by the paper's wording, one shared character makes a candidate relevant. One gold
    sentence then makes up to fifteen windows of one to five sentences relevant: compare nDCG only
    between systems that rank the same candidates.

    >>> relevance([(0, 10), (5, 15), (30, 40)], {"A": [(9, 12)], "B": [(14, 20)]})
    array([1, 1, 0])
    """
    start, end = np.reshape(candidates, (-1, 2)).T[..., None]
    first, last = np.reshape([*chain.from_iterable(gold.values())], (-1, 2)).T
    hits = (start < last) & (first < end)  # (n, marked spans)
    return hits.any(axis=1).astype(np.int64)


def ndcg(ranked: ArrayLike, ideal: ArrayLike | None = None) -> float:
    """Compare the discounted gain of a ranking with that of the best possible one.

    nDCG = DCG / ideal DCG, with DCG = ``Σ gain(rank) / log2(rank + 1)``. `ranked` holds the gains
    by rank, `ideal` those of all candidates, if the ranking holds only some of them.

    Source: sigir2017 §3.1; Järvelin and Kekäläinen 2002.
    Ambiguity: the paper gives no cut-off. We score the whole ranking.
    Ambiguity: nor which candidates the ideal ranking holds. Ours holds *all*, so that a system does
    not gain by returning little.
    Ambiguity: nor gain and discount. Our gain is the relevance itself, our discount as above;
    the original ``log2(rank)`` leaves rank 2 undiscounted.
    Ambiguity: where no candidate is relevant (all evidence is in a heading, say), nDCG is 0/0. We
    count 0: there was evidence, and it was not found.

    >>> round(ndcg([1, 0], ideal=[0, 1, 1]), 4)
    0.6131
    """
    best = dcg(np.sort(ranked if ideal is None else ideal)[::-1])
    return min(dcg(ranked) / best, 1.0) if best else 0.0


def dcg(gains: ArrayLike) -> float:
    """Σ gain(rank) / log2(rank + 1).

    >>> round(dcg([1, 1]), 4)  # 1 / log2(2) + 1 / log2(3)
    1.6309
    """
    discounts = np.log2(np.arange(2, np.size(gains) + 2))
    return float(np.sum(gains / discounts))
