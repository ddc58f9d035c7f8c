"""nDCG, checked by hand and against scikit-learn's `ndcg_score`."""

from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from citectx.errors import ParameterError
from citectx.evaluation import ndcg, relevance
from citectx.evaluation.offsets import Gold

grades = st.lists(st.integers(0, 4), min_size=2, max_size=30)


# relevance


def test_one_shared_character_is_enough_and_a_touching_border_is_not() -> None:
    gold = {"A": [(10, 20)], "B": [(19, 30)]}
    candidates = [(0, 10), (0, 11), (0, 40), (19, 20), (25, 26), (30, 40)]
    assert relevance(candidates, gold).tolist() == [0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("gold", [{}, {"A": ()}])
def test_relevance_without_any_evidence_is_refused(gold: Gold) -> None:
    with pytest.raises(ParameterError, match="no annotator marked any evidence"):
        relevance([(0, 10)], gold)


# nDCG


def test_ndcg_worked_by_hand() -> None:
    gained = 3 / log2(2) + 0 / log2(3) + 1 / log2(4) + 2 / log2(5)
    best = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg([3, 0, 1, 2]) == pytest.approx(gained / best)
    assert ndcg([3, 0, 1, 2], k=2) == pytest.approx(3 / (3 + 2 / log2(3)))


def test_the_ideal_counts_candidates_that_were_not_returned() -> None:
    assert ndcg([1]) == 1.0
    assert ndcg([1], ideal=[0, 1, 0, 1]) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert ndcg([], ideal=[0, 1]) == 0.0


@given(grades, st.integers(1, 35))
def test_ndcg_equals_scikit_learn_where_scores_are_not_tied(
    gains: list[float], k: int | None
) -> None:
    scores = -np.arange(len(gains), dtype=float)
    assert ndcg(gains) == pytest.approx(ndcg_score([gains], [scores]))
    assert ndcg(gains, k) == pytest.approx(ndcg_score([gains], [scores], k=k))


def test_no_relevant_candidate_scores_0() -> None:
    assert ndcg([0, 0, 0]) == ndcg([]) == 0.0


def test_a_ranking_that_outdoes_its_ideal_is_refused() -> None:
    with pytest.raises(ParameterError, match="must hold every candidate"):
        ndcg([1, 1], ideal=[1, 0])


@pytest.mark.parametrize("bad", [[1, float("nan")], [-1, 2], [[1, 0]]])
def test_impossible_relevance_is_refused(bad: Any) -> None:
    with pytest.raises(ParameterError, match="relevance"):
        ndcg(bad)
    with pytest.raises(ParameterError, match="k must be at least 1"):
        ndcg([1], k=0)
