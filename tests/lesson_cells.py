"""The cells of the lessons: those that some of them need, run without a kernel."""

import ast
import json
import symtable
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from citectx.paths import NOTEBOOKS

LESSONS = {path.name[:2]: path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))}
Cell = dict[str, Any]


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, and those that it uses, its functions included."""
    cell = symtable.symtable(source, "cell", "exec")
    bound = {
        name.get_name() for name in cell.get_symbols() if name.is_assigned() or name.is_imported()
    }
    used, tables = set(), [cell]
    for table in tables:
        tables += table.get_children()
        used |= {
            name.get_name() for name in table.get_symbols() if name.is_global() or table is cell
        }
    return bound, used


def needed_cells(lesson: str, wanted: Callable[[Cell], bool], code: str = "") -> list[Cell]:
    """The code cells that are wanted, and those that bind what they or other code use."""
    cells = json.loads(LESSONS[lesson].read_text("utf-8"))["cells"]
    _, needed = names(code)
    found = []
    for cell in reversed([cell for cell in cells if cell["cell_type"] == "code"]):
        source = "".join(cell["source"])
        bound, used = names(source)
        if wanted(cell | {"source": source}) or bound & needed:
            found.append(cell | {"source": source})
            needed = (needed - bound) | used
    return found[::-1]


def shown(source: str, place: str, namespace: dict[str, Any]) -> str:
    """Run a cell; return what a reader sees below it: its prints, and its last line's value."""
    tree = ast.parse(source, place)
    last, value = tree.body[-1], None
    with redirect_stdout(StringIO()) as printed:
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), place, "exec"), namespace)
            value = eval(compile(ast.Expression(last.value), place, "eval"), namespace)
        else:
            exec(compile(tree, place, "exec"), namespace)
    return printed.getvalue() + repr(value)
