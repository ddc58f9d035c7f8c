"""The committed tables of races, and the check of a new run against them."""

import pandas as pd
import pytest

from benchmarks.__main__ import MODULES, RESULTS, SLACK, slower
from citectx.paths import ROOT


def test_the_table_is_of_one_run() -> None:
    frame = pd.read_csv(RESULTS, keep_default_na=False)
    assert len(frame[["commit", "date", "processor", "python"]].drop_duplicates()) == 1
    assert set(frame["result"]) <= {"equal", "not compared"}
    assert (frame["why"] != "")[frame["ratio"] < 1].all()
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert files == {*MODULES, "__main__", "larger", "leaderboard", "race"}


@pytest.mark.parametrize(("factor", "count"), [(1.0, 0), (1.01 / SLACK, 0), (0.99 / SLACK, 1)])
def test_a_race_that_became_much_slower_is_named(factor: float, count: int) -> None:
    races = pd.read_csv(RESULTS).head(1)
    assert len(slower(races.assign(ratio=races["ratio"] * factor))) == count
