"""Rankings of an article's 300 made-up sentences, beside sumy's.

sumy reads the same four papers in other ways, so the orders are not compared.
"""

from functools import partial

import numpy as np
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.kl import KLSummarizer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.lsa import LsaSummarizer
from sumy.summarizers.sum_basic import SumBasicSummarizer

from benchmarks.race import Race, race, zipf_words
from citectx.summarization import SUMMARIZERS, Pool

SENTENCES = 300
SUMY = {
    "KLSUM": (KLSummarizer, "sumy's is no divergence, and is written in plain loops"),
    "LexRank": (LexRankSummarizer, "sumy has another idf, and stops sooner"),
    "LSA": (LsaSummarizer, "sumy counts dimensions otherwise"),
    "SumBasic": (SumBasicSummarizer, "sumy takes the best sentence whatever its words"),
}


class Spaces:
    """What sumy asks for the words of a sentence."""

    to_words = staticmethod(str.split)


def make_text() -> list[str]:
    rng = np.random.default_rng(0)
    words, shares = zipf_words(6000)
    lengths = rng.integers(8, 24, SENTENCES)
    return [" ".join(rng.choice(words, length, p=shares)) for length in lengths]


def ours(name: str, texts: list[str]) -> object:
    return list(SUMMARIZERS[name].order(Pool.of(texts, str.split)))


def theirs(name: str, texts: list[str]) -> object:
    sentences = [Sentence(text, Spaces) for text in texts]
    summarizer, _ = SUMY[name]
    return summarizer()(ObjectDocumentModel([Paragraph(sentences)]), SENTENCES)


def races() -> list[Race]:
    texts = make_text()
    found = []
    for name, (_, note) in SUMY.items():
        compares = (
            f"from 300 sentences to an order of all of them; {note}, so orders are not compared"
        )
        own, other = partial(ours, name, texts), partial(theirs, name, texts)
        found.append(race(name, "sumy", compares, own, other, repeats=(5, 1)))
    return found
