"""The networks against scikit-learn's, their slopes against differences, their sums in any
order."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from citectx.recommendation import networks
from citectx.recommendation.networks import Inputs, Networks, on_grid, softmax, train


def examples(seed: int, rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    inputs = on_grid(rng.uniform(-1, 1, (rows, 12)), networks.INPUT)
    return inputs, (inputs[:, 0] * inputs[:, 1] > 0).astype(np.int64) + (inputs[:, 2] > 0.5)


def laid_out(values: np.ndarray) -> Inputs:
    return Inputs(values[:, :8], sp.csr_matrix(values[:, 8:]))


def test_softmax_is_numpys() -> None:
    scores = np.random.default_rng(0).normal(scale=6, size=(50, 11))
    exact = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(softmax(scores), exact, rtol=1e-4, atol=1e-12)


def test_slopes_are_those_of_the_cross_entropy() -> None:
    inputs, classes = examples(1)
    truth = np.eye(3)[classes]
    rng = np.random.default_rng(2)
    made = Networks(*(rng.normal(size=s) for s in ((12, 10), (10,), (2, 5, 3), (2, 1, 3))))

    def loss(network: Networks) -> float:
        hidden = (
            np.maximum(inputs @ network.inner + network.inner_bias, 0)
            .reshape(-1, 2, 5)
            .transpose(1, 0, 2)
        )
        scores = hidden @ network.outer + network.outer_bias
        logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
        decay = (
            networks.DECAY / 2 * sum(float((w * w).sum()) for w in (network.inner, network.outer))
        )
        return float(-(logs * truth).sum() + decay) / len(truth)

    for name, slope in zip(Networks._fields, made.slopes(laid_out(inputs), truth), strict=True):
        place = tuple(size - 1 for size in slope.shape)
        step = np.zeros_like(getattr(made, name))
        step[place] = 1e-5
        rise = loss(made._replace(**{name: getattr(made, name) + step}))
        fall = loss(made._replace(**{name: getattr(made, name) - step}))
        np.testing.assert_allclose(slope[place], (rise - fall) / 2e-5, rtol=1e-3, atol=1e-6)


def test_as_good_as_scikit_learns() -> None:
    (inputs, classes), (others, truth) = examples(3, 4000), examples(4, 1000)
    ours = train(laid_out(inputs), classes, networks=3, hidden=16, epochs=40, seed=0)
    right = (ours.log_probabilities(laid_out(others)).argmax(axis=1) == truth).mean()
    peer = MLPClassifier((16,), batch_size=networks.BATCH, max_iter=40, alpha=1e-3, random_state=0)
    with pytest.warns(ConvergenceWarning):  # stopped after as many epochs as ours
        peer.fit(inputs, classes)
    assert right >= peer.score(others, truth) - 0.02
    assert right > 0.8


def test_no_sum_depends_on_its_order() -> None:
    inputs, classes = examples(5, 500)
    network = train(laid_out(inputs), classes, networks=2, hidden=32, epochs=3, seed=1)
    forth = network.slopes(laid_out(inputs), np.eye(3)[classes])
    rows, columns = (
        np.random.default_rng(6).permutation(500),
        np.random.default_rng(7).permutation(12),
    )
    turned = network._replace(inner=network.inner[columns])
    back = turned.slopes(laid_out(inputs[rows][:, columns]), np.eye(3)[classes[rows]])
    np.testing.assert_array_equal(forth.inner[columns], back.inner)
    for name in ("inner_bias", "outer", "outer_bias"):
        np.testing.assert_array_equal(getattr(forth, name), getattr(back, name))
