"""Levels of agreement and alpha: by hand, against position sets, against the literature and against
NLTK."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.errors import ParameterError
from citectx.evaluation.agreement import LEVELS, agreement_level, coincidences, krippendorff_alpha

SIZE = 24
span = st.tuples(st.integers(0, SIZE - 1), st.integers(1, SIZE)).filter(lambda s: s[0] < s[1])
marks = st.lists(st.lists(span, max_size=3), min_size=2, max_size=4).map(
    lambda rows: dict(enumerate(rows))
)


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
        ([[(0, 10)], [(0, 10)], [(0, 10)], []], "majority", 3, 1, 1),
    ],
)
def test_levels_worked_by_hand(
    marked: Any, name: str, sharing: int, overlap: float, group_overlap: float
) -> None:
    found = agreement_level(dict(zip("ABCDE", marked, strict=False)))
    assert (found.name, found.sharing) == (name, sharing)
    assert (found.overlap, found.group_overlap) == pytest.approx((overlap, group_overlap))


@pytest.mark.parametrize("marked", [{}, {"A": [(0, 5)]}, {"A": (), "B": ()}])
def test_without_two_annotators_or_without_evidence_there_is_no_level(marked: Any) -> None:
    with pytest.raises(ParameterError, match="two annotators, one with evidence"):
        agreement_level(marked)


@given(marks.filter(lambda rows: any(rows.values())))
def test_levels_equal_what_sets_of_positions_give(marked: Any) -> None:
    """The plain way: try every group of annotators, the largest first."""
    covered = [{p for start, end in spans for p in range(start, end)} for spans in marked.values()]
    found = agreement_level(marked)
    for count in range(len(covered), 1, -1):
        groups = [g for g in combinations(covered, count) if set.intersection(*g)]
        if groups:
            shared = set().union(*(set.intersection(*g) for g in groups))
            jaccards = [len(set.intersection(*g)) / len(set.union(*g)) for g in groups]
            expected: tuple[float, ...] = (
                count,
                len(shared) / len(set().union(*covered)),
                float(np.mean(jaccards)),
            )
            break
    else:
        expected = (1, 0, 0)
    assert found[1:] == pytest.approx(expected)
    assert (found.name == "full") == all(c == covered[0] for c in covered)
    assert (found.name == "none") == (found.sharing < 2)
    assert found.name in LEVELS


def test_alpha_of_krippendorffs_own_binary_example() -> None:
    """Krippendorff (2011), section A: two observers, ten items, alpha 0.095."""
    marked = {"Meg": [(1, 2), (8, 9)], "Owen": [(0, 3), (5, 6)]}
    assert coincidences(marked, 10).tolist() == [4, 6, 14]
    assert round(float(krippendorff_alpha(coincidences(marked, 10))), 3) == 0.095


@given(st.lists(marks, min_size=1, max_size=3))
def test_alpha_equals_nltks_with_annotators_missing(citances: Any) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    counts = sum(coincidences(marked, SIZE) for marked in citances)
    data = [
        (str(name), f"{i} {p}", str(any(start <= p < end for start, end in spans)))
        for i, marked in enumerate(citances)
        for name, spans in marked.items()
        for p in range(SIZE)
    ]
    if len({value for *_, value in data}) < 2:
        assert np.isnan(krippendorff_alpha(counts))
    else:
        assert float(krippendorff_alpha(counts)) == pytest.approx(
            agreement.AnnotationTask(data).alpha()
        )


def test_a_single_annotator_adds_nothing_to_alpha_but_one_who_found_nothing_does() -> None:
    two = {"A": [(0, 10)], "B": [(5, 10)]}
    assert coincidences({"A": [(0, 10)]}, 50).tolist() == [0, 0, 0]
    assert coincidences(two | {"C": ()}, 50).tolist() == pytest.approx(
        [(5 * 2 + 5 * 2) / 2, 15, 135]
    )


def test_alpha_of_perfect_agreement_is_one_and_each_row_of_counts_has_its_own() -> None:
    same = coincidences({"A": [(3, 9)], "B": [(3, 9)]}, 20)
    assert same.tolist() == [0, 12, 28]
    pooled = same + np.array([4, 6, 14])
    assert krippendorff_alpha([same, pooled]) == pytest.approx([1, 1 - 59 * 4 / (18 * 42)])


def test_a_span_behind_the_article_is_refused() -> None:
    with pytest.raises(ParameterError, match="ends at 30, beyond the article's 20 characters"):
        coincidences({"A": [(0, 30)], "B": ()}, 20)


@pytest.mark.open_data
def test_levels_on_citation_integrity_equal_a_count_over_arrays_of_characters(
    open_corpus: Callable[[str], Path],
) -> None:
    from citectx.corpora import citation_integrity

    corpus = citation_integrity.read(open_corpus("citation-integrity-annotations"))
    names = []
    for topic in corpus:
        for citance in topic.citances:
            marked = np.zeros((len(citance.annotations), len(topic.reference.text)), dtype=bool)
            for row, annotation in zip(marked, citance.annotations, strict=True):
                for start, end in annotation.spans:
                    row[start:end] = True
            depth = marked.sum(axis=0)
            found = agreement_level({a.annotator: a.spans for a in citance.annotations})
            assert found.sharing == depth.max()
            if found.sharing > 1:
                assert found.overlap == (depth == depth.max()).sum() / (depth > 0).sum()
            names.append(found.name)
    assert [names.count(name) for name in LEVELS] == [3, 19, 68, 103, 25]
