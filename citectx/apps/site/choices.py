r"""What the papers leave open: the ``Ambiguity:`` lines of all docstrings, read without imports.

>>> source = "def f():\n    'Count words. Source: acl2008 §3. Ambiguity: which. All.'"
>>> [(a.name, a.papers, a.text) for a in in_source(source, "citectx.demo")]
[('f', ('acl2008',), 'which. All.')]
"""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from citectx.ledger import papers
from citectx.paths import PACKAGE
from citectx.reading import listing, read_text

# Not behind a backtick: there the word is mentioned, not used. "Source:" begins another remark.
_MARK = r"(?<!`)\bAmbiguity:\s+"

_Defined = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Ambiguity(NamedTuple):
    """One choice that a paper, or a release of data, leaves open.

    Parameters
    ----------
    module : str
        Where the choice is made, as it is imported.
    name : str
        Function, class or constant within the module; "" for the module itself.
    papers : tuple of str
        Whose choice it is, sorted; empty for choices about data or our own rules.
    text : str
        What is open, what we chose, and why; in the docstring's words, on one line.
    """

    module: str
    name: str
    papers: tuple[str, ...]
    text: str


def ambiguities(package: Path = PACKAGE) -> list[Ambiguity]:
    """Read the choices in all modules of a package, in the order of their names."""
    found = []
    for path in listing(package, "**/*.py"):
        parts = package.name, *path.relative_to(package).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        found += in_source(read_text(path), module)
    return sorted(found, key=lambda choice: choice.module)


def in_source(source: str, module: str) -> list[Ambiguity]:
    """Find the choices in the docstrings of one module.

    A choice belongs to the papers that its text names, else to those that its docstring names, else
    to those of the docstrings around it.
    """
    if not re.search(_MARK, source):
        return []
    found = []
    for name, docs in _docstrings(ast.parse(source), "", ()):
        for text in _texts(docs[-1]):
            named = filter(None, map(_papers, (text, *reversed(docs))))
            found.append(Ambiguity(module, name, next(named, ()), text))
    return found


def by_papers(found: Iterable[Ambiguity]) -> dict[tuple[str, ...], list[Ambiguity]]:
    """Group choices by papers: single papers first, then several, choices without a paper last."""
    groups: dict[tuple[str, ...], list[Ambiguity]] = {}
    for choice in found:
        groups.setdefault(choice.papers, []).append(choice)
    order = sorted(groups, key=lambda names: (not names, len(names), names))
    return {names: groups[names] for names in order}


def _docstrings(
    node: _Defined, name: str, around: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Walk a module: yield each name with its docstring and those around it, outermost first."""
    if own := ast.get_docstring(node):
        around = (*around, own)
        yield name, around
    for before, line in pairwise([None, *node.body]):
        if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(line, ast.Expr):
            target = before.targets[0] if isinstance(before, ast.Assign) else before.target
            text = getattr(line.value, "value", None)
            if isinstance(text, str):  # describes a constant
                yield _dotted(name, ast.unparse(target)), (*around, inspect.cleandoc(text))
        elif isinstance(line, _Defined):
            yield from _docstrings(line, _dotted(name, line.name), around)


def _dotted(*names: str) -> str:
    return ".".join(filter(None, names))


def _texts(doc: str) -> Iterator[str]:
    """Yield each remark: up to the end of its paragraph or indentation, or to the next mark."""
    for mark in re.finditer(_MARK, doc):
        before = doc[: mark.start()].rpartition("\n")[2]
        if before.lstrip().startswith(">>>"):
            continue
        indent = " " * (len(before) - len(before.lstrip()))
        end = rf"{_MARK}|\n\s*\n|\n(?!{indent})|\n\s*(?:Source|Ambiguity|Examples?)\b"
        remark = re.split(end, doc[mark.end() :], maxsplit=1)[0]
        yield " ".join(remark.split())


def _papers(text: str) -> tuple[str, ...]:
    return tuple(paper for paper in papers() if re.search(rf"\b{paper}\b", text))
