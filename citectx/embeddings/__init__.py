"""Word embeddings: training texts, training (in `train`, which imports gensim), and vectors."""

from citectx.embeddings.vectors import (
    Architecture,
    Vectors,
    fingerprint_of,
    open_vectors,
    retrofit,
)

__all__ = [
    "Architecture",
    "Vectors",
    "fingerprint_of",
    "open_vectors",
    "retrofit",
]
