"""Models that are trained many times, beside scikit-learn: an article's topics, the learned
contextualizer's weights.

An article of 400 sentences with 14 words each, drawn by Zipf's law from 1,300; 20 topics. And
60,000 pairs of a citance and a sentence with 80 features, one in fifteen marked by some annotator,
at the eight settings of cross-validation.
"""

from functools import partial

import numpy as np
import scipy.sparse as sp

from benchmarks.race import Race, race
from citectx.apps.contexts.ltr import GRID, LTR, Examples
from citectx.retrieval.topics import PASSES, topic_model


def topics_of_sklearn(
    counts: sp.csr_array, spans: sp.csr_array, topics: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.decomposition import LatentDirichletAllocation

    lda = LatentDirichletAllocation(
        topics, random_state=seed, learning_method="batch", max_iter=PASSES
    ).fit(counts)
    return lda.components_ / lda.components_.sum(axis=1, keepdims=True), lda.transform(spans)


def same_topics(ours: tuple[np.ndarray, ...], theirs: tuple[np.ndarray, ...]) -> bool:
    return all(np.allclose(a, b, atol=1e-6) for a, b in zip(ours, theirs, strict=True))


def weights_of_sklearn(example: Examples) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    mean, variance = example.moments
    values, shares = (
        ((example.flat - mean) / np.sqrt(variance)).astype(np.float32),
        example.shares.ravel(),
    )
    some = np.flatnonzero(shares)
    rows, marked = (
        np.vstack([values, values[some]]),
        np.arange(len(values) + len(some)) >= len(values),
    )
    logit, found = LogisticRegression(solver="newton-cholesky", warm_start=True), []
    for settings in GRID:
        positive = np.ceil(shares) if settings.target == "any" else shares
        weights = np.concatenate([1 - positive, positive[some]]).astype(np.float32)
        found.append(logit.set_params(C=settings.C).fit(rows, marked, weights).coef_[0])
    return np.array(found)


def weights(example: Examples, names: list[str]) -> np.ndarray:
    return np.array(
        [[w.weight for w in model.weights.values()] for model in LTR.learn([example], names, GRID)]
    )


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    words = 1 / np.arange(1, 1301)
    counts = sp.csr_array(rng.multinomial(14, words / words.sum(), 400).astype(np.float64))
    topics = race(
        "topics",
        "scikit-learn",
        partial(topic_model, counts, counts, 20, 0),
        partial(topics_of_sklearn, counts, counts, 20, 0),
        1.5,
        same=same_topics,
        repeats=3,
    )
    values = rng.normal(size=(200, 300, 80)).astype(np.float32)
    odds = values @ rng.normal(size=80) / 8 - 4.5
    example = Examples(values, rng.binomial(4, 1 / (1 + np.exp(-odds))) / 4)
    names = [f"feature {i}" for i in range(80)]
    learned = race(
        "learned contexts",
        "scikit-learn",
        partial(weights, example, names),
        partial(weights_of_sklearn, example),
        1.2,
        same=partial(np.allclose, atol=1e-2),
    )
    return [topics, learned]
