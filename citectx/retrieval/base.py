"""What all retrieval models share: queries, the index of one reference article, the base class."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from citectx.corpora.model import Citance
from citectx.embeddings import fingerprint_of
from citectx.errors import DataError
from citectx.language.counts import count_terms
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, strip_citation_markers
from citectx.types import Floats, Ints, Parameters

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Query:
    """The terms of a text with their weights: frequencies, if nothing reformulated them."""

    weights: Mapping[str, float]
    text: str = ""

    @classmethod
    def of(cls, text: str, analyzer: Analyzer) -> Self:
        """Count the terms of a text."""
        return cls(dict(Counter(analyzer(text))), text)

    @classmethod
    def of_citance(cls, citance: Citance, analyzer: Analyzer) -> Self:
        """Make the unmodified query: the citance without stop words, numbers and citation markers.

        Source: naacl2015 §2.3.1.

        >>> citance = Citance("1", "x", "Cells rest in 12 cells (Doe, 2001).", marker="Doe, 2001")
        >>> Query.of_citance(citance, Analyzer()).weights
        {'cells': 2, 'rest': 1}
        """
        return cls.of(strip_citation_markers(citance.text, citance.marker), analyzer)


def weights_of(queries: Sequence[Query]) -> tuple[list[str], Floats]:
    """Return all terms of some queries, and their weights, shape (queries, terms).

    >>> weights_of([Query({"rest": 2}), Query({"cells": 1})])
    (['cells', 'rest'], array([[0., 2.],
           [1., 0.]]))
    """
    terms = sorted({term for query in queries for term in query.weights})
    weights = [[query.weights.get(term, 0.0) for term in terms] for query in queries]
    shape = len(queries), len(terms)
    return terms, np.array(weights).reshape(shape)


class SpanIndex:
    """Inverted index of the candidate spans of one article.

    `postings` hold f(w, d), shape (terms, spans); `vocabulary` has the row of each term.
    `term_of_entry` and `span_of_entry` are term and span of each stored frequency; `lengths` is
    |d|, the number of terms in each span.

    Ambiguity: sigir2017 calls C the entire collection without saying whether that is the article or
    all articles. The collection C and the documents that df counts are here the candidate spans of
    the article; a query term that the article lacks is left out, since it distinguishes no spans.

    >>> from citectx.corpora import Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("ref", "Cells divide. Cells rest.")
    >>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
    >>> index = SpanIndex(spans, Analyzer())
    >>> index.vocabulary
    {'cells': 0, 'divide': 1, 'rest': 2}
    >>> index.postings.toarray()
    array([[1., 2., 1.],
           [1., 1., 0.],
           [0., 1., 1.]])
    """

    def __init__(self, candidates: Candidates, analyzer: Callable[[str], Iterable[str]]) -> None:
        self.candidates, self.analyzer = candidates, analyzer
        self._memo: dict[Hashable, Any] = {}
        analysed = [[*analyzer(text)] for text in candidates.sentences.texts()]
        self.sentence_counts, terms = count_terms(analysed)
        self.vocabulary = {term: i for i, term in enumerate(terms)}
        if not len(candidates) or not self.vocabulary:
            raise DataError(
                "nothing to index: no candidate sentence, or none with a term after analysis",
                file=candidates.sentences.document.doc_id,
            )
        # (terms, sentences) times (sentences, spans): a span's terms are those of its sentences.
        spans = candidates.membership().T.tocsr()
        self.postings = sp.csr_array(self.sentence_counts.T.tocsr() @ spans)
        self.term_of_entry, self.span_of_entry = self.postings.tocoo().coords
        self.shape = len(self.vocabulary), len(candidates)
        self.lengths = np.asarray(self.postings.sum(axis=0), float)

    @cached_property
    def document_frequency(self) -> Ints:
        """In how many spans each term occurs, shape (terms,)."""
        return np.diff(self.postings.indptr)

    @cached_property
    def collection_counts(self) -> Floats:
        """F(w), occurrences of each term in all spans together, shape (terms,)."""
        return np.asarray(self.postings.sum(axis=1), float)

    @cached_property
    def collection_probability(self) -> Floats:
        """p(w|C), each term's share of all occurrences, shape (terms,)."""
        return self.collection_counts / self.collection_counts.sum()

    def query_matrix(self, queries: Sequence[Query]) -> sp.csr_array:
        """Stack queries as rows over the article's vocabulary, shape (queries, terms)."""
        # Tuning asks the same queries once for each variant of a model.
        return self.remember(("queries", *queries), lambda: self._stack(queries))

    def _stack(self, queries: Sequence[Query]) -> sp.csr_array:
        matrix = np.zeros((len(queries), len(self.vocabulary)))
        for row, query in zip(matrix, queries, strict=True):
            for term in query.weights.keys() & self.vocabulary.keys():
                row[self.vocabulary[term]] = query.weights[term]
        return sp.csr_array(matrix)

    def places(self, terms: Iterable[str]) -> Ints:
        """Row of each term in the vocabulary, -1 for one that the article lacks."""
        return np.array([self.vocabulary.get(term, -1) for term in terms], int)

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Compute something about this article once, for all variants of a model that need it."""
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]

    def reweight(self, data: Floats) -> sp.csr_array:
        """Return a matrix like `postings` with other values in the same places."""
        return sp.csr_array((data, self.postings.indices, self.postings.indptr), shape=self.shape)


@dataclass
class RetrievalModel(Parameters, ABC):
    """A retrieval model; its dataclass fields are its parameters.

    A new method is a subclass with `grid`, `_fit` and `score`, and one line in
    `citectx.retrieval.MODELS`; it then appears in every table. `grid` holds the values among which
    cross-validation chooses: of what a paper has a symbol for and tuned. All else keeps its default
    (a reading: one choice for all rows, argued for in an ``Ambiguity:`` line). A parameter
    `vectors`, `vocabulary`, `concepts` or `domain` gets what `citectx.catalogue.RESOURCES` lists
    for a corpus.
    """

    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    def fit(self, index: SpanIndex) -> Self:
        """Return a copy that can score the spans of one article; the model itself is unchanged."""
        return copy(self)._fitted(index)

    def _fitted(self, index: SpanIndex) -> Self:
        self.index = index
        self._fit(index)
        return self

    def _fit(self, index: SpanIndex) -> None:
        """Compute what does not depend on queries."""

    @abstractmethod
    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans); higher is better."""

    def fingerprint(self) -> str | None:
        """Describe what its scores depend on besides the index; None for a class of a reader's."""
        if not type(self).__module__.startswith("citectx."):
            return None
        params = self.params()
        vectors = fingerprint_of(params["vectors"]) if "vectors" in params else ""
        return f"{type(self).__qualname__} {params} {vectors}"

    @classmethod
    def variants(cls, **given: Sequence[Any]) -> Iterator[Self]:
        """Build the model for each point of its grid; further values take the place of its own."""
        grid = {**given, **{name: cls.grid[name] for name in cls.grid if name not in given}}
        for values in product(*grid.values()):
            yield cls(**dict(zip(grid, values, strict=True)))


class SparseModel(RetrievalModel):
    """A model whose score is a sum over matching terms of query weight × span weight.

    Its `_fit` sets `weights`, the weight of each term in each span, shape (terms, spans).
    """

    weights: sp.csr_array

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans); higher is better."""
        return (self.index.query_matrix(queries) @ self.weights).toarray()
