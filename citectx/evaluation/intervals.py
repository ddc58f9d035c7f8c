"""The one interval: Student's t over topics, weighted as the mean of a table is.

Citances of a topic share their reference article, so topics are what differs by chance. Arrays have
topics as their last axis, and any axes before it.

>>> estimate = mean_over([2.0, 4.0, 5.0, 9.0], ["a", "b", "b", "c"])
>>> [round(float(number), 2) for number in estimate.numbers]
[5.0, -3.62, 13.62]
"""

from itertools import accumulate, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.types import Floats

LEVEL = 0.95
ALPHA = (1 - LEVEL) / 2
"""Level of a one-sided test."""

FEWEST_TOPICS = 5
"""How many topics an interval of a table needs at least.

With two topics Student's t reaches 12.7 standard errors, with four 3.2, and each error is itself a
guess from as few numbers. Such an interval often leaves the range of its measure, as one of
[-73.5, 244.7] percent from two topics did. The teaching corpus has five topics. Verdicts ask for
six (`citectx.ledger.rule.FEW_TOPICS`)."""


class Estimate(NamedTuple):
    """An effect, its standard error, and the degrees of freedom of Student's t.

    NaN is what cannot be computed, such as the error of what was seen on a single topic.

    >>> estimate = Estimate(effect=2.0, error=1.0, df=9)
    >>> estimate.reach().round(2)  # to one side
    np.float64(2.26)
    >>> [round(float(number), 2) for number in estimate.numbers]
    [2.0, -0.26, 4.26]
    >>> several = Estimate(*np.array([[2.0, 3.0], [1.0, 1.0], [9, 9], [10, 10]]))
    >>> float(several.at(1).effect)
    3.0
    """

    effect: Any
    error: Any = np.nan
    df: Any = np.nan
    topics: Any = 0

    def reach(self, times: Any = 1) -> Any:
        """How far the interval reaches to one side; `times` corrects that test by a factor."""
        return special.stdtrit(self.df, 1 - ALPHA / times) * self.error

    def at(self, index: Any) -> "Estimate":
        """Return what is at an index of every part."""
        return Estimate(*(np.asarray(part)[index] for part in self))

    @property
    def numbers(self) -> tuple[Any, Any, Any]:
        """The effect, and the ends of its 95 % interval."""
        reach = self.reach()
        return self.effect, self.effect - reach, self.effect + reach

    @property
    def table_numbers(self) -> tuple[Any, Any, Any]:
        """The same for a table: the ends are NaN with fewer than `FEWEST_TOPICS` topics.

        >>> mean_over([2.0, 4.0, 6.0, 8.0], ["a", "b", "c", "d"]).table_numbers
        (np.float64(5.0), nan, nan)
        """
        if self.topics < FEWEST_TOPICS:
            return self.effect, np.nan, np.nan
        return self.numbers


def student(effect: Any, moves: Floats, shares: Floats) -> Estimate:
    """Estimate the error of a weighted mean from how much each topic moves it.

    ``shares`` (…, topics) are the topics' weights, which sum to 1. ``moves`` are the weights times
    the topics' deviations from the mean. Their sum of squares is a quadratic form xᵀAx of the
    topics' means x. It is scaled so that the variance is unbiased where topics are equally noisy,
    and has (tr A)² / tr A² degrees of freedom: n - 1 for n topics of equal weight.

    >>> moves = np.array([-1.0, 0.0, 1.0])  # of three topics with means of 2, 5 and 8
    >>> student(5.0, moves, np.full(3, 1 / 3)).error.round(3)
    np.float64(1.732)
    """
    # w2 ... w5: sums of powers of the weights w; that of w itself is 1
    powers = accumulate(repeat(shares, 5), np.multiply)
    _, w2, w3, w4, w5 = (power.sum(axis=-1) for power in powers)
    # M = I - 1 wᵀ takes the mean off, and A = Mᵀ diag(w)² M. These are tr A and tr A², written out.
    trace = w2 - 2 * w3 + w2**2
    trace_of_square = w4 - 4 * w5 + 4 * w2 * w4 + 2 * w3**2 - 4 * w2**2 * w3 + w2**4
    with np.errstate(divide="ignore", invalid="ignore"):  # a single topic
        squares = (moves**2).sum(axis=-1)
        error = np.sqrt(squares * w2 / trace)
        df = trace**2 / trace_of_square
    return Estimate(effect, error, df, (shares > 0).sum(axis=-1))


def jackknife(effect: Any, without: Floats, counts: Any) -> Estimate:
    """Estimate the error of a statistic from its values without each topic in turn.

    ``counts`` (…, topics) says which topics it has seen.

    >>> without = np.array([6.5, 5.0, 3.5])  # means without a topic of 2, of 5 and of 8
    >>> jackknife(5.0, without, np.ones(3)).error.round(3)
    np.float64(1.732)
    """
    topics = counts.sum(axis=-1)
    mean = (without * counts).sum(axis=-1) / topics
    deviations = without - mean[..., None]
    squares = (deviations**2 * counts).sum(axis=-1)
    df = topics - 1.0
    return Estimate(effect, np.sqrt(squares * df / topics), df, topics)


def mean_over(values: ArrayLike, topics: ArrayLike) -> Estimate:
    """Estimate the mean of one score per citance; citances count alike.

    >>> mean_over([1.0, 3.0, 5.0, 8.0], ["a", "a", "b", "c"]).effect
    np.float64(4.25)
    """
    scores = np.asarray(values, dtype=np.float64)
    _, topic = np.unique(topics, return_inverse=True)
    sizes = np.bincount(topic)
    effect = scores.mean()
    moves = np.bincount(topic, scores - effect) / len(scores)
    return student(effect, moves, sizes / len(scores))
