"""LexRank: sentences that many others resemble, by PageRank on their similarities."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.summarization.base import Pool, Summarizer, by_score
from citectx.types import Floats

TOLERANCE = 1e-10
ROUNDS = 1000


@dataclass(frozen=True)
class LexRank(Summarizer):
    """Rank sentences by their centrality in the graph of similarities.

    Two sentences are joined where the cosine of their tf·idf vectors exceeds `threshold`; with no threshold
    every pair is joined by an edge as heavy as its cosine ("continuous" LexRank). A sentence is as central as
    the chance that a walk on the graph is there, where each step follows an edge with probability
    `damping` and jumps anywhere otherwise.

    Parameters
    ----------
    threshold : float or None
        The paper found 0.1 best; None for the continuous form.
    damping : float
        Ambiguity: in the paper's formula d is the probability of *jumping*, "typically chosen in
        [0.1, 0.2]"; ours is its complement, as in PageRank.
    redundancy : float or None
        Pass over a sentence that has a cosine above this with one already chosen; None passes over none.
        Ambiguity: the paper leaves this to MEAD's reranker (see `citectx.summarization.mead`); sigir2017
        does not say whether its LexRank had one.

    Notes
    -----
    Source: Erkan and Radev 2004, Section 3, Equations 6 to 8 and Algorithm 2 and 3.

    Ambiguity: every sentence resembles itself, and the paper's matrix keeps these loops, as we do. A sentence
    that is like no other then walks in place and comes to 1/n, before sentences at the rim of a cluster. One
    without words jumps anywhere. Where no two sentences are alike, all are equal and keep their order.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Skies rest.", "Kinases rest.", "Kinases mark mitochondria.", "Mitochondria age."])
    >>> LexRank().choose(pool, Budget(sentences=2))
    [1, 2]
    """

    threshold: float | None = 0.1
    damping: float = 0.85
    redundancy: float | None = None

    allowed: ClassVar = {"threshold": "[0, 1)", "damping": "[0, 1)"}

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences by falling centrality."""
        chosen: list[int] = []
        for i in by_score(self.scores(pool)):
            if self.redundancy is None or not (pool.similarity[i, chosen] > self.redundancy).any():
                chosen.append(int(i))
                yield int(i)

    def scores(self, pool: Pool) -> Floats:
        """Centrality of each sentence, shape (sentences,); sums to 1."""
        edges = pool.similarity
        if self.threshold is not None:
            edges = (edges > self.threshold).astype(np.float64)
        return pagerank(edges, self.damping)


def pagerank(edges: Floats | sp.csr_array, damping: float = 0.85) -> Floats:
    """Stationary distribution of a walk with random jumps, by power iteration.

    Parameters
    ----------
    edges : float array or sparse array, shape (n, n)
        Weight of the edge from row to column, not negative; a row without edges jumps anywhere.
    damping : float
        Probability of following an edge.

    Returns
    -------
    float array, shape (n,)
        Within `TOLERANCE` (sum of absolute changes in the last round).

    Examples
    --------
    >>> pagerank(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([0.5, 0.5])
    """
    n = edges.shape[0]
    if n == 0:
        return np.zeros(0)
    out = np.asarray(edges.sum(axis=1), dtype=np.float64).ravel()
    stuck, share = out == 0, 1 / np.where(out > 0, out, 1)
    backwards = edges.T
    rank = np.full(n, 1 / n)
    for _ in range(ROUNDS):
        jumps = damping * rank[stuck].sum() + 1 - damping
        previous, rank = rank, damping * (backwards @ (rank * share)) + jumps / n
        if np.abs(rank - previous).sum() < TOLERANCE:
            break
    return rank
