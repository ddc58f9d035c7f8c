"""Each feature by hand, on an article of four sentences."""

from itertools import pairwise
from math import log, log1p, sqrt

import numpy as np
import pytest

from citectx.beyond.features import FEATURES, OF_SENTENCES, matrix, rarity
from citectx.corpora.model import Block, Citance, Corpus, Document, Topic
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.language.text import SentenceSplitter
from citectx.types import Floats

SENTENCES = ["Mice sleep deeply.", "Hungry mice run [3].", "Cats sleep.", "Owls hunt mice."]
TEXT = "\n".join(SENTENCES)
STARTS = [TEXT.index(sentence) for sentence in SENTENCES]
BLOCKS = (
    Block(STARTS[0], STARTS[0] + len(SENTENCES[0]), "abstract", 1),
    Block(STARTS[1], STARTS[2] + len(SENTENCES[2]), "body", 2, "Methods with mice"),
    Block(STARTS[3], len(TEXT), "body", 3, "Results"),
)
# Words, stems, and stems in a row, without stop words and the citation.
WORDS = [["mice", "sleep", "deeply"], ["hungry", "mice", "run"], ["cats", "sleep"]]
WORDS.append(["owls", "hunt", "mice"])
STEMS = [["mice", "sleep", "deepli"], ["hungri", "mice", "run"], ["cat", "sleep"]]
STEMS.append(["owl", "hunt", "mice"])
ASKED, ASKED_STEMS = ["hungry", "mice", "sleep"], ["hungri", "mice", "sleep"]


@pytest.fixture(scope="module")
def values() -> dict[str, Floats]:
    citance = Citance("1", "x", "Hungry mice sleep.")
    topic = Topic("own", Document("own", TEXT, BLOCKS), (citance,))
    prepared = Prepared(topic, topic.citances, SentenceSplitter(), Protocol())
    assert prepared.candidates.sentences.texts() == SENTENCES
    return dict(zip(FEATURES, matrix(prepared.index, prepared.queries)[0].T, strict=True))


def z(scores: list[float]) -> list[float]:
    mean, spread = np.mean(scores), np.std(scores)
    return [float((score - mean) / spread) for score in scores]


def bm25(asked: list[str], sentences: list[list[str]], k1: float) -> list[float]:
    mean = sum(map(len, sentences)) / len(sentences)
    found = []
    for own in sentences:
        score = 0.0
        for term in asked:
            df = sum(term in other for other in sentences)
            idf = log(1 + (len(sentences) - df + 0.5) / (df + 0.5))
            tf = own.count(term)
            score += idf * tf * (k1 + 1) / (tf + k1 * (0.25 + 0.75 * len(own) / mean))
        found.append(score)
    return z(found)


def grams(words: list[str]) -> list[str]:
    marked = [f"_{word}_" for word in words]
    return [word[i : i + 4] for word in marked for i in range(len(word) - 3)]


def pairs(stems: list[str]) -> list[str]:
    return [f"{a} {b}" for a, b in pairwise(stems)]


def cosines() -> list[float]:
    idf = {t: log1p(4 / sum(t in own for own in STEMS)) for own in STEMS for t in own}
    norms = [sqrt(sum(idf[t] ** 2 for t in own)) for own in STEMS]
    found = []
    for i, own in enumerate(STEMS):
        shared = [sum(idf[t] ** 2 for t in {*own} & {*other}) for other in STEMS]
        found.append(sum(s / norms[i] / norm for s, norm in zip(shared, norms, strict=True)) / 4)
    return z(found)


def expected() -> dict[str, list[float]]:
    words = bm25(ASKED, WORDS, 1.2)
    shared = [sum(map(rarity, {*own} & {*ASKED})) for own in WORDS]
    order = sorted(range(4), key=lambda i: -words[i])
    return {
        "words": words,
        "words_rank": [1 / (1 + order.index(i)) for i in range(4)],
        "stems": bm25(ASKED_STEMS, STEMS, 0.8),
        "bigrams": bm25(pairs(ASKED_STEMS), [*map(pairs, STEMS)], 0.8),
        "grams": bm25(grams(ASKED), [*map(grams, WORDS)], 0.8),
        "coverage": z([s / sum(map(rarity, ASKED)) for s in shared]),
        "focus": z([s / sum(map(rarity, own)) for s, own in zip(shared, WORDS, strict=True)]),
        "rarest": z([max(map(rarity, {*own} & {*ASKED})) for own in WORDS]),
        "neighbours": [0, words[2] / 2, words[1] / 2, 0],  # the second section has two sentences
        "heading": z([0, 1 / 3, 1 / 3, 0]),
        "in_abstract": [1, 0, 0, 0],
        "in_methods": [0, 1, 1, 0],
        "in_results": [0, 0, 0, 1],
        "in_discussion": [0, 0, 0, 0],
        "in_introduction": [0, 0, 0, 0],
        "place": [0, 1 / 3, 2 / 3, 1],
        "central": cosines(),
        "length": [log1p(3), log1p(3), log1p(2), log1p(3)],
        "citations": [0, log1p(1), 0, 0],
    }


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_by_hand(name: str, values: dict[str, Floats]) -> None:
    assert values[name] == pytest.approx(expected()[name], abs=1e-6)


def test_what_knows_nothing_of_the_citance_is_the_same_for_all(teaching: Corpus) -> None:
    topic = prepare(teaching)[0]
    values = matrix(topic.index, topic.queries)
    same = (values == values[0]).all(axis=(0, 1))
    assert [name for name, alike in zip(FEATURES, same, strict=True) if alike] == [*OF_SENTENCES]


def test_windows_of_sentences_are_refused(teaching: Corpus) -> None:
    prepared = prepare(teaching, Protocol(max_sentences=2))[0]
    with pytest.raises(ParameterError, match="max_sentences=1"):
        matrix(prepared.index, prepared.queries)
