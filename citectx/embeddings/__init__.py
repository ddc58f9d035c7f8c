"""Word embeddings: training texts, training (in `train`, which imports gensim), and vectors."""

from citectx.embeddings.vectors import (
    ARCHITECTURES,
    Architecture,
    Vectors,
    fingerprint_of,
    open_vectors,
    retrofit,
)

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Vectors",
    "fingerprint_of",
    "open_vectors",
    "retrofit",
]
