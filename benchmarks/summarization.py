"""Summaries of an article of 300 sentences: ours against sumy's, the same work in the same run.

Each contender starts from the same tokenised sentences and ends with a summary of 250 words. Ours starts from
nothing each time, though in a table all four share what is counted and multiplied. Text is drawn from Zipf's
law with a fixed seed.
"""

from functools import partial

import numpy as np

from benchmarks.race import Race, race
from citectx.summarization import SUMMARIZERS, Budget, Pool
from citectx.summarization.peers import Sumy

SENTENCES = 300
PROMISED = {"KLSUM": 100, "LexRank": 100, "LSA": 30, "SumBasic": 20}
BUDGET = Budget(words=250)


def make_text() -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(6000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    lengths = rng.integers(8, 24, SENTENCES)
    return [" ".join(rng.choice(words, n, p=frequencies / frequencies.sum())) for n in lengths]


def races() -> list[Race]:
    texts = make_text()
    pool = Pool.of(texts, str.split)

    def ours(name: str) -> list[int]:
        return list(SUMMARIZERS[name].choose(Pool.of(texts, str.split), BUDGET))

    return [
        race(name, "sumy", partial(ours, name), partial(Sumy(name).choose, pool, BUDGET), promised, repeats=5)
        for name, promised in PROMISED.items()
    ]
