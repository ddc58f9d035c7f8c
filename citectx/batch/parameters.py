"""Parameters of notebooks: read without traps, and checked by type and range before anything runs."""

import ast
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import yaml

from citectx.errors import ParameterError
from citectx.experiments.results import params_json
from citectx.paths import NOTEBOOKS


class Kind(NamedTuple):
    """What a parameter may be.

    Parameters
    ----------
    allowed : str
        In words, for the error.
    accepts : callable
        Whether a value is allowed.
    """

    allowed: str
    accepts: Callable[[Any], bool]


def whole(low: int, high: int) -> Kind:
    """Allow whole numbers from `low` to `high`; true and false are no numbers.

    >>> [whole(1, 9).accepts(value) for value in (1, 9, 10, True, 2.0, "3")]
    [True, True, False, False, False, False]
    """
    return Kind(f"a whole number from {low:,} to {high:,}", lambda v: type(v) is int and low <= v <= high)


def text(choices: str | Sequence[str] = ()) -> Kind:
    """Allow text that is not empty; only one of the choices, if any: names, or where they are (`known`)."""
    names = known(choices) if isinstance(choices, str) else choices
    allowed = f"one of {', '.join(names)}" if names else "text (a number as text: '\"2\"')"
    return Kind(allowed, lambda v: isinstance(v, str) and bool(v.strip()) and (not names or v in names))


def several(choices: str | Sequence[str] = (), *, none: bool = False) -> Kind:
    """Allow a list of different texts, each as `text` allows; empty only with `none`."""
    one = text(choices)
    among = f" among {one.allowed.removeprefix('one of ')}" if choices else ""
    return Kind(
        f"{'a list' if none else 'a list, not empty,'} of different names{among}",
        lambda v: isinstance(v, list) and (none or bool(v)) and all(map(one.accepts, v)) and len({*v}) == len(v),
    )


def known(place: str) -> tuple[str, ...]:
    """Return the names in a ``module:constant``, imported only when a parameter asks for them."""
    module, _, constant = place.partition(":")
    return tuple(getattr(import_module(module), constant))


def optional(kind: Kind) -> Kind:
    """Allow null as well, which takes the default or everything."""
    return Kind(f"{kind.allowed}, or null", lambda v: v is None or kind.accepts(v))


FLAG = Kind("true or false", lambda v: isinstance(v, bool))
NUMBER = Kind("a finite number", lambda v: type(v) in (int, float) and math.isfinite(v))
ANYTHING = Kind("not an empty list", lambda v: v != [])
SEED = whole(0, 2**32 - 1)


def _address() -> Kind:
    schemes = known("citectx.parallel:SCHEMES")
    return Kind(f"an address with {' or '.join(schemes)}", lambda v: isinstance(v, str) and v.startswith(schemes))


Schema = Mapping[str, Kind | Callable[[], Kind]]
"""What each parameter may be; a function where that takes an import."""

EVERYWHERE: Schema = {"profile": lambda: text("citectx.profiles:PROFILES"), "seed": SEED}
"""Parameters that mean the same in anybody's notebook."""

OURS: Schema = {
    "choices": lambda: optional(several("citectx.papers.sigir2017.variations:CHOICES")),
    "citance": optional(text()),
    "contexts": whole(1, 100),
    "folds": whole(2, 1_000),
    "jobs": whole(1, 1_024),
    "k": whole(1, 1_000),
    "kind": optional(text(("cbow", "skip-gram", "small"))),
    "length": whole(1, 1_000),
    "methods": lambda: optional(several("citectx.retrieval:MODELS")),
    "others": several(none=True),
    "scheduler": lambda: optional(_address()),
    "scisummnet": optional(whole(1, 100_000)),
    "seeds": whole(1, 100_000),
    "shown": lambda: text("citectx.summarization:SUMMARIZERS"),
    "shuffles": whole(1, 1_000),
    "topic": optional(text()),
    "words": optional(whole(1, 100_000)),
}
"""Parameters of the notebooks of this repository, where their names mean the same in all of them."""

SPECIAL: dict[str, Schema] = {
    "04": {"methods": lambda: optional(several("citectx.papers.sigir2017.table4:METHODS"))},
    "06": {"methods": lambda: optional(several("citectx.papers.naacl2015.table2:METHODS"))},
}
"""Those that mean something else in one notebook, by its number."""


def check(path: Path, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of one run; see `check_grid`."""
    check_grid(path, {name: [value] for name, value in parameters.items()})


def check_grid(path: Path, grid: Mapping[str, Sequence[Any]]) -> None:
    """Refuse parameters that a notebook does not declare, and values of another type or out of range.

    A parameter that no table above names is held against its default: a number stays a number.

    Raises
    ------
    ParameterError
        Naming notebook, parameter, value and what is allowed.
    """
    defaults = declared(path)
    wrong = sorted(set(grid) - set(defaults))
    if wrong:
        raise ParameterError(f"{path.name} has no parameter {', '.join(wrong)}; it has {', '.join(defaults)}")
    for name, values in grid.items():
        kind = kind_of(path, name, defaults[name])
        for value in values:
            if not kind.accepts(value):
                shown = _short(json.dumps(value, ensure_ascii=False))
                raise ParameterError(f"{path.name}: {name}={shown} is not allowed; it must be {kind.allowed}")


def _short(written: str) -> str:
    return written if len(written) <= 80 else f"{written[:77]}..."


def kind_of(path: Path, name: str, default: Any) -> Kind:
    """Return what a parameter of a notebook may be."""
    found = EVERYWHERE.get(name)
    if found is None and path.absolute().parent == NOTEBOOKS.absolute():
        found = SPECIAL.get(path.name[:2], {}).get(name) or OURS.get(name)
    if found is not None:
        return found if isinstance(found, Kind) else found()
    if isinstance(default, bool):
        return FLAG
    if isinstance(default, str):
        return text()
    if isinstance(default, int):
        return whole(-(10**9), 10**9)
    return NUMBER if isinstance(default, float) else ANYTHING


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
    except (ValueError, KeyError, AttributeError, RecursionError, nbformat.ValidationError) as error:
        raise ParameterError(f"{path} is no notebook: {type(error).__name__}") from error
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


for _tag, _pattern in (
    ("null", r"~|null|Null|NULL|None|"),
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?(0|[1-9][0-9]*)"),
    ("float", r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]+([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None)


def parse(pairs: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs; null, true, false, numbers, lists and mappings are such, all else is text.

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
        return json.loads(json.dumps(yaml.load(written, _Loader)))
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"the value in {_short(pair)!r} is no YAML (quote it if it is text)") from error
