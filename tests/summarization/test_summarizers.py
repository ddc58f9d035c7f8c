"""Each summarizer against a plain loop of its formula and independent libraries."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx import profiles
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
texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join), min_size=1, max_size=10
)


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
    found = decompose(pool)[0]
    assert found == pytest.approx(values[: len(found)], abs=1e-7)
    lengths = lengths_over_topics(*decompose(pool), share=0.0)
    assert lengths == pytest.approx(
        np.linalg.norm(weighted, axis=0), abs=1e-6
    )  # of the columns themselves
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


def plain_klsum(sentences: list[list[str]], smoothing: float) -> list[int]:
    """KLSum by its definition: the divergence computed anew for every candidate."""
    text = Counter(word for sentence in sentences for word in sentence)
    left, chosen, summary = list(range(len(sentences))), list[int](), Counter[str]()

    def divergence(i: int) -> float:
        counts = summary + Counter(sentences[i])
        total = counts.total() + smoothing * len(text)
        return sum(
            n / text.total() * math.log(n / text.total() / ((counts[word] + smoothing) / total))
            for word, n in sorted(text.items())
        )

    while left:
        best = min(left, key=lambda i: round(divergence(i), 12))
        chosen.append(best)
        left.remove(best)
        summary += Counter(sentences[best])
    return chosen


@given(texts, st.sampled_from([0.01, 0.5]))
def test_klsum_against_a_plain_loop(sentences: list[str], smoothing: float) -> None:
    found = [*kl_sum(Pool.of(sentences), smoothing)]
    assert found == plain_klsum([s.split() for s in sentences], smoothing)


# --- MEAD


RARITY = mead_idf(open_idf("biomedical"))


def plain(texts: list[str], documents: list[str], budget: int) -> list[int]:
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


def sentences() -> tuple[list[str], list[str]]:
    topic = profiles.load("teaching").topics[0]
    splitter = SentenceSplitter()
    texts, documents = [], []
    for document in topic.documents[:4]:
        found = splitter.sentences(document).texts()
        texts += found
        documents += [document.doc_id] * len(found)
    return texts, documents


def test_one_document_and_several() -> None:
    texts, documents = sentences()
    own = [t for t, d in zip(texts, documents, strict=True) if d == documents[0]]
    pool = Pool.of(own, ANALYZER, RARITY)
    assert [*mead(pool)][:12] == plain(own, [""] * len(own), 12)
    both = [*mead(Pool.of(texts, ANALYZER, RARITY), documents)][:20]
    assert both == plain(texts, documents, 20)


def test_a_repeated_sentence_is_passed_over() -> None:
    text = "Damaged mitochondria are marked by the kinase PINK1 and then removed from cells."
    other = "Neurons of the midbrain depend on calcium channels that never seem to rest."
    pool = Pool.of([text, text, other], ANALYZER, RARITY)
    assert [*mead(pool)] == [0, 2]


def test_short_sentences_are_dropped_and_nothing_to_choose_is_no_error() -> None:
    assert [*mead(Pool.of(["Cells rest."], ANALYZER, RARITY))] == []
    assert [*mead(Pool.of([], ANALYZER, RARITY))] == []
