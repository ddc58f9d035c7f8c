"""Results that take long are kept on disk, in a folder that may be deleted at any time.

A result is found again by the caller's key, the code that computed it, the data that comes with the
package, and the versions of the libraries.
"""

import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citectx import reading
from citectx.arrays import Form, Relations
from citectx.arrays import read_arrays as read_of_form
from citectx.code import code_digest, data_of
from citectx.errors import CitectxWarning, DataError
from citectx.paths import DATA, PACKAGE, data_dir
from citectx.storage import (
    digest,
    packed,
    read_arrays,
    sha,
    sha256,
    state_of,
    unchanged,
    unpacked,
    write_arrays,
)

Arrays: TypeAlias = dict[str, NDArray[Any]]

LIBRARIES = ("gensim", "numpy", "scipy", "pandas", "scikit-learn", "nltk")
"""What numbers may depend on, beside our own code."""

TEXTS = (".md", ".py", ".pyc")
"""Files in ``data/`` that change no number."""

IMPORT = re.compile(
    r"^[ \t]*(?:from|import) (citectx[\w.]*)(?: import (\([^)]*\)|[^\n]*))?", re.MULTILINE
)


def cached(kind: str, module: str, key: object, compute: Callable[[], Mapping[str, Any]]) -> Arrays:
    """Return the arrays that are kept under a key; compute and keep them if there are none.

    A damaged file is computed again, with a warning. Where nothing can be written, nothing is kept.

    Parameters
    ----------
    kind : str
        Folder of the file.
    module : str
        ``__name__`` of the module that computes: its source counts, and that of the package's
        modules that it imports.
    key : object
        What else the arrays depend on, as `repr` shows it; large arguments as fingerprints.
    compute : callable
        Returns the arrays by name.

    Examples
    --------
    >>> cached("squares", __name__, 3, lambda: {"square": 9})["square"].item()
    9
    """
    file = place(kind, module, key)
    if file.is_file():
        try:
            return read_arrays(file)
        except DataError as error:
            warnings.warn(f"computed again: {error}", CitectxWarning, stacklevel=2)
    arrays = {name: np.asarray(values) for name, values in compute().items()}
    with suppress(OSError):
        write_arrays(file, **arrays)
    return arrays


def place(kind: str, module: str, key: object) -> Path:
    """Return the file of a key, in the folder CITECTX_CACHE, else ``cache`` in the data folder."""
    folder = Path(os.environ.get("CITECTX_CACHE") or data_dir() / "cache")
    name = digest(code(module), surroundings(), key)
    return folder / kind / f"{name}.npz"


@cache
def surroundings() -> str:
    """Hash the data that comes with the package, in ``data/`` and as lists, and the libraries."""
    files = {*DATA.rglob("*"), *PACKAGE.rglob("*.txt")}
    data = [path for path in sorted(files) if path.is_file() and path.suffix not in TEXTS]
    versions = [version(name) for name in LIBRARIES]
    return digest([(path.name, sha256(path)) for path in data], versions)


@cache
def code(module: str) -> str:
    """Hash the source of a module and of all modules of the package that it imports, in turn."""
    sources = {"citectx": ""}  # the door, which would lead everywhere
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in sources and (file := source_file(name)):
            sources[name] = file.read_text("utf-8")
            todo += imports(sources[name])
    return digest(sorted(sources.items()))


def source_file(module: str) -> Path | None:
    """Find the source of a module of the package; None for the names of anything else."""
    whole = PACKAGE.parent.joinpath(*module.split("."))
    files = (whole.with_suffix(".py"), whole / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def imports(source: str) -> Iterator[str]:
    r"""Yield what a module may import of the package, at its top or inside functions.

    >>> list(imports("from citectx.errors import (\n    DataError,\n)"))
    ['citectx.errors', 'citectx.errors.DataError']
    """
    for module, names in IMPORT.findall(source):
        yield module
        for name in re.findall(r"\w+", names):
            yield f"{module}.{name}"


# For rooms that are being replaced; goes with them.

_READ = "files read"
"""Array of an entry: the files it was computed from and their state then, the hash of the rest."""


@dataclass(frozen=True)
class Cache:
    """Results of one kind, in a folder of their own below `folder`.

    Parameters
    ----------
    name : str
        The folder.
    module : str
        ``__name__`` of the module that computes them: with all that it imports it is part of the
        key.
    form : mapping of str to str
        What the arrays are, see `citectx.arrays`; an entry with others is damaged.

    Examples
    --------
    >>> squares = Cache("squares", __name__, {"square": "i8"})
    >>> squares.get((3,), lambda: {"square": np.array(9)})["square"].item()
    9
    """

    name: str
    module: str
    form: Form

    def get(
        self,
        key: tuple[object, ...],
        compute: Callable[[], Mapping[str, Any]],
        relations: Relations | None = None,
        **sizes: int,
    ) -> Arrays:
        """Return the arrays that are kept under a key; compute and keep them if there are none.

        Parameters
        ----------
        key : tuple
            What the arrays depend on besides the code; what `repr` shows of it counts. Large
            arguments go in as fingerprints.
        compute : callable
            Returns the arrays by name. Where nothing can be written, it is called each time.
        relations, sizes
            What else must hold of a kept entry, see `citectx.arrays.read_arrays`.
        """
        beside = data_of(self.module)
        reading.add(beside)
        file = self.file(key)
        if file.is_file():
            try:
                if (kept := self._read(file, relations, sizes)) is not None:
                    return kept
            except DataError as error:
                warnings.warn(f"computed again: {error}", CitectxWarning, stacklevel=2)
        with reading.recording() as seen:
            arrays = {name: np.asarray(values) for name, values in compute().items()}
        covered = tuple(name.removesuffix("**") for name in beside)  # by the code's hash
        states = [[name, state_of(name)] for name in seen if not name.startswith(covered)]
        stored: dict[str, Any] = {**arrays, _READ: packed([json.dumps(states), _hash(arrays)])}
        with suppress(OSError):
            write_arrays(file, **stored)
        return arrays

    def file(self, key: tuple[object, ...]) -> Path:
        """Return where the entry of a key is kept."""
        code = code_digest(self.module)
        return folder() / self.name / f"{digest(code, libraries(), key)}.npz"

    def _read(
        self, file: Path, relations: Relations | None, sizes: Mapping[str, int]
    ) -> Arrays | None:
        """Read an entry; None if a file that it was computed from has changed."""
        form = {_READ: "text 2", **self.form}
        arrays = read_of_form(file, form, partial(_unchanged, relations), **sizes)
        states, _ = unpacked(arrays.pop(_READ))
        try:
            pairs = [(str(name), str(state)) for name, state in json.loads(states)]
            reading.add(name for name, _ in pairs)
            current = unchanged(pairs)
        except (ValueError, TypeError, RecursionError) as error:
            raise DataError("does not say what it was computed from", file=file) from error
        return arrays if current else None


def _unchanged(relations: Relations | None, stored: Arrays) -> Iterator[tuple[str, Any, str]]:
    """Expect what was written, and what its reader expects."""
    arrays = {name: values for name, values in stored.items() if name != _READ}
    expected = unpacked(stored[_READ])[1]
    yield _READ, _hash(arrays) == expected, "the hash of the other arrays; one of them was changed"
    yield from relations(arrays) if relations else ()


def _hash(arrays: Arrays) -> str:
    found = ((n, a.dtype.str, a.shape, sha(a.tobytes())) for n, a in sorted(arrays.items()))
    return digest([*found])


def folder() -> Path:
    """Return where all entries are: CITECTX_CACHE, else ``cache`` below the data folder."""
    return Path(os.environ.get("CITECTX_CACHE") or data_dir() / "cache")


@cache
def libraries() -> tuple[str, ...]:
    """Return `LIBRARIES` with their versions."""
    return tuple(f"{name} {version(name)}" for name in LIBRARIES)
