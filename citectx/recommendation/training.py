"""Weights for fields: lrec2016's hill climbing, and a standard optimiser beside it.

>>> from citectx.recommendation.training import gains
>>> gains([1, 2, 200, 201, float("inf")]).round(3).tolist()
[1.443, 0.91, 0.189, 0.0, 0.0]
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from citectx.errors import ParameterError, unknown
from citectx.recommendation.rescoring import DEPTH, Rescorer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Folds = Literal["order", "article"]

STEPS = (-1.0, 6.0, -2.0)
"""Source: lrec2016 §4: weights move by −1, 6 and −2 in sequence."""

PASSES = 3
"""Source: lrec2016 §4: at least three iterations."""

_GRID = 2.0**36  # gains are rounded to it before they are added up


def gains(ranks: ArrayLike, *, normalised: bool = False, depth: int = DEPTH) -> Floats:
    """Gain of each query whose single relevant article has a rank: 1 / ln(rank + 1), 0 beyond `depth`.

    Source: lrec2016 §4 (NDCG). Ambiguity: the paper names NDCG without a formula; the public code of its time
    has 1 / ln(rank + 1), which is 1.44 at rank 1. With `normalised` it is 1 / log₂(rank + 1), which is 1
    there. Improvements in percent are the same.
    """
    ranks = np.asarray(ranks, dtype=np.float64)
    found = np.where(ranks <= depth, 1.0 / np.log(ranks + 1.0), 0.0)
    return found * np.log(2.0) if normalised else found


def folds(articles: Sequence[str], k: int = 4, how: Folds = "order") -> Ints:
    """Return which fold each citation is tested in.

    Parameters
    ----------
    articles : sequence of str
        The citing article of each citation, in order.
    k : int
    how : {"order", "article"}
        ``order``: k runs of equal length, as in the paper, so that an article may be on both sides of a
        border. ``article``: the same, but a border moves to the nearest place between two articles.

    Raises
    ------
    ParameterError
        If there are fewer citations than folds.

    Examples
    --------
    >>> folds(list("aaaabbb"), 3).tolist(), folds(list("aaaabbcc"), 3, "article").tolist()
    ([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 2, 2])
    """
    n = len(articles)
    if n < k:
        raise ParameterError(f"{n} citations cannot be parted into {k} folds")
    parts = [np.full(len(part), i) for i, part in enumerate(np.array_split(np.arange(n), k))]
    by_order = np.concatenate(parts)
    if how == "order":
        return by_order
    if how != "article":
        raise unknown("kind of folds", how, ("order", "article"))
    names, which = np.unique(np.asarray(articles), return_inverse=True)
    middle = np.array([np.median(np.flatnonzero(which == i)) for i in range(len(names))])
    by_article: Ints = by_order[np.round(middle).astype(int)][which]
    return by_article


class Climb(NamedTuple):
    """What hill climbing came to.

    Parameters
    ----------
    weights : float array, shape (fields,)
    score : float
        Mean gain over the training queries.
    tried : int
        Weight changes that were scored.
    passes : int
    """

    weights: Floats
    score: float
    tried: int
    passes: int


def climb(
    queries: Rescorer,
    train: NDArray[np.bool_],
    *,
    steps: Sequence[float] = STEPS,
    passes: int = PASSES,
    start: Floats | None = None,
) -> Climb:
    """Train weights by the paper's hill climbing.

    A pass tries each step in turn, on each field in turn, and keeps a change only if the mean gain over the
    training queries grows. Passes go on while there were fewer than `passes`, or while the last one improved
    something.

    Source: lrec2016 §4. Ambiguity: the paper does not say in which order fields and steps come, nor what
    happens below 0; as in the public code, fields are the inner loop and 0 is the lowest weight.

    Parameters
    ----------
    queries : Rescorer
    train : bool array, shape (queries,)
    steps : sequence of float
    passes : int
    start : float array, shape (fields,), optional
        By default 1 everywhere.
    """
    weights = np.ones(queries.fields) if start is None else start.copy()
    best = _mean_gain(queries.tried(weights), train)
    tried = done = 0
    improved = True
    while done < passes or improved:
        improved = False
        for step in steps:
            for field in range(queries.fields):
                new = max(0.0, weights[field] + step)
                if new == weights[field]:
                    continue
                tried += 1
                score = _mean_gain(queries.tried(weights, field, new), train)
                if score > best:
                    best, improved = score, True
                    weights[field] = new
        done += 1
    return Climb(weights, best, tried, done)


def climb_again(queries: Rescorer, train: NDArray[np.bool_], restarts: int, *, seed: int = 0) -> Climb:
    """Climb from 1 everywhere and from random weights of 0 to 7; keep the best, the first among equals."""
    rng = np.random.default_rng(seed)
    starts = [None, *rng.integers(0, 8, size=(restarts, queries.fields)).astype(np.float64)]
    found = [climb(queries, train, start=start) for start in starts]
    best = max(found, key=lambda one: one.score)
    return best._replace(tried=sum(one.tried for one in found))


def _mean_gain(ranks: Floats, train: NDArray[np.bool_]) -> float:
    """Mean gain of the training queries, of gains whose sum is exact in any order."""
    return float(np.round(gains(ranks)[train] * _GRID).sum() / _GRID / train.sum())


def listwise(rescorer: Rescorer, train: NDArray[np.bool_], *, iterations: int = 40) -> Climb:
    """Train weights by a standard optimiser, for comparison.

    Maximises the likelihood of the cited article under a softmax over each query's candidates (ListNet with
    one relevant article) by L-BFGS-B, weights at least 0, from 1 everywhere. A query's scores are divided by
    their standard deviation under equal weights, so that long queries do not outvote short ones.

    Parameters
    ----------
    rescorer : Rescorer
    train : bool array, shape (queries,)
        Queries whose target is no candidate are left out.
    iterations : int
        At most.
    """
    start = np.ones(rescorer.fields)
    used = train & (rescorer.target_row >= 0)
    scale = rescorer.spread(rescorer.set(start))

    def loss(weights: Floats) -> tuple[float, Floats]:
        probability, likelihood = rescorer.softmax(rescorer.set(weights) / scale)
        probability[rescorer.target_row[used]] -= 1.0
        slope = np.where(rescorer.of_query(used), probability / scale, 0.0)
        return -float(likelihood[used].sum()), rescorer.slope(slope)

    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start), options={"maxiter": iterations}
    )
    score = float(gains(rescorer.ranks(rescorer.set(found.x)))[train].mean())
    return Climb(np.asarray(found.x), score, int(found.nfev), int(found.nit))
