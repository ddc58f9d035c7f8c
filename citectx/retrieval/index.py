"""The index of one reference article that all retrieval models share.

Term counts of sentences are taken once; counts of spans are one sparse product away, so that fifteen hundred
windows cost no more Python than three hundred sentences.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp

from citectx.corpora.model import Citance
from citectx.errors import DataError
from citectx.spans import Candidates, Floats, Ints
from citectx.text import Analyzer, strip_citation_markers


@dataclass(frozen=True)
class Query:
    """A citance as weighted terms.

    Parameters
    ----------
    weights : mapping of str to float
        Analysed terms with their weights; frequencies, if nothing reformulated them.
    text : str
        What they were made of.
    """

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
        >>> Query.of_citance(citance, Analyzer(stem=False)).weights
        {'cells': 2, 'rest': 1}
        """
        return cls.of(strip_citation_markers(citance.text, citance.marker), analyzer)


class SpanIndex:
    """Sparse term counts of the candidate spans of one article.

    Parameters
    ----------
    candidates : Candidates
    analyzer : Analyzer

    Attributes
    ----------
    vocabulary : dict of str to int
        Column of each term, in alphabetical order.
    counts : sparse array, shape (spans, terms)
        f(w, d), the frequency of term w in span d.
    lengths : float array, shape (spans,)
        |d|, the number of terms in each span.
    document_frequency : float array, shape (terms,)
        In how many spans a term occurs.
    collection_probability : float array, shape (terms,)
        p(w|C), a term's share of all term occurrences in all spans.

    Notes
    -----
    Ambiguity: the collection C and the documents that df counts are the candidate spans of the reference
    article, as a search engine sees them. sigir2017 calls C the entire collection without saying whether that
    is the article or all articles; a term that the article lacks is then left out of the query, since it
    could tell no span from another.

    Raises
    ------
    DataError
        If the article has no candidate span, or none of its terms survives the analysis.

    Examples
    --------
    >>> from citectx.corpora import Document
    >>> from citectx.text import SentenceSplitter
    >>> article = Document("ref", "Cells divide. Cells rest.")
    >>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
    >>> index = SpanIndex(spans, Analyzer(stem=False))
    >>> index.vocabulary
    {'cells': 0, 'divide': 1, 'rest': 2}
    >>> index.counts.toarray()
    array([[1., 1., 0.],
           [2., 1., 1.],
           [1., 0., 1.]])
    """

    def __init__(self, candidates: Candidates, analyzer: Analyzer) -> None:
        self.candidates, self.analyzer = candidates, analyzer
        self.vocabulary, sentence_counts = _count([analyzer(t) for t in candidates.sentences.texts()])
        if not len(candidates) or not self.vocabulary:
            raise DataError(
                "nothing to index: no candidate sentence, or none with a term that survives the analysis",
                file=candidates.sentences.document.doc_id,
            )
        self.sentence_counts = sentence_counts
        self.counts = sp.csr_array(candidates.membership() @ sentence_counts)
        self.lengths: Floats = np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of spans and of terms."""
        spans, terms = self.counts.shape
        return int(spans), int(terms)

    @cached_property
    def document_frequency(self) -> Floats:
        """In how many spans each term occurs, shape (terms,)."""
        return np.bincount(self.counts.indices, minlength=self.shape[1]).astype(np.float64)

    @cached_property
    def collection_counts(self) -> Floats:
        """F(w), occurrences of each term in all spans together."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    @cached_property
    def collection_probability(self) -> Floats:
        """p(w|C), each term's share of all occurrences, shape (terms,)."""
        share: Floats = self.collection_counts / self.collection_counts.sum()
        return share

    def query_matrix(self, queries: Sequence[Query]) -> sp.csr_array:
        """Stack queries as rows over the article's vocabulary, shape (queries, terms)."""
        rows, columns, values = [], [], []
        for row, query in enumerate(queries):
            for term, weight in query.weights.items():
                if term in self.vocabulary:
                    rows.append(row)
                    columns.append(self.vocabulary[term])
                    values.append(weight)
        shape = (len(queries), len(self.vocabulary))
        return sp.csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)

    def reweighted(self, data: Floats) -> sp.csr_array:
        """Give a matrix like `counts` with other values in the same places."""
        return sp.csr_array((data, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    @cached_property
    def span_of_entry(self) -> Ints:
        """Row of each stored count, to look up what belongs to a span (its length, say)."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.counts.indptr))


def _count(sentences: Iterable[Iterable[str]]) -> tuple[dict[str, int], sp.csr_array]:
    bags = [Counter(terms) for terms in sentences]
    vocabulary = {term: i for i, term in enumerate(sorted(set().union(*bags)))}
    indptr = np.cumsum([0, *map(len, bags)])
    indices = np.array([vocabulary[t] for bag in bags for t in bag], dtype=np.int64)
    data = np.array([n for bag in bags for n in bag.values()], dtype=np.float64)
    counts = sp.csr_array((data, indices, indptr), shape=(len(bags), len(vocabulary)))
    counts.sort_indices()
    return vocabulary, counts
