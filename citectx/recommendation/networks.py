"""Small neural networks that come out the same, bit for bit, on every processor.

A sum of floats depends on its order, and BLAS chooses the order by the processor. Here all factors of a
matrix product are multiples of a power of two: inputs of 2⁻¹⁴, weights of 2⁻²⁴, slopes of 2⁻³⁰. Products and
sums then fit into the 53 bits of a double, so nothing is rounded and the order does not matter. All else is
elementwise arithmetic that IEEE 754 fixes (+, −, ·, /, √); the exponential is made of multiplications alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INPUT, WEIGHT, SLOPE = 14, 24, 30
"""Bits behind the point of inputs, weights and slopes."""

BATCH, RATE, DECAY = 256, 2e-3, 1e-3
"""Examples to a step; Adam's step size; weight decay."""


def on_grid(values: NDArray[np.floating], bits: int) -> Floats:
    """Round to multiples of 2⁻ᵇⁱᵗˢ.

    >>> on_grid(np.array([0.3, 1.0]), 2).tolist()
    [0.25, 1.0]
    """
    return np.asarray(np.round(values.astype(np.float64) * 2.0**bits) / 2.0**bits)


def softmax(scores: Floats) -> Floats:
    """Return probabilities over the last axis, from multiplications and divisions alone.

    >>> bool(np.allclose(softmax(np.array([0.0, 1.0])), [0.26894142, 0.73105858]))
    True
    """
    small = np.maximum(scores - scores.max(axis=-1, keepdims=True), -40.0) / 1024
    power = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
    for _ in range(10):
        power = power * power
    return _scaled(power)


def linked(shares: Floats, sizes: Ints, links: Floats) -> Floats:
    """Return the marginals of a linear chain over the sentences of each paper (forward-backward).

    Parameters
    ----------
    shares : float array, shape (sentences of all papers, classes)
        Probabilities of each sentence alone.
    sizes : int array, shape (papers,)
        Sentences of each paper.
    links : float array, shape (classes, classes)
        How many times more often the class of the column follows that of the row than chance would have it.

    Examples
    --------
    >>> links = np.array([[1.5, 0.5], [0.5, 1.5]])
    >>> linked(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([2]), links).round(2).tolist()
    [[0.9, 0.1], [0.7, 0.3]]
    """
    first, last = np.cumsum(sizes) - sizes, np.cumsum(sizes) - 1
    ahead, behind = shares.copy(), np.ones_like(shares)
    for i in range(1, int(sizes.max())):
        at, back = (first + i)[sizes > i], (last - i)[sizes > i]
        ahead[at] = _scaled(_summed(ahead[at - 1], links) * shares[at])
        behind[back] = _scaled(_summed(behind[back + 1] * shares[back + 1], links.T))
    return _scaled(ahead * behind)


def _summed(rows: Floats, links: Floats) -> Floats:
    """Multiply matrices, adding the products up in order (BLAS has an order of its own)."""
    return np.asarray((rows[:, :, None] * links).sum(axis=1))


def _scaled(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


class Networks(NamedTuple):
    """Several networks of one hidden layer; their mean decides.

    Parameters
    ----------
    inner, inner_bias : float arrays, shape (networks, inputs, hidden) and (networks, 1, hidden)
    outer, outer_bias : float arrays, shape (networks, hidden, classes) and (networks, 1, classes)
    """

    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats

    def hidden(self, inputs: NDArray[np.floating]) -> Floats:
        """Return what the hidden units pass on, shape (networks, rows, hidden)."""
        return on_grid(np.maximum(inputs @ self.inner + self.inner_bias, 0), INPUT)

    def scores(self, hidden: Floats) -> Floats:
        """Return the logits of the classes, shape (networks, rows, classes)."""
        return np.asarray(hidden @ self.outer + self.outer_bias)

    def log_probabilities(self, inputs: NDArray[np.floating]) -> Floats:
        """Return the networks' mean logarithm of probability, shape (rows, classes); inputs on their grid."""
        return np.asarray(np.log(softmax(self.scores(self.hidden(inputs)))).mean(axis=0))

    def slopes(self, inputs: NDArray[np.floating], truth: Floats) -> "Networks":
        """Return the slope of the mean cross-entropy (a sum over the networks), with weight decay."""
        hidden = self.hidden(inputs)
        wrong = on_grid((softmax(self.scores(hidden)) - truth) / len(truth), SLOPE)
        back = on_grid((wrong @ self.outer.transpose(0, 2, 1)) * (hidden > 0), SLOPE)
        rate = DECAY / len(truth)
        return Networks(
            inputs.T @ back + rate * self.inner,
            back.sum(axis=1, keepdims=True),
            hidden.transpose(0, 2, 1) @ wrong + rate * self.outer,
            wrong.sum(axis=1, keepdims=True),
        )


def train(inputs: NDArray[np.floating], classes: Ints, networks: int, hidden: int, epochs: int, seed: int) -> Networks:
    """Train by Adam, all networks on the same batches.

    Parameters
    ----------
    inputs : float array, shape (rows, inputs)
        Between −4 and 4, on their grid (see `on_grid`).
    classes : int array, shape (rows,)
        From 0.
    networks, hidden, epochs, seed : int
    """
    rng = np.random.default_rng(seed)
    truth = np.eye(int(classes.max()) + 1)[classes]
    shapes = [(inputs.shape[1], hidden), (hidden, truth.shape[1])]
    inner, outer = (rng.uniform(-1, 1, (networks, *s)) * np.sqrt(6 / sum(s)) for s in shapes)
    values = [inner, np.zeros((networks, 1, hidden)), outer, np.zeros((networks, 1, truth.shape[1]))]
    means, squares = ([np.zeros_like(v) for v in values] for _ in range(2))
    fast = slow = 1.0
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(inputs)), -(-len(inputs) // BATCH)):
            network = Networks(*(on_grid(v, WEIGHT) for v in values))
            fast, slow = fast * 0.9, slow * 0.999
            rate = RATE * np.sqrt(1 - slow) / (1 - fast)
            for i, slope in enumerate(network.slopes(inputs[batch], truth[batch])):
                means[i] += 0.1 * (slope - means[i])
                squares[i] += 0.001 * (slope * slope - squares[i])
                values[i] -= rate * means[i] / (np.sqrt(squares[i]) + 1e-8)
    return Networks(*(on_grid(v, WEIGHT) for v in values))
