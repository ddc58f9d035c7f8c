"""SumBasic: sentences of frequent words, each word counting less once it is said."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from citectx.summarization.base import Pool, Summarizer


@dataclass(frozen=True)
class SumBasic(Summarizer):
    """Choose, again and again, the best sentence that holds the most probable word.

    A word's probability is its share of all words; a sentence's weight is the mean probability of its words.
    Of the sentences that hold the word with the highest probability, the heaviest is taken, and the
    probability of each of its words is squared.

    Notes
    -----
    Source: Nenkova and Vanderwende 2005, Section 3.

    Ambiguity: the paper's formula divides by the number of elements of the *set* of a sentence's words, so a
    word counts once however often the sentence has it. Stop words are left out by the pool's analysis, as the
    paper's "content words" suggest. Equal words go by the alphabet, equal sentences by position. Sentences
    without a word come last.

    Examples
    --------
    >>> from citectx.summarization import Budget, Pool
    >>> pool = Pool.of(["Cells rest.", "Cells divide.", "Kinases mark cells.", "Mitochondria fuse."])
    >>> SumBasic().choose(pool, Budget(sentences=3))
    [0, 1, 3]
    """

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences step by step."""
        probability = pool.probability.copy()
        indptr, terms = pool.counts.indptr, pool.counts.indices
        distinct = np.diff(indptr)
        left = distinct > 0
        occurrences = np.bincount(terms, minlength=len(pool.terms))  # in sentences that are left
        by_term = pool.row_of_entry[np.argsort(terms, kind="stable")]
        ends = np.cumsum(occurrences)
        starts = ends - occurrences
        while left.any():
            word = int(np.argmax(np.where(occurrences > 0, probability, -1.0)))
            holders = by_term[starts[word] : ends[word]]
            rows = holders[left[holders]]
            weights = pool.sums(probability[terms])[rows] / distinct[rows]
            best = int(rows[np.argmax(weights.round(12))])
            yield best
            left[best] = False
            said = terms[indptr[best] : indptr[best + 1]]
            probability[said] **= 2
            occurrences[said] -= 1
        yield from np.flatnonzero(distinct == 0).tolist()
