"""Numbers of one corpus as a claim sees them, and the differences between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atanh, nan, sqrt, tanh
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from citectx.claims.outcomes import LEVEL, Difference
from citectx.claims.results import Number, Results
from citectx.errors import DataError
from citectx.types import Floats

Scores: TypeAlias = "pd.Series[float]"
OVER_CITANCES = " (citances)"
"""Ends the name of a column that is the mean over citances of a column that is a mean over topics."""

SPREAD = " sd"
"""Ends the name of a column of standard deviations, whose scores are absolute deviations from the mean."""


@dataclass
class View:
    """One corpus, seen through the experiments that a claim names.

    Parameters
    ----------
    results : Results
    experiments : tuple of str
        A cell is taken from the first of them that has it.
    corpus : str
    home : str
        The corpus of the paper's own numbers.
    published : mapping of (row, column) to float
        The paper's own numbers.
    half_units : mapping of str to float
        How far rounding can have moved them, by column.
    units : mapping of str to float
        The highest score that a column can have.
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    """

    results: Results
    experiments: tuple[str, ...]
    corpus: str
    home: str = ""
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    half_units: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, float] = field(default_factory=dict)
    relative: bool = False
    _cells: "dict[tuple[str, str], ByTopic | None]" = field(default_factory=dict, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Say whether our tables have the cell."""
        return bool(self._home_of(row, column))

    def number(self, row: str, column: str) -> Number:
        """Our value with its interval.

        Raises
        ------
        KeyError
            Where `has` is false.
        """
        return self.results.table(self._home_of(row, column))[self.corpus, row, column]

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.number(row, column).value

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def cell(self, row: str, column: str) -> "ByTopic | None":
        """Return the scores behind a cell, held against the table; None where none were kept.

        Raises
        ------
        DataError
            If they do not make the table's value, or are not as many as it says.
        """
        if (row, column) not in self._cells:
            name, own = self._home_of(row, column), column.removesuffix(OVER_CITANCES)
            scores = self.results.scores(name, self.corpus, row, own)
            self._cells[row, column] = None if scores is None else self._summed(row, column, scores)
        return self._cells[row, column]

    def difference(self, high: str, low: str, column: str, *, paired: bool = True) -> Difference:
        """Return ``high - low`` with its interval: Student's t over topics, weighted as the table's mean is.

        Each topic's share in the difference is known, so the standard error is that of a weighted mean of
        topics: with equal weights, the plain t interval of per-topic differences. Without scores there is the
        difference of the table's values only, with a single topic no interval.

        Parameters
        ----------
        high, low, column : str
        paired : bool
            Whether both rows must have been scored on the same citances.

        Raises
        ------
        DataError
            If they were not.
        """
        effect = self.value(high, column) - self.value(low, column)
        one, two = self.cell(high, column), self.cell(low, column)
        if one is None or two is None:
            return Difference(effect)
        if column.endswith(SPREAD):
            effect = float(one.scores.mean() - two.scores.mean())
        same = paired and len(one.scores) > 1 and self._same(high, low, column, one.scores, two.scores)
        topics = np.union1d(one.topics, two.topics)
        (up, up_shares), (down, down_shares) = one.over(topics), two.over(topics)
        return interval(effect, up - down, (up_shares + down_shares) / 2, same=same)

    def one_method(self, row: str, other: str) -> bool:
        """Say whether an experiment found that two rows are one method: see ``<experiment>.same.csv``."""
        pairs = {pair for name in self.experiments for pair in self.results.same(name, self.corpus)}
        return frozenset({row, other}) in pairs

    def _home_of(self, row: str, column: str) -> str:
        """Name the first experiment whose table has a cell; "" if none has it."""
        cell = (self.corpus, row, column)
        return next((name for name in self.experiments if cell in self.results.table(name)), "")

    def _same(self, high: str, low: str, column: str, one: Scores, two: Scores) -> bool:
        """Say whether two rows agree in every score; both must have been scored on the same citances."""
        if not one.index.equals(two.index):
            if len(odd := one.index.symmetric_difference(two.index)):
                raise DataError(
                    f"corpus {self.corpus}, {column}: {high} and {low} were not scored on the same "
                    f"citances; {len(odd)} have only one of the two, first {' '.join(odd[0])}; "
                    "run the experiment again",
                    file=self.results.folder / f"{self.experiments[0]}.citances.csv.gz",
                )
            two = two.loc[one.index]
        return bool((one.to_numpy() == two.to_numpy()).all())

    def _summed(self, row: str, column: str, scores: Scores) -> "ByTopic":
        """Sum scores up by topic, after holding them against the table."""
        number = self.number(row, column)
        codes, topics = pd.factorize(scores.index.get_level_values("topic"), sort=True)
        sizes, sums = np.bincount(codes), np.bincount(codes, scores.to_numpy())
        found = ByTopic(np.asarray(topics), sums / sizes, sizes, number.n == len(sizes), scores)
        if column.endswith(SPREAD):
            return found
        place = f"{self.corpus}, {row}, {column}"
        file = self.results.folder / f"{self._home_of(row, column)}.csv"
        top = self.units.get(column, nan)
        if scores.max() > top + 1e-6 or scores.min() < 0 < top:
            raise DataError(f"{place}: scores from {scores.min():g} to {scores.max():g} of {top:g}", file=file)
        if top > 1 >= scores.max() > 0 and self.published_value(row, column) > 1:
            raise DataError(f"{place}: fractions where the paper prints percents", file=file)
        if number.n not in {len(sizes), len(scores)}:
            raise DataError(f"{place}: n is {number.n:g}, but {len(scores)} citances have a score", file=file)
        if abs(found.mean - number.value) > 2e-4 * max(1.0, abs(number.value)):
            why = f"the table says {number.value:.4f}, but the mean of its scores is {found.mean:.4f}"
            raise DataError(f"{place}: {why}", file=file)
        return found


@dataclass(frozen=True)
class ByTopic:
    """Scores of one cell by topic.

    Parameters
    ----------
    topics : (topics,) array of str
    means : (topics,) floats
    sizes : (topics,) ints
        Citances of each topic.
    over_topics : bool
        Whether the table's value is the mean of the topics' means, rather than that of all citances.
    scores : Series
        By (topic, citance).

    Examples
    --------
    >>> cell = ByTopic(np.array(["a", "b"]), np.array([1.0, 4.0]), np.array([2, 1]), over_topics=False)
    >>> cell.mean, cell.moves.round(3).tolist(), cell.leave_one_out().tolist()
    (2.0, [-0.667, 0.667], [4.0, 1.0])
    """

    topics: NDArray[np.object_]
    means: Floats
    sizes: NDArray[np.intp]
    over_topics: bool
    scores: Scores = field(default_factory=lambda: pd.Series(dtype=float), repr=False)

    @property
    def shares(self) -> Floats:
        """Weight of each topic in the mean; they sum to 1."""
        weights = np.ones(len(self.sizes)) if self.over_topics else self.sizes.astype(np.float64)
        shares: Floats = weights / weights.sum()
        return shares

    @property
    def mean(self) -> float:
        """Mean as the table has it."""
        return float(self.shares @ self.means)

    @property
    def moves(self) -> Floats:
        """How much each topic moves the mean; they sum to 0."""
        return self.shares * (self.means - self.mean)

    def over(self, topics: NDArray[np.object_]) -> tuple[Floats, Floats]:
        """Return moves and shares over more topics, 0 for those that the cell has not."""
        found = np.zeros((2, len(topics)))
        found[:, np.searchsorted(topics, self.topics)] = self.moves, self.shares
        return found[0], found[1]

    def leave_one_out(self) -> Floats:
        """Return the mean without each topic in turn."""
        return (self.mean - self.shares * self.means) / (1 - self.shares)


def interval(effect: float, moves: Floats, shares: Floats, *, same: bool = False) -> Difference:
    """Return an effect with Student's t interval from what each topic contributes to it.

    Parameters
    ----------
    effect : float
    moves, shares : (topics,) floats
        As `ByTopic` has them.
    same : bool

    Examples
    --------
    >>> found = interval(2.0, np.array([-1, 0, 1]) / 3, np.full(3, 1 / 3))
    >>> round(found.error, 3), round(found.df, 9), [round(end, 2) for end in found[1:3]]
    (0.577, 2.0, [-0.48, 4.48])
    """
    topics = len(moves)
    if topics < 2:
        return Difference(effect, topics=topics, same=same)
    error, df = float(standard_error(moves, shares)), degrees_of_freedom(shares)
    half = float(special.stdtrit(df, (1 + LEVEL) / 2)) * error
    return Difference(effect, effect - half, effect + half, error, df, topics, same)


def standard_error(moves: Floats, shares: Floats) -> Floats:
    """Return the standard error of a weighted mean of topics: (..., topics), (topics,) → (...).

    The squared residuals are scaled so that the variance is unbiased where topics are equally noisy.
    """
    square = (shares**2).sum()
    bias = (shares**2 * (1 - 2 * shares + square)).sum()
    found: Floats = np.sqrt((moves**2).sum(axis=-1) * square / bias)
    return found


def degrees_of_freedom(shares: Floats) -> float:
    """Satterthwaite's degrees of freedom of that error: topics - 1 for equal weights, fewer for others."""
    return max(1.0, float((shares**2).sum() ** 2 / (shares**4).sum()) - 1)


def jackknifed(effect: float, without: Floats) -> Difference:
    """Return a statistic with Student's t interval from its values without each topic in turn."""
    topics = len(without)
    error = sqrt((topics - 1) / topics * float(((without - without.mean()) ** 2).sum()))
    half = float(special.stdtrit(topics - 1, (1 + LEVEL) / 2)) * error
    return Difference(effect, effect - half, effect + half, error, topics - 1, topics)


def tau(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float:
    """Kendall's tau-b; NaN where one side does not vary or a value is missing."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return nan
    from scipy.stats import kendalltau  # a second to import

    return float(kendalltau(x, y).statistic)


def fisher(correlation: float, units: int) -> Difference:
    """Return Kendall's tau over units that are no topics, with Fieller's interval.

    On Fisher's scale tau has variance 0.437 / (n - 4); below five units, or where tau is 1, there is no
    interval.

    >>> found = fisher(0.5, 20)
    >>> round(found.ci_low, 2), round(found.ci_high, 2)
    (0.22, 0.7)
    """
    if units < 5 or not abs(correlation) < 1:
        return Difference(correlation, topics=units)
    error = sqrt(0.437 / (units - 4))
    half = float(special.ndtri((1 + LEVEL) / 2)) * error
    ends = tanh(atanh(correlation) - half), tanh(atanh(correlation) + half)
    return Difference(correlation, *ends, error * (1 - correlation**2), units - 4, units)
