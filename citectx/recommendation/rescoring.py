"""Scores of a class's queries under changing weights, without asking the index again.

What a weight can change is little: coord, idf, term frequencies and norms are fixed, and queryNorm is the
same for all articles of a query. So for each term t and candidate d the leaves √tf · idf² · norm are kept by
field, with the best weighted leaf, its field, and the best of the other fields. A new weight for one field
then changes only terms and articles that this field holds:

    best' = max(weight · leaf, best without this field)

and the scores change by a sparse product. Scores are those of `citectx.recommendation.lucene` but for
queryNorm, in 64 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.recommendation.collection import Collection
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.queries import Citation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEPTH = 200
"""Articles of the unweighted run that are ranked anew, and the last rank that counts."""

_TIE = 1e-9  # relative: what is closer than this differs by rounding only


class Query(NamedTuple):
    """A citation in the numbers of an index.

    Parameters
    ----------
    terms : int array
        −1 for a term that no article holds.
    target : int
        Number of the cited article.
    own : int
        Number of the citing article if it can be recommended itself, else −1; it is no candidate.
    """

    terms: Ints
    target: int
    own: int

    @classmethod
    def of(cls, citation: Citation, collection: Collection) -> Self:
        """Look a citation's terms and articles up."""
        number = collection.term_number
        terms = np.array([number.get(term, -1) for term in citation.terms], dtype=np.int64)
        own = collection.doc_number.get(citation.citing_id, -1)
        return cls(terms, collection.doc_number[citation.target_id], own)


def candidates(index: FieldedIndex, query: Query, depth: int | None = DEPTH) -> Ints:
    """Return the articles that compete for a query, in the index's order.

    Parameters
    ----------
    index : FieldedIndex
    query : Query
    depth : int or None
        How many of the unweighted run; None for all that hold a term.
    """
    scores = index.scores(query.terms)
    if query.own >= 0:
        scores[query.own] = -np.inf
    if depth is None:
        return np.flatnonzero(np.isfinite(scores))
    order = np.argsort(-scores, kind="stable")[:depth]
    return np.sort(order[np.isfinite(scores[order])])


@dataclass
class Rescorer:
    """All queries of a class over their candidates; a row is a query's candidate.

    Parameters
    ----------
    first : int array, shape (queries + 1,)
        Where each query's rows begin; candidates are in the index's order.
    target_row : int array, shape (queries,)
        Row of the cited article, −1 where it is no candidate.
    rows : CSR array, shape (rows, pairs)
        coord, for each pair of term and article that makes up a row; and by field, the columns of its pairs.
    held : list of int arrays, one a field
        Pairs that the field holds.
    leaves : list of float arrays, one a field
        Their leaves.
    """

    first: Ints
    target_row: Ints
    rows: sp.csr_array
    held: list[Ints]
    leaves: list[Floats]

    def __post_init__(self) -> None:
        columns = self.rows.tocsc()
        self._by_field = [columns[:, held].tocsr() for held in self.held]
        self._query = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        self._threshold_row = np.where(self.target_row >= 0, self.target_row, 0)
        self.set(np.ones(len(self.held)))

    @classmethod
    def of(cls, index: FieldedIndex, queries: Sequence[Query], depth: int | None = DEPTH) -> Self:
        """Gather what the weights can change."""
        terms = np.unique(np.concatenate([q.terms[q.terms >= 0] for q in queries]))
        number, held, leaves = _pairs(index, terms)
        sizes: list[int] = []
        targets, parts = [], []
        for query in queries:
            found = candidates(index, query, depth)
            at = np.searchsorted(found, query.target)
            hit = at < len(found) and found[at] == query.target
            targets.append(sum(sizes) + at if hit else -1)
            sizes.append(len(found))
            own, times = np.unique(query.terms[query.terms >= 0], return_counts=True)
            sub = number[np.searchsorted(terms, own)][:, found].tocoo()
            coord = np.bincount(sub.col, weights=times[sub.row], minlength=len(found)) / len(query.terms)
            row = sub.col.astype(np.int32) + np.int32(sum(sizes[:-1]))
            parts.append((row, sub.data.astype(np.int32) - 1, coord[sub.col] * times[sub.row]))
        row, column, value = (np.concatenate(column) for column in zip(*parts, strict=True))
        del parts  # for a whole collection it is large
        n_pairs = int(number.data.max(initial=0))
        rows = sp.csr_array((value, (row, column)), shape=(sum(sizes), n_pairs))
        return cls(np.concatenate([[0], np.cumsum(sizes)]), np.array(targets), rows, held, leaves)

    def __len__(self) -> int:
        return len(self.target_row)

    def set(self, weights: ArrayLike) -> Floats:
        """Set all weights; give the scores of all rows."""
        self.weights = np.array(weights, dtype=np.float64)
        shape = self.rows.shape[1]
        self._best, self._second = np.zeros(shape), np.zeros(shape)
        self._winner = np.full(shape, -1)
        for field, (held, leaves) in enumerate(zip(self.held, self.leaves, strict=True)):
            own = self.weights[field] * leaves
            wins = own > self._best[held]
            self._second[held] = np.where(wins, self._best[held], np.maximum(self._second[held], own))
            self._best[held] = np.where(wins, own, self._best[held])
            self._winner[held[wins]] = field
        self.scores: Floats = self.rows @ self._best
        return self.scores

    def with_weight(self, field: int, weight: float) -> Floats:
        """Return the scores that a new weight for one field would make, without setting it."""
        held = self.held[field]
        others = np.where(self._winner[held] == field, self._second[held], self._best[held])
        change = np.maximum(weight * self.leaves[field], others) - self._best[held]
        changed: Floats = self.scores + self._by_field[field] @ change
        return changed

    def ranks(self, scores: Floats | None = None) -> Floats:
        """Rank of each query's target, from 1; infinite where it is no candidate.

        Among equals the article that comes first in the index wins, as in Lucene.
        """
        scores = self.scores if scores is None else scores
        target = scores[self._threshold_row][self._query]
        margin = _TIE * np.abs(target)
        above = scores > target + margin
        equal = np.abs(scores - target) <= margin
        above |= equal & (np.arange(len(scores)) < self._threshold_row[self._query])
        counts = np.add.reduceat(np.append(above, False), self.first[:-1], dtype=np.int64)
        counts = np.where(np.diff(self.first) > 0, counts, 0)
        return np.where(self.target_row >= 0, counts + 1.0, np.inf)

    def of_query(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Repeat a value of each query for each of its rows."""
        return values[self._query]

    def spread(self, scores: Floats) -> Floats:
        """Standard deviation of the scores of each row's query; 1 where all are equal."""
        size = np.maximum(np.bincount(self._query, minlength=len(self)), 1)
        mean = np.bincount(self._query, weights=scores, minlength=len(self)) / size
        squares = np.bincount(self._query, weights=(scores - mean[self._query]) ** 2, minlength=len(self))
        deviation = np.sqrt(squares / size)
        return np.where(deviation > 0, deviation, 1.0)[self._query]

    def softmax(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return each row's probability within its query, and the log likelihood of each query's target."""
        top = np.full(len(self), -np.inf)
        np.maximum.at(top, self._query, scores)
        shifted = scores - top[self._query]
        total = np.bincount(self._query, weights=np.exp(shifted), minlength=len(self))
        logs = shifted - np.log(total)[self._query]
        return np.exp(logs), logs[self._threshold_row]

    def slope(self, rows: Floats) -> Floats:
        """Turn the slope of an objective over the rows into its slope over the weights."""
        pairs = self.rows.T @ rows
        return np.array(
            [
                float((pairs[held] * leaves)[self._winner[held] == field].sum())
                for field, (held, leaves) in enumerate(zip(self.held, self.leaves, strict=True))
            ]
        )


def _pairs(index: FieldedIndex, terms: Ints) -> tuple[sp.csr_array, list[Ints], list[Floats]]:
    """Number the pairs of term and article; give, by field, which it holds and with which leaves."""
    cells, values = [], []
    for field in range(len(index.fields)):
        which, at = index.postings(field, terms)
        docs = index.docs[at].astype(np.int64)
        idf = index.idf[field, terms[which]].astype(np.float64)
        cells.append(which * index.n_docs + docs)
        values.append(index.tf[at].astype(np.float64) * idf * idf * index.norm[field, docs])
    known = np.unique(np.concatenate(cells))
    shape = (len(terms), index.n_docs)
    number = sp.csr_array((np.arange(1, len(known) + 1), np.divmod(known, index.n_docs)), shape=shape)
    return number, [np.searchsorted(known, own) for own in cells], values
