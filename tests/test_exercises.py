"""Exercises that check themselves."""

import json
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from citectx.paths import NOTEBOOKS
from citectx.show import exercises
from citectx.show.answers import from_json, plain, to_json

PERCENT, SHARE = (f"not yet. {sentence}" for sentence in exercises.UNITS.values())


@pytest.mark.parametrize(
    ("answer", "right", "said"),
    [
        (3, 3, "right."),
        (3.0, 3, "right."),
        (0.3301, 0.33, "right."),
        (0.34, 0.33, "not yet. hint"),
        (np.float64(0.33), 0.33, "right."),
        ([1, 2], [1, 2, 3], "not yet. Wrong: number 3. hint"),
        ([1, 5], [1, 2], "not yet. Wrong: number 2. hint"),
        ({"a": 1.0}, {"b": 1.0}, "not yet. hint"),
        ("three", 3, "not yet. hint"),
        ({1, 2}, [1, 2], "not yet. hint"),
        (None, 3, "not yet. hint"),
        # right answers that were refused once
        (1.7, 1.6834, "right."),
        ([10_000, 1000], {1000, 10_000}, "right."),
        ({1000, 10_000}, {1000, 10_000}, "right."),
        (pd.Series({"Q1": 14.3, "Q2": 18.0}), [14.32, 17.96], "right."),
        (["might", "possibly"], {"possibly", "might"}, "right."),
        (pd.Index(["D9003", "D9004"]), {"D9003", "D9004"}, "right."),
        ([0.08, 0.37], [0.0798, 0.3741], "right."),
        ([0.13, 0.01], [0.1262, 0.0119], "right."),
        ({"a": -0.17, "b": -0.3}, {"a": -0.1741, "b": -0.3012}, "right."),
        (Fraction(33, 100), 0.33, "right."),
        (Decimal("0.33"), 0.33, "right."),
        (pd.DataFrame({"c-F": [14.3, 18.0]}), [14.32, 17.96], "right."),
        (pd.DataFrame({"a": [-0.17], "b": [-0.3]}), {"a": -0.1741, "b": -0.3012}, "right."),
        (np.array([[14.3], [18.0]]), [14.32, 17.96], "right."),
        ([{"b"}, pd.Index(["a"])], [{"b"}, {"a"}], "right."),
        ({"a": 1}.keys(), {"a"}, "right."),
        (np.inf, np.inf, "right."),
        # rounded to nothing, or wrongly
        (2, 1.6834, "not yet. hint"),
        (1.6, 1.6834, "not yet. hint"),
        (0.4, 0.3741, "not yet. hint"),
        (0, 0.0119, "not yet. hint"),
        ([0.91, 0.91], [0.907, 0.916], "not yet. Wrong: number 2. hint"),
        # units
        (29, 0.2861, PERCENT),
        (0.286, 28.61, SHARE),
        ([0.143, 0.1796], [14.32, 17.96], SHARE),
        ([0.167, 355.4], [16.71, 355.4], SHARE),
        (300, 3, "not yet. hint"),
        ([14.3, 0.1], [14.32, 17.96], "not yet. Wrong: number 2. hint"),
    ],
)
def test_what_counts_as_right(answer: Any, right: Any, said: str) -> None:
    assert exercises.judge(answer, right, "hint") == said


class Agreeable(int):
    """A number that says it equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 3


Pair = namedtuple("Pair", ["a", "b"])
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize("right", [3, 0.33, [1, 2], {"a"}, {"a": 1.0}])
@pytest.mark.parametrize(
    "answer",
    [
        *(mock.ANY, [mock.ANY, mock.ANY], (mock.ANY,), {"a": mock.ANY}, mock.MagicMock()),
        *(Agreeable(5), [Agreeable(5), Agreeable(5)], pd.Series([Agreeable(5)] * 2, dtype=object)),
        *(Pair(1, 2), print, object(), pd.DataFrame({"a": [1, 2], "b": [1, 2]})),
        *(ENDLESS, range(100_000), {(1, 2): 3}, b"3", 3j, np.longdouble(3)),
    ],
)
def test_what_decides_itself_what_it_equals_is_no_answer(answer: Any, right: Any) -> None:
    said = exercises.judge(answer, right, "hint")
    assert said.startswith("not yet. ")
    assert "hint" not in said


@pytest.mark.parametrize(
    "answer", [3, 0.5, "a", None, [1, ["b"]], {1, 2}, {"a": {0.5}}, pd.Series([1, 2], ["a", "b"])]
)
def test_an_answer_survives_being_handed_in(answer: Any) -> None:
    again = from_json(json.loads(json.dumps(to_json(plain(answer)))))
    assert exercises.judge(again, plain(answer), "") == "right."
    assert type(again) is type(answer)


@pytest.mark.parametrize("answer", [..., [1, ...], {"a": ...}, {...}, np.array([..., ...])])
def test_three_dots_are_no_answer(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    exercises.check("00.2", answer)
    assert "Exercise 00.2: not answered yet." in capsys.readouterr().out


def test_a_solution_is_shown_only_to_readers_who_ask(capsys: pytest.CaptureFixture[str]) -> None:
    exercises.check("01.2", 3)  # without the variables of the lesson
    said = capsys.readouterr().out
    assert "cannot be checked: NameError" in said
    assert "Run the cells above this one first" in said
    exercises.show_solution("01.2")
    assert "return float(lead.drop(lead.idxmax()).mean())" in capsys.readouterr().out


def test_lessons_and_solutions_come_in_pairs() -> None:
    lessons = {path.name[:2] for path in NOTEBOOKS.glob("*.ipynb")}
    solutions = {path.stem for path in NOTEBOOKS.glob("solutions/*.py")}
    assert solutions == lessons, "each notebook needs a file NN.py in notebooks/solutions"
