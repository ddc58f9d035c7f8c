"""The one cache: arrays that take long to compute are kept on disk. It may be deleted at any time.

An entry is found by the code that made it, the libraries, and the caller's key. It names the files
that it was computed from: they are checked when it is used, and noted for the run that uses it
(`citectx.reading`). A damaged entry is computed again, with a warning.
"""

import json
import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citectx import reading
from citectx.code import code_digest, data_of
from citectx.errors import CitectxWarning, DataError
from citectx.paths import data_dir
from citectx.storage import digest, packed, read_arrays, state_of, unchanged, unpacked, write_arrays

Arrays: TypeAlias = dict[str, NDArray[Any]]
LIBRARIES = ("gensim", "numpy", "scipy", "pandas", "scikit-learn", "nltk")
"""What numbers may depend on, beside our own code."""

_READ = "files read"
"""Array of an entry that names the files it was computed from, and their state then."""


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
    dimensions : mapping of str to int, optional
        Dimensions of each array; if given, an entry with others is damaged.
    finite : bool
        Whether numbers that are infinite or NaN are damage.

    Examples
    --------
    >>> squares = Cache("squares", __name__, {"square": 0})
    >>> squares.get((3,), lambda: {"square": np.array(9)})["square"].item()
    9
    """

    name: str
    module: str
    dimensions: Mapping[str, int] | None = None
    finite: bool = True

    def get(self, key: tuple[object, ...], compute: Callable[[], Mapping[str, Any]]) -> Arrays:
        """Return the arrays that are kept under a key; compute and keep them if there are none.

        Parameters
        ----------
        key : tuple
            What the arrays depend on besides the code; what `repr` shows of it counts. Large
            arguments go in as fingerprints.
        compute : callable
            Returns the arrays by name. Where nothing can be written, it is called each time.
        """
        beside = data_of(self.module)
        reading.add(beside)
        file = self.file(key)
        if file.is_file():
            try:
                if (kept := self._read(file)) is not None:
                    return kept
            except DataError as error:
                warnings.warn(f"computed again: {error}", CitectxWarning, stacklevel=2)
        with reading.recording() as seen:
            arrays = {name: np.asarray(values) for name, values in compute().items()}
        covered = tuple(name.removesuffix("**") for name in beside)  # by the code's hash
        states = [[name, state_of(name)] for name in seen if not name.startswith(covered)]
        stored: dict[str, Any] = {**arrays, _READ: packed([json.dumps(states)])}
        with suppress(OSError):
            write_arrays(file, **stored)
        return arrays

    def file(self, key: tuple[object, ...]) -> Path:
        """Return where the entry of a key is kept."""
        code = code_digest(self.module)
        return folder() / self.name / f"{digest(code, libraries(), key)}.npz"

    def _read(self, file: Path) -> Arrays | None:
        """Read an entry; None if a file that it was computed from has changed."""
        arrays = read_arrays(file)
        try:
            states = json.loads(unpacked(arrays.pop(_READ))[0])
            current = unchanged(states)
            reading.add(name for name, _ in states)
        except (KeyError, ValueError, TypeError) as error:
            raise DataError("does not say what it was computed from", file=file) from error
        if not current:
            return None
        self._check(arrays, file)
        return arrays

    def _check(self, arrays: Arrays, file: Path) -> None:
        found = {name: values.ndim for name, values in arrays.items()}
        if self.dimensions is not None and found != dict(self.dimensions):
            raise DataError(
                f"expected arrays of {dict(self.dimensions)} dimensions, found {found}", file=file
            )
        for name, values in arrays.items():
            if self.finite and values.dtype.kind == "f" and not np.isfinite(values).all():
                raise DataError(f"{name} holds numbers that are not finite", file=file)


def folder() -> Path:
    """Return where all entries are: CITECTX_CACHE, else ``cache`` below the data folder."""
    return Path(os.environ.get("CITECTX_CACHE") or data_dir() / "cache")


@cache
def libraries() -> tuple[str, ...]:
    """Return `LIBRARIES` with their versions."""
    return tuple(f"{name} {version(name)}" for name in LIBRARIES)
