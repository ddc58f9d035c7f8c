"""Notebooks of students that are graded: what they hand in, and how they cheat."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
import yaml

from citectx import cli
from citectx.paths import NOTEBOOKS
from citectx.show import grading, running
from citectx.show.class_page import class_page, pairs

RIGHT = '{"might", "possibly"}'
REST = ['exercises.check("00.2", {"ligase"})', 'exercises.check("00.3", [3.3, 1.0])']
KINDS = yaml.safe_load(Path(__file__).with_name("submissions.yaml").read_text("utf-8"))
EVERYBODY = KINDS["honest"] | KINDS["cheats"]
FAST = "right", "wrong", "dots", "no-check", "dies", "not-a-notebook", "prints", "replaces-judge"


def notebook(kind: dict[str, Any]) -> str:
    """The text of a made-up notebook of lesson 00."""
    if "text" in kind:
        return str(kind["text"])
    topic = kind.get("topic", "None")
    first = f'exercises.check("00.1", {kind["answer"]})' if "answer" in kind else ""
    sources = [f"topic: str = {topic}", kind.get("before", ""), first, *REST]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    cells[0].source += "\nfrom citectx.show import exercises"
    if "saved" in kind:
        cells[2].outputs = [nbformat.v4.new_output("stream", text=kind["saved"] + "\n")]
    made = nbformat.v4.new_notebook(cells=cells)
    version = kind.get("format", 4)
    return str(nbformat.writes(nbformat.convert(made, version), version=version))


def grade(folder: Path, names: Iterable[str]) -> pd.DataFrame:
    """The grades of a class, by student and exercise."""
    for name in names:
        (folder / f"{name}.ipynb").write_text(notebook(EVERYBODY[name]), "utf-8")
    assert cli.main(["grade", str(folder), "--jobs", "4"]) == 0
    grades = pd.read_csv(folder / "grades.csv", keep_default_na=False, dtype=str)
    return grades.set_index(["student", "exercise"])


@pytest.fixture(scope="module", params=["fast", pytest.param("all", marks=pytest.mark.slow)])
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[pd.DataFrame]:
    names = FAST if request.param == "fast" else EVERYBODY
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "SECONDS", 60 if request.param == "all" else 120)
        yield grade(tmp_path_factory.mktemp("class"), names)


def test_each_kind_of_notebook_has_its_verdicts(graded: pd.DataFrame) -> None:
    for student, rows in graded.groupby("student"):
        kind = EVERYBODY[str(student)]
        remarks = rows["remark"].tolist()
        assert kind.get("remark", "") in remarks[0], (student, remarks)
        if "verdict" not in kind:  # it cannot be read, so nobody knows its exercises
            assert rows["verdict"].tolist() == ["missing"], student
            continue
        assert rows["verdict"].iloc[0] == kind["verdict"], (student, remarks)
        assert rows["right"].iloc[0] == str(kind["verdict"] == "right")
        assert [*rows.index.get_level_values("exercise")] == ["00.1", "00.2", "00.3"]


def test_a_class_has_a_page(graded: pd.DataFrame) -> None:
    page = class_page(graded.reset_index(), {}, {})
    header, _, first, *_ = (line for line in page.splitlines() if line.startswith("| "))
    assert header.startswith("| exercise | ")
    marks = dict(zip(header.split(" | ")[:-2], first.split(" | ")[:-2], strict=True))
    names = "right", "wrong", "dots", "no-check"
    assert [marks[name] for name in names if name in marks] == ["✓", "✗", "…", "–"]


@pytest.mark.slow
def test_what_else_is_said(tmp_path: Path) -> None:
    names = "second-try saved-as-wrong other-topic gave-up tries-all wrong no-topic"
    grades = grade(tmp_path, names.split())
    first = grades.xs("00.1", level="exercise")
    assert first["tries"][["second-try", "saved-as-wrong", "tries-all"]].tolist() == ["2", "5", "6"]
    assert first["parameters"]["other-topic"] == "topic=D9002_TEACH"
    third = grades.xs("00.3", level="exercise")  # the only one that is about the topic
    assert third["verdict"]["no-topic"] == "not graded"
    assert third["remark"]["no-topic"].startswith("our lesson has no answer with these parameters")
    assert first["solution"]["gave-up"] == "code cell 2"
    assert grades.loc[("gave-up", "00.2"), "solution"] == ""
    assert first["answer"]["wrong"] == "{'may'}"


def test_with_trust_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "run", None)
    kinds = {
        "ada": {"answer": "...", "saved": "Exercise 00.1: right. (try 3)"},
        "ben": {"answer": "...", "saved": "Exercise 00.1: not yet. hint (try 2)"},
        "cem": {"answer": "...", "saved": "Exercise 00.1: not answered yet. Put"},
        "eva": {"saved": "Exercise 00.1: right. (try 1)"},  # not below a check
        "gus": {"text": "{"},
    }
    for name, kind in kinds.items():
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "lesson.ipynb").write_text(notebook(kind), "utf-8")
    hidden = tmp_path / "ada" / ".ipynb_checkpoints"
    hidden.mkdir()
    (hidden / "lesson.ipynb").write_text("{", "utf-8")
    assert cli.main(["grade", str(tmp_path), "--trust"]) == 0
    grades = pd.read_csv(tmp_path / "grades.csv", keep_default_na=False, dtype=str)
    asked = grades[grades["exercise"] == "00.1"].set_index("student")[["verdict", "tries"]]
    assert {student: tuple(row) for student, *row in asked.itertuples()} == {
        "ada": ("right", "3"),
        "ben": ("wrong", "2"),
        "cem": ("gave up", "0"),
        "eva": ("missing", "0"),
    }
    assert "cannot be graded" in grades.set_index("student")["remark"]["gus"]
    assert "ada" in (tmp_path / "grades.md").read_text("utf-8")


def test_grades_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["grade", str(tmp_path)]) == 1
    assert f"no notebooks in {tmp_path}" in capsys.readouterr().err
    (tmp_path / "a.ipynb").write_text("{", "utf-8")
    assert cli.main(["grade", str(tmp_path)]) == 0
    assert cli.main(["grade", str(tmp_path)]) == 1
    assert "replace it with --force" in capsys.readouterr().err
    (tmp_path / "05_b.ipynb").write_text("{", "utf-8")  # a lesson by its name
    assert cli.main(["grade", str(tmp_path), "--force"]) == 0
    grades = pd.read_csv(tmp_path / "grades.csv", keep_default_na=False)
    assert grades["exercise"].tolist() == ["05.1", "05.2", "05.3", ""]
    assert {*grades["verdict"]} == {"missing"}
    assert grades["remark"].str.startswith("cannot be graded: ").all()


def test_what_is_often_wrong_is_listed() -> None:
    given = ["ada wrong 2", "ben wrong 2", "cem wrong a|b", "dora right 3", "dora wrong 2"]
    rows = [answer.split() for answer in given]
    grades = pd.DataFrame(rows, columns=["student", "verdict", "answer"])
    page = class_page(grades.assign(exercise="00.1", solution=""), {}, {})
    assert "| 00.1 | ✗ | ✗ | ✗ | ✓ | 1 of 4 | 2 (3); a\\|b (1) |" in page


LONG = """
total = 0
for number, word in enumerate(words):
    if word in article and len(word) > 3:
        total += weights[word] * np.log(number + 2)
    else:
        missing.append(word.lower())
means = {name: sum(group) / len(group) for name, group in groups.items()}
"""


def test_notebooks_are_alike_whatever_their_variables_are_called() -> None:
    renamed = LONG.replace("total", "s").replace("word", "w") + "# my own work\n"
    other = "x = [f(y) for y in z]\nwhile x:\n    x.pop()\n" * 20
    lessons = {"00": ["import numpy as np\n"]}
    sources = {("a", "00"): [LONG], ("b", "00"): [renamed], ("c", "00"): [other]}
    [(lesson, one, another, share)] = pairs(sources, lessons)
    assert (lesson, one, another) == ("00", "a", "b")
    assert share > 0.9
    assert not pairs(sources, {"00": [LONG]})  # what the lesson gave is nobody's own
    assert not pairs({("a", "00"): [LONG], ("b", "01"): [LONG]}, lessons)


def test_notes_of_a_run_are_read_whatever_a_student_wrote_there(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [
        *('{"cell": "x"}', "[]", "3", "{", '{"exercise": "00.1", "answer": {"set": 3}}'),
        '{"exercise": "00.1", "answer": {"code": 1}}',
        '{"exercise": "00.1", "answer": ' + "[" * 5000 + "]" * 5000 + "}",
        json.dumps({"exercise": "00.1", "answer": 3}),
    ]
    path.write_text("\n".join(lines), "utf-8")
    assert dict(running.read_notes(path).answers) == {"00.1": [3]}
    assert not running.read_notes(tmp_path / "none").answers


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_lesson_is_told_by_its_exercises(path: Path) -> None:
    each = grading.read(path, NOTEBOOKS)
    assert (each.lesson, each.parameters, each.problem) == (path.name[:2], {}, "")
    assert len(grading.exercises_of(each.lesson)) == 3
