"""What a lesson computes by hand is what the package computes: on every topic, not only on the one
it shows.

The notebooks' own cells run here, those that a comparison needs. Each lesson takes the first topic
of its corpus, and its first citance, where nothing else is asked for: so the corpus is turned until
the wanted ones come first.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from citectx import profiles
from citectx.corpora import Corpus
from citectx.papers.lrec2016 import training
from citectx.paths import NOTEBOOKS
from citectx.show import lessons
from tests.lesson_cells import LESSONS, Cell, needed_cells, shown

PARAMETERS = {"03": {"methods": ["BM25"]}}
"""The quarters of 03 are compared for one model; the whole table takes too long."""

TOPICS, CITANCES = range(5), range(8)
ONE_EACH = [(lesson, topic, (topic + 1) % len(CITANCES)) for lesson in LESSONS for topic in TOPICS]
"""For each topic another one of its citances."""

WITH_A_CITANCE = ("00", "01", "02", "05", "06", "09")
ALL = [
    (lesson, topic, citance)
    for lesson in WITH_A_CITANCE
    for topic in TOPICS
    for citance in CITANCES
]

Item = TypeVar("Item")


def turned(items: Sequence[Item], first: int) -> tuple[Item, ...]:
    """The same items, beginning with another one."""
    return (*items[first:], *items[:first])


def is_comparison(cell: Cell) -> bool:
    return bool(re.search(r"np\.(allclose|isclose|array_equal)\(", cell["source"]))


@pytest.fixture
def compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, teaching: Corpus
) -> Iterator[Callable[[str, int, int], dict[str, str]]]:
    """Run a lesson that begins with another topic and citance; return what its comparisons show, by
    cell."""
    load, pick, tasks = profiles.load, lessons.pick, training.tasks

    def run(lesson: str, topic: int, citance: int) -> dict[str, str]:
        first, *others = turned(teaching.topics, topic)
        first = replace(first, citances=turned(first.citances, citance))
        corpus = replace(teaching, topics=(first, *others))

        def classes_turned(profile: str, **how: Any) -> list[training.RecommendationTask]:
            (task,) = tasks(profile, **how)
            return [
                replace(task, kinds=dict(turned([*task.kinds.items()], topic % len(task.kinds))))
            ]

        monkeypatch.setattr(
            profiles, "load", lambda name: corpus if name == "teaching" else load(name)
        )
        monkeypatch.setattr(lessons, "pick", lambda corpus, *_, **__: pick(corpus))
        # 07 has no topics but classes of citations
        monkeypatch.setattr(training, "tasks", classes_turned)
        namespace: dict[str, Any] = {}
        seen = {}
        for cell in needed_cells(lesson, is_comparison):
            seen[cell["id"]] = shown(cell["source"], cell["id"], namespace)
            if "parameters" in cell["metadata"].get("tags", ()):
                namespace |= PARAMETERS.get(lesson, {})
        return {
            cell["id"]: seen[cell["id"]]
            for cell in needed_cells(lesson, is_comparison)
            if is_comparison(cell)
        }

    monkeypatch.setenv(lessons.STATIC, "1")
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    monkeypatch.chdir(NOTEBOOKS)  # where a kernel runs
    with mpl.rc_context():
        yield run
    plt.close("all")


def different(found: dict[str, str]) -> list[str]:
    return [
        f"{cell}: {text}" for cell, text in found.items() if "True" not in text or "False" in text
    ]


@pytest.mark.parametrize(("lesson", "topic", "citance"), ONE_EACH)
def test_by_hand_as_by_the_package_on_every_topic(
    compared: Callable[[str, int, int], dict[str, str]], lesson: str, topic: int, citance: int
) -> None:
    found = compared(lesson, topic, citance)
    assert found
    assert not different(found)


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "topic", "citance"), ALL)
def test_by_hand_as_by_the_package_on_every_citance(
    compared: Callable[[str, int, int], dict[str, str]], lesson: str, topic: int, citance: int
) -> None:
    assert not different(compared(lesson, topic, citance))
