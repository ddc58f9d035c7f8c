"""Weights for fields: lrec2016's hill climbing, and the ranks that it needs.

Weights change neither coord, idf, term frequencies nor norms. So the leaves √tf · idf² · norm are
computed once, for each pair of a term and a candidate, by field. No score per class would do: each
term chooses its best field anew. Ranks under weights tried before are remembered.

>>> gains([1, 2, 200, 201, float("inf")]).round(3).tolist()
[1.443, 0.91, 0.189, 0.0, 0.0]
"""

from collections.abc import Sequence
from itertools import compress, product
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.recommendation.collection import Citation, Collection, pmc_number
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.types import Floats, Ints

Folds = Literal["order", "article"]
Numbers = NDArray[np.int32]
Layer = tuple[Numbers, Floats]

DEPTH = 200
"""How many articles of the unweighted run are ranked again, and the last rank that counts."""

STEPS = (-1.0, 6.0, -2.0)
"""How weights move, one step after another: by −1, 6 and −2. Source: lrec2016 §4."""

PASSES = 3
"""How often all steps are tried at least. Source: lrec2016 §4."""

TIE = 1e-9
"""Scores that differ by a smaller share than this differ by rounding only."""


class Query(NamedTuple):
    """A citation in the numbers of an index."""

    terms: Ints
    """The numbers of the terms, all different; each that no article holds is −1."""
    target: int
    """The cited article."""
    barred: Ints
    """Articles that may not be recommended: the citing one, if it is in the collection."""

    @classmethod
    def of(cls, citation: Citation, collection: Collection, ages: Ints | None = None) -> Self:
        """Look up a citation's terms and articles; given the articles' `ages`, bar later ones."""
        terms = [collection.term_number.get(term, -1) for term in citation.terms]
        barred = np.array([], int)
        if ages is not None:
            barred = np.flatnonzero(ages >= pmc_number(citation.citing_id))
        elif citation.citing_id in collection.doc_number:
            barred = np.array([collection.doc_number[citation.citing_id]])
        target = collection.doc_number[citation.target_id]
        return cls(np.array(terms, int), target, barred)

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


class Rescorer:
    """All queries of a class over their `depth` best articles, ranked again under other weights.

    A row is a query's candidate, and a pair is a term and an article that holds it. A row's score
    is coord times the sum of what the best field of each of its pairs adds::

        rows                 pairs              leaves: what fields add at weight 1
        query 0, d7 ─┬────── "cells" in d7 ──── Bac .3, Met .2
                     └────── "rest" in d7 ───── Met .8
        query 0, d9 ──────── "rest" in d9 ───── Bac .5
        query 1, d7 ──────── "cells" in d7, the same pair as above

    Queries have equally many rows, of which some may be empty; those whose target is no candidate
    have none. Another weight changes only the pairs that its field holds.
    """

    def __init__(self, index: FieldedIndex, queries: Sequence[Query], depth: int = DEPTH) -> None:
        ranked = [(query, np.sort(best(query.scores(index), depth))) for query in queries]
        self.reachable = np.array([query.target in candidates for query, candidates in ranked])
        asked = list(compress(ranked, self.reachable))
        places = [candidates.searchsorted(query.target) for query, candidates in asked]
        self.target = np.array(places, int)[:, None]  # (queries, 1)
        self.fields = len(index.idf)

        row, pair = pairs_in_rows(index, asked, depth)
        terms = np.array([len(query.terms) for query, _ in asked])
        hits = np.bincount(row, minlength=len(asked) * depth)
        by_query = hits.reshape(len(asked), depth)
        self.coord = by_query / terms[:, None]
        self._sort(row, pair, index.leaves)

        _, usual = self._scores(self._sums)
        # How far ahead of the target a candidate must be to beat it. One before it in the index may
        # be up to TIE behind, one after it must be TIE ahead: of equals the first wins.
        is_first = np.arange(depth) < self.target
        self._slack = TIE * np.where(is_first, -usual, usual)

    def _sort(self, row: Numbers, pair: Numbers, leaves: sp.csr_array) -> None:
        """Sort pairs and rows by field, and score all rows with weights of 1."""
        shape = self.coord.size, leaves.shape[0]
        rows = sp.csc_array((np.ones(len(row), np.int8), (row, pair)), shape=shape)
        used = np.flatnonzero(np.diff(rows.indptr))
        sizes = np.diff(leaves.indptr)[used]
        used = used[np.argsort(-sizes, kind="stable")]  # pairs of most fields first
        rows = rows[:, used]
        leaves = leaves[used]
        by_field = leaves.tocsc()
        self._pairs = np.split(by_field.indices, by_field.indptr[1:-1])  # that a field holds
        self._layers = [layers_of(leaves[pairs]) for pairs in self._pairs]
        self._rows: list[Any] = [rows[:, pairs].tocsr() for pairs in self._pairs]
        ones = np.ones(len(row))  # only once: they are many
        for matrix in self._rows:
            matrix.data = ones[: matrix.nnz]

        self._weights = np.ones(self.fields)
        self._best = highest_in_layers(layers_of(leaves), self._weights)  # (pairs,)
        self._sums: Any = rows @ self._best
        self._ranks: dict[bytes, Floats] = {}  # by the bytes of weights

    def ranks(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
        """Return the rank of each query's target under weights of which one is changed.

        It counts from 1, and is infinite for a target that is not a candidate.
        """
        trial = weights.copy()
        if weight is not None:
            trial[field] = weight
        key = trial.tobytes()
        if key not in self._ranks:
            self._move(weights)
            _, sums = self._change(trial, field)
            scores, of_target = self._scores(sums)
            ranks = np.full(len(self.reachable), np.inf)
            ranks[self.reachable] = 1 + (scores - of_target > self._slack).sum(axis=1)
            self._ranks[key] = ranks
        return self._ranks[key]

    def _move(self, weights: Floats) -> None:
        """Take other weights, one after another."""
        for field in np.flatnonzero(weights != self._weights).tolist():
            self._weights[field] = weights[field]
            self._best[self._pairs[field]], self._sums = self._change(self._weights, field)

    def _change(self, weights: Floats, field: int) -> tuple[Floats, Floats]:
        """Return the best of each pair of a field under new weights, and the sums of rows."""
        best = highest_in_layers(self._layers[field], weights)
        change = best - self._best[self._pairs[field]]
        return best, self._sums + self._rows[field] @ change

    def _scores(self, sums: Floats) -> tuple[Floats, Floats]:
        """Return the scores of all rows, (queries, rows), and of the targets, (queries, 1)."""
        scores = self.coord * sums.reshape(self.coord.shape)
        return scores, np.take_along_axis(scores, self.target, axis=1)


def pairs_in_rows(
    index: FieldedIndex, asked: Sequence[tuple[Query, Ints]], depth: int
) -> tuple[Numbers, Numbers]:
    """Return the row and the number of each pair of queries and their candidates."""
    none = np.zeros(0, np.int32)
    rows, pairs = [none], [none]
    for i, (query, candidates) in enumerate(asked):
        held = index.pairs_of(query.terms)[:, candidates]
        rows.append(i * depth + held.indices)
        pairs.append(held.data)
    return np.concatenate(rows), np.concatenate(pairs)


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


def highest_in_layers(layers: Sequence[Layer], weights: Floats) -> Floats:
    """Return what the best field adds to each pair; much faster than a maximum for each pair."""
    best = np.zeros(len(layers[0][1]) if layers else 0)
    for field, leaf in layers:
        part = best[: len(leaf)]
        np.maximum(part, weights[field] * leaf, out=part)
    return best


def gains(ranks: ArrayLike, *, normalised: bool = False) -> Floats:
    """Return the gain of each query by the rank of its one relevant article.

    Source: lrec2016 §4 (NDCG). Ambiguity: the paper names NDCG without a formula; the public code
    of its time has 1 / ln(rank + 1), which is 1.44 at rank 1. With `normalised` it is 1 / log₂(rank
    + 1), which is 1 there. Improvements in percent are the same.
    """
    ranks = np.asarray(ranks, float)
    gain = 1.0 / np.log(ranks + 1.0)
    gain = np.where(ranks <= DEPTH, gain, 0.0)
    return gain * np.log(2.0) if normalised else gain


def folds(articles: Sequence[str], k: int = 4, how: Folds = "order") -> Ints:
    """Return in which of k folds each citation is tested, given their citing articles in order.

    By ``order``, folds are runs of equal length, as in the paper, so that an article may be on both
    sides of a border. By ``article``, a border moves to the nearest place between two articles.

    >>> folds(list("aaaabbb"), 3).tolist(), folds(list("aaaabbcc"), 3, "article").tolist()
    ([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 2, 2])
    """
    sizes = [len(run) for run in np.array_split(articles, k)]
    by_order = np.repeat(range(k), sizes)
    if how == "order":
        return by_order
    places = pd.Series(range(len(articles)))
    middle = places.groupby([*articles]).transform("median")
    return by_order[middle.round().astype(int)]


def climb(queries: Rescorer, train: NDArray[np.bool_], *, steps: Sequence[float] = STEPS) -> Floats:
    """Train weights by the paper's hill climbing, from 1 everywhere, shape (fields,).

    Source: lrec2016 §4. A pass tries each step on each field, and keeps a change by which the mean
    gain grows, until `PASSES` are done and the last one improved nothing.
    Ambiguity: the paper does not say in which order fields and steps come, nor what happens below
    0; as in the public code, fields are the inner loop and 0 is the lowest weight. It speaks of
    restarts without saying how many, or from where; the public code has none.
    """
    weights = np.ones(queries.fields)
    score = mean_gain(queries.ranks(weights), train)
    done, improved = 0, True
    while done < PASSES or improved:
        done, improved = done + 1, False
        for step, field in product(steps, range(queries.fields)):
            new = max(0.0, weights[field] + step)
            higher = mean_gain(queries.ranks(weights, field, new), train)
            if higher > score:
                weights[field], score, improved = new, higher, True
    return weights


def mean_gain(ranks: Floats, train: NDArray[np.bool_]) -> float:
    """Mean gain of the training queries; rounded, so that the order of a sum decides nothing."""
    return round(float(gains(ranks)[train].mean()), 11)
