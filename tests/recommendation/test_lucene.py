"""Scores over fields against those of the real Lucene 4.10; lesson 07 has the formula by hand."""

import json

import numpy as np

from citectx.recommendation.lucene import FieldedIndex, best
from tests.recommendation.oracle import LUCENE, SEED, random_collection


def test_scores_are_those_that_lucene_gave_once() -> None:
    collection, compared = random_collection(SEED), 0
    index = FieldedIndex.of(collection)
    for asked, boosts, docs, given in json.loads((LUCENE / "scores.json").read_text("utf-8")):
        terms = [collection.term_number.get(term, -1) for term in asked]
        scores = index.scores(terms, boosts)
        assert sorted(docs) == np.flatnonzero(scores > -np.inf).tolist()
        np.testing.assert_allclose(scores[docs], given, rtol=1e-5)
        np.testing.assert_allclose(scores[best(scores, None)], given, rtol=1e-5)
        compared += len(docs)
    assert compared > 2_000


def test_a_query_without_terms_finds_nothing() -> None:
    index = FieldedIndex.of(random_collection(seed=9, articles=5))
    assert best(index.scores([]), 5).tolist() == []
    assert best(index.scores([-1, -1]), 5).tolist() == []
