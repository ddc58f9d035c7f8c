r"""What the package's files say without being imported: modules, open choices, and which experiment
made a table.

A choice that a paper leaves open is an ``Ambiguity:`` line of a docstring.

>>> source = "def f():\n    'Count words. Source: acl2008 §3. Ambiguity: which. All.'"
>>> [(a.name, a.papers, a.text) for a in in_source(source, "citectx.demo")]
[('f', ('acl2008',), 'which. All.')]
"""

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from citectx.paths import NOTEBOOKS, PACKAGE, RESULTS

PAPERS = ("acl2008", "lrec2016", "naacl2015", "sigir2017")

# Not behind a backtick: there the word is spoken of, not used. "Source:" begins a remark of its
# own.
_MARK = r"(?<!`)\bAmbiguity:\s+"


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


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Return the files of a package's modules by their full names, sorted; scripts are left out."""
    found = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return {name: found[name] for name in sorted(found) if not name.endswith("__main__")}


def ambiguities(package: Path = PACKAGE) -> list[Ambiguity]:
    """Read the choices in all modules of a package, in the order of their names."""
    return [
        one
        for module, path in modules(package).items()
        for one in in_source(path.read_text("utf-8"), module)
    ]


def in_source(source: str, module: str) -> list[Ambiguity]:
    """Find the choices in the docstrings of one module.

    A choice belongs to the papers that its text names, else to those that its docstring names, else
    to those of the docstrings around it.
    """
    found = []
    for name, docs in _docstrings(ast.parse(source), "", ()) if re.search(_MARK, source) else ():
        for text in _texts(docs[-1]):
            named = (papers for doc in (text, *reversed(docs)) if (papers := _papers(doc)))
            found.append(Ambiguity(module, name, next(named, ()), text))
    return found


def docstring(source: str) -> str:
    """Return the docstring of a module, without parsing what follows it; "" if it has none."""
    head = re.match(r'\s*r?""".*?"""', source, re.DOTALL)
    return (ast.get_docstring(ast.parse(head[0].strip())) if head else None) or ""


def by_papers(found: Iterable[Ambiguity]) -> dict[tuple[str, ...], list[Ambiguity]]:
    """Group choices by the papers they concern: single papers first, choices without a paper
    last.
    """
    groups: dict[tuple[str, ...], list[Ambiguity]] = {}
    for choice in found:
        groups.setdefault(choice.papers, []).append(choice)
    return dict(sorted(groups.items(), key=lambda item: (not item[0], len(item[0]), item[0])))


def _docstrings(
    node: Any, name: str, around: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Walk a module: name, and the docstring with those around it, outermost first."""
    if own := ast.get_docstring(node):
        around = (*around, own)
        yield name, around
    for before, line in pairwise([None, *node.body]):
        if isinstance(before, ast.Assign | ast.AnnAssign) and is_text(line):  # describes a constant
            target = before.targets[0] if isinstance(before, ast.Assign) else before.target
            yield (
                f"{name}.{ast.unparse(target)}".lstrip("."),
                (*around, inspect.cleandoc(line.value.value)),
            )
        if isinstance(line, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(line, f"{name}.{line.name}".lstrip("."), around)


def _texts(doc: str) -> Iterator[str]:
    """Return each remark from its mark to the end of its paragraph or indentation, or to the next
    mark.
    """
    for mark in re.finditer(_MARK, doc):
        before = doc[: mark.start()].rpartition("\n")[2]
        if not before.lstrip().startswith(">>>"):
            indent = " " * (len(before) - len(before.lstrip()))
            end = rf"{_MARK}|\n\s*\n|\n(?!{indent})|\n\s*(?:Source|Ambiguity|Examples?)\b"
            yield " ".join(re.split(end, doc[mark.end() :], maxsplit=1)[0].split())


def _papers(text: str) -> tuple[str, ...]:
    return tuple(paper for paper in PAPERS if re.search(rf"\b{paper}\b", text))


class Experiment(NamedTuple):
    """A function that leaves a table behind.

    Parameters
    ----------
    name : str
        Of its files: ``NAME.csv``, ``NAME.citances.csv.gz``.
    module : str
    about : str
        First line of the module's docstring.
    notebooks : tuple of str
        Names of the notebooks that run it, or what runs it, without the ending.
    files : tuple of str
        What it has left in the results, by name.
    command : str
        What makes its tables; the function to call where no command does.
    """

    name: str
    module: str
    about: str
    notebooks: tuple[str, ...]
    files: tuple[str, ...]
    command: str


def experiments(
    results: Path = RESULTS / "open", notebooks: Path = NOTEBOOKS, papers: Path = PACKAGE / "papers"
) -> list[Experiment]:
    """List the experiments, without importing them: those are the names of tables that modules of
    papers set.

    Parameters
    ----------
    results, notebooks, papers : Path
        Where tables, notebooks and experiments are.
    """
    used = {path.stem: imported_by(path) for path in sorted(notebooks.glob("[0-9][0-9]_*.ipynb"))}
    sources = {
        (path.parent.name, path.stem): path.read_text("utf-8")
        for path in sorted(papers.glob("*/*.py"))
    }
    wanted = {
        f"citectx.papers.{'.'.join(place)}": imported(ast.parse(text))
        for place, text in sources.items()
    }
    found = []
    for (paper, stem), source in sources.items():
        module = f"citectx.papers.{paper}.{stem}"
        direct = [n for n, names_used in used.items() if module in names_used]
        through = [
            n
            for n, names_used in used.items()
            if any(module in wanted.get(m, ()) for m in names_used)
        ]
        about = docstring(source).partition("\n")[0]
        for name in re.findall(
            r'"(\w+_\w+)"', " ".join(re.findall(r'^[A-Z_, ]+ = (\(?".*)$', source, re.MULTILINE))
        ):
            files = tuple(p.name for p in sorted(results.glob(f"{name}.*")) if p.is_file())
            option = name.partition("_")[2]
            if f'"{option}"' in sources.get((paper, "__main__"), ""):
                found.append(
                    Experiment(
                        name, module, about, (), files, f"python -m citectx.papers.{paper} {option}"
                    )
                )
            elif files or name.startswith(f"{paper}_"):
                named = [
                    n
                    for n in direct
                    if f"{stem}.{option}(" in (notebooks / f"{n}.ipynb").read_text("utf-8")
                ]
                runs = tuple(named or direct or through)
                script = f"python -m {module}" if "__main__" in source else f"{module}.run"
                made = f"citectx run --profile open --only {runs[0][:2]}" if runs else script
                found.append(Experiment(name, module, about, runs, files, made))
    return found


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
