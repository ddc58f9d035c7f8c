"""Races: what is measured, and the committed table."""

import pandas as pd
import pytest

from benchmarks.__main__ import MODULES, RESULTS, main
from benchmarks.race import forget, race
from citectx.errors import ParameterError
from citectx.evaluation import rouge
from citectx.paths import ROOT


def work(times: int) -> int:
    return sum(sum(range(100_000)) for _ in range(times))


def test_the_ratio_is_how_many_times_longer_the_peer_took() -> None:
    found = race("sums", "a loop", "sums", lambda: work(10), lambda: work(40), repeats=(2, 2))
    assert 2 < found.ratio < 8
    assert found.result == "not compared"


@pytest.mark.parametrize(("peer", "result"), [(3, "equal"), (4, "differs")])
def test_results_are_compared(peer: int, result: str) -> None:
    found = race("sums", "a loop", "sums", lambda: work(3), lambda: work(peer), same=int.__eq__)
    assert found.result == result


def test_nothing_is_left_from_the_run_before() -> None:
    rouge("Cells rest.", ["Cells do rest."])
    module = __import__(rouge.__module__, fromlist=["_ngrams"])
    assert module._ngrams.cache_info().currsize
    forget()
    assert not module._ngrams.cache_info().currsize


def test_the_table_is_of_one_run_of_all_races() -> None:
    frame = pd.read_csv(RESULTS)
    assert list(dict.fromkeys(frame["module"])) == list(MODULES)
    assert len(frame[["commit", "date", "processor", "python"]].drop_duplicates()) == 1
    assert set(frame["result"]) <= {"equal", "not compared"}
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert files == {*MODULES, "__main__", "race"}
    with pytest.raises(ParameterError, match="sprint"):
        main("sprint")
