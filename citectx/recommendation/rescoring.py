"""Ranks of queries under changing weights, without asking the index again.

What a weight can change is little: coord, idf, term frequencies and norms are fixed, and queryNorm is the
same for all articles of a query. So for each pair of a term and a candidate the leaves √tf · idf² · norm are
kept by field. A new weight for one field changes only the pairs which that field holds:

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
from citectx.recommendation.lucene import FieldedIndex, best, runs
from citectx.recommendation.queries import Citation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEPTH = 200
"""Articles of the unweighted run that are ranked again, and the last rank that counts."""

LARGE = 10_000_000
"""With at most this many pairs, those of each field are kept apart: faster, at three times the memory."""

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
        """Look a citation's terms and articles up; with the articles' `ages`, bar those that came later."""
        number = collection.term_number
        terms = np.array([number.get(term, -1) for term in citation.terms], dtype=np.int64)
        barred = np.array([i for i in [collection.doc_number.get(citation.citing_id)] if i is not None], int)
        if ages is not None:
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


def candidates(index: FieldedIndex, query: Query, pairs: sp.csr_array, depth: int | None = DEPTH) -> Ints:
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
    added = index.best_leaves[pairs.data]
    hits = np.bincount(pairs.indices, minlength=index.n_docs)
    scores = np.bincount(pairs.indices, added, index.n_docs) * hits
    scores[query.barred] = 0.0
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
        What each field that holds a pair would contribute at weight 1; pairs of most fields come first.
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
        start, sizes = self.leaves.indptr, np.diff(self.leaves.indptr)
        layers = (start[: np.count_nonzero(sizes > i)] + i for i in range(sizes.max(initial=0)))
        self._layers = [(self.leaves.indices[at], self.leaves.data[at]) for at in layers]
        self._query = np.repeat(np.arange(len(self)), np.diff(self.first))
        self._target = np.where(self.target_row >= 0, self.target_row, 0)
        before = np.arange(len(self._query)) < self._target[self._query]
        self._bound = 2 * self._query + before
        self._ranks: dict[bytes, NDArray[np.float32]] = {}
        self.set(np.ones(self.fields))

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
            pairs = of_terms[:, found].T.tocsr()  # candidates × terms
            sizes = np.diff(pairs.indptr)
            coord = np.repeat(sizes / len(query.terms), sizes)
            parts.append((sizes, pairs.data.astype(np.int32), coord))
        sizes, column, value = (np.concatenate(each) for each in zip(*parts, strict=True))
        del parts  # for a whole collection it is large
        is_used = np.zeros(len(index.pairs) - 1, dtype=bool)
        is_used[column] = True
        used = np.flatnonzero(is_used)
        held = np.diff(index.pairs)[used]
        order = np.argsort(-held, kind="stable")
        used, held = used[order], held[order]
        renumbered = np.zeros(len(is_used), dtype=np.int32)
        renumbered[used] = np.arange(len(used))
        rows = (value, renumbered[column], np.concatenate([[0], np.cumsum(sizes)]))
        at = runs(index.pairs[used], held)
        leaves = (index.leaves[at], index.field[at], np.concatenate([[0], np.cumsum(held)]))
        return cls(
            np.array(first),
            np.array(targets),
            sp.csr_array(rows, shape=(len(sizes), len(used))),
            sp.csr_array(leaves, shape=(len(used), len(index.fields))),
        )

    def __len__(self) -> int:
        return len(self.target_row)

    @property
    def fields(self) -> int:
        """How many weights there are."""
        return int(self.leaves.shape[1])

    def set(self, weights: ArrayLike) -> Floats:
        """Set all weights; return the scores of all rows."""
        self.weights = np.array(weights, dtype=np.float64)
        self._best, self._second = np.zeros((2, self.leaves.shape[0]))
        for field, leaf in self._layers:
            value, n = self.weights[field] * leaf, len(leaf)
            np.maximum(self._second[:n], np.minimum(value, self._best[:n]), out=self._second[:n])
            np.maximum(self._best[:n], value, out=self._best[:n])
        self._of_field: dict[int, tuple[Floats, Floats]] = {}
        self.scores: Floats = self.rows @ self._best
        return self.scores

    def with_weight(self, field: int, weight: float) -> Floats:
        """Return the scores that a new weight for one field would make, without setting it."""
        held, own = self._held[field], self._own[field]
        if field not in self._of_field:
            best = self._best[held]
            others = np.where(self.weights[field] * own == best, self._second[held], best)
            self._of_field[field] = best, others
        best, others = self._of_field[field]
        moved = np.maximum(weight * own, others) - best
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
            if (weights != self.weights).any():
                self.set(weights)
            self._ranks[key] = self.ranks(self.with_weight(field, trial[field])).astype(np.float32)
        return self._ranks[key].astype(np.float64)

    def ranks(self, scores: Floats | None = None) -> Floats:
        """Rank of each query's target, from 1; infinite where it is no candidate.

        Among equals the article that comes first in the index wins, as in Lucene.
        """
        scores = self.scores if scores is None else scores
        if not len(scores):  # no query finds anything
            return np.full(len(self), np.inf)
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
        of_pair, slopes = self.rows.T @ rows, np.zeros(self.fields)
        free = self._best > 0  # among equals the first field wins
        for field, leaf in self._layers:
            won = np.flatnonzero(free[: len(leaf)] & (self.weights[field] * leaf == self._best[: len(leaf)]))
            free[won] = False
            slopes += np.bincount(field[won], of_pair[won] * leaf[won], self.fields)
        return slopes
