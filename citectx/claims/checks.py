"""The language of checks: a handful of forms that say what a claim asks of the result tables.

ROWS are methods (or groups, folds ...), COLUMNS are metrics; all must be declared in the ledger, and one name
may stand for a list. Every pair must hold, in every column.

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
at hand. ``in_most`` instead of ``in`` asks that more than half of the comparisons hold. A significance check
may say ``level: 0.01`` (default 0.05). A value without a check is a cell of a table.

When a comparison is *right* and when it is *firm* (`citectx.claims.outcomes` makes verdicts of that):

- order: the mean paired difference has the claimed sign; its 95 % interval excludes 0;
- significance: the same sign; the two-tailed paired t-test has p < level;
- alike: the interval of the difference contains 0; it lies inside ± ``within``, so that "no difference found"
  on little data cannot pass for "no difference";
- no_better: the interval does not lie above 0; it ends below ``within``;
- rises, falls: the last row lies above (below) the first; every step does, and Kendall's tau between position
  and score has p < 0.05;
- correlates: tau is positive; it has p < 0.05.

Without per-citance scores an order claim is at most right, and a significance claim waits for them.
"""

from collections.abc import Callable, Mapping, Sequence

from citectx.claims.forms import (
    LEVEL,
    Check,
    Correlates,
    Gain,
    Rises,
    Rivals,
    Rule,
    Versus,
    alike,
    no_better,
    order,
    significance,
)
from citectx.claims.outcomes import Quantifier
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

    def scope(self) -> tuple[tuple[str, ...], Quantifier]:
        """Columns of ``in`` or ``in_most``, and which of the two it was."""
        return (self.columns("in_most"), "most") if self.has("in_most") else (self.columns("in"), "all")

    def number(self, key: str, default: float | None = None) -> float:
        """A positive number."""
        found = self._left.pop(key, default) if default is not None else self._take(key)
        if isinstance(found, bool) or not isinstance(found, int | float) or not found > 0:
            raise ParameterError(f"{key!r} is {found!r}; expected a positive number")
        return float(found)

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


def _versus(spec: Spec, form: str, other: str, rule: Rule) -> Versus:
    rows, rivals = spec.rows(form), spec.rivals(other)
    if both := set(rows) & set(rivals.rows):
        raise ParameterError(f"{', '.join(sorted(both))} cannot be compared with itself")
    return Versus(rows, rivals, *spec.scope(), rule)


def _ordered(spec: Spec, form: str, kind: str) -> Versus:
    sign = 1 if form == "better" else -1
    rule = order(sign) if kind == "order" else significance(sign, spec.number("level", LEVEL))
    return _versus(spec, form, "than", rule)


def _rises(spec: Spec, form: str, sign: int) -> Rises:
    rows = spec.rows(form)
    if len(rows) < 3:
        raise ParameterError(f"{form!r} takes three rows or more; for two, say better or lower")
    columns, quantifier = spec.scope()
    return Rises(rows, columns, quantifier, sign)


def _correlates(spec: Spec) -> Correlates:
    column, others = spec.one("correlates", "column"), spec.columns("with")
    if spec.has("of"):
        return Correlates(column, others, "all", of=spec.one("of"))
    return Correlates(column, others, "all", across=spec.rows("across"))


Builder = Callable[[Spec, str, float], Check]
FORMS: dict[str, tuple[tuple[str, ...], Builder]] = {
    "better": (("order", "significance"), lambda spec, kind, _: _ordered(spec, "better", kind)),
    "lower": (("order", "significance"), lambda spec, kind, _: _ordered(spec, "lower", kind)),
    "alike": (("order",), lambda spec, *_: _versus(spec, "alike", "to", alike(spec.number("within")))),
    "no_better": (
        ("order",),
        lambda spec, *_: _versus(spec, "no_better", "than", no_better(spec.number("within"))),
    ),
    "rises": (("trend",), lambda spec, *_: _rises(spec, "rises", 1)),
    "falls": (("trend",), lambda spec, *_: _rises(spec, "falls", -1)),
    "correlates": (("trend",), lambda spec, *_: _correlates(spec)),
    "gain": (
        ("value",),
        lambda spec, _, number: Gain(spec.one("gain"), spec.rivals("over"), spec.one("in", "column"), number),
    ),
}
"""Form by its first word: the kinds of claims it can serve, and how it is read."""


def parse(
    kind: str, fields: object, rows: Sequence[str], columns: Sequence[str], published: float | None = None
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
    published : float, optional
        The published number that a ``gain`` is about.

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
    check = build(spec, kind, published if published is not None else float("nan"))
    spec.finish()
    return check
