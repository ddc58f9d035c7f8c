"""ROUGE-1, ROUGE-2 and summary-level ROUGE-L of many summaries: ours against rouge_score, the same work.

As in a table of summarizers: 2 topics, each with 3 references and the summaries of 40 systems, 250 words in
10 sentences drawn from Zipf's law with a fixed seed. Run by ``make bench``; prints a table and fails if the
promises do not hold.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from rouge_score import rouge_scorer

from citectx.evaluation import rouge
from citectx.evaluation.rouge_counts import read

TOPICS, SYSTEMS, REFERENCES, SENTENCES, REPEATS = 2, 40, 3, 10, 3
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

    return [([text() for _ in range(REFERENCES)], [text() for _ in range(SYSTEMS)]) for _ in range(TOPICS)]


def ours(task: Task) -> np.ndarray:
    read.cache_clear()
    scored = (rouge(s, refs, KINDS, multi="best") for refs, summaries in task for s in summaries)
    return np.array([[each[kind].f1 for kind in KINDS] for each in scored])


def with_rouge_score(task: Task) -> np.ndarray:
    peer = rouge_scorer.RougeScorer(KINDS)
    scored = (peer.score_multi(refs, s) for refs, summaries in task for s in summaries)
    return np.array([[each[kind].fmeasure for kind in KINDS] for each in scored])


def best_time(run: Callable[[Task], np.ndarray], task: Task) -> tuple[float, np.ndarray]:
    """Return the shortest of several runs, in seconds of this process: the least disturbed one."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        scores = run(task)
        times.append(time.process_time() - started)
    return min(times), scores


def main() -> int:
    task = make_task()
    own_time, own = best_time(ours, task)
    peer_time, peer = best_time(with_rouge_score, task)
    pairs = TOPICS * SYSTEMS * REFERENCES
    print(f"{pairs} pairs of texts, best of {REPEATS} runs")
    for name, seconds in (("citectx", own_time), ("rouge_score", peer_time)):
        print(f"{name:12} {1000 * seconds:9.1f} ms   {seconds / own_time:6.1f} x")
    promises = {
        "the same scores as rouge_score": bool((own == peer).all()),
        "at least 3 times faster than rouge_score": peer_time >= 3 * own_time,
    }
    for promise, kept in promises.items():
        print(f"{'yes' if kept else 'NO':4} {promise}")
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
