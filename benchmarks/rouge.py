"""ROUGE-1, ROUGE-2 and summary-level ROUGE-L of made-up summaries, beside rouge-score.

Once as in a table of summarizers (2 topics, each with 3 references and the summaries of 40
systems), where what we count in a reference serves all systems, and once with nothing to share.
"""

from functools import partial

import numpy as np
from rouge_score import rouge_scorer

from benchmarks.race import Race, race, zipf_words
from citectx.evaluation import rouge

TOPICS, SYSTEMS, REFERENCES, SENTENCES = 2, 40, 3, 10
KINDS = ("rouge1", "rouge2", "rougeLsum")

Work = list[tuple[list[str], list[str]]]
"""For each topic its references, and the summaries to score."""


def make_work() -> Work:
    rng = np.random.default_rng(0)
    words, shares = zipf_words(2000)

    def texts(number: int) -> list[str]:
        lines = [" ".join(rng.choice(words, 25, p=shares)) for _ in range(number * SENTENCES)]
        return ["\n".join(lines[i::number]) for i in range(number)]

    return [(texts(REFERENCES), texts(SYSTEMS)) for _ in range(TOPICS)]


def ours(work: Work) -> np.ndarray:
    scored = (rouge(s, refs, KINDS, multi="best") for refs, summaries in work for s in summaries)
    return np.array([[scores[kind].f1 for kind in KINDS] for scores in scored])


def theirs(work: Work) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in work for s in summaries)
    return np.array([[scores[kind].fmeasure for kind in KINDS] for scores in scored])


FROM = "from texts to ROUGE-1, ROUGE-2 and ROUGE-Lsum, the best of three references"


def races() -> list[Race]:
    table = make_work()
    single = [(references, summaries[:1]) for references, summaries in table]
    return [
        race(
            "ROUGE of a table",
            "rouge-score",
            f"{FROM}, of 80 summaries of two topics; our caches are empty at the start, then what "
            "was counted in the references serves all systems, which rouge-score does not do",
            partial(ours, table),
            partial(theirs, table),
            same=partial(np.allclose, rtol=1e-12),
        ),
        race(
            "ROUGE of one summary",
            "rouge-score",
            f"{FROM}, of one summary of each of two topics, with empty caches",
            partial(ours, single),
            partial(theirs, single),
            same=partial(np.allclose, rtol=1e-12),
            repeats=(10, 3),
        ),
    ]
