"""Word embeddings: the texts they are trained on, training, the vectors and what is asked of them.

`citectx.embeddings.train` imports gensim and is therefore not imported here.
"""

from citectx.embeddings.vectors import (
    ARCHITECTURES,
    Architecture,
    Vectors,
    fingerprint_of,
    open_vectors,
)

__all__ = ["ARCHITECTURES", "Architecture", "Vectors", "fingerprint_of", "open_vectors"]
