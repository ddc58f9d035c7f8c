r"""Lucene's classic similarity over fields, in Lucene's own arithmetic: 32-bit floats, lengths in one byte.

For a query of terms t and fields f with boosts b_f, where v = (idf · b_f)² and all quantities are per field::

    idf(f, t)  = 1 + ln(N / (df(f, t) + 1))
    norm(f, d) = decode(encode(1 / √length(f, d)))                one byte: 3 bits of mantissa
    qn         = 1 / √( Σ_t [ max_f v + tie² · (Σ_f v − max_f v) ] )
    w(f, t, d) = √tf(f, t, d) · idf(f, t)² · b_f · qn · norm(f, d)
    score(d)   = coord(d) · Σ_t [ max_f w + tie · (Σ_f w − max_f w) ]

coord is the share of the query's terms that occur in any field of d. A field with boost 0 still matches, so
boosts change neither coord nor which articles are found; qn is the same for all articles, so it changes
scores but no ranking.

Source: lrec2016 Figure 2 and §4 (DisjunctionMax over fields). Ambiguity: the figure leaves out queryNorm,
prints tf without its root and the norm without its rounding; we do what Lucene 4.10 does, against which this
module is tested. Ambiguity: the paper says that only the best field counts, so the tie is 0.

>>> float(norm_of_length(np.array([3]))[0])
0.5
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError, unknown
from citectx.recommendation.collection import Collection

Ints = NDArray[np.int64]
Floats32 = NDArray[np.float32]

_SHIFT, _ZERO = 24 - 3, (63 - 15) << 3  # three bits of mantissa, exponents from 2⁻¹⁵


def encode_norm(values: Floats32) -> NDArray[np.uint8]:
    """Round floats down to what fits into a byte, as Lucene's ``SmallFloat.floatToByte315``."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.int32)
    small = (bits >> _SHIFT) - _ZERO
    tiny = np.where(bits <= 0, 0, 1)
    return np.where(small <= 0, tiny, np.minimum(small, 255)).astype(np.uint8)


def decode_norm(codes: NDArray[np.uint8]) -> Floats32:
    """Return the float of a byte, as Lucene's ``SmallFloat.byte315ToFloat``."""
    bits = (codes.astype(np.int32) << _SHIFT) + (_ZERO << _SHIFT)
    return np.where(codes == 0, np.float32(0), bits.view(np.float32))


def norm_of_length(length: ArrayLike) -> Floats32:
    """Return the norm of fields of given lengths; 0 for an empty field.

    >>> norm_of_length([1, 2, 7, 10, 100, 1000]).tolist()
    [1.0, 0.625, 0.375, 0.3125, 0.09375, 0.03125]
    """
    lengths = np.asarray(length, dtype=np.float64)
    exact = 1.0 / np.sqrt(np.maximum(lengths, 1))
    return np.where(lengths > 0, decode_norm(encode_norm(exact.astype(np.float32))), np.float32(0))


@dataclass(frozen=True)
class FieldedIndex:
    """Which articles hold which terms how often in which field.

    Parameters
    ----------
    fields : tuple of str
    n_docs, n_terms : int
    start : int array, shape (fields · terms + 1,)
        Where the postings of a field and term begin; ordered by field, then term, then document.
    docs : int32 array, shape (postings,)
    tf : float32 array, shape (postings,)
        Root of the frequency.
    norm : float32 array, shape (fields, docs)
    """

    fields: tuple[str, ...]
    n_docs: int
    n_terms: int
    start: Ints
    docs: NDArray[np.int32]
    tf: Floats32
    norm: Floats32

    @classmethod
    def of(cls, collection: Collection, *, article_norms: bool = False) -> Self:
        """Index a collection, one field for each class.

        Parameters
        ----------
        collection : Collection
        article_norms : bool
            As a control: norms are those of the whole article's length, so that short fields have no start.
        """
        n_fields, n_docs, n_terms = len(collection.classes), len(collection), len(collection.vocabulary)
        lengths = np.diff(collection.sentence_end, prepend=0)
        place = np.repeat(collection.sentence_class * n_terms * n_docs + collection.sentence_doc, lengths)
        keys, counts = np.unique(place + collection.tokens.astype(np.int64) * n_docs, return_counts=True)
        start = np.searchsorted(keys, np.arange(n_fields * n_terms + 1) * n_docs)
        of_field = collection.field_lengths()
        counted = np.where(of_field > 0, of_field.sum(axis=0), 0) if article_norms else of_field
        return cls(
            collection.classes,
            n_docs,
            n_terms,
            start,
            (keys % n_docs).astype(np.int32),
            np.sqrt(counts).astype(np.float32),
            norm_of_length(counted),
        )

    @cached_property
    def idf(self) -> Floats32:
        """Idf of each term in each field, shape (fields, terms); a term without documents has one, too."""
        df = np.diff(self.start).reshape(len(self.fields), self.n_terms)
        return self._idf(df)

    def _idf(self, df: ArrayLike) -> Floats32:
        found: Floats32 = (np.log(self.n_docs / (np.asarray(df) + 1.0)) + 1.0).astype(np.float32)
        return found

    def postings(self, field: int, terms: Ints) -> tuple[Ints, Ints]:
        """Return the postings of some terms in a field.

        Parameters
        ----------
        field : int
        terms : int array, shape (t,)
            Negative ones are terms that no article holds.

        Returns
        -------
        which, at : int arrays, shape (p,)
            For each posting, whose it is (a place in `terms`), and where in `docs` and `tf` it is.
        """
        known = np.flatnonzero(terms >= 0)
        cells = field * self.n_terms + terms[known]
        begin, size = self.start[cells], self.start[cells + 1] - self.start[cells]
        ends = np.cumsum(size)
        at = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - size - begin, size)
        return np.repeat(known, size), at

    def only(self, terms: Ints) -> Self:
        """Return the index of some terms alone, renumbered in the order given; scores stay what they are."""
        found = [self.postings(field, terms) for field in range(len(self.fields))]
        at = np.concatenate([place for _, place in found])
        sizes = [np.bincount(which, minlength=len(terms)) for which, _ in found]
        start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        return replace(self, n_terms=len(terms), start=start, docs=self.docs[at], tf=self.tf[at])

    def boosts(self, weights: ArrayLike | Mapping[str, float] | None = None) -> Floats32:
        """Check one weight for each field, in order or by name; 1 where none is given.

        Raises
        ------
        ParameterError
            If there are too few or too many, any is negative, or a name is no field's.
        """
        if weights is None:
            weights = {}
        if isinstance(weights, Mapping):
            strange = set(weights) - set(self.fields)
            if strange:
                raise unknown("class in the weights:", min(strange), self.fields)
            weights = [weights.get(name, 1.0) for name in self.fields]
        given = np.asarray(weights, dtype=np.float32)
        if given.shape != (len(self.fields),) or not (given >= 0).all():
            raise ParameterError(
                f"expected a weight of at least 0 for each of {', '.join(self.fields)}; got {weights}"
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
            Numbers of the query's terms, −1 for one that the collection lacks; a term that occurs twice
            counts twice.
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
        boosts, tie32 = self.boosts(weights), np.float32(tie)
        idf = np.where(terms >= 0, self.idf[:, terms], self._idf(0))
        norm = self._query_norm(idf * boosts[:, None], tie32)
        value = idf * boosts[:, None] * norm * idf  # shape (fields, t)
        cells = len(terms) * self.n_docs
        best, matched = np.zeros(cells, np.float32), np.zeros(cells, dtype=bool)
        total = np.zeros(cells if tie else 0, np.float32)
        for field in range(len(self.fields)):
            which, at = self.postings(field, terms)
            docs = self.docs[at]
            cell = which * self.n_docs + docs
            own = self.tf[at] * value[field, which] * self.norm[field, docs]
            best[cell] = np.maximum(best[cell], own)
            matched[cell] = True
            if tie:
                total[cell] += own
        clauses = (best + (total - best) * tie32 if tie else best).reshape(len(terms), self.n_docs)
        hits = matched.reshape(len(terms), self.n_docs).sum(axis=0)
        coord = hits.astype(np.float32) / np.float32(max(len(terms), 1))
        score = (clauses.sum(axis=0, dtype=np.float64) * coord).astype(np.float32)
        return np.where(hits > 0, score, np.float32(-np.inf))

    def _query_norm(self, weight: Floats32, tie: np.float32) -> np.float32:
        squares = weight * weight
        top = squares.max(axis=0, initial=np.float32(0))
        clauses = (squares.sum(axis=0) - top) * tie * tie + top
        total = (
            float(np.add.accumulate(clauses)[-1]) if clauses.size else 0.0
        )  # one after another, in 32 bits
        return np.float32(1.0 / np.sqrt(total)) if total > 0 else np.float32(1)

    def search(
        self,
        terms: Ints | Sequence[int],
        weights: ArrayLike | Mapping[str, float] | None = None,
        k: int = 200,
        tie: float = 0.0,
    ) -> tuple[Ints, Floats32]:
        """Return the best k articles and their scores; the earlier one first among equals, as in Lucene."""
        scores = self.scores(terms, weights, tie)
        order = best(scores, k)
        return order, scores[order]


def best(scores: Floats32, k: int) -> Ints:
    """Return the articles with the k highest scores, best first; the earlier one first among equals.

    >>> best(np.array([1, -np.inf, 3, 3], dtype=np.float32), k=2)
    array([2, 3])
    """
    found = np.flatnonzero(scores > -np.inf)
    if len(found) > k:
        found = found[scores[found] >= np.partition(scores[found], len(found) - k)[len(found) - k]]
    return found[np.argsort(-scores[found], kind="stable")][:k]
