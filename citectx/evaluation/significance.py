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

from citectx.errors import ParameterError
from citectx.types import Floats

LEVEL = 0.95
"""Confidence of intervals."""

RESAMPLES = 10_000
"""Random exchanges of a permutation test, and draws of a bootstrap."""

ROUNDING = 1e-12
"""Differences closer than this, relative to their mean size, are ties."""


class PairedTest(NamedTuple):
    """What a paired test found; `difference` is mean(a) - mean(b), `n` the number of pairs."""

    statistic: float
    p_value: float
    difference: float
    n: int


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def paired_t(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the mean difference with Student's paired t-test, two-tailed.

    Parameters
    ----------
    a, b : (n,) numbers
        Scores of two systems on the same citances, n at least 2.

    Returns
    -------
    PairedTest
        If all pairs are equal, t is 0/0: we say t = 0, p = 1. If all differ by the same amount, t
        is infinite and p = 0.

    Raises
    ------
    ParameterError
        On samples of different lengths, or numbers that are not finite.

    Notes
    -----
    Source: sigir2017 Table 1, naacl2015 Table 2.

    Ambiguity: the papers do not say whether their t-test is paired, nor over what. All systems are
    scored on the same citances, so we pair by citance.
    """
    # Student's distribution, without the second that scipy.stats takes to import.
    from scipy.special import stdtr

    differences = _differences(a, b)
    n, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1))
    if spread > ROUNDING * abs(mean):
        statistic = mean / spread * float(np.sqrt(n))
    else:
        statistic = float(np.copysign(np.inf, mean)) if mean else 0.0
    p_value = 2 * stdtr(n - 1, -abs(statistic))
    return PairedTest(statistic, float(p_value), mean, n)


def paired_permutation(a: ArrayLike, b: ArrayLike, seed: int) -> PairedTest:
    """Test the mean difference by exchanging the two systems' scores within pairs, two-tailed.

    Parameters
    ----------
    a, b : (n,) numbers
        n at least 2.
    seed : int

    Returns
    -------
    PairedTest
        The statistic is the mean difference. If no more than `RESAMPLES` exchanges are possible
        (``2**n``), each is tried once and the p-value is exact; else so many are drawn, and it is
        ``(1 + as extreme) / (1 + RESAMPLES)``, never 0.

    Examples
    --------
    >>> paired_permutation([3, 4, 5], [1, 2, 2], seed=0).p_value  # 2 of 8 exchanges are as extreme
    0.25
    """
    differences = _differences(a, b)
    n, difference = len(differences), float(differences.mean())
    exact = 2**n <= RESAMPLES
    exchanged = _every_exchange(n) if exact else _exchanges(n, seed)
    means = difference - 2 * (exchanged @ differences) / n
    extreme = np.abs(means) >= abs(difference) - ROUNDING * np.abs(differences).mean()
    p_value = extreme.mean() if exact else (1 + extreme.sum()) / (1 + RESAMPLES)
    return PairedTest(difference, float(p_value), difference, n)


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

    Raises
    ------
    ParameterError
        On values that are not finite, or labels of another length.

    Examples
    --------
    >>> low, high = bootstrap_interval([0.2, 0.4, 0.9, 0.5], seed=0)
    >>> low < 0.5 < high
    True
    >>> bootstrap_interval([0.2, 0.4, 0.9, 0.5], seed=0, groups=["T1", "T1", "T1", "T1"])
    Interval(low=nan, high=nan)
    """
    sums, counts = _by_group(_sample(values), groups)
    if len(sums) < 2:
        return Interval(float("nan"), float("nan"))
    drawn = _draws(len(sums), seed, resamples)
    means = drawn @ sums / (drawn @ counts)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


@lru_cache(maxsize=2)
def _draws(n: int, seed: int, resamples: int) -> Floats:
    """Count how often each resample draws each of n, shape (resamples, n), once for all scores."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    cells = drawn + n * np.arange(resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=resamples * n)
    return counts.reshape(resamples, n).astype(np.float64)


@lru_cache(maxsize=2)
def _exchanges(n: int, seed: int) -> Floats:
    """Draw which of n pairs are exchanged, 0 or 1, shape (RESAMPLES, n)."""
    drawn = np.random.default_rng(seed).integers(0, 2, (RESAMPLES, n), dtype=np.int8)
    return drawn.astype(np.float64)


def _every_exchange(n: int) -> Floats:
    """Return every way to exchange some of n pairs, 0 or 1, shape (2**n, n)."""
    numbers = np.arange(2**n)[:, None]
    return (numbers >> np.arange(n) & 1).astype(np.float64)


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


def _sample(values: ArrayLike) -> Floats:
    """Check a sample: finite numbers in a row."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not np.isfinite(sample).all():
        raise ParameterError(f"expected finite numbers in a row, found shape {sample.shape}")
    return sample


def _differences(a: ArrayLike, b: ArrayLike) -> Floats:
    first, second = _sample(a), _sample(b)
    if len(first) != len(second):
        sizes = f"{len(first)} and {len(second)}"
        raise ParameterError(f"paired samples must be equally long, not {sizes}")
    return first - second


def _by_group(sample: Floats, groups: ArrayLike | None) -> tuple[Floats, Floats]:
    """Sum and count the values of each group, in order of the labels; without any, each is one."""
    if groups is None:
        return sample, np.ones(len(sample))
    labels = np.asarray(groups)
    if labels.shape != sample.shape:
        raise ParameterError(f"{len(sample)} scores but labels of shape {labels.shape}")
    member = (labels[:, None] == np.unique(labels)).astype(np.float64)
    return sample @ member, member.sum(axis=0)
