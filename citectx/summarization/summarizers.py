"""The summarizers of sigir2017 Table 4, and MEAD: subclasses of `Summarizer` with `order`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from citectx.language.idf import Idf
from citectx.language.text import Analyzer
from citectx.summarization.base import Pool, Rarity, Summarizer, by_score
from citectx.types import Floats, Ints

TOLERANCE, ROUNDS = 1e-10, 1000
"""Where PageRank stops."""


@dataclass(frozen=True)
class LexRank(Summarizer):
    """Rank sentences by their centrality in the graph of similarities.

    Two sentences are joined where the cosine of their tf·idf vectors exceeds `threshold`; with no
    threshold every pair is joined by an edge as heavy as its cosine ("continuous" LexRank). A
    sentence is as central as the chance that a walk on the graph is there (`pagerank`).

    Parameters
    ----------
    threshold : float or None
        The paper found 0.1 best; None for the continuous form.

    Notes
    -----
    Source: Erkan and Radev 2004, Section 3, Equations 6 to 8 and Algorithm 2 and 3.

    Ambiguity: in the paper's formula d is the probability of *jumping*, "typically chosen in
    [0.1, 0.2]"; ours is its complement, as in PageRank, 0.85.

    Ambiguity: the paper leaves it to MEAD's reranker to pass over what was said; sigir2017 does not
    say whether its LexRank had one. Ours has none.

    Ambiguity: every sentence resembles itself, and the paper's matrix keeps these loops, as we do.
    A sentence that is like no other then walks in place and comes to 1/n, before sentences at the
    rim of a cluster. One without words jumps anywhere. Where no two sentences are alike, all are
    equal and keep their order.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> texts = ["Skies rest.", "Kinases rest.", "Kinases mark cells.", "Cells age."]
    >>> pool = Pool.of(texts)
    >>> LexRank().choose(pool, Budget(sentences=2))
    [1, 2]
    """

    threshold: float | None = 0.1

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences by falling centrality."""
        yield from by_score(self.scores(pool)).tolist()

    def scores(self, pool: Pool) -> Floats:
        """Centrality of each sentence, shape (sentences,); sums to 1."""
        edges = pool.similarity
        if self.threshold is not None:
            edges = (edges > self.threshold).astype(np.float64)
        return pagerank(edges)


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
    stuck = out == 0
    share = 1 / np.where(out > 0, out, 1)
    backwards = edges.T
    rank = np.full(n, 1 / n)
    for _ in range(ROUNDS):
        jumps = damping * rank[stuck].sum() + 1 - damping
        previous = rank
        rank = damping * (backwards @ (rank * share)) + jumps / n
        if np.abs(rank - previous).sum() < TOLERANCE:
            break
    return rank


@dataclass(frozen=True)
class KLSum(Summarizer):
    """Add, again and again, the sentence that brings KL(P_D ‖ P_S) lowest.

    P_D is the distribution of words in all sentences, P_S that in the summary with the sentence
    added.

    Parameters
    ----------
    smoothing : float
        Added to the count of each word in the summary. Ambiguity: without smoothing the divergence
        is infinite until every word has been said; the paper does not say what it does. sumy, for
        one, sums over the words that are covered, which is not a divergence and rewards brevity.

    Notes
    -----
    Source: Haghighi and Vanderwende 2009, Section 3.2.

    Ambiguity: the paper adds sentences as long as the limit allows, greedily. Sentences without a
    word come last; equals go by position.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Cells divide and cells rest.", "Mitochondria fuse."])
    >>> KLSum().choose(pool, Budget(sentences=2))
    [1, 2]
    """

    smoothing: float = 0.01

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences step by step."""
        sentence, word = np.nonzero(pool.counts)  # only words that a sentence has change its sum
        count = pool.counts[sentence, word]
        p = pool.probability[word]
        lengths = pool.counts.sum(axis=1)
        summary = np.where(pool.probability > 0, self.smoothing, 0.0)  # c + ε, shape (terms,)
        left: NDArray[np.bool_] = lengths > 0
        while left.any():
            # KL = Σ p ln p − Σ p ln(c + ε) − Σ_{w in sentence} p ln(1 + c_w / (c + ε)) + ln(total);
            # the first two sums are the same for all sentences.
            terms = p * np.log1p(count / summary[word])
            gains = np.bincount(sentence, terms, minlength=len(pool))
            divergences = np.log(summary.sum() + lengths) - gains
            best = int(np.where(left, divergences.round(12), np.inf).argmin())
            yield best
            left[best] = False
            summary += pool.counts[best]
        yield from np.flatnonzero(lengths == 0).tolist()


@dataclass(frozen=True)
class SumBasic(Summarizer):
    """Choose, again and again, the best sentence that holds the most probable word.

    A word's probability is its share of all words; a sentence's weight is the mean probability of
    its words. Of the sentences that hold the word with the highest probability, the heaviest is
    taken, and the probability of each of its words is squared.

    Notes
    -----
    Source: Nenkova and Vanderwende 2005, Section 3.

    Ambiguity: the paper's formula divides by the number of elements of the *set* of a sentence's
    words, so a word counts once however often the sentence has it. Stop words are left out by the
    pool's analysis, as the paper's "content words" suggest. Equal words go by the alphabet, equal
    sentences by position. Sentences without a word come last.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Cells divide.", "Kinases mark cells.", "Proteins fuse."])
    >>> SumBasic().choose(pool, Budget(sentences=3))
    [0, 1, 3]
    """

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences step by step."""
        probability, holds = pool.probability.copy(), pool.counts > 0
        distinct = holds.sum(axis=1)
        left = distinct > 0
        while left.any():
            word = np.where(holds[left].any(axis=0), probability, -1.0).argmax()
            rows = np.flatnonzero(left & holds[:, word])
            weights = holds[rows] @ probability / distinct[rows]
            best = int(rows[weights.round(12).argmax()])
            yield best
            left[best] = False
            probability[holds[best]] **= 2
        yield from np.flatnonzero(distinct == 0).tolist()


ZERO = 1e-9
"""Share of the largest eigenvalue below which one is rounding."""


@dataclass(frozen=True)
class LSA(Summarizer):
    """Rank sentences by the singular value decomposition A = U Σ Vᵗ, A terms × sentences.

    A sentence's score is the length of its vector in the space of the topics, sqrt(Σ_i v_i² σ_i²).

    Parameters
    ----------
    share : float
        Topics count whose singular value is at least this share of the largest. The paper takes one
        half. With all of them, the length is that of the sentence's own column, and the
        decomposition would be for nothing.

    Notes
    -----
    Source: Steinberger and Ježek 2004, Section 3.

    Ambiguity: sigir2017 says "LSA-based" and refers to a survey that covers two methods; this is
    the later one, made to mend faults of the earlier (Gong and Liu 2001).

    Ambiguity: Gong and Liu tried several weightings and found idf of little use; Steinberger and
    Ježek do not give theirs. A holds tf·idf here.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Kinases mark damaged cells.", "Kinases mark cells."])
    >>> LSA().choose(pool, Budget(sentences=1))
    [1]
    """

    share: float = 0.5

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences by falling length."""
        yield from by_score(self.lengths(*decompose(pool))).tolist()

    def lengths(self, values: Floats, vectors: Floats) -> Floats:
        """Length of each sentence's vector over the topics that count, shape (sentences,)."""
        kept = values >= self.share * values.max(initial=0)
        scaled = values[kept, None] * vectors[kept]
        return np.asarray(np.sqrt((scaled**2).sum(axis=0)))


def decompose(pool: Pool) -> tuple[Floats, Floats]:
    """Decompose the tf·idf matrix of a pool.

    The topics are eigenvectors of the sentences' inner products, n × n.

    Returns
    -------
    values : float array, shape (topics,)
        Singular values, falling; those that are zero but for rounding are left out.
    vectors : float array, shape (topics, sentences)
        Right singular vectors.
    """
    squares, vectors = eigh(pool.products, check_finite=False)
    kept = squares >= ZERO * squares.max(initial=0)
    return np.sqrt(squares[kept])[::-1], vectors[:, kept].T[::-1]


ANALYZER = Analyzer(stop_words="none")
"""MEAD has no list of stop words: words that are everywhere have next to no idf."""

UNKNOWN = 0.1
"""idf of a word that the list lacks."""

CENTRAL = 3.0
"""Frequency times idf above which a word is part of the centroid."""


def mead_idf(listed: Idf) -> Rarity:
    """Look idf up as MEAD does: words that are not listed have next to none.

    Ambiguity: MEAD came with a list made of English news, which is no longer available. Ours are
    the lists of the field (`citectx.language.idf.open_idf`), with natural logarithms. They leave
    out what occurs in fewer than five of the field's articles; MEAD's rule then takes the rarest
    words for noise, and we follow it.

    Examples
    --------
    >>> idf = mead_idf(Idf(100, {"cells": 10}))
    >>> round(idf("cells"), 3), idf("xyzzy")
    (2.303, 0.1)
    """
    return lambda word: listed[word] if word in listed.frequencies else UNKNOWN


@dataclass(frozen=True)
class Mead(Summarizer):
    """Score = centroid + position; sentences too similar to a chosen one are skipped.

    The centroid is made of the words whose frequency (mean over documents) times idf exceeds
    `CENTRAL`. A sentence's centroid score is the sum of these products over its words, divided by
    the highest such sum; its position score is √(1/n) for the n-th sentence of its document.

    Parameters
    ----------
    shortest : int
        Sentences with fewer words are dropped.
    redundancy : float
        Skip sentences whose idf-cosine with a chosen one is at least this.

    Notes
    -----
    Source: Radev et al. 2003 and the toolkit as released; acl2008 §5.1.3 uses it as a baseline.

    Ambiguity: acl2008 does not say with which settings. These are the toolkit's own.

    Ambiguity: `order` takes a pool for one document; `order_of` knows of several, as MEAD-Doc+Cite
    needs.

    Examples
    --------
    >>> from citectx.summarization import Budget
    >>> texts = ["Cells rest.", "Kinases mark old mice.", "Old mice are marked by kinases."]
    >>> pool = Pool.of(texts, ANALYZER, mead_idf(Idf(100, {"kinases": 2, "mice": 2})))
    >>> Mead(shortest=4).choose(pool, Budget(sentences=2))
    [1]
    """

    shortest: int = 9
    redundancy: float = 0.7

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences, the pool being one document; skipped ones never come."""
        yield from self.order_of(pool, np.zeros(len(pool), dtype=np.int64))

    def order_of(self, pool: Pool, documents: Ints) -> Iterator[int]:
        """Yield sentences of several documents; `documents` has the number of each one's."""
        chosen: list[int] = []
        for i in by_score(self.scores(pool, documents)).tolist():
            is_redundant = pool.similarity[i, chosen] >= self.redundancy - 1e-9
            if pool.words[i] >= self.shortest and not is_redundant.any():
                chosen.append(i)
                yield i

    def scores(self, pool: Pool, documents: Ints) -> Floats:
        """Score every sentence, shape (sentences,)."""
        frequency = pool.counts.sum(axis=0) / len(np.unique(documents))
        weights = frequency * pool.idf
        weights[weights <= CENTRAL] = 0.0
        sums: Floats = pool.counts @ weights
        return sums / (sums.max(initial=0.0) or 1.0) + 1 / np.sqrt(places(documents))


def places(documents: Sequence[int] | Ints) -> Ints:
    """Count the sentences of each document from 1.

    >>> places([0, 0, 1, 0, 1]).tolist()
    [1, 2, 1, 3, 2]
    """
    numbers = pd.Series(documents)
    return np.asarray(numbers.groupby(numbers).cumcount() + 1, dtype=np.int64)


SUMMARIZERS: dict[str, Summarizer] = {
    "KLSUM": KLSum(),
    "LexRank": LexRank(),
    "LSA": LSA(),
    "SumBasic": SumBasic(),
}
"""The summarizers of sigir2017 Table 4 by the names they have there, in the table's order."""
