"""A model that is trained many times, beside scikit-learn: the learned contextualizer's weights.

60,000 pairs of a citance and a sentence with 80 features, one in fifteen marked by some annotator,
at the eight settings of cross-validation.
"""

from functools import partial

import numpy as np

from benchmarks.race import Race, race
from citectx.apps.contexts.ltr import GRID, LTR, Examples


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
    values = rng.normal(size=(200, 300, 80)).astype(np.float32)
    odds = values @ rng.normal(size=80) / 8 - 4.5
    example = Examples(values, rng.binomial(4, 1 / (1 + np.exp(-odds))) / 4)
    names = [f"feature {i}" for i in range(80)]
    own, theirs = partial(weights, example, names), partial(weights_of_sklearn, example)
    return [
        race(
            "learned contexts",
            "scikit-learn",
            "the same eight logistic regressions of 60,000 pairs with 80 features, from features "
            "to weights, each started where the one before ended; features are made up",
            own,
            theirs,
            same=partial(np.allclose, atol=1e-2),
        ),
    ]
