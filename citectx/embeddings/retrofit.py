"""Retrofitting: pull the vectors of synonyms together, and keep each near where it was.

>>> vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
>>> retrofit(vectors, np.array([[0, 1]]), iterations=50).round(3)
array([[0.667, 0.333], [0.333, 0.667], [0.6 , 0.8 ]])
"""

from typing import Literal, TypeVar, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve_triangular

from citectx.errors import DataError, ParameterError, unknown

Update = Literal["in-place", "simultaneous"]
FloatT = TypeVar("FloatT", np.float32, np.float64)


def retrofit(
    vectors: NDArray[FloatT], edges: NDArray[np.integer], *, iterations: int = 10, update: Update = "in-place"
) -> NDArray[FloatT]:
    """Move each vector towards its neighbours': q_i ← (α·q̂_i + Σ_j β_ij·q_j) / (α + Σ_j β_ij).

    With α = 1 and β_ij = 1 / n_i, n_i neighbours of word i, that is q_i ← (n_i·q̂_i + Σ_j q_j) / 2n_i. All
    vectors are scaled to length 1 first (a row of zeros stays one), but not again at the end.

    Parameters
    ----------
    vectors : float array, shape (n, d)
        q̂, one row a word. Left as it is.
    edges : int array, shape (m, 2)
        Pairs of rows that are synonyms; repeated pairs count once, a word is not its own neighbour.
    iterations : int
        At least 1.
    update : {"in-place", "simultaneous"}
        Whether an iteration goes through the words in order of their rows and uses what it has just
        computed, or computes all words from the iteration before.

    Returns
    -------
    float array, shape (n, d)
        Of the same precision. Words without neighbours keep their (scaled) vectors.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    DataError
        If shapes do not fit, an edge leads to no row, or a vector is not finite.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* 1 (Faruqui et al. 2015, Eq. 1 and the rule below it).
    Ambiguity: sigir2017 gives no parameters; α, β and the defaults are those of the method's authors'
    program. Ambiguity: that program takes edges as directed, as its lexicon lists them. Synonymy goes both
    ways and our lexicon lists each pair once, so ours are undirected; for a lexicon that lists every pair
    both ways they are the same.
    Ambiguity: it goes through the words in the order of a set, which is arbitrary; we take the rows' order.
    After 10 iterations the order matters in the fourth digit, after 100 neither order nor `update` matters.
    Ambiguity: the rule leaves out that β_ji pulls at word i, too. With β = 1 / n_i it does not minimise the
    published objective, but Σ_i α·n_i·|q_i − q̂_i|² + Σ_{i,j neighbours} |q_i − q_j|², each pair once.
    """
    if update not in get_args(Update):
        raise unknown("update", update, get_args(Update))
    if iterations < 1:
        raise ParameterError(f"iterations must be at least 1, not {iterations}")
    if vectors.ndim != 2 or edges.ndim != 2 or edges.shape[1] != 2:
        raise DataError(f"expected vectors (n, d) and edges (m, 2), found {vectors.shape} and {edges.shape}")
    if len(edges) and (edges.min() < 0 or edges.max() >= len(vectors)):
        raise DataError(f"edges lead to rows {edges.min()} to {edges.max()} of {len(vectors)}")
    if len(bad := np.flatnonzero(~np.isfinite(vectors).all(axis=1))):
        raise DataError(f"{len(bad)} vectors hold NaN or infinity, the first is row {bad[0]}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result = vectors.copy()
    result /= np.where(lengths > 0, lengths, 1)
    touched, pairs = np.unique(edges, return_inverse=True)
    pairs = pairs.reshape(-1, 2)[np.not_equal(*pairs.reshape(-1, 2).T)]
    both_ways = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    shape = len(touched), len(touched)
    neighbours = sp.csr_array((np.ones(len(both_ways)), tuple(both_ways.T)), shape=shape)  # 0/1, both ways
    degree = np.diff(neighbours.indptr)
    each = 1 / np.maximum(degree, 1)
    total = 1 + each * degree
    others = sp.diags_array(each / total) @ neighbours
    start = result[touched].astype(np.float64)
    kept, q = (1 / total)[:, None] * start, start
    below, above = sp.tril(others, format="csr"), sp.triu(others, format="csr")
    solved = sp.eye_array(len(touched), format="csr") - below
    for _ in range(iterations if len(touched) else 0):
        if update == "simultaneous":
            q = kept + others @ q
        else:  # rows above are of this iteration, rows below of the one before: a triangular system
            q = spsolve_triangular(solved, kept + above @ q, lower=True, unit_diagonal=True)
    result[touched] = q
    return result
