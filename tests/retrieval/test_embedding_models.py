"""Eq. 2 and its relatives against plain loops of their formulas, on invented vectors."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from citectx.embeddings import Vectors
from citectx.language.text import Analyzer
from citectx.ontology import Concept, SynonymGraph
from citectx.retrieval import DESM, LMD, LMDLDA, EmbeddingLM, Query, SpanIndex, embedding_lm
from citectx.retrieval.embedding_lm import WEBioInterpolated, WEBioRetrofitted
from citectx.types import Floats, Matrix
from tests.retrieval import index_of

TEXT = (
    "Heart attack harms muscle cells. Tumours grow in muscle. Apoptosis harms tumours and cells. "
    "Cells of the heart rest. Myocardial infarction is common."
)
QUERIES = [
    Query({"infarction": 1, "cells": 2}, "infarction of cells, cells"),
    Query({"cancer": 1, "unheard": 1}, "cancer unheard"),
    Query({"heart": 1, "attack": 1, "grow": 1}, "heart attack grow"),
]
WORDS = "cells heart attack infarction myocardial tumours cancer apoptosis grow far".split()


@pytest.fixture(autouse=True)
def vectors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vectors]:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(len(WORDS), 6)).astype(np.float32)
    for near, to in ((3, 2), (6, 5), (4, 1)):
        matrix[near] = matrix[to] + 0.4 * matrix[near]
    made = Vectors(tuple(WORDS), matrix, matrix[::-1].copy(), name="made")
    monkeypatch.setattr(embedding_lm, "open_vectors", lambda name: made)
    concepts = (
        Concept.of("c:1", "Myocardial infarction", ["heart attack"], "made"),
        Concept.of("c:2", "Cancer", ["tumours"], "made"),
    )
    graph = SynonymGraph.build(concepts)
    monkeypatch.setattr(embedding_lm, "open_vocabulary", lambda vocabulary: graph)
    embedding_lm.open_retrofitted.cache_clear()
    yield made
    embedding_lm.open_retrofitted.cache_clear()


@pytest.fixture
def index() -> SpanIndex:
    return index_of(TEXT, longest=2, analyzer=Analyzer())


def spans_of(index: SpanIndex) -> list[list[str]]:
    return [list(Analyzer()(index.candidates.text(i))) for i in range(len(index.candidates))]


def cosine(vectors: Vectors, a: str, b: str) -> float:
    if a not in vectors or b not in vectors:
        return float(a == b)
    x, y = (vectors.matrix[vectors.index[w]].astype(float) for w in (a, b))
    return float(x @ y / math.sqrt((x @ x) * (y @ y)))


def similarity(vectors: Vectors, a: str, b: str, tau: float, phi: str) -> float:
    if a == b:
        return 1.0
    x = cosine(vectors, a, b)
    if x <= tau:
        return 0.0
    cut = min(max(x, 0.5), 0.95)
    return {"logit": math.log(cut / (1 - cut)) / math.log(19), "identity": x, "one": 1.0}[phi]


def plain_eq2(vectors: Vectors, index: SpanIndex, model: EmbeddingLM, query: Query) -> list[float]:
    """Eq. 2 word by word; the oracle."""
    spans = spans_of(index)
    tau = vectors.threshold(model.deviations).tau
    everything = [w for s in spans for w in s]

    def f_sem(word: str, span: Sequence[str]) -> float:
        return sum(similarity(vectors, word, d, tau, model.phi) for d in span)

    related = [q for q in query.weights if any(f_sem(q, s) for s in spans)]
    if model.unseen == "out":
        related = [q for q in related if q in everything]
    vocabulary = {
        "article": sorted(set(everything)),
        "embedding": sorted({*vectors.words, *(w for w in everything if w not in vectors)}),
        "query": related,
    }
    scores = []
    for span in spans:
        total: float = len(span)
        if model.denominator != "length":
            total = sum(f_sem(w, span) for w in vocabulary[model.denominator])
        score = 0.0
        for word in related:
            unseen = 0.5 if model.unseen == "half" else sum(f_sem(word, s) for s in spans)
            prior = (everything.count(word) or unseen) / len(everything)
            probability = (f_sem(word, span) + model.mu * prior) / (total + model.mu)
            score += query.weights[word] * math.log(probability)
        scores.append(score)
    return scores


READINGS = [
    *EmbeddingLM.variants(
        mu=[7.0],
        denominator=["article", "embedding", "query", "length"],
        phi=["logit", "identity", "one"],
        deviations=[-1.0, 0.5],
        unseen=["half", "related", "out"],
    )
]


@pytest.mark.parametrize("model", READINGS, ids=str)
def test_eq2_by_a_plain_loop(vectors: Vectors, index: SpanIndex, model: EmbeddingLM) -> None:
    scores = model.fit(index).score(QUERIES)
    expected = [plain_eq2(vectors, index, model, query) for query in QUERIES]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    constant = len(set(scores[1])) == 1  # "cancer unheard": neither word is in the article
    assert constant == (model.unseen == "out")


def test_retrofitting_brings_synonyms_nearer(vectors: Vectors, index: SpanIndex) -> None:
    retrofitted = embedding_lm.open_retrofitted("made", ("made",))
    assert cosine(retrofitted, "cancer", "tumours") > cosine(vectors, "cancer", "tumours")
    unmoved = cosine(vectors, "far", "grow")
    assert cosine(retrofitted, "far", "grow") == pytest.approx(unmoved, abs=1e-6)
    assert retrofitted.name != vectors.name
    model = WEBioRetrofitted(mu=7.0, deviations=0.5, vocabulary=("made",))
    expected = [plain_eq2(retrofitted, index, model, query) for query in QUERIES]
    np.testing.assert_allclose(model.fit(index).score(QUERIES), expected, atol=1e-6)


def test_interpolation_by_hand(index: SpanIndex) -> None:
    """λ = 0 leaves p_2. In the last sentence "infarction" stands once, and "heart" has γ for its
    synonym.

    The words of the article that have a synonym there: heart and attack for "myocardial infarction"
    do not, for they are no name by themselves; tumours has none in it. So its denominator is |d| =
    3 ("is" is a stop word) and μ.
    """
    model = WEBioInterpolated(mu=10.0, weight=0.0, gamma=0.5, vocabulary=("made",)).fit(index)
    last = len(index.candidates) - 1
    assert index.candidates.text(last) == "Myocardial infarction is common."
    total = index.collection_counts.sum()
    heart, attack = (
        index.collection_counts[index.vocabulary[w]] / total for w in ("heart", "attack")
    )
    expected = sum(math.log((0.5 + 10 * prior) / (3 + 10)) for prior in (heart, attack))
    score = model.score([Query({"heart": 1, "attack": 1}, "heart attack")])[0, last]
    assert score == pytest.approx(expected)


def test_interpolation_mixes_both_models(index: SpanIndex) -> None:
    def p(model: EmbeddingLM) -> Floats:
        return np.exp(model.fit(index).score([Query({"cells": 1}, "cells")])[0])

    model = WEBioInterpolated(mu=10.0, gamma=0.5, deviations=0.5, vocabulary=("made",))
    mixed, first, second = (p(replace(model, weight=weight)) for weight in (0.25, 1.0, 0.0))
    np.testing.assert_allclose(first, p(EmbeddingLM(mu=10.0, deviations=0.5)))
    np.testing.assert_allclose(mixed, 0.25 * first + 0.75 * second)


def test_desm_equals_the_plain_loop(vectors: Vectors, index: SpanIndex) -> None:
    def unit(matrix: Matrix, word: str) -> Floats:
        row = matrix[vectors.index[word]].astype(float)
        return row / np.linalg.norm(row)

    def desm(query: Query, span: list[str]) -> Any:
        words = {w: n for w, n in query.weights.items() if w in vectors}
        total = sum((unit(vectors.output, w) for w in span if w in vectors), np.zeros(6))
        centroid = total / (np.linalg.norm(total) or 1)
        cosines = [n * unit(vectors.matrix, w) @ centroid for w, n in words.items()]
        return sum(cosines) / sum(words.values())

    expected = [[desm(query, span) for span in spans_of(index)] for query in QUERIES]
    np.testing.assert_allclose(DESM().fit(index).score(QUERIES), expected, atol=1e-6)


def test_the_mixture_with_topic_models(index: SpanIndex) -> None:
    model = LMDLDA(mu=10.0, weight=0.6, topics=3, seeds=2).fit(index)
    column = index.vocabulary["cells"]
    lmd = np.exp(LMD(mu=10.0).fit(index).score([Query({"cells": 1})])[0])
    mixtures = [np.log(0.6 * lmd + 0.4 * spans @ words[:, column]) for words, spans in model.models]
    expected = np.mean(mixtures, axis=0)
    np.testing.assert_allclose(model.score([Query({"cells": 1})])[0], expected)
