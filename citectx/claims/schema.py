"""Entries of a ledger, read by one checker: which fields, of which kind, naming which rows and columns."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

from citectx.errors import ParameterError, unknown


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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("text", lambda value: isinstance(value, str)),
    "number": ("a number", _is_number),
    "size": ("a positive number", lambda value: _is_number(value) and value > 0),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "texts": ("a list of text", lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value)),
    "mapping": ("a mapping", lambda value: isinstance(value, dict)),
}
"""Kinds of fields that are not names: what is expected, and whether a value is that."""


def fields(entry: object, spec: str, known: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Read the fields of an entry.

    Parameters
    ----------
    entry : mapping
        As written in the ledger.
    spec : str
        Words ``name:kind``, with a question mark behind what may be left out. A kind is one of `TYPES`, what
        `known` knows, its plural for one or more of those, or ``rivals``: rows, or ``{best_of: ROWS}``.
    known : mapping of kind to sequence of str
        The names that exist.

    Raises
    ------
    ParameterError
        On a field that is missing, unknown, or not of its kind.

    Examples
    --------
    >>> known = {"row": ["A", "B"], "column": ["c-F"]}
    >>> fields({"than": "A", "in": "c-F"}, "than:row in:columns percent:column?", known)
    {'than': 'A', 'in': ('c-F',)}
    """
    if not isinstance(entry, Mapping):
        raise ParameterError(f"expected a mapping, found {entry!r}")
    kinds = dict(word.rstrip("*").split(":") for word in spec.split())
    if missing := [name for name, kind in kinds.items() if name not in entry and kind[-1] != "?"]:
        raise ParameterError(f"lacks {', '.join(sorted(missing))}")
    if extra := [str(name) for name in entry if name not in kinds]:
        raise ParameterError(f"does not understand {', '.join(extra)}; known: {', '.join(sorted(kinds))}")
    given = {name: kind.rstrip("?") for name, kind in kinds.items() if name in entry}
    return {name: _value(name, entry[name], kind, known or {}) for name, kind in given.items()}


def _value(name: str, value: Any, kind: str, known: Mapping[str, Sequence[str]]) -> Any:
    if kind == "rivals":
        if isinstance(value, Mapping):
            return Rivals(fields(value, "best_of:rows", known)["best_of"], best=True)
        return Rivals(names(value, "row", known["row"]))
    if kind in known:
        return _one(names(value, kind, known[kind]), name)
    if kind[:-1] in known:
        return names(value, kind[:-1], known[kind[:-1]])
    if kind == "any":
        return value
    expected, right = TYPES[kind]
    if not right(value):
        raise ParameterError(f"{name} is {value!r}; expected {expected}")
    return value


def _one(found: tuple[str, ...], name: str) -> str:
    if len(found) > 1:
        raise ParameterError(f"{name} takes one name, found {len(found)}")
    return found[0]


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
