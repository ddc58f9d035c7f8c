"""Small neural networks that come out the same, bit for bit, on every processor.

A sum of floats depends on its order, and BLAS chooses the order by the processor. Here all factors
of a matrix product are multiples of a power of two: inputs of 2⁻¹⁴, weights of 2⁻²⁴, slopes of
2⁻³⁰. Products and sums then fit into the 53 bits of a double, so nothing is rounded and the order
does not matter. All else is elementwise arithmetic that IEEE 754 fixes (+, −, ·, /, √); the
exponential is made of multiplications alone.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.types import Floats, Ints

INPUT, WEIGHT, SLOPE = 14, 24, 30
"""Bits behind the point of inputs, weights and slopes."""

BATCH, RATE, DECAY = 256, 2e-3, 1e-3
"""Examples to a step; Adam's step size; weight decay."""

_PIECE = 2**14  # weights that stay in the processor's cache


def on_grid(values: NDArray[np.floating], bits: int) -> Floats:
    """Round to multiples of 2⁻ᵇⁱᵗˢ.

    >>> on_grid(np.array([0.3, 1.0]), 2).tolist()
    [0.25, 1.0]
    """
    scaled: Floats = np.multiply(values, 2.0**bits, dtype=np.float64)
    np.rint(scaled, out=scaled)
    scaled *= 2.0**-bits
    return scaled


def softmax(scores: Floats) -> Floats:
    """Return probabilities over the last axis, from multiplications and divisions alone.

    >>> bool(np.allclose(softmax(np.array([0.0, 1.0])), [0.26894142, 0.73105858]))
    True
    """
    relative = scores - scores.max(axis=-1, keepdims=True)
    small = np.maximum(relative, -40.0) / 1024
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
        How many times more often the class of the column follows that of the row than chance would
        have it.

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


class Inputs(NamedTuple):
    """What the networks see of some sentences, on its grid: full columns, then sparse ones.

    Parameters
    ----------
    full : float array, shape (rows, columns)
    sparse : csr_matrix, shape (rows, further columns)

    Examples
    --------
    >>> inputs = Inputs(np.eye(2), sp.csr_matrix(np.ones((2, 1))))
    >>> inputs.times(np.array([[1.0], [2.0], [4.0]])).tolist()
    [[5.0], [6.0]]
    """

    full: NDArray[np.floating]
    sparse: sp.csr_matrix

    @property
    def width(self) -> int:
        """How many columns there are."""
        return int(self.full.shape[1] + self.sparse.shape[1])

    def of(self, rows: Ints) -> "Inputs":
        """Return some of the rows."""
        return Inputs(self.full[rows].astype(np.float64), self.sparse[rows])

    def times(self, weights: Floats) -> Floats:
        """Sum up, for each row, its values times the columns' weights."""
        width = self.full.shape[1]
        return np.asarray(self.full @ weights[:width] + self.sparse @ weights[width:])

    def turned(self, rows: Floats) -> Floats:
        """Sum up, for each column, its values times something of the rows."""
        width = self.full.shape[1]
        sums = np.empty((self.width, rows.shape[1]))
        np.matmul(self.full.T, rows, out=sums[:width])
        sums[width:] = self.sparse.T @ rows
        return sums


class Networks(NamedTuple):
    """Several networks of one hidden layer; their mean decides.

    Parameters
    ----------
    inner, inner_bias : float arrays, shape (inputs, networks × hidden) and (networks × hidden)
        The networks side by side.
    outer, outer_bias : float arrays, shape (networks, hidden, classes) and (networks, 1, classes)
    """

    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats

    def hidden(self, inputs: Inputs) -> Floats:
        """Return what the hidden units pass on, shape (networks, rows, hidden)."""
        units = on_grid(np.maximum(inputs.times(self.inner) + self.inner_bias, 0), INPUT)
        return units.reshape(len(units), len(self.outer), -1).transpose(1, 0, 2)

    def scores(self, hidden: Floats) -> Floats:
        """Return the logits of the classes, shape (networks, rows, classes)."""
        return np.asarray(hidden @ self.outer + self.outer_bias)

    def log_probabilities(self, inputs: Inputs) -> Floats:
        """Return the networks' mean logarithm of probability, shape (rows, classes)."""
        logs = np.log(softmax(self.scores(self.hidden(inputs))))
        return np.asarray(logs.mean(axis=0))

    def slopes(self, inputs: Inputs, truth: Floats) -> "Networks":
        """Return the slope of the mean cross-entropy, summed over networks, with weight decay."""
        n, hidden = len(truth), self.hidden(inputs)
        wrong = on_grid((softmax(self.scores(hidden)) - truth) / n, SLOPE)
        passed = (wrong @ self.outer.transpose(0, 2, 1)) * (hidden > 0)
        back = on_grid(passed, SLOPE).transpose(1, 0, 2).reshape(n, -1)
        inner = inputs.turned(back)
        inner += DECAY / n * self.inner
        outer = hidden.transpose(0, 2, 1) @ wrong + DECAY / n * self.outer
        return Networks(inner, back.sum(axis=0), outer, wrong.sum(axis=1, keepdims=True))


def train(
    inputs: Inputs, classes: Ints, networks: int, hidden: int, epochs: int, seed: int
) -> Networks:
    """Train by Adam, all networks on the same batches.

    Parameters
    ----------
    inputs : Inputs
        Between −4 and 4, on their grid (see `on_grid`).
    classes : int array, shape (rows,)
        From 0.
    networks, hidden, epochs, seed : int
    """
    rng = np.random.default_rng(seed)
    truth = np.eye(int(classes.max()) + 1)[classes]
    values = _start(rng, networks, (inputs.width, hidden, truth.shape[1]))
    means, squares = ([np.zeros_like(v) for v in values] for _ in range(2))
    fast = slow = 1.0
    for _ in range(epochs):
        order = rng.permutation(len(truth))
        for batch in np.array_split(order, math.ceil(len(order) / BATCH)):
            slopes = _on_grid(values).slopes(inputs.of(batch), truth[batch])
            fast, slow = fast * 0.9, slow * 0.999
            rate = RATE * np.sqrt(1 - slow) / (1 - fast)
            for arrays in zip(values, means, squares, slopes, strict=True):
                _step(*(array.reshape(-1) for array in arrays), rate=rate)
    return _on_grid(values)


def _start(rng: np.random.Generator, networks: int, sizes: tuple[int, int, int]) -> list[Floats]:
    """Draw weights (Glorot and Bengio 2010); biases are 0."""
    drawn = []
    for shape in pairwise(sizes):
        drawn.append(rng.uniform(-1, 1, (networks, *shape)) * np.sqrt(6 / sum(shape)))
    inner, outer = drawn
    inner = inner.transpose(1, 0, 2).reshape(len(inner[0]), -1)
    return [inner, np.zeros(inner.shape[1]), outer, np.zeros((networks, 1, sizes[-1]))]


def _on_grid(values: list[Floats]) -> Networks:
    return Networks(*(on_grid(value, WEIGHT) for value in values))


def _step(value: Floats, mean: Floats, square: Floats, slope: Floats, *, rate: float) -> None:
    """Take a step of Adam in place, in pieces that stay in the processor's cache."""
    for first in range(0, len(value), _PIECE):
        part = slice(first, first + _PIECE)
        mean[part] += 0.1 * (slope[part] - mean[part])
        square[part] += 0.001 * (slope[part] * slope[part] - square[part])
        value[part] -= rate * mean[part] / (np.sqrt(square[part]) + 1e-8)
