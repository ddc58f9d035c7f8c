"""One corpus as a claim sees it: our numbers, the paper's, and the scores behind ours by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from citectx.experiments.report import SPREAD
from citectx.ledger.intervals import Difference, interval
from citectx.types import Floats

Cell = tuple[str, str]
"""A row and a column."""


class ByTopic(NamedTuple):
    """Scores of one cell, (topics,) each: means by topic, and the weight of each in the mean.

    Weights sum to 1. A topic without scores has weight 0 and mean 0.
    """

    means: Floats
    shares: Floats

    @classmethod
    def of(cls, scores: Floats, topics: npt.NDArray[np.int_], n: float) -> "ByTopic":
        """Sum scores (citances,) up by topic; topics count alike if the table's n counts topics.

        >>> cell = ByTopic.of(np.array([1.0, 1.0, 4.0]), np.array([0, 0, 1]), n=3)
        >>> cell.moves.round(3).tolist(), cell.leave_one_out().tolist()
        ([-0.667, 0.667], [4.0, 1.0])
        """
        scored = ~np.isnan(scores)
        count = topics.max() + 1
        sizes = np.bincount(topics[scored], minlength=count)
        sums = np.bincount(topics[scored], scores[scored], minlength=count)
        weights = sizes if n != (sizes > 0).sum() else np.minimum(sizes, 1)
        return cls(sums / np.maximum(sizes, 1), weights / weights.sum())

    @property
    def mean(self) -> float:
        """Mean as the table has it."""
        return float(self.shares @ self.means)

    @property
    def moves(self) -> Floats:
        """How much each topic moves the mean; they sum to 0."""
        return self.shares * (self.means - self.mean)

    def leave_one_out(self) -> Floats:
        """Return the mean without each topic in turn."""
        return (self.mean - self.shares * self.means) / (1 - self.shares)


@dataclass
class View:
    """One corpus, seen through the tables that a claim names.

    ``numbers`` has our value and its n for each cell, ``scores`` (citances,) what is behind it (NaN
    for what was not scored), ``topics`` (citances,) the number of each citance's topic.
    ``published`` has the paper's values; if ``relative``, its effects carry over in percent of the
    rival, rather than in units.
    """

    numbers: Mapping[Cell, tuple[float, float]]
    scores: Mapping[Cell, Floats]
    topics: npt.NDArray[np.int_]
    published: Mapping[Cell, float] = field(default_factory=dict)
    relative: bool = False
    _by_topic: dict[Cell, ByTopic | None] = field(default_factory=dict, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Return whether our tables have the cell."""
        return (row, column) in self.numbers

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.numbers[row, column][0]

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def by_topic(self, row: str, column: str) -> ByTopic | None:
        """Return the scores behind a cell by topic; None where none were kept."""
        cell = row, column
        if cell not in self._by_topic:
            scores = self.scores.get(cell)
            _, n = self.numbers[cell]
            by_topic = None if scores is None else ByTopic.of(scores, self.topics, n)
            self._by_topic[cell] = by_topic
        return self._by_topic[cell]

    def published_best(self, rows: Sequence[str], column: str, sign: int = 1) -> str:
        """Return the best of some rows by the paper's table; "" if it lacks one of them."""
        values = {row: sign * self.published_value(row, column) for row in rows}
        unknown = any(map(isnan, values.values()))
        return "" if unknown else max(values, key=values.__getitem__)

    def difference(self, high: str, low: str, column: str) -> Difference:
        """Return ``high - low`` with Student's t over topics, weighted as the table's mean is.

        Each topic's share in the difference is known, so the standard error is that of a weighted
        mean of topics: with equal weights, the plain t interval of per-topic differences. Without
        scores there is the difference of the table's values only, with a single topic no interval.
        """
        effect = self.value(high, column) - self.value(low, column)
        one = self.scores.get((high, column))
        two = self.scores.get((low, column))
        above = self.by_topic(high, column)
        below = self.by_topic(low, column)
        if one is None or two is None or above is None or below is None:
            return Difference(effect)
        if column.endswith(SPREAD):
            effect = float(np.nanmean(one) - np.nanmean(two))
        moves = above.moves - below.moves
        shares = (above.shares + below.shares) / 2
        weighed = shares > 0
        same = np.array_equal(one, two, equal_nan=True) and len(one) > 1
        difference = interval(effect, moves[weighed], shares[weighed])
        return difference._replace(same=same)
