"""What a claim can say of a table, and how each form is judged.

Rows are methods (or groups, folds …), columns are metrics; one name may stand for a tuple. Rivals
may be `best_of` several rows: whichever is best in that column of the table at hand. Where a check
makes several comparisons, ``decides`` names the one that the paper's sentence rests on by
``rows``, ``rivals`` and ``columns``; where it rests on several of them, "each", "most" or "any"
replaces the names. The others are counted beside the verdict.

>>> check = better("B", best_of(("A", "C")), ("c-F", "nDCG"), decides={"columns": "c-F"})
>>> check.cells()[:3]
[('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]

`citectx.ledger.rule` makes the verdicts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from math import inf, isnan
from typing import Any, get_args

import numpy as np
import pandas as pd

from citectx.ledger.intervals import Difference, fisher, jackknifed, tau
from citectx.ledger.rule import BETTER, Comparison, Outcome, Region, Rule, by_rule
from citectx.ledger.view import View

RULES: tuple[Rule, ...] = get_args(Rule)
Names = str | tuple[str, ...]
Cells = list[tuple[str, str]]


class Best(tuple[str, ...]):
    """Whichever of some rows is best."""


best_of = Best


@dataclass(frozen=True, kw_only=True)
class _Directed:
    """Base of the checks that compare rows: their word, which sign is better, and by how much."""

    word: str = "over"
    sign: int = 1
    region: Region = BETTER

    def _compare(
        self, view: View, row: str, rival: str, column: str, paper: float, *, paired: bool = True
    ) -> Comparison:
        high, low = (row, rival)[:: self.sign]
        found = view.difference(high, low, column, paired=paired)
        label = f"{row} {self.word} {rival} in {column}"
        return Comparison(label, found, paper, self.region)

    def _printed(self, view: View, row: str, rival: str, column: str, theirs: str) -> float:
        """Return the paper's own effect in our unit; ``theirs`` is its own rival."""
        base = view.published_value(theirs, column)
        effect = self.sign * (view.published_value(row, column) - base)
        if view.relative and base:
            return effect / base * view.value(rival, column)
        return effect


@dataclass(frozen=True)
class Order(_Directed):
    """Each row against each rival in each column; the same rows pair by pair.

    Parameters
    ----------
    rows, rivals, columns : tuple of str
    decides : mapping of str to str
    percent : str
        Where the paper prints an effect only in percent of the rival: the column that has it.
    """

    rows: tuple[str, ...]
    rivals: tuple[str, ...]
    columns: tuple[str, ...]
    decides: Mapping[str, str] = field(default_factory=dict)
    percent: str = ""

    kind = "order"

    def cells(self) -> Cells:
        """Return the rows and columns that the tables must have, column by column."""
        rows = dict.fromkeys((*self.rows, *self.rivals))
        return by_column(rows, self.columns)

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""
        deciding, others = list[Comparison](), list[Comparison]()
        for row, rival, column in self._comparisons(view):
            paper = self._published(view, row, rival, column)
            made = self._compare(view, row, rival, column, paper)
            (deciding if self._decide(row, rival, column) else others).append(made)
        named = self.decides.values()
        rule: Rule = next((rule for rule in RULES if rule in named), "each")
        rivals = len(self.rivals) if isinstance(self.rivals, Best) else 1
        return by_rule(rule, deciding, others, rivals)

    def _comparisons(self, view: View) -> Iterator[tuple[str, str, str]]:
        """Yield all that is compared: rows, rivals and columns."""
        for column in self.columns:
            best = isinstance(self.rivals, Best)
            rivals = (self.best(view.value, column),) if best else self.rivals
            pairs: Iterable[tuple[str, str]] = product(rivals, self.rows)
            if self.rows == self.rivals:
                pairs = combinations(self.rows, 2)
            yield from ((row, rival, column) for rival, row in pairs)

    def best(self, value: Callable[[str, str], float], column: str) -> str:
        """Return the best rival; "" if the value of one is unknown."""
        values = {row: self.sign * value(row, column) for row in self.rivals}
        unknown = any(map(isnan, values.values()))
        return "" if unknown else max(values, key=values.__getitem__)

    def _decide(self, row: str, rival: str, column: str) -> bool:
        """Return whether a comparison is among those that decide."""
        names = {"rows": row, "rivals": rival, "columns": column}
        return all(name in (names[each], *RULES) for each, name in self.decides.items())

    def _published(self, view: View, row: str, rival: str, column: str) -> float:
        """Return the paper's own effect; against the best of several that is its own best."""
        if self.percent:
            gain = view.published_value(row, self.percent) / 100
            return self.sign * view.value(rival, column) * gain
        best = isinstance(self.rivals, Best)
        theirs = self.best(view.published_value, column) if best else rival
        return self._printed(view, row, rival, column, theirs)


@dataclass(frozen=True)
class Trend(_Directed):
    """Values rise or fall along the rows: the ends decide, and every step is counted."""

    rows: tuple[str, ...]
    column: str

    kind = "trend"

    def cells(self) -> Cells:
        """Return each row in the column."""
        return [(row, self.column) for row in self.rows]

    def judge(self, view: View) -> Outcome:
        """Judge by the last row against the first."""
        ends = self._step(view, self.rows[0], self.rows[-1])
        return by_rule("each", [ends], [self._step(view, *step) for step in pairwise(self.rows)])

    def _step(self, view: View, before: str, after: str) -> Comparison:
        paper = self._printed(view, after, before, self.column, before)
        return self._compare(view, after, before, self.column, paper, paired=False)


@dataclass(frozen=True)
class Correlates:
    """Kendall's tau of a column with others, over rows or over the citances of one row.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for
    nothing but order.
    """

    column: str
    others: tuple[str, ...]
    across: tuple[str, ...]
    of: str
    decides: str

    kind = "trend"

    def cells(self) -> Cells:
        """Return the columns of the rows that are correlated over, or of the one row."""
        columns = (self.column, *self.others)
        return by_column(self.across or (self.of,), columns)

    def judge(self, view: View) -> Outcome:
        """Judge by the deciding column's correlation."""
        found = {other: self._compare(view, other) for other in self.others}
        deciding = found.pop(self.decides)
        return by_rule("each", [deciding], [*found.values()])

    def _compare(self, view: View, other: str) -> Comparison:
        label = f"tau of {self.column} with {other}"
        if self.of:
            return Comparison(label, over_citances(view, self.of, self.column, other))
        columns = (self.column, other)
        found = over_rows(view, self.across, *columns)
        paper = tau_of(view.published_value, self.across, columns)
        return Comparison(label, found, paper)


Check = Order | Trend | Correlates


def by_column(rows: Iterable[str], columns: Iterable[str]) -> Cells:
    """List the cells of a table column by column."""
    return [(row, column) for column, row in product(columns, rows)]


def tau_of(
    value: Callable[[str, str], float], rows: Sequence[str], columns: Sequence[str]
) -> float:
    """Kendall's tau of two columns over rows."""
    values = [[value(row, column) for row in rows] for column in columns]
    return tau(*values)


def over_rows(view: View, rows: tuple[str, ...], *columns: str) -> Difference:
    """Kendall's tau over rows, with a jackknife over topics if all rows have the same ones."""
    own = tau_of(view.value, rows, columns)
    cells = [view.cell(*cell) for cell in by_column(rows, columns)]
    without = [cell.leave_one_out() for cell in cells if cell]
    sizes = {*map(len, without)}
    if len(without) < len(cells) or len(sizes) > 1:
        return fisher(own, len(rows))
    x, y = np.hsplit(np.column_stack(without), 2)
    taus = [*map(tau, x, y)]
    return jackknifed(own, np.array(taus))


def over_citances(view: View, row: str, *columns: str) -> Difference:
    """Kendall's tau over the citances of a row, with a jackknife over their topics."""
    columns_ = [view.scores[row, each].dropna() for each in columns]
    scores = pd.concat(columns_, axis=1, join="inner")
    topics = scores.index.get_level_values("topic")
    without = [tau(*scores[topics != topic].to_numpy().T) for topic in topics.unique()]
    own = tau(*scores.to_numpy().T)
    return jackknifed(own, np.array(without))


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
    region = Region(-inf, within)
    return better(rows, than, columns, word="no better than", region=region, **how)


def alike(rows: Names, to: Names, columns: Names, *, within: float, **how: Any) -> Order:
    """Rows differ from others by less than a margin."""
    region = Region(-within, within)
    return better(rows, to, columns, word="like", region=region, **how)


def rises(rows: tuple[str, ...], column: str) -> Trend:
    """Values rise along the rows as listed."""
    return Trend(rows, column)


def falls(rows: tuple[str, ...], column: str) -> Trend:
    """Values fall along the rows as listed."""
    return Trend(rows, column, word="below", sign=-1)


def correlates(
    column: str, others: Names, *, across: tuple[str, ...] = (), of: str = "", decides: str = ""
) -> Correlates:
    """Go together: a column and others, over the values of rows or the citances of one."""
    named = _tuple(others)
    return Correlates(column, named, across, of, decides or named[0])
