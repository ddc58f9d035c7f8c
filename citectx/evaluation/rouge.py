r"""ROUGE between a text and what it should say, such as a summary and those written by people.

Scores are those of the library ``rouge-score``; ours adds pooled references and speed, as what is
counted in a text is counted once. They are also those of the Perl script ROUGE
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
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from rouge_score.tokenize import tokenize

from citectx.evaluation.offsets import Scores, scores
from citectx.types import Floats

Line: TypeAlias = tuple[str, ...]
"""The words of a line."""

Counts: TypeAlias = tuple[int, int, int]
"""Matches of a candidate and a reference, and how many there could be on either side."""

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
    found = {}
    for kind in kinds:
        counted = [counts(candidate, reference, kind) for reference in references]
        each = [scores(*row) for row in counted]
        if multi == "pooled":
            found[kind] = scores(*np.sum(counted, axis=0).tolist())
        elif multi == "best":
            found[kind] = max(each, key=lambda own: own.f1)
        else:
            found[kind] = Scores(*np.mean(each, axis=0).tolist())
    return found


def counts(candidate: str, reference: str, kind: str) -> Counts:
    r"""Count what two texts share, each as often as the text with fewer of it has it.

    For ROUGE-N that is n-grams. For ROUGE-L it is the reference's words on longest common
    subsequences with lines of the candidate: for each line of the reference the subsequences with
    all lines of the candidate are united.

    >>> counts("the the cell divides now", "the cell rests", "rouge2")
    (1, 4, 2)
    >>> text = "red cells use oxygen\nred blood flows"
    >>> counts(text, "red blood cells carry oxygen", "rougeLsum")
    (4, 7, 5)
    """
    n = 1 if kind == "rougeLsum" else int(kind[-1])
    found, wanted = _ngrams(candidate, n), _ngrams(reference, n)
    shared = wanted
    if kind == "rougeLsum":
        shared = Counter[Line]()
        for line in lines_of(reference):
            united: set[int] = set()
            for other in lines_of(candidate):
                united.update(common(line, other))
            shared.update((line[i],) for i in united)
    return (found & shared).total(), found.total(), wanted.total()


@lru_cache(maxsize=4096)
def _ngrams(text: str, n: int) -> Counter[Line]:
    """Count the runs of n words, across line ends, once: all systems meet the same references."""
    words = list(chain.from_iterable(lines_of(text)))
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
        grown = (row + matches) | (row - matches)
        rows.append(grown & rows[0])
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


def greedy_extract(
    reference: Sequence[str], sentences: Sequence[str], costs: Floats
) -> Iterator[int]:
    """Yield sentences by what each adds to ROUGE-1 and ROUGE-L recall, for its cost.

    Finding the best extract is NP-hard; this is the usual approximation of that upper bound.

    Parameters
    ----------
    reference : sequence of str
        Sentences of the reference summary.
    sentences : sequence of str
    costs : float array, shape (sentences,)
        Above 0.

    Examples
    --------
    >>> list(greedy_extract(["the cells rest"], ["they die", "the cells", "rest now"], np.ones(3)))
    [1, 2, 0]
    """
    lines = [_words(line) for line in reference]
    wanted = list(chain.from_iterable(lines))
    terms = list(dict.fromkeys(wanted))
    split = [_words(sentence) for sentence in sentences]
    in_reference = np.array([wanted.count(term) for term in terms])
    counts = np.array([[words.count(term) for term in terms] for words in split])
    paths = np.array([_marks(lines, words) for words in split])  # (sentences, words of reference)
    is_term = sp.csr_array(np.array(wanted)[:, None] == np.array(terms))
    # what the extract has so far
    count = np.zeros(len(terms))
    path = np.zeros(len(wanted))
    hits = 0.0
    left = np.ones(len(costs), dtype=bool)
    while left.any():
        followed = np.maximum(paths, path) @ is_term
        held = count + counts
        found = np.minimum(held, in_reference) + np.minimum(held, followed)
        totals = found.sum(axis=1)
        gains = np.where(left, (totals - hits) / costs, -np.inf)
        best = int(np.argmax(gains.round(9)))
        yield best
        left[best] = False
        count += counts[best]
        path = np.maximum(path, paths[best])
        hits = totals[best]


def _marks(lines: Sequence[Line], other: Line) -> list[float]:
    """Mark with 1 the words of some lines that are on their `common` subsequences with another."""
    marks = list[float]()
    for line in lines:
        path = common(line, other)
        marks += (float(i in path) for i, _ in enumerate(line))
    return marks
