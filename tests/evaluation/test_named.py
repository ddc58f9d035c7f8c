"""Measures by the names of ir-measures."""

import sys

import numpy as np
import pytest

from citectx.errors import MissingDataError, ParameterError
from citectx.evaluation import ndcg
from citectx.evaluation.named import NAMES, by_name, measure


def test_by_hand() -> None:
    """Relevant are the second result and one that was not found."""
    found = by_name(
        ["P@1", "P@2", "AP", "MAP", "RR", "R@2", "Rprec", "Success@1"],
        [[0, 1, 0], []],
        [[1, 1, 0, 0, 0], [1, 0]],
    )
    first = {name: values[0] for name, values in found.items()}
    expected = {"P@1": 0, "P@2": 0.5, "AP": 0.25, "MAP": 0.25, "RR": 0.5}
    assert first == pytest.approx(expected | {"R@2": 0.5, "Rprec": 0.5, "Success@1": 0})
    assert all(values[1] == 0 for values in found.values())


def test_ndcg_is_ours() -> None:
    random = np.random.default_rng(0)
    every = [random.integers(0, 2, 40) for _ in range(20)]
    ranked = [random.permutation(grades)[: 5 + 2 * i] for i, grades in enumerate(every)]
    theirs = by_name(["nDCG@10"], ranked, every)["nDCG@10"]
    ours = [ndcg(a, 10, b) for a, b in zip(ranked, every, strict=True)]
    np.testing.assert_allclose(theirs, ours, atol=1e-12)


def test_nothing_relevant_counts_0() -> None:
    names = [f"{name}@3" if name in ("P", "R", "Success") else name for name in NAMES]
    assert all(values == 0 for values in by_name(names, [[0, 0]], [[0, 0, 0]]).values())


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "F", "P", "R", "Success", "nDCG@0", "nDCG@-1", "nDCG@x", "P@1.5", "Rprec@3"),
        *("NumRet", "alpha_nDCG@5", "P(rel=0)@2", "AP(rel=2)", "nDCG@5@3", "P@99999999999", 3),
    ],
)
def test_other_names_are_refused(name: str) -> None:
    """Some of them would end the process inside trec_eval."""
    with pytest.raises(ParameterError, match="as in nDCG@10"):
        measure(name)


def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingDataError, match="pip install ir-measures"):
        measure("AP")
