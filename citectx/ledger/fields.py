"""YAML read into dataclasses by the types of their fields, so that every error names the field.

Our own, as JSON Schema cannot say that a name must be one that the ledger itself declares.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from citectx.errors import DataError, ParameterError, unknown

Row = NewType("Row", str)
Column = NewType("Column", str)
Table = NewType("Table", str)
Id = NewType("Id", str)
"""Names that a ledger declares: of rows and columns, of experiments, of claims."""

Rows = tuple[Row, ...]
Columns = tuple[Column, ...]
"""In YAML one name, or a list of different names."""


@dataclass(frozen=True)
class Best:
    """``{best_of: ROWS}``: whichever row is best in a column of the table at hand."""

    best_of: Rows


Rivals = Rows | Best
T = TypeVar("T")
EXPECTED = {
    str: "a text",
    float: "a number",
    bool: "true or false",
    list: "a list",
}

_Safe = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_Safe):  # type: ignore[misc,valid-type]
    """Refuses a mapping that has one key twice, where plain YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = []
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                problem, place = f"{key!r} is given twice", key_node.start_mark
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=place)
            seen.append(key)
        return dict(super().construct_mapping(node, deep))


def load_yaml(file: Path) -> Any:
    """Read a YAML file.

    Raises
    ------
    DataError
        With the line, if it is not YAML or gives a key twice.
    """
    try:
        return yaml.load(file.read_text("utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(f"is not a ledger: {error.problem}", file=file, line=line) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no text, or odd numbers
        raise DataError(f"is not a ledger: {error}".partition("\n")[0], file=file) from error


@contextmanager
def errors_in(file: Path, place: str = "") -> Iterator[None]:
    """Turn a ParameterError into a DataError that names file and place."""
    try:
        yield
    except ParameterError as error:
        raise DataError(f"{place}{error}", file=file) from error


def read(kind: type[T], content: object, **known: Collection[str]) -> T:
    """Read a dataclass from a mapping.

    Parameters
    ----------
    kind : type
        The dataclass. Fields without a default are required; its ``keys`` say which fields have
        another name in YAML.
    content : object
        As YAML has it.
    **known : collection of str
        The declared names, by what they name: row, column, table, id.

    Raises
    ------
    ParameterError
        If the content is not a mapping, or a field is missing, unknown or wrong.

    Examples
    --------
    >>> read(Best, {"best_of": ["A", "B"]}, row="ABC")
    Best(best_of=('A', 'B'))
    """
    if not isinstance(content, dict):
        raise ParameterError(f"{content!r} is not a mapping")
    keys, hints = getattr(kind, "keys", {}), get_type_hints(kind)
    declared = {keys.get(each.name, each.name): each for each in fields(kind)}  # type: ignore[arg-type]
    for name in content:
        if name not in declared:
            raise unknown("field", name, declared)
    values = {}
    for name, each in declared.items():
        if name in content:
            values[each.name] = value(name, content[name], hints[each.name], **known)
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ParameterError(f"the field {name!r} is missing")
    return kind(**values)


def value(name: str, content: Any, kind: Any, **known: Collection[str]) -> Any:
    """Read one field of a type; else as `read` does."""
    if get_origin(kind) in (Union, UnionType):
        mapping = isinstance(content, dict)
        kind = next(each for each in get_args(kind) if is_dataclass(each) == mapping)
    if is_dataclass(kind):
        done = isinstance(content, kind)  # type: ignore[arg-type]
        return content if done else read(kind, content, **known)  # type: ignore[arg-type]
    if get_origin(kind) is tuple:
        return _listed(name, content, get_args(kind)[0], known)
    if get_origin(kind) is Literal:
        return _one_of(name, content, "value", get_args(kind))
    if isinstance(kind, NewType):
        what = kind.__name__.lower()
        return _one_of(name, content, what, known[what])
    return _plain(name, content, get_origin(kind) or kind)


def _plain(name: str, content: Any, kind: type) -> Any:
    fits = isinstance(content, int | float if kind is float else kind)
    if not fits or isinstance(content, bool) != (kind is bool):
        raise ParameterError(f"{name}: {content!r} is not {EXPECTED.get(kind, 'a mapping')}")
    if kind is float and not isfinite(content):
        raise ParameterError(f"{name}: {content!r} is not finite")
    return content


def _listed(name: str, content: Any, kind: Any, known: dict[str, Collection[str]]) -> Any:
    given = content if isinstance(content, list) else [content]
    found = tuple(value(name, each, kind, **known) for each in given)
    if not found or len({*found}) < len(found):
        raise ParameterError(f"{name}: expected one or more different names, found {content!r}")
    return found


def _one_of(name: str, content: Any, what: str, allowed: Collection[str]) -> Any:
    if content not in allowed:
        raise ParameterError(f"{name}: {unknown(what, content, allowed)}")
    return content
