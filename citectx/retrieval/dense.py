"""Today's sentence embeddings: spans ranked by an encoder that neither paper had (beyond the papers).

The rows "Dense" and "LMD+Dense" are in a table only if requested by name, since they need
the extra ``dense`` (see `citectx.retrieval.encoders`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from citectx.errors import DataError
from citectx.retrieval.base import RetrievalModel
from citectx.retrieval.encoders import MINILM, Encoder, open_encoder
from citectx.retrieval.index import Query, SpanIndex
from citectx.retrieval.lexical import LMD
from citectx.types import Floats, Matrix


@dataclass
class Dense(RetrievalModel):
    """Cosine of the embeddings of the citance and of the span.

    Both are embedded as they are printed, stop words and all; of the citance, citation markers are taken out
    as for the other methods. A window of several sentences is embedded as one text.

    Parameters
    ----------
    encoder : str or Encoder
        Name of a sentence-transformers model (`citectx.retrieval.encoders.open_encoder`), or any object with
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
        """Return the parameters by name; an encoder is its name, its class or the last part of its path."""
        encoder = self.encoder if isinstance(self.encoder, str) else type(self.encoder).__name__
        return super().params() | {"encoder": Path(encoder).name if Path(encoder).is_dir() else encoder}

    def fingerprint(self) -> None:
        """Always None: an encoder is named, not known."""
        return

    def _fit(self, index: SpanIndex) -> None:
        self._open = open_encoder(self.encoder) if isinstance(self.encoder, str) else self.encoder
        texts = [index.candidates.text(i) for i in range(len(index.candidates))]
        self.spans: Matrix = index.remember(("dense", self._open), lambda: unit_vectors(self._open, texts))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans)."""
        texts = tuple(q.text or " ".join(q.weights) for q in queries)
        key = ("dense", self._open, texts)
        vectors = self.index.remember(key, lambda: unit_vectors(self._open, list(texts)))
        return np.asarray(vectors @ self.spans.T, dtype=np.float64)


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
            f"{type(encoder).__name__}.encode gave an array of shape {vectors.shape} for {len(texts)} texts; "
            "expected one vector of finite numbers for each"
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@dataclass
class LMDDense(Dense):
    """Sum of the language model's and the encoder's scores, each standardised over the article's spans.

    (1 − λ)·z(log p(q|d)) + λ·z(cos(q, d)), with z(x) = (x − mean) / standard deviation over the spans, for
    each citance; 0 for all where the spans do not differ.

    Log likelihoods grow with the length of the citance while cosines do not, hence the standardising: λ then
    means the same for each citance.

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

    grid: ClassVar = {"mu": LMD.grid["mu"], "weight": (0.1, 0.3, 0.5, 0.7, 0.9)}
    allowed: ClassVar = {**LMD.allowed, "weight": "[0, 1]"}

    def _fit(self, index: SpanIndex) -> None:
        super()._fit(index)
        self.lexical = LMD(self.mu).fit(index)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mixed score of all spans for each query, shape (queries, spans)."""
        lexical, dense = standardised(self.lexical.score(queries)), standardised(super().score(queries))
        return (1 - self.weight) * lexical + self.weight * dense


def standardised(scores: Floats) -> Floats:
    """Bring each row to mean 0 and standard deviation 1; a row of equal scores to 0.

    >>> standardised(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = scores.std(axis=1, keepdims=True)
    # What is left of equal scores is rounding, which must not be blown up.
    differs = spread > 1e-9 * np.maximum(np.abs(scores).max(axis=1, keepdims=True), 1)
    return np.where(differs, centred / np.where(differs, spread, 1), 0.0)
