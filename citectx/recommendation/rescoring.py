"""Ranks of queries under changing weights, without asking the index again.

What a weight can change is little: coord, idf, term frequencies and norms are fixed, and queryNorm is the
same for all articles of a query. So for each pair of a term and a candidate the leaves √tf · idf² · norm are
kept by field, with the best weighted leaf, its field, and the best of the other fields. A new weight for one
field changes only the pairs which that field holds:

    best' = max(weight · leaf, best without this field)

and the scores change by a sparse product. Ranks under weights that were tried before are remembered, since
folds and settings begin alike. Scores are those of `citectx.recommendation.lucene` but for queryNorm, in 64
bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError
from citectx.recommendation.collection import Collection
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.queries import Citation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEPTH = 200
"""Articles of the unweighted run that are ranked again, and the last rank that counts."""

LARGE = 10_000_000
"""With at most this many pairs, those of each field are kept apart: faster, at three times the memory."""

_TIE = 1e-9  # relative: what is closer than this differs by rounding only


class Query(NamedTuple):
    """A citation in the numbers of an index.

    Parameters
    ----------
    terms : int array
        −1 for a term that no article holds.
    target : int
        Number of the cited article.
    barred : int array
        Numbers of articles that may not be recommended: the citing one, if it is in the collection.
    """

    terms: Ints
    target: int
    barred: Ints

    @classmethod
    def of(cls, citation: Citation, collection: Collection, *, earlier: bool = False) -> Self:
        """Look a citation's terms and articles up; bar later articles if only `earlier` ones may be cited."""
        number = collection.term_number
        terms = np.array([number.get(term, -1) for term in citation.terms], dtype=np.int64)
        barred = np.array([i for i in [collection.doc_number.get(citation.citing_id)] if i is not None], int)
        if earlier:
            ages = np.array([pmc_number(doc_id) for doc_id in collection.doc_ids])
            barred = np.union1d(barred, np.flatnonzero(ages >= pmc_number(citation.citing_id)))
        return cls(terms, collection.doc_number[citation.target_id], barred)


def pmc_number(doc_id: str) -> int:
    """Return the number of a PMC id, which rises with the time of deposit.

    Raises
    ------
    ParameterError
        If the id is none, so that the article's age is unknown.

    Examples
    --------
    >>> pmc_number("PMC2795795")
    2795795
    """
    number = doc_id.removeprefix("PMC")
    if number == doc_id or not number.isdecimal():
        raise ParameterError(
            f"{doc_id!r} is no PMC id (as in PMC2795795), and without one the article's age is unknown"
        )
    return int(number)


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
    scores[query.barred] = -np.inf
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
        coord, for each pair of term and article that makes up a row.
    leaves : CSR array, shape (pairs, fields)
        What each field that holds a pair would contribute at weight 1.
    """

    first: Ints
    target_row: Ints
    rows: sp.csr_array
    leaves: sp.csr_array

    def __post_init__(self) -> None:
        by_field = self.leaves.tocsc()
        ends = by_field.indptr[1:-1]
        self._held, self._own = np.split(by_field.indices, ends), np.split(by_field.data, ends)
        by_pair = self.rows.tocsc() if self.rows.nnz <= LARGE else None
        self._by_field = [by_pair[:, held].tocsr() for held in self._held if by_pair is not None]
        self._query = np.repeat(np.arange(len(self)), np.diff(self.first))
        self._target = np.where(self.target_row >= 0, self.target_row, 0)
        before = np.arange(len(self._query)) < self._target[self._query]
        self._bound = 2 * self._query + before
        self._ranks: dict[bytes, NDArray[np.float32]] = {}
        self.set(np.ones(self.fields))

    @classmethod
    def of(cls, index: FieldedIndex, queries: Sequence[Query], depth: int | None = DEPTH) -> Self:
        """Gather what the weights can change: pairs of a query's term and one of its candidates."""
        terms = np.unique(np.concatenate([q.terms[q.terms >= 0] for q in queries]))
        number, leaves = _pairs(index, terms)
        first, targets, parts = [0], [], []
        for query in queries:
            found = candidates(index, query, depth)
            at = np.searchsorted(found, query.target)
            hit = at < len(found) and found[at] == query.target
            targets.append(first[-1] + at if hit else -1)
            first.append(first[-1] + len(found))
            own, times = np.unique(query.terms[query.terms >= 0], return_counts=True)
            pairs = number[np.searchsorted(terms, own)][:, found].T.tocsr()  # candidates × terms
            sizes, count = np.diff(pairs.indptr), times[pairs.indices]
            row = np.repeat(np.arange(len(found)), sizes)
            coord = np.bincount(row, weights=count, minlength=len(found)) / len(query.terms)
            parts.append((sizes, pairs.data.astype(np.int32) - 1, coord[row] * count))
        sizes, column, value = (np.concatenate(each) for each in zip(*parts, strict=True))
        del parts  # for a whole collection it is large
        used = np.zeros(leaves.shape[0], dtype=bool)
        used[column] = True
        column = (np.cumsum(used, dtype=np.int32) - 1)[column]
        start = np.concatenate([[0], np.cumsum(sizes)])
        rows = sp.csr_array((value, column, start), shape=(len(sizes), int(used.sum())))
        return cls(np.array(first), np.array(targets), rows, leaves[np.flatnonzero(used)])

    def __len__(self) -> int:
        return len(self.target_row)

    @property
    def fields(self) -> int:
        """How many weights there are."""
        return int(self.leaves.shape[1])

    def set(self, weights: ArrayLike) -> Floats:
        """Set all weights; return the scores of all rows."""
        self.weights = np.array(weights, dtype=np.float64)
        self._best, self._winner, self._second = _top(self.leaves, self.weights)
        self.scores: Floats = self.rows @ self._best
        return self.scores

    def move(self, weights: Floats) -> None:
        """Set all weights, by what changes if only one of them does."""
        changed = np.flatnonzero(weights != self.weights)
        if len(changed) > 1:
            self.set(weights)
        elif len(changed):
            field = int(changed[0])
            held = self._held[field]
            self.scores = self.with_weight(field, weights[field])
            self.weights = weights.copy()
            top = _top(self.leaves[held], weights)
            self._best[held], self._winner[held], self._second[held] = top

    def with_weight(self, field: int, weight: float) -> Floats:
        """Return the scores that a new weight for one field would make, without setting it."""
        held = self._held[field]
        best = self._best[held]
        others = np.where(self._winner[held] == field, self._second[held], best)
        moved = np.maximum(weight * self._own[field], others) - best
        if self._by_field:
            return np.asarray(self._by_field[field] @ moved + self.scores)
        everywhere = np.zeros(len(self._best))
        everywhere[held] = moved
        return np.asarray(self.rows @ everywhere + self.scores)

    def tried(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
        """Return the ranks under some weights of which one is changed; they are computed once."""
        trial = weights.copy()
        trial[field] = weights[field] if weight is None else weight
        key = trial.tobytes()
        if key not in self._ranks:
            self.move(weights)
            self._ranks[key] = self.ranks(self.with_weight(field, trial[field])).astype(np.float32)
        return self._ranks[key].astype(np.float64)

    def ranks(self, scores: Floats | None = None) -> Floats:
        """Rank of each query's target, from 1; infinite where it is no candidate.

        Among equals the article that comes first in the index wins, as in Lucene.
        """
        scores = self.scores if scores is None else scores
        target = scores[self._target]
        margin = _TIE * np.abs(target)
        bounds = np.stack([np.nextafter(target + margin, np.inf), target - margin], axis=1)
        above = scores >= bounds.ravel()[self._bound]
        counts = np.diff(np.concatenate([[0], np.cumsum(above, dtype=np.int32)])[self.first])
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
        return np.exp(logs), logs[self._target]

    def slope(self, rows: Floats) -> Floats:
        """Turn the slope of an objective over the rows into its slope over the weights."""
        won = np.flatnonzero(self._winner >= 0)
        field = self._winner[won]
        leaves = self._best[won] / self.weights[field]
        slopes = (self.rows.T @ rows)[won] * leaves
        return np.bincount(field, slopes, self.fields).astype(np.float64)


def _top(leaves: sp.csr_array, weights: Floats) -> tuple[Floats, Ints, Floats]:
    """Best weighted leaf of each pair, its field (−1 where it is 0), and the best of the other fields."""
    values = leaves.data * weights[leaves.indices]
    starts, sizes = leaves.indptr[:-1], np.diff(leaves.indptr)
    if not len(starts):
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0)
    best = np.maximum.reduceat(values, starts)
    pair = np.repeat(np.arange(len(starts)), sizes)
    at = np.flatnonzero(values == best[pair])
    at = at[np.diff(pair[at], prepend=-1) > 0]  # the first field among equals
    values[at] = 0.0
    return best, np.where(best > 0, leaves.indices[at], -1), np.maximum.reduceat(values, starts)


def _pairs(index: FieldedIndex, terms: Ints) -> tuple[sp.csr_array, sp.csr_array]:
    """Number the pairs of a term and an article, from 1; and lay out their leaves, a column a field."""
    cells, fields, values = [], [], []
    for field in range(len(index.fields)):
        which, at = index.postings(field, terms)
        docs = index.docs[at].astype(np.int64)
        idf = index.idf[field, terms[which]].astype(np.float64)
        cells.append(which * index.n_docs + docs)
        fields.append(np.full(len(at), field))
        values.append(index.tf[at].astype(np.float64) * idf * idf * index.norm[field, docs])
    known, pair = np.unique(np.concatenate(cells), return_inverse=True)
    shape = (len(terms), index.n_docs)
    number = sp.csr_array((np.arange(1, len(known) + 1), np.divmod(known, index.n_docs)), shape=shape)
    places = pair, np.concatenate(fields)
    leaves = sp.csr_array((np.concatenate(values), places), shape=(len(known), len(index.fields)))
    return number, leaves
