"""Weights for fields: lrec2016's hill climbing, and the ranks that it needs.

Weights change neither coord, idf, term frequencies nor norms. So the leaves √tf · idf² · norm are
computed once, for each pair of a term and a candidate, by field; a new weight changes only the
pairs of its field. Ranks under weights tried before are remembered.

>>> gains([1, 2, 200, 201, float("inf")]).round(3).tolist()
[1.443, 0.91, 0.189, 0.0, 0.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, product
from typing import Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.recommendation.collection import Citation, Collection, pmc_number
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.types import Floats, Ints

Folds = Literal["order", "article"]
Layer = tuple[NDArray[np.int32], Floats]

DEPTH = 200
"""Articles of the unweighted run that are ranked again, and the last rank that counts."""

STEPS = (-1.0, 6.0, -2.0)
"""Source: lrec2016 §4: weights move by −1, 6 and −2 in sequence."""

PASSES = 3
"""Source: lrec2016 §4: at least three iterations."""

TIE = 1e-9
"""Relative: what is closer than this differs by rounding only."""


class Query(NamedTuple):
    """A citation in the numbers of an index."""

    terms: Ints
    """All different, but for −1 for each that no article holds."""
    target: int
    """The cited article."""
    barred: Ints
    """Articles that may not be recommended: the citing one, if it is in the collection."""

    @classmethod
    def of(cls, citation: Citation, collection: Collection, ages: Ints | None = None) -> Self:
        """Look up a citation's terms and articles; given the articles' `ages`, bar later ones."""
        terms = [collection.term_number.get(term, -1) for term in citation.terms]
        barred = np.array([], dtype=np.int64)
        if ages is not None:
            barred = np.flatnonzero(ages >= pmc_number(citation.citing_id))
        if citation.citing_id in collection.doc_number:
            barred = np.append(barred, collection.doc_number[citation.citing_id])
        target = collection.doc_number[citation.target_id]
        return cls(np.array(terms, dtype=np.int64), target, barred)

    def scores(self, index: FieldedIndex) -> Floats:
        """Score all articles with weights of 1; −inf for those that are barred."""
        scores = index.scores(self.terms)
        scores[self.barred] = -np.inf
        return scores

    def rank(self, index: FieldedIndex) -> float:
        """Rank the target among all articles with weights of 1; infinite if it has no term."""
        order = best(self.scores(index), None)
        place = np.flatnonzero(order == self.target)
        return float(place[0] + 1) if len(place) else np.inf


@dataclass
class Rescorer:
    """All queries of a class over their candidates; a row is a query's candidate.

    `reachable`, shape (queries,), says whether the target is a candidate; other queries have no
    rows. `first`, shape (reachable queries,), is where each one's rows begin, and `target` the row
    of the cited article. `coord` is that of each row; `rows`, shape (rows, pairs), has 1 for each
    pair of term and article in it; `leaves`, shape (pairs, fields), is what each field adds at
    weight 1. Pairs of most fields come first.
    """

    reachable: NDArray[np.bool_]
    first: Ints
    target: Ints
    coord: Floats
    rows: sp.csc_array
    leaves: sp.csr_array

    def __post_init__(self) -> None:
        by_field = self.leaves.tocsc()
        self._held = held = np.split(by_field.indices, by_field.indptr[1:-1])  # pairs of each field
        self._layers = [layers_of(self.leaves[pairs]) for pairs in held]
        self._all_layers = layers_of(self.leaves)
        self._rows = [self.rows[:, pairs] for pairs in held]
        ones = np.ones(self.rows.nnz)  # only once: a whole collection has gigabytes of them
        for matrix in (self.rows, *self._rows):
            matrix.data = ones[: matrix.nnz]
        self._ranks: dict[bytes, Floats] = {}  # by the bytes of weights
        self._set(np.ones(self.fields))

        n = len(self.coord)
        self._query = np.repeat(np.arange(len(self.first)), np.diff(self.first, append=n))
        usual = (self.coord * self._sums)[self.target][self._query]
        is_ahead = np.arange(n) < self.target[self._query]  # of equals the first wins
        self._slack = TIE * np.where(is_ahead, -usual, usual)

    @classmethod
    def of(cls, index: FieldedIndex, queries: Sequence[Query], depth: int = DEPTH) -> Self:
        """Gather what weights can change: the terms of queries in their `depth` best articles."""
        ranked = [best(query.scores(index), depth) for query in queries]
        both = list(zip(queries, map(np.sort, ranked), strict=True))
        is_reachable = [query.target in candidates for query, candidates in both]
        both = list(compress(both, is_reachable))
        lengths = [len(candidates) for _, candidates in both]
        sizes = np.array(lengths, dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        places = [candidates.searchsorted(query.target) for query, candidates in both]
        target = first + np.array(places, dtype=np.int64)

        rows = [np.zeros(0, np.int32)]
        pairs = [np.zeros(0, np.int32)]
        for (query, candidates), start in zip(both, first, strict=True):
            number = np.full(index.pairs.shape[1], -1, dtype=np.int32)
            number[candidates] = start + np.arange(len(candidates))
            held = index.held(query.terms)
            row = number[held.indices]
            rows.append(row[row >= 0])
            pairs.append(held.data[row >= 0])
        row = np.concatenate(rows)
        pair = np.concatenate(pairs)
        terms = [len(query.terms) for query, _ in both]
        coord = np.bincount(row) / np.repeat(terms, sizes)

        shape = len(coord), index.leaves.shape[0]
        ones = np.ones(len(row), np.int8)
        of_rows = sp.csc_array((ones, (row, pair)), shape=shape)
        used = np.flatnonzero(np.diff(of_rows.indptr))
        fields_of_pair = np.diff(index.leaves.indptr)[used]
        used = used[np.argsort(-fields_of_pair, kind="stable")]
        reachable = np.array(is_reachable)
        of_rows = of_rows[:, used]
        return cls(reachable, first, target, coord, of_rows, index.leaves[used])

    @property
    def fields(self) -> int:
        """How many weights there are."""
        return int(self.leaves.shape[1])

    def _set(self, weights: Floats) -> None:
        self._weights = weights.copy()
        self._best = highest(self._all_layers, weights)  # (pairs,)
        self._sums = np.asarray(self.rows @ self._best)  # (rows,)

    def tried(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
        """Return the rank of each query's target under weights of which one is changed.

        It counts from 1, and is infinite for a target that is not a candidate.
        """
        trial = weights.copy()
        if weight is not None:
            trial[field] = weight
        key = trial.tobytes()
        if key not in self._ranks:
            if (weights != self._weights).any():
                self._set(weights)
            change = highest(self._layers[field], trial) - self._best[self._held[field]]
            sums = self._sums + self._rows[field] @ change
            self._ranks[key] = self.ranks(self.coord * sums)
        return self._ranks[key]

    def ranks(self, scores: Floats) -> Floats:
        """Rank each query's target by the scores of all rows."""
        of_target = scores[self.target][self._query]
        is_above = scores - of_target > self._slack
        above = np.bincount(self._query[is_above], minlength=len(self.first))
        ranks = np.full(len(self.reachable), np.inf)
        ranks[self.reachable] = above + 1.0
        return ranks


def layers_of(leaves: sp.csr_array) -> list[Layer]:
    """Return the first field and leaf of each pair, the second of those that have two, and so on.

    Pairs of most fields come first, so each layer is about the first pairs.
    """
    sizes = np.diff(leaves.indptr)
    layers = []
    for i in range(sizes.max(initial=0)):
        at = leaves.indptr[:-1][sizes > i] + i
        layers.append((leaves.indices[at], leaves.data[at]))
    return layers


def highest(layers: Sequence[Layer], weights: Floats) -> Floats:
    """Return what the best field adds to each pair; much faster than a maximum for each pair."""
    best = np.zeros(len(layers[0][1]) if layers else 0)
    for field, leaf in layers:
        part = best[: len(leaf)]
        np.maximum(part, weights[field] * leaf, out=part)
    return best


def gains(ranks: ArrayLike, *, normalised: bool = False, depth: int = DEPTH) -> Floats:
    """Return the gain of each query by the rank of its one relevant article.

    Source: lrec2016 §4 (NDCG). Ambiguity: the paper names NDCG without a formula; the public code
    of its time has 1 / ln(rank + 1), which is 1.44 at rank 1. With `normalised` it is 1 / log₂(rank
    + 1), which is 1 there. Improvements in percent are the same.
    """
    ranks = np.asarray(ranks, dtype=np.float64)
    gain = 1.0 / np.log(ranks + 1.0)
    gain = np.where(ranks <= depth, gain, 0.0)
    return gain * np.log(2.0) if normalised else gain


def folds(articles: Sequence[str], k: int = 4, how: Folds = "order") -> Ints:
    """Return in which of k folds each citation is tested, given their citing articles in order.

    By ``order``, folds are runs of equal length, as in the paper, so that an article may be on both
    sides of a border. By ``article``, a border moves to the nearest place between two articles.

    >>> folds(list("aaaabbb"), 3).tolist(), folds(list("aaaabbcc"), 3, "article").tolist()
    ([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 2, 2])
    """
    runs = np.array_split(np.arange(len(articles)), k)
    sizes = [len(run) for run in runs]
    by_order = np.repeat(range(k), sizes)
    if how == "order":
        return by_order
    names, which = np.unique(np.asarray(articles), return_inverse=True)
    middle = [np.median(np.flatnonzero(which == i)) for i in range(len(names))]
    fold_of_article = by_order[np.round(middle).astype(int)]
    return np.asarray(fold_of_article[which])


def climb(queries: Rescorer, train: NDArray[np.bool_], *, steps: Sequence[float] = STEPS) -> Floats:
    """Train weights by the paper's hill climbing, from 1 everywhere, shape (fields,).

    Source: lrec2016 §4. A pass tries each step on each field, and keeps a change by which the mean
    gain grows, until `PASSES` are done and the last one improved nothing.
    Ambiguity: the paper does not say in which order fields and steps come, nor what happens below
    0; as in the public code, fields are the inner loop and 0 is the lowest weight. It speaks of
    restarts without saying how many, or from where; the public code has none.
    """
    weights = np.ones(queries.fields)
    score = mean_gain(queries.tried(weights), train)
    done, improved = 0, True
    while done < PASSES or improved:
        done, improved = done + 1, False
        for step, field in product(steps, range(queries.fields)):
            new = max(0.0, weights[field] + step)
            higher = mean_gain(queries.tried(weights, field, new), train)
            if higher > score:
                weights[field], score, improved = new, higher, True
    return weights


def mean_gain(ranks: Floats, train: NDArray[np.bool_]) -> float:
    """Mean gain of the training queries; rounded, so that the order of a sum decides nothing."""
    return round(float(gains(ranks)[train].mean()), 11)
