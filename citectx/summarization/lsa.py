"""Latent semantic analysis: sentences that say most about the text's main topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from scipy.linalg import eigh, eigh_tridiagonal

from citectx.summarization.base import Pool, Summarizer, by_score
from citectx.types import Floats, Ints

Selection = Literal["length", "topics"]

ZERO = 1e-9
"""Share of the largest eigenvalue below which one is rounding."""
FEW = 64
"""Sentences of which all topics are computed at once."""
PRECISE = 1e-12
"""Largest error of an eigenvalue, as a share of the largest."""


@dataclass(frozen=True)
class LSA(Summarizer):
    """Choose sentences by the singular value decomposition A = U Σ Vᵗ of the terms × sentences matrix.

    Parameters
    ----------
    selection : {"length", "topics"}
        ``length`` (Steinberger and Ježek 2004): by the length of each sentence's vector in the space of the
        topics, sqrt(Σ_i v_i² σ_i²). ``topics`` (Gong and Liu 2001): the sentence with the largest value in
        the first right singular vector, then in the second, and so on.
        Ambiguity: sigir2017 says "LSA-based" and refers to a survey that covers both; the later one, made
        to mend faults of the earlier, is the default.
    share : float
        ``length`` counts the topics whose singular value is at least this share of the largest. The paper
        takes one half. With all of them, the length is that of the sentence's own column, and the
        decomposition would be for nothing.

    Notes
    -----
    Source: Gong and Liu 2001, Section 3.2; Steinberger and Ježek 2004, Section 3.

    Ambiguity: Gong and Liu tried several weightings and found idf of little use; Steinberger and Ježek do not
    give theirs. A holds tf·idf here. The sign of a singular vector is arbitrary, so "largest" is meant in
    absolute value. When topics run out, ``topics`` starts again with the next best of the first.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Kinases mark damaged mitochondria.", "Kinases mark mitochondria."])
    >>> LSA().choose(pool, Budget(sentences=1))
    [1]
    """

    selection: Selection = "length"
    share: float = 0.5

    allowed: ClassVar = {"selection": get_args(Selection), "share": "[0, 1]"}

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences by length, or topic by topic."""
        if not len(pool):
            return
        if not len(pool.terms):
            yield from range(len(pool))
            return
        if self.selection == "topics":
            yield from _dealt(decompose(pool)[1])
        else:
            yield from by_score(self.lengths(*decompose(pool, self.share)))

    def lengths(self, values: Floats, vectors: Floats) -> Floats:
        """Length of each sentence's vector over the topics that count, shape (sentences,)."""
        kept = values >= self.share * values.max(initial=0)
        return np.asarray(np.sqrt(((values[kept, None] * vectors[kept]) ** 2).sum(axis=0)))


def decompose(pool: Pool, share: float = 0.0) -> tuple[Floats, Floats]:
    """Decompose the tf·idf matrix of a pool, as far as it is wanted.

    The topics are eigenvectors of the sentences' inner products, n × n. If only the largest are wanted, they
    are found by Lanczos' method, which never forms the products, unless sentences are few or it takes long.

    Parameters
    ----------
    pool : Pool
    share : float
        Leave out topics whose singular value is below this share of the largest.

    Returns
    -------
    values : float array, shape (topics,)
        Singular values, falling; those that are zero but for rounding are left out.
    vectors : float array, shape (topics, sentences)
        Right singular vectors.
    """
    least = max(share**2, ZERO)
    found = largest(pool, least) if share and len(pool) > FEW else None
    squares, vectors = found or _all(pool.products, least)
    kept = squares >= least * squares.max(initial=0) * (1 - 1e-12)
    return np.sqrt(squares[kept])[::-1], vectors[:, kept].T[::-1]


def _all(products: Floats, least: float) -> tuple[Floats, Floats]:
    """Compute the eigenvalues, rising, from about `least` times the largest on, and their vectors."""
    sums = products.sum(axis=1)
    bound = float(sums @ products @ sums / max(sums @ sums, 1e-300)) * (1 - 1e-9)  # the largest is no less
    range_ = least * bound, np.inf
    squares, vectors = eigh(products, subset_by_value=range_, driver="evr", check_finite=False)
    return squares, vectors


def largest(pool: Pool, least: float) -> tuple[Floats, Floats] | None:
    """Find the eigenvalues, rising, from `least` times the largest on, and their vectors as columns.

    None if they are not found in some steps, or no smaller one that says they are all. (A value that occurs
    twice may be found once, which does not happen to weights of real sentences.)
    """
    weighted, transposed, n = pool.weighted, pool.weighted.T, len(pool)
    basis, diagonal, beside = np.zeros((n // 3, n)), np.zeros(n // 3), np.zeros(n // 3)
    vector = np.random.default_rng(0).random(n)
    for size, own in enumerate(basis, start=1):
        own[:] = vector / np.linalg.norm(vector)
        vector = weighted @ (transposed @ own)
        diagonal[size - 1] = own @ vector
        for _ in range(2):  # once leaves rounding errors, which grow
            vector -= (basis[:size] @ vector) @ basis[:size]
        beside[size - 1] = np.linalg.norm(vector)
        if beside[size - 1] <= ZERO * diagonal[0]:
            return None
        if size % 6:
            continue
        squares, mixed = eigh_tridiagonal(diagonal[:size], beside[: size - 1], check_finite=False)
        errors, top = beside[size - 1] * np.abs(mixed[-1]), squares[-1]
        kept = squares >= least * top
        if (errors < np.where(kept, PRECISE * top, least * top - squares)).all() and not kept.all():
            vectors = basis[:size].T @ mixed[:, kept]
            # One step more gives equal sentences equal values, to the last bit.
            return squares[kept], weighted @ (transposed @ vectors) / squares[kept]
    return None


def _dealt(vectors: Floats) -> Iterator[int]:
    """Topic by topic the best sentence that is left; sentences that no topic has come last."""
    ranked: list[Ints] = [by_score(np.abs(vector)) for vector in vectors]
    taken: dict[int, None] = {}
    count = vectors.shape[1] if len(vectors) else 0
    for k in range(count):
        best = next(int(i) for i in ranked[k % len(ranked)] if int(i) not in taken)
        taken[best] = None
        yield best
