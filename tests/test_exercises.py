"""Exercises that check themselves, and notebooks of students that are graded."""

from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

from citectx import cli
from citectx.paths import NOTEBOOKS
from citectx.show import exercises

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


@pytest.mark.parametrize("answer", [..., [1, ...], {"a": ...}, {...}, np.array([..., ...])])
def test_three_dots_are_no_answer(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    exercises.check("00.2", answer)
    assert "Exercise 00.2: not answered yet." in capsys.readouterr().out


def test_a_solution_is_shown_only_to_readers_who_ask(capsys: pytest.CaptureFixture[str]) -> None:
    exercises.check("01.2", 3)  # without the variables of the lesson
    assert "cannot be checked: NameError" in capsys.readouterr().out
    exercises.show_solution("01.2")
    assert "return float(lead.drop(lead.idxmax()).mean())" in capsys.readouterr().out


# --- grading

CELLS = (
    "from citectx.show import exercises",
    "lead = __import__('pandas').Series([1.0, 2.0, 6.0])",
    "exercises.check('01.2', {})",
)


def notebook(*answers: str, said: str = "", before: str = "") -> str:
    """A made-up student's notebook: checks of answers, executed if it says something."""
    sources = [*CELLS[:2], before, *(CELLS[2].format(answer) for answer in answers)]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    if said:
        cells[-1].outputs = [nbformat.v4.new_output("stream", text=said)]
    cells.append(nbformat.v4.new_markdown_cell("Exercise 01.2: right because I say so"))
    return str(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))


HANDED_IN = {
    "ada/lesson.ipynb": notebook("1.5"),
    "ben/lesson.ipynb": notebook("1.5", said="Exercise 01.2: right. (try 3)\n"),
    "cem/deep/lesson.ipynb": notebook("2"),
    "dora.ipynb": notebook("[1.5]"),
    "eva/lesson.ipynb": notebook("..."),
    "fay/lesson.ipynb": notebook("7", "1.5"),
    "gus/lesson.ipynb": "{ not a notebook",
    "hal/lesson.ipynb": notebook("1.5", before="1 / 0"),
    "ida/lesson.ipynb": notebook(),
    "jan/lesson.ipynb": notebook("1.5", before="__import__('os')._exit(1)"),
    "ada/.ipynb_checkpoints/lesson.ipynb": notebook("2"),
}


def test_ten_students_are_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in HANDED_IN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert cli.main(["grade", str(tmp_path)]) == 0
    assert "10 notebooks" in capsys.readouterr().out
    grades = pd.read_csv(tmp_path / "grades.csv", keep_default_na=False, dtype=str)
    assert [*grades] == ["student", "exercise", "right", "tries", "remark"]
    asked = grades[grades["exercise"] == "01.2"].set_index("student")[["right", "tries"]]
    assert {student: tuple(row) for student, *row in asked.itertuples()} == {
        "ada": ("True", "1"),
        "ben": ("True", "3"),
        "cem": ("False", "1"),
        "dora": ("True", "1"),
        "eva": ("False", "0"),
        "fay": ("True", "2"),
        "hal": ("True", "1"),
    }
    others = grades[grades["exercise"] == ""].set_index("student")["remark"]
    assert others["gus"].startswith("lesson.ipynb cannot be graded: Notebook does not appear")
    assert others["hal"] == "division by zero"
    assert others["ida"] == "lesson.ipynb cannot be graded: it has no exercises"
    assert others["jan"] == "lesson.ipynb cannot be graded: Kernel died"
    assert cli.main(["grade", str(tmp_path)]) == 1
    assert "replace it with --force" in capsys.readouterr().err


def test_a_folder_without_notebooks_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["grade", str(tmp_path)]) == 1
    assert f"no notebooks in {tmp_path}" in capsys.readouterr().err


def test_lessons_and_solutions_come_in_pairs() -> None:
    lessons = {path.name[:2] for path in NOTEBOOKS.glob("*.ipynb")}
    solutions = {path.stem for path in NOTEBOOKS.glob("solutions/*.py")}
    assert solutions == lessons, "each notebook needs a file NN.py in notebooks/solutions"
