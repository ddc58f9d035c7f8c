"""Hand-outs stand alone: their links lead somewhere, and their checks work without solutions."""

import csv
import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import nbformat
import pytest

from citectx import paths
from citectx.errors import ParameterError
from citectx.show import grading
from tests.lesson_cells import LESSONS

TOPIC = [("topic", "D9002_TEACH"), ("citance", "4")]


@pytest.fixture(scope="module")
def handouts() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(paths.NOTEBOOKS)
        return importlib.import_module("handouts")


def test_its_examples(handouts: Any) -> None:
    assert doctest.testmod(handouts) == (0, 1)


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = (re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return {*slugs, *re.findall(r'<a id="([\w-]+)">', text)}


@pytest.mark.parametrize("form", ["notebook", "nbgrader"])
@pytest.mark.parametrize("pairs", [(), TOPIC])
def test_no_link_is_dead_and_no_answer_given_away(
    handouts: Any, tmp_path: Path, form: str, pairs: Any
) -> None:
    handouts.write(tmp_path, form, pairs)
    texts = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    notebooks = {path: nbformat.read(path, as_version=4) for path in tmp_path.rglob("*.ipynb")}
    assert len(notebooks) == len(LESSONS)
    for path, notebook in notebooks.items():
        nbformat.validate(notebook)
        cells = notebook.cells
        texts[path] = "\n".join(c.source for c in cells if c.cell_type == "markdown")
        assert not any(cell.get("outputs") for cell in cells)
        tags = [tag for cell in cells for tag in cell.metadata.get("tags", ())]
        assert "solution" not in tags
        each = grading.read(path, tmp_path)
        assert ("teaching" in tags) == (not each.parameters)  # 07 has neither
        known = grading.parameters_of(grading.lesson_cells(each.lesson))
        assert each.parameters == {
            name: value for name, value in pairs if name in known and value != known[name]
        }
    for path, text in texts.items():
        plain = re.sub(r"`[^`\n]*`", "", text)
        for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", plain):
            file, _, anchor = "".join(target).partition("#")
            if re.match("[a-z]+:", file):
                continue
            page = path.parent / file if file else path
            assert page.is_file(), (path.name, target)
            if anchor and page.suffix == ".md":
                assert anchor in anchors(page.read_text("utf-8")), (path.name, target)


def test_colab_installs_the_package_once_the_repository_has_an_address(
    handouts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def second() -> Any:
        return handouts.hand_out(LESSONS["00"], (), handouts.PAGES).cells[1]

    monkeypatch.setattr(paths, "ADDRESS", "")
    assert second().cell_type == "markdown"
    monkeypatch.setattr(paths, "ADDRESS", "https://github.com/someone/citectx")
    cell = second()
    assert '%pip install --quiet "citectx @ git+https://github.com/someone/citectx"' in cell.source
    # It does nothing elsewhere.
    namespace: dict[str, Any] = {}
    exec(cell.source.replace("%pip", "raise SystemExit  # "), namespace)
    assert "google.colab" not in sys.modules
    text = handouts.relinked("[a](../README.md#b)", paths.NOTEBOOKS, ())
    assert text == "[a](https://github.com/someone/citectx/blob/main/README.md#b)"


def test_a_parameter_that_no_lesson_has(handouts: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"no lesson has a parameter 'tpic'; known: \['cit"):
        handouts.write(tmp_path, "notebook", [("tpic", "x")])
    with pytest.raises(ParameterError, match="has several values"):
        handouts.write(tmp_path, "notebook", [("topic", "D9002_TEACH,D9003_TEACH")])
    assert not [*tmp_path.iterdir()]


def test_for_nbgrader_each_exercise_has_points_by_difficulty(handouts: Any) -> None:
    points = {}
    for path in LESSONS.values():
        for cell in handouts.for_nbgrader(handouts.hand_out(path, (), ())).cells:
            if about := cell.metadata.get("nbgrader"):
                points[about["grade_id"]] = about["points"]
    assert len(points) == 30
    assert [points[f"test-00-{i}"] for i in (1, 2, 3)] == [1, 1, 2]
    assert [points[f"test-08-{i}"] for i in (1, 2, 3)] == [1, 2, 3]


def written(answer: object) -> str:
    """An answer as text, its numbers without the last digits."""
    return re.sub(r"(\.\d{9})\d+", r"\1", repr(answer))


@pytest.mark.slow
def test_the_page_names_the_answers_that_follow_a_lecturers_parameters() -> None:
    page = " ".join((paths.ROOT / "docs" / "teaching.md").read_text("utf-8").split())
    told = page.partition("changes the answers of")[2].partition(". The others")[0]
    wanted = [
        {"topic": topic, "citance": citance, "citing": "Con", "citation": 1}
        for topic, citance in (("D9002_TEACH", "4"), ("D9004_TEACH", "2"))
    ]
    changed = set()
    for lesson in LESSONS:
        known = grading.parameters_of(grading.lesson_cells(lesson))
        usual, *others = [
            grading.key(grading.Submission("", Path(), lesson, [], parameters, ""))
            for parameters in ({}, *({n: v[n] for n in v if n in known} for v in wanted))
        ]
        for exercise in grading.exercises_of(lesson):
            answers = [other.answers[exercise] for other in others]
            assert all(answers), exercise
            if any(written(answer) != written(usual.answers[exercise]) for answer in answers):
                changed.add(exercise)
    assert set(re.findall(r"\d\d\.\d", told)) == changed


# --- nbgrader itself

ANSWERS = {
    "ada": ('{"might", "possibly"}', '{"ligase"}', "[3.3, 1.0]"),
    "ben": ('{"might", "possibly"}', "set()", "[1, 1]"),
    "cem": ("exercises.__setattr__('judge', lambda *_: 'right.')", "...", "..."),
}
BLANKS = (
    "cautious = ...",
    "in_the_article = ...",
    "best_sums = [..., ...]",
)


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment of its own, which also has ours; a skip without a network."""
    folder = tmp_path_factory.mktemp("nbgrader")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    install = [str(folder / "bin" / "pip"), "install", "--quiet", "nbgrader==0.9.6"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nbgrader cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    return folder / "bin"


@pytest.mark.slow
def test_nbgrader_grades_what_students_hand_in(
    handouts: Any, nbgrader: Path, tmp_path: Path
) -> None:
    def call(*words: str) -> None:
        command = [str(nbgrader / "python"), "-m", "nbgrader", *words]
        environment = os.environ | {
            "PATH": f"{nbgrader}{os.pathsep}{os.environ['PATH']}",  # it calls alembic
            "PYTHONPATH": str(paths.ROOT),
            "JUPYTER_CONFIG_DIR": str(tmp_path),
        }
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]

    handouts.write(tmp_path, "nbgrader", ())
    call("generate_assignment", "lesson-00")
    released = tmp_path / "release" / "lesson-00"
    text = (released / "00_start_here.ipynb").read_text("utf-8")
    assert "judge" not in text  # tests are hidden
    for student, answers in ANSWERS.items():
        home = tmp_path / "submitted" / student / "lesson-00"
        shutil.copytree(released, home)
        notebook = nbformat.reads(text, as_version=4)
        for cell in notebook.cells:
            for blank, answer in zip(BLANKS, answers, strict=True):
                cell.source = cell.source.replace(blank, f"{blank.split()[0]} = {answer}")
        nbformat.write(notebook, home / "00_start_here.ipynb")
    call("autograde", "lesson-00")
    call("export")
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {student: float(row["score"]) for student, row in rows.items()} == {
        "ada": 4,
        "ben": 1,
        "cem": 0,
    }
    assert {float(row["max_score"]) for row in rows.values()} == {4}
