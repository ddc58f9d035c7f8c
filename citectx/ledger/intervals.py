"""Differences with intervals over topics: Student's t, and the jackknife."""

from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.types import Floats

LEVEL = 0.95
ALPHA = (1 - LEVEL) / 2
"""Level of a one-sided test."""


class Difference(NamedTuple):
    """How far one row lies above another, with its 95 % interval; NaN for what cannot be computed.

    ``error`` is the standard error of the effect, ``df`` the degrees of freedom of Student's t,
    ``same`` says that the two rows agree in every single score.
    """

    effect: float
    ci_low: float = nan
    ci_high: float = nan
    error: float = nan
    df: float = nan
    topics: int = 0
    same: bool = False


def interval(effect: float, moves: Floats, shares: Floats) -> Difference:
    """Return an effect with Student's t interval from what each topic contributes to it.

    ``moves`` (topics,) says how much each topic moves the mean, ``shares`` (topics,) how much it
    weighs, as `citectx.ledger.view.ByTopic` has them.

    >>> difference = interval(2.0, np.array([-1, 0, 1]) / 3, np.full(3, 1 / 3))
    >>> round(difference.error, 3), [round(end, 2) for end in difference[1:3]]
    (0.577, [-0.48, 4.48])
    """
    if len(moves) < 2:
        return Difference(effect, topics=len(moves))
    # squared residuals are scaled so that the variance is unbiased where topics are equally noisy
    square = (shares**2).sum()
    bias = (shares**2 * (1 - 2 * shares + square)).sum()
    error = float(np.sqrt((moves**2).sum() * square / bias))
    # Satterthwaite's degrees of freedom: topics - 1 for equal weights, fewer for others
    df = max(1.0, float(square**2 / (shares**4).sum()) - 1)
    return with_t(effect, error, df, len(moves))


def with_t(effect: float, error: float, df: float, topics: int) -> Difference:
    """Return an effect with Student's t interval from its standard error."""
    half = float(special.stdtrit(df, 1 - ALPHA)) * error
    return Difference(effect, effect - half, effect + half, error, df, topics)


def jackknifed(effect: float, without: Floats) -> Difference:
    """Return a statistic with Student's t interval from its values without each topic in turn."""
    topics = len(without)
    error = float(without.std()) * sqrt(topics - 1)
    return with_t(effect, error, topics - 1, topics)
