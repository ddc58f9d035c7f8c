"""ROUGE of extracts: when summaries choose among fixed sentences, nearly all of ROUGE can be computed once.

`rouge` looks at two texts. Here hundreds of summaries are made of the same sentences (lengths, seeds,
parameters), so words are counted once for each sentence, and the longest common subsequence of every sentence
with every reference sentence is found once, for all sentences together.

>>> sentences = ["cells rest", "they die", "mark the cells"]
>>> scorer = ExtractRouge(["the cells rest", "kinases mark them"], sentences)
>>> scorer([0, 2])["rouge1"]
Scores(precision=0.8, recall=0.6666666666666666, f1=0.7272727272727272)
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.errors import ParameterError
from citectx.evaluation.offsets import Scores
from citectx.spans import Ints


class ExtractRouge:
    """ROUGE-1 and ROUGE-L of any choice among fixed sentences, against one reference.

    The numbers are those of `citectx.evaluation.rouge.rouge` for ``rouge1`` and ``rougeLsum`` with one
    sentence a line and a single reference, hence of the Perl script ROUGE 1.5.5 without stemming.

    Parameters
    ----------
    reference : sequence of str
        Sentences of the reference summary.
    sentences : sequence of str
        What summaries choose from.
    stem : bool
        Reduce words of more than three letters by Porter's stemmer.

    Raises
    ------
    ParameterError
        If the reference holds no token.
    """

    def __init__(self, reference: Sequence[str], sentences: Sequence[str], stem: bool = False) -> None:
        from rouge_score.tokenizers import DefaultTokenizer  # a second to import

        tokenize = DefaultTokenizer(stem).tokenize
        numbers: dict[str, int] = {}
        wanted, found = (
            [
                np.array([numbers.setdefault(t, len(numbers)) for t in tokenize(s)], dtype=np.int64)
                for s in side
            ]
            for side in (reference, sentences)
        )
        self._reference = np.concatenate([np.zeros(0, dtype=np.int64), *wanted])
        if not len(self._reference):
            raise ParameterError("the reference summary holds no token")
        self._wanted = np.bincount(self._reference, minlength=len(numbers))
        self._counts = _counts(found, len(numbers))
        self._common = np.concatenate([common(r, found) for r in wanted], axis=1)

    def __call__(self, chosen: Sequence[int]) -> dict[str, Scores]:
        """Score a summary.

        Parameters
        ----------
        chosen : sequence of int
            Positions among the sentences, each once.

        Returns
        -------
        dict
            ``rouge1`` and ``rougeL`` as fractions; all 0 for a summary without tokens.
        """
        which = np.asarray(chosen, dtype=np.int64)
        own = np.asarray(self._counts[which].sum(axis=0)).ravel()
        union = self._reference[self._common[which].any(axis=0)]
        followed = np.bincount(union, minlength=len(own))
        return {
            "rouge1": self._scores(np.minimum(own, self._wanted).sum(), own.sum()),
            "rougeL": self._scores(np.minimum(own, followed).sum(), own.sum()),
        }

    def _scores(self, hits: float, size: float) -> Scores:
        if not hits:
            return Scores(0.0, 0.0, 0.0)
        precision, recall = float(hits / size), float(hits / len(self._reference))
        return Scores(precision, recall, 2 * precision * recall / (precision + recall))


def _counts(sentences: Sequence[Ints], tokens: int) -> sp.csr_array:
    columns = np.concatenate([np.zeros(0, dtype=np.int64), *sentences])
    indptr = np.cumsum([0, *map(len, sentences)])
    counts = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(sentences), tokens))
    counts.sum_duplicates()
    return counts


def common(reference: Ints, sentences: Sequence[Ints]) -> NDArray[np.bool_]:
    """Mark a longest common subsequence with each sentence in the reference, shape (sentences, tokens).

    Of several longest ones, that which ROUGE's own backtracking finds: from the end, it takes a match, else
    leaves out a token of the sentence where that alone keeps the length, else one of the reference.

    >>> common(np.array([1, 2, 3]), [np.array([3, 1, 2]), np.array([3])]).astype(int)
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    n, length = len(sentences), len(reference)
    sizes = np.array([len(s) for s in sentences], dtype=np.int64)
    padded = np.full((n, max(sizes.max(initial=0), 1)), -1, dtype=np.int64)
    for row, sentence in zip(padded, sentences, strict=True):
        row[: len(sentence)] = sentence
    table = np.zeros((length + 1, n, padded.shape[1] + 1), dtype=np.int16)
    for place, token in enumerate(reference, start=1):
        step = np.maximum(table[place - 1, :, 1:], table[place - 1, :, :-1] + (padded == token))
        table[place, :, 1:] = np.maximum.accumulate(step, axis=1)
    marks = np.zeros((n, length), dtype=bool)
    rows, left, behind = np.arange(n), np.full(n, length, dtype=np.int64), sizes.copy()
    while len(rows := rows[(left[rows] > 0) & (behind[rows] > 0)]):
        i, j = left[rows], behind[rows]
        match = reference[i - 1] == padded[rows, j - 1]
        marks[rows[match], i[match] - 1] = True
        skip = ~match & (table[i, rows, j - 1] > table[i - 1, rows, j])
        left[rows] -= ~skip
        behind[rows] -= match | skip
    return marks
