"""Small vectors for the repository: the most frequent words of large ones."""

from collections.abc import Iterable

import numpy as np

from citectx.embeddings.vectors import Vectors
from citectx.errors import ParameterError


def small(vectors: Vectors, n_words: int, *, keep: Iterable[str] = (), dimensions: int | None = None) -> Vectors:
    """Keep the most frequent words, and fewer dimensions if wanted.

    Parameters
    ----------
    vectors : Vectors
    n_words : int
        How many words to keep, those in `keep` included.
    keep : iterable of str
        Words to keep however rare they are, as far as they are known.
    dimensions : int, optional
        Project both matrices on this many principal axes of the two together, without centring: dot products,
        also those of input with output vectors, then change as little as possible.

    Raises
    ------
    ParameterError
        If `keep` alone has more words than `n_words`, or fewer than one is asked for.

    Examples
    --------
    >>> large = Vectors(("cells", "rest", "quiescent"), np.eye(3, dtype=np.float32))
    >>> small(large, 2, keep=["quiescent"]).words
    ('cells', 'quiescent')
    """
    wanted = {vectors.index[word] for word in keep if word in vectors}
    if n_words < max(1, len(wanted)):
        raise ParameterError(f"n_words={n_words} must be at least 1, and {len(wanted)} for the words to keep")
    rest = [row for row in range(min(n_words, len(vectors))) if row not in wanted]
    rows = np.array(sorted([*wanted, *rest[: n_words - len(wanted)]]), dtype=np.int64)
    matrices = [m[rows] for m in (vectors.matrix, vectors.output) if m is not None]
    if dimensions is not None and dimensions < vectors.dimensions:
        stacked = np.vstack(matrices).astype(np.float64)
        _, axes = np.linalg.eigh(stacked.T @ stacked)  # from the least to the most important
        matrices = [(m @ axes[:, -dimensions:]).astype(np.float32) for m in matrices]
    facts = {"words": len(rows), "dimensions": matrices[0].shape[1], "taken_from": len(vectors)}
    output = matrices[1] if len(matrices) > 1 else None
    return Vectors(tuple(vectors.words[i] for i in rows), matrices[0], output, dict(vectors.card) | facts)
