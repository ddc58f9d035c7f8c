"""The paired test, intervals, Holm and tau: by hand, against scipy.stats and by brute force."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from citectx.evaluation import holm, jackknife, kendall_tau, mean_over, paired_t
from citectx.evaluation.intervals import student
from citectx.evaluation.significance import kendall_tau_over
from citectx.types import Floats


@pytest.mark.parametrize("n", [2, 10, 218])
def test_paired_t_equals_scipy_ttest_rel_either_way_round(n: int) -> None:
    a, b = np.random.default_rng(0).beta(2, 4, (2, n))
    assert paired_t(a, b) == paired_t(b, a) == pytest.approx(stats.ttest_rel(a, b).pvalue)


class SharedColumn:
    """Gives numpy its own memory where a copy is asked for, as a column of pandas 2.2 does."""

    def __init__(self, values: list[float]) -> None:
        self.memory = np.array(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return self.memory


@pytest.mark.parametrize("kind", [pd.Series, SharedColumn])
def test_holm_leaves_the_column_that_it_adjusts(kind: type[Any]) -> None:
    p_values = kind([0.01, 0.04, 0.03])
    assert holm(p_values) == pytest.approx([0.03, 0.06, 0.06])
    assert np.asarray(p_values).tolist() == [0.01, 0.04, 0.03]


def test_equal_samples_have_p_1_and_the_same_difference_everywhere_p_0() -> None:
    a = [0.2, 0.4, 0.9]
    assert paired_t(a, a) == 1
    # 0.3 - 0.1 and 0.9 - 0.7 differ in the last bit.
    assert paired_t([0.1, 0.3, 0.7], [0.3, 0.5, 0.9]) == 0


def test_a_mean_over_topics_of_equal_size_has_the_t_interval_of_their_means() -> None:
    topics = np.repeat(np.arange(10), 20)
    values = np.random.default_rng(1).normal(topics / 10, 0.1)
    means = values.reshape(10, 20).mean(axis=1)
    estimate = mean_over(values, topics)
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert estimate.numbers[1:] == pytest.approx(expected)
    assert (estimate.df, estimate.topics) == (pytest.approx(9), 10)
    assert np.isnan(mean_over([0.5, 0.7], ["T1", "T1"]).numbers[1])


@pytest.mark.parametrize("n", [2, 5, 40])
def test_degrees_of_freedom_are_those_of_the_quadratic_form(n: int) -> None:
    shares = np.random.default_rng(n).dirichlet(np.ones(n))
    moves = shares[:, None] * (np.eye(n) - shares)  # what each topic moves, by topics' means
    form = moves.T @ moves
    estimate = student(0.0, moves @ np.arange(n), shares)
    assert estimate.df == pytest.approx(np.trace(form) ** 2 / np.trace(form @ form))
    variance = np.arange(n) @ form @ np.arange(n) * (shares**2).sum() / np.trace(form)
    assert estimate.error**2 == pytest.approx(variance)


def test_a_jackknife_of_a_mean_is_its_t_interval() -> None:
    values = np.random.default_rng(0).normal(size=8)
    without = (values.sum() - values) / 7
    estimate = jackknife(values.mean(), without, np.ones(8))
    assert estimate.error == pytest.approx(stats.sem(values))
    some = jackknife(values.mean(), without, np.arange(8) < 7)  # one topic has nothing
    assert some.df == 6


def test_tau_over_topics_is_that_of_what_is_left() -> None:
    rng = np.random.default_rng(3)
    x, topics = rng.integers(0, 6, 40), rng.integers(0, 5, 40)
    y = x + rng.integers(0, 6, 40)
    counts = np.array([[1.0, 1, 1, 1, 1], [1, 1, 0, 1, 1]])
    found = kendall_tau_over(x, y, topics, counts)
    left = topics != 2
    expected = [stats.kendalltau(x, y), stats.kendalltau(x[left], y[left])]
    assert found.effect == pytest.approx([one.statistic for one in expected])
    without = [kendall_tau(x[topics != i], y[topics != i]) for i in range(5)]
    error = np.std(without) * 4**0.5
    assert found.error[0] == pytest.approx(error) and found.df.tolist() == [4, 3]


def test_holm_worked_by_hand_leaves_nan_out_and_in_place() -> None:
    # Sorted: 0.01 x 4, 0.02 x 3, 0.03 x 2 -> at least 0.06, 0.9 x 1.
    assert holm([0.03, 0.9, 0.01, 0.02]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    np.testing.assert_allclose(holm([np.nan, 0.01, 0.5, np.nan]), [np.nan, 0.02, 0.5, np.nan])
    assert holm([0.6, 0.9]).tolist() == [1, 1]
    assert np.isnan(holm([np.nan])).all()
    assert len(holm([])) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=2, max_size=40))
def test_tau_equals_scipys_to_the_last_bit(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=np.float64).reshape(-1, 2).T / 7
    np.testing.assert_array_equal(kendall_tau(x, y), stats.kendalltau(x, y).statistic)


def test_tau_is_nan_where_one_side_does_not_vary_or_a_value_is_missing() -> None:
    assert np.isnan([kendall_tau([1, 1], [1, 2]), kendall_tau([1, np.nan, 2], [1, 2, 3])]).all()
