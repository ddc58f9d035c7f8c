"""What a lesson computes by hand is what the package computes, and exercises know what is right: on
another topic than the one that a lesson shows, and every night on all of them.

The notebooks' own cells run here, those that a comparison or an exercise needs. Each lesson takes
the first topic of its corpus, and its first citance, where nothing else is asked for: so the corpus
is turned until the wanted ones come first.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from io import StringIO
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from citectx import profiles
from citectx.corpora import Corpus
from citectx.papers.lrec2016 import training
from citectx.paths import NOTEBOOKS
from citectx.show import exercises, lessons
from tests.lesson_cells import LESSONS, Cell, needed_cells, shown

PARAMETERS = {"03": {"methods": ["BM25"]}}
"""The quarters of 03 are compared for one model; the whole table takes too long."""

TOPICS, CITANCES = range(5), range(8)
WITH_A_CITANCE = ("00", "01", "02", "05", "06", "09")
FAST = 1, 2
"""The topic, which no lesson shows, and the citance that run on every change; the others run every
night."""

ALL = [
    pytest.param(lesson, topic, citance, marks=() if (topic, citance) == FAST else pytest.mark.slow)
    for lesson in LESSONS
    for topic in TOPICS
    for citance in (CITANCES if lesson in WITH_A_CITANCE else [topic + 1])
]

Item = TypeVar("Item")


def turned(items: Sequence[Item], first: int) -> tuple[Item, ...]:
    """The same items, beginning with another one."""
    return (*items[first:], *items[:first])


def is_comparison(cell: Cell) -> bool:
    return bool(re.search(r"np\.(allclose|isclose|array_equal)\(", cell["source"]))


def is_exercise(cell: Cell) -> bool:
    return "exercise" in cell["metadata"].get("tags", ())


class Run(NamedTuple):
    """What comparisons show, by cell; by exercise the answer, and what a check says about it."""

    seen: dict[str, str]
    answers: dict[str, Any]
    said: dict[str, str]


Running = Callable[..., Run]
"""Runs a lesson once, from a topic and a citance on, with its exercises if they are asked for."""


def solve(exercise: str, namespace: dict[str, Any], run: Run) -> None:
    """Let an exercise check the right answer, as soon as a reader can."""
    judge = exercises.judge

    def with_the_right_one(_: Any, right: Any, hint: str) -> str:
        run.answers[exercise] = right
        return judge(right, right, hint)

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setattr(exercises, "judge", with_the_right_one)
        exec(f"exercises.check({exercise!r}, 0)", namespace)
    run.said[exercise] = printed.getvalue()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, teaching: Corpus) -> Iterator[Running]:
    load, pick, tasks = profiles.load, lessons.pick, training.tasks

    def turn(patch: pytest.MonkeyPatch, topic: int, citance: int) -> None:
        first, *others = turned(teaching.topics, topic)
        first = replace(first, citances=turned(first.citances, citance))
        corpus = replace(teaching, topics=(first, *others))

        def classes_turned(profile: str, **how: Any) -> list[training.RecommendationTask]:
            task = replace(*tasks(profile, **how))
            kinds = turned([*task.kinds.items()], topic % len(task.kinds))
            vars(task)["kinds"] = dict(kinds)  # a cached property
            return [task]

        patch.setattr(profiles, "load", lambda name: corpus if name == "teaching" else load(name))
        patch.setattr(lessons, "pick", lambda corpus, *_, **__: pick(corpus))
        patch.setattr(training, "tasks", classes_turned)  # 07 has classes of citations, no topics
        patch.setenv(lessons.STATIC, "1")
        patch.setenv("CITECTX_RESULTS", str(tmp_path_factory.mktemp("results")))
        patch.chdir(NOTEBOOKS)  # where a kernel runs

    @cache
    def run(lesson: str, topic: int, citance: int, asked: bool = False) -> Run:
        namespace: dict[str, Any] = {}
        made = Run({}, {}, {})
        solutions = (NOTEBOOKS / "solutions" / f"{lesson}.py").read_text("utf-8") if asked else ""
        cells = needed_cells(
            lesson, lambda cell: is_comparison(cell) or (asked and is_exercise(cell)), solutions
        )
        with pytest.MonkeyPatch.context() as patch, mpl.rc_context():
            turn(patch, topic, citance)
            for cell in cells:
                text = shown(cell["source"], cell["id"], namespace)
                if "parameters" in cell["metadata"].get("tags", ()):
                    namespace |= PARAMETERS.get(lesson, {})
                if is_comparison(cell):
                    made.seen[cell["id"]] = text
                for exercise in re.findall(r"Exercise (\S+): not answered yet", text):
                    solve(exercise, namespace, made)
        plt.close("all")
        return made

    yield run


@pytest.mark.parametrize(("lesson", "topic", "citance"), ALL)
def test_by_hand_as_by_the_package(running: Running, lesson: str, topic: int, citance: int) -> None:
    seen = running(lesson, topic, citance, asked=(topic, citance) == FAST).seen
    assert seen
    for cell, text in seen.items():
        assert "True" in text and "False" not in text, cell


def rounded(answer: Any) -> Any:
    """The same with two digits, or two decimals."""
    if not isinstance(answer, float):
        return answer
    return round(answer, 2 if abs(answer) < 1 else 1 if abs(answer) < 10 else 0)


def forms(right: Any) -> list[Any]:
    """Six ways to give the same answer."""
    if isinstance(right, dict):
        exact = [dict(reversed(right.items())), OrderedDict(right), MappingProxyType(right)]
        by_name = {name: rounded(value) for name, value in right.items()}
        return [*exact, pd.Series(right), by_name, pd.Series(by_name)[::-1]]
    members = [*right] if isinstance(right, list | set) else [right]
    same = [tuple(members), pd.Series(members, dtype=object), np.array(members, dtype=object)]
    if isinstance(right, set):
        return [*same, members[::-1], pd.Index(members, dtype=object), dict.fromkeys(members)]
    by_letter = pd.Series(members, [*"abcd"[: len(members)]] if len(members) < 5 else None)
    return [right, *same, [*map(rounded, members)], by_letter]


def wrong(right: Any) -> list[Any]:
    """Three answers of the same kind that are not this one."""
    if isinstance(right, set):
        return [right | {"?"}, [*right, "?"], {"?"}]
    if isinstance(right, dict):
        fewer = dict([*right.items()][1:])
        return [fewer, [*right.values()], {name: wrong(value)[0] for name, value in right.items()}]
    if isinstance(right, list):
        return [right[1:], [*right, right[0]], [wrong(right[0])[0], *right[1:]]]
    return [1.01 * right + 0.01, -right - 1, str(right)]


@pytest.mark.parametrize("lesson", LESSONS)
def test_exercises_accept_what_is_right_in_any_form_and_nothing_else(
    running: Running, lesson: str
) -> None:
    run = running(lesson, *FAST, asked=True)
    assert [*run.answers] == [f"{lesson}.{i}" for i in (1, 2, 3)]
    for exercise, right in run.answers.items():
        assert run.said[exercise].startswith(f"Exercise {exercise}: right. (try ")
        for answer in forms(right):
            assert exercises.judge(answer, right, "") == "right.", (exercise, answer)
        for answer in wrong(right):
            assert exercises.judge(answer, right, "").startswith("not yet."), (exercise, answer)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS)
def test_answers_follow_the_topic(running: Running, lesson: str) -> None:
    run, other = (running(lesson, topic, topic + 1, asked=True) for topic in (0, 1))
    assert all("right." in said for said in other.said.values())
    assert any(other.answers[name] != answer for name, answer in run.answers.items())
