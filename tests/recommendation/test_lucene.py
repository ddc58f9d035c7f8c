"""Scores over fields: against scores that the real Lucene 4.10 gave, and against a plain loop."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from citectx.recommendation.collection import Collection
from citectx.recommendation.lucene import FieldedIndex, best, norm_of_length
from tests.recommendation.oracle import HERE, random_collection, random_queries

FROZEN = HERE / "lucene" / "scores.json"


def numbers(collection: Collection, asked: Sequence[str]) -> list[int]:
    return [collection.term_number.get(term, -1) for term in asked]


def test_scores_are_those_that_lucene_gave_once() -> None:
    collection, compared = random_collection(seed=6), 0
    index = FieldedIndex.of(collection)
    for asked, boosts, docs, given in json.loads(FROZEN.read_text("utf-8")):
        scores = index.scores(numbers(collection, asked), boosts)
        assert sorted(docs) == np.flatnonzero(scores > -np.inf).tolist()
        np.testing.assert_allclose(scores[docs], given, rtol=1e-5)
        np.testing.assert_allclose(scores[best(scores, None)], given, rtol=1e-5)
        compared += len(docs)
    assert compared > 2_000


def test_the_byte_of_a_norm() -> None:
    lengths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 100, 1000]
    expected = [0, 1, 0.625, 0.5, 0.5, 0.4375, 0.375, 0.375, 0.3125, 0.3125, 0.25, 3 / 32, 1 / 32]
    assert norm_of_length(lengths).tolist() == expected


def test_scores_are_those_of_a_plain_loop() -> None:
    """The formula of the module's docstring, written out."""
    n = 60
    collection = random_collection(seed=7, articles=n)
    index, fields = FieldedIndex.of(collection), range(len(collection.classes))
    held: list[list[list[int]]] = [[[] for _ in fields] for _ in range(n)]
    start = 0
    for end, doc, kind in zip(
        collection.sentence_end, collection.sentence_doc, collection.sentence_class, strict=True
    ):
        held[doc][kind] += collection.tokens[start:end].tolist()
        start = end

    def idf(f: int, t: int) -> float:
        return 1 + math.log(n / (sum(t in held[d][f] for d in range(n)) + 1))

    def leaf(f: int, t: int, d: int) -> float:
        norm = float(norm_of_length(len(held[d][f])))
        return math.sqrt(held[d][f].count(t)) * idf(f, t) ** 2 * norm

    for asked, b in random_queries(8, 5):
        terms = numbers(collection, asked)
        total = sum(max((b[f] * idf(f, t)) ** 2 for f in fields) for t in terms)
        for d in range(0, n, 7):
            found = sum(max(b[f] * leaf(f, t, d) for f in fields) for t in terms)
            hits = sum(any(t in held[d][f] for f in fields) for t in terms)
            coord, qn = hits / len(terms), 1 / math.sqrt(total or 1)
            expected = coord * qn * found if hits else -math.inf
            assert index.scores(terms, b)[d] == pytest.approx(expected, rel=1e-12)


def test_a_query_without_terms_finds_nothing() -> None:
    index = FieldedIndex.of(random_collection(seed=9, articles=5))
    assert best(index.scores([]), 5).tolist() == []
    assert best(index.scores([-1, -1]), 5).tolist() == []
