"""Parameters of notebooks: read without traps, and checked by type and range before anything runs.

``parameters.yaml`` beside this module says what each may be.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import yaml
from jsonschema import Draft4Validator, ValidationError, validators
from jsonschema.exceptions import best_match

from citectx import reading
from citectx.errors import ParameterError
from citectx.experiments.results import params_json
from citectx.paths import NOTEBOOKS
from citectx.storage import parsed

ALLOWED = yaml.safe_load(reading.read_text(Path(__file__).with_name("parameters.yaml")))


def _named(_: Any, place: str, value: Any, __: Any) -> Iterator[ValidationError]:
    """Check a value against the names in a ``module:constant``, or those that a function lists."""
    module, _, constant = place.partition(":")
    listed = getattr(import_module(module), constant)
    if value not in (known := tuple(listed() if callable(listed) else listed)):
        yield ValidationError(f"{value!r} is not one of {', '.join(known)}")


# In draft 4 the number 2.0 is not an integer.
_Validator = validators.extend(Draft4Validator, {"names": _named})


def check_grid(path: Path, grid: Mapping[str, Sequence[Any]]) -> None:
    """Refuse parameters that a notebook does not declare, and values that they may not have.

    A parameter that is not in ``parameters.yaml`` is checked against its default: a number stays a
    number.

    Raises
    ------
    ParameterError
        Naming notebook, parameter, value and what is allowed.
    """
    defaults = declared(path)
    for name, values in grid.items():
        if name not in defaults:
            known = ", ".join(defaults)
            raise ParameterError(f"{path.name} has no parameter {name}; it has {known}")
        validator = _Validator(schema_of(path, name, defaults[name]))
        for value in values:
            _check(f"{path.name}: {name}", value, validator)


def _check(what: str, value: Any, validator: Any) -> None:
    try:
        json.dumps(value, allow_nan=False)
        error = best_match(validator.iter_errors(value))
        why = error.message if error else ""
    except (TypeError, ValueError, RecursionError):
        why = "it must be JSON, its numbers finite"
    if why:
        shown = json.dumps(value, ensure_ascii=False, default=repr)
        raise ParameterError(f"{what}={_short(shown)} is not allowed: {why}")


def _short(written: str) -> str:
    return written if len(written) <= 80 else f"{written[:77]}..."


def schema_of(path: Path, name: str, default: Any) -> dict[str, Any]:
    """Return what a parameter of a notebook may be."""
    known = dict(ALLOWED["types"].get(type(default).__name__, {"not": {"enum": [[]]}}))
    if path.absolute().parent == NOTEBOOKS.absolute():
        known = ALLOWED["ours"].get(name, known)
        known = ALLOWED["special"].get(path.name[:2], {}).get(name, known)
    found: dict[str, Any] = ALLOWED["everywhere"].get(name, known)
    return found


def declared(path: Path) -> dict[str, Any]:
    """Read names and defaults in a notebook's cell tagged ``parameters``.

    Raises
    ------
    ParameterError
        If the file is no notebook.
    """
    import papermill

    try:
        nbformat.read(path, as_version=4)
        inspected = papermill.inspect_notebook(str(path))
    except Exception as error:  # as `citectx.runs.kernel.read` says
        raise ParameterError(f"{path} is not a notebook: {type(error).__name__}") from error
    return {name: _default(entry["default"]) for name, entry in inspected.items()}


def _default(source: str) -> Any:
    try:
        return ast.literal_eval(source)
    except (ValueError, SyntaxError):
        return None


class _Loader(yaml.SafeLoader):
    """YAML 1.2's plain scalars and no more: 010, 2020-01-01, yes and off are text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - yaml's own name and form

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.YAMLError("a name is there twice")
        return found


for _tag, _pattern in (
    ("null", r"~|null|Null|NULL|None|"),
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?(0|[1-9][0-9]*)"),
    ("float", r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]+([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None
    )


def parse(pairs: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs.

    Null, true, false, numbers, lists and mappings are read as such, anything else as text.

    >>> parse(["k=5", "methods=[VSM, LMD]", "a=010", "b=2020-01-01", "c=yes", "d=1e3"])
    {'k': 5, 'methods': ['VSM', 'LMD'], 'a': '010', 'b': '2020-01-01', 'c': 'yes', 'd': 1000.0}

    Raises
    ------
    ParameterError
        On a malformed pair or a name given twice.
    """
    return {name: _value(written, pair) for name, written, pair in _split(pairs, "NAME=VALUE")}


def parse_grid(pairs: Sequence[str]) -> dict[str, list[Any]]:
    """Read NAME=VALUE,VALUE,... pairs; commas inside brackets and quotes do not part values.

    >>> parse_grid(["k=1,3", "methods=[BM25, LMD],[VSM]", 'text="a, b",c', "on=true"])
    {'k': [1, 3], 'methods': [['BM25', 'LMD'], ['VSM']], 'text': ['a, b', 'c'], 'on': [True]}

    Raises
    ------
    ParameterError
        On a malformed pair, a name given twice, or a value given twice.
    """
    grid = {}
    for name, written, pair in _split(pairs, "NAME=VALUE,VALUE,..."):
        grid[name] = _value(f"[{written}]", pair)
        shown = [params_json({name: value}) for value in grid[name]]
        if not shown or len({*shown}) < len(shown):
            raise ParameterError(f"{pair!r} has no value, or one twice: {', '.join(shown)}")
    return grid


def _split(pairs: Sequence[str], form: str) -> Iterator[tuple[str, str, str]]:
    seen = set()
    for pair in pairs:
        name, equals, written = pair.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"expected {form}, found {pair!r}")
        if name in seen:
            raise ParameterError(f"parameter {name} is given twice; expected {form} once")
        seen.add(name)
        yield name, written, pair


def _value(written: str, pair: str) -> Any:
    try:
        return parsed(json.dumps(yaml.load(written, _Loader)))
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"the value in {_short(pair)!r} is not YAML, or has a name twice or a number that is "
            "not finite (quote it if it is text)"
        ) from error
