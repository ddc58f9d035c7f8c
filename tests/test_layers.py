"""Imports run in one direction, and never in a circle."""

import ast
from functools import cache
from pathlib import Path

import citectx

PACKAGE = Path(citectx.__file__).parent
LAYERS = [
    ["errors", "paths", "types"],
    ["storage", "cache", "parallel"],
    ["corpora"],
    ["language", "evaluation", "profiles"],
    ["embeddings", "ontology", "summarization"],
    ["retrieval", "recommendation"],
    ["experiments"],
    ["ledger"],
    ["show"],
    ["papers", "runs"],
    ["beyond", "explain"],
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


def backward(arrows: dict[str, set[str]]) -> list[str]:
    level = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    return sorted(
        f"{module} imports {other}"
        for module, others in arrows.items()
        for other in others
        if module not in DOORS and other not in DOORS and level[room(other)] > level[room(module)]
    )


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """One circle of rooms or modules, or nothing."""
    done: set[str] = set()

    def visit(node: str, path: tuple[str, ...]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(arrows.get(node, ())):
            if found := visit(other, (*path, node)):
                return found
        done.add(node)
        return []

    for node in sorted(arrows):
        if found := visit(node, ()):
            return found
    return []


def rooms(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same between rooms."""
    found: dict[str, set[str]] = {}
    for module, others in arrows.items():
        if module not in DOORS:
            found.setdefault(room(module), set()).update(room(o) for o in others if o not in DOORS)
    return {name: others - {name} for name, others in found.items()}


def test_every_room_has_a_layer() -> None:
    assert {room(m) for m in graph() if m not in DOORS} == {
        name for layer in LAYERS for name in layer
    }


def test_no_import_runs_upward() -> None:
    assert backward(graph()) == []


def test_no_circle() -> None:
    inside = {
        m: others
        for m, others in graph().items()
        if not (PACKAGE.parent / m.replace(".", "/")).is_dir()
    }
    assert circle(inside) == []
    assert circle(rooms(graph())) == []
