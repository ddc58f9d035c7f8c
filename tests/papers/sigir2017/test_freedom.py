"""How much freedom each row of Table 1 had, on scores made by hand."""

import numpy as np
import pytest
from scipy import stats

from citectx.experiments.tuning import Tuned
from citectx.papers.sigir2017.freedom import COLUMNS, EFFECT, freedom
from citectx.retrieval import BM25, LMD

SIZES = np.full(6, 2.0)
TOPICS = list("abcdef")
CALM = np.array([[0.2, 0.4, 0.6, 0.2, 0.4, 0.6]])
NERVOUS = np.array([[2.0, 0, 0, 0, 0, 0], [0, 2.0, 0, 0, 0, 0], [0.1] * 6])
"""Two variants that each owe all to one topic: on the others, the third is better."""


def tuned(model: type[BM25 | LMD], sums: np.ndarray) -> Tuned:
    return Tuned(TOPICS, [model() for _ in sums], sums, SIZES, folds=6)


def test_what_tuning_gains_by_looking_at_the_topic_is_not_in_held_out() -> None:
    found = freedom({"BM25": tuned(BM25, CALM), "LMD": tuned(LMD, NERVOUS)})
    assert found.columns.tolist() == [*COLUMNS, *EFFECT]
    calm, nervous = found.to_dict("records")
    assert (calm["variants"], calm["choices"]) == (1, 1)
    assert calm["in_sample"] == calm["held_out"] == pytest.approx(100 * 2.4 / 12)
    assert calm["repeated"] == pytest.approx(calm["in_sample"])
    assert (nervous["variants"], nervous["choices"]) == (3, 2)
    assert nervous["in_sample"] == pytest.approx(100 * 2 / 12)
    # Left out is a: b's variant is chosen; else a's. No topic has anything of it.
    assert nervous["held_out"] == 0
    assert 0 <= nervous["repeated"] < nervous["in_sample"]


def test_the_difference_is_to_the_best_baseline_with_a_t_interval() -> None:
    found = freedom({"BM25": tuned(BM25, CALM), "VSM": tuned(BM25, CALM / 2)})
    best, other = found.to_dict("records")
    assert (best["against"], other["against"]) == ("", "BM25")
    assert np.isnan(best["difference"])
    gains = -100 * CALM[0] / 2 / 2
    t = stats.t.interval(0.95, 5, gains.mean(), stats.sem(gains))
    assert other["difference"] == pytest.approx(gains.mean())
    assert (other["ci_low"], other["ci_high"]) == pytest.approx(t)


def test_without_a_baseline_nothing_is_compared() -> None:
    found = freedom({"LMD": tuned(LMD, NERVOUS)})
    assert found["against"].tolist() == [""]
    assert found["difference"].isna().all()
