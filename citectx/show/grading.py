"""Grading: which exercises of students' notebooks are right, as a CSV and a page for the class.

Every notebook is run in a process that hands answers over, and nothing else
(`citectx.show.submission`). The right answers come from a run of our own lesson with the notebook's
parameters, so what a notebook prints or changes decides nothing.
"""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pandas as pd
from tqdm import tqdm

from citectx.errors import DataError, ParameterError
from citectx.paths import NOTEBOOKS
from citectx.show import exercises
from citectx.show.class_page import as_text, class_page
from citectx.show.running import Notes, run
from citectx.storage import check_output, write_atomically

COLUMNS = ["student", "notebook", "exercise", "verdict", "right", "tries", "answer"]
COLUMNS += ["solution", "parameters", "remark"]
SECONDS = 120
"""The time for a notebook; a whole lesson takes a tenth of it."""

KEY_SECONDS = 1200
"""The time for our own lesson, which may wait for a busy machine."""

SAID = re.compile(
    r"Exercise (?P<exercise>\d\d\.\d): (?P<right>right)?.*?(\(try (?P<tries>\d+)\))?$"
)
"""A line that `citectx.show.exercises.check` prints."""

ASKED = re.compile(r"""check\(\s*["'](\d\d)\.\d["']""")
PEEKS = re.compile(r"show_solution|\bsolution\(|solution_\d|solutions[/\"']|getsource|runpy")
"""The words in code that looks a solution up, and in a solution that was shown."""

TAGS = {"parameters", "injected-parameters"}
"""The tags of cells in which papermill or a hand-out gives parameters."""

Outcome = dict[str, Any]


class Submission(NamedTuple):
    """What a student handed in."""

    student: str
    path: Path
    lesson: str
    """The number of its lesson, or nothing if it cannot be told."""
    cells: list[Any]
    """The code cells of the notebook."""
    parameters: dict[str, Any]
    """The parameters that differ from the lesson's."""
    problem: str
    """The reason why it cannot be graded, or nothing."""

    @property
    def sources(self) -> list[str]:
        """The text of its code cells."""
        return [cell.source for cell in self.cells]

    @property
    def exercises(self) -> list[str]:
        """The exercises of its lesson; a single one without a name if that is unknown."""
        return exercises_of(self.lesson) or [""]

    @property
    def key_name(self) -> str:
        """The name of the run of our lesson that it is compared with."""
        return repr([self.lesson, *sorted(self.parameters.items())])


def cmd_grade(folder: Path, out: Path | None, force: bool, trust: bool, jobs: int) -> None:
    """Write a line for each exercise of the notebooks below a folder, and a page for the class.

    A student is a folder in it, or else a notebook. `out` is ``grades.csv`` in the folder, unless
    it is given; the page has its name, and ends in ``.md``. With `trust`, what notebooks say is
    taken as it is, and nothing is run.
    """
    out = out or folder / "grades.csv"
    page = out.with_suffix(".md")
    for path in (out, page):
        check_output(path, force=force)
    paths = [p for p in sorted(folder.rglob("*.ipynb")) if p.parent.name != ".ipynb_checkpoints"]
    if not paths:
        raise ParameterError(f"no notebooks in {folder}: name the folder of what was handed in")
    handed_in = [read(path, folder) for path in paths]
    rows = trusted(handed_in) if trust else graded(handed_in, jobs)
    grades = pd.DataFrame(rows, columns=COLUMNS)
    sources = {(each.student, each.lesson): each.sources for each in handed_in}
    lessons = {each.lesson for each in handed_in} - {""}
    given = {lesson: [cell.source for cell in lesson_cells(lesson)] for lesson in lessons}
    write_atomically(out, grades.to_csv(index=False))
    write_atomically(page, class_page(grades, sources, given))
    print(f"{len(paths)} notebooks; grades are in {out}, the class in {page}")


# --- what was handed in


def read(path: Path, folder: Path) -> Submission:
    """Read a notebook; what is wrong with it is said, not raised."""
    student = path.relative_to(folder).parts[0].removesuffix(".ipynb")
    try:
        cells = code_cells(path)
        lesson = lesson_of(path, cells)
        changed = parameters_in(cells, lesson)
        return Submission(student, path, lesson, cells, changed, "")
    except Exception as error:  # students hand in anything
        named = path.name[:2] if exercises_of(path.name[:2]) else ""
        return Submission(student, path, named, [], {}, f"cannot be graded: {error}")


def code_cells(path: Path) -> list[Any]:
    """Read the code cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


def lesson_cells(lesson: str) -> list[Any]:
    """Read the code cells of our own lesson."""
    [path] = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    return code_cells(path)


def lesson_of(path: Path, cells: Sequence[Any]) -> str:
    """Tell the number of a notebook's lesson by its exercises, or else by its name."""
    asked = Counter(number for cell in cells for number in ASKED.findall(cell.source))
    for number in [*(number for number, _ in asked.most_common()), path.name[:2]]:
        if exercises_of(number):
            return number
    raise DataError("it has no exercises, and its name begins with the number of no lesson")


def exercises_of(lesson: str) -> list[str]:
    """List the exercises of a lesson.

    >>> exercises_of("05"), exercises_of("xx")
    (['05.1', '05.2', '05.3'], [])
    """
    path = NOTEBOOKS / "solutions" / f"{lesson}.py"
    text = path.read_text("utf-8") if path.is_file() else ""
    return [f"{lesson}.{number}" for number in re.findall(r"^def solution_(\d)", text, re.M)]


def parameters_in(cells: Sequence[Any], lesson: str) -> dict[str, Any]:
    """Read the parameters of a notebook that its lesson has, too, with other values."""
    usual, given = parameters_of(lesson_cells(lesson)), parameters_of(cells)
    return {n: value for n, value in given.items() if n in usual and value != usual[n]}


def parameters_of(cells: Sequence[Any]) -> dict[str, Any]:
    """Read what cells of parameters assign, without running them."""
    tagged = [cell.source for cell in cells if not TAGS.isdisjoint(cell.metadata.get("tags", ()))]
    # a name, its annotation or nothing, and a value
    written = re.findall(r"(?m)^(\w+)\s*(?::[^=\n]+)?=\s*(.+)$", "\n".join(tagged))
    return {name: literal(name, value) for name, value in written}


def literal(name: str, value: str) -> Any:
    """Read the value of a parameter without computing anything.

    >>> literal("topic", "'D9002_TEACH'  # an article")
    'D9002_TEACH'
    """
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError) as error:
        raise DataError(f"its parameter {name} = {value} is computed; write the value") from error


# --- running


def graded(handed_in: Sequence[Submission], jobs: int) -> list[Outcome]:
    """Run all that can be run, and our lessons with the same parameters; judge every exercise."""
    wanted = {each.key_name: each for each in handed_in if not each.problem}
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        made = pool.map(key, wanted.values())
        keys = dict(zip(wanted, tqdm(made, "our lessons", len(wanted)), strict=True))
        notes = [*tqdm(pool.map(notes_of, handed_in), "notebooks", len(handed_in))]
    rows: list[Outcome] = []
    for each, noted in zip(handed_in, notes, strict=True):
        right = keys.get(each.key_name, Notes())
        rows += [outcome(each, exercise, noted, right) for exercise in each.exercises]
    return rows


def key(each: Submission) -> Notes:
    """Run our own lesson with the parameters of a notebook, for the right answers."""
    sources = []
    for cell in lesson_cells(each.lesson):
        sources.append(cell.source)
        if "parameters" in cell.metadata.get("tags", ()):
            sources += [f"{name} = {value!r}" for name, value in each.parameters.items()]
    return run(sources, NOTEBOOKS, KEY_SECONDS, "--key")


def notes_of(each: Submission) -> Notes:
    """Run what a student handed in."""
    if each.problem:
        return Notes(problem=each.problem)
    return run(each.sources, each.path.parent, SECONDS)


# --- judging


def outcome(each: Submission, exercise: str, notes: Notes, right: Notes) -> Outcome:
    """Say what a student has of an exercise; the last answer counts."""
    answers = notes.answers.get(exercise, [])
    verdict, remark = verdict_on(answers, right.answers.get(exercise, []))
    if verdict == "not graded":
        remark = f"our lesson has no answer with these parameters: {right.problem}"
    elif verdict == "missing":
        remark = notes.problem or "its check is not there, or was not run"
    was_right, tries = said(each.cells).get(exercise, (False, 0))
    if was_right and verdict != "right":
        remark = f"{remark}; its saved output says right".removeprefix("; ")
    return {
        "student": each.student,
        "notebook": each.path.name,
        "exercise": exercise,
        "verdict": verdict,
        "right": verdict == "right",
        "tries": max(tries, sum(answer is not ... for answer in answers)),
        "answer": as_text(answers[-1]) if answers else "",
        "solution": where_shown(each.cells, exercise, notes),
        "parameters": ", ".join(f"{n}={value}" for n, value in each.parameters.items()),
        "remark": remark,
    }


def verdict_on(answers: Sequence[Any], right: Sequence[Any]) -> tuple[str, str]:
    """Judge the last of some answers; returns a verdict and a remark."""
    if not answers:
        return "missing", ""
    last = answers[-1]
    if last is ...:
        return "gave up", ""
    if isinstance(last, ParameterError):
        return "wrong", str(last)
    if not right:
        return "not graded", ""
    judgement = exercises.judge(last, right[-1], "")
    if judgement == "right.":
        return "right", ""
    return "wrong", judgement.removeprefix("not yet.").strip()


def where_shown(cells: Sequence[Any], exercise: str, notes: Notes) -> str:
    """Name the code cells that look up the solution of an exercise, or show it.

    >>> cell = nbformat.v4.new_code_cell("exercises.show_solution('05.1')")
    >>> where_shown([cell], "05.1", Notes()), where_shown([cell], "05.2", Notes())
    ('code cell 1', '')
    """
    found = {*notes.shown.get(exercise, ())}
    for number, cell in enumerate(cells):
        named = re.findall(rf"{exercise[:2]}\.\d", cell.source)
        text = "\n".join([cell.source, *printed(cell)])
        # a cell that names no exercise may show all solutions
        if PEEKS.search(text) and (exercise in named or not named):
            found.add(number)
    return f"code cell {', '.join(str(number + 1) for number in sorted(found))}" if found else ""


def printed(cell: Any) -> list[str]:
    """Return the lines that a cell has printed."""
    texts = [output.get("text", "") for output in cell.get("outputs", ())]
    return "".join(texts).splitlines()


def said(cells: Sequence[Any]) -> dict[str, tuple[bool, int]]:
    """Read from saved outputs of checks, by exercise, whether it was right, and how many tries."""
    found = {}
    for cell in cells:
        for line in printed(cell) if ASKED.search(cell.source) else ():
            if match := SAID.match(line):
                tries = int(match["tries"] or 0)
                found[match["exercise"]] = match["right"] is not None, tries
    return found


def trusted(handed_in: Sequence[Submission]) -> list[Outcome]:
    """Take what notebooks say of their exercises as it is."""
    rows: list[Outcome] = []
    for each in handed_in:
        lines = said(each.cells)
        for exercise in each.exercises:
            row = outcome(each, exercise, Notes(problem=each.problem), Notes())
            if exercise in lines:
                was_right, tries = lines[exercise]
                answered = "right" if was_right else "wrong"
                verdict = answered if tries else "gave up"
                row |= {"verdict": verdict, "right": was_right, "remark": ""}
            rows.append(row)
    return rows
