"""Dual embedding space model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from citectx.embeddings import check_overlap, open_vectors
from citectx.retrieval.base import RetrievalModel
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats


@dataclass
class DESM(RetrievalModel):
    """Mean cosine of the query's words with the span's centroid.

    score(q, d) = 1/|q| Σ_i cos(e(q_i), D),  D = 1/|d| Σ_j e(d_j)/|e(d_j)|

    Source: Mitra et al. 2016, the row "DESM" of sigir2017 Table 1. The query is in the IN space of word2vec,
    the span in its IN or its OUT space (``syn1neg``).

    Ambiguity: sigir2017 states neither the space nor which vectors were used; we take those of the domain and
    let cross-validation choose the space. Words that the embedding lacks count in neither mean.

    Parameters
    ----------
    vectors : str
        Name of an embedding.
    space : {"in", "out"}
        Of the span.

    Raises
    ------
    ParameterError
        For an unknown space.
    DataError
        When fitted, if the embedding knows no word of the article, or has no OUT vectors for that space.
    """

    vectors: str = "biomedical"
    space: str = "in"

    grid: ClassVar = {"space": ("in", "out")}
    allowed: ClassVar = grid
    trained_on: ClassVar = "domain"

    def _fit(self, index: SpanIndex) -> None:
        self.embedding = open_vectors(self.vectors)
        words = list(index.vocabulary)
        check_overlap(self.embedding, words, index.candidates.sentences.document.doc_id)
        key = ("centroids", self.embedding.name, self.space)
        self.centroids = index.remember(key, lambda: self._centroids(index, words))

    def _centroids(self, index: SpanIndex, words: list[str]) -> Floats:
        rows, _ = self.embedding.rows(words, output=self.space == "out")
        centroids = index.postings.T @ rows
        norms = np.linalg.norm(centroids, axis=1, keepdims=True)
        return np.asarray(centroids / np.where(norms > 0, norms, 1.0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mean cosine with all spans, shape (queries, spans); 0 for a query without known words."""
        scores = np.zeros((len(queries), self.index.shape[1]))
        for i, query in enumerate(queries):
            rows, known = self.embedding.rows(list(query.weights))
            weights = np.array(list(query.weights.values()), dtype=np.float64) * known
            if weights.any():
                scores[i] = self.centroids @ (weights @ rows) / weights.sum()
        return scores
