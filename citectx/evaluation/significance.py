"""Is a difference between two systems more than chance? A paired test, Holm, Kendall's tau.

`a[i]` and `b[i]` are two systems' scores on citance i. The t-test, which the papers use, takes
citances for independent, although those of one topic share their reference article. Intervals over
topics (`citectx.evaluation.intervals`) do not.

>>> round(paired_t([0.5, 0.6, 0.9, 0.4], [0.3, 0.5, 0.4, 0.4]), 3)
0.161
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from citectx.evaluation.intervals import Estimate, jackknife
from citectx.types import Floats, Ints

ROUNDING = 1e-12
"""Differences closer than this, relative to their mean size, are ties."""


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """Return the two-tailed p-value of Student's paired t-test, t = mean / (sd / √n).

    It is 1 if all pairs are equal, and 0 if all differ by the same amount.

    Source: sigir2017 Table 1, naacl2015 Table 2.
    Ambiguity: the papers do not say whether their t-test is paired, nor over what. All systems are
    scored on the same citances, so we pair by citance.

    >>> round(paired_t([0.5, 0.6, 0.9, 0.4], [0.3, 0.5, 0.4, 0.4]), 3)
    0.161
    """
    differences = np.subtract(a, b, dtype=np.float64)
    n = len(differences)
    mean = differences.mean()
    spread = differences.std(ddof=1)
    if spread <= ROUNDING * abs(mean):
        return 0.0 if mean else 1.0
    t = mean / spread * np.sqrt(n)
    return float(2 * stdtr(n - 1, -abs(t)))


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values for the number of tests, by Holm's step-down method.

    The i-th smallest of m is multiplied by m - i + 1. None may then be below a smaller one, nor
    above 1. NaN marks a test that was not made: it stays NaN and does not count.

    >>> holm([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06, nan, 0.06])
    """
    # Some versions of pandas give numpy a column's own memory where it asks for a copy.
    adjusted = np.array(p_values, dtype=np.float64).copy()
    made = np.isfinite(adjusted).sum()
    order = np.argsort(adjusted, kind="stable")  # NaN comes last
    multiplied = (made - np.arange(len(order))) * adjusted[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(multiplied))
    return adjusted


def kendall_tau(x: ArrayLike, y: ArrayLike) -> Any:
    """Return Kendall's tau-b over the last axis, NaN where a side does not vary or has a NaN.

    tau-b = Σ sign(x_i - x_j) sign(y_i - y_j) over all pairs, divided by the roots of the numbers of
    pairs that x does not tie and that y does not tie.

    >>> round(float(kendall_tau([1, 2, 3], [1, 3, 2])), 3)
    0.333
    """
    return tau_of(*(products.sum(axis=(-2, -1)) / 2 for products in pairs(x, y)))


def pairs(x: ArrayLike, y: ArrayLike) -> list[Floats]:
    """Return sign(x_i - x_j) sign(y_i - y_j), and the squares of either; (…, n, n) each.

    >>> products, _, untied = pairs([1, 2, 3], [1, 3, 3])
    >>> products[0].tolist(), untied[1].tolist()
    ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    """
    values = np.array([x, y], dtype=np.float64)  # (2, …, n)
    a, b = np.sign(values[..., None] - values[..., None, :])
    return [a * b, a * a, b * b]


def tau_of(concordant: Any, untied_x: Any, untied_y: Any) -> Any:
    """Return tau-b from its three sums over pairs.

    >>> float(tau_of(2.0, 4.0, 4.0))
    0.5
    """
    with np.errstate(invalid="ignore"):  # 0/0 where one side does not vary
        return np.clip(concordant / np.sqrt(untied_x) / np.sqrt(untied_y), -1, 1)


def kendall_tau_over(x: ArrayLike, y: ArrayLike, topics: Ints, counts: Floats) -> Estimate:
    """Estimate Kendall's tau-b over citances, by the jackknife over topics.

    ``topics`` (citances,) has numbers of topics. ``counts`` (…, topics) says which of them to use.

    >>> estimate = kendall_tau_over([1, 2, 3, 4], [1, 2, 4, 3], np.array([0, 0, 1, 1]), np.ones(2))
    >>> round(float(estimate.effect), 2), round(float(estimate.error), 2)
    (0.67, 1.0)
    """
    member = np.eye(counts.shape[-1])[topics]  # (citances, topics)
    sums = [member.T @ products @ member for products in pairs(x, y)]  # (topics, topics) each

    def tau(used: Floats) -> Any:  # (…, topics)
        return tau_of(*(((used @ by_topic) * used).sum(axis=-1) for by_topic in sums))

    without = counts[..., None, :] * (1 - np.eye(counts.shape[-1]))  # (…, topics, topics)
    return jackknife(tau(counts), tau(without), counts)
