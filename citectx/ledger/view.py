"""One corpus as a claim sees it: our numbers, the paper's, and the scores behind ours by topic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan

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
    """One corpus, seen through the experiments that a claim names.

    Parameters
    ----------
    results : Results
    experiments : tuple of str
        A cell is taken from the first of them that has it.
    corpus : str
    published : mapping of (row, column) to float
        The paper's own numbers.
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    """

    results: Results
    experiments: tuple[str, ...]
    corpus: str
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    relative: bool = False
    _cells: dict[tuple[str, str], ByTopic | None] = field(default_factory=dict, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Return whether our tables have the cell."""
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

    def cell(self, row: str, column: str) -> ByTopic | None:
        """Return the scores behind a cell; None where none were kept."""
        if (row, column) not in self._cells:
            name, own = self._home_of(row, column), column.removesuffix(OVER_CITANCES)
            scores = self.results.scores(name, self.corpus, row, own)
            found = None if scores is None else _summed(scores, self.number(row, column).n)
            self._cells[row, column] = found
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
        same = False
        if paired and len(one.scores) > 1:
            same = self._same(f"{column}: {high} and {low}", one.scores, two.scores)
        moves = one.moves.sub(two.moves, fill_value=0.0)
        shares = one.shares.add(two.shares, fill_value=0.0) / 2
        return interval(effect, np.asarray(moves), np.asarray(shares), same=same)

    def _home_of(self, row: str, column: str) -> str:
        """Name the first experiment whose table has a cell; "" if none has it."""
        cell = (self.corpus, row, column)
        return next((name for name in self.experiments if cell in self.results.table(name)), "")

    def _same(self, place: str, one: Scores, two: Scores) -> bool:
        """Return whether two rows agree in every score, once they are known to be comparable."""
        if one.index.equals(two.index):
            return bool((one.to_numpy() == two.to_numpy()).all())
        if len(odd := one.index.symmetric_difference(two.index)):
            why = f"not scored on the same citances; {len(odd)} have only one of the two"
            raise DataError(f"corpus {self.corpus}, {place} were {why}; run the experiment again")
        return bool((one == two.loc[one.index]).all())


def _summed(scores: Scores, n: float) -> ByTopic:
    """Sum scores up by topic; topics count alike if the table's n counts topics."""
    groups = scores.groupby(level="topic")
    sizes = groups.size()
    weights = sizes if n != len(sizes) else sizes.clip(upper=1)
    return ByTopic(groups.mean(), weights / weights.sum(), scores)
