"""What a claim can say of a table, and how each form is judged.

Rows are methods (or groups, folds …), columns are metrics; one name may stand for a tuple. Rivals
may be `best_of` several rows: whichever is the strongest in that column. Where a check makes
several comparisons, ``decides`` names the one that the paper's sentence rests on by ``rows``,
``rivals`` and ``columns``. Where it rests on several, "each", "most" or "any" replaces the names.
The others are counted beside the verdict.

>>> check = better("B", best_of(("A", "C")), ("c-F", "nDCG"), decides={"columns": "c-F"})
>>> check.cells()[:3]
[('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]

`citectx.ledger.rule` makes the verdicts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product
from math import inf, nan
from typing import Any, get_args

import numpy as np

from citectx.evaluation.significance import kendall_tau
from citectx.ledger.intervals import Difference, jackknifed
from citectx.ledger.rule import Comparison, Outcome, Rule, by_rule
from citectx.ledger.view import View

RULES: tuple[Rule, ...] = get_args(Rule)
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
    decides : mapping of str to str
    steps : tuple of str
        Rows along which values rise, if that is the claim: each step is counted, and rows need
        not share citances.
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
    decides: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    word: str = "over"
    sign: int = 1
    low: float = 0.0
    high: float = inf
    percent: str = ""

    @property
    def kind(self) -> str:
        """What the ledger calls the form."""
        return "trend" if self.steps else "order"

    def cells(self) -> Cells:
        """Return the rows and columns that the tables must have, column by column."""
        rows = self.steps or dict.fromkeys((*self.rows, *self.rivals))
        return by_column(rows, self.columns)

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""
        deciding, others = list[Comparison](), list[Comparison]()
        for pair in self._pairs():
            decides = self._decide(*pair)
            (deciding if decides else others).append(self._compare(view, *pair))
        for before, after in pairwise(self.steps):
            others.append(self._compare(view, after, before, self.columns[0]))
        named = self.decides.values()
        rule: Rule = next((rule for rule in RULES if rule in named), "each")
        return by_rule(rule, deciding, others)

    def _pairs(self) -> Iterator[tuple[str, Names, str]]:
        """Yield all that is compared: row, rival and column."""
        for column in self.columns:
            if isinstance(self.rivals, Best):
                yield from ((row, self.rivals, column) for row in self.rows)
            elif self.rows == self.rivals:
                yield from ((row, rival, column) for rival, row in combinations(self.rows, 2))
            else:
                yield from ((row, rival, column) for rival in self.rivals for row in self.rows)

    def _decide(self, row: str, rival: Names, column: str) -> bool:
        """Return whether a comparison is among those that decide."""
        names = {"rows": row, "rivals": rival, "columns": column}
        return all(name in (names[about], *RULES) for about, name in self.decides.items())

    def _compare(self, view: View, row: str, rival: Names, column: str) -> Comparison:
        if isinstance(rival, str):
            return self._pair(view, row, rival, rival, column)
        theirs = view.published_best(rival, column, self.sign)
        against = [self._pair(view, row, one, theirs, column) for one in rival]
        strongest = min(against, key=lambda comparison: comparison.distance)
        return strongest._replace(rivals=len(rival))

    def _pair(self, view: View, row: str, rival: str, theirs: str, column: str) -> Comparison:
        """Compare a row with a rival; ``theirs`` is the paper's own rival."""
        high, low = (row, rival)[:: self.sign]
        ours = view.difference(high, low, column, paired=not self.steps)
        label = f"{row} {self.word} {rival} in {column}"
        paper = self.sign * self._published(view, row, rival, theirs, column)
        return Comparison(label, ours, paper, self.low, self.high)

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
        return by_column(self.across or (self.of,), (self.column, *self.others))

    def judge(self, view: View) -> Outcome:
        """Judge by the deciding column's correlation."""
        taus = {other: self._compare(view, other) for other in self.others}
        deciding = taus.pop(self.decides)
        return by_rule("each", [deciding], [*taus.values()])

    def _compare(self, view: View, other: str) -> Comparison:
        label = f"tau of {self.column} with {other}"
        columns = (self.column, other)
        if self.of:
            return Comparison(label, over_citances(view, self.of, columns))
        paper = tau_of(view.published_value, self.across, columns)
        return Comparison(label, over_rows(view, self.across, columns), paper)


Check = Order | Correlates


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
    """Kendall's tau over rows, with a jackknife over topics if all rows have the same ones."""
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
    kept = [view.kept(row, column) for column in columns]
    if any(scores is None for scores in kept):
        return Difference(nan)
    # (columns, citances)
    scores = np.array(kept, dtype=float)
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


def rises(rows: tuple[str, ...], column: str) -> Order:
    """Values rise along the rows as listed: the ends decide."""
    return better(rows[-1], rows[0], column, steps=rows)


def falls(rows: tuple[str, ...], column: str) -> Order:
    """Values fall along the rows as listed."""
    return replace(rises(rows, column), word="below", sign=-1)


def correlates(
    column: str, others: Names, *, across: tuple[str, ...] = (), of: str = "", decides: str = ""
) -> Correlates:
    """Go together: a column and others, over the values of rows or the citances of one."""
    named = _tuple(others)
    return Correlates(column, named, across, of, decides or named[0])
