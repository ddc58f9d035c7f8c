"""The forms that a claim can take: what each asks for, and how it is judged.

ROWS are methods (or groups, folds ...), COLUMNS are metrics; all must be declared in the ledger,
and one name may replace a list. ``than`` and ``to`` also take ``{best_of: ROWS}``: whichever row is
best in that column of the table at hand. A check that makes several comparisons names the one that
the paper's sentence rests on, by those of its fields that list several names:
``decides: {better: A, in: c-F}``. Where it rests on several of them, ``each``, ``most`` or ``any``
stands for the names. The others are counted beside the verdict.

`citectx.ledger.rule` makes the verdicts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from math import inf, isnan, nan
from typing import Any, ClassVar, get_args

import numpy as np

from citectx.errors import ParameterError
from citectx.ledger.fields import Best, Column, Columns, Rivals, Row, Rows, read
from citectx.ledger.intervals import Difference, fisher, jackknifed, tau
from citectx.ledger.rule import BETTER, Comparison, Outcome, Region, Rule, by_rule
from citectx.ledger.view import View

Cells = list[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Form(ABC):
    """What a claim asks of the tables.

    Parameters
    ----------
    decides : mapping of str to str
        The deciding comparison, by fields of the form that list several names.
    """

    decides: dict[str, str] = field(default_factory=dict)

    kinds: ClassVar[tuple[str, ...]]
    """The kinds of claims that may take this form."""
    keys: ClassVar[Mapping[str, str]]
    """What its fields are called in YAML; the first names the form."""
    several: ClassVar[tuple[str, ...]]
    """The fields that may list several names."""

    def __post_init__(self) -> None:
        self.deciding()

    @property
    def rule(self) -> Rule:
        """How many of the comparisons between the deciding names must be true."""
        found = {name for name in self.decides.values() if name in get_args(Rule)}
        if len(found) > 1:
            raise ParameterError(f"'decides' has {' and '.join(sorted(found))}; expected one rule")
        return found.pop() if found else "each"  # type: ignore[return-value]

    def deciding(self) -> list[Rows]:
        """Return the deciding names: of each list the only one, or what ``decides`` says.

        Raises
        ------
        ParameterError
            If ``decides`` leaves it open, names something else, or has two rules.
        """
        left: dict[str, Any] = dict(self.decides)
        found: list[Rows] = []
        for each in self.several:
            names = getattr(self, each)
            if isinstance(names, Best):
                names = ("",)
            name = left.pop(self.keys[each], names[0] if len(names) == 1 else None)
            if name not in (*names, *get_args(Rule)):
                known = ", ".join(names)
                raise ParameterError(f"'decides' must name one of {known} as {self.keys[each]!r}")
            found.append((name,) if name in names else names)
        if left:
            raise ParameterError(
                f"'decides' names {', '.join(map(str, left))}, which is no list of the form"
            )
        return found

    @abstractmethod
    def cells(self) -> Cells:
        """Return the rows and columns that the tables must have, column by column."""

    @abstractmethod
    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""


@dataclass(frozen=True, kw_only=True)
class _Directed(Form):
    """Base of the forms that compare rows: higher is better, or lower is."""

    word: ClassVar[str] = "over"
    sign: ClassVar[int] = 1
    paired: ClassVar[bool] = True

    @property
    def region(self) -> Region:
        """Where the claim wants the differences."""
        return BETTER

    def _compare(self, view: View, row: str, rival: str, column: str, paper: float) -> Comparison:
        high, low = (row, rival)[:: self.sign]
        found = view.difference(high, low, column, paired=self.paired)
        return Comparison(f"{row} {self.word} {rival} in {column}", found, paper, self.region)

    def _printed(self, view: View, row: str, rival: str, column: str, theirs: str) -> float:
        """Return the paper's own effect in our unit; ``theirs`` is its own rival."""
        base = view.published_value(theirs, column)
        effect = self.sign * (view.published_value(row, column) - base)
        if view.relative and base:
            return effect / base * view.value(rival, column)
        return effect


@dataclass(frozen=True, kw_only=True)
class _Order(_Directed):
    """Base of the forms that compare each row with each rival in each column.

    Parameters
    ----------
    rows : tuple of str
    rivals : tuple of str or Best
    columns : tuple of str
    """

    rows: Rows
    rivals: Rivals
    columns: Columns

    kinds: ClassVar[tuple[str, ...]] = ("order",)
    several = ("rows", "rivals", "columns")
    symmetric: ClassVar[bool] = False
    """Whether rows may be compared with themselves, pair by pair."""

    def __post_init__(self) -> None:
        super().__post_init__()
        pairs = self.symmetric and self.rows == self.rivals
        if not pairs and not {*self.rows}.isdisjoint(self._rivals):
            raise ParameterError(f"a row of {', '.join(self.rows)} cannot be compared with itself")
        one, other, _ = self.deciding()
        if pairs and not any(a in other and b in one for a, b in combinations(self.rows, 2)):
            raise ParameterError("'decides' names a pair in the order in which it is not compared")

    @property
    def _rivals(self) -> Rows:
        return self.rivals.best_of if isinstance(self.rivals, Best) else self.rivals

    def cells(self) -> Cells:
        rows = dict.fromkeys((*self.rows, *self._rivals))
        return [(row, column) for column, row in product(self.columns, rows)]

    def judge(self, view: View) -> Outcome:
        best = isinstance(self.rivals, Best)
        chosen = [pair for pair in self._pairs(view) if self._decide(*pair)]
        deciding = [self._against(view, *pair) for pair in chosen]
        left = [pair for pair in self._pairs(view) if pair not in chosen]
        others = [self._against(view, *pair) for pair in left]
        return by_rule(self.rule, deciding, others, len(self._rivals) if best else 1)

    def _decide(self, row: str, rival: str, column: str) -> bool:
        """Return whether a comparison is among those that decide."""
        rows, rivals, columns = self.deciding()
        return row in rows and column in columns and (rivals == ("",) or rival in rivals)

    def _best(self, value: Callable[[str, str], float], column: str) -> str:
        """Return the best rival; "" if the value of one is unknown."""
        values = {row: self.sign * value(row, column) for row in self._rivals}
        unknown = any(map(isnan, values.values()))
        return "" if unknown else max(values, key=values.__getitem__)

    def _pairs(self, view: View) -> list[tuple[str, str, str]]:
        """Return all that is compared: rows, rivals and columns."""
        if self.rows == self.rivals:  # each pair once
            pairs = [(one, each) for each, one in combinations(self.rows, 2)]
            return [(one, each, c) for c in self.columns for one, each in pairs]
        found: list[tuple[str, str, str]] = []
        for column in self.columns:
            best = isinstance(self.rivals, Best)
            rivals = [self._best(view.value, column)] if best else self._rivals
            found += [(row, rival, column) for rival, row in product(rivals, self.rows)]
        return found

    def _against(self, view: View, row: str, rival: str, column: str) -> Comparison:
        paper = self._published(view, row, rival, column)
        return self._compare(view, row, rival, column, paper)

    def _published(self, view: View, row: str, rival: str, column: str) -> float:
        """Return the paper's own effect; against the best of several that is its own best."""
        best = isinstance(self.rivals, Best)
        theirs = self._best(view.published_value, column) if best else rival
        return self._printed(view, row, rival, column, theirs) if theirs else nan


@dataclass(frozen=True, kw_only=True)
class Better(_Order):
    """``{better: ROWS, than: ROWS, in: COLUMNS}``: higher values.

    Parameters
    ----------
    percent : str
        Where the paper prints an effect only in percent of the rival: the column that has it.
    """

    percent: Column | None = None

    kinds = ("order", "significance")
    keys: ClassVar = {"rows": "better", "rivals": "than", "columns": "in"}

    def _published(self, view: View, row: str, rival: str, column: str) -> float:
        if not self.percent:
            return super()._published(view, row, rival, column)
        percent = view.published_value(row, self.percent)
        return self.sign * view.value(rival, column) * percent / 100


@dataclass(frozen=True, kw_only=True)
class Lower(Better):
    """``{lower: ROWS, than: ROWS, in: COLUMNS}``: lower values."""

    keys: ClassVar = {"rows": "lower", "rivals": "than", "columns": "in"}
    word = "below"
    sign = -1


@dataclass(frozen=True, kw_only=True)
class NoBetter(_Order):
    """``{no_better: ROWS, than: ROWS, in: COLUMNS, within: UNITS}``: no advantage.

    Parameters
    ----------
    within : float
        The margin below which an advantage is none.
    """

    within: float

    keys: ClassVar = {"rows": "no_better", "rivals": "than", "columns": "in"}
    word = "no better than"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.within <= 0:
            raise ParameterError(f"within: {self.within:g} is not above 0")

    @property
    def region(self) -> Region:
        """Below the margin."""
        return Region(-inf, self.within)


@dataclass(frozen=True, kw_only=True)
class Alike(NoBetter):
    """``{alike: ROWS, to: ROWS, in: COLUMNS, within: UNITS}``: no difference.

    The same rows in both fields are compared pair by pair.
    """

    keys: ClassVar = {"rows": "alike", "rivals": "to", "columns": "in"}
    word = "like"
    symmetric = True

    @property
    def region(self) -> Region:
        """Within the margin on both sides."""
        return Region(-self.within, self.within)


@dataclass(frozen=True, kw_only=True)
class Rises(_Directed):
    """``{rises: ROWS, in: COLUMNS}``: values rise along the rows as listed.

    The ends decide, the last row against the first; every step is counted.

    Parameters
    ----------
    rows : tuple of str
        At least three.
    columns : tuple of str
    """

    rows: Rows
    columns: Columns

    kinds = ("trend",)
    keys: ClassVar = {"rows": "rises", "columns": "in"}
    several = ("columns",)
    paired = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rows) < 3:
            raise ParameterError(f"a trend has at least three rows, not {', '.join(self.rows)}")

    def cells(self) -> Cells:
        """Return each row in each column."""
        return [(row, column) for column, row in product(self.columns, self.rows)]

    def judge(self, view: View) -> Outcome:
        """Judge by the ends."""
        steps = product(self.columns, pairwise(self.rows))
        others = [self._step(view, after, before, column) for column, (before, after) in steps]
        (columns,) = self.deciding()
        ends = [self._step(view, self.rows[-1], self.rows[0], column) for column in columns]
        return by_rule(self.rule, ends, others)

    def _step(self, view: View, row: str, rival: str, column: str) -> Comparison:
        paper = self._printed(view, row, rival, column, rival)
        return self._compare(view, row, rival, column, paper)


@dataclass(frozen=True, kw_only=True)
class Falls(Rises):
    """``{falls: ROWS, in: COLUMNS}``: values fall along the rows as listed."""

    keys: ClassVar = {"rows": "falls", "columns": "in"}
    word = "below"
    sign = -1


@dataclass(frozen=True, kw_only=True)
class Correlates(Form):
    """``{correlates: COLUMN, with: COLUMNS, across: ROWS}``, or ``of: ROW`` for one row's citances.

    Parameters
    ----------
    column : str
    others : tuple of str
        Each is correlated with the column.
    across : tuple of str
        Rows whose values are correlated; empty if citances of a row are.
    of : str
        That row.
    """

    column: Column
    others: Columns
    across: Rows = ()
    of: Row | None = None

    kinds = ("trend",)
    keys: ClassVar = {"column": "correlates", "others": "with"}
    several = ("others",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.across) == bool(self.of):
            raise ParameterError("a correlation has either 'across' or 'of'")

    def cells(self) -> Cells:
        """Return the columns of the rows that are correlated over, or of the one row."""
        rows = self.across if self.of is None else (self.of,)
        columns = (self.column, *self.others)
        return [(row, column) for column, row in product(columns, rows)]

    def judge(self, view: View) -> Outcome:
        """Judge by the deciding column's correlation."""
        if self.of and any(view.cell(*cell) is None for cell in self.cells()):
            columns = ", ".join((self.column, *self.others))
            return Outcome("not testable here", f"no scores of {self.of} in {columns}")
        found = {other: self._compare(view, other) for other in self.others}
        (decides,) = self.deciding()
        deciding = [found.pop(Column(name)) for name in decides]
        return by_rule(self.rule, deciding, list(found.values()))

    def _compare(self, view: View, other: str) -> Comparison:
        label, pair = f"tau of {self.column} with {other}", (self.column, other)
        if self.of:
            return Comparison(label, _over_citances(view, self.of, *pair))
        x, y = ([view.published_value(row, each) for row in self.across] for each in pair)
        return Comparison(label, _over_rows(view, self.across, *pair), tau(x, y))


FORMS: dict[str, type[Form]] = {
    next(iter(form.keys.values())): form
    for form in (Better, Lower, Alike, NoBetter, Rises, Falls, Correlates)
}
"""Form by its first word."""


def read_form(check: Any, rows: Sequence[str], columns: Sequence[str]) -> Form:
    """Read a check.

    Parameters
    ----------
    check : object
        As written in the ledger.
    rows, columns : sequence of str
        Of the tables that the claim is about.

    Raises
    ------
    ParameterError
        On an unknown form, field, row or column, or a missing field.

    Examples
    --------
    >>> check = {"better": "B", "than": {"best_of": ["A", "C"]}, "in": "c-F"}
    >>> read_form(check, "ABC", ["c-F"]).cells()
    [('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]
    """
    named = [name for name in FORMS if isinstance(check, dict) and name in check]
    if len(named) != 1:
        raise ParameterError(f"a check has exactly one of {', '.join(FORMS)}; found {check!r}")
    return read(FORMS[named[0]], check, row=rows, column=columns)


def _over_rows(view: View, rows: Sequence[str], column: str, other: str) -> Difference:
    """Kendall's tau over rows, with a jackknife over topics if all rows have the same ones."""
    own = tau(*([view.value(row, each) for row in rows] for each in (column, other)))
    kept = [view.cell(row, each) for each in (column, other) for row in rows]
    without = [cell.leave_one_out() for cell in kept if cell is not None]
    lengths = {len(means) for means in without}
    if len(without) < len(kept) or len(lengths) > 1:
        return fisher(own, len(rows))
    x, y = np.hsplit(np.column_stack(without), 2)
    return jackknifed(own, np.array([tau(*pair) for pair in zip(x, y, strict=True)]))


def _over_citances(view: View, row: str, column: str, other: str) -> Difference:
    """Kendall's tau over the citances of a row, with a jackknife over their topics.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for
    nothing but order.
    """
    cells = view.cell(row, column), view.cell(row, other)
    one, two = (cell.scores for cell in cells if cell is not None)
    shared = one.index.intersection(two.index)
    x, y = (np.asarray(scores[shared], np.float64) for scores in (one, two))
    topics = shared.get_level_values("topic").to_numpy()
    kept = [topics != topic for topic in np.unique(topics)]
    whole = tau(x, y)
    if len(kept) < 2 or isnan(whole):
        return Difference(whole, topics=len(kept))
    return jackknifed(whole, np.array([tau(x[mask], y[mask]) for mask in kept]))
