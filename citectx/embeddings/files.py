"""Files of embeddings: where they are, written whole or not at all, words and matrices without pickle."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.sources import data_dir
from citectx.errors import DataError

Matrix = NDArray[np.float32]
Precision = Literal["float32", "float16", "int8"]
ARRAYS, CARD = "vectors.npz", "card.json"
"""Files in a folder of vectors."""

SMALL: Literal["small"] = "small"
"""Ending of the names of vectors made by `citectx.embeddings.small`."""

TINY = np.finfo(np.float32).tiny


def embeddings_dir() -> Path:
    """Folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside `path`; what was written there takes its place at the end.

    After an error nothing is left, and what was there before stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "note.txt")) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     Path(folder, "note.txt").read_text(), len(list(Path(folder).iterdir()))
    ('whole', 1)
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packed(words: Iterable[str]) -> NDArray[np.uint8]:
    """Pack strings without line breaks into bytes: numpy's own string arrays take four bytes a letter.

    >>> unpacked(packed(["cell", "Zürich"]))
    ('cell', 'Zürich')
    """
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo `packed`."""
    return tuple(bytes(array).decode().split("\n"))


def encoded(name: str, matrix: Matrix, precision: Precision) -> dict[str, NDArray[Any]]:
    """Give the arrays that keep a matrix in some precision; with int8 each row has a scale.

    >>> arrays = encoded("matrix", np.array([[2.0, -1.0]], dtype=np.float32), "int8")
    >>> arrays["matrix"].tolist(), decoded("matrix", arrays).round(2).tolist()
    ([[127, -64]], [[2.0, -1.0099999904632568]])
    """
    if precision != "int8":
        return {name: matrix.astype(precision)}
    scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), TINY) / np.float32(127)
    return {name: np.rint(matrix / scale).astype(np.int8), f"{name}_scale": scale}


def decoded(name: str, arrays: Mapping[str, NDArray[Any]]) -> Matrix:
    """Undo `encoded`, shape (n, d)."""
    matrix: Matrix = arrays[name].astype(np.float32)
    return matrix * arrays[f"{name}_scale"] if f"{name}_scale" in arrays else matrix


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file, refusing pickled objects.

    Raises
    ------
    DataError
        If the file is truncated, no npz, or holds objects.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        raise DataError(f"is not a whole npz file of plain arrays ({error})", file=path) from error


def read_card(folder: Path) -> dict[str, Any]:
    """Read ``card.json``.

    Raises
    ------
    DataError
        If it is no JSON object, or lacks what `Vectors.load` needs.
    """
    path = Path(folder) / CARD
    try:
        card = json.loads(path.read_text("utf-8"))
        missing = [key for key in ("words", "dimensions", "sha256") if key not in card]
    except (ValueError, TypeError) as error:
        raise DataError(f"is not a JSON object ({error})", file=path) from error
    if missing:
        raise DataError(f"lacks {', '.join(missing)}; expected a card written by Vectors.save", file=path)
    return dict(card)


def name_of(card: Mapping[str, Any]) -> str:
    """Name of the vectors that a card describes.

    >>> name_of({"name": "general", "architecture": "cbow"}), name_of({"name": "general", "taken_from": 9})
    ('general-cbow', 'general-small')
    """
    if "name" not in card:
        return "vectors"
    return f"{card['name']}-{SMALL if 'taken_from' in card else card.get('architecture', 'trained')}"
