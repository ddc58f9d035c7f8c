"""The paired test, intervals, Holm and tau: by hand, against scipy.stats and by brute force."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from citectx.evaluation import (
    bootstrap_interval,
    holm,
    kendall_tau,
    paired_t,
    significance,
)
from citectx.types import Floats

scores = st.lists(st.integers(0, 10).map(lambda tenth: tenth / 10), min_size=2, max_size=9)


def two_systems(n: int, seed: int = 0, shift: float = 0.03) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    b = rng.beta(2, 4, n)
    return np.clip(b + rng.normal(shift, 0.2, n), 0, 1), b


@pytest.mark.parametrize("n", [2, 10, 218])
def test_paired_t_equals_scipy_ttest_rel_either_way_round(n: int) -> None:
    for a, b in (two_systems(n), two_systems(n)[::-1]):
        assert paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue)


def test_identical_samples_have_p_1() -> None:
    a = [0.2, 0.4, 0.9]
    assert paired_t(a, a) == 1


def test_the_same_difference_everywhere_has_p_0_also_after_rounding() -> None:
    # 0.3 - 0.1 and 0.9 - 0.7 differ in the last bit.
    assert paired_t([0.1, 0.3, 0.7], [0.3, 0.5, 0.9]) == 0


def test_bootstrap_interval_equals_the_quantiles_of_all_resamples_of_three_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(significance, "LEVEL", 0.8)
    values = [0.0, 0.3, 0.9]
    everything = [np.mean(draw) for draw in product(values, repeat=3)]
    found = bootstrap_interval(values, seed=0, resamples=50_000)
    assert found == pytest.approx(np.quantile(everything, [0.1, 0.9], method="inverted_cdf"))


def test_cluster_bootstrap_keeps_the_citances_of_a_topic_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # T1 has three citances of score 1, T2 one of 0: two draws give means 1, 3/4 (twice) and 0.
    values, topics = [1, 1, 0, 1], ["T1", "T1", "T2", "T1"]
    assert bootstrap_interval(values, seed=0, groups=topics) == (0, 1)
    monkeypatch.setattr(significance, "LEVEL", 0.4)
    assert bootstrap_interval(values, seed=0, groups=topics) == (0.75, 0.75)
    assert np.isnan(bootstrap_interval([0.5, 0.7], seed=0, groups=["T1", "T1"])).all()
    assert np.isnan(bootstrap_interval([0.5], seed=0)).all()


def test_cluster_bootstrap_is_wider_if_topics_differ_and_the_same_if_each_has_one_citance() -> None:
    topics = np.repeat(np.arange(10), 20)
    values = np.random.default_rng(1).normal(topics / 10, 0.1)
    plain = bootstrap_interval(values, seed=0)
    clustered = bootstrap_interval(values, seed=0, groups=topics)
    assert np.ptp(clustered) > 2 * np.ptp(plain)
    assert bootstrap_interval(values, seed=0, groups=np.arange(200)) == pytest.approx(plain)


def test_holm_worked_by_hand_leaves_nan_out_and_in_place() -> None:
    # Sorted: 0.01 x 4, 0.02 x 3, 0.03 x 2 -> at least 0.06, 0.9 x 1.
    assert holm([0.03, 0.9, 0.01, 0.02]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    assert holm([np.nan, 0.01, 0.5, np.nan]) == pytest.approx(
        [np.nan, 0.02, 0.5, np.nan], nan_ok=True
    )
    assert np.isnan(holm([np.nan])).all()
    assert len(holm([])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_equals_the_closed_test_of_all_intersections_by_bonferroni(
    p_values: list[float],
) -> None:
    indices = range(len(p_values))
    subsets = list(
        chain.from_iterable(combinations(indices, size) for size in range(1, len(p_values) + 1))
    )
    expected = [
        max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in subsets if i in s)
        for i in indices
    ]
    assert holm(p_values) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=2, max_size=40))
def test_tau_equals_scipys_to_the_last_bit(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=np.float64).reshape(-1, 2).T / 7
    np.testing.assert_array_equal(kendall_tau(x, y), stats.kendalltau(x, y).statistic)


def test_tau_is_nan_where_one_side_does_not_vary_or_a_value_is_missing() -> None:
    assert np.isnan([kendall_tau([1, 1], [1, 2]), kendall_tau([1, np.nan, 2], [1, 2, 3])]).all()
