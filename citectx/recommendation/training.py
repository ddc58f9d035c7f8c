"""Weights for fields: lrec2016's hill climbing, a standard optimiser, and the ranks both need.

What a weight can change is little: coord, idf, term frequencies and norms are fixed, and queryNorm
is the same for all articles of a query. So for each pair of a term and a candidate the leaves
√tf · idf² · norm are kept by field. A new weight for one field changes only the pairs which that
field holds:

    best' = max(weight · leaf, best without this field)

and the scores change by a sparse product. Ranks under weights that were tried before are
remembered, since folds and settings begin alike. Scores are those of
`citectx.recommendation.lucene` but for queryNorm, in 64 bits.

>>> gains([1, 2, 200, 201, float("inf")]).round(3).tolist()
[1.443, 0.91, 0.189, 0.0, 0.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError, unknown
from citectx.recommendation.collection import Citation, Collection, pmc_number
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.types import Floats, Ints

Folds = Literal["order", "article"]

DEPTH = 200
"""Articles of the unweighted run that are ranked again, and the last rank that counts."""

STEPS = (-1.0, 6.0, -2.0)
"""Source: lrec2016 §4: weights move by −1, 6 and −2 in sequence."""

PASSES = 3
"""Source: lrec2016 §4: at least three iterations."""

_GRID = 2.0**36  # gains are rounded to it before they are added up
_FINE = 30  # bits behind the point of the optimiser's weights
_COARSE = 20  # and of likelihoods and slopes
_TIE = 1e-9  # relative: what is closer than this differs by rounding only
_SURE = 1e-5  # relative: what is further apart is so in Lucene's 32 bits as well


class Query(NamedTuple):
    """A citation in the numbers of an index.

    Parameters
    ----------
    terms : int array
        Different ones, and −1 for each that no article holds.
    target : int
        Number of the cited article.
    barred : int array
        Numbers of articles that may not be recommended: the citing one, if it is in the collection.
    """

    terms: Ints
    target: int
    barred: Ints

    @classmethod
    def of(cls, citation: Citation, collection: Collection, ages: Ints | None = None) -> Self:
        """Look up a citation's terms and articles; given the articles' `ages`, bar later ones."""
        terms = [collection.term_number.get(term, -1) for term in citation.terms]
        own = collection.doc_number.get(citation.citing_id)
        barred = np.array([] if own is None else [own], dtype=np.int64)
        if ages is not None:
            later = np.flatnonzero(ages >= pmc_number(citation.citing_id))
            barred = np.union1d(barred, later)
        target = collection.doc_number[citation.target_id]
        return cls(np.array(terms, dtype=np.int64), target, barred)

    def known(self) -> Ints:
        """Return the terms that an article holds, in the index's order."""
        return np.sort(self.terms[self.terms >= 0])


def candidates(
    index: FieldedIndex, query: Query, pairs: sp.csr_array, depth: int | None = DEPTH
) -> Ints:
    """Return the articles that compete for a query, in the index's order.

    Parameters
    ----------
    index : FieldedIndex
    query : Query
    pairs : CSR array, shape (terms, docs)
        Numbers of the pairs of the query's terms.
    depth : int or None
        How many of the unweighted run; None for all that hold a term.
    """
    scores = _unweighted(index, query, pairs)
    found = np.flatnonzero(scores > 0)
    if depth is None or len(found) <= depth:
        return found
    lowest = np.partition(scores, -depth)[-depth]
    found = np.flatnonzero(scores >= lowest * (1 - _SURE))
    if len(found) == depth:
        return found
    exact = index.scores(query.terms)  # the last place is a tie, or nearly
    exact[query.barred] = -np.inf
    return np.sort(best(exact, depth))


def _unweighted(index: FieldedIndex, query: Query, pairs: sp.csr_array) -> Floats:
    """Score all articles with weights of 1, in 64 bits, but for factors that all share."""
    hits = np.bincount(pairs.indices, minlength=index.n_docs)
    sums = np.bincount(pairs.indices, index.best_leaves[pairs.data], index.n_docs)
    scores = np.asarray(sums * hits)
    scores[query.barred] = 0.0
    return scores


def _in_the_way(target: Floats, usual: Floats) -> Floats:
    """Return the lowest scores, shape (n, 2), above a target: of articles behind and before it.

    Among equals the article that comes first in the index wins, as in Lucene. `usual` is the
    target's score under weights of 1: next to it, what rounding leaves of a score of 0 is nothing.
    """
    margin = _TIE * np.maximum(target, usual)
    return np.stack([np.nextafter(target + margin, np.inf), target - margin], axis=-1)


def unweighted_ranks(index: FieldedIndex, queries: Sequence[Query]) -> Floats:
    """Rank each query's target among all articles with weights of 1; infinite if it has no term."""
    ranks = np.full(len(queries), np.inf)
    for i, query in enumerate(queries):
        scores = _unweighted(index, query, index.by_term[query.known()])
        target = scores[query.target]
        if target > 0:
            behind, before = _in_the_way(target, target)
            rivals = np.count_nonzero(scores[: query.target] >= before)
            rivals += np.count_nonzero(scores[query.target :] >= behind)
            ranks[i] = 1.0 + rivals
    return ranks


@dataclass
class Rescorer:
    """All queries of a class over their candidates; a row is a query's candidate.

    Parameters
    ----------
    first : int array, shape (queries + 1,)
        Where each query's rows begin; candidates are in the index's order.
    target_row : int array, shape (queries,)
        Row of the cited article, −1 if it is not a candidate.
    coord : float array, shape (rows,)
        Share of its query's terms that a row's article holds.
    rows : CSC array, shape (rows, pairs)
        Not 0 for each pair of term and article that makes up a row.
    leaves : CSR array, shape (pairs, fields)
        What each field that holds a pair would contribute at weight 1; pairs of most fields come
        first.

    Attributes
    ----------
    query : int array, shape (rows,)
        Number of each row's query.
    remembered : dict
        Ranks under the weights that were tried, by the weights' bytes.
    """

    first: Ints
    target_row: Ints
    coord: Floats
    rows: sp.csc_array
    leaves: sp.csr_array

    def __post_init__(self) -> None:
        by_field = self.leaves.tocsc()
        self._held = np.split(by_field.indices, by_field.indptr[1:-1])  # pairs of each field
        self._by_field = [self.rows[:, held] for held in self._held]
        ones = np.ones(self.rows.nnz)  # only once: a whole collection has gigabytes of them
        for matrix in (self.rows, *self._by_field):
            matrix.data = ones[: matrix.nnz]
        self._layers = {field: self._layers_of(field) for field in (None, *range(self.fields))}
        self.query = np.repeat(np.arange(len(self)), np.diff(self.first))
        self._target = np.maximum(self.target_row, 0)
        before = np.arange(len(self.query)) < self._target[self.query]
        self._bound = 2 * self.query + before
        self.remembered: dict[bytes, NDArray[np.float32]] = {}
        self.weights: Floats = np.full(self.fields, np.nan)
        self._best: Floats = np.zeros(self.leaves.shape[0])
        self._sums: Floats = np.zeros(len(self.coord))
        self.set(np.ones(self.fields))
        self._usual = self.scores[self._target] if len(self.scores) else self.scores

    def _layers_of(self, field: int | None) -> list[tuple[NDArray[Any], Floats]]:
        """Return the first field and leaf of each pair, the second of those that have two, ...

        Pairs are those that a field holds, or all.
        """
        pairs = slice(None) if field is None else self._held[field]
        first = self.leaves.indptr[:-1][pairs]
        sizes = np.diff(self.leaves.indptr)[pairs]
        layers = []
        for i in range(sizes.max(initial=0)):
            at = first[: np.count_nonzero(sizes > i)] + i
            layers.append((self.leaves.indices[at], self.leaves.data[at]))
        return layers

    @classmethod
    def of(cls, index: FieldedIndex, queries: Sequence[Query], depth: int | None = DEPTH) -> Self:
        """Gather what the weights can change: pairs of a query's term and one of its candidates."""
        first, targets = [0], []
        sizes, columns, coords = [], [], []
        for query in queries:
            of_terms = index.by_term[query.known()]
            found = candidates(index, query, of_terms, depth)
            place = np.searchsorted(found, query.target)
            is_candidate = query.target in found[place : place + 1]
            targets.append(first[-1] + place if is_candidate else -1)
            first.append(first[-1] + len(found))
            terms_held, pairs = _by_candidate(of_terms, found)
            sizes.append(terms_held)
            columns.append(pairs)
            coords.append(terms_held / len(query.terms))
        ends = np.cumsum(np.concatenate([[0], *sizes]))
        used, column = _numbered(index, np.concatenate(columns))
        del columns  # for a whole collection it is large
        ends = ends.astype(sp.get_index_dtype(maxval=len(column)))
        shape = (len(ends) - 1, len(used))
        rows = sp.csr_array((np.ones(len(column), np.int8), column, ends), shape=shape)
        leaves = sp.csr_array(
            (index.leaves, index.field, index.pairs),
            shape=(len(index.pairs) - 1, len(index.fields)),
        )
        coord = np.concatenate(coords)
        return cls(np.array(first), np.array(targets), coord, rows.tocsc(), leaves[used])

    def __len__(self) -> int:
        return len(self.target_row)

    @property
    def fields(self) -> int:
        """How many weights there are."""
        return int(self.leaves.shape[1])

    def set(self, weights: ArrayLike) -> Floats:
        """Set all weights and return the scores of all rows; cheap if only one weight is new."""
        new = np.array(weights, dtype=np.float64)
        changed = np.flatnonzero(new != self.weights)
        if len(changed) == 1 < self.fields:
            field = int(changed[0])
            self._sums = self._sums_with(field, new[field])
            self._best[self._held[field]] = self._highest(new, field)
        else:
            self._best = self._highest(new)
            self._sums = self.rows @ self._best
        self.weights = new
        self.scores: Floats = self.coord * self._sums
        return self.scores

    def _highest(self, weights: Floats, field: int | None = None) -> Floats:
        """Return the highest value of each pair (that a field holds) under some weights."""
        best = np.zeros(len(self._held[field]) if field is not None else self.leaves.shape[0])
        for fields, leaf in self._layers[field]:
            part = best[: len(leaf)]
            np.maximum(part, weights[fields] * leaf, out=part)
        return best

    def with_weight(self, field: int, weight: float) -> Floats:
        """Return the scores that a new weight for one field would make, without setting it."""
        return np.asarray(self.coord * self._sums_with(field, weight))

    def _sums_with(self, field: int, weight: float) -> Floats:
        """Return the scores of `with_weight` without coord."""
        weights = self.weights.copy()
        weights[field] = weight
        change = self._highest(weights, field) - self._best[self._held[field]]
        return np.asarray(self._by_field[field] @ change + self._sums)

    def tried(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
        """Return the ranks under some weights of which one is changed; they are computed once."""
        trial = weights.copy()
        if weight is not None:
            trial[field] = weight
        key = trial.tobytes()
        if key not in self.remembered:
            if (weights != self.weights).any():
                self.set(weights)
            self.remembered[key] = self.ranks(self.with_weight(field, trial[field])).astype(
                np.float32
            )
        return self.remembered[key].astype(np.float64)

    def ranks(self, scores: Floats | None = None) -> Floats:
        """Rank of each query's target, from 1; infinite if it is not a candidate."""
        scores = self.scores if scores is None else scores
        if not len(scores):  # no query finds anything
            return np.full(len(self), np.inf)
        lowest = _in_the_way(scores[self._target], self._usual).ravel()
        above = scores >= lowest[self._bound]
        before = np.concatenate([[0], np.cumsum(above, dtype=np.int32)])
        counts = np.diff(before[self.first])
        return np.where(self.target_row >= 0, counts + 1.0, np.inf)

    def speaking(self, weights: Floats) -> tuple[NDArray[Any], Floats]:
        """Return which field each pair has its value from, the first among equals, and its leaf."""
        best = np.zeros_like(self._best)
        layer = np.zeros(len(best), dtype=np.int8)
        for i, (field, leaf) in enumerate(self._layers[None]):
            value, part = weights[field] * leaf, slice(len(leaf))
            layer[part][value > best[part]] = i
            np.maximum(best[part], value, out=best[part])
        at = self.leaves.indptr[:-1] + layer
        return self.leaves.indices[at], np.where(best > 0, self.leaves.data[at], 0.0)


def _by_candidate(of_terms: sp.csr_array, found: Ints) -> tuple[Ints, NDArray[np.int32]]:
    """Order pairs of terms and articles by candidate.

    Returns
    -------
    terms_held : int array, shape (candidates,)
    pairs : int32 array
        Those of the first candidate, then those of the second ...
    """
    number = np.full(of_terms.shape[1], -1, dtype=np.int32)  # of each candidate
    number[found] = np.arange(len(found))
    row = number[of_terms.indices]
    kept = np.flatnonzero(row >= 0)
    order = kept[np.argsort(row[kept], kind="stable")]
    return np.bincount(row[kept], minlength=len(found)), of_terms.data[order].astype(np.int32)


def _numbered(index: FieldedIndex, pairs: NDArray[np.int32]) -> tuple[Ints, NDArray[np.int32]]:
    """Number the pairs that are used, those of most fields first; return them and the numbers."""
    is_used = np.zeros(len(index.pairs) - 1, dtype=bool)
    is_used[pairs] = True
    used = np.flatnonzero(is_used)
    used = used[np.argsort(-np.diff(index.pairs)[used], kind="stable")]
    number = np.zeros(len(is_used), dtype=np.int32)
    number[used] = np.arange(len(used))
    return used, number[pairs]


def gains(ranks: ArrayLike, *, normalised: bool = False, depth: int = DEPTH) -> Floats:
    """Gain of each query by the rank of its one relevant article: 1 / ln(rank + 1) to `depth`.

    Source: lrec2016 §4 (NDCG). Ambiguity: the paper names NDCG without a formula; the public code
    of its time has 1 / ln(rank + 1), which is 1.44 at rank 1. With `normalised` it is 1 / log₂(rank
    + 1), which is 1 there. Improvements in percent are the same.
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
        ``order``: k runs of equal length, as in the paper, so that an article may be on both sides
        of a border. ``article``: the same, but a border moves to the nearest place between two
        articles.

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
        raise ParameterError(f"{n} citations cannot be split into {k} folds")
    by_order = np.arange(n)
    for i, part in enumerate(np.array_split(np.arange(n), k)):
        by_order[part] = i
    if how == "order":
        return by_order
    if how != "article":
        raise unknown("kind of folds", how, ("order", "article"))
    names, which = np.unique(np.asarray(articles), return_inverse=True)
    middle = [np.median(np.flatnonzero(which == i)) for i in range(len(names))]
    fold_of_article = by_order[np.round(middle).astype(int)]
    return np.asarray(fold_of_article[which])


def climb(
    queries: Rescorer,
    train: NDArray[np.bool_],
    *,
    steps: Sequence[float] = STEPS,
    restarts: int = 0,
    seed: int = 0,
) -> Floats:
    """Train weights by the paper's hill climbing, shape (fields,).

    A pass tries each step in turn, on each field in turn, and keeps a change only if the mean gain
    over the training queries grows. Passes go on while there were fewer than `PASSES`, or while the
    last one improved something.

    Source: lrec2016 §4. Ambiguity: the paper does not say in which order fields and steps come, nor
    what happens below 0; as in the public code, fields are the inner loop and 0 is the lowest
    weight.

    Parameters
    ----------
    queries : Rescorer
    train : bool array, shape (queries,)
    steps : sequence of float
    restarts : int
        Climb not only from 1 everywhere but again from this many random weights of 0 to 7; the best
        is kept, the first among equals.
    seed : int
        Of the random weights.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 8, size=(restarts, queries.fields)).astype(np.float64)
    found = [_climb(queries, train, steps, start) for start in (np.ones(queries.fields), *drawn)]
    weights, _ = max(found, key=lambda one: one[1])
    return weights


def _climb(
    queries: Rescorer, train: NDArray[np.bool_], steps: Sequence[float], weights: Floats
) -> tuple[Floats, float]:
    """Climb from some weights; return those at the top, and their mean gain."""
    score = mean_gain(queries.tried(weights), train)
    done, improved = 0, True
    while done < PASSES or improved:
        done, improved = done + 1, False
        for step, field in product(steps, range(queries.fields)):
            new = max(0.0, weights[field] + step)
            if new == weights[field]:
                continue
            higher = mean_gain(queries.tried(weights, field, new), train)
            if higher > score:
                score, improved = higher, True
                weights[field] = new
    return weights, score


def mean_gain(ranks: Floats, train: NDArray[np.bool_]) -> float:
    """Mean gain of the training queries, of gains whose sum is exact in any order."""
    return float(np.round(gains(ranks)[train] * _GRID).sum() / _GRID / train.sum())


def listwise(rescorer: Rescorer, train: NDArray[np.bool_]) -> Floats:
    """Train weights by a standard optimiser, for comparison, shape (fields,).

    Maximises the likelihood of the cited article under a softmax over each query's candidates
    (ListNet with one relevant article) by L-BFGS-B, weights at least 0, from 1 everywhere. A
    query's scores are divided by their standard deviation under equal weights, so that long queries
    do not outvote short ones.

    The objective has kinks, where a last digit can decide which way the optimiser goes. So weights,
    likelihood and slopes are rounded before it sees them: the order of the queries makes no
    difference. What the optimiser itself computes by BLAS still can, on another processor.

    Parameters
    ----------
    rescorer : Rescorer
    train : bool array, shape (queries,)
        Queries whose target is not a candidate are left out.
    """
    from scipy.optimize import minimize  # a quarter of a second to import

    start, query, n = np.ones(rescorer.fields), rescorer.query, len(rescorer)
    used = train & (rescorer.target_row >= 0)
    target = rescorer.target_row[used]
    deviation = _deviations(rescorer.set(start), query, n)
    scale = rescorer.coord / np.where(deviation > 0, deviation, 1.0)[query]

    def loss(unrounded: Floats) -> tuple[float, Floats]:
        weights = on_grid(unrounded, _FINE)
        speaks, leaf = rescorer.speaking(weights)
        scaled = scale * (rescorer.rows @ (weights[speaks] * leaf))
        logs = _log_softmax(scaled, query, n)
        error = np.exp(logs)  # probability of each candidate, less 1 for the target
        error[target] -= 1.0
        of_pair = rescorer.rows.T @ np.where(used[query], error * scale, 0.0)
        slopes = np.bincount(speaks, of_pair * leaf, len(weights))
        rounded = on_grid(np.append(slopes, -logs[target].sum()), _COARSE)
        return float(rounded[-1]), rounded[:-1]

    bounds = [(0, None)] * len(start)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 40}
    )
    return on_grid(found.x, _FINE)


def on_grid(values: NDArray[np.floating], bits: int) -> Floats:
    """Round to multiples of 2⁻ᵇⁱᵗˢ.

    >>> on_grid(np.array([0.3, 1.0]), 2).tolist()
    [0.25, 1.0]
    """
    return np.asarray(np.rint(values * 2.0**bits) * 2.0**-bits)


def _deviations(scores: Floats, query: Ints, n: int) -> Floats:
    """Standard deviation of each query's scores, shape (n,)."""
    sizes = np.maximum(np.bincount(query, minlength=n), 1)
    mean = np.bincount(query, scores, n) / sizes
    squares = np.bincount(query, (scores - mean[query]) ** 2, n)
    return np.sqrt(squares / sizes)


def _log_softmax(scores: Floats, query: Ints, n: int) -> Floats:
    """Logarithm of each candidate's probability among those of its query."""
    top = np.full(n, -np.inf)
    np.maximum.at(top, query, scores)
    shifted = scores - top[query]
    sums = np.bincount(query, np.exp(shifted), n)
    return np.asarray(shifted - np.log(sums)[query])
