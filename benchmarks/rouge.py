"""ROUGE-1, ROUGE-2 and ROUGE-L of made-up summaries, beside rouge-score and rouge (pltrdy).

As in a table: 2 topics, each with 3 references and the summaries of 40 systems, where we count a
reference once for all systems. With a summary of each topic and nothing to share. And short: 200
pairs of single sentences, of which no two share a text.

rouge has another ROUGE-L of summaries, and words of its own, so that its scores are not compared.
"""

from functools import partial

import numpy as np
from rouge import Rouge
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


def by_rouge_score(work: Work) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in work for s in summaries)
    return np.array([[scores[kind].fmeasure for kind in KINDS] for scores in scored])


def by_rouge(work: Work) -> object:
    peer = Rouge()
    lined = (
        (summary.replace("\n", "."), reference.replace("\n", "."))
        for references, summaries in work
        for summary in summaries
        for reference in references
    )
    return [peer.get_scores(summary, reference) for summary, reference in lined]


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    table = [(made_up(rng, 3), made_up(rng, 40)) for _ in range(2)]
    single = [(references, summaries[:1]) for references, summaries in table]
    lines = [" ".join(words) for words in sentences(rng, 400, vocabulary=2000)]
    pairs = [([lines[i]], [lines[i + 1]]) for i in range(0, len(lines), 2)]
    same = partial(np.allclose, rtol=1e-12)
    works = {
        "ROUGE of a table": (table, (1, 1)),
        "ROUGE of one summary": (single, (10, 3)),
        "ROUGE of 200 short pairs": (pairs, (3, 3)),
    }
    found = []
    for name, (texts, repeats) in works.items():
        us = partial(ours, texts)
        found += [
            race(name, "rouge-score", us, partial(by_rouge_score, texts), repeats, same),
            race(name, "rouge", us, partial(by_rouge, texts), repeats),
        ]
    return found
