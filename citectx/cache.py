"""Results that take long are kept on disk, in a folder that may be deleted at any time.

A result is found again by the caller's key, the code that computed it, the data that comes with the
package, the versions of the libraries, and the BLAS kernel.
"""

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citectx import blas
from citectx.errors import DataError
from citectx.paths import DATA, PACKAGE, data_dir
from citectx.storage import digest, read_arrays, sha256, write_arrays

Arrays: TypeAlias = dict[str, NDArray[Any]]

LIBRARIES = ("gensim", "numpy", "scipy", "pandas", "scikit-learn", "nltk")
"""What numbers may depend on, beside our own code."""

TEXTS = (".md", ".py", ".pyc")
"""Files in ``data/`` that change no number."""

IMPORT = r"(?m)^[ \t]*(?:from|import) (citectx[\w.]*)(?: import (\([^)]*\)|[^\n]*))?"


def cached(kind: str, module: str, key: object, compute: Callable[[], Mapping[str, Any]]) -> Arrays:
    """Return the arrays that are kept under a key; compute and keep them if there are none.

    `kind` is the folder of the file, `module` the ``__name__`` of the module that computes: its
    source counts, as does that of the package's modules that it imports. `key` is what else the
    arrays depend on, as `repr` shows it; large arguments as fingerprints.

    A damaged file is computed again, with a warning. Where nothing can be written, nothing is kept.

    >>> cached("squares", __name__, 3, lambda: {"square": 9})["square"].item()
    9
    """
    file = place(kind, module, key)
    if file.is_file():
        try:
            return read_arrays(file)
        except DataError as error:
            warnings.warn(f"computed again: {error}", stacklevel=2)
    arrays = {name: np.asarray(values) for name, values in compute().items()}
    # a disk that is full or read-only costs time, no result
    with suppress(OSError):
        write_arrays(file, **arrays)
    return arrays


def place(kind: str, module: str, key: object) -> Path:
    """Return the file of a key, in the folder CITECTX_CACHE, else ``cache`` in the data folder."""
    folder = Path(os.environ.get("CITECTX_CACHE") or data_dir() / "cache")
    name = digest((code(module), surroundings(), key))
    return folder / kind / f"{name}.npz"


@cache
def surroundings() -> str:
    """Hash the data that comes with the package, in ``data/`` and as lists, and the libraries.

    So is the BLAS kernel that was chosen (`citectx.blas`), as it moves last digits.
    """
    files = {*DATA.rglob("*"), *PACKAGE.rglob("*.txt")}
    data = [path for path in sorted(files) if path.is_file() and path.suffix not in TEXTS]
    # names without folders: a wheel has them elsewhere than a checkout
    hashes = [(path.name, sha256(path)) for path in data]
    return digest([*hashes, *map(version, LIBRARIES), os.environ.get(blas.VARIABLE)])


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
    whole = PACKAGE.parent / module.replace(".", "/")
    files = (whole.with_suffix(".py"), whole / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def imports(source: str) -> Iterator[str]:
    r"""Yield what a module may import of the package, at its top or inside functions.

    >>> list(imports("from citectx.errors import (\n    DataError,\n)"))
    ['citectx.errors', 'citectx.errors.DataError']
    """
    for module, names in re.findall(IMPORT, source):
        yield module
        for name in re.findall(r"\w+", names):
            yield f"{module}.{name}"
