"""Human precision, by hand and, on real annotations, against sets of character positions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.errors import ParameterError
from citectx.evaluation import (
    human_precision,
    mean_human_precision,
    union_scores,
    weighted_scores,
)
from citectx.evaluation.agreement import Measure
from citectx.evaluation.offsets import Gold

MARKED = {"B": [(10, 30)], "A": [(0, 20), (15, 20)], "C": [(15, 20), (40, 45)]}


def test_each_annotator_against_the_others_worked_by_hand_and_in_order() -> None:
    # Union of the others: A: 10-20 of its 20 characters; B: the same 10 of 20; C: 15-20 of 10.
    assert list(human_precision(MARKED).items()) == [("A", 0.5), ("B", 0.5), ("C", 0.5)]
    # Each other in turn: A: (10 + 5) / (2 * 20); B: the same; C: (5 + 5) / (2 * 10).
    assert human_precision(MARKED, weighted_scores) == {"A": 0.375, "B": 0.375, "C": 0.5}


@pytest.mark.parametrize("measure", [union_scores, weighted_scores])
def test_annotators_without_evidence_count_neither_as_candidates_nor_as_gold(
    measure: Measure,
) -> None:
    assert human_precision(MARKED | {"D": ()}, measure) == human_precision(MARKED, measure)


@pytest.mark.parametrize("gold", [{}, {"A": [(0, 5)]}, {"A": [(0, 5)], "B": ()}])
def test_a_citance_with_fewer_than_two_annotators_has_no_human_precision(gold: Gold) -> None:
    assert human_precision(gold) == {}
    assert mean_human_precision([gold, MARKED]) == 0.5
    with pytest.raises(ParameterError, match="two annotators"):
        mean_human_precision([gold])


def test_mean_over_citances_worked_by_hand() -> None:
    # First citance 1, 1; second 1/2, 0, 1.
    golds = [{"A": [(0, 4)], "B": [(0, 4)]}, {"A": [(0, 4)], "B": [(9, 12)], "C": [(0, 2)]}]
    assert mean_human_precision(golds) == pytest.approx((1 + 1 / 2) / 2)


# real annotations


@pytest.fixture(scope="module")
def real_golds(open_corpus: Callable[[str], Path]) -> list[Gold]:
    from citectx.corpora import citation_integrity

    corpus = citation_integrity.read(open_corpus("citation-integrity-annotations"))
    return [citance.gold for topic in corpus for citance in topic.citances]


@pytest.mark.open_data
@pytest.mark.parametrize(("measure", "percent"), [(union_scores, 50.94), (weighted_scores, 28.36)])
def test_human_precision_on_citation_integrity_equals_what_the_raw_files_give(
    real_golds: list[Gold], measure: Measure, percent: float
) -> None:
    """The figures were counted from the BRAT files with sets of positions, without this package."""
    assert 100 * mean_human_precision(real_golds, measure) == pytest.approx(percent, abs=0.01)


@pytest.mark.open_data
def test_human_precision_on_citation_integrity_equals_position_sets(real_golds: list[Gold]) -> None:
    for gold in real_golds:
        covered = {
            name: {p for start, end in gold[name] for p in range(start, end)} for name in gold
        }
        union, weighted = human_precision(gold), human_precision(gold, weighted_scores)
        for name in union:
            others = [covered[other] for other in covered if other != name]
            shared = sum(len(covered[name] & other) for other in others)
            assert union[name] == len(covered[name] & set().union(*others)) / len(covered[name])
            assert weighted[name] == shared / (len(others) * len(covered[name]))
