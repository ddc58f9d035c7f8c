"""Exercises that check themselves: solutions run and are right, other answers are not."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from citectx.paths import NOTEBOOKS
from citectx.show import exercises, lessons
from tests.lesson_cells import LESSONS, Cell, needed_cells, shown

OTHER_RUN: dict[str, dict[str, Any]] = {
    **{lesson: {"topic": "D9002_TEACH"} for lesson in LESSONS if lesson != "07"},
    "07": {"citing": "Res", "citation": 7},
    "09": {"topic": "D9002_TEACH", "citance": 4},
}
"""Parameters with which some answers are others."""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(exercises, "_solutions", {})
    monkeypatch.setenv(lessons.STATIC, "1")
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    monkeypatch.chdir(NOTEBOOKS)  # where a kernel runs
    with mpl.rc_context():
        yield
    plt.close("all")


def is_exercise(cell: Cell) -> bool:
    return bool({"exercise", "solution"} & {*cell["metadata"].get("tags", ())})


def key() -> dict[str, Any]:
    """The right answers of the lesson that has run, by the numbers of its exercises."""
    return {name: known.compute() for name, known in sorted(exercises._solutions.items())}


def run(lesson: str, **parameters: Any) -> str:
    """Run the exercises of a lesson and what they need; return what the exercises print."""
    namespace: dict[str, Any] = {}
    told = ""
    for cell in needed_cells(lesson, is_exercise):
        printed = shown(cell["source"], cell["id"], namespace)
        if "parameters" in cell["metadata"].get("tags", ()):
            namespace |= parameters
        told += printed if is_exercise(cell) else ""
    return told


def wrong(answer: Any) -> Any:
    """An answer of the same kind that is not this one."""
    if isinstance(answer, set | frozenset):
        return {*answer, "?"}
    if isinstance(answer, dict | pd.Series):
        return {name: wrong(value) for name, value in dict(answer).items()}
    if isinstance(answer, list):
        return [*map(wrong, answer)]
    return 2 * answer + 1


@pytest.mark.parametrize("lesson", LESSONS)
def test_solutions_are_right_and_others_are_not(
    lesson: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(lesson)
    numbers = [f"{lesson}.{i}" for i in (1, 2, 3)]
    assert re.findall(r"Exercise (\S+): not answered yet", told) == numbers
    right = key()
    assert [*right] == numbers
    for exercise, answer in right.items():
        exercises.check(exercise, answer)
        assert capsys.readouterr().out == f"Exercise {exercise}: right.\n"
        exercises.check(exercise, wrong(answer))
        assert "not yet. " in capsys.readouterr().out


@pytest.mark.parametrize("lesson", OTHER_RUN)
def test_solutions_follow_the_parameters(lesson: str) -> None:
    run(lesson)
    before = key()
    run(lesson, **OTHER_RUN[lesson])
    after = key()
    assert after.keys() == before.keys()
    assert any(after[exercise] != before[exercise] for exercise in before)


def test_before_the_solution_is_known_the_reader_hears_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exercises.check("00.1", 4)
    assert "run the folded cell below, unopened, and then this one again" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "right", "said"),
    [
        (3, 3, "right."),
        (3.0, 3, "right."),
        (0.3301, 0.33, "right."),
        (0.34, 0.33, "not yet. hint"),
        (np.float64(0.33), 0.33, "right."),
        ({"a", "b"}, {"b", "a"}, "right."),
        ([1, 2], [1, 2, 3], "not yet. Wrong: number 3. hint"),
        ([1, 5], [1, 2], "not yet. Wrong: number 2. hint"),
        ((1, 2), [1, 2], "right."),
        (pd.Series({"a": 1.0}), {"a": 1.0}, "right."),
        ({"a": 1.0}, {"b": 1.0}, "not yet. hint"),
        ("three", 3, "not yet. hint"),
        ({1, 2}, [1, 2], "not yet. hint"),
        ([1, ...], [1, 2], "not answered yet. Put your answer in the place of the three dots."),
        (None, 3, "not yet. hint"),
    ],
)
def test_what_counts_as_right(
    answer: Any, right: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exercises.solution("00.1", hint="hint")(lambda: right)
    exercises.check("00.1", answer)
    assert capsys.readouterr().out == f"Exercise 00.1: {said}\n"
