"""Finding vectors by name: those trained on this machine, and the small ones that come with the repository.

=====================  =====================================================================
name                   vectors
=====================  =====================================================================
``general``            trained, in the architecture `DEFAULT`; the small ones if there are none
``general-cbow``       trained, in that architecture
``general-skip-gram``
``general-small``      the small ones, the same on every machine
=====================  =====================================================================
"""

from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from citectx.embeddings.texts import text_corpus
from citectx.embeddings.vectors import CARD, SMALL, Vectors, embeddings_dir, read_card
from citectx.errors import MissingDataError, unknown
from citectx.paths import DATA

Architecture = Literal["cbow", "skip-gram"]
ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)
DEFAULT: Architecture = "skip-gram"
"""What is meant where a name has no architecture; `embeddings_intrinsic` shows how the two compare."""

SMALL_VECTORS = DATA / "vectors"
"""Where the repository keeps its small vectors."""


def trained_folder(name: str, architecture: Architecture = DEFAULT) -> Path:
    """Where vectors are saved when they are trained: ``<data_dir>/embeddings/NAME-ARCHITECTURE``."""
    return embeddings_dir() / f"{name}-{architecture}"


def open_vectors(name: str) -> Vectors:
    """Read vectors by name; those read before are cached.

    Parameters
    ----------
    name : str
        A training corpus, see `citectx.embeddings.texts.CORPORA`, and perhaps an architecture or ``small``
        as in ``general-cbow``.

    Raises
    ------
    MissingDataError
        If there are none; the message holds the command that trains them.
    ParameterError
        If there is no such corpus, or the repository has no small vectors of it.
    DataError
        If the files are damaged.

    Examples
    --------
    >>> "cells" in open_vectors("biomedical-small")
    True
    """
    return _loaded(_folder(name), fingerprint_of(name))


def fingerprint_of(name: str) -> str:
    """Checksum of the vectors of a name, without reading them; raises as `open_vectors` does.

    >>> fingerprint_of("biomedical-small") == fingerprint_of("general-small")
    False
    """
    checksum: str = read_card(_folder(name))["sha256"]
    return checksum


def _folder(name: str) -> Path:
    corpus, ending = _parts(name)
    if ending != SMALL:
        trained = trained_folder(corpus, ending or DEFAULT)
        if (trained / CARD).is_file():
            return trained
    small = SMALL_VECTORS / corpus
    if ending in (SMALL, "") and (small / CARD).is_file():
        return small
    if ending == SMALL:
        raise unknown("small vectors", corpus, (path.parent.name for path in SMALL_VECTORS.glob(f"*/{CARD}")))
    architecture = ending or DEFAULT
    raise MissingDataError(
        f"there are no vectors of {text_corpus(corpus).name} in {trained}; "
        f"run: citectx embeddings train {corpus} --architecture {architecture}"
    )


def _parts(name: str) -> tuple[str, Architecture | Literal["small", ""]]:
    """Take a name apart: corpus, and what follows the last hyphen if that is an ending we know."""
    for ending in (*ARCHITECTURES, SMALL):
        if name.endswith(f"-{ending}"):
            return name.removesuffix(f"-{ending}"), ending
    return name, ""


@lru_cache(maxsize=4)
def _loaded(folder: Path, sha256: str) -> Vectors:  # noqa: ARG001 - new vectors have another checksum
    return Vectors.load(folder)
