"""One corpus as a claim sees it: our numbers, the paper's, and the scores behind ours by topic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from citectx.errors import DataError
from citectx.experiments.report import OVER_CITANCES, SPREAD
from citectx.ledger.intervals import Difference, interval
from citectx.ledger.results import Number, Results, Scores


@dataclass(frozen=True)
class ByTopic:
    """Scores of one cell by topic.

    Parameters
    ----------
    means : Series of float
        By topic.
    shares : Series of float
        Weight of each topic in the mean; they sum to 1.
    scores : Series of float
        By (topic, citance).

    Examples
    --------
    >>> cell = ByTopic(pd.Series([1.0, 4.0], ["a", "b"]), pd.Series([2, 1], ["a", "b"]) / 3)
    >>> cell.mean, cell.moves.round(3).tolist(), cell.leave_one_out().tolist()
    (2.0, [-0.667, 0.667], [4.0, 1.0])
    """

    means: Scores
    shares: Scores
    scores: Scores = field(default_factory=lambda: pd.Series(dtype=float), repr=False)

    @classmethod
    def of(cls, scores: Scores, n: float) -> "ByTopic":
        """Sum scores up by topic; topics count alike if the table's n counts topics."""
        groups = scores.groupby(level="topic")
        sizes = groups.size()
        weights = sizes if n != len(sizes) else sizes.clip(upper=1)
        return cls(groups.mean(), weights / weights.sum(), scores)

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
    numbers : mapping of (row, column) to Number
        Ours.
    scores : callable
        Returns the scores behind a (row, column) by (topic, citance), None if none were kept.
    published : mapping of (row, column) to float
        The paper's own numbers.
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    """

    numbers: Mapping[tuple[str, str], Number]
    scores: Callable[[str, str], "Scores | None"]
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    relative: bool = False
    _cells: dict[tuple[str, str], ByTopic | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, results: Results, tables: tuple[str, ...], corpus: str, **paper: Any) -> "View":
        """Return the view of a corpus; a cell is taken from the first table that has it.

        ``paper`` are `published` and `relative`.
        """
        home = dict[tuple[str, str], str]()
        for name in reversed(tables):
            cells = results.table(name)
            home |= {(row, column): name for at, row, column in cells if at == corpus}
        numbers = {cell: results.table(name)[corpus, *cell] for cell, name in home.items()}

        def scores(row: str, column: str) -> "Scores | None":
            return results.scores(home[row, column], corpus, row, column.removesuffix(OVER_CITANCES))

        return cls(numbers, scores, **paper)

    def has(self, row: str, column: str) -> bool:
        """Return whether our tables have the cell."""
        return (row, column) in self.numbers

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.numbers[row, column].value

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def cell(self, row: str, column: str) -> ByTopic | None:
        """Return the scores behind a cell; None where none were kept."""
        if (row, column) not in self._cells:
            scores, n = self.scores(row, column), self.numbers[row, column].n
            self._cells[row, column] = None if scores is None else ByTopic.of(scores, n)
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
        one, two = self.cell(high, column), self.cell(low, column)
        if one is None or two is None:
            return Difference(effect)
        if column.endswith(SPREAD):
            effect = float(one.scores.mean() - two.scores.mean())
        theirs = two.scores
        if paired and not one.scores.index.equals(theirs.index):
            if len(odd := one.scores.index.symmetric_difference(theirs.index)):
                why = f"{high} and {low} were not scored on the same citances"
                raise DataError(f"{why}; {len(odd)} have only one of the two", file=column)
            theirs = theirs.loc[one.scores.index]
        same = paired and len(theirs) > 1 and (one.scores.to_numpy() == theirs.to_numpy()).all()
        moves = one.moves.sub(two.moves, fill_value=0.0)
        shares = one.shares.add(two.shares, fill_value=0.0) / 2
        return interval(effect, np.asarray(moves), np.asarray(shares), same=bool(same))
