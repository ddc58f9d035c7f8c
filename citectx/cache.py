"""The one cache: arrays that take long to compute are kept on disk. It may be deleted at any time.

An entry is found by the code that made it, the libraries, and the caller's key. It names the files
that it was computed from: they are checked when it is used, and noted for the run that uses it
(`citectx.reading`). An entry that is damaged, not of its form (`citectx.arrays`), or changed since
it was made, is computed again, with a warning.
"""

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from citectx import reading
from citectx.arrays import Arrays, Form, Relations, packed, read_arrays, unpacked
from citectx.code import code_digest, data_of
from citectx.errors import CitectxWarning, DataError
from citectx.paths import data_dir
from citectx.storage import digest, sha, state_of, unchanged, write_arrays

LIBRARIES = ("gensim", "numpy", "scipy", "pandas", "scikit-learn", "nltk")
"""What numbers may depend on, beside our own code."""

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
        arrays = read_arrays(file, form, partial(_unchanged, relations), **sizes)
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
