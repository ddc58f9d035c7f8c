"""Logistic regression to shares, many times on the same pairs.

Newton's method solves with the curvature of the loss at every step. To compute it takes three times
as long as to compute the slope, and it only steers: where the steps end is where the slope is zero.
So it is computed in single precision and kept as long as the steps become shorter quickly, from one
fit to the next as well, and corrected by what each step shows of it (BFGS: Nocedal and Wright 2006,
*Numerical Optimization*, section 6.1). Slopes are added up in double precision: coefficients are
the same to ten decimals, whatever the processor and its order of adding.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve
from scipy.special import expit

from citectx.types import Floats, Matrix

_PIECE = 2**12
"""Pairs whose values stay in the processor's cache."""
_MOST, _TOLERANCE = 100, 1e-10
"""Newton's steps, and how far from the best coefficients they may end."""
_SLOW = 0.2
"""Share of the step before that a step is, from which on a new curvature is worth its time."""
_LEAST = 1e-6
"""Variance that every pair is taken to have, so that no curvature is zero; steps become shorter."""
_EVERY, _ROUGH = 8, 1e-2
"""Which of the pairs, and what tolerance, tell where to begin."""


class _Point(NamedTuple):
    """Some coefficients, the slope of the loss there, and the variance of each pair's mark."""

    coef: Floats
    slope: Floats
    variances: Floats


class Pairs:
    """Pairs to which regressions are fitted, one after the other.

    Parameters
    ----------
    values : float32 array, shape (pairs, features + 1)
        The last column is 1, and what it weighs is not penalised.
    """

    def __init__(self, values: Matrix) -> None:
        self._pieces = np.split(values, range(_PIECE, len(values), _PIECE))
        self._double = np.empty((min(_PIECE, len(values)), values.shape[1]))
        self._kept: Floats | None = None  # of the loss without penalty, for a variance of 1

    def begin(self, shares: Floats, penalty: float) -> Floats:
        """Return coefficients to begin at where none are known: zeros, or better.

        From zeros, the first steps are many and far. They are made on every eighth pair, for which
        the same penalty is a stronger one, so that few marked pairs do not lead astray.
        """
        zeros = np.zeros(self._double.shape[1])
        some = shares[::_EVERY]
        if not 0 < some.sum() < len(some):
            return zeros
        values = np.concatenate(self._pieces)[::_EVERY]
        return Pairs(values).fit(some, penalty, zeros, _ROUGH)

    def fit(
        self, shares: Floats, penalty: float, start: Floats, tolerance: float = _TOLERANCE
    ) -> Floats:
        """Fit a logistic regression, beginning at some coefficients.

        Parameters
        ----------
        shares : float array, shape (pairs,)
        penalty : float
            On half of the squared coefficients.
        start : float array, shape (features + 1,)
        tolerance : float
            How far from the best coefficients the fit may end, by how quickly steps become shorter.
        """
        ridge = np.append(np.full(len(start) - 1, penalty), 0.0)
        at = self._at(start, shares, ridge)
        curvature = self._computed(at) if self._kept is None else self._kept * at.variances.sum()
        step, before = _newton(at, curvature, ridge), np.inf
        for _ in range(_MOST):
            reached = self._at(at.coef + step, shares, ridge)
            if reached.slope @ step > -at.slope @ step / 2:  # too far: it now goes up
                step = step / 2
                continue
            bend = reached.slope - at.slope - ridge * step
            curvature = _corrected(curvature, step, bend)
            at, before = reached, np.abs(step).max()
            step = _newton(at, curvature, ridge)
            if np.abs(step).max() > max(_SLOW * before, tolerance):
                curvature = self._computed(at)
                step = _newton(at, curvature, ridge)
            length = np.abs(step).max()
            if length * min(length / before, 1.0) <= tolerance:  # what the next step would be
                break
        else:
            told = f"weights have not converged in {_MOST} steps"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
        self._kept = curvature / at.variances.sum()
        return at.coef + step

    def _at(self, coef: Floats, shares: Floats, ridge: Floats) -> _Point:
        """Compute the slope in double precision; a piece is read once."""
        slope, variances, start = ridge * coef, np.empty_like(shares), 0
        for piece in self._pieces:
            rows = slice(start, start + len(piece))
            double = self._double[: len(piece)]
            double[:] = piece
            p = expit(double @ coef)
            slope += (p - shares[rows]) @ double
            variances[rows] = p * (1 - p)
            start = rows.stop
        return _Point(coef, slope, variances)

    def _computed(self, at: _Point) -> Floats:
        """Compute the curvature of the loss without penalty, in single precision."""
        found, start = np.zeros((len(at.coef), len(at.coef))), 0
        roots = np.sqrt(np.maximum(at.variances, _LEAST)).astype(np.float32)
        for piece in self._pieces:
            rooted = piece * roots[start : start + len(piece), None]
            found += rooted.T @ rooted
            start += len(piece)
        return found


def _newton(at: _Point, curvature: Floats, ridge: Floats) -> Floats:
    step: Floats = solve(curvature + np.diag(ridge), -at.slope, assume_a="pos")
    return step


def _corrected(curvature: Floats, step: Floats, bend: Floats) -> Floats:
    """Correct a curvature by how the slope changed along a step (BFGS)."""
    expected = curvature @ step
    seen, foreseen = bend @ step, expected @ step
    if min(seen, foreseen) <= 0:  # no more than rounding
        return curvature
    return curvature + np.outer(bend, bend) / seen - np.outer(expected, expected) / foreseen
