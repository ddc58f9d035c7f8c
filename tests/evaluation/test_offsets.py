"""Character overlap against Python sets of positions, nDCG against scikit-learn; both by hand."""

from collections.abc import Iterable
from itertools import pairwise
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from citectx.errors import ParameterError
from citectx.evaluation import (
    Scores,
    merge,
    ndcg,
    overlap_matrix,
    precision_at,
    relevance,
    union_scores,
    weighted_scores,
)
from citectx.types import Span

grades = st.lists(st.integers(0, 4), min_size=2, max_size=30)
Pairs = list[tuple[int, int]]

span = st.tuples(st.integers(0, 60), st.integers(1, 15)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
spans = st.lists(span, max_size=8)
golds = st.dictionaries(st.sampled_from("ABCD"), spans, min_size=1).filter(
    lambda gold: any(gold.values())
)


def positions(some_spans: Iterable[tuple[int, int]]) -> set[int]:
    """All characters that spans cover: the brute-force oracle."""
    return {position for start, end in some_spans for position in range(start, end)}


def test_merge_joins_overlapping_touching_and_contained_spans_but_not_those_a_character_apart() -> (
    None
):
    assert merge([(10, 12), (0, 5), (5, 7), (1, 3), (13, 14)]) == (
        Span(0, 7),
        Span(10, 12),
        Span(13, 14),
    )


@given(spans)
def test_merge_covers_the_same_characters_with_gaps_between_and_is_idempotent(some: Pairs) -> None:
    merged = merge(some)
    assert positions(merged) == positions(some)
    assert all(left.end < right.start for left, right in pairwise(merged))
    assert merge(merged) == merged


@given(spans, spans)
def test_overlap_matrix_equals_position_sets_for_each_span_by_itself(
    candidates: Pairs, gold: Any
) -> None:
    expected = [len(positions([candidate]) & positions(gold)) for candidate in candidates]
    assert overlap_matrix(candidates, gold).tolist() == expected
    as_array = np.array(candidates, dtype=np.int32).reshape(-1, 2)
    assert overlap_matrix(as_array, gold).tolist() == expected


def test_union_and_weighted_scores_worked_by_hand() -> None:
    # S = 0-30 (given in two overlapping pieces), G = 20-50 and 90-100; sizes 30 and 40, in common
    # 20-30. Weighted (Eq. 1 of naacl2015): hits 10 (A) + 0 (B); |A| = 20, |B| = 30; P = 10 / (2 *
    # 30), R = 10 / 50.
    found, gold = [(10, 30), (0, 20)], {"A": [(20, 40)], "B": [(30, 50), (90, 100)]}
    assert union_scores(found, gold) == pytest.approx(
        Scores(1 / 3, 1 / 4, 2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    )
    assert weighted_scores(found, gold) == pytest.approx(Scores(1 / 6, 1 / 5, 2 / 11))


def test_weighted_scores_count_an_annotator_without_evidence_in_m_if_given() -> None:
    gold = {"A": [(0, 10)], "B": [(0, 10)]}
    assert weighted_scores([(0, 10)], gold) == (1.0, 1.0, 1.0)
    assert weighted_scores([(0, 10)], gold | {"C": ()}) == pytest.approx((2 / 3, 1.0, 0.8))


@given(spans, golds)
def test_scores_equal_their_definitions_on_position_sets(retrieved: Pairs, gold: Any) -> None:
    found = positions(retrieved)
    union = set().union(*map(positions, gold.values()))
    hits = sum(len(found & positions(marked)) for marked in gold.values())
    size = sum(len(positions(marked)) for marked in gold.values())
    for scores, p, r in (
        (
            union_scores(retrieved, gold),
            len(found & union) / max(len(found), 1),
            len(found & union) / len(union),
        ),
        (weighted_scores(retrieved, gold), hits / max(len(gold) * len(found), 1), hits / size),
    ):
        assert scores == pytest.approx((p, r, 2 * p * r / (p + r) if p + r else 0.0))


@pytest.mark.parametrize("gold", [{}, {"A": (), "B": []}])
def test_a_citance_without_any_evidence_is_refused(gold: Any) -> None:
    for measure in (union_scores, weighted_scores, lambda s, g: precision_at(s, g, 1)):
        with pytest.raises(ParameterError, match="no annotator marked any evidence"):
            measure([(0, 5)], gold)


def test_precision_at_k_pools_the_characters_of_the_first_k_results_worked_by_hand() -> None:
    ranked, gold = [(0, 10), (5, 25), (30, 50)], {"A": [(0, 5)], "B": [(20, 40)]}
    assert [precision_at(ranked, gold, k) for k in (1, 2, 3)] == [5 / 10, 10 / 25, 20 / 45]
    assert precision_at(np.array(ranked), gold, 99) == 20 / 45
    assert precision_at([], gold, 1) == 0.0


def test_one_shared_character_is_enough_and_a_touching_border_is_not() -> None:
    gold = {"A": [(10, 20)], "B": [(19, 30)]}
    candidates = [(0, 10), (0, 11), (0, 40), (19, 20), (25, 26), (30, 40)]
    assert relevance(candidates, gold).tolist() == [0, 1, 1, 1, 1, 0]


def test_ndcg_worked_by_hand() -> None:
    gained = 3 / log2(2) + 0 / log2(3) + 1 / log2(4) + 2 / log2(5)
    best = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg([3, 0, 1, 2]) == pytest.approx(gained / best)


def test_the_ideal_counts_candidates_that_were_not_returned() -> None:
    assert ndcg([1]) == 1.0
    assert ndcg([1], ideal=[0, 1, 0, 1]) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert ndcg([], ideal=[0, 1]) == 0.0


@given(grades)
def test_ndcg_equals_scikit_learn_where_scores_are_not_tied(gains: list[float]) -> None:
    scores = -np.arange(len(gains), dtype=float)
    assert ndcg(gains) == pytest.approx(ndcg_score([gains], [scores]))


def test_no_relevant_candidate_scores_0() -> None:
    assert ndcg([0, 0, 0]) == ndcg([]) == 0.0
