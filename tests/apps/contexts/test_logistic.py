"""Logistic regression to shares: the weights of scikit-learn, to nine decimals, on any kernel."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit

from citectx.apps.contexts.features import LEXICAL, names_of
from citectx.apps.contexts.logistic import Pairs
from citectx.apps.contexts.ltr import GRID, LTR, Examples, Settings
from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare
from citectx.types import Floats
from tests.recommendation.test_kernels import NEEDS, flags

KERNELS = "Prescott", "Haswell"
PRINTED = """
import numpy as np
from tests.apps.contexts.test_logistic import learned, made
np.savetxt(__import__("sys").stdout, learned(made()), fmt="%.17g")
"""


def made() -> Examples:
    """Give 12,000 pairs with 60 features, some alike, of which one in thirty is marked."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 200, 60))
    values[:, :, 30:] += 3 * values[:, :, :30]
    odds = values @ rng.normal(size=60) / 20 - 4.5
    return Examples(values.astype(np.float32), rng.binomial(4, expit(odds)) / 4)


def learned(example: Examples) -> Floats:
    """Learn with each of the settings: weights and, last, the intercept."""
    names = [f"feature {i}" for i in range(example.values.shape[-1])]
    models = LTR.learn([example], names, GRID)
    return np.array([[*(w.weight for w in m.weights.values()), m.intercept] for m in models])


def by_sklearn(values: Floats, shares: Floats, c: float) -> Floats:
    """Fit two weighted rows for each pair."""
    from sklearn.linear_model import LogisticRegression  # not needed under other kernels

    twice, both = np.concatenate([values, values]), np.repeat([0, 1], len(values))
    logit = LogisticRegression(C=c, solver="newton-cholesky", tol=1e-12, max_iter=500)
    logit.fit(twice, both, np.concatenate([1 - shares, shares]))
    return np.append(logit.coef_[0], logit.intercept_)


@pytest.mark.filterwarnings("ignore:.*line search.*", "ignore:Line search")
@pytest.mark.parametrize("corpus", ["made", "teaching"])
def test_weights_are_those_of_scikit_learn(corpus: str, teaching: Corpus) -> None:
    names = names_of(*LEXICAL)
    examples = [made()]
    if corpus == "teaching":
        examples = [Examples.of(t, names) for t in prepare(teaching, Protocol())]
    else:
        names = [f"feature {i}" for i in range(60)]
    flat = np.concatenate([e.flat for e in examples]).astype(np.float64)
    marked = np.concatenate([e.shares.ravel() for e in examples])
    scale = flat.std(axis=0)
    values = (flat - flat.mean(axis=0)) / np.where(scale > 1e-9, scale, 1)
    for own, model in zip(GRID, LTR.learn(examples, names, GRID), strict=True):
        share = np.ceil(marked) if own.target == "any" else marked
        found = [*(w.weight for w in model.weights.values()), model.intercept]
        np.testing.assert_allclose(found, by_sklearn(values, share, own.C), atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*line search.*", "ignore:Line search")
def test_fits_to_the_same_values_are_the_same_to_nine_decimals() -> None:
    example = made()
    values = np.column_stack([example.flat, np.ones(12_000, np.float32)])
    shares = example.shares.ravel()
    found = Pairs(values).fit(shares, 3.0, np.zeros(61))
    other = by_sklearn(values[:, :-1].astype(np.float64), shares, 1 / 3)
    np.testing.assert_allclose(found, other, atol=1e-9)


def test_where_a_fit_begins_does_not_matter() -> None:
    example = made()
    names = [f"feature {i}" for i in range(60)]
    for settings, found in zip(GRID, learned(example), strict=True):
        [alone] = LTR.learn([example], names, [settings])
        weights = [*(w.weight for w in alone.weights.values()), alone.intercept]
        np.testing.assert_allclose(weights, found, atol=1e-9)


@pytest.mark.parametrize("start", [[0.0, 0.0], [0.05, 5.0], [-3.0, -8.0]])
def test_steps_that_go_too_far_are_shortened(start: list[float]) -> None:
    values = np.array([[1000.0, 1], [-1000.0, 1], [1.0, 1], [-1.0, 1]], dtype=np.float32)
    shares = np.array([1.0, 0.0, 0.0, 1.0])
    slope, intercept = Pairs(values).fit(shares, 1.0, np.array(start))
    wrong = expit(values[:, 0] * slope + intercept) - shares
    np.testing.assert_allclose([values[:, 0] @ wrong + slope, wrong.sum()], 0.0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:weights have not converged")  # where all pairs are marked
def test_few_pairs_and_features_that_never_differ() -> None:
    values = np.zeros((1, 9, 2), dtype=np.float32)
    values[0, :, 1] = np.arange(9)
    names = ["place", "length"]
    for shares in (np.eye(9)[3:4], np.eye(9)[:1], np.full((1, 9), 0.5)):
        for model in LTR.learn([Examples(values, shares)], names, GRID):
            p = expit(model.of_values(values))
            assert model.weights["place"].weight == pytest.approx(0, abs=1e-9)
            target = np.ceil(shares) if model.settings.target == "any" else shares
            if target.min() < 1:
                assert p.sum() == pytest.approx(target.sum(), abs=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_the_same_on_every_kernel(kernel: str) -> None:
    if kernel in NEEDS and NEEDS[kernel] not in flags():
        pytest.skip(f"this processor has no {NEEDS[kernel]}")
    environment = os.environ | {"OPENBLAS_CORETYPE": kernel}
    command = [sys.executable, "-c", PRINTED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    there = np.array([line.split() for line in done.stdout.splitlines()], dtype=np.float64)
    np.testing.assert_allclose(there, learned(made()), rtol=0, atol=1e-10)


def test_one_setting_is_what_the_grid_gives() -> None:
    example = made()
    names = [f"feature {i}" for i in range(60)]
    [one] = LTR.learn([example], names, [Settings()])
    again = LTR.learn([example], names, [Settings(), Settings()])[1]
    assert one.intercept == pytest.approx(again.intercept, abs=1e-9)
