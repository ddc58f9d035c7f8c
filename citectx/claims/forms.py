"""The forms a check can take: what each asks for, and how it judges.

ROWS are methods (or groups, folds ...), COLUMNS are metrics; all must be declared in the ledger, and one name
may replace a list.

============================================================================ ===================
form                                                                         kinds
============================================================================ ===================
``{better: ROWS, than: ROWS, in: COLUMNS}``: higher values                   order, significance
``{lower: ROWS, than: ROWS, in: COLUMNS}``: lower values                     order, significance
``{alike: ROWS, to: ROWS, in: COLUMNS, within: UNITS}``: no difference       order
``{no_better: ROWS, than: ROWS, in: COLUMNS, within: UNITS}``: no advantage  order
``{rises: ROWS, in: COLUMNS}``, ``{falls: ...}``: along the rows as listed   trend
``{correlates: COLUMN, with: COLUMNS, across: ROWS}``: over the rows' values trend
``{correlates: COLUMN, with: COLUMNS, of: ROW}``: over one row's citances    trend
``{gain: ROW, over: ROW, in: COLUMN}``: a relative gain, in percent          value
============================================================================ ===================

``than``, ``to`` and ``over`` also take ``{best_of: ROWS}``: whichever row is best in that column of the table
at hand. A check that makes several comparisons names the one that the paper's sentence rests on, by those
of its fields that list several names: ``decides: {better: A, in: c-F}``. The others are counted beside the
verdict. ``percent: COLUMN`` says that the paper's own effect is printed in that column of the row, in
percent of the rival. A published number has a form of its own, ``cell``: a row and a column.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from citectx.claims.outcomes import BETTER, Comparison, Difference, Outcome, Region, outcome
from citectx.claims.schema import Rivals, fields
from citectx.claims.view import View, fisher, jackknifed, tau
from citectx.errors import ParameterError


class Check(NamedTuple):
    """What a claim asks of the tables.

    Parameters
    ----------
    form : str
        One of `FORMS`.
    asks : mapping
        Its fields as read; ``decides`` has the names of the deciding comparison, the empty one for the best
        of several; forms of kind value have ``published`` and ``half_unit`` as well.
    """

    form: str
    asks: Mapping[str, Any]

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have, column by column."""
        rows: list[str] = []
        columns: list[str] = []
        for name, kind in (word.split(":") for word in FORMS[self.form].spec.split()):
            found = self.asks.get(name, ())
            listed = (found,) if isinstance(found, str) else getattr(found, "rows", found)
            if kind.startswith(("row", "rivals")):
                rows += listed
            elif kind.startswith("column") and name != "percent":
                columns += listed
        return list(dict.fromkeys((row, column) for column in columns for row in rows))

    def judge(self, view: View) -> Outcome:
        """Return the verdict on one corpus whose tables have all the cells."""
        return FORMS[self.form].judge(view, self.asks)


Asks = Mapping[str, Any]


class Form(NamedTuple):
    """A form of checks.

    Parameters
    ----------
    kinds : tuple of str
        Kinds of claims that it serves.
    spec : str
        Its fields, see `citectx.claims.schema.fields`; ``decides`` names one each of those with a star.
    judge : callable
    """

    kinds: tuple[str, ...]
    spec: str
    judge: Callable[[View, Asks], Outcome]

    @property
    def decides(self) -> list[str]:
        """Fields of which a check with several comparisons has to name one each."""
        return [word.partition(":")[0] for word in self.spec.split() if word.endswith("*")]


def _versus(view: View, asks: Asks, word: str, region: Region = BETTER, sign: int = 1) -> Outcome:
    """Compare every row with every rival in every column; one of the comparisons decides."""
    rows, rivals, columns, *_ = asks.values()
    row, rival, column = asks["decides"]
    if twins := [] if rivals.best else [r for r in rivals.rows if view.one_method(row, r)]:
        return Outcome("not testable here", f"{row} and {twins[0]} are one method here")
    against = {c: rivals.chosen(partial(view.value, column=c), sign) for c in columns}
    if rivals.best:
        (rival,) = against[column]
    pairs = [(one, each, c) for c in columns for each in against[c] for one in rows]
    if rows == rivals.rows:  # all alike: each pair once
        pairs = [(one, each, c) for c in columns for each, one in combinations(rows, 2)]

    def compare(row: str, rival: str, column: str) -> Comparison:
        own = rivals if rivals.best else Rivals((rival,))
        paper = _published(view, row, rival, column, own, sign, asks.get("percent", ""))
        found = view.difference(*((row, rival) if sign > 0 else (rival, row)), column)
        return Comparison(f"{row} {word} {rival} in {column}", found, paper, region)

    deciding = (row, rival, column)
    return outcome(compare(*deciding), [compare(*pair) for pair in pairs if pair != deciding])


def _published(view: View, row: str, rival: str, column: str, own: Rivals, sign: int, percent: str = "") -> float:
    """Paper's own effect in our unit; against the best of several that is the paper's own best."""
    base = view.value(rival, column)
    if percent:
        return sign * base * view.published_value(row, percent) / 100
    against = own.chosen(lambda name: view.published_value(name, column), sign)
    if not against:
        return nan
    theirs = view.published_value(against[0], column)
    effect = sign * (view.published_value(row, column) - theirs)
    return effect / theirs * base if view.relative and theirs else effect


def _rises(view: View, asks: Asks, sign: int) -> Outcome:
    """Compare the ends, the last with the first, and count every step."""

    def compare(row: str, rival: str, column: str) -> Comparison:
        paper = _published(view, row, rival, column, Rivals((rival,)), sign)
        found = view.difference(*((row, rival) if sign > 0 else (rival, row)), column, paired=False)
        return Comparison(f"{row} {'over' if sign > 0 else 'below'} {rival} in {column}", found, paper)

    (rows, columns, *_), (column,) = asks.values(), asks["decides"]
    steps = [compare(after, before, c) for c in columns for before, after in pairwise(rows)]
    return outcome(compare(rows[-1], rows[0], column), steps)


def _correlates(view: View, asks: Asks) -> Outcome:
    """Correlate a column with each of some others, across rows or across the citances of one row."""
    column, others, (decides,) = asks["correlates"], asks["with"], asks["decides"]
    row = asks.get("of", "")
    if row and any(view.cell(row, each) is None for each in (column, *others)):
        return Outcome("not testable here", f"no scores of {row} in {', '.join((column, *others))}")
    over = partial(_over_citances, view, row) if row else partial(_over_rows, view, asks["across"])
    found = {other: Comparison(f"tau of {column} with {other}", *over(column, other)) for other in others}
    return outcome(found.pop(decides), list(found.values()))


def _over_rows(view: View, rows: Sequence[str], column: str, other: str) -> tuple[Difference, float]:
    """Kendall's tau over rows with a jackknife over topics, where all rows have the same; the paper's tau."""
    own, theirs = (
        tau(*([value(row, each) for row in rows] for each in (column, other)))
        for value in (view.value, view.published_value)
    )
    cells = [[view.cell(row, each) for row in rows] for each in (column, other)]
    without = [[cell.leave_one_out() for cell in one if cell is not None] for one in cells]
    lengths = {len(values) for one in without for values in one}
    if len(lengths) > 1 or [len(one) for one in without] != [len(rows)] * 2:
        return fisher(own, len(rows)), theirs
    taus = [tau(x, y) for x, y in zip(*map(np.column_stack, without), strict=True)]
    return jackknifed(own, np.array(taus)), theirs


def _over_citances(view: View, row: str, column: str, other: str) -> tuple[Difference]:
    """Kendall's tau over the citances of a row, with a jackknife over their topics.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for nothing
    but order.
    """
    one, two = (cell.scores for each in (column, other) if (cell := view.cell(row, each)) is not None)
    shared = one.index.intersection(two.index)
    x, y = (np.asarray(scores[shared], np.float64) for scores in (one, two))
    topics = shared.get_level_values("topic").to_numpy()
    kept = [topics != topic for topic in np.unique(topics)]
    whole = tau(x, y)
    if len(kept) < 2 or isnan(whole):
        return (Difference(whole, topics=len(kept)),)
    return (jackknifed(whole, np.array([tau(x[mask], y[mask]) for mask in kept])),)


def _cell(view: View, asks: Asks) -> Outcome:
    """Set our number beside the paper's."""
    found = view.number(asks["row"], asks["column"])
    return judge_value(asks["published"], found[:3], asks["half_unit"], view)


def _gain(view: View, asks: Asks) -> Outcome:
    """Set our relative gain beside the paper's, which its own rounded numbers have to allow.

    The interval is that of the difference over the rival's value.
    """
    row, rivals, column, published = (asks[name] for name in ("gain", "over", "in", "published"))
    (rival,) = rivals.chosen(partial(view.value, column=column))
    base, found = view.value(rival, column), view.difference(row, rival, column)
    if base == 0:
        return Outcome("not testable here", f"{rival} has {column} 0, so no relative gain exists")
    best = rivals.chosen(partial(view.published_value, column=column))
    top, theirs = (view.published_value(name, column) for name in (row, best[0] if best else ""))
    half = view.half_units.get(column, 0.0)
    lowest, highest = (100 * ((top + d) / (theirs - d) - 1) for d in (-half, half))
    slack = asks["half_unit"] + (0 if isnan(lowest) else (highest - lowest) / 2)
    judged = judge_value(published, [100 * part / base for part in found[:3]], slack, view)
    if published < lowest - asks["half_unit"] or published > highest + asks["half_unit"]:
        why = f"the paper's own table gives {lowest:.1f} to {highest:.1f} %"
        return judged._replace(verdict="inconsistent in the paper", reason=why)
    return judged


MARGIN = 0.1
"""A published number holds where our whole interval lies within this share of it."""


def judge_value(published: float, ours: Sequence[float], half_unit: float, view: View) -> Outcome:
    """Judge a published number by ours (value and interval): only on the paper's own corpus can it hold.

    It holds where ours rounds to it, or where our interval (our value, for numbers without one, such as
    counts) lies within a tenth of it; a wide interval therefore says nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.claims.results import Results
    >>> home = View(Results(Path()), (), "home", "home")
    >>> [judge_value(20.0, found, 0.05, home).verdict for found in ((20.5, 19.5, 21.5), (50, 0, 100))]
    ['holds', 'inconclusive']
    """
    value, ci_low, ci_high = ours
    margin = max(MARGIN * abs(published), half_unit)
    low, high = (value, value) if isnan(ci_low) else (ci_low, ci_high)
    if view.corpus != view.home:
        found = Outcome("not testable here", f"the paper's number is of {view.home}, this is {view.corpus}")
    elif abs(value - published) <= half_unit + 1e-9:
        found = Outcome("holds", "equal as far as the paper prints it")
    elif published - margin <= low and high <= published + margin:
        found = Outcome("holds", "within a tenth")
    elif high < published - margin or low > published + margin:
        found = Outcome("contradicted", "differs by more than a tenth")
    else:
        found = Outcome("inconclusive", "our interval is too wide to tell")
    return found._replace(published=published, value=value, effect=value - published, ci_low=ci_low, ci_high=ci_high)


def _within(view: View, asks: Asks, word: str, low: float) -> Outcome:
    """Judge that a difference lies below a margin, and above ``low`` times it."""
    return _versus(view, asks, word, Region(low * asks["within"], asks["within"]))


_ORDERS, _MORE = ("order", "significance"), "decides:mapping? percent:column?"
FORMS = {
    "better": Form(_ORDERS, f"better:rows* than:rivals* in:columns* {_MORE}", partial(_versus, word="over")),
    "lower": Form(_ORDERS, f"lower:rows* than:rivals* in:columns* {_MORE}", partial(_versus, word="below", sign=-1)),
    "alike": Form(
        ("order",), f"alike:rows* to:rivals* in:columns* within:size {_MORE}", partial(_within, word="like", low=-1)
    ),
    "no_better": Form(
        ("order",),
        f"no_better:rows* than:rivals* in:columns* within:size {_MORE}",
        partial(_within, word="no better than", low=-inf),
    ),
    "rises": Form(("trend",), "rises:rows in:columns* decides:mapping?", partial(_rises, sign=1)),
    "falls": Form(("trend",), "falls:rows in:columns* decides:mapping?", partial(_rises, sign=-1)),
    "correlates": Form(
        ("trend",), "correlates:column with:columns* across:rows? of:row? decides:mapping?", _correlates
    ),
    "gain": Form(("value",), "gain:row over:rivals in:column", _gain),
    "cell": Form(("value",), "row:row column:column", _cell),
}
"""Form by its first word; a cell has none, as it is written without a check."""


def parse(kind: str, entry: object, known: Mapping[str, Sequence[str]], **number: float) -> Check:
    """Read a check.

    Parameters
    ----------
    kind : str
        Kind of the claim.
    entry : mapping
        As written in the ledger.
    known : mapping
        The rows and columns that exist in the claim's experiments.
    **number : float
        ``published`` and ``half_unit``, for claims of kind value.

    Raises
    ------
    ParameterError
        On an unknown form, field, row or column, a missing field, or a form that does not fit the kind.

    Examples
    --------
    >>> entry = {"better": "B", "than": {"best_of": ["A", "C"]}, "in": "c-F"}
    >>> parse("order", entry, {"row": "ABC", "column": ["c-F"]}).cells()
    [('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]
    """
    if not isinstance(entry, Mapping):
        raise ParameterError(f"a check is a mapping such as {{better: A, than: B, in: c-F}}, found {entry!r}")
    forms = [name for name in FORMS if name in entry] or ["cell"]
    form = FORMS[forms[0]]
    if len(forms) != 1 or (forms == ["cell"] and "row" not in entry):
        raise ParameterError(f"a check has exactly one of {', '.join(FORMS)}; found {list(entry)}")
    if kind not in form.kinds:
        raise ParameterError(f"{forms[0]!r} serves claims of kind {' or '.join(form.kinds)}, not {kind}")
    asks = fields(entry, form.spec, known)
    if form.decides:
        asks["decides"] = _deciding(asks, form.decides)
    if len(form.decides) == 3:
        rows, rivals = (asks[name] for name in form.decides[:2])
        if {*rows} & {*rivals.rows} and not (forms == ["alike"] and rows == rivals.rows):
            raise ParameterError(f"a row of {', '.join(rows)} cannot be compared with itself")
    if forms[0] in ("rises", "falls") and len(asks[forms[0]]) < 3:
        raise ParameterError(f"{forms[0]!r} takes three rows or more; for two, say better or lower")
    if forms == ["correlates"] and ("of" in asks) == ("across" in asks):
        raise ParameterError("correlates takes either 'across' or 'of'")
    return Check(forms[0], asks | number)


def _deciding(asks: Asks, listed: Sequence[str]) -> list[str]:
    """Return the deciding name of each list: the only one, or the one that ``decides`` names."""
    chosen = asks.get("decides", {})
    if extra := set(chosen) - set(listed):
        raise ParameterError(f"'decides' names some of {', '.join(listed)}, not {', '.join(map(str, extra))}")
    found = []
    for key in listed:
        given = asks[key]
        names: Sequence[str] = given.rows if isinstance(given, Rivals) else given
        if isinstance(given, Rivals) and given.best:
            names = ("",)
        name = chosen.get(key, names[0] if len(names) == 1 else None)
        if name not in names:
            raise ParameterError(f"'decides' must name one of {', '.join(names)} as {key!r}")
        found.append(name)
    return found
