"""Grading: which exercises of students' notebooks are right, as a CSV."""

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbclient
import nbformat
import pandas as pd
from tqdm import tqdm

from citectx.errors import ParameterError
from citectx.storage import check_output, write_atomically

COLUMNS = ["student", "exercise", "right", "tries", "remark"]
KEY = ["student", "exercise", "remark"]
Row = tuple[str, bool, int, str]
"""An exercise, whether it is right, tries, and what was wrong with the notebook."""

SAID = re.compile(r"^Exercise (\S+): (right)?.*?(?:\(try (\d+)\))?$", re.MULTILINE)
"""What `citectx.show.exercises.check` prints."""

SECONDS = 600
"""Time for a cell; a whole lesson takes a tenth of it."""


def cmd_grade(folder: Path, out: Path | None, force: bool) -> None:
    """Write a line for each exercise of the notebooks below a folder.

    A student is a folder in it, or else a notebook. `out` is ``grades.csv`` in the folder, unless
    it is given.
    """
    out = out or folder / "grades.csv"
    check_output(out, force=force)
    paths = [p for p in sorted(folder.rglob("*.ipynb")) if p.parent.name != ".ipynb_checkpoints"]
    if not paths:
        raise ParameterError(f"no notebooks in {folder}: name the folder of what was handed in")
    rows = []
    with TemporaryDirectory() as tables:
        os.environ["CITECTX_OUTPUT"] = tables
        for path in tqdm(paths, unit="notebook"):
            student = path.relative_to(folder).parts[0].removesuffix(".ipynb")
            rows += [(student, *row) for row in grade(path)]
    table = pd.DataFrame(rows, columns=COLUMNS).drop_duplicates(KEY, keep="last")
    write_atomically(out, table.to_csv(index=False))
    print(f"{len(paths)} notebooks; grades are in {out}")


def grade(path: Path) -> list[Row]:
    """Read a notebook, or run it if an exercise was not; return a row for each exercise.

    Cells that fail have a row, too, and the others are run all the same.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
        if any("check(" in cell.source and not cell.get("outputs") for cell in notebook.cells):
            nbclient.execute(
                notebook,
                cwd=str(path.parent),
                kernel_name="python3",
                allow_errors=True,
                timeout=SECONDS,
                interrupt_on_timeout=True,
            )
    except Exception as error:  # students hand in anything
        return [("", False, 0, f"{path.name} cannot be run: {error}")]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    rows = [row for output in outputs for row in read(output, path.name)]
    return rows or [("", False, 0, f"{path.name} has no exercises")]


def read(output: Any, notebook: str) -> list[Row]:
    """Read what a cell says about exercises, or that it failed."""
    if output.output_type == "error":
        return [("", False, 0, f"{notebook} fails: {output.ename}: {output.evalue}")]
    said = SAID.findall(output.get("text", ""))
    return [(name, bool(right), int(tries or 0), "") for name, right, tries in said]
