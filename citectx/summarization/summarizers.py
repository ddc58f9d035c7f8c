"""The summarizers of sigir2017 Table 4, and MEAD: from a pool to its sentences, best first."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from citectx.language.idf import Idf
from citectx.language.text import Analyzer
from citectx.summarization.base import Pool, Rarity, by_score, unlike
from citectx.types import Floats

TOLERANCE, ROUNDS = 1e-10, 1000
"""PageRank stops at this change (sum over nodes), or after so many rounds."""


def lexrank(pool: Pool, threshold: float | None = 0.1) -> list[int]:
    """Rank sentences by their centrality in the graph of similarities (`pagerank`).

    Two sentences are connected if the cosine of their tf·idf vectors exceeds `threshold` (0.1 was
    best in the paper). With None, edges weigh as much as the cosine ("continuous" LexRank).

    Source: Erkan and Radev 2004, Section 3, Equations 6 to 8 and Algorithms 2 and 3.
    Ambiguity: in the paper's formula d is the probability of *jumping*, "typically chosen in
    [0.1, 0.2]". Ours is its complement, 0.85, as in PageRank.
    Ambiguity: the paper leaves redundancy to MEAD's reranker. sigir2017 does not say whether its
    LexRank had one. Ours does not.
    Ambiguity: every sentence resembles itself, and the paper's matrix keeps these loops, as we do.
    A sentence unlike all others then has the centrality 1/n, more than sentences at the rim of a
    cluster. A sentence without words jumps anywhere.

    >>> lexrank(Pool.of(["Skies rest.", "Kinases rest.", "Kinases mark cells.", "Cells age."]))
    [1, 2, 0, 3]
    """
    return by_score(centrality(pool, threshold)).tolist()


def centrality(pool: Pool, threshold: float | None = 0.1) -> Floats:
    """Return LexRank's centrality of each sentence, shape (sentences,); it sums to 1."""
    edges = pool.similarity if threshold is None else pool.similarity > threshold
    return pagerank(edges.astype(float))


def pagerank(edges: Floats | sp.csr_array, damping: float = 0.85) -> Floats:
    """Compute the stationary distribution of a walk with random jumps, shape (n,).

    `edges` holds the weights of edges from row to column, shape (n, n). A row without edges jumps
    anywhere. `damping` is the probability of following an edge.

    >>> pagerank(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([0.5, 0.5])
    """
    n = edges.shape[0]
    if n == 0:
        return np.zeros(0)
    out = edges.sum(axis=1)
    stuck = out == 0
    share = 1 / np.where(stuck, 1, out)
    backwards = edges.T
    rank = np.full(n, 1 / n)
    for _ in range(ROUNDS):
        jumps = damping * rank[stuck].sum() + 1 - damping
        previous = rank
        rank = damping * (backwards @ (rank * share)) + jumps / n
        if np.abs(rank - previous).sum() < TOLERANCE:
            break
    return rank


def kl_sum(pool: Pool, smoothing: float = 0.01) -> Iterator[int]:
    """Repeatedly add the sentence that makes KL(P_D ‖ P_S) lowest.

    P_D is the distribution of words in all sentences, P_S that in the summary with the new one.

    Source: Haghighi and Vanderwende 2009, Section 3.2.
    Ambiguity: without smoothing, the divergence is infinite until the summary has every word. The
    paper does not say how it avoids this. We add `smoothing` to the count of each word in the
    summary. The package sumy sums over covered words only, which is not a divergence and rewards
    brevity.
    Ambiguity: the paper adds sentences greedily as long as the limit allows. Sentences without a
    word come last, and equal ones go by position.

    >>> list(kl_sum(Pool.of(["Cells rest.", "Cells divide and cells rest.", "Mitochondria fuse."])))
    [1, 2, 0]
    """
    sentence, word = np.nonzero(pool.counts)  # only words of a sentence change its sum
    count = pool.counts[sentence, word]
    p = pool.probability[word]
    lengths = pool.counts.sum(axis=1)
    summary = np.where(pool.probability > 0, smoothing, 0.0)  # c + ε, shape (terms,)
    left: NDArray[np.bool_] = lengths > 0
    while left.any():
        # KL = Σ p ln p − Σ p ln(c + ε) − Σ_{w in sentence} p ln(1 + c_w / (c + ε)) + ln(total);
        # the first two sums are equal for all sentences.
        terms = p * np.log1p(count / summary[word])
        gains = np.bincount(sentence, terms, minlength=len(pool))
        divergences = np.log(summary.sum() + lengths) - gains
        usable = np.where(left, divergences.round(12), np.inf)
        best = int(usable.argmin())
        yield best
        left[best] = False
        summary += pool.counts[best]
    yield from np.flatnonzero(lengths == 0).tolist()


def sum_basic(pool: Pool) -> Iterator[int]:
    """Repeatedly choose the best sentence that contains the most probable word.

    A word's probability is its share of all words, a sentence's weight the mean probability of its
    words. The probability of each word of a chosen sentence is squared.

    Source: Nenkova and Vanderwende 2005, Section 3.
    Ambiguity: the paper's formula divides by the size of the *set* of a sentence's words, so a word
    counts once per sentence. The pool leaves out stop words, as the paper's "content words"
    suggest. Equal words go by the alphabet, equal sentences by position. Sentences without a word
    come last.

    >>> texts = ["Cells rest.", "Cells divide.", "Kinases mark cells.", "Proteins fuse."]
    >>> list(sum_basic(Pool.of(texts)))
    [0, 1, 3, 2]
    """
    probability = pool.probability.copy()
    holds = pool.counts > 0
    distinct = holds.sum(axis=1)
    left = distinct > 0
    while left.any():
        is_left = holds[left].any(axis=0)
        word = np.where(is_left, probability, -1.0).argmax()
        rows = np.flatnonzero(left & holds[:, word])
        weights = holds[rows] @ probability / distinct[rows]
        best = int(rows[weights.round(12).argmax()])
        yield best
        left[best] = False
        probability[holds[best]] **= 2
    yield from np.flatnonzero(distinct == 0).tolist()


ZERO = 1e-9
"""An eigenvalue below this share of the largest is a rounding error."""


def lsa(pool: Pool) -> list[int]:
    """Rank sentences by the singular value decomposition A = U Σ Vᵗ, A terms × sentences.

    A sentence's score is the length of its vector in the space of the topics, sqrt(Σ_i v_i² σ_i²).
    Only topics count whose singular value is at least half of the largest. With all topics, the
    length would be that of the sentence's column of A.

    Source: Steinberger and Ježek 2004, Section 3.
    Ambiguity: sigir2017 says "LSA-based" and refers to a survey that covers two methods. We take
    the later one, which improves on the earlier (Gong and Liu 2001).
    Ambiguity: Gong and Liu tried several weightings and found idf of little use. Steinberger and
    Ježek do not give theirs. Our A holds tf·idf.

    >>> lsa(Pool.of(["Cells rest.", "Kinases mark damaged cells.", "Kinases mark cells."]))
    [1, 0, 2]
    """
    return by_score(lengths_over_topics(*decompose(pool))).tolist()


def lengths_over_topics(values: Floats, vectors: Floats, share: float = 0.5) -> Floats:
    """Length of each sentence's vector over the topics that count, shape (sentences,)."""
    strong = values >= share * values.max(initial=0)
    scaled = values[strong, None] * vectors[strong]
    return np.sqrt((scaled**2).sum(axis=0))


def decompose(pool: Pool) -> tuple[Floats, Floats]:
    """Return the singular values of the tf·idf matrix, falling, and its right singular vectors.

    Shapes: (topics,) and (topics, sentences).
    """
    squares, vectors = eigh(pool.products, check_finite=False)
    positive = squares >= ZERO * squares.max(initial=0)
    return np.sqrt(squares[positive])[::-1], vectors[:, positive].T[::-1]


ANALYZER = Analyzer(stop_words="none")
"""MEAD has no stop words: the idf of words that are everywhere is almost 0."""

UNKNOWN = 0.1
"""The idf of a word that the list lacks."""

CENTRAL = 3.0
"""Frequency times idf above which a word is part of the centroid."""

SHORTEST = 9
"""How many words a sentence must have at least to be chosen."""


def mead_idf(listed: Idf) -> Rarity:
    """Look up idf like MEAD, where it is almost 0 for words that are not listed.

    Ambiguity: MEAD came with a list from English news, which is no longer available. We take the
    lists of the field (`citectx.language.idf.open_idf`), with natural logarithms. They leave out
    words in fewer than five articles of the field. We follow MEAD, which takes these for noise.

    >>> idf = mead_idf(Idf(100, {"cells": 10}))
    >>> round(idf("cells"), 3), idf("xyzzy")
    (2.303, 0.1)
    """
    return lambda word: listed[word] if word in listed.frequencies else UNKNOWN


def mead(pool: Pool, documents: Sequence[str] = ()) -> Iterator[int]:
    """Score = centroid + position; sentences too similar to a chosen one are skipped.

    `documents` names the document of each sentence; by default all sentences are of one.

    The centroid consists of the words whose frequency (mean over documents) times idf exceeds
    `CENTRAL`. A sentence's centroid score is the sum of these products over its words, divided by
    the highest such sum, its position score √(1/n) for the n-th of its document. Left out are
    sentences of fewer than `SHORTEST` words, or with an idf-cosine of at least 0.7 to a chosen one
    (`unlike`).

    Source: Radev et al. 2003 and the toolkit as released. acl2008 §5.1.3 uses it as a baseline.
    Ambiguity: acl2008 does not give its settings. Ours are the toolkit's own.

    >>> kinases = "Kinases mark old mice, as we and all others have seen."
    >>> texts = ["Cells rest.", kinases, "That old mice are marked by kinases is well known."]
    >>> pool = Pool.of(texts, ANALYZER, mead_idf(Idf(100, {"kinases": 2, "mice": 2})))
    >>> list(mead(pool))
    [1]
    """
    order = by_score(mead_scores(pool, documents)).tolist()
    long_enough = (i for i in order if pool.words[i] >= SHORTEST)
    return unlike(pool, long_enough)


def mead_scores(pool: Pool, documents: Sequence[str]) -> Floats:
    """Score every sentence, shape (sentences,)."""
    document = pd.Series(documents or [""] * len(pool), dtype=str)
    place = document.groupby(document).cumcount() + 1  # in its document
    means = pool.counts.sum(axis=0) / document.nunique()
    weights = means * pool.idf
    weights[weights <= CENTRAL] = 0.0
    sums: Floats = pool.counts @ weights
    centroid = sums / (sums.max(initial=0.0) or 1.0)
    return centroid + 1 / np.sqrt(place.to_numpy())


SUMMARIZERS: dict[str, Callable[[Pool], Iterable[int]]] = {
    "KLSUM": kl_sum,
    "LexRank": lexrank,
    "LSA": lsa,
    "SumBasic": sum_basic,
}
"""The summarizers of sigir2017 Table 4 by the names they have there, in the table's order."""
