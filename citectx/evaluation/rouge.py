"""ROUGE between a text and its references, such as summaries written by people.

Scores equal those of the library ``rouge-score`` and of ROUGE 1.5.5 (Perl) without stemming, on 24
cases of ours and on the 37 training topics of CL-SciSumm that have a human and a community summary.
Words are runs of a-z and 0-9 in lower case.

What we saw in the data: it matters how references are combined. ROUGE-1, -2 and -L (F in %) of the
abstracts of those topics against both summaries are 39.5, 21.4, 31.7 by their mean, 46.4, 27.3,
37.0 by the best, and 37.1, 20.4, 30.5 pooled.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np
from rouge_score.tokenize import tokenize

from citectx.evaluation.offsets import Scores, scores

Line: TypeAlias = tuple[str, ...]
"""The words of a line."""

Counts: TypeAlias = tuple[int, int, int]
"""Matches of a candidate and a reference, and the most possible on either side."""

Multi = Literal["mean", "best", "pooled"]


def rouge(
    candidate: str,
    references: Sequence[str],
    kinds: Sequence[str] = ("rouge1", "rouge2", "rouge3"),
    multi: Multi = "mean",
) -> dict[str, Scores]:
    """Score a text against one or more references, by kind.

    Kinds are "rouge1" to "rouge4" (n-grams) and "rougeLsum" (longest common subsequence of lines).
    `multi` combines references: by the "mean" of P, R and F, by the reference with the "best" F, or
    by summed counts ("pooled", Perl's default ``-f A``). Scores are 0 where a text has no words.

    Source: sigir2017 §3.1 (ROUGE-N) and Table 4, naacl2015 §3 (ROUGE-L), acl2008 §5.1 (ROUGE-1,
    ROUGE-L).
    Ambiguity: sigir2017 reports one number per ROUGE-N: P, R or F? We compare its table with F.
    Ambiguity: no paper says how references are combined. For annotators' spans we take the mean,
    which treats them alike; "pooled" weighs long references more.
    Ambiguity: the papers mention neither stemming nor stop words. We use neither.
    Ambiguity: the Perl script can cut texts to a given length (250 words in TAC). Cut them before.

    >>> rouge("a b c d", ["a b", "x y"], kinds=["rouge1"])["rouge1"]
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    >>> rouge("a b c d", ["a b", "x y z"], kinds=["rouge1"], multi="pooled")["rouge1"].recall
    0.4
    """
    by_kind = {}
    for kind in kinds:
        rows = [counts(candidate, reference, kind) for reference in references]
        by_reference = [scores(*row) for row in rows]
        if multi == "pooled":
            by_kind[kind] = scores(*np.sum(rows, axis=0).tolist())
        elif multi == "best":
            by_kind[kind] = max(by_reference, key=lambda score: score.f1)
        else:
            by_kind[kind] = Scores(*np.mean(by_reference, axis=0).tolist())
    return by_kind


def counts(candidate: str, reference: str, kind: str) -> Counts:
    r"""Count the n-grams (ROUGE-N) or words (ROUGE-L) that two texts share.

    ROUGE-L counts the words of each of the reference's lines that are on a longest common
    subsequence with any line of the candidate.

    >>> counts("the the cell divides now", "the cell rests", "rouge2")
    (1, 4, 2)
    >>> text = "red cells use oxygen\nred blood flows"
    >>> counts(text, "red blood cells carry oxygen", "rougeLsum")
    (4, 7, 5)
    """
    n = 1 if kind == "rougeLsum" else int(kind[-1])
    ours = _ngrams(candidate, n)
    theirs = _ngrams(reference, n)
    shared = theirs
    if kind == "rougeLsum":
        shared = Counter[Line]()
        for line in lines_of(reference):
            united = {i for other in lines_of(candidate) for i in common(line, other)}
            shared.update((line[i],) for i in united)
    return (ours & shared).total(), ours.total(), theirs.total()


@lru_cache(maxsize=4096)
def _ngrams(text: str, n: int) -> Counter[Line]:
    """Count the runs of n words, across line ends."""
    words = [*chain.from_iterable(lines_of(text))]
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


@lru_cache(maxsize=1024)
def lines_of(text: str) -> tuple[Line, ...]:
    r"""Split a text into the words of its lines.

    >>> lines_of("Cells divide.\nThe TGF-β1 cells rest.")
    (('cells', 'divide'), ('the', 'tgf', '1', 'cells', 'rest'))
    """
    return tuple(words_of(line) for line in text.split("\n"))


@lru_cache(maxsize=100_000)
def words_of(line: str) -> Line:
    """Split a line into words; summaries share lines.

    >>> words_of("TGF-β1 rests.")
    ('tgf', '1', 'rests')
    """
    # Without letters such as "İ", whose lower case begins with an ASCII letter: so does Perl.
    plain = line.encode("ascii", "replace").decode()
    return tuple(tokenize(plain, None))


@lru_cache(maxsize=100_000)
def common(line: Line, other: Line) -> tuple[int, ...]:
    """Return the indices of a line's words on one longest common subsequence with another line.

    A row of the usual table of lengths is one integer, whose bit j is 0 where the length grows from
    column j to j + 1 (Hyyrö 2004). Of several subsequences we take Perl's.

    >>> sorted(common(("cells", "rest", "and", "divide"), ("cells", "divide")))
    [0, 3]
    """
    bits = _bits(other)
    shared = [(i, bits[word]) for i, word in enumerate(line) if word in bits]
    rows = [(1 << len(other)) - 1]
    for _, places in shared:
        row = rows[-1]
        matches = row & places
        grown = (row + matches) | (row - matches)
        rows.append(grown & rows[0])
    path, i, j = [], len(shared), len(other)
    while i and j:
        index, places = shared[i - 1]
        if places >> (j - 1) & 1:
            path.append(index)
            i, j = i - 1, j - 1
            continue
        # A length is its column less the ones: compare length(i, j - 1) with length(i - 1, j).
        up = rows[i - 1] & ((1 << j) - 1)
        left = rows[i] & ((1 << j - 1) - 1)
        if up.bit_count() > left.bit_count() + 1:
            j -= 1
        else:
            i -= 1
    return tuple(path)


@lru_cache(maxsize=10_000)
def _bits(line: Line) -> dict[str, int]:
    """Return the places of each word of a line, as bits."""
    bits: defaultdict[str, int] = defaultdict(int)
    for place, word in enumerate(line):
        bits[word] |= 1 << place
    return bits
