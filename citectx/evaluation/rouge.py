r"""ROUGE between a text and what it should say, such as a summary and those written by people.

Scores are those of the library ``rouge-score``, to the last bit; ours adds pooled references and
speed, as what is counted in a text is counted once. They are also those of the Perl script ROUGE
1.5.5 without stemming: on 24 cases of ours, and on the 37 training topics of CL-SciSumm that have a
human and a community summary.

How references are combined matters. The abstracts of those topics against both summaries, F in %:

===========  =======  =======  =======
`multi`      ROUGE-1  ROUGE-2  ROUGE-L
===========  =======  =======  =======
mean            39.5     21.4     31.7
best            46.4     27.3     37.0
pooled          37.1     20.4     30.5
===========  =======  =======  =======

>>> rouge("the cells divide", ["the cells rest"], kinds=["rouge1", "rouge2"])["rouge2"]
Scores(precision=0.5, recall=0.5, f1=0.5)

Words are those of `rouge_score.tokenize`: runs of a-z and 0-9 once A-Z are lowered, so "TGF-β1" is
the two words "tgf" and "1".

Where summaries choose among fixed sentences (hundreds of them: lengths, seeds, parameters),
`ExtractRouge` counts the words of each sentence only once, and finds its longest common
subsequence with every reference sentence only once.

>>> sentences = ["cells rest", "they die", "mark the cells"]
>>> scorer = ExtractRouge(["the cells rest", "kinases mark them"], sentences)
>>> scorer([0, 2])["rouge1"]
Scores(precision=0.8, recall=0.6666666666666666, f1=0.7272727272727272)
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rouge_score.tokenize import tokenize

from citectx.corpora.text_files import squeeze
from citectx.errors import ParameterError, unknown
from citectx.evaluation.offsets import Scores
from citectx.types import Floats, Ints

Line: TypeAlias = tuple[str, ...]
"""The words of a line."""

Counts: TypeAlias = tuple[int, int, int]
"""Matches of a candidate and a reference, and how many there could be on either side."""

NGRAMS = {"rouge1": 1, "rouge2": 2, "rouge3": 3, "rouge4": 4}
KINDS = (*NGRAMS, "rougeLsum")

Multi = Literal["mean", "best", "pooled"]


def rouge(
    candidate: str,
    references: Sequence[str],
    kinds: Sequence[str] = ("rouge1", "rouge2", "rouge3"),
    multi: Multi = "mean",
) -> dict[str, Scores]:
    """Score a text against one or more reference texts.

    Parameters
    ----------
    candidate : str
        For "rougeLsum", one sentence per line; the other kinds ignore lines.
    references : sequence of str
        The text of each annotator, likewise.
    kinds : sequence of str
        Among "rouge1" to "rouge4" (n-grams) and "rougeLsum" (longest common subsequence).
    multi : {"mean", "best", "pooled"}
        With several references: the mean of P, of R and of F over them; all three of the reference
        with the best F; P, R and F of the hits and counts summed over them (Perl's ``-f A``, its
        default). To score against the union of the annotators, pass its text as the only reference.

    Returns
    -------
    dict of str to Scores
        Fractions, all 0 where either text holds no token (or no n-gram of that length).

    Raises
    ------
    ParameterError
        On an unknown kind or `multi`, or without references.

    Notes
    -----
    Source: sigir2017 §3.1 (ROUGE-N) and Table 4, naacl2015 §3 (ROUGE-L), acl2008 §5.1 (ROUGE-1,
    ROUGE-L).

    Ambiguity: sigir2017 reports one number for each ROUGE-N, without saying whether it is P, R or
    F. All three are returned; its table is compared with F.

    Ambiguity: none of the papers says how several references are combined. For annotators' spans
    the mean treats them alike, as the weighted offset scores do. The Perl script with its defaults
    gives "pooled", which weighs long references more.

    Ambiguity: stemming and stop words are not mentioned. We use neither.

    Ambiguity: where a length is given (250 words in TAC), the Perl script can cut the texts. Here
    they are scored as they are: cut them before.

    Examples
    --------
    >>> rouge("a b c d", ["a b", "x y"], kinds=["rouge1"])["rouge1"]
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    >>> rouge("a b c d", ["a b", "x y"], kinds=["rouge1"], multi="best")["rouge1"].recall
    1.0
    >>> rouge("a b c d", ["a b", "x y z"], kinds=["rouge1"], multi="pooled")["rouge1"].recall
    0.4
    """
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind of ROUGE", kind, KINDS)
    if multi not in get_args(Multi):
        raise unknown("way to combine references", multi, get_args(Multi))
    if not references:
        raise ParameterError("ROUGE needs at least one reference text")
    scores = {}
    for kind in kinds:
        counts = [_counts(candidate, reference, kind) for reference in references]
        scores[kind] = _combined(counts, multi)
    return scores


def _combined(counts: Sequence[Counts], multi: Multi) -> Scores:
    """Make one score of what was counted against several references."""
    if multi == "pooled":
        hits, found, wanted = map(sum, zip(*counts, strict=True))
        return _scores(hits, found, wanted)
    scores = [_scores(*each) for each in counts]
    if multi == "best":
        return max(scores, key=lambda each: each.f1)
    return Scores(*np.mean(scores, axis=0).tolist())


def _scores(hits: int, found: int, wanted: int) -> Scores:
    """Return precision, recall and F1, each 0 where nothing could match."""
    precision, recall = hits / max(found, 1), hits / max(wanted, 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Scores(precision, recall, f1)


def _counts(candidate: str, reference: str, kind: str) -> Counts:
    if kind in NGRAMS:
        return ngram_counts(candidate, reference, NGRAMS[kind])
    return lcs_counts(candidate, reference)


def ngram_counts(candidate: str, reference: str, n: int) -> Counts:
    """Count the n-grams that two texts share, each as often as the text with fewer of it has it.

    >>> ngram_counts("the the cell divides now", "the cell rests", 2)
    (1, 4, 2)
    """
    found, wanted = _ngrams(candidate, n), _ngrams(reference, n)
    return (found & wanted).total(), found.total(), wanted.total()


def lcs_counts(candidate: str, reference: str) -> Counts:
    r"""Count a reference's words on longest common subsequences with lines of a candidate.

    For each line of the reference the subsequences with all lines of the candidate are united; a
    word counts at most as often as the candidate has it.

    >>> lcs_counts("red cells use oxygen\nred blood flows", "red blood cells carry oxygen")
    (4, 7, 5)
    """
    found, wanted = _ngrams(candidate, 1), _ngrams(reference, 1)
    followed: Counter[Hashable] = Counter()
    for line in lines_of(reference):
        union = set[int]()
        for other in lines_of(candidate):
            union.update(common(line, other))
        followed.update(line[i] for i in union)
    return (found & followed).total(), found.total(), wanted.total()


@lru_cache(maxsize=4096)
def _ngrams(text: str, n: int) -> Counter[Hashable]:
    """Count the runs of n words, across line ends, once: all systems meet the same references."""
    words = list(chain.from_iterable(lines_of(text)))
    if n == 1:
        return Counter(words)
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


@lru_cache(maxsize=1024)
def lines_of(text: str) -> tuple[Line, ...]:
    r"""Cut a text into the words of its lines.

    >>> lines_of("Cells divide.\nThe TGF-β1 cells rest.")
    (('cells', 'divide'), ('the', 'tgf', '1', 'cells', 'rest'))
    """
    return tuple(_words(line) for line in text.split("\n"))


@lru_cache(maxsize=100_000)
def _words(line: str) -> Line:
    """Cut a line, which summaries of the same sentences share."""
    # As in Perl, no word begins with what "İ" lowers to.
    plain = line.encode("ascii", "replace").decode()
    return tuple(tokenize(plain, None))


@lru_cache(maxsize=100_000)
def common(line: Line, other: Line) -> tuple[int, ...]:
    """Return the indices of a line's words on one longest common subsequence with another line.

    Results are cached, because systems choose the same sentences and share their references.

    Row i of the usual table of lengths is kept as one integer, whose bit j is 0 where the length
    grows from column j to j + 1 (Hyyrö 2004). Of several longest subsequences it takes the one that
    Perl takes: going back from the end, past the last word of the reference unless only the other
    way keeps the length.
    """
    places = _bits(other)
    indices = [i for i, word in enumerate(line) if word in places]
    rows = [(1 << len(other)) - 1]
    for i in indices:
        row = rows[-1]
        matches = row & places[line[i]]
        rows.append(((row + matches) | (row - matches)) & rows[0])
    found, i, j = [], len(indices), len(other)
    while i and j:
        if places[line[indices[i - 1]]] >> (j - 1) & 1:
            found.append(indices[i - 1])
            i, j = i - 1, j - 1
            continue
        # Ones are what a length lacks to its column: length(i, j - 1) > length(i - 1, j).
        up = rows[i - 1] & ((1 << j) - 1)
        left = rows[i] & ((1 << j - 1) - 1)
        if up.bit_count() > left.bit_count() + 1:
            j -= 1
        else:
            i -= 1
    return tuple(found)


@lru_cache(maxsize=10_000)
def _bits(line: Line) -> dict[str, int]:
    """Return for each word of a line its places, as bits."""
    bits: dict[str, int] = {}
    for place, word in enumerate(line):
        bits[word] = bits.get(word, 0) | 1 << place
    return bits


class ExtractRouge:
    """ROUGE-1 and ROUGE-L of any choice among fixed sentences, against one reference.

    The numbers are those of `citectx.evaluation.rouge.rouge` for ``rouge1`` and ``rougeLsum`` with
    one sentence per line and a single reference, hence those of the Perl script.

    Parameters
    ----------
    reference : sequence of str
        Sentences of the reference summary.
    sentences : sequence of str
        What summaries choose from.

    Raises
    ------
    ParameterError
        If the reference holds no word.
    """

    def __init__(self, reference: Sequence[str], sentences: Sequence[str]) -> None:
        self._sentences = sentences
        self._lines = [_words(squeeze(each)) for each in reference]
        words = list(chain.from_iterable(self._lines))
        if not words:
            raise ParameterError("the reference summary holds no word")
        self._number = {word: i for i, word in enumerate(dict.fromkeys(words))}
        self._reference = self._numbers(words)
        self._wanted = self._counted(words)
        found = [_words(squeeze(each)) for each in sentences]
        self._counts = np.array([self._counted(each) for each in found])
        self._followed = np.array([self._on_path(each) for each in found])

    def _numbers(self, words: Iterable[str]) -> Ints:
        """Number words as the reference has them; all others share the number after its last."""
        others = len(self._number)
        return np.array([self._number.get(word, others) for word in words], dtype=np.int64)

    def _counted(self, words: Iterable[str]) -> Ints:
        """Count words by their number, shape (words of the reference + 1,)."""
        return np.bincount(self._numbers(words), minlength=len(self._number) + 1)

    def _on_path(self, sentence: Line) -> NDArray[np.bool_]:
        """Mark the reference's words on the subsequences with a sentence, shape (its length,)."""
        marks = np.zeros(len(self._reference), dtype=bool)
        start = 0
        for line in self._lines:
            marks[[start + i for i in common(line, sentence)]] = True
            start += len(line)
        return marks

    def __call__(self, chosen: Sequence[int], last: int | None = None) -> dict[str, Scores]:
        """Score a summary.

        Parameters
        ----------
        chosen : sequence of int
            Positions among the sentences, each once.
        last : int, optional
            Words of the last sentence, counted between white space, that are in the summary; all by
            default.

        Returns
        -------
        dict
            ``rouge1`` and ``rougeL`` as fractions; all 0 for a summary without words.
        """
        whole = list(chosen if last is None else chosen[:-1])
        own = self._counts[whole].sum(axis=0)
        on_path = self._followed[whole].any(axis=0)
        if last is not None:
            words = self._sentences[chosen[-1]].split()[:last]
            end = _words(" ".join(words))
            own = own + self._counted(end)
            on_path = on_path | self._on_path(end)
        followed = np.bincount(self._reference[on_path], minlength=len(own))
        words, in_order = np.minimum(own, self._wanted), np.minimum(own, followed)
        sizes = int(own.sum()), len(self._reference)
        return {
            "rouge1": _scores(int(words.sum()), *sizes),
            "rougeL": _scores(int(in_order.sum()), *sizes),
        }

    def greedy(self, costs: Floats) -> Iterator[int]:
        """Yield sentences by what each adds to ROUGE-1 and ROUGE-L recall, for its cost.

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
        counts = self._counts[: len(costs)].astype(np.float64)
        marks = self._followed[: len(costs)]
        is_word = sp.csr_array(self._reference[:, None] == np.arange(len(self._wanted)))
        own, hits = np.zeros(len(self._wanted)), 0.0
        on_path = np.zeros(len(self._reference), dtype=bool)
        left = np.ones(len(costs), dtype=bool)
        while left.any():
            followed = (marks | on_path).astype(np.float64) @ is_word
            words, in_order = (
                np.minimum(own + counts, self._wanted),
                np.minimum(own + counts, followed),
            )
            found = (words + in_order).sum(axis=1)
            gains = np.where(left, (found - hits) / costs, -np.inf)
            best = int(np.argmax(gains.round(9)))
            yield best
            left[best] = False
            own = own + counts[best]
            on_path = on_path | marks[best]
            hits = float(found[best])
