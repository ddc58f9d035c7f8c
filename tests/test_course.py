"""Pages for lecturers: what their keys say is what the package computes."""

import json
import re
from math import log, log2
from typing import Any

import numpy as np
import pytest

from citectx.evaluation import agreement
from citectx.evaluation.offsets import union_scores, weighted_scores
from citectx.evaluation.rouge import rouge
from citectx.evaluation.significance import kendall_tau
from citectx.paths import ROOT
from tests.lesson_cells import LESSONS

COURSE, KEY, TEACHING = (
    (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    for name in ("course", "lecturers", "teaching")
)


def answers(lesson: str) -> list[str]:
    """The three answers of the key to a lesson's exam questions."""
    part = KEY.partition("## Key to the exam questions")[2]
    part = part.partition(f"<summary>{lesson}</summary>")[2].partition("</details>")[0]
    return re.findall(r"(?m)^\d\. ((?:.+\n?)+?)(?=^\d\. |\n|\Z)", part)


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_lesson_has_three_questions_with_a_key_an_ask_and_outcomes(lesson: str) -> None:
    questions = COURSE.partition(f"\n**{lesson}**\n")[2].partition("\n**")[0].partition("\n## ")[0]
    assert len(re.findall(r"(?m)^\d\. ", questions)) == 3
    assert len(answers(lesson)) == 3
    card = TEACHING.partition(f"\n### {lesson} ")[2].partition("\n### ")[0]
    assert re.search(r"\*\*Can\*\* \w+ .*; .*; .*\.", card)
    assert "**Ask**" in card
    asked = KEY.partition("## What the cards ask")[2].partition("</details>")[0]
    assert f"- **{lesson}, " in asked


def first(lesson: str) -> str:
    return " ".join(answers(lesson)[0].split())


def test_what_exam_questions_compute() -> None:
    scores = union_scores([(100, 200)], {"A": [(150, 250)], "B": [(180, 220)]})
    assert (scores.precision, scores.recall, scores.f1) == (0.5, 0.5, 0.5)
    assert "c-P 0.5" in first("00")
    assert f"{(1 + 100 * 0.01) / (10 + 100):.4f}, and its logarithm is −4.01" in first("01")
    assert round(log(2 / 110), 2) == -4.01
    assert f"= {log(0.6 / 0.4) / log(0.95 / 0.05):.3f}" in first("02")
    assert f"= {kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]):.2f}" in first("03")
    for n, told in ((1, "P 2/3, R 2/4, F 0.57"), (2, "P 1/2, R 1/3, F 0.40")):
        assert told in first("04")
        scored = rouge("a b e", ["a b c d"])[f"rouge{n}"].f1
        assert f"F {scored:.2f}" in told
    ticks = np.zeros((2, 10), dtype=int)
    ticks[0, :4] = ticks[1, 2:6] = 1
    unlike = int((ticks[0] != ticks[1]).sum())
    alpha = agreement.krippendorff_alpha([unlike, ticks.sum(), 20 - ticks.sum()])
    assert f"= {alpha:.2f}" in first("05")
    weighted = weighted_scores([(0, 20)], {"A": [(0, 10)], "B": [(50, 60)]})
    told = (
        f"= {weighted.precision:.2f}, R = 10 / 20 = {weighted.recall:.1f}, F1 = {weighted.f1:.2f}"
    )
    assert told in first("06")
    assert f"= {1 / log2(4):.1f}, then 1" in first("07")
    assert f"= {0.2 * 0.01 + 0.8 * 0.05:.3f}" in first("08")
    assert f"probability is {1 / (1 + np.exp(-(-2 + 0.5 * 2 + 1))):.1f}" in first("09")


def test_the_small_hill_is_climbed_as_its_key_says() -> None:
    part = COURSE.partition("## For lesson 07: a small hill")[2].partition("\n## ")[0]
    header, _, *rows = re.findall(r"(?m)^\| (.*) \|$", part)
    columns = [int(cell) for cell in header.split(" | ")[1:]]
    ndcg = {
        (int(row.split(" | ")[0]), column): float(value)
        for row in rows
        for column, value in zip(columns, row.split(" | ")[1:], strict=True)
    }
    ranks = {0.0} | {round(1 / log2(rank + 1), 2) for rank in range(1, 10)}
    assert {*ndcg.values()} <= ranks
    cells = json.loads(LESSONS["07"].read_text("utf-8"))["cells"]
    [source] = [text for c in cells if "def hill_climbing" in (text := "".join(c["source"]))]
    lesson: dict[str, Any] = {}
    exec(source, lesson)
    for steps, told in (((-1, 6, -2), (1, 0)), ((6, -1, -2), (7, 1))):
        *_, (weights, best) = lesson["hill_climbing"](
            lambda w: ndcg.get(tuple(w), 0.0), np.array([1, 1]), steps=steps
        )
        assert tuple(weights) == told
        assert f"{best:.2f}" in KEY.partition("With −1 first")[2].partition("</details>")[0]
