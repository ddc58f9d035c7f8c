"""ROUGE between a text and what it should say: retrieved against marked text, summaries against summaries.

Scores are those of the library ``rouge-score``, to the last bit. Ours is what it lacks: pooled references,
the Perl script's cut, and speed, as what is counted of a text is counted once (see `rouge_counts`).
Without stemming every score is Perl's: on 24 cases of ours, and on the 37 training topics of CL-SciSumm that
have a human and a community summary, with either of its ways to combine references and with its cut. With
stemming Perl looks up WordNet's exceptions first ("mice" is "mouse", "were" is "be"), which are not ours to
ship: 1.7 % of the words of CL-SciSumm's articles, 2.5 % of Citation-Integrity's. And its Porter stemmer tries
one ending too many ("document" becomes "docum"; 0.4 % and 0.1 %). Together that took at most 1.2 points of
ROUGE-1 F from a topic, 0.2 in the mean, and less of ROUGE-2 and ROUGE-L. (The library's default stemmer, with
NLTK's own changes, differs from Perl's in 1.3 % and 0.9 % of the words: "used" is "use", not "us"; it is
given ours instead.)

How references are combined matters far more. The abstracts of those topics against both summaries, cut after
250 words, F in %:

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
"""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np

from citectx.errors import ParameterError, unknown
from citectx.evaluation.offsets import Scores
from citectx.evaluation.rouge_counts import Counts, Words, cut, lcs_counts, ngram_counts, read

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
        With several references: the mean of P, of R and of F over them; all three of the reference with the
        best F; P, R and F of the hits and counts summed over them (Perl's ``-f A``, its default); all three
        of the reference with the best recall (Perl's ``-f B``). To score against the union of the annotators,
        pass its text as the only reference.
    words : int, optional
        Cut the candidate *and the references* after this many words between white space (Perl's ``-l``).

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
    Source: sigir2017 §3.1 (ROUGE-N) and Table 4, naacl2015 §3 (ROUGE-L), acl2008 §5.1 (ROUGE-1, ROUGE-L).

    Ambiguity: sigir2017 reports one number for each ROUGE-N, without saying whether it is P, R or F. All
    three are returned; its table is compared with F.

    Ambiguity: none of the papers says how several references are combined. For annotators' spans the mean
    treats them alike, as the weighted offset scores do. The Perl script with its defaults gives
    "pooled", which weighs long references more.

    Ambiguity: stemming and stop words are not mentioned. We use neither by default. There is no option for
    stop words: whoever wants them dropped passes texts without them.

    Ambiguity: where a length is given (250 words in TAC), Perl's manual says that ``-l`` cuts the candidate;
    its code cuts the references just the same, and so do we.

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
        raise ParameterError(f"a text is cut after at least 1 word, not {words}; None keeps it whole")
    if words is not None:
        candidate, references = cut(candidate, words), [cut(reference, words) for reference in references]
    found, wanted = read(candidate, stem), [read(reference, stem) for reference in references]
    return {kind: COMBINED[multi]([_count(kind, found, each) for each in wanted]) for kind in kinds}


def _count(kind: str, candidate: Words, reference: Words) -> Counts:
    if kind == LSUM:
        return lcs_counts(candidate, reference)
    return ngram_counts(candidate, reference, int(kind.removeprefix("rouge")))


COMBINED: dict[str, Callable[[Sequence[Counts]], Scores]] = {
    "mean": lambda counts: Scores(*map(float, np.mean([each.scores() for each in counts], axis=0))),
    "best": lambda counts: max((each.scores() for each in counts), key=lambda scores: scores.f1),
    "best_recall": lambda counts: max((each.scores() for each in counts), key=lambda scores: scores.recall),
    "pooled": lambda counts: Counts(*map(sum, zip(*counts, strict=True))).scores(),
}
"""How what is counted against several references becomes one score."""
