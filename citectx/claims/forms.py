"""The forms a check can take, each a small class with `cells` (what it needs) and `judge` (what it finds).

`citectx.claims.checks` documents the language in which a ledger writes them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Protocol

import numpy as np

from citectx.claims.outcomes import Comparison, Outcome, Quantifier, tally
from citectx.claims.view import Difference, View, rank_correlation

LEVEL = 0.05
FEW_TOPICS = 6
"""Below this many topics a bootstrap over topics gives intervals that are too narrow: the reason says so."""


class Check(Protocol):
    """What every form can do."""

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""


@dataclass(frozen=True)
class Rule:
    """When a difference is right (points the claimed way) and when it is firm (beyond chance).

    Both are asked of `Difference` values that lie in the claimed direction; ``sign`` is -1 where lower values
    are claimed.
    """

    word: str
    right: Callable[[Difference], bool]
    firm: Callable[[Difference], bool]
    sign: int = 1
    needs_scores: bool = False
    strength: Callable[[Difference], float] = lambda d: d.effect


def order(sign: int = 1) -> Rule:
    """Rule of an order claim: the interval excludes 0.

    >>> order().firm(Difference(2.0, ci_low=0.5, ci_high=3.5, p_value=0.01))
    True
    """
    return Rule("over" if sign > 0 else "below", lambda d: d.effect > 0, lambda d: d.ci_low > 0, sign)


def significance(sign: int = 1, level: float = LEVEL) -> Rule:
    """Rule of a significance claim: two-tailed p < level, in the claimed direction."""
    return replace(order(sign), firm=lambda d: d.effect > 0 and d.p_value < level, needs_scores=True)


def alike(within: float) -> Rule:
    """Rule of "no difference": the interval lies inside ± within; right where it contains 0."""

    def firm(d: Difference) -> bool:
        return -within < d.ci_low and d.ci_high < within

    def right(d: Difference) -> bool:
        return abs(d.effect) < within if isnan(d.ci_low) else firm(d) or d.ci_low <= 0 <= d.ci_high

    return Rule("like", right, firm, strength=lambda d: -abs(d.effect))


def no_better(within: float) -> Rule:
    """Rule of "no advantage": the interval ends below within; right where it does not lie above 0."""

    def firm(d: Difference) -> bool:
        return d.ci_high < within

    def right(d: Difference) -> bool:
        return d.effect < within if isnan(d.ci_low) else firm(d) or d.ci_low <= 0

    return Rule("no better than", right, firm, strength=lambda d: -d.effect)


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
    """Rows against others in some columns: better, lower, alike, no better."""

    rows: tuple[str, ...]
    rivals: Rivals
    columns: tuple[str, ...]
    quantifier: Quantifier
    rule: Rule

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, column) for column in self.columns for row in (*self.rows, *self.rivals.rows)]

    def judge(self, view: View) -> Outcome:
        """Compare every pair in every column."""
        pairs = list(self._pairs(view))
        bare = sorted({row for *pair, column in pairs for row in pair if view.scores(row, column) is None})
        if self.rule.needs_scores and bare:
            return Outcome("pending", f"needs per-citance scores of {', '.join(bare)}")
        outcome = tally([self._compare(view, *pair) for pair in pairs], self.quantifier)
        topics = view.topics(self.rows[0], self.columns[0])
        if 0 < topics < FEW_TOPICS:
            return replace(
                outcome, reason=f"{outcome.reason}; only {topics} topics, so the interval is rough"
            )
        return outcome

    def _pairs(self, view: View) -> Iterator[tuple[str, str, str]]:
        for column in self.columns:
            for rival in self._rivals(view, column):
                yield from ((row, rival, column) for row in self.rows)

    def _rivals(self, view: View, column: str) -> tuple[str, ...]:
        return self.rivals.chosen(lambda row: view.value(row, column), self.rule.sign)

    def _compare(self, view: View, row: str, rival: str, column: str) -> Comparison:
        upper, lower = (row, rival) if self.rule.sign > 0 else (rival, row)
        found = view.difference(upper, lower, column)
        published = self._published(view, row, rival, column)
        return Comparison(
            f"{row} {self.rule.word} {rival} in {column}",
            *found,
            firm=self.rule.firm(found),
            right=self.rule.right(found),
            published=published,
            published_right=None if isnan(published) else self.rule.right(Difference(published)),
            strength=self.rule.strength(found),
        )

    def _published(self, view: View, row: str, rival: str, column: str) -> float:
        """Paper's own difference; against the best of several that is the paper's own best."""
        own = self.rivals if self.rivals.best else Rivals((rival,))
        against = own.chosen(lambda name: view.published_value(name, column), self.rule.sign)
        if not against:
            return nan
        return self.rule.sign * (view.published_value(row, column) - view.published_value(against[0], column))


@dataclass(frozen=True)
class Rises:
    """Values that rise (sign 1) or fall (sign -1) along the rows, in each column."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    quantifier: Quantifier
    sign: int = 1

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, column) for column in self.columns for row in self.rows]

    def judge(self, view: View) -> Outcome:
        """Look at every step, and at the correlation of position and score."""
        return tally([self._compare(view, column) for column in self.columns], self.quantifier)

    def _compare(self, view: View, column: str) -> Comparison:
        values = np.array([view.value(row, column) for row in self.rows])
        steps, found = self.sign * np.diff(values), self._correlation(view, column)
        printed = self.sign * np.diff([view.published_value(row, column) for row in self.rows])
        return Comparison(
            f"{column} {'rises' if self.sign > 0 else 'falls'} ({', '.join(f'{v:.4g}' for v in values)})",
            *found,
            firm=bool((steps > 0).all()) and found.effect > 0 and found.p_value < LEVEL,
            right=bool(steps.sum() > 0),
            published_right=None if np.isnan(printed).any() else bool((printed > 0).all()),
            strength=found.effect,
        )

    def _correlation(self, view: View, column: str) -> Difference:
        scores = [view.scores(row, column) for row in self.rows]
        kept = [s.to_numpy() for s in scores if s is not None]
        if len(kept) < len(self.rows):
            kept = [np.array([view.value(row, column)]) for row in self.rows]
        position = np.repeat(np.arange(len(kept)), [len(s) for s in kept])
        return rank_correlation(position, self.sign * np.concatenate(kept))


@dataclass(frozen=True)
class Correlates:
    """A column that goes with others, across rows or (``of``) across the citances of one row."""

    column: str
    others: tuple[str, ...]
    quantifier: Quantifier
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
            return Outcome("pending", f"needs per-citance scores of {self.of} in {', '.join(columns)}")
        return tally([self._compare(view, other) for other in self.others], self.quantifier)

    def _compare(self, view: View, other: str) -> Comparison:
        if self.of:
            pairs = view.paired(self.of, self.column, self.of, other)
            found, printed = rank_correlation(pairs.first, pairs.second), nan
        else:
            found = rank_correlation(self._values(view.value, self.column), self._values(view.value, other))
            own = view.published_value
            printed = rank_correlation(self._values(own, self.column), self._values(own, other)).effect
        return Comparison(
            f"{self.column} with {other}",
            *found,
            firm=found.effect > 0 and found.p_value < LEVEL,
            right=found.effect > 0,
            published=printed,
            published_right=None if isnan(printed) else printed > 0,
            strength=found.effect,
        )

    def _values(self, value: Callable[[str, str], float], column: str) -> np.ndarray:
        return np.array([value(row, column) for row in self.across])


@dataclass(frozen=True)
class Cell:
    """A published number that is a cell of a table."""

    row: str
    column: str
    published: float

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(self.row, self.column)]

    def judge(self, view: View) -> Outcome:
        """Set our number beside the paper's."""
        return judge_value(self.published, *view.number(self.row, self.column), view)


@dataclass(frozen=True)
class Gain:
    """A published relative gain of one row over another (or over the best of several), in percent."""

    row: str
    rivals: Rivals
    column: str
    published: float

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have."""
        return [(row, self.column) for row in (self.row, *self.rivals.rows)]

    def judge(self, view: View) -> Outcome:
        """Set our gain beside the paper's; its interval is that of the difference over the rival's value."""
        (rival,) = self.rivals.chosen(lambda row: view.value(row, self.column))
        base, found = view.value(rival, self.column), view.difference(self.row, rival, self.column)
        if base == 0:
            return Outcome("not testable here", f"{rival} has {self.column} 0, so no relative gain exists")
        gain = 100 * (view.value(self.row, self.column) - base) / base
        outcome = judge_value(
            self.published, gain, 100 * found.ci_low / base, 100 * found.ci_high / base, view
        )
        printed = self.printed(lambda row: view.published_value(row, self.column))
        if isnan(printed) or _same_as_printed(printed, self.published):
            return outcome
        return replace(outcome, reason=f"{outcome.reason}; the paper's own table gives {printed:.1f} %")

    def printed(self, value: Callable[[str], float]) -> float:
        """Gain by the paper's own numbers, NaN where it prints too few of them."""
        best = self.rivals.chosen(value)
        return 100 * (value(self.row) / value(best[0]) - 1) if best else nan


CLOSE = 0.1
"""A number outside our interval that is within this share of ours still counts as "partly"."""


def judge_value(published: float, value: float, ci_low: float, ci_high: float, view: View) -> Outcome:
    """Judge a published number by ours: only on the paper's own corpus can it be reproduced.

    Reproduced where the published number lies in our interval or equals ours as far as it is printed; partly
    where the two differ by at most a tenth.
    """
    numbers = (published, value, value - published, ci_low, ci_high)
    if view.corpus != view.home:
        return Outcome(
            "not testable here", f"the paper's number is of {view.home}, this is {view.corpus}", *numbers
        )
    if _same_as_printed(value, published):
        return Outcome("reproduced", "equal as far as the paper prints it", *numbers)
    if ci_low <= published <= ci_high:
        return Outcome("reproduced", "the paper's number lies in our interval", *numbers)
    if abs(value - published) <= CLOSE * abs(published):
        return Outcome("partly", "differs by less than a tenth", *numbers)
    return Outcome("not reproduced", "differs by more than a tenth", *numbers)


def _same_as_printed(value: float, published: float) -> bool:
    """Say whether a value rounds to the published one, as many decimals as that has (float noise aside)."""
    decimals = len(repr(published).partition(".")[2])
    return abs(value - published) <= 0.5 * 0.1**decimals + 1e-9
