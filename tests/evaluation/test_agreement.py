"""Human precision, levels, alpha: by hand, against sets, the literature and NLTK."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask

from citectx.corpora import citation_integrity
from citectx.evaluation import human_precision, mean_human_precision, weighted_scores
from citectx.evaluation.agreement import LEVELS, agreement_level, coincidences, krippendorff_alpha
from citectx.evaluation.offsets import Gold

SIZE = 24
span = st.tuples(st.integers(0, SIZE - 1), st.integers(1, SIZE)).filter(lambda s: s[0] < s[1])
marks = st.lists(st.lists(span, max_size=3), min_size=2, max_size=4).map(
    lambda rows: dict(enumerate(rows))
)
MARKED = {"B": [(10, 30)], "A": [(0, 20), (15, 20)], "C": [(15, 20), (40, 45)]}


def test_each_annotator_against_the_others_worked_by_hand_and_in_order() -> None:
    # Union of the others: A: 10-20 of its 20 characters; B: the same 10 of 20; C: 15-20 of 10.
    assert list(human_precision(MARKED).items()) == [("A", 0.5), ("B", 0.5), ("C", 0.5)]
    # Each other in turn: A: (10 + 5) / (2 * 20); B: the same; C: (5 + 5) / (2 * 10).
    assert human_precision(MARKED, weighted_scores) == {"A": 0.375, "B": 0.375, "C": 0.5}


@pytest.mark.parametrize("gold", [{}, {"A": [(0, 5)]}, {"A": [(0, 5)], "B": ()}])
def test_a_citance_with_fewer_than_two_annotators_has_no_human_precision(gold: Gold) -> None:
    assert human_precision(gold) == {}
    assert mean_human_precision([gold, MARKED]) == 0.5


@pytest.mark.parametrize(
    ("marked", "name", "sharing", "overlap", "group_overlap"),
    [
        ([[(0, 9)], [(0, 4), (4, 9)], [(0, 9), (2, 3)], [(0, 9)]], "full", 4, 1, 1),
        ([[(0, 9)], [(0, 9)], [(0, 9)], [(0, 10)]], "all", 4, 0.9, 0.9),
        ([[(0, 10)], [(5, 15)], [(8, 20)], [(40, 60)]], "majority", 3, 2 / 40, 2 / 20),
        ([[(0, 10)], [(5, 15)], [(20, 30)], [(40, 50)]], "minority", 2, 5 / 35, 5 / 15),
        # Two pairs, A with B and C with D: 5 of 15 characters and 10 of 10.
        ([[(0, 10)], [(5, 15)], [(20, 30)], [(20, 30)]], "minority", 2, 15 / 25, (1 / 3 + 1) / 2),
        ([[(0, 10)], [(10, 15)], [(20, 30)], [(40, 50)]], "none", 1, 0, 0),
        ([[(0, 10)], [(5, 15)], [(20, 30)]], "majority", 2, 5 / 25, 5 / 15),
        ([[(0, 10)], [(5, 15)]], "all", 2, 5 / 15, 5 / 15),
        ([[(0, 10)], []], "none", 1, 0, 0),
        ([[], []], "none", 0, 0, 0),
        ([[(0, 10)], [(0, 10)], [(0, 10)], [], []], "majority", 3, 1, 1),
        ([[(0, 10)], [(0, 10)], [(0, 10)], []], "majority", 3, 1, 1),
    ],
)
def test_levels_worked_by_hand(
    marked: Any, name: str, sharing: int, overlap: float, group_overlap: float
) -> None:
    found = agreement_level(dict(zip("ABCDE", marked, strict=False)))
    assert (found.name, found.sharing) == (name, sharing) and name in LEVELS
    assert (found.overlap, found.group_overlap) == pytest.approx((overlap, group_overlap))


def test_alpha_of_krippendorffs_own_example_and_of_several_at_once() -> None:
    """Krippendorff (2011), section A: two observers, ten items, alpha 0.095."""
    meg_and_owen = coincidences({"Meg": [(1, 2), (8, 9)], "Owen": [(0, 3), (5, 6)]}, 10)
    assert meg_and_owen.tolist() == [4, 6, 14]
    same = coincidences({"A": [(3, 9)], "B": [(3, 9)]}, 20)
    assert same.tolist() == [0, 12, 28]
    alphas = krippendorff_alpha([meg_and_owen, same, meg_and_owen + same])
    assert alphas == pytest.approx([1 - 19 * 4 / (6 * 14), 1, 1 - 59 * 4 / (18 * 42)])
    assert not coincidences({"A": [(0, 10)]}, 100).any()  # one annotator alone
    assert not coincidences({}, 100).any()


@given(st.lists(marks, min_size=1, max_size=3))
def test_alpha_equals_nltks_with_annotators_missing(citances: Any) -> None:
    found = krippendorff_alpha(sum(coincidences(marked, SIZE) for marked in citances))
    data = [
        (name, f"{i} {p}", any(start <= p < end for start, end in spans))
        for i, marked in enumerate(citances)
        for name, spans in marked.items()
        for p in range(SIZE)
    ]
    varied = len({value for *_, value in data}) > 1
    expected = AnnotationTask(data).alpha() if varied else np.nan
    assert float(found) == pytest.approx(expected, nan_ok=True)


@pytest.mark.open_data
def test_human_precision_and_levels_on_citation_integrity(
    open_corpus: Callable[[str], Path],
) -> None:
    """The figures were counted from the BRAT files with sets of positions, without this package."""
    corpus = citation_integrity.read(open_corpus("citation-integrity-annotations"))
    golds = [citance.gold for topic in corpus for citance in topic.citances]
    assert 100 * mean_human_precision(golds) == pytest.approx(50.94, abs=0.01)
    assert 100 * mean_human_precision(golds, weighted_scores) == pytest.approx(28.36, abs=0.01)
    every = [citance.annotations for topic in corpus for citance in topic.citances]
    names = [agreement_level({a.annotator: a.spans for a in marks}).name for marks in every]
    assert [names.count(name) for name in LEVELS] == [3, 19, 68, 103, 25]
