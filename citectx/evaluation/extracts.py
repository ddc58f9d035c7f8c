"""ROUGE of extracts: when summaries choose among fixed sentences, nearly all of ROUGE can be computed once.

`rouge` looks at two texts. Here hundreds of summaries are made of the same sentences (lengths, seeds,
parameters), so words are counted once for each sentence, and so is the longest common subsequence of every
sentence with every reference sentence.

>>> sentences = ["cells rest", "they die", "mark the cells"]
>>> scorer = ExtractRouge(["the cells rest", "kinases mark them"], sentences)
>>> scorer([0, 2])["rouge1"]
Scores(precision=0.8, recall=0.6666666666666666, f1=0.7272727272727272)
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.errors import ParameterError
from citectx.evaluation.offsets import Scores
from citectx.evaluation.rouge_counts import Counts, Words, common, read
from citectx.types import Floats


class ExtractRouge:
    """ROUGE-1 and ROUGE-L of any choice among fixed sentences, against one reference.

    The numbers are those of `citectx.evaluation.rouge.rouge` for ``rouge1`` and ``rougeLsum`` with one
    sentence a line and a single reference, hence those of the Perl script.

    Parameters
    ----------
    reference : sequence of str
        Sentences of the reference summary.
    sentences : sequence of str
        What summaries choose from.
    stem : bool
        As in `rouge`.

    Raises
    ------
    ParameterError
        If the reference holds no word.
    """

    def __init__(self, reference: Sequence[str], sentences: Sequence[str], stem: bool = False) -> None:
        wanted, found = ([read(" ".join(s.split()), stem) for s in side] for side in (reference, sentences))
        words = [*chain.from_iterable(each.words for each in (*wanted, *found))]
        number = {word: i for i, word in enumerate(dict.fromkeys(words))}
        self._number, self._lines, self._sentences, self._stem = number, wanted, sentences, stem
        self._counts = _counts(found, number)
        self._reference = np.array([number[w] for each in wanted for w in each.words], dtype=np.int64)
        if not len(self._reference):
            raise ParameterError("the reference summary holds no word")
        self._wanted = np.bincount(self._reference, minlength=len(number))
        self._common = np.concatenate([_followed(each, found) for each in wanted], axis=1)

    def __call__(self, chosen: Sequence[int], last: int | None = None) -> dict[str, Scores]:
        """Score a summary.

        Parameters
        ----------
        chosen : sequence of int
            Positions among the sentences, each once.
        last : int, optional
            Words of the last sentence, counted between white space, that are in the summary; all by default.

        Returns
        -------
        dict
            ``rouge1`` and ``rougeL`` as fractions; all 0 for a summary without words.
        """
        which = np.asarray(chosen if last is None else chosen[:-1], dtype=np.int64)
        own = np.asarray(self._counts[which].sum(axis=0)).ravel()
        on_path = self._common[which].any(axis=0)
        if last is not None:
            words = [read(" ".join(self._sentences[chosen[-1]].split()[:last]), self._stem)]
            own = own + _counts(words, self._number).toarray()[0]
            on_path = on_path | np.concatenate([_followed(each, words) for each in self._lines], axis=1)[0]
        followed = np.bincount(self._reference[on_path], minlength=len(own))
        hits = {"rouge1": np.minimum(own, self._wanted).sum(), "rougeL": np.minimum(own, followed).sum()}
        size = len(self._reference)
        return {kind: Counts(int(hit), int(own.sum()), size).scores() for kind, hit in hits.items()}

    def greedy(self, costs: Floats) -> Iterator[int]:
        """Yield sentences, at each step the one that adds most to ROUGE-1 and ROUGE-L recall for its cost.

        Finding the best extract is NP-hard; this is the usual approximation of that upper bound.

        Parameters
        ----------
        costs : float array, shape (candidates,)
            Of the first `candidates` sentences, above 0; only these are chosen.

        Examples
        --------
        >>> scorer = ExtractRouge(["the cells rest"], ["they die", "the cells", "cells rest now"])
        >>> list(scorer.greedy(np.ones(3))), list(scorer.greedy(np.array([2.0, 2.0, 3.0])))
        ([1, 2, 0], [1, 2, 0])
        """
        known = np.flatnonzero(self._wanted)
        counts, wanted = self._counts[: len(costs)].toarray()[:, known], self._wanted[known]
        word = sp.csr_array(np.searchsorted(known, self._reference)[:, None] == np.arange(len(known)))
        own, on_path, hits = np.zeros(len(known)), np.zeros(len(self._reference), dtype=bool), 0.0
        left = np.ones(len(costs), dtype=bool)
        while left.any():
            followed = (self._common[: len(costs)] | on_path).astype(np.float64) @ word
            found = (np.minimum(own + counts, wanted) + np.minimum(own + counts, followed)).sum(axis=1)
            best = int(np.argmax(np.where(left, (found - hits) / costs, -np.inf).round(9)))
            yield best
            left[best] = False
            own, on_path, hits = own + counts[best], on_path | self._common[best], float(found[best])


def _counts(sentences: Sequence[Words], number: dict[str, int]) -> sp.csr_array:
    """How often each sentence holds each word, shape (sentences, words)."""
    columns = np.array([number[w] for each in sentences for w in each.words], dtype=np.int64)
    indptr = np.cumsum([0, *(len(each.words) for each in sentences)])
    counts = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(sentences), len(number)))
    counts.sum_duplicates()
    return counts


def _followed(reference: Words, sentences: Sequence[Words]) -> NDArray[np.bool_]:
    """Mark a reference sentence's words on the subsequence with each sentence, shape (sentences, words)."""
    marks = np.zeros((len(sentences), len(reference.words)), dtype=bool)
    for row, sentence in zip(marks, sentences, strict=True):
        for length, places in sentence.places:
            row[common(reference.words, length, places)] = True
    return marks
