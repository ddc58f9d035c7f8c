"""The table of races is one run's, and `make bench-check` names what was lost."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.__main__ import MODULES, RESULTS, check, main, processor, run_all, table
from benchmarks.race import Race, forget, measured, race, seconds
from citectx.errors import MissingDataError, ParameterError
from citectx.evaluation.rouge import ngram_counts
from citectx.evaluation.rouge import rouge as scored
from citectx.paths import ROOT

NOT_RACES = {"__main__", "race", "engine", "growth", "hostile", "lrec2016_scaling"}
RUN = ["commit", "date", "processor", "python"]


def a_race(ratio: float = 4.0, **changes: object) -> Race:
    plain = measured("counting", "an abacus", "beads only", [1.0], [ratio], "equal")
    return plain._replace(**changes)  # type: ignore[arg-type]


COMMITTED = table({"fake": [a_race()]})


def checked(*rounds: list[Race]) -> int:
    """Check with a runner that has another result each time it is asked for the fake module."""
    left = list(rounds)

    def runner(module: str) -> list[Race]:
        if module != "fake":
            raise MissingDataError("not here")
        return left.pop(0)

    return check(COMMITTED, runner)


def work(times: int) -> int:
    return sum(sum(range(100_000)) for _ in range(times))


def timed(own: int) -> Race:
    return race("sums", "a loop", "sums", lambda: work(own), lambda: work(20), repeats=(2, 2))


def test_a_planted_slowdown_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    before = table({"fake": [timed(5)]})

    def runner(module: str) -> list[Race]:
        return [timed(10)] if module == "fake" else []

    assert check(before, runner) == 1
    assert "LOST sums by a loop: ratio " in capsys.readouterr().out


@pytest.mark.parametrize("ratio", [4.0, 2.7, 40.0])
def test_a_race_that_is_not_lost(ratio: float, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked([a_race(ratio)]) == 0
    assert "no race was lost" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "named"),
    [
        ([a_race(2.6)], "LOST counting by an abacus: ratio 2.6, was 4"),
        ([a_race(result="differs")], "LOST counting by an abacus: the results differ"),
        ([], "LOST counting by an abacus: no longer run"),
        ([a_race(), a_race(peer="fingers")], "LOST counting by fingers: not in the table"),
    ],
)
def test_a_lost_race_is_named(
    found: list[Race], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(found, found) == 1
    assert named in capsys.readouterr().out


def test_a_race_must_be_lost_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked([a_race(1.0)], [a_race(3.9)]) == 0
    assert "once more: fake" in capsys.readouterr().out


def test_what_cannot_be_run_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def nothing(module: str) -> list[Race]:
        raise MissingDataError("its corpus is on no disk")

    assert run_all(["fake"], nothing) == {}
    assert "fake is not run: its corpus is on no disk" in capsys.readouterr().out
    assert check(COMMITTED, nothing) == 1
    with pytest.raises(ParameterError, match="sprint"):
        main("sprint")


def test_nothing_is_left_from_the_run_before() -> None:
    ngram_counts("cells rest", "cells", 1)
    module = __import__(scored.__module__, fromlist=["_ngrams"])
    assert module._ngrams.cache_info().currsize
    forget()
    assert not module._ngrams.cache_info().currsize
    sizes = []
    seconds(lambda: sizes.append(module._ngrams.cache_info().currsize), repeats=2)
    assert sizes == [0, 0]


def test_a_processor_has_a_name(tmp_path: Path) -> None:
    described = tmp_path / "cpuinfo"
    described.write_text("processor : 0\nmodel name\t: Abacus 3000\n")
    assert processor(described) == "Abacus 3000"
    assert processor(tmp_path / "missing")


def test_all_races_are_listed() -> None:
    names = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert names - NOT_RACES == set(MODULES)


def test_the_table_is_of_one_run() -> None:
    frame = pd.read_csv(RESULTS)
    assert list(dict.fromkeys(frame["module"])) == list(MODULES)
    assert frame[RUN].notna().all(axis=None)
    assert len(frame[RUN].drop_duplicates()) == 1
    assert min(len(str(text).split()) for text in frame["compares"]) > 5
    assert not frame.duplicated(["work", "peer"]).any()
    assert set(frame["result"]) <= {"equal", "not compared"}
