"""Each summarizer against a plain loop of its formula and independent libraries."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from citectx.corpora import Corpus
from citectx.language.idf import open_idf
from citectx.language.text import SentenceSplitter
from citectx.summarization import Pool, kl_sum, sum_basic
from citectx.summarization.summarizers import (
    ANALYZER,
    centrality,
    decompose,
    lengths_over_topics,
    mead,
    mead_idf,
)

WORDS = "cells divide rest kinase marks mitochondria damaged p53 tumour grows".split()
line = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
texts = st.lists(line, min_size=1, max_size=10)


@given(texts)
def test_lexrank_against_networkx_pagerank(sentences: list[str]) -> None:
    import networkx as nx  # half a second, which only one of pytest's workers needs

    pool = Pool.of(sentences)
    for threshold, edges in ((None, pool.similarity), (0.1, (pool.similarity > 0.1).astype(float))):
        graph = nx.from_numpy_array(edges, create_using=nx.DiGraph)
        expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
        found = centrality(pool, threshold)
        assert found == pytest.approx([expected[i] for i in range(len(sentences))], abs=1e-7)


@given(texts)
def test_lsa_against_numpys_decomposition(sentences: list[str]) -> None:
    pool = Pool.of(sentences)
    weighted = (pool.counts * pool.idf).T
    _, values, vectors = np.linalg.svd(weighted, full_matrices=False)
    found, _ = decompose(pool)
    assert found == pytest.approx(values[: len(found)], abs=1e-7)
    lengths = lengths_over_topics(*decompose(pool), share=0.0)
    columns = np.linalg.norm(weighted, axis=0)
    assert lengths == pytest.approx(columns, abs=1e-6)
    kept = values >= 0.5 * values[0] - 1e-9
    if not np.isclose(values, 0.5 * values[0]).any():
        expected = np.sqrt(((values[kept, None] * vectors[kept]) ** 2).sum(axis=0))
        assert lengths_over_topics(*decompose(pool)) == pytest.approx(expected, abs=1e-6)


def plain_sumbasic(sentences: list[list[str]]) -> list[int]:
    """SumBasic as the paper tells it, word by word."""
    counts = Counter(word for sentence in sentences for word in sentence)
    probability = {word: n / counts.total() for word, n in counts.items()}
    left, chosen = list(range(len(sentences))), list[int]()
    while left:
        alive = {word for i in left for word in sentences[i]}
        best_word = max(sorted(alive), key=lambda word: probability[word])

        def weight(i: int) -> float:
            distinct = set(sentences[i])
            return round(sum(probability[word] for word in sorted(distinct)) / len(distinct), 12)

        best = max((i for i in left if best_word in sentences[i]), key=weight)
        chosen.append(best)
        left.remove(best)
        for word in set(sentences[best]):
            probability[word] **= 2
    return chosen


@given(texts)
def test_sumbasic_against_a_plain_loop(sentences: list[str]) -> None:
    assert [*sum_basic(Pool.of(sentences))] == plain_sumbasic([s.split() for s in sentences])


@given(texts, st.sampled_from([0.01, 0.5]))
def test_klsum_against_scipys_relative_entropy(sentences: list[str], smoothing: float) -> None:
    pool = Pool.of(sentences)
    left, summary = [*range(len(pool))], np.full(len(pool.terms), smoothing)
    for best in kl_sum(pool, smoothing):
        divergences = [entropy(pool.probability, summary + pool.counts[i]) for i in left]
        assert best == left[np.argmin(np.round(divergences, 12))]
        left.remove(best)
        summary += pool.counts[best]
    assert not left


RARITY = mead_idf(open_idf("biomedical"))


def plain_mead(texts: list[str], documents: list[str], budget: int) -> list[int]:
    """Score = centroid + position, then the reranker, without a matrix."""
    words = [Counter(ANALYZER(text)) for text in texts]
    means = {w: n / len(set(documents)) for w, n in sum(words, Counter()).items()}
    central = {w: mean * RARITY(w) for w, mean in means.items() if mean * RARITY(w) > 3}
    sums = [sum(n * central.get(w, 0.0) for w, n in sentence.items()) for sentence in words]
    places = [documents[: i + 1].count(document) for i, document in enumerate(documents)]
    scores = [total / max(sums) + place**-0.5 for total, place in zip(sums, places, strict=True)]

    def product(i: int, j: int) -> float:
        return sum(n * words[j][w] * RARITY(w) ** 2 for w, n in words[i].items())

    def cosine(i: int, j: int) -> float:
        return product(i, j) / (math.sqrt(product(i, i) * product(j, j)) or 1.0)

    chosen: list[int] = []
    for i in sorted(range(len(texts)), key=lambda i: -round(scores[i], 9)):
        if len(texts[i].split()) >= 9 and all(cosine(i, j) < 0.7 for j in chosen):
            chosen.append(i)
    return chosen[:budget]


@pytest.mark.parametrize("number", [1, 4])
def test_mead_on_one_document_and_several(teaching: Corpus, number: int) -> None:
    split = map(SentenceSplitter().sentences, teaching.topics[0].documents[:number])
    pairs = [(text, part.document.doc_id) for part in split for text in part.texts()]
    texts, documents = map(list, zip(*pairs, strict=True))
    found = [*mead(Pool.of(texts, ANALYZER, RARITY), documents if number > 1 else ())]
    assert found[:20] == plain_mead(texts, documents, 20)


def test_a_repeated_sentence_is_passed_over() -> None:
    text = "Damaged mitochondria are marked by the kinase PINK1 and then removed from cells."
    other = "Neurons of the midbrain depend on calcium channels that never seem to rest."
    pool = Pool.of([text, text, other], ANALYZER, RARITY)
    assert [*mead(pool)] == [0, 2]


def test_short_sentences_are_dropped_and_nothing_to_choose_is_no_error() -> None:
    assert [*mead(Pool.of(["Cells rest."], ANALYZER, RARITY))] == []
    assert [*mead(Pool.of([], ANALYZER, RARITY))] == []
