"""Which code a result depends on: a hash that no sentence in a docstring changes."""

import ast
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from citectx.paths import BUNDLED, DATA
from citectx.storage import Remembered, digest, sha, sha256

ABOVE_RESULTS = ("cli", "apps", "show", "runs")
"""Rooms of the package that no number can depend on."""

LOOKS = (".css", ".html", ".js", ".md", ".mplstyle")
"""Files of the package that change how something looks, and no number."""

KEPT = Path(__file__).parent / "__pycache__" / "code.json"
"""What was found in modules that have not changed since; beside Python's own compiled modules."""


def code_digest(*modules: str, looks: bool = False) -> str:
    """Hash of code that results depend on, and of the embedded data.

    Comments, docstrings and layout do not count. All other files do that lie in the rooms of the
    modules.

    Parameters
    ----------
    *modules : str
        The modules that are used, such as ``citectx.experiments.tuning``: they and what they import
        count. Without any, and for ``citectx`` itself, all count but those of `ABOVE_RESULTS`.
    looks : bool
        Count `LOOKS`, too: for what is shown, not only computed.
    """
    known, kept = _modules(), Remembered(KEPT)
    names = {name for name in known if _room(name) not in ABOVE_RESULTS}
    todo = [m for m in modules if m in known]
    todo += sorted(names) if not modules or "citectx" in modules else []
    parsed: dict[str, tuple[str, list[str]]] = {}
    while todo:
        name = todo.pop()
        parents = {name.rsplit(".", i)[0] for i in range(1, name.count("."))}
        _, wanted = parsed[name] = kept(known[name], _parsed)
        followed = {n for n in {*wanted} & known.keys() if modules or n in names}
        todo += sorted((followed | parents) - parsed.keys() - {"citectx"})
    rooms = {_room(name) for name in parsed} | ({"papers"} if "citectx.ledger" in parsed else set())
    hashes = [(name, kept(path, sha256)) for name, path in _files(rooms, looks)]
    kept.save()
    return digest([(name, code) for name, (code, _) in sorted(parsed.items())], hashes)


def _files(rooms: Collection[str], looks: bool) -> list[tuple[str, Path]]:
    """List the files of some rooms and the embedded data, with names that are the same in any
    folder.
    """
    package, unread = Path(__file__).parent, (".py", *(() if looks else LOOKS))
    found = [(path.relative_to(package), path) for path in package.rglob("*") if path.is_file()]
    inside = [
        (name, path)
        for name, path in found
        if name.parts[0] in rooms and "__pycache__" not in name.parts
    ]
    own = [(name, path) for name, path in inside if path.suffix not in unread]
    there = [p for p in DATA.rglob("*") if p.is_file() and p.suffix not in (".py", ".md", ".pyc")]
    data = [("data" / path.relative_to(DATA), path) for path in there]
    return [(name.as_posix(), path) for name, path in sorted([*own, *data])]


def _room(module: str) -> str:
    return module.partition(".")[2].partition(".")[0]


def _modules() -> dict[str, Path]:
    package = Path(__file__).parent
    found = (p for p in package.rglob("*.py") if not p.is_relative_to(BUNDLED))
    files = {p.relative_to(package.parent).with_suffix(""): p for p in found}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in files.items()}


def _parsed(path: Path) -> tuple[str, list[str]]:
    """Return the hash of a module's code, and the names of the modules that it may import."""
    tree = ast.parse(path.read_bytes())
    names = sorted(imported(tree))
    return sha(ast.dump(without_docstrings(tree)).encode()), names


def without_docstrings(tree: ast.Module) -> ast.Module:
    """Drop the strings that are statements, in place: docstrings, and those below constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not is_text(line)]
    return tree


def is_text(line: Any) -> bool:
    """Return whether a statement is a string, such as a docstring."""
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )


def imported(tree: ast.Module) -> frozenset[str]:
    r"""Return the names of modules that some code imports, and of what it takes from them.

    >>> sorted(imported(ast.parse("from citectx.retrieval import bm25\nimport numpy as np")))
    ['citectx.retrieval', 'citectx.retrieval.bm25', 'numpy']
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found)


def imported_by(notebook: Path) -> frozenset[str]:
    """Return what the code of a notebook imports; the whole package where it is not plain
    Python.
    """
    cells = [
        c for c in json.loads(notebook.read_text("utf-8"))["cells"] if c["cell_type"] == "code"
    ]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    try:
        return imported(
            ast.parse("\n".join(line for line in lines if not line.lstrip().startswith(("%", "!"))))
        )
    except SyntaxError:
        return frozenset({"citectx"})
