"""Word embeddings: the texts they are trained on, training, the vectors and what is asked of them.

`citectx.embeddings.train` imports gensim and is therefore not imported here.
"""

from citectx.embeddings.store import ARCHITECTURES, DEFAULT, Architecture, fingerprint_of, open_vectors
from citectx.embeddings.vectors import Vectors, check_overlap, unit_rows

__all__ = [
    "ARCHITECTURES",
    "DEFAULT",
    "Architecture",
    "Vectors",
    "check_overlap",
    "fingerprint_of",
    "open_vectors",
    "unit_rows",
]
