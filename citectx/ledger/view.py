"""One corpus as a claim sees it: our numbers, the paper's, and the scores behind ours by topic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import TypeAlias

import numpy as np
import pandas as pd

from citectx.errors import DataError
from citectx.experiments.report import OVER_CITANCES, SPREAD
from citectx.ledger.intervals import Difference, interval

Scores: TypeAlias = "pd.Series[float]"
Cell = tuple[str, str]
"""A row and a column."""


@dataclass(frozen=True)
class ByTopic:
    """Scores of one cell by topic.

    Parameters
    ----------
    scores : Series of float
        By (topic, citance).
    means : Series of float
        By topic.
    shares : Series of float
        Weight of each topic in the mean; they sum to 1.
    """

    scores: Scores
    means: Scores
    shares: Scores

    @classmethod
    def of(cls, scores: Scores, n: float) -> "ByTopic":
        """Sum scores up by topic; topics count alike if the table's n counts topics.

        >>> places = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["topic", ""])
        >>> cell = ByTopic.of(pd.Series([1.0, 1.0, 4.0], places), n=3)
        >>> cell.moves.round(3).tolist(), cell.leave_one_out().tolist()
        ([-0.667, 0.667], [4.0, 1.0])
        """
        groups = scores.groupby(level="topic")
        sizes = groups.size()
        weights = sizes if n != len(sizes) else sizes.clip(upper=1)
        return cls(scores, groups.mean(), weights / weights.sum())

    @property
    def mean(self) -> float:
        """Mean as the table has it."""
        return float((self.shares * self.means).sum())

    @property
    def moves(self) -> Scores:
        """How much each topic moves the mean; they sum to 0."""
        return self.shares * (self.means - self.mean)

    def leave_one_out(self) -> Scores:
        """Return the mean without each topic in turn."""
        return (self.mean - self.shares * self.means) / (1 - self.shares)


@dataclass
class View:
    """One corpus, seen through the tables that a claim names.

    Parameters
    ----------
    numbers : mapping of (row, column) to (value, n)
        Ours.
    scores : mapping of (row, column) to Series
        The scores behind them by (topic, citance); NaN for what was not scored.
    published : mapping of (row, column) to float
        The paper's own numbers.
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    """

    numbers: Mapping[Cell, tuple[float, float]]
    scores: Mapping[Cell, Scores]
    published: Mapping[Cell, float] = field(default_factory=dict)
    relative: bool = False
    _cells: dict[Cell, ByTopic | None] = field(default_factory=dict, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Return whether our tables have the cell."""
        return (row, column) in self.numbers

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.numbers[row, column][0]

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def cell(self, row: str, column: str) -> ByTopic | None:
        """Return the scores behind a cell; None where none were kept."""
        if (row, column) not in self._cells:
            nothing = pd.Series(dtype=float)
            scores = self.scores.get((row, column.removesuffix(OVER_CITANCES)), nothing).dropna()
            _, n = self.numbers[row, column]
            self._cells[row, column] = ByTopic.of(scores, n) if len(scores) else None
        return self._cells[row, column]

    def difference(self, high: str, low: str, column: str, *, paired: bool = True) -> Difference:
        """Return ``high - low`` with Student's t over topics, weighted as the table's mean is.

        Each topic's share in the difference is known, so the standard error is that of a weighted
        mean of topics: with equal weights, the plain t interval of per-topic differences. Without
        scores there is the difference of the table's values only, with a single topic no interval.

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
        one = self.cell(high, column)
        two = self.cell(low, column)
        if one is None or two is None:
            return Difference(effect)
        if column.endswith(SPREAD):
            effect = float(one.scores.mean() - two.scores.mean())
        if paired and not one.scores.index.equals(two.scores.index):
            odd = one.scores.index.symmetric_difference(two.scores.index)
            why = f"{high} and {low} were not scored on the same citances"
            if len(odd):
                raise DataError(f"{why}; {len(odd)} have only one of the two", file=column)
        same = paired and len(one.scores) > 1 and (one.scores - two.scores).eq(0).all()
        moves = one.moves.sub(two.moves, fill_value=0.0)
        shares = one.shares.add(two.shares, fill_value=0.0) / 2
        return interval(effect, np.asarray(moves), np.asarray(shares), same=bool(same))
