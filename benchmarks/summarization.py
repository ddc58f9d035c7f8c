"""The order of an article's 300 made-up sentences by four papers, beside sumy's."""

from functools import partial

import numpy as np
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.kl import KLSummarizer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.lsa import LsaSummarizer
from sumy.summarizers.sum_basic import SumBasicSummarizer

from benchmarks.race import Race, race, sentences
from citectx.summarization import SUMMARIZERS, Pool

SUMY = {
    "KLSUM": KLSummarizer,
    "LexRank": LexRankSummarizer,
    "LSA": LsaSummarizer,
    "SumBasic": SumBasicSummarizer,
}


class Spaces:
    """What sumy asks for the words of a sentence."""

    to_words = staticmethod(str.split)


def ours(name: str, texts: list[str]) -> object:
    return list(SUMMARIZERS[name](Pool.of(texts, str.split)))


def theirs(name: str, texts: list[str]) -> object:
    paragraph = Paragraph([Sentence(text, Spaces) for text in texts])
    return SUMY[name]()(ObjectDocumentModel([paragraph]), len(texts))


def races() -> list[Race]:
    texts = [" ".join(words) for words in sentences(np.random.default_rng(0), 300)]
    return [
        race(name, "sumy", partial(ours, name, texts), partial(theirs, name, texts), (5, 1))
        for name in SUMY
    ]
