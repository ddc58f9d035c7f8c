"""The forms a check can take, what each asks for, and the one rule that makes verdicts.

ROWS are methods (or groups, folds ...), COLUMNS are metrics; all must be declared in the ledger,
and one name may replace a list.

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
``{row: ROW, column: COLUMN}``: a number                                     value
============================================================================ ===================

``than``, ``to`` and ``over`` also take ``{best_of: ROWS}``: whichever row is best in that column of
the table at hand. A check that makes several comparisons names the one that the paper's sentence
rests on, by those of its fields that list several names: ``decides: {better: A, in: c-F}``. The
others are counted beside the verdict. ``percent: COLUMN`` says that the paper's own effect is
printed in that column of the row, in percent of the rival.

A claim is judged by one comparison, the one that the paper's sentence rests on; whatever else it
says is counted beside it. A comparison claims that a difference lies in some region: above 0
("better"), within a margin of 0 ("no difference"), or below a margin ("no advantage"). With ours
comes a 95 % interval over topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the region that it claims;
- **holds**: our interval lies inside the region;
- **contradicted**: it lies outside;
- **absent**: it contains 0 and excludes the paper's own effect, and we would have seen that effect
more
  often than not;
- **inconclusive**: all else; so is every comparison over fewer than six topics, or without scores
by topic.

A sixth verdict, **not testable here**, is about what is missing. *Would we have seen it* is the
probability that the interval lies inside the region if the paper's effect were true with our noise:
the power of the test.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, pairwise
from math import inf, isnan, nan
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.errors import ParameterError
from citectx.ledger.results import LEVEL, Difference, View, fisher, jackknifed, tau

Verdict = Literal[
    "holds",
    "contradicted",
    "absent",
    "inconclusive",
    "not testable here",
    "inconsistent in the paper",
]
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""


class Region(NamedTuple):
    """Where a difference lies if the claim is true: between two bounds, which do not belong to
    it.
    """

    low: float = 0.0
    high: float = inf

    def holds(self, low: float, high: float | None = None) -> bool:
        """Return whether an interval, or one number, lies inside."""
        return self.low < low and (low if high is None else high) < self.high

    def margins(self, effect: float) -> list[float]:
        """How far an effect lies above the lower bound and below the upper one, where there are
        such.
        """
        return [margin for margin in (effect - self.low, self.high - effect) if margin < inf]


BETTER = Region()


class Comparison(NamedTuple):
    """One of the things a claim says, on one corpus.

    Parameters
    ----------
    label : str
        "A over B in c-F".
    found : Difference
        In the claimed direction.
    paper : float
        The paper's own effect in our unit, NaN where it prints none.
    region : Region
        Where the claim wants the difference.
    """

    label: str
    found: Difference
    paper: float = nan
    region: Region = BETTER

    @property
    def seen(self) -> float:
        """Probability of "holds" if the paper's effect were true with our noise; NaN without
        either.
        """
        error, df = self.found.error, self.found.df
        if isnan(self.paper) or isnan(error):
            return nan
        if error == 0:
            return float(self.region.holds(self.paper))
        critical = special.stdtrit(df, (1 + LEVEL) / 2)
        margins = self.region.margins(self.paper)
        return max(
            0.0,
            1.0 - float(sum(special.nctdtr(df, margin / error, critical) for margin in margins)),
        )

    @property
    def p_value(self) -> float:
        """One-sided p-value in the claimed direction: the larger one where the region has two
        bounds.
        """
        error, margins = self.found.error, self.region.margins(self.found.effect)
        if isnan(error):
            return nan
        if error == 0:
            return 0.0 if min(margins) > 0 else 1.0
        return max(float(special.stdtr(self.found.df, -margin / error)) for margin in margins)

    def verdict(self) -> tuple[Verdict, str]:  # noqa: PLR0911 (the rule, line by line)
        """Return the verdict, and why it is not a plain one ("" where it is)."""
        low, high = self.found.ci_low, self.found.ci_high
        if not isnan(self.paper) and not self.region.holds(self.paper):
            return "inconsistent in the paper", "its own numbers do not bear it out"
        if self.found.same:
            return "not testable here", "the two rows have the same scores"
        if isnan(low):
            return "inconclusive", "no scores by topic give it an interval"
        if self.found.topics < FEW_TOPICS:
            return "inconclusive", f"only {self.found.topics} topics"
        if self.region.holds(low, high):
            return "holds", ""
        if high < self.region.low or low > self.region.high:
            return "contradicted", ""
        if self.region == BETTER and high < self.paper:
            return (
                ("absent", "")
                if self.seen > 0.5
                else ("inconclusive", "too noisy to show such an effect")
            )
        return "inconclusive", "" if isnan(
            self.paper
        ) else "the paper's effect is as possible as none"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` and ``value`` are the paper's number and ours, for claims of kind value; else
    ``published`` is the paper's effect in our unit. ``effect`` is the difference in the claimed
    direction, or Kendall's tau, or for a published value ours minus the paper's. The interval is
    that of ``value`` for published values, else that of ``effect``. ``seen`` and ``p_value`` are
    those of `Comparison`; ``others`` counts the other comparisons.
    """

    verdict: Verdict
    reason: str
    published: float = nan
    value: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    topics: int = 0
    seen: float = nan
    p_value: float = nan
    others: str = ""


def outcome(deciding: Comparison, others: "list[Comparison]") -> Outcome:
    """Judge a claim by one comparison, and count the others.

    Examples
    --------
    >>> yes = Comparison("A over B in c-F", Difference(2.0, 1.0, 3.0, 0.4, 9, 10), paper=1.5)
    >>> no = Comparison("A over B in c-P", Difference(-0.5, -2.0, 1.0, 0.6, 9, 10), paper=2.0)
    >>> outcome(yes, [no]).verdict, outcome(no, [yes]).verdict, outcome(yes, [no]).others
    ('holds', 'absent', '1 of 2 in the same direction (paper: 2 of 2)')
    """
    (verdict, why), found = deciding.verdict(), deciding.found
    reason = f"{deciding.label}: {why}" if why else deciding.label
    numbers = (deciding.paper, nan, *found[:3], found.topics, deciding.seen, deciding.p_value)
    return Outcome(verdict, reason, *numbers, _counted([deciding, *others]) if others else "")


def _counted(comparisons: "list[Comparison]") -> str:
    different = [c for c in comparisons if not c.found.same]
    text = f"{sum(c.region.holds(c.found.effect) for c in different)} of {len(different)} in the same direction"
    printed = [c.region.holds(c.paper) for c in comparisons if not isnan(c.paper)]
    text += f" (paper: {sum(printed)} of {len(printed)})" if printed else ""
    left = len(comparisons) - len(different)
    return text + (f"; {left} between rows with the same scores left out" if left else "")


class Rivals(NamedTuple):
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


Asks = Mapping[str, Any]
ROWS = "row better lower alike no_better rises falls gain of across than to over".split()
COLUMNS = "column correlates in with".split()
"""Fields of checks that name rows or columns; those of `RIVALS` may name the best of some rows."""
RIVALS = ("than", "to", "over")


class Check(NamedTuple):
    """What a claim asks of the tables.

    Parameters
    ----------
    form : str
        One of `FORMS`.
    asks : mapping
        Its fields: rows and columns as tuples, and `Rivals`; ``decides`` has the names of the
        deciding comparison, the empty one for the best of several; forms of kind value have
        ``published`` and ``half_unit`` as well.
    """

    form: str
    asks: Asks

    def cells(self) -> list[tuple[str, str]]:
        """Rows and columns that the tables must have, column by column."""
        fields = [self.asks[name] for name in ROWS if name in self.asks]
        rows = [
            row for found in fields for row in (found.rows if isinstance(found, Rivals) else found)
        ]
        columns = [column for name in COLUMNS for column in self.asks.get(name, ())]
        return list(dict.fromkeys((row, column) for column in columns for row in rows))

    def judge(self, view: View) -> "Outcome":
        """Return the verdict on one corpus whose tables have all the cells."""
        return FORMS[self.form].judge(
            view, self.asks, *(self.asks[name] for name in FORMS[self.form].lists)
        )


class Form(NamedTuple):
    """A form of checks: the kinds of claims it serves, the fields with its lists of names, and what
    judges them.

    Of a check with several comparisons ``decides`` has to name one of each list.
    """

    kinds: tuple[str, ...]
    lists: tuple[str, ...]
    judge: Callable[..., "Outcome"]


def _versus(
    view: View,
    asks: Asks,
    rows: Sequence[str],
    rivals: Rivals,
    columns: Sequence[str],
    *,
    word: str,
    region: Region = BETTER,
    sign: int = 1,
) -> Outcome:
    """Compare every row with every rival in every column; one of the comparisons decides."""
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


def _published(
    view: View, row: str, rival: str, column: str, own: Rivals, sign: int, percent: str = ""
) -> float:
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


def _rises(view: View, asks: Asks, columns: Sequence[str], sign: int) -> Outcome:
    """Compare the ends, the last with the first, and count every step."""

    def compare(row: str, rival: str, column: str) -> Comparison:
        paper = _published(view, row, rival, column, Rivals((rival,)), sign)
        found = view.difference(*((row, rival) if sign > 0 else (rival, row)), column, paired=False)
        return Comparison(
            f"{row} {'over' if sign > 0 else 'below'} {rival} in {column}", found, paper
        )

    rows, (column,) = asks["rises" if sign > 0 else "falls"], asks["decides"]
    steps = [compare(after, before, c) for c in columns for before, after in pairwise(rows)]
    return outcome(compare(rows[-1], rows[0], column), steps)


def _correlates(view: View, asks: Asks, others: Sequence[str]) -> Outcome:
    """Correlate a column with each of some others, across rows or across the citances of one
    row.
    """
    (column,), (decides,), (row,) = asks["correlates"], asks["decides"], asks.get("of", ("",))
    if row and any(view.cell(row, each) is None for each in (column, *others)):
        return Outcome("not testable here", f"no scores of {row} in {', '.join((column, *others))}")
    over = partial(_over_citances, view, row) if row else partial(_over_rows, view, asks["across"])
    found = {
        other: Comparison(f"tau of {column} with {other}", *over(column, other)) for other in others
    }
    return outcome(found.pop(decides), list(found.values()))


def _over_rows(
    view: View, rows: Sequence[str], column: str, other: str
) -> tuple[Difference, float]:
    """Kendall's tau over rows with a jackknife over topics, where all rows have the same; the
    paper's tau.
    """
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

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for
    nothing but order.
    """
    one, two = (
        cell.scores for each in (column, other) if (cell := view.cell(row, each)) is not None
    )
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
    found = view.number(*asks["row"], *asks["column"])
    return judge_value(asks["published"], found[:3], asks["half_unit"], view)


def _gain(view: View, asks: Asks) -> Outcome:
    """Set our relative gain beside the paper's, which its own rounded numbers have to allow.

    The interval is that of the difference over the rival's value.
    """
    (row,), (column,), rivals, published = (
        asks[name] for name in ("gain", "in", "over", "published")
    )
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
    """Judge a published number by ours (value and interval): only on the paper's own corpus can it
    hold.

    It holds where ours rounds to it, or where our interval (our value, for numbers without one,
    such as counts) lies within a tenth of it; a wide interval therefore says nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.ledger.results import Results
    >>> home = View(Results(Path()), (), "home", "home")
    >>> [judge_value(20.0, found, 0.05, home).verdict for found in ((20.5, 19.5, 21.5), (50, 0, 100))]
    ['holds', 'inconclusive']
    """
    value, ci_low, ci_high = ours
    margin = max(MARGIN * abs(published), half_unit)
    low, high = (value, value) if isnan(ci_low) else (ci_low, ci_high)
    if view.corpus != view.home:
        found = Outcome(
            "not testable here", f"the paper's number is of {view.home}, this is {view.corpus}"
        )
    elif abs(value - published) <= half_unit + 1e-9:
        found = Outcome("holds", "equal as far as the paper prints it")
    elif published - margin <= low and high <= published + margin:
        found = Outcome("holds", "within a tenth")
    elif high < published - margin or low > published + margin:
        found = Outcome("contradicted", "differs by more than a tenth")
    else:
        found = Outcome("inconclusive", "our interval is too wide to tell")
    return found._replace(
        published=published, value=value, effect=value - published, ci_low=ci_low, ci_high=ci_high
    )


def _within(view: View, asks: Asks, *lists: Any, word: str, low: float) -> Outcome:
    """Judge that a difference lies below a margin, and above ``low`` times it."""
    return _versus(
        view, asks, *lists, word=word, region=Region(low * asks["within"], asks["within"])
    )


_ORDERS = ("order", "significance")
FORMS = {
    "better": Form(_ORDERS, ("better", "than", "in"), partial(_versus, word="over")),
    "lower": Form(_ORDERS, ("lower", "than", "in"), partial(_versus, word="below", sign=-1)),
    "alike": Form(("order",), ("alike", "to", "in"), partial(_within, word="like", low=-1)),
    "no_better": Form(
        ("order",), ("no_better", "than", "in"), partial(_within, word="no better than", low=-inf)
    ),
    "rises": Form(("trend",), ("in",), partial(_rises, sign=1)),
    "falls": Form(("trend",), ("in",), partial(_rises, sign=-1)),
    "correlates": Form(("trend",), ("with",), _correlates),
    "gain": Form(("value",), (), _gain),
    "cell": Form(("value",), (), _cell),
}
"""Form by its first word; that of a number is a row and a column."""


SCHEMA = yaml.safe_load(Path(__file__).with_name("schema.yaml").read_text("utf-8"))


@cache
def _validator(part: str, *known: tuple[str, tuple[str, ...]]) -> Draft202012Validator:
    names = {kind: {"enum": list(dict.fromkeys(names))} for kind, names in known}
    return Draft202012Validator(_written_out(SCHEMA[part], SCHEMA | names))


def _written_out(part: Any, named: Mapping[str, Any]) -> Any:
    """Replace each ``$ref`` by what it names, since resolving one takes longer than checking a cell
    against it.
    """
    if isinstance(part, dict) and "$ref" in part:
        return _written_out(named[part["$ref"].rpartition("/")[2]], named)
    if isinstance(part, dict):
        return {key: _written_out(value, named) for key, value in part.items()}
    return [_written_out(each, named) for each in part] if isinstance(part, list) else part


def checked(entry: Any, part: str, known: Mapping[str, Sequence[str]] | None = None) -> Any:
    """Return an entry of a ledger, checked against a part of ``schema.yaml``.

    Parameters
    ----------
    entry : object
    part : str
    known : mapping of str to sequence of str
        The names that exist, by what they name: row, column, claim or experiment.

    Raises
    ------
    ParameterError
        On a field that is missing, unknown, or not what the schema says.
    """
    names = ((kind, tuple(listed)) for kind, listed in (known or {}).items())
    if (error := best_match(_validator(part, *names).iter_errors(entry))) is not None:
        raise ParameterError(": ".join([*map(str, error.absolute_path), error.message]))
    return entry


def listed(names: Any) -> tuple[str, ...]:
    """Return one name, or a list of names, as a tuple."""
    return tuple(names) if isinstance(names, list) else (names,)


def parse(
    kind: str, entry: Mapping[str, Any], known: Mapping[str, Sequence[str]], **number: float
) -> Check:
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
        On an unknown form, field, row or column, a missing field, or a form that does not fit the
        kind.

    Examples
    --------
    >>> entry = {"better": "B", "than": {"best_of": ["A", "C"]}, "in": "c-F"}
    >>> parse("order", entry, {"row": "ABC", "column": ["c-F"]}).cells()
    [('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]
    """
    forms = ["cell"] if "row" in entry else [name for name in FORMS if name in entry]
    if len(forms) != 1:
        raise ParameterError(f"a check has exactly one of {', '.join(FORMS)}; found {list(entry)}")
    name, form = forms[0], FORMS[forms[0]]
    if kind not in form.kinds:
        raise ParameterError(
            f"{name!r} serves claims of kind {' or '.join(form.kinds)}, not {kind}"
        )
    checked(entry, name, known)
    asks = {field: _read(field, value) for field, value in entry.items()}
    if form.lists:
        asks["decides"] = _deciding(asks, form.lists)
    if len(form.lists) == 3:
        rows, rivals = asks[form.lists[0]], asks[form.lists[1]].rows
        if {*rows} & {*rivals} and not (name == "alike" and rows == rivals):
            raise ParameterError(f"a row of {', '.join(rows)} cannot be compared with itself")
    return Check(name, asks | number)


def _read(field: str, value: Any) -> Any:
    if field in RIVALS:
        best = isinstance(value, Mapping)
        return Rivals(listed(value["best_of"] if best else value), best)
    return listed(value) if field in (*ROWS, *COLUMNS) else value


def _deciding(asks: Asks, lists: Sequence[str]) -> list[str]:
    """Return the deciding name of each list: the only one, or that which ``decides`` names; "" for
    the best of some.
    """
    chosen = asks.get("decides", {})
    if extra := set(chosen) - set(lists):
        raise ParameterError(
            f"'decides' names some of {', '.join(lists)}, not {', '.join(map(str, extra))}"
        )
    found = []
    for key in lists:
        given = asks[key]
        names: Sequence[str] = given.rows if isinstance(given, Rivals) else given
        if isinstance(given, Rivals) and given.best:
            names = ("",)
        name = chosen.get(key, names[0] if len(names) == 1 else None)
        if name not in names:
            raise ParameterError(f"'decides' must name one of {', '.join(names)} as {key!r}")
        found.append(name)
    return found
