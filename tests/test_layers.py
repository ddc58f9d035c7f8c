"""Imports run in one direction, and never in a circle."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import citectx

PACKAGE = Path(citectx.__file__).parent
LAYERS = [
    ["blas", "errors", "paths", "types"],
    ["storage", "cache", "parallel"],
    ["corpora"],
    ["language", "evaluation", "catalogue", "profiles"],
    ["embeddings", "ontology", "summarization"],
    ["retrieval", "recommendation"],
    ["experiments"],
    ["ledger"],
    ["show"],
    ["papers", "runs"],
    ["beyond", "compare", "doctor", "explain"],
    ["cli"],
]
"""From the bottom to the top; a room imports rooms of its own layer or of lower ones."""

DOORS = {"citectx"}
"""Modules that only pass names on, lazily; they import whatever they show."""


def imports_in(source: str) -> set[str]:
    """Names of the package's modules that a module imports, also for types only, or late."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "citectx"}


@cache
def graph() -> dict[str, set[str]]:
    """Module to modules it imports; a package stands for its ``__init__``."""
    files = {
        ".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts): p
        for p in PACKAGE.rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in files.items()}
    found = {}
    for name, path in modules.items():
        wanted = imports_in(path.read_text("utf-8")) & set(modules)
        # `from package import module` names both; the package itself is meant only if nothing below
        # it is.
        below = {w for w in wanted if any(o.startswith(f"{w}.") for o in wanted)}
        found[name] = wanted - below - {name}
    return found


def room(module: str) -> str:
    return module.split(".")[1]


def test_every_room_has_a_layer() -> None:
    assert {room(m) for m in graph() if m not in DOORS} == {
        name for layer in LAYERS for name in layer
    }


def test_no_import_runs_upward() -> None:
    level = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    arrows = [(a, b) for a, others in graph().items() for b in others if not {a, b} & DOORS]
    assert [f"{a} imports {b}" for a, b in arrows if level[room(b)] > level[room(a)]] == []


def test_no_circle() -> None:
    modules, rooms = dict[str, set[str]](), defaultdict[str, set[str]](set)
    for module, others in graph().items():
        if not (PACKAGE.parent / module.replace(".", "/")).is_dir():
            modules[module] = others
        if module not in DOORS:
            rooms[room(module)] |= {room(o) for o in others if o not in DOORS} - {room(module)}
    for arrows in (modules, rooms):
        TopologicalSorter(arrows).prepare()  # an error names a circle
