"""ROUGE-1, ROUGE-2 and summary-level ROUGE-L of many summaries: ours against rouge_score.

250 words in 10 sentences drawn from Zipf's law with a fixed seed. Once as in a table of
summarizers: 2 topics, each with 3 references and the summaries of 40 systems, where what
we count in a reference serves all systems; and once one summary of each topic, with nothing to
share.
"""

from functools import partial

import numpy as np
from rouge_score import rouge_scorer

from benchmarks.race import Race, race
from citectx.evaluation import rouge

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
    scored = (rouge(s, refs, KINDS, multi="best") for refs, summaries in task for s in summaries)
    return np.array([[each[kind].f1 for kind in KINDS] for each in scored])


def with_rouge_score(task: Task) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in task for s in summaries)
    return np.array([[each[kind].fmeasure for kind in KINDS] for each in scored])


FROM = "from texts to ROUGE-1, ROUGE-2 and ROUGE-Lsum, the best of three references"


def races() -> list[Race]:
    table = make_task()
    single = [(references, summaries[:1]) for references, summaries in table]
    return [
        race(
            "ROUGE of a table",
            "rouge-score",
            f"{FROM}, of 80 summaries of two topics; our caches are empty at the start, then what "
            "was counted in the references serves all systems, which rouge-score does not do",
            partial(ours, table),
            partial(with_rouge_score, table),
            same=np.array_equal,
        ),
        race(
            "ROUGE of one summary",
            "rouge-score",
            f"{FROM}, of one summary of each of two topics, with empty caches",
            partial(ours, single),
            partial(with_rouge_score, single),
            same=np.array_equal,
            repeats=(10, 3),
        ),
    ]
