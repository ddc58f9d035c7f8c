"""Execute a notebook over a grid of parameters: one folder for each run, one table of all of them.

Each run has a kernel and a folder of its own, so that runs cannot overwrite each other's results, wherever
they are executed.
"""

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import parallel
from citectx.batch.execution import Run, Task, perform, recover
from citectx.batch.inputs import data_of, inputs_of
from citectx.batch.parameters import check_grid, declared, parse_grid
from citectx.batch.runner import notebooks
from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.results import COLUMNS, params_json, to_csv
from citectx.paths import RESULTS
from citectx.profiles import profile as known_profile
from citectx.storage import clear, lock, own_folder, spreadsheet_safe, write_atomically

STAMP, ERROR = ".finished.json", "error.txt"
MOST = 1_000
"""A grid of more runs is probably a mistake."""
AS_TEXT = {"topic": str, "citance": str}
PREFIX = "param_"
"""Begins the columns of swept parameters: a table may have a ``corpus`` or a ``seed`` of its own."""


def tasks(notebook: Path, grid: Mapping[str, Sequence[Any]], out: Path, *, most: int | None = MOST) -> list[Task]:
    """Make a task for each combination of values, in the order of the grid.

    Raises
    ------
    ParameterError
        If the notebook does not declare one of the parameters or does not allow a value, or there are more
        than `most` combinations.
    """
    runs = math.prod(map(len, grid.values()))
    if most is not None and runs > most:
        raise ParameterError(f"the grid has {runs:,} runs, more than {most:,}; confirm with --yes")
    check_grid(notebook, grid)
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    default = str(declared(notebook).get("profile", "teaching"))
    data = {name: data_of(name) for name in sorted({str(p.get("profile", default)) for p in points})}
    inputs = inputs_of(notebook)
    return [
        Task(
            notebook.absolute(),
            point,
            (out / _name(point)).absolute(),
            notebook.name,
            STAMP,
            inputs=inputs | {"data": data[str(point.get("profile", default))]},
        )
        for point in points
    ]


def _name(parameters: Mapping[str, Any]) -> str:
    """Name a folder: readable, and different for different parameters.

    >>> _name({"k": 1, "methods": ["BM25", "LMD"]})
    'k-1_methods-BM25-LMD_ac92db56'
    """
    digest = hashlib.sha256(params_json(parameters).encode()).hexdigest()[:8]
    shown = (re.sub(r"[^\w.+]+", "-", f"{name}-{value}").strip("-") for name, value in parameters.items())
    return f"{'_'.join(shown)[:60]}_{digest}"


def sweep(
    notebook: Path,
    grid: Mapping[str, Sequence[Any]],
    out: Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
    most: int | None = MOST,
) -> list[Run]:
    """Execute a notebook for each combination of values.

    A run is passed over if nothing that it depends on has changed since its last finished execution. One that
    fails is reported and does not stop the others; tables of an earlier success are not collected then.

    Parameters
    ----------
    notebook : Path
    grid : mapping of str to sequence
        Values of each parameter.
    out : Path
        Gets a folder for each run, ``runs.csv`` (what became of each), and what `collect` finds:
        ``collected.csv``, and ``collected/NAME.csv`` for tables in other columns. It must be new, empty, or
        of an earlier sweep.
    jobs, scheduler, progress
        See `citectx.parallel.run`.
    most : int, optional
        Refuse a grid of more runs.

    Returns
    -------
    list of Run
        In the order of the grid.

    Raises
    ------
    ParameterError
        Before anything runs, see `tasks`; or if `out` holds files that are not ours.
    LockedError
        If another sweep works in `out`.
    """
    out = Path(out).absolute()
    parallel.check(jobs, scheduler)
    todo = tasks(Path(notebook), grid, out, most=most)
    own_folder(out)
    with lock(out, 5):
        runs = parallel.run(attempt, todo, jobs=jobs, scheduler=scheduler, label=Path(notebook).stem, progress=progress)
        rows = [{"run": r.name, "state": "failed" if r.error else "finished"} | _columns(r) for r in runs]
        write_atomically(out / "runs.csv", to_csv(spreadsheet_safe(pd.DataFrame(rows))))
        _write_collected(runs, out)
    return runs


def attempt(task: Task) -> Run:
    """Perform one task, unless it is done already; a failure is part of the answer."""
    name, error = task.home.name, task.home / ERROR
    own_folder(task.home)
    recover(task.home)
    try:
        seconds = perform(task)
    except CitectxError as failure:
        write_atomically(error, f"{failure}\n")
        return Run(name, task, 0.0, str(failure))
    error.unlink(missing_ok=True)
    return Run(name, task, seconds)


def collect(runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """Read the tables of finished runs; the swept parameters are columns, their names begin with `PREFIX`.

    Parameters
    ----------
    runs : sequence of Run

    Returns
    -------
    dict of DataFrame
        Under "", all tidy tables in one; under its file's name, each table in other columns.

    Raises
    ------
    DataError
        If a table cannot be read.
    """
    parts: dict[str, list[pd.DataFrame]] = {}
    for run in runs:
        for path in [] if run.error else sorted(run.task.home.rglob("*.csv")):
            try:
                frame = pd.read_csv(path, dtype=AS_TEXT, keep_default_na=False, na_values=[""])
            except (ValueError, OSError) as error:
                raise DataError(f"is no table: {error}", file=path) from error
            key = "" if list(frame.columns) == COLUMNS else path.name
            columns = {name: [value] * len(frame) for name, value in _columns(run).items()}
            parts.setdefault(key, []).append(pd.concat([pd.DataFrame(columns), frame], axis=1))
    return {key: pd.concat(frames, ignore_index=True) for key, frames in sorted(parts.items())}


def _columns(run: Run) -> dict[str, Any]:
    """Return the swept parameters as columns; lists and the like as JSON."""
    return {
        PREFIX + name: json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for name, value in run.task.parameters.items()
    }


def _write_collected(runs: Sequence[Run], out: Path) -> None:
    tables = collect(runs)
    clear(out / "collected")
    own_folder(out / "collected")
    everything = tables.pop("", pd.DataFrame(columns=COLUMNS))
    write_atomically(out / "collected.csv", to_csv(spreadsheet_safe(everything)))
    for name, frame in tables.items():
        write_atomically(out / "collected" / name, to_csv(spreadsheet_safe(frame)))


def cmd_sweep(
    notebook: str,
    pairs: Sequence[str],
    *,
    profile: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    out: Path | None = None,
    yes: bool = False,
) -> int:
    """Run ``citectx sweep``.

    Parameters
    ----------
    notebook : str
        A path, or the number or beginning of the name of one of ours.
    pairs : sequence of str
        See `parse_grid`.
    profile : str, optional
        Passed to each run; by default the notebook's own.
    jobs, scheduler
        See `citectx.parallel.run`.
    out : Path, optional
        Default: ``results/sweeps/NOTEBOOK``.
    yes : bool
        Also a grid of more than `MOST` runs.

    Returns
    -------
    int
        1 if a run failed, else 0.

    Raises
    ------
    ParameterError
        For an unknown notebook, profile or parameter; nothing is run then.
    """
    path = Path(notebook) if Path(notebook).is_file() else notebooks([notebook])[0]
    grid = parse_grid(pairs)
    if profile is not None:
        if "profile" in grid:
            raise ParameterError("profile is given twice, by --profile and by --param")
        grid = {"profile": [known_profile(profile).name]} | grid
    if not grid:
        raise ParameterError("name the parameters to sweep: --param k=1,3,5")
    folder = out or Path(os.environ.get("CITECTX_RESULTS", RESULTS)) / "sweeps" / path.stem
    most = None if yes else MOST
    runs = sweep(path, grid, folder, jobs=jobs, scheduler=scheduler, progress=True, most=most)
    print(*runs, sep="\n")
    failed = [run for run in runs if run.error]
    for run in failed:
        print(f"\n{run.name} failed: {run.error}", file=sys.stderr)
    print(f"{len(runs) - len(failed)} of {len(runs)} runs are in {folder}, their tables in collected.csv")
    return int(bool(failed))
