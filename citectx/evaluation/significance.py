"""Is a difference between two systems more than chance? A paired test, intervals, Holm, tau.

`a[i]` and `b[i]` are two systems' scores on citance i. Citances of one topic share their reference
article. The t-test, which the papers use, takes them for independent; a bootstrap over topics
(`groups`) is more careful.

>>> round(paired_t([0.5, 0.6, 0.9, 0.4], [0.3, 0.5, 0.4, 0.4]), 3)
0.161
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from citectx.types import Floats

LEVEL = 0.95
"""Confidence of intervals."""

RESAMPLES = 10_000
"""Draws of a bootstrap."""

ROUNDING = 1e-12
"""Differences closer than this, relative to their mean size, are ties."""


Interval = tuple[float, float]
"""The ends of an interval; NaN where there is none."""


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """Return the two-tailed p-value of Student's paired t-test, t = mean / (sd / √n).

    It is 1 if all pairs are equal, and 0 if all differ by the same amount.

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
        return 0.0 if mean else 1.0
    t = mean / spread * np.sqrt(n)
    return float(2 * stdtr(n - 1, -abs(t)))


def bootstrap_interval(
    values: ArrayLike,
    seed: int,
    *,
    resamples: int = RESAMPLES,
    groups: ArrayLike | None = None,
) -> Interval:
    """Return a 95 % percentile bootstrap interval of the mean of one score per citance.

    With `groups`, the topic of each citance, whole topics are drawn; from single citances intervals
    would be too narrow. With ten topics or fewer, even these are. Both ends are NaN for a single
    value or group.

    >>> bootstrap_interval([0.2, 0.4, 0.9, 0.5], seed=0, groups=["T1", "T1", "T1", "T1"])
    (nan, nan)
    """
    sums = np.asarray(values, dtype=np.float64)
    counts = np.ones(len(sums))
    if groups is not None:
        labels = np.asarray(groups)
        is_member = labels[:, None] == np.unique(labels)  # (n, groups)
        member = is_member.astype(np.float64)
        sums, counts = sums @ member, member.sum(axis=0)
    if len(sums) < 2:
        return float("nan"), float("nan")
    drawn = _draws(len(sums), seed, resamples)
    means = drawn @ sums / (drawn @ counts)
    ends = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    low, high = np.quantile(means, ends)
    return float(low), float(high)


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

    The i-th smallest of m is multiplied by m - i + 1. None may then be below a smaller one, nor
    above 1. NaN marks a test that was not made: it stays NaN and does not count.

    >>> holm([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06, nan, 0.06])
    """
    adjusted = np.array(p_values, dtype=np.float64)
    made = np.flatnonzero(~np.isnan(adjusted))
    order = made[np.argsort(adjusted[made], kind="stable")]
    multiplied = np.arange(len(order), 0, -1) * adjusted[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(multiplied))
    return adjusted


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Return Kendall's tau-b, or NaN where one side does not vary or a value is missing.

    tau-b = Σ sign(x_i - x_j) sign(y_i - y_j) over all pairs, divided by the roots of the numbers of
    pairs that x does not tie and that y does not tie.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.33333333333333337
    """
    values = np.array([x, y], dtype=np.float64)
    i, j = np.triu_indices(values.shape[1], 1)  # each pair once
    a, b = np.sign(values[:, i] - values[:, j])
    with np.errstate(invalid="ignore"):  # 0/0 where one side does not vary
        tau = a @ b / np.sqrt(a @ a) / np.sqrt(b @ b)
    return float(np.clip(tau, -1, 1))
