"""ROUGE between retrieved text and the text that annotators marked; a thin layer over `rouge_score`.

`rouge_score` without stemming equals the Perl script ROUGE 1.5.5 in ROUGE-1, 2 and 3, and with "rougeLsum"
in ROUGE-L, one reference at a time. Its tokens are runs of a-z and 0-9: a Greek letter in a gene's name is
dropped, by it as by Perl.

>>> rouge("the cells divide", ["the cells rest"], kinds=["rouge1", "rouge2"])["rouge2"]
Scores(precision=0.5, recall=0.5, f1=0.5)
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from citectx.errors import ParameterError, unknown
from citectx.evaluation.offsets import Scores

KINDS = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeLsum")


def rouge(
    candidate: str,
    references: Sequence[str],
    kinds: Sequence[str] = ("rouge1", "rouge2", "rouge3"),
    stem: bool = False,
    multi: Literal["mean", "best"] = "mean",
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
    multi : {"mean", "best"}
        With several references: the mean of P, of R and of F over them, or all three of the reference with
        the best F. To score against the union of the annotators, pass its text as the only reference.

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
    Source: sigir2017 §3.1 (ROUGE-N), naacl2015 §3 (ROUGE-L).

    Ambiguity: sigir2017 reports one number for each ROUGE-N, without saying whether it is P, R or F. All
    three are returned; its table is compared with F.

    Ambiguity: neither paper says how several annotators are combined. The mean treats them alike, as the
    weighted offset scores do; the best match and the union are the usual other choices.

    Ambiguity: stemming and stop words are not mentioned. We use neither by default. There is no option for
    stop words: whoever wants them dropped passes texts without them.

    Ambiguity: Perl with several references pools the counts (``-f A``) or takes the best recall (``-f B``),
    which differs from both our choices.

    Examples
    --------
    >>> scores = rouge("a b c d", ["a b", "x y"], kinds=["rouge1"])
    >>> scores["rouge1"]
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    >>> rouge("a b c d", ["a b", "x y"], kinds=["rouge1"], multi="best")["rouge1"].recall
    1.0
    """
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind of ROUGE", kind, KINDS)
    if multi not in ("mean", "best"):
        raise unknown("way to combine references", multi, ("mean", "best"))
    if not references:
        raise ParameterError("ROUGE needs at least one reference text")
    scorer = _scorer(tuple(kinds), stem)
    scored = [scorer.score(reference, candidate) for reference in references]
    return {kind: _combine([Scores(*each[kind]) for each in scored], multi) for kind in kinds}


def _combine(scores: list[Scores], multi: str) -> Scores:
    if multi == "best":
        return max(scores, key=lambda each: each.f1)
    return Scores(*map(float, np.mean(scores, axis=0)))


@lru_cache(maxsize=8)
def _scorer(kinds: tuple[str, ...], stem: bool) -> Any:
    """Build a scorer that remembers the tokens of texts: every system meets the same references."""
    from rouge_score import rouge_scorer, tokenizers  # a second to import

    class Remembering(tokenizers.DefaultTokenizer):  # type: ignore[misc]
        @lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the scorer
        def tokenize(self, text: str) -> list[str]:
            return list(super().tokenize(text))

    return rouge_scorer.RougeScorer(list(kinds), tokenizer=Remembering(stem))
