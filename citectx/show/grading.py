"""Grading: which exercises of students' notebooks are right, as a CSV."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pandas as pd
from nbclient import NotebookClient
from tqdm import tqdm

from citectx.errors import DataError, ParameterError
from citectx.storage import check_output, write_atomically

COLUMNS = ["student", "exercise", "right", "tries", "remark"]
SAID = r"""(?mx)
    ^\ *"Exercise\ (?P<exercise>\S+):\ (?P<right>right)?.*?(\(try\ (?P<tries>\d+)\))?(\\n)?",?$ |
    ^\ *"evalue":\ "(?P<remark>.*)",?$
"""
"""A line of a notebook's JSON: what `citectx.show.exercises.check` prints, or an error."""

SECONDS = 600
"""Time for a cell; a whole lesson takes a tenth of it."""


def cmd_grade(folder: Path, out: Path | None, force: bool) -> None:
    """Write a line for each exercise of the notebooks below a folder, and for each cell that fails.

    A student is a folder in it, or else a notebook. `out` is ``grades.csv`` in the folder, unless
    it is given.
    """
    out = out or folder / "grades.csv"
    check_output(out, force=force)
    paths = [p for p in sorted(folder.rglob("*.ipynb")) if p.parent.name != ".ipynb_checkpoints"]
    if not paths:
        raise ParameterError(f"no notebooks in {folder}: name the folder of what was handed in")
    students = [path.relative_to(folder).parts[0].removesuffix(".ipynb") for path in paths]
    texts = pd.Series(map(read, tqdm(paths, unit="notebook")), students)
    grades = texts.str.extractall(SAID).rename_axis(["student", "line"]).reset_index()
    grades = grades.drop_duplicates(["student", "exercise", "remark"], keep="last")
    grades = grades.assign(right=grades["right"].notna(), tries=grades["tries"].fillna("0"))
    write_atomically(out, grades[COLUMNS].to_csv(index=False))
    print(f"{len(paths)} notebooks; grades are in {out}")


def read(path: Path) -> str:
    """Read a notebook's JSON, or run it if an exercise was not; else say what is wrong with it."""
    try:
        notebook = nbformat.read(path, as_version=4)
        asked = [cell for cell in notebook.cells if "check(" in cell.source]
        if not asked:
            raise DataError("it has no exercises")
        if not all(cell.get("outputs") for cell in asked):
            execute(notebook, path.parent)
        for cell in notebook.cells:
            cell.source = ""  # students may quote what a check says
        return nbformat.writes(notebook)
    except Exception as error:  # students hand in anything
        return json.dumps({"evalue": f"{path.name} cannot be graded: {error}"}, indent=1)


def execute(notebook: nbformat.NotebookNode, home: Path) -> None:
    """Execute a notebook, also beyond cells that fail or take too long; keep no tables."""
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        allow_errors=True,
        timeout=SECONDS,
        interrupt_on_timeout=True,
    )
    with TemporaryDirectory() as tables:
        client.execute(cwd=str(home), env=os.environ | {"CITECTX_OUTPUT": tables})
