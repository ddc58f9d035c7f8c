"""Latent Dirichlet allocation for short texts: the sentences of an article are its documents.

Source: Hoffman, Blei & Bach 2010, batch variational Bayes. It starts, updates and stops as
scikit-learn's LatentDirichletAllocation does, so models agree but for their last digits.
scikit-learn loops over documents, which costs more than the arithmetic where they are as short as
sentences; here one step updates all that have not converged.
"""

import numpy as np
import scipy.sparse as sp
from scipy.special import psi

from citectx.cache import Cache
from citectx.storage import sha
from citectx.types import Floats

PASSES, MOST, TOLERANCE = 20, 100, 1e-3
"""Passes over all documents; at most so many updates of a document in a pass; the mean change that
ends them."""

MODELS = Cache("topic-models", __name__, {"words": 2, "spans": 2})

_REPACK = (
    0.75  # documents that have converged leave the arrays once fewer than this share still change
)


def kept_topic_model(
    counts: sp.csr_array, spans: sp.csr_array, topics: int, seed: int
) -> tuple[Floats, Floats]:
    """Read a `topic_model` from disk; train and keep it where it is missing or damaged.

    Several tables ask for the same one.
    """
    arrays = (array for m in (counts, spans) for array in (m.data, m.indices, m.indptr))
    key = (counts.shape, spans.shape, [sha(array.tobytes()) for array in arrays], topics, seed)

    def compute() -> dict[str, Floats]:
        words, shares = topic_model(counts, spans, topics, seed)
        return {"words": words, "spans": shares}

    model = MODELS.get(key, compute)
    return model["words"], model["spans"]


def topic_model(
    counts: sp.csr_array, spans: sp.csr_array, topics: int, seed: int
) -> tuple[Floats, Floats]:
    """Learn topics from an article's sentences; find those of spans.

    Parameters
    ----------
    counts : CSR array, shape (sentences, terms)
        How often each term occurs.
    spans : CSR array, shape (spans, terms)
    topics, seed : int

    Returns
    -------
    words : float array, shape (topics, terms)
        p(w|k).
    spans : float array, shape (spans, topics)
        p(k|d).
    """
    rng = np.random.RandomState(seed)  # as scikit-learn draws
    words = rng.gamma(100.0, 0.01, (topics, counts.shape[1]))
    for _ in range(PASSES):
        start = rng.gamma(100.0, 0.01, (counts.shape[0], topics))
        weights = _geometric_mean(words)
        _, expected = _of_documents(counts, weights, start)
        words = 1 / topics + weights * expected
    mixtures, _ = _of_documents(spans, _geometric_mean(words), np.ones((spans.shape[0], topics)))
    return words / words.sum(axis=1, keepdims=True), mixtures / mixtures.sum(axis=1, keepdims=True)


def _geometric_mean(parameters: Floats) -> Floats:
    """Return exp E[log p] for each row's Dirichlet distribution."""
    return np.asarray(np.exp(psi(parameters) - psi(parameters.sum(axis=1, keepdims=True))))


def _of_documents(counts: sp.csr_array, weights: Floats, start: Floats) -> tuple[Floats, Floats]:
    """Find the topics of documents, given those of words (the E-step).

    Returns
    -------
    mixtures : float array, shape (documents, topics)
        Parameters of each document's Dirichlet distribution.
    expected : float array, shape (topics, terms)
        How often each term came from each topic, divided by `weights`.
    """
    prior, smallest, of_terms = (
        1 / len(weights),
        np.finfo(np.float64).eps,
        np.ascontiguousarray(weights.T),
    )
    mixtures, shares = np.full_like(start, prior), _geometric_mean(start)
    documents = np.repeat(np.arange(len(start)), np.diff(counts.indptr))  # of each count
    live = np.flatnonzero(np.diff(counts.indptr))
    held, row, of_term = counts[live], np.searchsorted(live, documents), of_terms[counts.indices]
    number, now, share, moves = held.data, start[live], shares[live], np.ones(len(live), dtype=bool)
    for step in range(MOST):
        if not len(live):
            break
        held.data = number / (np.einsum("ij,ij->i", share[row], of_term) + smallest)
        then = share * (held @ of_terms) + prior
        still = np.abs(then - now).sum(axis=1) >= TOLERANCE * len(weights)
        now = np.where(moves[:, None], then, now)
        share, moves = _geometric_mean(now), moves & still
        if step == MOST - 1 or moves.mean() < _REPACK:
            mixtures[live], shares[live] = now, share
            kept = moves[row]
            number, row, of_term = number[kept], (np.cumsum(moves) - 1)[row[kept]], of_term[kept]
            held, live, now, share, moves = (
                held[moves],
                live[moves],
                now[moves],
                share[moves],
                moves[moves],
            )
    ratio = counts.data / (
        np.einsum("ij,ij->i", shares[documents], of_terms[counts.indices]) + smallest
    )
    expected = sp.csr_array((ratio, counts.indices, counts.indptr), counts.shape).T @ shares
    return mixtures, expected.T
