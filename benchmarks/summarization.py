"""Summaries of an article of 300 sentences: ours against sumy's, the same work in the same run.

Each contender starts from the sentences, whose words are between spaces, and rates them all. Ours
starts from nothing each time, though in a table all four share what is counted and multiplied. Text
is drawn from Zipf's law with a fixed seed.
"""

from functools import partial

import numpy as np
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.kl import KLSummarizer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.lsa import LsaSummarizer
from sumy.summarizers.sum_basic import SumBasicSummarizer

from benchmarks.race import Race, race
from citectx.summarization import SUMMARIZERS, Budget, Pool

SENTENCES = 300
PEERS = {
    "KLSUM": KLSummarizer,
    "LexRank": LexRankSummarizer,
    "LSA": LsaSummarizer,
    "SumBasic": SumBasicSummarizer,
}
PROMISED = {"KLSUM": 100, "LexRank": 100, "LSA": 10, "SumBasic": 20}
BUDGET = Budget(words=250)


def make_text() -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(6000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    lengths = rng.integers(8, 24, SENTENCES)
    return [" ".join(rng.choice(words, n, p=frequencies / frequencies.sum())) for n in lengths]


class Spaces:
    """What sumy asks for the words of a sentence."""

    to_words = staticmethod(str.split)


def races() -> list[Race]:
    texts = make_text()

    def ours(name: str) -> list[int]:
        return list(SUMMARIZERS[name].choose(Pool.of(texts, str.split), BUDGET))

    def theirs(name: str) -> object:
        sentences = [Sentence(text, Spaces) for text in texts]
        return PEERS[name]()(ObjectDocumentModel([Paragraph(sentences)]), 16)

    return [
        race(name, "sumy", partial(ours, name), partial(theirs, name), promised, repeats=20)
        for name, promised in PROMISED.items()
    ]
