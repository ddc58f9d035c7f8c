r"""What the papers leave open: every ``Ambiguity:`` line of the package's docstrings, found without import.

>>> source = "def f():\n    'Count words. Source: acl2008 §3. Ambiguity: which. All.'"
>>> [(a.where, a.papers, a.text) for a in in_source(source, "citectx.demo")]
[('citectx.demo.f', ('acl2008',), 'which. All.')]
"""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
PAPERS = ("acl2008", "lrec2016", "naacl2015", "sigir2017")

# Not behind a backtick: there the word is spoken of, not used. "Source:" begins a remark of its own.
_MARK = re.compile(r"(?<!`)\bAmbiguity:\s+")
_OTHER = re.compile(r"^\s*(Source|Ambiguity|Examples?|>>>)\b", re.MULTILINE)


@dataclass(frozen=True)
class Ambiguity:
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

    @property
    def where(self) -> str:
        """Full name of what the docstring belongs to."""
        return f"{self.module}.{self.name}" if self.name else self.module


def collect(package: Path = PACKAGE) -> list[Ambiguity]:
    """Read all modules of a package, in the order of their names.

    Parameters
    ----------
    package : Path
        Its folder, named like the package.

    Raises
    ------
    SyntaxError
        If a module is not Python.
    """
    return [choice for module, path in files(package).items() for choice in in_source(path.read_text("utf-8"), module)]


def files(package: Path = PACKAGE) -> dict[str, Path]:
    """Return the files of a package's modules by their full names, sorted; scripts are left out."""
    found = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return {name: found[name] for name in sorted(found) if not name.endswith("__main__")}


def in_source(source: str, module: str) -> list[Ambiguity]:
    """Find the choices in the docstrings of one module.

    A choice belongs to the papers that its text names, else to those that its docstring names, else to those
    of the docstrings around it.
    """
    found = []
    for name, docs in _docstrings(ast.parse(source), "", ()):
        for text in _texts(docs[-1]):
            named = (papers for doc in (text, *reversed(docs)) if (papers := _papers(doc)))
            found.append(Ambiguity(module, name, next(named, ()), text))
    return found


def by_papers(found: Iterable[Ambiguity]) -> dict[tuple[str, ...], list[Ambiguity]]:
    """Group choices by the papers they concern: single papers first, choices without a paper last."""
    groups: dict[tuple[str, ...], list[Ambiguity]] = {}
    for choice in found:
        groups.setdefault(choice.papers, []).append(choice)
    return dict(sorted(groups.items(), key=lambda item: (not item[0], len(item[0]), item[0])))


def _docstrings(node: ast.AST, name: str, around: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Walk a module: name, and the docstring with those around it, outermost first."""
    body = getattr(node, "body", [])
    own = _string(body[0]) if body else None
    inner = around if own is None else (*around, own)
    if own is not None:
        yield name, inner
    for before, statement in zip([None, *body], body, strict=False):
        text = _string(statement)
        if text is not None and isinstance(before, ast.Assign | ast.AnnAssign):  # describes a constant
            target = before.targets[0] if isinstance(before, ast.Assign) else before.target
            yield _dotted(name, ast.unparse(target)), (*inner, text)
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(statement, _dotted(name, statement.name), inner)


def _string(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        return inspect.cleandoc(value) if isinstance(value, str) else None
    return None


def _dotted(*names: str) -> str:
    return ".".join(name for name in names if name)


def _texts(doc: str) -> Iterator[str]:
    """Return each remark from its mark to the end of its paragraph or indentation, or to the next mark."""
    for mark in _MARK.finditer(doc):
        lines = _MARK.split(doc[mark.end() :])[0].splitlines()
        first = doc[doc.rfind("\n", 0, mark.start()) + 1 :].splitlines()[0]
        if first.lstrip().startswith(">>>"):
            continue
        indent = _indent(first)
        kept = lines[:1]
        for line in lines[1:]:
            if not line.strip() or _indent(line) < indent or _OTHER.match(line):
                break
            kept.append(line)
        yield " ".join(" ".join(kept).split())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _papers(text: str) -> tuple[str, ...]:
    return tuple(paper for paper in PAPERS if re.search(rf"\b{paper}\b", text))
