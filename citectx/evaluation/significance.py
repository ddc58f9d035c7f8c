"""Is a difference between two systems more than chance? Paired tests, bootstrap intervals, Holm.

The unit is the citance: `a[i]` and `b[i]` are two systems' scores on citance i. Citances of one
topic share their reference article, so they are not independent. The t-test, which the papers use,
and the permutation test assume that they are; a bootstrap over topics (`groups`) is the more
careful answer.

>>> ours, baseline = [0.5, 0.6, 0.9, 0.4], [0.3, 0.5, 0.4, 0.4]
>>> test = paired_t(ours, baseline)
>>> round(test.difference, 2), round(test.p_value, 3)
(0.2, 0.161)
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from citectx.types import Floats

LEVEL = 0.95
"""Confidence of intervals."""

RESAMPLES = 10_000
"""Random exchanges of a permutation test, and draws of a bootstrap."""

ROUNDING = 1e-12
"""Differences closer than this, relative to their mean size, are ties."""


class PairedTest(NamedTuple):
    """What a paired test found; `difference` is mean(a) - mean(b)."""

    difference: float
    p_value: float


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def paired_t(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the mean difference with Student's paired t-test, two-tailed.

    t = mean / (sd / √n); p is 1 if all pairs are equal, and 0 if all differ by the same amount.

    Parameters
    ----------
    a, b : (n,) numbers
        Scores of two systems on the same citances, n at least 2.

    Notes
    -----
    Source: sigir2017 Table 1, naacl2015 Table 2.

    Ambiguity: the papers do not say whether their t-test is paired, nor over what. All systems are
    scored on the same citances, so we pair by citance.
    """
    # Student's distribution, without the second that scipy.stats takes to import.
    from scipy.special import stdtr

    differences = np.subtract(a, b, dtype=np.float64)
    n, mean = len(differences), differences.mean()
    spread = differences.std(ddof=1)
    if spread <= ROUNDING * abs(mean):
        return PairedTest(float(mean), 0.0 if mean else 1.0)
    t = mean / spread * np.sqrt(n)
    p_value = 2 * stdtr(n - 1, -abs(t))
    return PairedTest(float(mean), float(p_value))


def paired_permutation(a: ArrayLike, b: ArrayLike, seed: int) -> PairedTest:
    """Test the mean difference by exchanging the two systems' scores within pairs, two-tailed.

    If no more than `RESAMPLES` exchanges are possible (``2**n``), each is tried once and the
    p-value is exact; else so many are drawn, and it is ``(1 + as extreme) / (1 + RESAMPLES)``,
    never 0.

    Parameters
    ----------
    a, b : (n,) numbers
    seed : int

    Examples
    --------
    >>> paired_permutation([3, 4, 5], [1, 2, 2], seed=0).p_value  # 2 of 8 exchanges are as extreme
    0.25
    """
    differences = np.subtract(a, b, dtype=np.float64)
    n, difference = len(differences), differences.mean()
    exchanged = _exchanges(n, seed, RESAMPLES)
    means = difference - 2 * (exchanged @ differences) / n
    tie = ROUNDING * np.abs(differences).mean()
    extreme = np.abs(means) >= abs(difference) - tie
    exact = len(exchanged) == 2**n
    p_value = extreme.mean() if exact else (1 + extreme.sum()) / (1 + RESAMPLES)
    return PairedTest(float(difference), float(p_value))


@lru_cache(maxsize=2)
def _exchanges(n: int, seed: int, most: int) -> Floats:
    """Return which of n pairs are exchanged, 0 or 1: all 2**n ways, or else `most` random ones."""
    if 2**n <= most:
        every = np.arange(2**n)[:, None] >> np.arange(n)
        return (every & 1).astype(np.float64)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 2, (most, n), dtype=np.int8)
    return drawn.astype(np.float64)


def bootstrap_interval(
    values: ArrayLike,
    seed: int,
    *,
    resamples: int = RESAMPLES,
    groups: ArrayLike | None = None,
) -> Interval:
    """Return a 95 % percentile bootstrap interval of the mean.

    Parameters
    ----------
    values : (n,) numbers
        One score for each citance.
    seed : int
    resamples : int
    groups : (n,) labels, optional
        The topic of each citance. Whole topics are then drawn, and their citances stay together:
        they share a reference article, so drawing them one by one gives intervals that are too
        narrow. With few topics (ten, say) even these are somewhat narrow.

    Returns
    -------
    Interval
        NaN at both ends if there is only one value or one group: its variation is unknown.

    Examples
    --------
    >>> low, high = bootstrap_interval([0.2, 0.4, 0.9, 0.5], seed=0)
    >>> low < 0.5 < high
    True
    >>> bootstrap_interval([0.2, 0.4, 0.9, 0.5], seed=0, groups=["T1", "T1", "T1", "T1"])
    Interval(low=nan, high=nan)
    """
    sums = np.asarray(values, dtype=np.float64)
    counts = np.ones(len(sums))
    if groups is not None:
        labels = np.asarray(groups)
        member = (labels[:, None] == np.unique(labels)).astype(np.float64)  # (n, groups)
        sums, counts = sums @ member, member.sum(axis=0)
    if len(sums) < 2:
        return Interval(float("nan"), float("nan"))
    drawn = _draws(len(sums), seed, resamples)
    means = drawn @ sums / (drawn @ counts)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


@lru_cache(maxsize=2)
def _draws(n: int, seed: int, resamples: int) -> Floats:
    """Count how often each resample draws each of n, shape (resamples, n), once for all scores."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n, size=(resamples, n))
    cells = drawn + n * np.arange(resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=resamples * n)
    return counts.reshape(resamples, n).astype(np.float64)


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values for the number of tests, by Holm's step-down method.

    The i-th smallest of m is multiplied by m - i + 1; none may then be below a smaller one, nor
    above 1. Kept although statsmodels has it: the few lines need no further dependency, and leave
    out NaN.

    Parameters
    ----------
    p_values : (m,) numbers
        NaN marks a test that was not made: it stays NaN and does not count.

    Returns
    -------
    (m,) array of float
        In the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06, nan, 0.06])
    """
    adjusted = np.array(p_values, dtype=np.float64)
    made = np.flatnonzero(~np.isnan(adjusted))
    order = made[np.argsort(adjusted[made], kind="stable")]
    multiplied = np.arange(len(order), 0, -1) * adjusted[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(multiplied))
    return adjusted
