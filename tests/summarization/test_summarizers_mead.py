"""MEAD against the same thing written down word by word."""

import math
from collections import Counter

import numpy as np

from citectx import profiles
from citectx.language.idf import open_idf
from citectx.language.text import SentenceSplitter
from citectx.summarization.base import Budget, Pool
from citectx.summarization.summarizers import ANALYZER, Mead, mead_idf

RARITY = mead_idf(open_idf("biomedical"))


def plain(texts: list[str], documents: list[int], budget: int) -> list[int]:
    """Score = centroid + position, then the reranker, without a matrix."""
    words = [list(ANALYZER(t)) for t in texts]
    tf = Counter(w for sentence in words for w in sentence)
    n = len(set(documents))
    centroid = {w: c / n * RARITY(w) for w, c in tf.items() if c / n * RARITY(w) > 3}
    sums = [sum(centroid.get(w, 0.0) for w in sentence) for sentence in words]
    scores = []
    for i, total in enumerate(sums):
        place = sum(documents[j] == documents[i] for j in range(i + 1))
        scores.append(total / max(sums) + math.sqrt(1 / place))

    def cosine(i: int, j: int) -> float:
        a, b = Counter(words[i]), Counter(words[j])
        dot = sum(a[w] * b[w] * RARITY(w) ** 2 for w in a)
        norms = [math.sqrt(sum((c * RARITY(w)) ** 2 for w, c in x.items())) for x in (a, b)]
        return dot / (norms[0] * norms[1]) if all(norms) else 0.0

    chosen: list[int] = []
    for i in sorted(range(len(texts)), key=lambda i: -round(scores[i], 9)):
        if len(texts[i].split()) >= 9 and all(cosine(i, j) < 0.7 for j in chosen):
            chosen.append(i)
    return chosen[:budget]


def sentences() -> tuple[list[str], list[int]]:
    topic = profiles.load("teaching").topics[0]
    splitter = SentenceSplitter()
    texts, documents = [], []
    for number, document in enumerate([topic.reference, *list(topic.citing.values())[:3]]):
        found = splitter.sentences(document).texts()
        texts += found
        documents += [number] * len(found)
    return texts, documents


def test_one_document_and_several() -> None:
    texts, documents = sentences()
    own = [t for t, d in zip(texts, documents, strict=True) if d == 0]
    pool = Pool.of(own, ANALYZER, RARITY)
    assert Mead().choose(pool, Budget(sentences=12)) == plain(own, [0] * len(own), 12)
    both = list(Mead().order_of(Pool.of(texts, ANALYZER, RARITY), np.array(documents)))[:20]
    assert both == plain(texts, documents, 20)


def test_a_repeated_sentence_is_passed_over() -> None:
    text = "Damaged mitochondria are marked by the kinase PINK1 and then removed from cells."
    other = "Neurons of the midbrain depend on calcium channels that never seem to rest."
    pool = Pool.of([text, text, other], ANALYZER, RARITY)
    assert Mead().choose(pool, Budget(sentences=3)) == [0, 2]
    assert Mead(redundancy=1.1).choose(pool, Budget(sentences=3)) == [0, 1, 2]


def test_short_sentences_are_dropped_and_nothing_to_choose_is_no_error() -> None:
    assert Mead().choose(Pool.of(["Cells rest."], ANALYZER, RARITY), Budget(sentences=1)) == []
    assert Mead().choose(Pool.of([], ANALYZER, RARITY), Budget(sentences=1)) == []
