"""Files of embeddings: where they are, written whole or not at all, words and matrices without pickle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.sources import data_dir
from citectx.errors import DataError
from citectx.storage import read_object
from citectx.types import Matrix

Precision = Literal["float32", "int8"]
ARRAYS, CARD = "vectors.npz", "card.json"
"""Files in a folder of vectors."""

SMALL: Literal["small"] = "small"
"""Ending of the names of vectors made by `citectx.embeddings.small`."""

TINY = np.finfo(np.float32).tiny


def embeddings_dir() -> Path:
    """Folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


def encoded(name: str, matrix: Matrix, precision: Precision) -> dict[str, NDArray[Any]]:
    """Return the arrays that keep a matrix in some precision; with int8 each row has a scale.

    >>> arrays = encoded("matrix", np.array([[2.0, -1.0]], dtype=np.float32), "int8")
    >>> arrays["matrix"].tolist(), decoded("matrix", arrays).round(2).tolist()
    ([[127, -64]], [[2.0, -1.0099999904632568]])
    """
    if precision != "int8":
        return {name: matrix}
    scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), TINY) / np.float32(127)
    return {name: np.rint(matrix / scale).astype(np.int8), f"{name}_scale": scale}


def decoded(name: str, arrays: Mapping[str, NDArray[Any]]) -> Matrix:
    """Undo `encoded`, shape (n, d)."""
    matrix: Matrix = arrays[name].astype(np.float32)
    return matrix * arrays[f"{name}_scale"] if f"{name}_scale" in arrays else matrix


def read_card(folder: Path) -> dict[str, Any]:
    """Read ``card.json``.

    Raises
    ------
    DataError
        If it is no JSON object, or lacks what `Vectors.load` needs.
    """
    path = Path(folder) / CARD
    card = read_object(path)
    if missing := [key for key in ("words", "dimensions", "sha256") if key not in card]:
        raise DataError(f"lacks {', '.join(missing)}; expected a card written by Vectors.save", file=path)
    return card


def name_of(card: Mapping[str, Any]) -> str:
    """Name of the vectors that a card describes.

    >>> name_of({"name": "general", "architecture": "cbow"}), name_of({"name": "general", "taken_from": 9})
    ('general-cbow', 'general-small')
    """
    if "name" not in card:
        return "vectors"
    return f"{card['name']}-{SMALL if 'taken_from' in card else card.get('architecture', 'trained')}"
