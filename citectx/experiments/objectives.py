"""What each variant of a method reaches on each topic: computed once, then kept on disk.

Several notebooks and the viewer choose among the same variants on the same topics; an interrupted one goes
on where it stopped. Kept numbers are used only where everything that they follow from is the same: the
package's code and data, the libraries, the topics and how they were prepared, the variants, and the vectors
that these read (`citectx.retrieval.RetrievalModel.fingerprint`).
"""

import io
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citectx.corpora.sources import data_dir
from citectx.experiments.tables import LIBRARIES, code_digest, digest, write_atomically
from citectx.retrieval import RetrievalModel
from citectx.spans import Floats

if TYPE_CHECKING:
    from citectx.experiments.contextualization import Prepared


def folder() -> Path:
    """Where the numbers are kept: ``<data_dir>/tuning``; it may be deleted at any time."""
    return data_dir() / "tuning"


def sums_of(topics: Sequence["Prepared"], variants: Sequence[RetrievalModel]) -> Floats:
    """Add up the objective over the citances of each topic, for each variant.

    Returns
    -------
    float array, shape (variants, topics)
    """
    described = [variant.fingerprint() for variant in variants]
    if None in described:
        return _computed(topics, variants)
    key = digest(_environment(), [topic.fingerprint for topic in topics], described)
    path = folder() / f"{key}.npy"
    kept = _read(path, (len(variants), len(topics)))
    if kept is None:
        kept = _computed(topics, variants)
        _write(path, kept)
    return kept


def _computed(topics: Sequence["Prepared"], variants: Sequence[RetrievalModel]) -> Floats:
    return np.array([[topic.objective(v).sum() for topic in topics] for v in variants], dtype=np.float64)


@cache
def _environment() -> tuple[str, ...]:
    return code_digest(), *(f"{name} {version(name)}" for name in LIBRARIES)


def _read(path: Path, shape: tuple[int, int]) -> Floats | None:
    """Read what is kept; a damaged file is as good as none."""
    try:
        found: Floats = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found if found.shape == shape and np.isfinite(found).all() else None


def _write(path: Path, sums: Floats) -> None:
    buffer = io.BytesIO()
    np.save(buffer, sums, allow_pickle=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, buffer.getvalue())
    except OSError:  # no room, or a folder that may only be read: then the next run computes it again
        return
