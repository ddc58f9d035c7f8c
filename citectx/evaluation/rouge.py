r"""ROUGE between a text and what it should say: retrieved against marked text, summaries against
summaries.

Scores are those of the library ``rouge-score``, to the last bit. Ours is what it lacks: pooled
references, the Perl script's cut, and speed, as what is counted of a text is counted once.
Without stemming every score is Perl's: on 24 cases of ours, and on the 37 training topics of
CL-SciSumm that have a human and a community summary, with either of its ways to combine references
and with its cut. With stemming Perl looks up WordNet's exceptions first ("mice" is "mouse", "were"
is "be"), which are not ours to ship: 1.7 % of the words of CL-SciSumm's articles, 2.5 % of
Citation-Integrity's. And its Porter stemmer tries one ending too many ("document" becomes "docum";
0.4 % and 0.1 %). Together that took at most 1.2 points of ROUGE-1 F from a topic, 0.2 in the mean,
and less of ROUGE-2 and ROUGE-L. (The library's default stemmer, with NLTK's own changes, differs
from Perl's in 1.3 % and 0.9 % of the words: "used" is "use", not "us"; it is given ours instead.)

How references are combined matters far more. The abstracts of those topics against both summaries,
cut after 250 words, F in %:

===============  =======  =======  =======
`multi`          ROUGE-1  ROUGE-2  ROUGE-L
===============  =======  =======  =======
mean                43.8     24.1     35.6
best                48.7     31.0     41.4
pooled              43.6     24.3     35.8
best_recall         47.3     30.7     40.2
pooled, stemmed     45.9     25.1     37.3
pooled, not cut     37.1     20.4     30.5
===============  =======  =======  =======

>>> rouge("the cells divide", ["the cells rest"], kinds=["rouge1", "rouge2"])["rouge2"]
Scores(precision=0.5, recall=0.5, f1=0.5)

Everything counted here is defined by what the Perl script ROUGE 1.5.5 does, and checked against its
counts. Words are those of `rouge_score.tokenize`: runs of a-z and 0-9 once A-Z are lowered, so
"TGF-β1" is the two words "tgf" and "1".

>>> read("Cells divide.\nThe TGF-β1 cells rest.").lines
(('cells', 'divide'), ('the', 'tgf', '1', 'cells', 'rest'))

Where summaries choose among fixed sentences (hundreds of them: lengths, seeds, parameters),
`ExtractRouge` counts words once for each sentence, and so it does the longest common subsequence of
each with every reference sentence.

>>> sentences = ["cells rest", "they die", "mark the cells"]
>>> scorer = ExtractRouge(["the cells rest", "kinases mark them"], sentences)
>>> scorer([0, 2])["rouge1"]
Scores(precision=0.8, recall=0.6666666666666666, f1=0.7272727272727272)
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rouge_score.tokenize import tokenize

from citectx.errors import ParameterError, unknown
from citectx.evaluation.offsets import Scores
from citectx.types import Floats

_BETWEEN_SPACES = re.compile(r"\S+", re.ASCII)


class Counts(NamedTuple):
    """Matches between a candidate and a reference, and how many there could have been on either
    side.

    >>> Counts(hits=1, candidate=4, reference=2).scores()
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    """

    hits: int
    candidate: int
    reference: int

    def scores(self) -> Scores:
        """Return precision, recall and F1, each 0 where nothing could match."""
        precision, recall = self.hits / max(self.candidate, 1), self.hits / max(self.reference, 1)
        f1 = 2 * precision * recall / (precision + recall) if self.hits else 0.0
        return Scores(precision, recall, f1)


class Words:
    """A text as ROUGE sees it; what is counted of it is counted once.

    Parameters
    ----------
    lines : tuple of tuple of str
        The words of each line, stemmed or not.
    """

    def __init__(self, lines: tuple[tuple[str, ...], ...]):
        self.lines = lines
        self.words = tuple(chain.from_iterable(lines))
        self._ngrams: dict[int, Counter[Hashable]] = {}

    def ngrams(self, n: int) -> Counter[Hashable]:
        """Count the runs of n words, across the ends of lines."""
        if n not in self._ngrams:
            runs = self.words if n == 1 else zip(*(self.words[i:] for i in range(n)), strict=False)
            self._ngrams[n] = Counter(runs)
        return self._ngrams[n]


@lru_cache(maxsize=10_000)
def _bits(line: tuple[str, ...]) -> dict[str, int]:
    """Return for each word of a line its places, as bits."""
    bits: dict[str, int] = {}
    for place, word in enumerate(line):
        bits[word] = bits.get(word, 0) | 1 << place
    return bits


@lru_cache(maxsize=1024)
def read(text: str, stem: bool = False) -> Words:
    """Cut a text into the words of its lines; remembers texts, since every system meets the same
    references.

    Parameters
    ----------
    text : str
    stem : bool
        Reduce words of more than three letters by Porter's stemmer, with its author's later
        changes; of NLTK's three it is the nearest to Perl's.
    """
    return Words(tuple(_words(line, stem) for line in text.split("\n")))


@lru_cache(maxsize=100_000)
def _words(line: str, stem: bool) -> tuple[str, ...]:
    """Cut a line, which summaries of the same sentences share."""
    plain = line.encode(
        "ascii", "replace"
    ).decode()  # as Perl does, no word begins with what "İ" lowers to
    return tuple(tokenize(plain, _stemmer() if stem else None))


def cut(text: str, words: int) -> str:
    r"""Keep the first words of a text, counted as Perl does for ``-l``.

    Words are between white space, before punctuation is dropped: "TGF-β1," is one of them. (White
    space before a line counts as a word in Perl, not here.)

    >>> cut("end-to-end, a\nb c", 3)
    'end-to-end, a\nb'
    """
    lines = []
    for line in text.split("\n"):
        kept = _BETWEEN_SPACES.findall(line)[:words]
        words -= len(kept)
        lines.append(" ".join(kept))
    return "\n".join(lines)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)


def ngram_counts(candidate: Words, reference: Words, n: int) -> Counts:
    """Count the n-grams that two texts share, each as often as the text with fewer of it has it.

    >>> ngram_counts(read("the the cell divides now"), read("the cell rests"), 2)
    Counts(hits=1, candidate=4, reference=2)
    """
    found, expected = candidate.ngrams(n), reference.ngrams(n)
    hits = sum([min(found[gram], expected[gram]) for gram in found.keys() & expected.keys()])
    sizes = (max(len(text.words) - n + 1, 0) for text in (candidate, reference))
    return Counts(hits, *sizes)


def lcs_counts(candidate: Words, reference: Words) -> Counts:
    r"""Count the words of a reference that lie on longest common subsequences with lines of the
    candidate.

    For each line of the reference the subsequences with all lines of the candidate are united; a
    word counts at most as often as the candidate has it.

    >>> lcs_counts(read("red cells use oxygen\nred blood flows"), read("red blood cells carry oxygen"))
    Counts(hits=4, candidate=7, reference=5)
    """
    left = dict(candidate.ngrams(1))
    hits = 0
    for line in reference.lines:
        union = set().union(*(common(line, other) for other in candidate.lines))
        for i in sorted(union):
            if left[line[i]] > 0:
                left[line[i]] -= 1
                hits += 1
    return Counts(hits, len(candidate.words), len(reference.words))


@lru_cache(maxsize=100_000)
def common(line: tuple[str, ...], other: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of a line's words on one longest common subsequence with another line.

    Results are remembered, because systems choose the same sentences and share their references.

    Row i of the usual table of lengths is kept as one integer, whose bit j is 0 where the length
    grows from column j to j + 1 (Hyyrö 2004). Of several longest subsequences it takes the one that
    Perl takes: going back from the end, past the last word of the reference unless only the other
    way keeps the length.
    """
    length, places = len(other), _bits(other)
    indices = [i for i, word in enumerate(line) if word in places]
    rows = [(1 << length) - 1]
    for i in indices:
        row = rows[-1]
        matches = row & places[line[i]]
        rows.append(((row + matches) | (row - matches)) & rows[0])
    common, i, j = [], len(indices), length
    while i and j:
        if places[line[indices[i - 1]]] >> (j - 1) & 1:
            common.append(indices[i - 1])
            i, j = i - 1, j - 1
        # Ones are what a length lacks to its column: length(i, j - 1) > length(i - 1, j), said in
        # ones.
        elif (rows[i - 1] & ((1 << j) - 1)).bit_count() > (
            rows[i] & ((1 << j - 1) - 1)
        ).bit_count() + 1:
            j -= 1
        else:
            i -= 1
    return tuple(common)


COMBINED: dict[str, Callable[[Sequence[Counts]], Scores]] = {
    "mean": lambda counts: Scores(*map(float, np.mean([each.scores() for each in counts], axis=0))),
    "best": lambda counts: max((each.scores() for each in counts), key=lambda scores: scores.f1),
    "best_recall": lambda counts: max(
        (each.scores() for each in counts), key=lambda scores: scores.recall
    ),
    "pooled": lambda counts: Counts(*map(sum, zip(*counts, strict=True))).scores(),
}
"""How what is counted against several references becomes one score."""

LSUM = "rougeLsum"
KINDS = ("rouge1", "rouge2", "rouge3", "rouge4", LSUM)

Multi = Literal["mean", "best", "pooled", "best_recall"]


def rouge(
    candidate: str,
    references: Sequence[str],
    kinds: Sequence[str] = ("rouge1", "rouge2", "rouge3"),
    stem: bool = False,
    multi: Multi = "mean",
    words: int | None = None,
) -> dict[str, Scores]:
    """Score a text against one or more reference texts.

    Parameters
    ----------
    candidate : str
        For "rougeLsum", one sentence a line; the other kinds do not look at lines.
    references : sequence of str
        The text of each annotator, likewise.
    kinds : sequence of str
        Among "rouge1" to "rouge4" (n-grams) and "rougeLsum" (longest common subsequence).
    stem : bool
        Reduce words of more than three letters by Porter's stemmer.
    multi : {"mean", "best", "pooled", "best_recall"}
        With several references: the mean of P, of R and of F over them; all three of the reference
        with the best F; P, R and F of the hits and counts summed over them (Perl's ``-f A``, its
        default); all three of the reference with the best recall (Perl's ``-f B``). To score
        against the union of the annotators, pass its text as the only reference.
    words : int, optional
        Cut the candidate *and the references* after this many words between white space (Perl's
        ``-l``).

    Returns
    -------
    dict of str to Scores
        Fractions, all 0 where either text holds no token (or no n-gram of that length).

    Raises
    ------
    ParameterError
        On an unknown kind or `multi`, without references, or with fewer than one word.

    Notes
    -----
    Source: sigir2017 §3.1 (ROUGE-N) and Table 4, naacl2015 §3 (ROUGE-L), acl2008 §5.1 (ROUGE-1,
    ROUGE-L).

    Ambiguity: sigir2017 reports one number for each ROUGE-N, without saying whether it is P, R or
    F. All three are returned; its table is compared with F.

    Ambiguity: none of the papers says how several references are combined. For annotators' spans
    the mean treats them alike, as the weighted offset scores do. The Perl script with its defaults
    gives "pooled", which weighs long references more.

    Ambiguity: stemming and stop words are not mentioned. We use neither by default. There is no
    option for stop words: whoever wants them dropped passes texts without them.

    Ambiguity: where a length is given (250 words in TAC), Perl's manual says that ``-l`` cuts the
    candidate; its code cuts the references just the same, and so do we.

    Examples
    --------
    >>> scores = rouge("a b c d", ["a b", "x y"], kinds=["rouge1"])
    >>> scores["rouge1"]
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    >>> rouge("a b c d", ["a b", "x y"], kinds=["rouge1"], multi="best")["rouge1"].recall
    1.0
    >>> rouge("a b c d", ["a b", "x y z"], kinds=["rouge1"], multi="pooled")["rouge1"].recall
    0.4
    >>> rouge("a b c d", ["a b", "x y z"], kinds=["rouge1"], multi="pooled", words=2)["rouge1"].recall
    0.5
    """
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind of ROUGE", kind, KINDS)
    if multi not in get_args(Multi):
        raise unknown("way to combine references", multi, get_args(Multi))
    if not references:
        raise ParameterError("ROUGE needs at least one reference text")
    if words is not None and words < 1:
        raise ParameterError(
            f"a text is cut after at least 1 word, not {words}; None keeps it whole"
        )
    if words is not None:
        candidate, references = (
            cut(candidate, words),
            [cut(reference, words) for reference in references],
        )
    found, wanted = read(candidate, stem), [read(reference, stem) for reference in references]
    count = {f"rouge{n}": partial(ngram_counts, n=n) for n in range(1, 5)} | {LSUM: lcs_counts}
    return {kind: COMBINED[multi]([count[kind](found, each) for each in wanted]) for kind in kinds}


class ExtractRouge:
    """ROUGE-1 and ROUGE-L of any choice among fixed sentences, against one reference.

    The numbers are those of `citectx.evaluation.rouge.rouge` for ``rouge1`` and ``rougeLsum`` with
    one sentence a line and a single reference, hence those of the Perl script.

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

    def __init__(
        self, reference: Sequence[str], sentences: Sequence[str], stem: bool = False
    ) -> None:
        wanted, found = (
            [read(" ".join(s.split()), stem) for s in side] for side in (reference, sentences)
        )
        words = [*chain.from_iterable(each.words for each in (*wanted, *found))]
        number = {word: i for i, word in enumerate(dict.fromkeys(words))}
        self._number, self._sentences, self._stem = number, sentences, stem
        starts = np.cumsum([0, *(len(each.words) for each in wanted)]).tolist()
        self._lines = [(start, each.words) for start, each in zip(starts, wanted, strict=False)]
        self._words = [np.array([number[w] for w in each.words], dtype=np.int64) for each in found]
        self._reference = np.array(
            [number[w] for each in wanted for w in each.words], dtype=np.int64
        )
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
            Words of the last sentence, counted between white space, that are in the summary; all by
            default.

        Returns
        -------
        dict
            ``rouge1`` and ``rougeL`` as fractions; all 0 for a summary without words.
        """
        which = [*(chosen if last is None else chosen[:-1])]
        words = [np.zeros(0, dtype=np.int64), *(self._words[i] for i in which)]
        on_path: NDArray[np.bool_] = np.asarray(self._common[which].any(axis=0))
        if last is not None:
            end = read(" ".join(self._sentences[chosen[-1]].split()[:last]), self._stem)
            words.append(np.array([self._number[w] for w in end.words], dtype=np.int64))
            on_path[
                [
                    start + i
                    for start, line in self._lines
                    for own in end.lines
                    for i in common(line, own)
                ]
            ] = True
        own = np.bincount(np.concatenate(words), minlength=len(self._number))
        followed = np.bincount(self._reference[on_path], minlength=len(own))
        hits = {
            "rouge1": np.minimum(own, self._wanted).sum(),
            "rougeL": np.minimum(own, followed).sum(),
        }
        size = len(self._reference)
        return {kind: Counts(int(hit), int(own.sum()), size).scores() for kind, hit in hits.items()}

    def greedy(self, costs: Floats) -> Iterator[int]:
        """Yield sentences, at each step the one that adds most to ROUGE-1 and ROUGE-L recall for
        its cost.

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
        counts = np.array(
            [np.bincount(words, minlength=len(self._number)) for words in self._words[: len(costs)]]
        )
        counts, wanted = counts[:, known].astype(np.float64), self._wanted[known]
        word = sp.csr_array(
            np.searchsorted(known, self._reference)[:, None] == np.arange(len(known))
        )
        own, on_path, hits = np.zeros(len(known)), np.zeros(len(self._reference), dtype=bool), 0.0
        left = np.ones(len(costs), dtype=bool)
        while left.any():
            followed = (self._common[: len(costs)] | on_path).astype(np.float64) @ word
            found = (np.minimum(own + counts, wanted) + np.minimum(own + counts, followed)).sum(
                axis=1
            )
            best = int(np.argmax(np.where(left, (found - hits) / costs, -np.inf).round(9)))
            yield best
            left[best] = False
            own, on_path, hits = (
                own + counts[best],
                on_path | self._common[best],
                float(found[best]),
            )


def _followed(reference: Words, sentences: Sequence[Words]) -> NDArray[np.bool_]:
    """Mark a reference sentence's words on the subsequence with each sentence, shape (sentences,
    words).
    """
    marks = np.zeros((len(sentences), len(reference.words)), dtype=bool)
    for row, sentence in zip(marks, sentences, strict=True):
        for line in sentence.lines:
            row[list(common(reference.words, line))] = True
    return marks
