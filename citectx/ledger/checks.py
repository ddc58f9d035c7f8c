"""What a claim can say of a table, and how each form is judged.

Rows are methods (or groups, folds …), columns are metrics; one name may stand for a tuple. Rivals
may be `best_of` several rows: whichever is the strongest. Where a claim makes several comparisons,
``rule`` says how many of them must be true.

>>> check = better("B", best_of(("A", "C")), ("c-F", "nDCG"), rule="most")
>>> check.cells()[:3]
[('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]

`citectx.ledger.rule` makes the verdicts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import inf, nan
from typing import Any

import numpy as np

from citectx.evaluation.significance import kendall_tau
from citectx.ledger.intervals import Difference, jackknifed
from citectx.ledger.rule import Comparison, Outcome, Rule, by_rule
from citectx.ledger.view import View

Names = str | tuple[str, ...]
Cells = list[tuple[str, str]]


class Best(tuple[str, ...]):
    """Whichever of some rows is best."""


best_of = Best


@dataclass(frozen=True)
class Order:
    """Each row against each rival in each column; the same rows pair by pair.

    Parameters
    ----------
    rows, rivals, columns : tuple of str
    rule : {"each", "most", "any"}
        How many of the comparisons must be true.
    word : str
        Between a row and its rival.
    sign : int
        -1 where lower is what the claim wants.
    low, high : float
        Bounds of the difference if the claim is true.
    percent : str
        Where the paper prints an effect only in percent of the rival: the column that has it.
    """

    rows: tuple[str, ...]
    rivals: tuple[str, ...]
    columns: tuple[str, ...]
    rule: Rule = "each"
    word: str = "over"
    sign: int = 1
    low: float = 0.0
    high: float = inf
    percent: str = ""

    def cells(self) -> Cells:
        """Return the rows and columns that the tables must have, column by column."""
        return by_column(dict.fromkeys((*self.rows, *self.rivals)), self.columns)

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""
        wanted = product(self.columns, self._pairs())
        return by_rule(self.rule, [self._compare(view, column, *pair) for column, pair in wanted])

    def _pairs(self) -> list[tuple[str, tuple[str, ...]]]:
        """List rows with their rivals, of which the strongest counts."""
        if isinstance(self.rivals, Best):
            return [(row, self.rivals) for row in self.rows]
        if self.rows == self.rivals:
            return [(row, (rival,)) for rival, row in combinations(self.rows, 2)]
        return [(row, (rival,)) for rival, row in product(self.rivals, self.rows)]

    def _compare(self, view: View, column: str, row: str, rivals: tuple[str, ...]) -> Comparison:
        """Compare a row with the strongest of its rivals, and with the paper's strongest."""
        theirs = view.published_best(rivals, column, self.sign)
        against = []
        for rival in rivals:
            high, low = (row, rival)[:: self.sign]
            ours = view.difference(high, low, column)
            paper = self.sign * self._published(view, row, rival, theirs, column)
            label = f"{row} {self.word} {rival} in {column}"
            against.append(Comparison(label, ours, paper, self.low, self.high, len(rivals)))
        return min(against, key=lambda comparison: comparison.distance)

    def _published(self, view: View, row: str, rival: str, theirs: str, column: str) -> float:
        """Return the paper's own effect in our unit."""
        if self.percent:
            return view.value(rival, column) * view.published_value(row, self.percent) / 100
        base = view.published_value(theirs, column)
        effect = view.published_value(row, column) - base
        if view.relative and base:
            return effect / base * view.value(rival, column)
        return effect


@dataclass(frozen=True)
class Correlates:
    """Kendall's tau of a column with another, over rows or over the citances of one row.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for
    nothing but order.
    """

    column: str
    other: str
    across: tuple[str, ...] = ()
    of: str = ""

    def cells(self) -> Cells:
        """Return the columns of the rows that are correlated over, or of the one row."""
        return by_column(self.across or (self.of,), (self.column, self.other))

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""
        columns = self.column, self.other
        paper = nan
        if self.of:
            ours = over_citances(view, self.of, columns)
        else:
            ours = over_rows(view, self.across, columns)
            paper = tau_of(view.published_value, self.across, columns)
        label = f"tau of {self.column} with {self.other}"
        return by_rule("each", [Comparison(label, ours, paper)])


Check = Order | Correlates
correlates = Correlates


def by_column(rows: Iterable[str], columns: Iterable[str]) -> Cells:
    """List the cells of a table column by column."""
    return [(row, column) for column, row in product(columns, rows)]


def tau_of(
    value: Callable[[str, str], float], rows: Sequence[str], columns: Sequence[str]
) -> float:
    """Kendall's tau of two columns over rows."""
    x, y = ([value(row, column) for row in rows] for column in columns)
    return kendall_tau(x, y)


def over_rows(view: View, rows: Sequence[str], columns: Sequence[str]) -> Difference:
    """Kendall's tau over rows, with a jackknife over topics if all rows have the same ones.

    Over few rows tau moves in steps, so the interval is wide; equal methods hardly ever pass it.
    """
    own = tau_of(view.value, rows, columns)
    cells = [view.by_topic(row, column) for row, column in by_column(rows, columns)]
    # (columns * rows, topics)
    shares = np.array([cell.shares for cell in cells if cell])
    if len(shares) < len(cells) or (shares == 0).any():
        return Difference(own)
    without = np.array([cell.leave_one_out() for cell in cells if cell])
    x, y = np.split(without, 2)
    return jackknifed(own, np.array([*map(kendall_tau, x.T, y.T)]))


def over_citances(view: View, row: str, columns: Sequence[str]) -> Difference:
    """Kendall's tau over the citances of a row, with a jackknife over their topics."""
    cells = by_column((row,), columns)
    if not {*cells} <= view.scores.keys():
        return Difference(nan)
    # (columns, citances)
    scores = np.array([view.scores[cell] for cell in cells])
    scored = ~np.isnan(scores).any(axis=0)
    scores = scores[:, scored]
    topics = view.topics[scored]
    without = [kendall_tau(*scores[:, topics != topic]) for topic in np.unique(topics)]
    return jackknifed(kendall_tau(*scores), np.array(without))


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def better(rows: Names, than: Names, columns: Names, **how: Any) -> Order:
    """Rows have higher values than rivals; ``how`` are other fields of `Order`."""
    return Order(_tuple(rows), _tuple(than), _tuple(columns), **how)


def lower(rows: Names, than: Names, columns: Names, **how: Any) -> Order:
    """Rows have lower values than rivals."""
    return better(rows, than, columns, word="below", sign=-1, **how)


def no_better(rows: Names, than: Names, columns: Names, *, within: float, **how: Any) -> Order:
    """Rows have no advantage over rivals: less than a margin."""
    return better(rows, than, columns, word="no better than", low=-inf, high=within, **how)


def alike(rows: Names, to: Names, columns: Names, *, within: float, **how: Any) -> Order:
    """Rows differ from others by less than a margin."""
    return better(rows, to, columns, word="like", low=-within, high=within, **how)
