"""Latent Dirichlet allocation for short texts: the sentences of an article are its documents.

Source: Hoffman, Blei & Bach 2010, batch variational Bayes, as scikit-learn has it.
"""

from functools import partial

import scipy.sparse as sp

from citectx.cache import cached
from citectx.storage import sha
from citectx.types import Floats

PASSES = 20
"""How often training passes over all sentences."""


def topic_model(
    counts: sp.csr_array, spans: sp.csr_array, topics: int, seed: int
) -> tuple[Floats, Floats]:
    """Learn topics from an article's sentences, find those of spans, and keep both in the cache.

    Returns p(w|k), shape (topics, terms), and p(k|d), shape (spans, topics).
    """
    key = (*map(_fingerprint, (counts, spans)), topics, seed)
    train = partial(_train, counts, spans, topics, seed)
    model = cached("topic-models", __name__, key, train)
    return model["words"], model["spans"]


def _fingerprint(matrix: sp.csr_array) -> tuple[object, ...]:
    arrays = (matrix.data, matrix.indices, matrix.indptr)
    return (matrix.shape, *(sha(array.tobytes()) for array in arrays))


def _train(counts: sp.csr_array, spans: sp.csr_array, topics: int, seed: int) -> dict[str, Floats]:
    from sklearn.decomposition import LatentDirichletAllocation  # a second to import

    model = LatentDirichletAllocation(
        topics, learning_method="batch", max_iter=PASSES, random_state=seed
    )
    words = model.fit(counts).components_
    return {"words": words / words.sum(axis=1, keepdims=True), "spans": model.transform(spans)}
