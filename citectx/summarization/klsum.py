"""KLSum: the summary whose words are distributed like those of the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from citectx.summarization.base import Pool, Summarizer
from citectx.types import Floats


@dataclass(frozen=True)
class KLSum(Summarizer):
    """Add, again and again, the sentence that brings KL(P_D ‖ P_S) lowest.

    P_D is the distribution of words in all sentences, P_S that in the summary with the sentence added.

    Parameters
    ----------
    smoothing : float
        Added to the count of each word in the summary. Ambiguity: without smoothing the divergence is
        infinite until every word has been said; the paper does not say what it does. sumy, for one, sums over
        the words that are covered, which is no divergence and rewards saying little.

    Notes
    -----
    Source: Haghighi and Vanderwende 2009, Section 3.2.

    Ambiguity: the paper adds sentences as long as the limit allows, greedily. Sentences without a word come
    last; equals go by position.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Cells divide and cells rest.", "Mitochondria fuse."])
    >>> KLSum().choose(pool, Budget(sentences=2))
    [1, 2]
    """

    smoothing: float = 0.01

    allowed: ClassVar = {"smoothing": "(0, inf]"}

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences step by step."""
        summary = np.zeros(len(pool.terms))
        lengths = pool.sums(pool.counts.data)
        left = lengths > 0
        while left.any():
            divergence = np.where(left, self.divergences(pool, summary, lengths), np.inf)
            best = int(np.argmin(divergence.round(12)))
            yield best
            left[best] = False
            row = slice(*pool.counts.indptr[best : best + 2])
            summary[pool.counts.indices[row]] += pool.counts.data[row]
        yield from np.flatnonzero(lengths == 0).tolist()

    def divergences(self, pool: Pool, summary: Floats, lengths: Floats) -> Floats:
        """KL(P_D ‖ P_S) for each sentence added to a summary with these word counts, shape (sentences,).

        Only the terms of the added sentence change, so each costs as much as its distinct words:
        KL = Σ p ln p − Σ p ln(c + ε) − Σ_{w in sentence} p [ln(c + ε + c_w) − ln(c + ε)] + ln(total).
        """
        p, now = pool.probability, summary + self.smoothing
        said, terms = p > 0, pool.counts.indices
        vocabulary = int(said.sum())
        fixed = (p[said] * (np.log(p[said]) - np.log(now[said]))).sum()
        gains = pool.sums(p[terms] * (np.log(now[terms] + pool.counts.data) - np.log(now[terms])))
        totals = summary.sum() + lengths + self.smoothing * vocabulary
        return np.asarray(fixed - gains + np.log(totals))
