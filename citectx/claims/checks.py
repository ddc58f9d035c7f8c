"""The language of checks: a handful of forms that say what a claim asks of the result tables.

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
percent of the rival.
"""

from collections.abc import Callable, Mapping, Sequence

from citectx.claims.forms import Check, Correlates, Gain, Rises, Rivals, Versus
from citectx.claims.outcomes import BETTER, Region, alike, no_better
from citectx.errors import ParameterError, unknown


class Spec:
    """A check as written, read field by field; `finish` complains about what was not asked for.

    Parameters
    ----------
    fields : mapping
    rows, columns : sequence of str
        The names that exist.
    """

    def __init__(self, fields: Mapping[str, object], rows: Sequence[str], columns: Sequence[str]) -> None:
        self._left = dict(fields)
        self._rows, self._columns = rows, columns

    def rows(self, key: str) -> tuple[str, ...]:
        """One or more rows."""
        return names(self._take(key), "row", self._rows)

    def columns(self, key: str) -> tuple[str, ...]:
        """One or more columns."""
        return names(self._take(key), "column", self._columns)

    def one(self, key: str, what: str = "row") -> str:
        """Exactly one row or column."""
        found = names(self._take(key), what, self._rows if what == "row" else self._columns)
        if len(found) != 1:
            raise ParameterError(f"{key!r} takes one {what}, found {len(found)}")
        return found[0]

    def rivals(self, key: str) -> Rivals:
        """Rows, or ``{best_of: ROWS}``."""
        found = self._take(key)
        if not isinstance(found, Mapping):
            return Rivals(names(found, "row", self._rows))
        inner = Spec(found, self._rows, self._columns)
        rows = inner.rows("best_of")
        inner.finish()
        return Rivals(rows, best=True)

    def decides(self, **listed: Sequence[str]) -> list[str]:
        """Return the deciding name of each list: the only one, or the one that ``decides`` names."""
        chosen = self._left.pop("decides", {})
        if not isinstance(chosen, Mapping) or set(chosen) - set(listed):
            raise ParameterError(f"'decides' is a mapping with some of {', '.join(listed)}; found {chosen!r}")
        found = []
        for key, names_ in listed.items():
            name = chosen.get(key, names_[0] if len(names_) == 1 else None)
            if name not in names_:
                raise ParameterError(f"'decides' must name one of {', '.join(names_)} as {key!r}")
            found.append(str(name))
        return found

    def number(self, key: str) -> float:
        """A positive number."""
        found = self._take(key)
        if isinstance(found, bool) or not isinstance(found, int | float) or not found > 0:
            raise ParameterError(f"{key!r} is {found!r}; expected a positive number")
        return float(found)

    def text(self, key: str) -> str:
        """A column that may be left out."""
        return self.one(key, "column") if self.has(key) else ""

    def has(self, key: str) -> bool:
        """Say whether the field was given and not yet read."""
        return key in self._left

    def finish(self) -> None:
        """Raise a ParameterError if fields are left over."""
        if self._left:
            raise ParameterError(f"does not understand {', '.join(map(repr, self._left))} here")

    def _take(self, key: str) -> object:
        if key not in self._left:
            raise ParameterError(f"lacks {key!r}")
        return self._left.pop(key)


def names(found: object, what: str, known: Sequence[str]) -> tuple[str, ...]:
    """Read one name or a list of names, all of which must be known and different.

    >>> names("VSM", "row", ["VSM", "BM25"]), names(["VSM", "BM25"], "row", ["VSM", "BM25"])
    (('VSM',), ('VSM', 'BM25'))
    """
    listed = found if isinstance(found, list) else [found]
    for name in listed:
        if name not in known:
            raise unknown(what, name, known)
    if not listed or len(set(listed)) < len(listed):
        raise ParameterError(f"expected different {what}s, at least one; found {found!r}")
    return tuple(listed)


def _versus(spec: Spec, form: str, other: str, word: str, region: Region = BETTER, sign: int = 1) -> Versus:
    rows, rivals, columns = spec.rows(form), spec.rivals(other), spec.columns("in")
    if (both := set(rows) & set(rivals.rows)) and not (form == "alike" and rows == rivals.rows):
        raise ParameterError(f"{', '.join(sorted(both))} cannot be compared with itself")
    against = ("",) if rivals.best else rivals.rows
    row, rival, column = spec.decides(**{form: rows, other: against, "in": columns})
    deciding = (row, rival, column)
    return Versus(rows, rivals, columns, deciding, word, region, sign, spec.text("percent"))


def _rises(spec: Spec, form: str, sign: int) -> Rises:
    rows = spec.rows(form)
    if len(rows) < 3:
        raise ParameterError(f"{form!r} takes three rows or more; for two, say better or lower")
    columns = spec.columns("in")
    (column,) = spec.decides(**{"in": columns})
    return Rises(rows, columns, column, sign)


def _correlates(spec: Spec) -> Correlates:
    column, others = spec.one("correlates", "column"), spec.columns("with")
    (decides,) = spec.decides(**{"with": others})
    if spec.has("of"):
        return Correlates(column, others, decides, of=spec.one("of"))
    return Correlates(column, others, decides, across=spec.rows("across"))


def _like(form: str, other: str, word: str, region: Callable[[float], Region]) -> "Builder":
    return lambda spec, *_: _versus(spec, form, other, word, region(spec.number("within")))


Builder = Callable[[Spec, float, float], Check]
ORDERS = ("order", "significance")
FORMS: dict[str, tuple[tuple[str, ...], Builder]] = {
    "better": (ORDERS, lambda spec, *_: _versus(spec, "better", "than", "over")),
    "lower": (ORDERS, lambda spec, *_: _versus(spec, "lower", "than", "below", sign=-1)),
    "alike": (("order",), _like("alike", "to", "like", alike)),
    "no_better": (("order",), _like("no_better", "than", "no better than", no_better)),
    "rises": (("trend",), lambda spec, *_: _rises(spec, "rises", 1)),
    "falls": (("trend",), lambda spec, *_: _rises(spec, "falls", -1)),
    "correlates": (("trend",), lambda spec, *_: _correlates(spec)),
    "gain": (
        ("value",),
        lambda spec, *number: Gain(spec.one("gain"), spec.rivals("over"), spec.one("in", "column"), *number),
    ),
}
"""Form by its first word: the kinds of claims it can serve, and how it is read."""


def parse(
    kind: str,
    fields: object,
    rows: Sequence[str],
    columns: Sequence[str],
    published: tuple[float, float] = (float("nan"), 0.0),
) -> Check:
    """Read a check.

    Parameters
    ----------
    kind : str
        Kind of the claim.
    fields : mapping
        As written in the ledger.
    rows, columns : sequence of str
        The names that exist in the claim's experiments.
    published : (float, float), optional
        The published number that a ``gain`` is about, and half a unit of its last digit.

    Raises
    ------
    ParameterError
        On an unknown form, field, row or column, a missing field, or a form that does not fit the kind.

    Examples
    --------
    >>> check = parse("order", {"better": "B", "than": {"best_of": ["A", "C"]}, "in": "c-F"}, "ABC", ["c-F"])
    >>> check.cells()
    [('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]
    """
    if not isinstance(fields, Mapping):
        raise ParameterError(
            f"a check is a mapping such as {{better: A, than: B, in: c-F}}, found {fields!r}"
        )
    forms = [form for form in FORMS if form in fields]
    if len(forms) != 1:
        raise ParameterError(f"a check has exactly one of {', '.join(FORMS)}; found {forms or list(fields)}")
    kinds, build = FORMS[forms[0]]
    if kind not in kinds:
        raise ParameterError(f"{forms[0]!r} serves claims of kind {' or '.join(kinds)}, not {kind}")
    spec = Spec(fields, rows, columns)
    check = build(spec, *published)
    spec.finish()
    return check
