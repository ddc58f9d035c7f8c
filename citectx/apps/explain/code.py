"""Find the code that makes a table and its rows, and what its docstring says of its source."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from citectx.ledger.readings import declarations
from citectx.papers.curves import experiment, module_of
from citectx.paths import PACKAGE
from citectx.retrieval import MODELS, OPTIONAL, OURS
from citectx.retrieval.reformulation import STEPS, Reformulation


def row_code(table: str, row: str) -> dict[str, Any]:
    """Find what a row is called after in the registries that know it, by its name in the code."""
    module = _module_of(table)
    for registry, known in _registries(module) if module else ():
        if row in known:
            return named_code(known[row], f"{registry}[{row!r}]")
    known = {**MODELS, **OURS, **OPTIONAL, **dict.fromkeys(STEPS, Reformulation)}
    return named_code(known.get(row))


def _registries(module: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the mappings to code of ours in a module, and in those of papers that it uses."""
    own = import_module(module)
    used = [getattr(value, "__module__", None) or "" for value in vars(own).values()]
    papers = [name for name in dict.fromkeys(used) if name.startswith("citectx.papers.")]
    for name in dict.fromkeys([module, *papers]):
        for constant, value in vars(import_module(name)).items():
            if isinstance(value, Mapping) and not constant.startswith("_"):
                code = {key: each for key, each in value.items() if _is_ours(each)}
                yield f"{name}:{constant}", code


def _is_ours(value: object) -> bool:
    return str(_code_of(value).__module__).startswith("citectx.")


def _code_of(value: object) -> Any:
    """Return a class or function as it is, and the class of anything else."""
    return value if inspect.isclass(value) or inspect.isfunction(value) else type(value)


def named_code(value: Any, otherwise: str = "") -> dict[str, Any]:
    """Return code by its name; a function without one is named as its registry has it."""
    if value is None:
        return {}
    found = _code_of(value)
    name = f"{found.__module__}:{found.__qualname__}"
    return {otherwise if "<lambda>" in name else name: found}


@cache
def _module_of(table: str) -> str:
    """Find the module that gives a table its name; "" if none does."""
    curves = {experiment(name): module_of(name) for name in declarations()}
    if table in curves:
        return curves[table]
    for path in sorted([*PACKAGE.glob("papers/**/*.py"), *PACKAGE.glob("apps/**/*.py")]):
        text = path.read_text("utf-8")
        if f'"{table}"' in text and _constants(text, table):
            return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return ""


def _constants(text: str, value: str) -> list[str]:
    """Name the constants of a module that are a text.

    >>> _constants('A, B = "one", "two"', "two")
    ['B']
    """
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            (target,) = node.targets
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, each in pairs:
                if isinstance(name, ast.Name) and isinstance(each, ast.Constant):
                    found += [name.id] if each.value == value else []
    return found


@cache
def table_code(table: str) -> Any:
    """Find the function that makes a table: the first public one that has its name, or ``run``."""
    name = _module_of(table)
    if not name:
        return None
    module = import_module(name)
    tree = ast.parse(inspect.getsource(module))
    constants = {*_constants(inspect.getsource(module), table)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if used & constants:
                return inspect.unwrap(getattr(module, node.name))
    found = getattr(module, "run", getattr(module, "scores", None))
    return inspect.unwrap(found) if found else None


SENTENCE = re.compile(r"(?<=\.) (?=[A-Z`])")
"""Where a sentence of a docstring ends."""


def source(text: str) -> str:
    r"""Take what a docstring says of its source.

    >>> source("Rank.\n\nSource: Doe et al. 2001\n§2. Ambiguity: none.\n\nMore.")
    'Source: Doe et al. 2001 §2.'
    """
    start = text.find("Source: ")
    if start < 0:
        return ""
    paragraph = " ".join(text[start:].partition("\n\n")[0].split())
    return SENTENCE.split(paragraph, maxsplit=1)[0]
