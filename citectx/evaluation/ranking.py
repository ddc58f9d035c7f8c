"""Normalised discounted cumulative gain (nDCG) of a ranking of candidate spans.

>>> candidates, gold = [(0, 10), (10, 20), (20, 30)], {"A": [(12, 18)], "B": [(18, 22)]}
>>> relevance(candidates, gold)
array([0, 1, 1])
>>> ranking = np.array([1, 0, 2])  # candidate 1 first, then 0, then 2
>>> round(ndcg(relevance(candidates, gold)[ranking]), 4)
0.9197
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError
from citectx.evaluation.offsets import Gold, IntArray, Spans, overlap_matrix

FloatArray = NDArray[np.float64]


def relevance(candidates: Spans, gold: Gold) -> IntArray:
    """Judge each candidate by whether it overlaps the evidence.

    Parameters
    ----------
    candidates : (n, 2) integers
    gold : mapping of annotator to spans

    Returns
    -------
    (n,) array of int
        1 where any annotator's evidence is overlapped, else 0.

    Raises
    ------
    ParameterError
        If no annotator marked anything, or a span is empty, negative or not a pair of whole numbers.

    Notes
    -----
    Source: sigir2017 §3.1 (any partial overlap is a hit).

    Ambiguity: one shared character makes a candidate relevant, as the paper's wording has it. Candidates that
    contain one another are then relevant together: with windows of one to five sentences, one gold sentence
    makes up to fifteen of them relevant, and a ranking of near-duplicates still scores well. Compare nDCG
    only between systems that rank the same candidates.

    Examples
    --------
    >>> relevance([(0, 10), (5, 15), (30, 40)], {"A": [(9, 12)], "B": [(14, 20)]})
    array([1, 1, 0])
    """
    if not any(map(len, gold.values())):
        raise ParameterError("no annotator marked any evidence: leave such a citance out before scoring")
    marked = [span for spans in gold.values() for span in spans]
    return (overlap_matrix(candidates, marked) > 0).astype(np.int64)


def ndcg(ranked: ArrayLike, k: int | None = None, ideal: ArrayLike | None = None) -> float:
    """Compare the discounted gain of a ranking with that of the best possible one.

    nDCG = DCG / ideal DCG, with DCG = ``Σ gain(rank) / log2(rank + 1)``.

    Parameters
    ----------
    ranked : (m,) numbers
        Relevance of the results, best rank first.
    k : int, optional
        Only the first `k` ranks count, in the ranking and in the ideal.
    ideal : (n,) numbers, optional
        Relevance of all candidates in any order, where the ranking holds only some of them; by default the
        ranking is taken to hold them all.

    Returns
    -------
    float
        In [0, 1]; 0 if no candidate is relevant.

    Raises
    ------
    ParameterError
        If `k` is below 1, a relevance is negative or not a number, or the ranking gains
        more than the ideal (which then does not hold all candidates).

    Notes
    -----
    Source: sigir2017 §3.1; Järvelin and Kekäläinen 2002.

    Ambiguity: the paper gives no cut-off; we score the whole ranking by default.

    Ambiguity: it does not say what the ideal ranking holds. We sort the relevance of *all* candidates, so
    that a system cannot gain by returning little.

    Ambiguity: gain and discount are not given. The gain is the relevance itself (for 0 and 1 the exponential
    gain is the same), the discount ``log2(rank + 1)``; the original one, ``log2(rank)``, spares rank 2.

    Ambiguity: where no candidate is relevant (all evidence in a heading, say) the measure is 0/0. We count 0:
    the evidence was there and was not found.

    Examples
    --------
    >>> round(ndcg([0, 1, 1]), 4)
    0.6934
    >>> round(ndcg([1, 0], ideal=[0, 1, 1]), 4)
    0.6131
    """
    if k is not None and k < 1:
        raise ParameterError(f"k must be at least 1, not {k}")
    gains = _gains(ranked)
    best = _dcg(np.sort(gains if ideal is None else _gains(ideal))[::-1][:k])
    gained = _dcg(gains[:k])
    if gained > best * (1 + 1e-12):
        raise ParameterError("the ranking gains more than the ideal: `ideal` must hold every candidate")
    return min(gained / best, 1.0) if best else 0.0


def _gains(relevances: ArrayLike) -> FloatArray:
    gains = np.asarray(relevances, dtype=np.float64)
    if gains.ndim != 1 or not (np.isfinite(gains) & (gains >= 0)).all():
        raise ParameterError("relevance must be a row of finite numbers, none below 0")
    return gains


def _dcg(gains: FloatArray) -> float:
    return float(np.sum(gains / np.log2(np.arange(2.0, len(gains) + 2))))
