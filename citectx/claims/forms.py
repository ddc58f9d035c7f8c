"""The forms a check can take, each a small class with `cells` (what it needs) and `judge` (what it finds).

`citectx.claims.checks` documents the language in which a ledger writes them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import Protocol

import numpy as np

from citectx.claims.outcomes import BETTER, Comparison, Difference, Outcome, Region, outcome
from citectx.claims.view import View, fisher, jackknifed, tau
from citectx.types import Floats


class Check(Protocol):
    """What every form can do."""

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""


@dataclass(frozen=True)
class Rivals:
    """The rows that others are compared with: each of them, or whichever is best.

    >>> Rivals(("A", "B"), best=True).chosen({"A": 1.0, "B": 2.0}.__getitem__)
    ('B',)
    """

    rows: tuple[str, ...]
    best: bool = False

    def chosen(self, value: Callable[[str], float], sign: int = 1) -> tuple[str, ...]:
        """Rows to compare with, given each row's value; the lowest is best where ``sign`` is -1.

        Empty where a value is missing (NaN), since the best is then unknown.
        """
        if not self.best:
            return self.rows
        if any(isnan(value(row)) for row in self.rows):
            return ()
        return (max(self.rows, key=lambda row: sign * value(row)),)


@dataclass(frozen=True)
class Versus:
    """Rows against others in some columns: better, lower (``sign`` -1), alike, no better.

    ``deciding`` is the (row, rival, column) that the verdict goes by; the rival is empty for the best of
    several. ``percent`` names a column whose published value is the paper's effect, in percent of the
    rival.
    """

    rows: tuple[str, ...]
    rivals: Rivals
    columns: tuple[str, ...]
    deciding: tuple[str, str, str]
    word: str = "over"
    region: Region = BETTER
    sign: int = 1
    percent: str = ""
    paired: bool = True

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, column) for column in self.columns for row in (*self.rows, *self.rivals.rows)]

    def judge(self, view: View) -> Outcome:
        """Compare every pair in every column; one of them decides."""
        row, rival, column = self.deciding
        twins = [] if self.rivals.best else [r for r in self.rivals.rows if view.one_method(row, r)]
        if twins:
            return Outcome("not testable here", f"{row} and {twins[0]} are one method here")
        if self.rivals.best:
            (rival,) = self._rivals(view, column)
        pairs = [pair for pair in self._pairs(view) if pair != (row, rival, column)]
        return outcome(self._compare(view, row, rival, column), [self._compare(view, *p) for p in pairs])

    def _pairs(self, view: View) -> Iterator[tuple[str, str, str]]:
        for column in self.columns:
            if self.rows == self.rivals.rows:  # all alike: each pair once
                yield from ((row, rival, column) for rival, row in combinations(self.rows, 2))
                continue
            for rival in self._rivals(view, column):
                yield from ((row, rival, column) for row in self.rows)

    def _rivals(self, view: View, column: str) -> tuple[str, ...]:
        return self.rivals.chosen(lambda row: view.value(row, column), self.sign)

    def _compare(self, view: View, row: str, rival: str, column: str) -> Comparison:
        upper, lower = (row, rival) if self.sign > 0 else (rival, row)
        found = view.difference(upper, lower, column, paired=self.paired)
        paper = self._published(view, row, rival, column)
        return Comparison(f"{row} {self.word} {rival} in {column}", found, paper, self.region)

    def _published(self, view: View, row: str, rival: str, column: str) -> float:
        """Paper's own effect in our unit; against the best of several that is the paper's own best."""
        base = view.value(rival, column)
        if self.percent:
            return self.sign * base * view.published_value(row, self.percent) / 100
        own = self.rivals if self.rivals.best else Rivals((rival,))
        against = own.chosen(lambda name: view.published_value(name, column), self.sign)
        if not against:
            return nan
        theirs = view.published_value(against[0], column)
        effect = self.sign * (view.published_value(row, column) - theirs)
        return effect / theirs * base if view.relative and theirs else effect


@dataclass(frozen=True)
class Rises:
    """Values that rise (sign 1) or fall (sign -1) along the rows: the last against the first decides."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    column: str
    sign: int = 1

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, column) for column in self.columns for row in self.rows]

    def judge(self, view: View) -> Outcome:
        """Compare the ends, and count every step."""
        ends = self._compare(view, self.rows[-1], self.rows[0], self.column)
        steps = [
            self._compare(view, after, before, column)
            for column in self.columns
            for before, after in zip(self.rows, self.rows[1:], strict=False)
        ]
        return outcome(ends, steps)

    def _compare(self, view: View, row: str, rival: str, column: str) -> Comparison:
        pair = (row, rival, column)
        word = "over" if self.sign > 0 else "below"
        one = Versus((row,), Rivals((rival,)), (column,), pair, word, sign=self.sign, paired=False)
        return one._compare(view, *pair)


@dataclass(frozen=True)
class Correlates:
    """A column that goes with others, across rows or (``of``) across the citances of one row."""

    column: str
    others: tuple[str, ...]
    decides: str
    across: tuple[str, ...] = ()
    of: str = ""

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        rows = (self.of,) if self.of else self.across
        return [(row, column) for column in (self.column, *self.others) for row in rows]

    def judge(self, view: View) -> Outcome:
        """Correlate the column with each of the others."""
        columns = (self.column, *self.others)
        if self.of and any(view.scores(self.of, column) is None for column in columns):
            return Outcome("not testable here", f"no scores of {self.of} in {', '.join(columns)}")
        found = {other: self._compare(view, other) for other in self.others}
        return outcome(found.pop(self.decides), list(found.values()))

    def _compare(self, view: View, other: str) -> Comparison:
        label = f"tau of {self.column} with {other}"
        if self.of:
            return Comparison(label, _over_citances(view, self.of, self.column, other))
        own, theirs = (
            tau(*([value(row, column) for row in self.across] for column in (self.column, other)))
            for value in (view.value, view.published_value)
        )
        without = [_without(view, self.across, column) for column in (self.column, other)]
        if without[0] is None or without[1] is None or len(without[0]) != len(without[1]):
            return Comparison(label, fisher(own, len(self.across)), theirs)
        taus = np.array([tau(x, y) for x, y in zip(*without, strict=True)])
        return Comparison(label, jackknifed(own, taus), theirs)


def _without(view: View, rows: tuple[str, ...], column: str) -> Floats | None:
    """Values of the rows without each topic: shape (topics, rows)."""
    kept = [cell.leave_one_out() for row in rows if (cell := view.by_topic(row, column)) is not None]
    return (
        np.column_stack(kept) if len({len(rows), len(kept)}) == 1 and len(set(map(len, kept))) == 1 else None
    )


def _over_citances(view: View, row: str, column: str, other: str) -> Difference:
    """Kendall's tau over the citances of a row, with a jackknife over their topics.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for nothing
    but order.
    """
    one, two = view.scores(row, column), view.scores(row, other)
    if one is None or two is None:
        raise KeyError(row)
    shared = one.index.intersection(two.index)
    x, y = (np.asarray(scores[shared], np.float64) for scores in (one, two))
    topics = shared.get_level_values("topic").to_numpy()
    kept = [topics != topic for topic in np.unique(topics)]
    whole = tau(x, y)
    if len(kept) < 2 or isnan(whole):
        return Difference(whole, topics=len(kept))
    return jackknifed(whole, np.array([tau(x[mask], y[mask]) for mask in kept]))


@dataclass(frozen=True)
class Cell:
    """A published number that is a cell of a table."""

    row: str
    column: str
    published: float
    half_unit: float = 0.0

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(self.row, self.column)]

    def judge(self, view: View) -> Outcome:
        """Set our number beside the paper's."""
        found = view.number(self.row, self.column)
        return judge_value(self.published, *found[:3], self.half_unit, view)


@dataclass(frozen=True)
class Gain:
    """A published relative gain of one row over another (or over the best of several), in percent."""

    row: str
    rivals: Rivals
    column: str
    published: float
    half_unit: float = 0.0

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, self.column) for row in (self.row, *self.rivals.rows)]

    def judge(self, view: View) -> Outcome:
        """Set our gain beside the paper's; its interval is that of the difference over the rival's value."""
        (rival,) = self.rivals.chosen(lambda row: view.value(row, self.column))
        base, found = view.value(rival, self.column), view.difference(self.row, rival, self.column)
        if base == 0:
            return Outcome("not testable here", f"{rival} has {self.column} 0, so no relative gain exists")
        gain, low, high = (100 * part / base for part in found[:3])
        lowest, highest = self.printed(view)
        slack = self.half_unit + (0 if isnan(lowest) else (highest - lowest) / 2)
        judged = judge_value(self.published, gain, low, high, slack, view)
        if not lowest - self.half_unit <= self.published <= highest + self.half_unit and not isnan(lowest):
            why = f"the paper's own table gives {lowest:.1f} to {highest:.1f} %"
            return replace(judged, verdict="inconsistent in the paper", reason=why)
        return judged

    def printed(self, view: View) -> tuple[float, float]:
        """Return the lowest and highest gain that the paper's own rounded numbers allow; NaN without them."""
        values = {row: view.published_value(row, self.column) for row in (self.row, *self.rivals.rows)}
        best, half = self.rivals.chosen(values.__getitem__), view.half_unit(self.column)
        if not best or isnan(values[self.row]):
            return nan, nan
        top, base = values[self.row], values[best[0]]
        return 100 * ((top - half) / (base + half) - 1), 100 * ((top + half) / (base - half) - 1)


MARGIN = 0.1
"""A published number holds where our whole interval lies within this share of it."""


def judge_value(
    published: float, value: float, ci_low: float, ci_high: float, half_unit: float, view: View
) -> Outcome:
    """Judge a published number by ours: only on the paper's own corpus can it hold.

    It holds where ours rounds to it, or where our interval (our value, for numbers without one, such as
    counts) lies within a tenth of it; a wide interval therefore says nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.claims.results import Results
    >>> home = View(Results(Path()), (), "home", "home")
    >>> [judge_value(20.0, v, *ends, 0.05, home).verdict for v, *ends in ((20.5, 19.5, 21.5), (50, 0, 100))]
    ['holds', 'inconclusive']
    """
    numbers = (published, value, value - published, ci_low, ci_high)
    if view.corpus != view.home:
        why = f"the paper's number is of {view.home}, this is {view.corpus}"
        return Outcome("not testable here", why, *numbers)
    if abs(value - published) <= half_unit + 1e-9:
        return Outcome("holds", "equal as far as the paper prints it", *numbers)
    margin = max(MARGIN * abs(published), half_unit)
    low, high = (value, value) if isnan(ci_low) else (ci_low, ci_high)
    if published - margin <= low and high <= published + margin:
        return Outcome("holds", "within a tenth", *numbers)
    if high < published - margin or low > published + margin:
        return Outcome("contradicted", "differs by more than a tenth", *numbers)
    return Outcome("inconclusive", "our interval is too wide to tell", *numbers)
