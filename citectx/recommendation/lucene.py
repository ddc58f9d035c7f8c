r"""Lucene's classic similarity over fields, in its own arithmetic: 32 bits, lengths in a byte.

For a query of terms t and fields f with boosts b_f, where v = (idf · b_f)² and all quantities are
per field::

    idf(f, t)  = 1 + ln(N / (df(f, t) + 1))
    norm(f, d) = decode(encode(1 / √length(f, d)))                one byte: 3 bits of mantissa
    qn         = 1 / √( Σ_t [ max_f v + tie² · (Σ_f v − max_f v) ] )
    w(f, t, d) = √tf(f, t, d) · idf(f, t)² · b_f · qn · norm(f, d)
    score(d)   = coord(d) · Σ_t [ max_f w + tie · (Σ_f w − max_f w) ]

coord is the share of the query's terms that occur in any field of d. A field with boost 0 still
matches, so boosts change neither coord nor which articles are found; qn is the same for all
articles, so it changes scores but no ranking.

Source: lrec2016 Figure 2 and §4 (DisjunctionMax over fields). Ambiguity: the figure leaves out
queryNorm, prints tf without its root and the norm without its rounding; we do what Lucene 4.10
does, against which this module is tested. Ambiguity: the paper says that only the best field
counts, so the tie is 0.

>>> float(norm_of_length(np.array([3]))[0])
0.5
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError, unknown
from citectx.recommendation.collection import Collection
from citectx.types import Floats, Ints

Floats32 = NDArray[np.float32]

_CUT = 24 - 3  # bits of a 32-bit mantissa that the byte of a norm has no room for
_LEAST = (63 - 15) << 3  # what is left of the highest number that the byte takes for 0

NORMS: Floats32 = ((np.arange(256, dtype=np.int32) + _LEAST) << _CUT).view(np.float32)
"""The norm that each byte stands for, 0 for the first."""
NORMS[0] = 0


def norm_of_length(length: ArrayLike) -> Floats32:
    """Return the norm of fields of given lengths; 0 for an empty field.

    Rounded down to three bits of mantissa, as Lucene's ``SmallFloat.floatToByte315`` does it.

    >>> norm_of_length([1, 2, 7, 10, 100, 1000]).tolist()
    [1.0, 0.625, 0.375, 0.3125, 0.09375, 0.03125]
    """
    lengths = np.asarray(length, dtype=np.float64)
    exact = np.asarray(1.0 / np.sqrt(np.maximum(lengths, 1)), dtype=np.float32)
    rounded = (exact.view(np.int32) >> _CUT << _CUT).view(np.float32)
    return np.where(lengths > 0, rounded, np.float32(0))


def frequencies(start: Ints, field: NDArray[Any], fields: int) -> Ints:
    """In how many articles a term occurs in a field, shape (fields, terms).

    Parameters
    ----------
    start : int array, shape (terms + 1,)
    field : int array, shape (postings,)
        As in `FieldedIndex`.
    fields : int
        How many there are.
    """
    terms = len(start) - 1
    cells = field * np.int64(terms) + np.repeat(np.arange(terms), np.diff(start))
    return np.bincount(cells, minlength=fields * terms).reshape(fields, terms)


def byte_of_norm(norm: Floats32) -> NDArray[np.uint8]:
    """Return the byte that Lucene stores for a norm; undone by `NORMS`.

    >>> NORMS[byte_of_norm(norm_of_length([0, 1, 3, 1000]))].tolist()
    [0.0, 1.0, 0.5, 0.03125]
    """
    whole = np.where(norm > 0, (norm.view(np.int32) >> _CUT) - _LEAST, 0)
    return whole.astype(np.uint8)


@dataclass(frozen=True)
class FieldedIndex:
    """Which articles hold which terms how often in which field.

    Parameters
    ----------
    fields : tuple of str
    n_docs, n_terms : int
    start : int array, shape (terms + 1,)
        Where the postings of a term begin; ordered by term, then document, then field.
    docs : int32 array, shape (postings,)
    field : uint8 array, shape (postings,)
    tf : float32 array, shape (postings,)
        Root of the frequency.
    norm : float32 array, shape (fields, docs)
    whole : (int, int array of shape (fields, terms)), optional
        If these are a part of the articles: how many there are in all, and in how many of them a
        term is in a field.
    """

    fields: tuple[str, ...]
    n_docs: int
    n_terms: int
    start: Ints
    docs: NDArray[np.int32]
    field: NDArray[np.uint8]
    tf: Floats32
    norm: Floats32
    whole: tuple[int, Ints] | None = None

    @classmethod
    def of(cls, collection: Collection, *, article_norms: bool = False) -> Self:
        """Index a collection, one field for each class.

        Parameters
        ----------
        collection : Collection
        article_norms : bool
            As a control: norms are those of the whole article's length, so that short fields get
            no advantage.
        """
        fields, articles = len(collection.classes), len(collection)
        cells = fields * articles
        cell = collection.sentence_doc * fields + collection.sentence_class
        place = collection.tokens * np.int64(cells) + np.repeat(cell, collection.sentence_lengths)
        keys, counts = np.unique(place, return_counts=True)
        terms = len(collection.vocabulary)
        docs, field = np.divmod(keys % max(cells, 1), fields)
        lengths = collection.field_lengths()
        if article_norms:
            lengths = np.where(lengths > 0, lengths.sum(axis=0), 0)
        return cls(
            collection.classes,
            articles,
            terms,
            np.searchsorted(keys, np.arange(terms + 1) * cells),
            docs.astype(np.int32),
            field.astype(np.uint8),
            np.sqrt(counts).astype(np.float32),
            norm_of_length(lengths),
        )

    def frequencies(self) -> Ints:
        """In how many of its own articles a term occurs in a field, shape (fields, terms)."""
        return frequencies(self.start, self.field, len(self.fields))

    @cached_property
    def idf(self) -> Floats32:
        """Idf of each term in each field, shape (fields, terms + 1); last that of unknown terms."""
        n_docs, frequencies = self.whole or (self.n_docs, self.frequencies())
        df = np.pad(frequencies, ((0, 0), (0, 1)))
        return (np.log(n_docs / (df + 1.0)) + 1.0).astype(np.float32)

    @cached_property
    def pairs(self) -> Ints:
        """Where the postings of each pair of a term and an article begin; last, where all end."""
        new = np.ones(len(self.docs) + 1, dtype=bool)
        new[1:-1] = self.docs[1:] != self.docs[:-1]
        new[self.start] = True
        return np.flatnonzero(new)

    @cached_property
    def by_term(self) -> sp.csr_array:
        """The number of each pair of a term and an article, shape (terms, docs)."""
        docs = self.docs[self.pairs[:-1]]
        first = np.searchsorted(self.pairs, self.start)
        shape = self.n_terms, self.n_docs
        return sp.csr_array((np.arange(len(docs)), docs, first), shape=shape)

    @cached_property
    def norms(self) -> Floats32:
        """The norm of each posting's field and article."""
        return self.norm[self.field, self.docs]

    @cached_property
    def leaves(self) -> Floats:
        """√tf · idf² · norm of each posting: what its field contributes at weight 1, in 64 bits."""
        term = np.repeat(np.arange(self.n_terms), np.diff(self.start))
        idf = self.idf[self.field, term].astype(np.float64)
        return self.tf * idf * idf * self.norms

    @cached_property
    def best_leaves(self) -> Floats:
        """The highest leaf of each pair of a term and an article."""
        return np.maximum.reduceat(self.leaves, self.pairs[:-1]) if len(self.docs) else self.leaves

    def boosts(self, weights: ArrayLike | Mapping[str, float] | None = None) -> Floats32:
        """Check one weight for each field, in order or by name; 1 where none is given.

        Raises
        ------
        ParameterError
            If there are too few or too many, any is negative, or a name is not that of a field.
        """
        if weights is None or isinstance(weights, Mapping):
            weights = weights or {}
            if strange := weights.keys() - {*self.fields}:
                raise unknown("class in the weights:", min(strange), self.fields)
            weights = [weights.get(name, 1.0) for name in self.fields]
        given = np.asarray(weights, dtype=np.float32)
        if given.shape != (len(self.fields),) or not (np.isfinite(given) & (given >= 0)).all():
            fields = ", ".join(self.fields)
            raise ParameterError(
                f"expected a finite weight of at least 0 for each of {fields}; got {weights}"
            )
        return given

    def scores(
        self,
        terms: Ints | Sequence[int],
        weights: ArrayLike | Mapping[str, float] | None = None,
        tie: float = 0.0,
    ) -> Floats32:
        """Score all articles for a query.

        Parameters
        ----------
        terms : int array, shape (t,)
            Numbers of the query's terms, −1 for one that the collection lacks; a term that occurs
            twice counts twice.
        weights : array, shape (fields,), optional
            Boosts of the fields.
        tie : float
            What the fields that are not the best one for a term add.

        Returns
        -------
        float32 array, shape (docs,)
            −inf for an article that holds none of the terms.
        """
        terms = np.asarray(terms, dtype=np.int64)
        tie32 = np.float32(tie)
        idf = self.idf[:, terms]
        boosted = idf * self.boosts(weights)[:, None]
        value = boosted * self._query_norm(boosted, tie32) * idf  # shape (fields, t)
        total, hits = np.zeros(self.n_docs), np.zeros(self.n_docs, dtype=np.int64)
        for i in np.flatnonzero(terms >= 0):
            docs, clause = self._clause(terms[i], value[:, i], tie32)
            total[docs] += clause
            hits[docs] += 1
        coord = hits.astype(np.float32) / np.float32(max(len(terms), 1))
        score = (total * coord).astype(np.float32)
        return np.where(hits > 0, score, np.float32(-np.inf))

    def _clause(
        self, term: int, value: Floats32, tie: np.float32
    ) -> tuple[NDArray[np.int32], Floats32]:
        """Return the articles that hold a term, and what it adds to their scores."""
        first, last = self.by_term.indptr[term : term + 2]
        own = slice(*self.start[term : term + 2])
        added = self.tf[own] * value[self.field[own]] * self.norms[own]
        begin = self.pairs[first:last] - own.start
        clause = np.maximum.reduceat(added, begin) if len(begin) else added
        if tie and len(begin):
            clause = clause + (np.add.reduceat(added, begin) - clause) * tie
        return self.by_term.indices[first:last], clause

    def _query_norm(self, weight: Floats32, tie: np.float32) -> np.float32:
        squares = weight * weight
        top = squares.max(axis=0, initial=np.float32(0))
        clauses = (squares.sum(axis=0) - top) * tie * tie + top
        if not clauses.any():
            return np.float32(1)
        total = np.cumsum(clauses)[-1]  # one after another, in 32 bits
        return np.float32(1.0 / np.sqrt(float(total)))


def best(scores: Floats32, k: int) -> Ints:
    """Return the k articles with the highest scores, best first; equals in the index's order.

    >>> best(np.array([1, -np.inf, 3, 3], dtype=np.float32), k=2)
    array([2, 3])
    """
    found = np.flatnonzero(scores > -np.inf)
    if len(found) > k:
        lowest = np.partition(scores[found], -k)[-k]
        found = found[scores[found] >= lowest]
    return found[np.argsort(-scores[found], kind="stable")][:k]
