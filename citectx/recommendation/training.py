"""Weights for fields: lrec2016's hill climbing, a standard optimiser, and the ranks of queries they
both need.

What a weight can change is little: coord, idf, term frequencies and norms are fixed, and queryNorm
is the same for all articles of a query. So for each pair of a term and a candidate the leaves √tf ·
idf² · norm are kept by field. A new weight for one field changes only the pairs which that field
holds:

    best' = max(weight · leaf, best without this field)

and the scores change by a sparse product. Ranks under weights that were tried before are
remembered, since folds and settings begin alike. Scores are those of
`citectx.recommendation.lucene` but for queryNorm, in 64 bits.

>>> gains([1, 2, 200, 201, float("inf")]).round(3).tolist()
[1.443, 0.91, 0.189, 0.0, 0.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError, unknown
from citectx.recommendation.collection import Citation, Collection, pmc_number
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.networks import on_grid
from citectx.types import Floats, Ints

Folds = Literal["order", "article"]

DEPTH = 200
"""Articles of the unweighted run that are ranked again, and the last rank that counts."""

STEPS = (-1.0, 6.0, -2.0)
"""Source: lrec2016 §4: weights move by −1, 6 and −2 in sequence."""

PASSES = 3
"""Source: lrec2016 §4: at least three iterations."""

_GRID = 2.0**36  # gains are rounded to it before they are added up
_FINE, _COARSE = (
    30,
    20,
)  # bits behind the point of weights, and of what they lead to, for the optimiser
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
        """Look a citation's terms and articles up; with the articles' `ages`, bar those that came
        later.
        """
        number = collection.term_number
        terms = np.array([number.get(term, -1) for term in citation.terms], dtype=np.int64)
        barred = np.array(
            [i for i in [collection.doc_number.get(citation.citing_id)] if i is not None], int
        )
        if ages is not None:
            barred = np.union1d(barred, np.flatnonzero(ages >= pmc_number(citation.citing_id)))
        return cls(terms, collection.doc_number[citation.target_id], barred)


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
    """Score all articles with weights of 1, in 64 bits, but for factors that are the same for
    all.
    """
    hits = np.bincount(pairs.indices, minlength=index.n_docs)
    scores = np.bincount(pairs.indices, index.best_leaves[pairs.data], index.n_docs) * hits
    scores[query.barred] = 0.0
    return np.asarray(scores)


def _in_the_way(target: Floats, usual: Floats) -> Floats:
    """Return the lowest scores, shape (n, 2), of articles that rank above a target: behind it, and
    before it.

    Among equals the article that comes first in the index wins, as in Lucene. `usual` is the
    target's score under weights of 1: next to it, what rounding leaves of a score of 0 is nothing.
    """
    margin = _TIE * np.maximum(target, usual)
    return np.stack([np.nextafter(target + margin, np.inf), target - margin], axis=1)


def unweighted_ranks(index: FieldedIndex, queries: Sequence[Query]) -> Floats:
    """Rank of each query's target in the whole collection with weights of 1; infinite where it
    shares no term.
    """
    ranks = np.full(len(queries), np.inf)
    for i, query in enumerate(queries):
        scores = _unweighted(index, query, index.by_term[np.sort(query.terms[query.terms >= 0])])
        if (target := scores[[query.target]]) > 0:
            [(behind, before)] = _in_the_way(target, target)
            rivals = (scores[: query.target] >= before).sum() + (
                scores[query.target :] >= behind
            ).sum()
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
        Row of the cited article, −1 where it is no candidate.
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
    """

    first: Ints
    target_row: Ints
    coord: Floats
    rows: sp.csc_array
    leaves: sp.csr_array

    def __post_init__(self) -> None:
        by_field = self.leaves.tocsc()
        ends = by_field.indptr[1:-1]
        self._held, self._own = np.split(by_field.indices, ends), np.split(by_field.data, ends)
        self._by_field = [self.rows[:, held] for held in self._held]
        ones = np.ones(self.rows.nnz)
        for matrix in (self.rows, *self._by_field):
            matrix.data = ones[
                : matrix.nnz
            ]  # kept only once: a whole collection has gigabytes of them
        self._of_field: dict[int | None, list[tuple[NDArray[Any], Floats]]] = {}
        self.query = np.repeat(np.arange(len(self)), np.diff(self.first))
        self._target = np.where(self.target_row >= 0, self.target_row, 0)
        before = np.arange(len(self.query)) < self._target[self.query]
        self._bound = 2 * self.query + before
        self._ranks: dict[bytes, NDArray[np.float32]] = {}
        self._best: Floats = np.zeros(self.leaves.shape[0])
        self._sums: Floats = np.zeros(len(self.coord))
        self.weights = np.full(self.fields, np.nan)
        self.set(np.ones(self.fields))
        self._usual = self.scores[self._target] if len(self.scores) else self.scores

    def _layers(self, held_by: int | None = None) -> list[tuple[NDArray[Any], Floats]]:
        """Return the first field and leaf of each pair (that a field holds), the second of those
        that have two, ...
        """
        if held_by not in self._of_field:
            pairs = slice(None) if held_by is None else self._held[held_by]
            first, sizes = self.leaves.indptr[:-1][pairs], np.diff(self.leaves.indptr)[pairs]
            places = (first[: np.count_nonzero(sizes > i)] + i for i in range(sizes.max(initial=0)))
            self._of_field[held_by] = [
                (self.leaves.indices[at], self.leaves.data[at]) for at in places
            ]
        return self._of_field[held_by]

    @classmethod
    def of(cls, index: FieldedIndex, queries: Sequence[Query], depth: int | None = DEPTH) -> Self:
        """Gather what the weights can change: pairs of a query's term and one of its candidates."""
        first, targets, parts = [0], [], []
        for query in queries:
            of_terms = index.by_term[np.sort(query.terms[query.terms >= 0])]
            found = candidates(index, query, of_terms, depth)
            place = np.searchsorted(found, query.target)
            hit = place < len(found) and found[place] == query.target
            targets.append(first[-1] + place if hit else -1)
            first.append(first[-1] + len(found))
            number = np.full(index.n_docs, -1, dtype=np.int32)  # of each candidate
            number[found] = np.arange(len(found))
            row = number[of_terms.indices]
            kept = np.flatnonzero(row >= 0)
            sizes = np.bincount(row[kept], minlength=len(found))
            by_candidate = kept[np.argsort(row[kept], kind="stable")]
            parts.append(
                (sizes, of_terms.data[by_candidate].astype(np.int32), sizes / len(query.terms))
            )
        sizes, column, coord = (np.concatenate(each) for each in zip(*parts, strict=True))
        del parts  # for a whole collection it is large
        is_used = np.zeros(len(index.pairs) - 1, dtype=bool)
        is_used[column] = True
        used = np.flatnonzero(is_used)
        used = used[np.argsort(-np.diff(index.pairs)[used], kind="stable")]
        renumbered = np.zeros(len(is_used), dtype=np.int32)
        renumbered[used] = np.arange(len(used))
        column = renumbered[column]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(
            sp.get_index_dtype(maxval=len(column))
        )
        rows = np.ones(len(column), np.int8), column, ends
        leaves = (index.leaves, index.field, index.pairs)
        return cls(
            np.array(first),
            np.array(targets),
            coord,
            sp.csr_array(rows, shape=(len(sizes), len(used))).tocsc(),
            sp.csr_array(leaves, shape=(len(is_used), len(index.fields)))[used],
        )

    def __len__(self) -> int:
        return len(self.target_row)

    @property
    def fields(self) -> int:
        """How many weights there are."""
        return int(self.leaves.shape[1])

    def set(self, weights: ArrayLike) -> Floats:
        """Set all weights; return the scores of all rows. It is cheap where only one weight is
        new.
        """
        new = np.array(weights, dtype=np.float64)
        changed = np.flatnonzero(new != self.weights).tolist()
        only = changed[0] if len(changed) == 1 < self.fields else None
        held = None if only is None else self._held[only]
        best, second = np.zeros((2, len(self._best) if held is None else len(held)))
        for field, leaf in self._layers(only):
            value, n = new[field] * leaf, len(leaf)
            np.maximum(second[:n], np.minimum(value, best[:n]), out=second[:n])
            np.maximum(best[:n], value, out=best[:n])
        if only is None:
            self._sums, self._best, self._second = self.rows @ best, best, second
        else:
            self._sums = self._sums_with(only, new[only])
            self._best[held], self._second[held] = best, second
        self.weights = new
        self.scores: Floats = self.coord * self._sums
        self._without: dict[int, tuple[Floats, Floats]] = {}
        self._last: tuple[int, float, Floats] | None = None
        return self.scores

    def with_weight(self, field: int, weight: float) -> Floats:
        """Return the scores that a new weight for one field would make, without setting it."""
        return np.asarray(self.coord * self._sums_with(field, weight))

    def _sums_with(self, field: int, weight: float) -> Floats:
        """Return the scores without coord; those just tried are at hand when the weight is kept."""
        if self._last and self._last[:2] == (field, weight):
            return self._last[2]
        held, own = self._held[field], self._own[field]
        if field not in self._without:
            best = self._best[held]
            others = np.where(self.weights[field] * own == best, self._second[held], best)
            self._without[field] = best, others
        best, others = self._without[field]
        sums: Floats = (
            self._by_field[field] @ (np.maximum(weight * own, others) - best) + self._sums
        )
        self._last = field, weight, sums
        return sums

    def tried(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
        """Return the ranks under some weights of which one is changed; they are computed once."""
        trial = weights.copy()
        trial[field] = weights[field] if weight is None else weight
        key = trial.tobytes()
        if key not in self._ranks:
            if (weights != self.weights).any():
                self.set(weights)
            self._ranks[key] = self.ranks(self.with_weight(field, trial[field])).astype(np.float32)
        return self._ranks[key].astype(np.float64)

    def ranks(self, scores: Floats | None = None) -> Floats:
        """Rank of each query's target, from 1; infinite where it is no candidate."""
        scores = self.scores if scores is None else scores
        if not len(scores):  # no query finds anything
            return np.full(len(self), np.inf)
        above = scores >= _in_the_way(scores[self._target], self._usual).ravel()[self._bound]
        counts = np.diff(np.concatenate([[0], np.cumsum(above, dtype=np.int32)])[self.first])
        return np.where(self.target_row >= 0, counts + 1.0, np.inf)

    def speaking(self, weights: Floats) -> tuple[NDArray[Any], Floats]:
        """Return which field each pair has its value from, the first among equals, and that field's
        leaf.
        """
        best, layer = np.zeros_like(self._best), np.zeros(len(self._best), dtype=np.int8)
        for i, (field, leaf) in enumerate(self._layers()):
            value, n = weights[field] * leaf, len(leaf)
            np.maximum(layer[:n], (value > best[:n]) * np.int8(i), out=layer[:n])
            np.maximum(best[:n], value, out=best[:n])
        at = self.leaves.indptr[:-1] + layer
        return self.leaves.indices[at], np.where(best > 0, self.leaves.data[at], 0.0)


def gains(ranks: ArrayLike, *, normalised: bool = False, depth: int = DEPTH) -> Floats:
    """Gain of each query whose single relevant article has a rank: 1 / ln(rank + 1), 0 beyond
    `depth`.

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
    """What training came to: weights, their mean gain over the training queries, and how many were
    tried.
    """

    weights: Floats
    score: float
    tried: int


def climb(
    queries: Rescorer,
    train: NDArray[np.bool_],
    *,
    steps: Sequence[float] = STEPS,
    restarts: int = 0,
    seed: int = 0,
) -> Climb:
    """Train weights by the paper's hill climbing.

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
    starts = [
        np.ones(queries.fields),
        *rng.integers(0, 8, size=(restarts, queries.fields)).astype(np.float64),
    ]
    found = [_climb(queries, train, steps, start) for start in starts]
    highest = max(found, key=lambda one: one.score)
    return highest._replace(tried=sum(one.tried for one in found))


def _climb(
    queries: Rescorer, train: NDArray[np.bool_], steps: Sequence[float], weights: Floats
) -> Climb:
    score = _mean_gain(queries.tried(weights), train)
    tried = done = 0
    improved = True
    while done < PASSES or improved:
        done, improved = done + 1, False
        for step in steps:
            for field in range(queries.fields):
                new = max(0.0, weights[field] + step)
                if new == weights[field]:
                    continue
                tried += 1
                higher = _mean_gain(queries.tried(weights, field, new), train)
                if higher > score:
                    score, improved = higher, True
                    weights[field] = new
    return Climb(weights, score, tried)


def _mean_gain(ranks: Floats, train: NDArray[np.bool_]) -> float:
    """Mean gain of the training queries, of gains whose sum is exact in any order."""
    return float(np.round(gains(ranks)[train] * _GRID).sum() / _GRID / train.sum())


def listwise(rescorer: Rescorer, train: NDArray[np.bool_]) -> Climb:
    """Train weights by a standard optimiser, for comparison.

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
        Queries whose target is no candidate are left out.
    """
    start, query, n = np.ones(rescorer.fields), rescorer.query, len(rescorer)
    used = train & (rescorer.target_row >= 0)
    target = rescorer.target_row[used]
    scores = rescorer.set(start)
    mean = np.bincount(query, scores, n) / np.maximum(np.bincount(query, minlength=n), 1)
    squares = np.bincount(query, (scores - mean[query]) ** 2, n)
    deviation = np.sqrt(squares / np.maximum(np.bincount(query, minlength=n), 1))
    scale = rescorer.coord / np.where(deviation > 0, deviation, 1.0)[query]

    def loss(unrounded: Floats) -> tuple[float, Floats]:
        weights = on_grid(unrounded, _FINE)
        speaks, leaf = rescorer.speaking(weights)
        scaled, top = scale * (rescorer.rows @ (weights[speaks] * leaf)), np.full(n, -np.inf)
        np.maximum.at(top, query, scaled)
        shifted = scaled - top[query]
        logs = shifted - np.log(np.bincount(query, np.exp(shifted), n))[query]
        error = np.exp(logs)  # probability of each candidate, less 1 for the target
        error[target] -= 1.0
        of_pair = rescorer.rows.T @ np.where(used[query], error * scale, 0.0)
        slopes = np.bincount(speaks, of_pair * leaf, len(weights))
        rounded = on_grid(np.append(slopes, -logs[target].sum()), _COARSE)
        return float(rounded[-1]), rounded[:-1]

    from scipy.optimize import minimize  # a quarter of a second to import

    bounds = [(0, None)] * len(start)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 40}
    )
    weights = on_grid(found.x, _FINE)
    return Climb(weights, _mean_gain(rescorer.ranks(rescorer.set(weights)), train), int(found.nfev))
