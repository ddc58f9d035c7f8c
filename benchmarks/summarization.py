"""Summaries of an article of 300 sentences: ours against sumy's, the same work in the same run.

Each contender starts from the same tokenised sentences and ends with a summary of 250 words. Ours starts from
nothing each time, though in a table all four share what is counted and multiplied. Text is drawn from Zipf's
law with a fixed seed. Of LSA's time half is one call of LAPACK, as a seventh of sumy's is: less to gain there.
Run by ``make bench``; prints a table and fails if the promises of the README do not hold.
"""

import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one thread each: a fair race, and no waiting for cores

import numpy as np

from citectx.summarization import SUMMARIZERS, Budget, Pool
from citectx.summarization.peers import Sumy

SENTENCES, REPEATS = 300, 9
PROMISED = {"KLSUM": 100, "LexRank": 100, "LSA": 30, "SumBasic": 20}
BUDGET = Budget(words=250)


def make_text() -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(6000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    lengths = rng.integers(8, 24, SENTENCES)
    return [" ".join(rng.choice(words, n, p=frequencies / frequencies.sum())) for n in lengths]


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Best of several, in CPU time: what else runs on the machine does not count."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> int:
    texts = make_text()
    pool = Pool.of(texts, str.split)
    print(f"{SENTENCES} sentences, {len(pool.terms)} words, CPU time\n")
    print(f"{'':9} {'ours, ms':>10} {'sumy, ms':>10} {'ratio':>8} {'promised':>9}")
    kept = True
    for name, summarizer in SUMMARIZERS.items():
        ours = seconds(lambda one=summarizer: one.choose(Pool.of(texts, str.split), BUDGET), REPEATS)
        peer = Sumy(name)
        theirs = seconds(lambda one=peer: one.choose(pool, BUDGET), 1)
        ratio = theirs / ours
        kept &= ratio >= PROMISED[name]
        print(f"{name:9} {1000 * ours:10.1f} {1000 * theirs:10.1f} {ratio:8.0f} {PROMISED[name]:9}")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
