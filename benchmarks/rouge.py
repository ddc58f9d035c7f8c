"""ROUGE-1, ROUGE-2 and summary-level ROUGE-L of made-up summaries, beside rouge-score.

Once as in a table (2 topics, each with 3 references and the summaries of 40 systems), where we
count a reference once for all systems, and once with a summary of each topic and nothing to share.
"""

from functools import partial

import numpy as np
from rouge_score import rouge_scorer

from benchmarks.race import Race, race, sentences
from citectx.evaluation import rouge

KINDS = ("rouge1", "rouge2", "rougeLsum")
Work = list[tuple[list[str], list[str]]]
"""References and summaries of each topic."""


def made_up(rng: np.random.Generator, number: int) -> list[str]:
    lines = [" ".join(words) for words in sentences(rng, 10 * number, vocabulary=2000)]
    return ["\n".join(lines[i::number]) for i in range(number)]


def ours(work: Work) -> np.ndarray:
    scored = (rouge(s, refs, KINDS, multi="best") for refs, summaries in work for s in summaries)
    return np.array([[scores[kind].f1 for kind in KINDS] for scores in scored])


def theirs(work: Work) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in work for s in summaries)
    return np.array([[scores[kind].fmeasure for kind in KINDS] for scores in scored])


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    table = [(made_up(rng, 3), made_up(rng, 40)) for _ in range(2)]
    single = [(references, summaries[:1]) for references, summaries in table]
    same = partial(np.allclose, rtol=1e-12)

    def of(work: str, texts: Work, repeats: tuple[int, int]) -> Race:
        return race(
            work, "rouge-score", partial(ours, texts), partial(theirs, texts), repeats, same
        )

    return [of("ROUGE of a table", table, (1, 1)), of("ROUGE of one summary", single, (10, 3))]
