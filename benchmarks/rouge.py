"""ROUGE-1, ROUGE-2 and summary-level ROUGE-L of many summaries: ours against rouge_score.

As in a table of summarizers: 2 topics, each with 3 references and the summaries of 40 systems, 250
words in 10 sentences drawn from Zipf's law with a fixed seed.
"""

from functools import partial

import numpy as np
from rouge_score import rouge_scorer

from benchmarks.race import Race, race
from citectx.evaluation import rouge
from citectx.evaluation.rouge import _bits, _ngrams, _words, common, lines_of

TOPICS, SYSTEMS, REFERENCES, SENTENCES = 2, 40, 3, 10
KINDS = ("rouge1", "rouge2", "rougeLsum")

Task = list[tuple[list[str], list[str]]]
"""For each topic its references, and the summaries to score."""


def make_task() -> Task:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(2000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    frequencies /= frequencies.sum()

    def text() -> str:
        return "\n".join(" ".join(rng.choice(words, 25, p=frequencies)) for _ in range(SENTENCES))

    return [
        ([text() for _ in range(REFERENCES)], [text() for _ in range(SYSTEMS)])
        for _ in range(TOPICS)
    ]


def ours(task: Task) -> np.ndarray:
    for cached in (lines_of, _words, _ngrams, _bits, common):
        cached.cache_clear()  # nothing is left from the run before
    scored = (rouge(s, refs, KINDS, multi="best") for refs, summaries in task for s in summaries)
    return np.array([[each[kind].f1 for kind in KINDS] for each in scored])


def with_rouge_score(task: Task) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in task for s in summaries)
    return np.array([[each[kind].fmeasure for kind in KINDS] for each in scored])


def races() -> list[Race]:
    task = make_task()
    own, peer = partial(ours, task), partial(with_rouge_score, task)
    return [race("ROUGE", "rouge-score", own, peer, 3, same=np.array_equal)]
