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
from citectx.evaluation import merge, ndcg, precision_at, relevance, union_scores, weighted_scores
from citectx.evaluation.offsets import count_marked, cut_overlaps, union_f1_by_row

grades = st.lists(st.integers(0, 4), min_size=2, max_size=30)
Pairs = list[tuple[int, int]]

span = st.builds(lambda start, size: (start, start + size), st.integers(0, 60), st.integers(1, 15))
spans = st.lists(span, max_size=8)
golds = st.dictionaries(st.sampled_from("ABCD"), spans, min_size=1).filter(
    lambda gold: any(gold.values())
)


def positions(some_spans: Iterable[tuple[int, int]]) -> set[int]:
    """All characters that spans cover: the brute-force oracle."""
    return {position for start, end in some_spans for position in range(start, end)}


@given(spans)
def test_merge_covers_the_same_characters_with_gaps_between_and_is_idempotent(some: Pairs) -> None:
    merged = merge(some)
    assert positions(merged) == positions(some)
    assert all(left.end < right.start for left, right in pairwise(merged))
    assert merge(merged) == merged


@given(spans, golds)
def test_a_span_is_relevant_if_it_shares_a_position_with_anybodys(
    candidates: Pairs, gold: Any
) -> None:
    marked = set().union(*map(positions, gold.values()))
    expected = [int(not marked.isdisjoint(positions([each]))) for each in candidates]
    assert relevance(candidates, gold).tolist() == expected
    assert relevance(np.array(candidates, dtype=np.int32), gold).tolist() == expected


@given(spans, golds)
def test_scores_equal_their_definitions_on_position_sets(retrieved: Pairs, gold: Any) -> None:
    found = positions(retrieved)
    each = [positions(marked) for marked in gold.values()]
    for measure, sets in ((union_scores, [set().union(*each)]), (weighted_scores, each)):
        hits = sum(len(found & marked) for marked in sets)
        p, r = hits / max(len(sets) * len(found), 1), hits / sum(map(len, sets))
        f = 2 * p * r / (p + r) if hits else 0.0
        assert measure(retrieved, gold) == pytest.approx((p, r, f))


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
    assert union_scores([(0, 1)], {"A": [(0, 1)]}) == (1, 1, 1)


def test_the_ideal_counts_candidates_that_were_not_returned() -> None:
    assert ndcg([1]) == 1.0
    assert ndcg([1], ideal=[0, 1, 0, 1]) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert ndcg([], ideal=[0, 1]) == ndcg([0, 0, 0]) == ndcg([]) == 0.0


@given(grades)
def test_ndcg_equals_scikit_learn_where_scores_are_not_tied(gains: list[float]) -> None:
    scores = -np.arange(len(gains), dtype=float)
    assert ndcg(gains) == pytest.approx(ndcg_score([gains], [scores]))


@given(st.lists(spans.filter(bool), min_size=1, max_size=3), golds)
def test_rows_of_spans_score_as_each_by_itself(
    results: list[Pairs], gold: dict[str, Pairs]
) -> None:
    most = max(map(len, results))
    filled = np.array([some + [(0, 0)] * (most - len(some)) for some in results])
    returned = cut_overlaps(filled)
    for row, some in zip(returned.tolist(), results, strict=True):
        assert positions(row) == positions(some)
        assert sum(end - start for start, end in row) == len(positions(some))
    marked = np.array([merge(span for marks in gold.values() for span in marks)])
    expected = [union_scores(some, gold).f1 for some in results]
    assert union_f1_by_row(returned, np.repeat(marked, len(results), axis=0)).tolist() == expected
    everything = positions(marked[0].tolist())
    hits = [[len(positions([s]) & everything) for s in row] for row in filled.tolist()]
    assert count_marked(filled, marked).tolist() == hits
