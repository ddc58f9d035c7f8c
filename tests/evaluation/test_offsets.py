"""Character overlap, checked by hand and against Python sets of character positions."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.errors import ParameterError
from citectx.evaluation import (
    Scores,
    merge,
    overlap_matrix,
    precision_at,
    total,
    union_scores,
    weighted_scores,
)
from citectx.types import Span

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


# merge, total


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
    assert total(some) == len(positions(some))


@pytest.mark.parametrize("bad", [(3, 3), (5, 2), (-1, 4)])
@pytest.mark.parametrize("form", [list, np.array])
def test_empty_reversed_and_negative_spans_are_refused_by_name(
    bad: Any, form: Callable[..., Any]
) -> None:
    some = form([(0, 2), bad])
    for measure in (merge, lambda s: overlap_matrix(s, [(0, 1)])):
        with pytest.raises(ParameterError, match=f"span {bad[0]}-{bad[1]} "):
            measure(some)


@pytest.mark.parametrize(
    "bad", [[(1, 2, 3)], [4, 5], [(0.5, 2)], [("0", "2")], np.array([[0.0, 2.0]])]
)
def test_what_is_not_a_pair_of_whole_numbers_is_refused(bad: Any) -> None:
    for measure in (merge, lambda s: overlap_matrix(s, [(0, 1)])):
        with pytest.raises(ParameterError, match="pairs of whole numbers"):
            measure(bad)


# overlap


@given(spans, spans)
def test_overlap_matrix_equals_position_sets_for_each_span_by_itself(
    candidates: Pairs, gold: Any
) -> None:
    expected = [len(positions([candidate]) & positions(gold)) for candidate in candidates]
    assert overlap_matrix(candidates, gold).tolist() == expected
    as_array = np.array(candidates, dtype=np.int32).reshape(-1, 2)
    assert overlap_matrix(as_array, gold).tolist() == expected


def test_overlap_matrix_is_exact_at_offsets_far_beyond_any_article() -> None:
    far = 10**12
    assert overlap_matrix(
        [(far, far + 7), (0, 2 * far)], [(3, 5), (far + 2, far + 1001)]
    ).tolist() == [5, 1001]


# union and weighted scores


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


# precision at k


def test_precision_at_k_pools_the_characters_of_the_first_k_results_worked_by_hand() -> None:
    ranked, gold = [(0, 10), (5, 25), (30, 50)], {"A": [(0, 5)], "B": [(20, 40)]}
    assert [precision_at(ranked, gold, k) for k in (1, 2, 3)] == [5 / 10, 10 / 25, 20 / 45]
    assert precision_at(np.array(ranked), gold, 99) == 20 / 45
    assert precision_at([], gold, 1) == 0.0
    with pytest.raises(ParameterError, match="at least 1"):
        precision_at(ranked, gold, 0)
