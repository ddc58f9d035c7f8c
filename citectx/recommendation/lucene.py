"""Lucene's classic similarity over fields, in 64 bits, with Lucene's lengths in a byte.

For a query of terms t and fields f with weights b_f::

    idf(f, t)     = 1 + ln(N / (df(f, t) + 1))
    norm(f, d)    = 1 / √length(f, d), rounded down to 3 bits
    leaf(f, t, d) = √tf(f, t, d) · idf(f, t)² · norm(f, d)
    qn            = 1 / √( Σ_t max_f (b_f · idf(f, t))² )
    score(d)      = coord(d) · qn · Σ_t max_f b_f · leaf(f, t, d)

coord is the share of the query's terms that occur in any field of d. A field with weight 0 still
matches, so weights change neither coord nor which articles are found; qn changes no ranking.

Source: lrec2016 Figure 2 and §4 (DisjunctionMax over fields).
Ambiguity: the figure leaves out queryNorm, prints tf without its root and the norm without its
rounding; we do what Lucene 4.10 does, against which this module is tested.
Ambiguity: the paper says that only the best field counts, so the tie is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from citectx.recommendation.collection import Collection
from citectx.types import Floats, Ints


def norm_of_length(length: ArrayLike) -> Floats:
    """Return the norm of fields of given lengths; 0 for an empty field.

    It is rounded down to three bits of mantissa, as by Lucene's ``SmallFloat.floatToByte315``.

    >>> norm_of_length([0, 1, 2, 7, 10, 100, 1000]).tolist()
    [0.0, 1.0, 0.625, 0.375, 0.3125, 0.09375, 0.03125]
    """
    lengths = np.asarray(length, float)
    mantissa, exponent = np.frexp(1 / np.sqrt(np.maximum(lengths, 1)))
    rounded = np.ldexp(np.floor(8 * mantissa) / 8, exponent)
    return np.where(lengths > 0, rounded, 0.0)


@dataclass(frozen=True, eq=False)
class FieldedIndex:
    """What each field of an article adds to the score of each of its terms.

    `pairs`, shape (terms, docs), numbers the pairs of a term and an article that holds it, row by
    row; `leaves`, shape (pairs, fields), is what each field adds at weight 1; the last column of
    `idf`, shape (fields, terms + 1), is that of unknown terms.
    """

    pairs: sp.csr_array
    leaves: sp.csr_array
    idf: Floats

    @classmethod
    def of(cls, collection: Collection, *, article_norms: bool = False) -> Self:
        """Index a collection, one field for each class.

        As a control, `article_norms` takes the whole article's length for that of each field, so
        that short fields get no advantage.
        """
        fields = len(collection.classes)
        docs = len(collection)
        terms = len(collection.vocabulary)
        # one number for each term, article and field, in that order
        cell = collection.sentence_doc * fields + collection.sentence_class
        cells = np.repeat(cell, collection.sentence_lengths)
        place = collection.tokens * np.int64(docs * fields) + cells
        keys, tf = np.unique(place, return_counts=True)
        pair, field = np.divmod(keys, fields)
        term, doc = np.divmod(pair, docs)

        df = np.zeros((fields, terms + 1))
        np.add.at(df, (field, term), 1)
        idf = 1 + np.log(docs / (df + 1))
        lengths = collection.field_lengths()
        if article_norms:
            lengths = np.where(lengths > 0, lengths.sum(axis=0), 0)
        leaf = np.sqrt(tf) * idf[field, term] ** 2 * norm_of_length(lengths)[field, doc]

        first = np.flatnonzero(np.diff(pair, prepend=-1))  # posting of each pair
        numbers = np.arange(len(first), dtype=np.int32)
        ends = np.append(first, len(keys))
        return cls(
            sp.csr_array((numbers, (term[first], doc[first])), shape=(terms, docs)),
            sp.csr_array((leaf, field, ends), shape=(len(first), fields)),
            idf,
        )

    @cached_property
    def highest_leaves(self) -> Floats:
        """The highest leaf of each pair."""
        return highest(self.leaves, np.ones(len(self.idf)))

    def pairs_of(self, terms: Ints) -> sp.csr_array:
        """Return the rows of `pairs` for some terms, in their order."""
        return self.pairs[terms[terms >= 0]]

    def scores(self, terms: Ints | Sequence[int], weights: ArrayLike | None = None) -> Floats:
        """Score all articles for a query, shape (docs,); −inf for one that holds no term.

        Terms are numbers, −1 for one that the collection lacks; one that occurs twice counts twice.
        Without weights, all fields have 1.
        """
        terms = np.asarray(terms, int)
        fields = len(self.idf)
        docs = self.pairs.shape[1]
        boosts = np.ones(fields) if weights is None else np.asarray(weights, float)
        added = self.highest_leaves if weights is None else highest(self.leaves, boosts)

        held = self.pairs_of(terms)  # (terms, docs), the number of each pair
        sums = np.bincount(held.indices, added[held.data], minlength=docs)
        hits = np.bincount(held.indices, minlength=docs)
        coord = hits / max(len(terms), 1)
        squares = (boosts[:, None] * self.idf[:, terms]) ** 2  # (fields, terms)
        query_norm = 1 / np.sqrt(squares.max(axis=0).sum() or 1.0)
        return np.where(hits > 0, coord * query_norm * sums, -np.inf)


def highest(leaves: sp.csr_array, weights: Floats) -> Floats:
    """Return what the best field adds for each pair: max_f b_f · leaf."""
    values = weights[leaves.indices] * leaves.data
    return np.maximum.reduceat(values, leaves.indptr[:-1]) if len(values) else values


def best(scores: Floats, k: int | None) -> Ints:
    """Return the k articles with the highest scores, best first; all with a score if k is None.

    Equals keep the index's order. As in Lucene, scores are equal if 32 bits do not tell them apart.

    >>> best(np.array([1, -np.inf, 3, 3]), k=2)
    array([2, 3])
    """
    worse = -scores.astype(np.float32)
    # Only what is as good as the k-th is sorted: few of many articles.
    worst = np.inf if k is None or k >= len(worse) else np.partition(worse, k)[k]
    good = np.flatnonzero(worse <= worst)
    order = good[np.argsort(worse[good], kind="stable")][:k]
    return order[scores[order] > -np.inf]
