"""Language model smoothed by latent topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np

from citectx.corpora.sources import data_dir
from citectx.retrieval.base import RetrievalModel
from citectx.retrieval.index import Query, SpanIndex
from citectx.storage import digest, kept_arrays, sha
from citectx.types import Floats

SETTINGS = {"learning_method": "batch", "max_iter": 20}
"""Of scikit-learn's LDA."""


@dataclass
class LMDLDA(RetrievalModel):
    """Query likelihood under a mixture of the Dirichlet estimate with a topic model.

    p(w|d) = λ·p_LMD(w|d) + (1 − λ)·Σ_k p(w|k)·p(k|d)

    Source: Jian et al. 2016, the row "LMD-LDA" of sigir2017 Table 1.

    Ambiguity: sigir2017 states neither λ, μ, the number of topics nor what LDA was trained on. We train it on
    the sentences of the article at hand (scikit-learn, variational Bayes). Scores are log likelihoods
    averaged over `seeds` models, since LDA finds another optimum from another start.

    Parameters
    ----------
    mu : float
        μ of the Dirichlet estimate, above 0.
    weight : float
        λ, in [0, 1]; 1 is plain LMD.
    topics : int
    seeds : int
        How many models are averaged.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    """

    mu: float = 100.0
    weight: float = 0.7
    topics: int = 20
    seeds: int = 3

    grid: ClassVar = {
        "mu": (10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0),
        "weight": (0.3, 0.5, 0.7, 0.9),
        "topics": (10, 30),
    }
    allowed: ClassVar = {"mu": "(0, inf]", "weight": "[0, 1]", "topics": "[1, inf]", "seeds": "[1, inf]"}

    def _fit(self, index: SpanIndex) -> None:
        self.models = [self._train(index, seed) for seed in range(self.seeds)]

    def _train(self, index: SpanIndex, seed: int) -> tuple[Floats, Floats]:
        return index.remember(("lda", self.topics, seed), lambda: kept_topic_model(index, self.topics, seed))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans); mean over seeds."""
        matrix = self.index.query_matrix(queries)
        used = np.unique(matrix.indices)
        prior = self.mu * self.index.collection_probability[used, None]
        dirichlet = (self.index.postings[used].toarray() + prior) / (self.index.lengths + self.mu)
        scores = np.zeros((len(queries), self.index.shape[1]))
        for words, spans in self.models:
            mixed = self.weight * dirichlet + (1 - self.weight) * (words[:, used].T @ spans.T)
            scores += matrix[:, used] @ np.log(mixed)
        return np.asarray(scores / len(self.models))


def folder() -> Path:
    """Return where topic models are kept, ``<data_dir>/topic-models``; it may be deleted at any time."""
    return data_dir() / "topic-models"


def kept_topic_model(index: SpanIndex, topics: int, seed: int) -> tuple[Floats, Floats]:
    """Read the `topic_model` of an article from disk; train and keep it where it is missing or damaged.

    Several tables ask for the same one. The name of its file is a hash of all that it depends on: the counts,
    the settings, the number of topics, the seed and the libraries.
    """
    matrices = index.sentence_counts, index.postings
    hashes = [sha(array.tobytes()) for m in matrices for array in (m.data, m.indices, m.indptr)]
    libraries = [version(name) for name in ("numpy", "scipy", "scikit-learn")]
    path = folder() / f"{digest(index.shape, hashes, SETTINGS, topics, seed, libraries)}.npz"
    model = kept_arrays(path, lambda: dict(zip(("words", "spans"), topic_model(index, topics, seed), strict=True)))
    return model["words"], model["spans"]


def topic_model(index: SpanIndex, topics: int, seed: int) -> tuple[Floats, Floats]:
    """Train LDA on the article's sentences.

    Returns
    -------
    words : float array, shape (topics, terms)
        p(w|k).
    spans : float array, shape (spans, topics)
        p(k|d).
    """
    from sklearn.decomposition import LatentDirichletAllocation

    lda = LatentDirichletAllocation(topics, random_state=seed, **SETTINGS)
    lda.fit(index.sentence_counts)
    words = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    return words, lda.transform(index.postings.T.tocsr())
