"""Run one notebook over a grid of parameters, and collect its tables."""

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import parallel
from citectx.errors import CitectxError, ParameterError
from citectx.experiments.results import COLUMNS, params_json, to_csv
from citectx.experiments.tables import checked, read_csv
from citectx.paths import results_dir
from citectx.profiles import profile as known_profile
from citectx.runs.execution import Job, Outcome, perform, restore
from citectx.runs.parameters import check_grid, parse_grid
from citectx.runs.runner import check_place, notebooks
from citectx.storage import clear_parts, lock, own_folder, sha, spreadsheet_safe, write_atomically

MOST = 1_000
"""A grid of more runs is probably a mistake."""

PREFIX = "param_"
"""Begins the columns of swept parameters: a table may have a ``corpus`` of its own."""


def jobs_of(notebook: Path, grid: Mapping[str, Sequence[Any]], out: Path) -> list[Job]:
    """Make a job for each combination of values, in the order of the grid.

    Raises
    ------
    ParameterError
        If the notebook does not declare one of the parameters or does not allow a value.
    """
    check_grid(notebook, grid)
    path, home = notebook.absolute(), out.absolute()
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [Job(path, point, home / _name(point)) for point in points]


def _name(parameters: Mapping[str, Any]) -> str:
    """Name a folder: readable, and different for different parameters.

    >>> _name({"k": 1, "methods": ["BM25", "LMD"]})
    'k-1_methods-BM25-LMD_ac92db56'
    """
    digest = sha(params_json(parameters).encode())[:8]
    pairs = (f"{name}-{value}" for name, value in parameters.items())
    shown = (re.sub(r"[^\w.+]+", "-", pair).strip("-") for pair in pairs)
    return f"{'_'.join(shown)[:60]}_{digest}"


def sweep(
    notebook: Path,
    grid: Mapping[str, Sequence[Any]],
    out: Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Execute a notebook for each combination of values.

    A run is skipped if nothing that it depends on has changed since it last finished. One that
    fails is reported and does not stop the others; tables of an earlier success are not collected
    then.

    Parameters
    ----------
    notebook : Path
    grid : mapping of str to sequence
        Values of each parameter.
    out : Path
        Gets a folder for each run, ``runs.csv`` (what became of each), and what `collect` finds in
        ``collected.csv``. It must be new, empty, or of an earlier sweep.
    jobs, scheduler, progress
        See `citectx.parallel.run`.

    Raises
    ------
    ParameterError
        Before anything runs, see `jobs_of`; or if `out` holds files that are not ours.
    LockedError
        If another sweep works in `out`.
    """
    out, notebook = Path(out).absolute(), Path(notebook)
    parallel.check(jobs, scheduler)
    todo = jobs_of(notebook, grid, out)
    own_folder(out)
    how: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": progress}
    with lock(out, 5):
        done = parallel.run(attempt, todo, label=notebook.stem, **how)
        for table in (out / "runs.csv", out / "collected.csv"):
            clear_parts(table)
        rows = [{"run": each.name, **_state(each), **_swept(each)} for each in done]
        write_atomically(out / "runs.csv", to_csv(spreadsheet_safe(pd.DataFrame(rows))))
        write_atomically(out / "collected.csv", to_csv(spreadsheet_safe(collect(done))))
    return done


def attempt(job: Job) -> Outcome:
    """Bring one run up to date; a failure is part of the answer."""
    restore(job)
    try:
        return perform(job)
    except CitectxError as failure:
        return Outcome(job, 0.0, str(failure))


def _state(outcome: Outcome) -> dict[str, str]:
    return {"state": "failed" if outcome.error else "finished", "error": outcome.error}


def _swept(outcome: Outcome) -> dict[str, Any]:
    """Return the swept parameters as columns; lists and the like as JSON."""
    return {PREFIX + name: _cell(value) for name, value in outcome.job.parameters.items()}


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def collect(done: Sequence[Outcome]) -> pd.DataFrame:
    """Join the tidy tables of finished runs; swept parameters are columns that begin with `PREFIX`.

    Raises
    ------
    DataError
        If a table cannot be read.
    """
    parts = []
    for outcome in done:
        for path in [] if outcome.error else sorted(outcome.job.folder.rglob("*.csv")):
            frame = read_csv(path)
            if list(frame.columns) == COLUMNS:
                swept = _swept(outcome)
                parts.append(checked(frame, path).assign(**swept)[[*swept, *COLUMNS]])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


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
    """Run ``citectx sweep``; returns 1 if a run failed, else 0.

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

    Raises
    ------
    ParameterError
        For an unknown notebook, profile or parameter, and without a checkout and without `out`;
        nothing is run then.
    """
    check_place(out)
    path = Path(notebook) if Path(notebook).is_file() else notebooks([notebook])[0]
    grid = parse_grid(pairs)
    if profile is not None:
        if "profile" in grid:
            raise ParameterError("profile is given twice, by --profile and by --param")
        grid = {"profile": [known_profile(profile).name]} | grid
    if not grid:
        raise ParameterError("name the parameters to sweep: --param k=1,3,5")
    runs = math.prod(map(len, grid.values()))
    if runs > MOST and not yes:
        raise ParameterError(f"the grid has {runs:,} runs, more than {MOST:,}; confirm with --yes")
    folder = out or results_dir() / "sweeps" / path.stem
    how: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": True}
    done = sweep(path, grid, folder, **how)
    print(*done, sep="\n")
    failed = [outcome for outcome in done if outcome.error]
    for outcome in failed:
        print(f"\n{outcome.name} failed: {outcome.error}", file=sys.stderr)
    finished = f"{len(done) - len(failed)} of {len(done)}"
    print(f"{finished} runs are in {folder}, their tables in collected.csv")
    return int(bool(failed))
