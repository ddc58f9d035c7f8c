"""Scores over fields: against the real Lucene 4.10, against its frozen scores, against a plain
loop."""

import json
import math
from functools import cache
from itertools import groupby

import numpy as np
import pytest

from citectx.errors import MissingDataError, ParameterError
from citectx.recommendation.collection import Collection
from citectx.recommendation.lucene import FieldedIndex, best, norm_of_length
from tests.recommendation.oracle import (
    HERE,
    ask,
    document_lines,
    query_line,
    random_collection,
    random_queries,
)

FROZEN = HERE / "lucene" / "scores.json"


def numbers(collection: Collection, asked: list[str]) -> list[int]:
    return [collection.term_number.get(term, -1) for term in asked]


def hold_against(printed: list[tuple[int, int, float]], seed: int, count: int) -> int:
    """Compare with what Lucene printed; give how many scores were compared."""
    collection = random_collection(seed)
    index = FieldedIndex.of(collection)
    theirs = {q: list(rows) for q, rows in groupby(printed, key=lambda row: row[0])}
    compared = 0
    for number, (tie, asked, boosts) in enumerate(random_queries(seed, count)):
        rows = theirs.get(number, [])
        scores = index.scores(numbers(collection, asked), boosts, tie)
        docs = best(scores, len(collection))
        scores = scores[docs]
        given = np.array([score for *_, score in rows], dtype=np.float32)
        np.testing.assert_allclose(scores, given, rtol=1e-6)
        assert tie or (scores == given).all(), "without a tie, the same 32 bits"
        assert docs.tolist() == [doc for _, doc, _ in rows], f"ranking of query {number}"
        compared += len(rows)
    return compared


def test_scores_and_rankings_are_those_of_lucene() -> None:
    collection = random_collection(seed=5)
    lines = document_lines(collection) + [query_line(*query) for query in random_queries(5, 250)]
    try:
        printed = [line.split() for line in ask(lines)]
    except MissingDataError as error:
        pytest.skip(str(error))
    assert hold_against([(int(q), int(d), float(s)) for q, d, s in printed], 5, 250) > 20_000


def test_scores_and_rankings_are_those_that_lucene_gave_once() -> None:
    frozen = json.loads(FROZEN.read_text("utf-8"))
    rows = [(q, d, s) for q, docs, scores in frozen for d, s in zip(docs, scores, strict=True)]
    assert hold_against(rows, seed=6, count=len(frozen)) > 2_000


def test_the_byte_of_a_norm() -> None:
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 100, 1000]
    expected = [1, 0.625, 0.5, 0.5, 0.4375, 0.375, 0.375, 0.3125, 0.3125, 0.25, 0.09375, 0.03125]
    assert norm_of_length(lengths).tolist() == expected
    assert norm_of_length([0]).tolist() == [0]


def test_scores_are_those_of_a_plain_loop() -> None:
    """The formula of the module's docstring, written out, in 64 bits."""
    collection = random_collection(seed=7, articles=60)
    index, n = FieldedIndex.of(collection), 60
    held: dict[tuple[int, int], list[int]] = {}
    start = 0
    for end, doc, kind in zip(
        collection.sentence_end, collection.sentence_doc, collection.sentence_class, strict=True
    ):
        held.setdefault((int(doc), int(kind)), []).extend(collection.tokens[start:end].tolist())
        start = end
    fields = range(len(collection.classes))
    norms = [norm_of_length([len(held.get((d, f), ())) for f in fields]).tolist() for d in range(n)]
    for tie, asked, boosts in random_queries(8, 20):
        terms = numbers(collection, asked)

        @cache
        def idf(f: int, t: int) -> float:
            df = sum(t in held.get((d, f), ()) for d in range(n))
            return 1 + math.log(n / (df + 1))

        squares = [[(idf(f, t) * boosts[f]) ** 2 for f in fields] for t in terms]
        total = sum(max(row) + tie**2 * (sum(row) - max(row)) for row in squares)
        norm = 1 / math.sqrt(total) if total else 1.0
        found = index.scores(terms, boosts, tie)
        for d in range(n):
            clauses, hits = 0.0, 0
            for t in terms:
                own = [held.get((d, f), []) for f in fields]
                leaves = [
                    math.sqrt(o.count(t)) * idf(f, t) ** 2 * boosts[f] * norm * norms[d][f]
                    for f, o in zip(fields, own, strict=True)
                ]
                clauses += max(leaves) + tie * (sum(leaves) - max(leaves))
                hits += any(t in o for o in own)
            expected = clauses * hits / len(terms) if hits else -math.inf
            assert found[d] == pytest.approx(expected, rel=1e-5)


def test_a_field_of_weight_zero_still_matches() -> None:
    """So neither coord nor the articles that are found depend on weights."""
    collection = random_collection(seed=9, articles=40)
    index = FieldedIndex.of(collection)
    ones, zeros = index.scores([0, 1, 2]), index.scores([0, 1, 2], np.zeros(11))
    assert (np.isfinite(ones) == np.isfinite(zeros)).all()
    assert set(zeros[np.isfinite(zeros)]) == {0.0}


@pytest.mark.parametrize("weights", [[1.0] * 10, [1.0] * 10 + [-1.0], [float("nan")] * 11])
def test_wrong_weights_are_refused(weights: list[float]) -> None:
    index = FieldedIndex.of(random_collection(seed=9, articles=5))
    with pytest.raises(ParameterError, match="Bac, Con"):
        index.scores([0], weights)


def test_a_query_without_terms_finds_nothing() -> None:
    index = FieldedIndex.of(random_collection(seed=9, articles=5))
    assert best(index.scores([]), 5).tolist() == []
    assert best(index.scores([-1, -1]), 5).tolist() == []
