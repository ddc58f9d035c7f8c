"""Which code a result depends on: hashes that no docstring, comment or layout changes."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import CodeType

from citectx.paths import BUNDLED, DATA, PACKAGE
from citectx.storage import digest, state_of

LOOKS = (".css", ".html", ".js", ".md", ".mplstyle", ".j2")
"""Files of the package that change how something looks, and no number."""

EMBEDDED = ("idf", "nounphrases", "vectors")
"""Folders of what was learnt from texts and comes with the package."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from|import) (citectx[\w.]*)(?: import (\([^)]*\)|[^\n]*))?", re.MULTILINE
)


def code_digest(*modules: str) -> str:
    """Hash the code of some modules and of all that they import, with the data beside it.

    Parameters
    ----------
    *modules : str
        Full names, such as ``citectx.experiments.tuning``.

    Returns
    -------
    str
        Changes with any statement of these modules, and with the data that `data_of` names.
    """
    code = [(name, module_digest(files()[name])) for name in sorted(closure(modules))]
    data = [(_named(name), state_of(name)) for name in data_of(*modules)]
    return digest(code, data)


def data_of(*modules: str) -> list[str]:
    """Name the data that the code of some modules may read.

    Returns
    -------
    list of str
        As `citectx.reading.noted` has them: the files in the modules' folders that are neither code
        nor one of `LOOKS`, and the folders of `EMBEDDED`.
    """
    folders = {files()[name].parent for name in closure(modules)}
    beside = (path for folder in sorted(folders) for path in sorted(folder.iterdir()))
    data = [p for p in beside if p.is_file() and p.suffix not in (".py", ".typed", *LOOKS)]
    return [*map(str, data), *(f"{DATA / name}/**" for name in EMBEDDED)]


def _named(name: str) -> str:
    """Name a file the same on every machine."""
    return name.removeprefix(str(PACKAGE)).removeprefix(str(DATA))


@cache
def module_digest(path: Path) -> str:
    """Hash what a module's source compiles to, without docstrings, assertions and line numbers."""
    compiled = compile(path.read_bytes(), "", "exec", dont_inherit=True, optimize=2)
    return digest(_content(compiled))


def _content(code: CodeType) -> tuple[object, ...]:
    """Return all of a code object that decides what it does."""
    constants = tuple(
        _content(c) if isinstance(c, CodeType) else _stable(c) for c in code.co_consts
    )
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return (code.co_name, arguments, names, constants, code.co_code, code.co_exceptiontable)


def _stable(constant: object) -> object:
    """Give a set an order: its own differs from process to process."""
    return sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant)


def closure(modules: Iterable[str]) -> set[str]:
    """Return modules with all modules of the package that they import, directly or not.

    >>> "citectx.errors" in closure(["citectx.storage"])
    True
    """
    found: set[str] = set()
    todo = [name for name in modules if name in files()]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            parents = {name.rsplit(".", i)[0] for i in range(1, name.count("."))}
            todo += parents | imports_of(files()[name])
    return found


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Return the modules of the package that a module may import, wherever in it."""
    found = set()
    for base, names in _IMPORT.findall(path.read_text("utf-8")):
        words = re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names))
        found |= {base, *(f"{base}.{word}" for word in words)}
    return frozenset(found & files().keys() - {"citectx"})


@cache
def files() -> dict[str, Path]:
    """Map the name of each module to its file."""
    found = (p for p in sorted(PACKAGE.rglob("*.py")) if not p.is_relative_to(BUNDLED))
    named = {p.relative_to(PACKAGE.parent).with_suffix(""): p for p in found}
    return {".".join(name.parts).removesuffix(".__init__"): p for name, p in named.items()}
