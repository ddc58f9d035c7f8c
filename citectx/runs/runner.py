"""Run the notebooks in order under a profile, or one of them over a grid: strict parameters,
progress, resume.
"""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from itertools import product
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from tqdm import tqdm

from citectx import parallel
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError, unknown
from citectx.experiments.results import COLUMNS, params_json, to_csv
from citectx.paths import IN_CHECKOUT, NOTEBOOKS, RESULTS
from citectx.profiles import Profile
from citectx.profiles import profile as known_profile
from citectx.runs.execution import PROVENANCE, TEXT, Run, Task, entry_of, perform, recover
from citectx.runs.inputs import check_grid, data_of, declared, inputs_of, parse, parse_grid
from citectx.storage import lock, own_folder, read_object, sha, spreadsheet_safe, write_atomically

STAMP, ERROR = ".finished.json", "error.txt"
MOST = 1_000
"""A grid of more runs is probably a mistake."""
PREFIX = "param_"
"""Begins the columns of swept parameters: a table may have a ``corpus`` or a ``seed`` of its
own."""


def notebooks(only: Sequence[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """List the notebooks in reading order.

    Parameters
    ----------
    only : sequence of str
        Numbers or beginnings of names ("01", "01_tac"); without any, all notebooks.
    folder : Path

    Raises
    ------
    ParameterError
        If something in `only` fits no notebook.
    """
    found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not found:
        raise MissingDataError(f"no notebooks in {folder}: run citectx from its checkout")
    for wanted in only:
        if not any(path.name.startswith(wanted) for path in found):
            raise unknown("notebook", wanted, [path.stem for path in found])
    return [path for path in found if not only or path.name.startswith(tuple(only))]


def run(
    profile: Profile,
    only: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    *,
    folder: Path = NOTEBOOKS,
    force: bool = False,
    jobs: int = 1,
    first: Callable[[], object] = list,
) -> list[Run]:
    """Execute notebooks under a profile, in order.

    A notebook is passed over if nothing that its outputs depend on has changed since its last
    finished run, and all of them are as that run left them (`citectx.runs.execution`). So an
    interrupted run goes on where it stopped. Where only Markdown has changed, the executed notebook
    gets the new text.

    Parameters
    ----------
    profile : Profile
        Given to every notebook as its parameter ``profile``.
    only : sequence of str
        See `notebooks`.
    parameters : mapping, optional
        Further parameters; each notebook must declare all of them.
    folder : Path
        Where the notebooks are.
    force : bool
        Execute also what is up to date.
    jobs : int
        So many at a time, each with a kernel of its own; the outputs do not depend on it. A
        notebook waits for those that its metadata name under ``citectx``, ``after``, because it
        judges their results, too, or can use what they have computed.
    first : callable
        Called before anything is executed, unless all is up to date.

    Returns
    -------
    list of Run

    Raises
    ------
    ParameterError
        Before anything runs, if a notebook lacks one of the parameters or does not allow its value,
        `jobs` is below 1, or the results folder holds files that are not ours.
    DataError
        Likewise, if ``provenance.json`` is damaged.
    LockedError
        If another run works on the same results.
    NotebookError
        If a cell fails. Notebooks finished before it keep their outputs, those running beside it
        finish, no other begins; the failed one is left as ``<name>.failed.ipynb``, and its tables
        stay those of before.
    """
    parallel.check(jobs)
    paths = notebooks(only, folder)
    given = {**(parameters or {}), "profile": profile.name}
    for path in paths:
        check_grid(path, {name: [value] for name, value in given.items()})
    needs = {path.stem: _after(path) for path in paths}
    home = profile.results.absolute()
    if not read_object(home / PROVENANCE):  # else it is a folder of results already
        own_folder(home)
    with lock(home, 5):
        recover(home)
        data = data_of(profile.name)
        tasks = {}
        for path in paths:
            after = tuple(f".stamps/{name}.json" for name in sorted(needs[path.stem]))
            about = f"notebooks/{path.name}", f".stamps/{path.stem}.json", home.name, after
            tasks[path.stem] = Task(path, given, home, *about, inputs_of(path) | {"data": data})
        if force or not all(task.changed() <= {TEXT} for task in tasks.values()):
            first()
        runs = _all_of(tasks, needs, home, jobs, force)
    return [runs[name] for name in tasks]


def cmd_run(
    profile: str,
    only: Sequence[str] = (),
    param: Sequence[str] = (),
    *,
    out: Path | None = None,
    force: bool = False,
    jobs: int = 1,
) -> int:
    """Run ``citectx run``: read the parameters, execute the notebooks, print what became of each.

    Raises
    ------
    ParameterError
        For a profile among the parameters, and without a checkout and without `out`.
    """
    chosen = known_profile(profile or "teaching")
    given = parse(param)
    if "profile" in given:
        raise ParameterError("name the profile with --profile, not with --param")
    if not (out or IN_CHECKOUT or "CITECTX_RESULTS" in os.environ):
        raise ParameterError(
            "citectx is installed without a checkout: say where results go with --out DIR"
        )
    if out:
        os.environ["CITECTX_RESULTS"] = str(out.resolve())  # the kernels inherit it
    found = run(
        chosen, only, given, force=force, jobs=jobs, first=chosen.load
    )  # nobody sees what kernels find in data
    print(*found, sep="\n")
    print(f"results are in {chosen.results}")
    return 0


def _all_of(
    tasks: Mapping[str, Task], needs: Mapping[str, set[str]], home: Path, jobs: int, force: bool
) -> dict[str, Run]:
    """Perform tasks, each after those that it needs; says what became of each, or raises the first
    failure.

    After a failure or an interruption, what is running finishes and nothing else begins.
    """
    sorter = TopologicalSorter({name: sorted(needs[name] & tasks.keys()) for name in tasks})
    sorter.prepare()
    order = list(tasks) if jobs == 1 else longest_first(needs, home)
    ready: list[str] = []
    running: dict[Future[Run], str] = {}
    runs: dict[str, Run] = {}
    with (
        tqdm(desc="notebooks", total=len(tasks), unit="notebook") as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):
        while sorter.is_active():
            ready = sorted([*ready, *sorter.get_ready()], key=order.index)
            while ready and len(running) < jobs:
                name = ready.pop(0)
                running[pool.submit(perform, tasks[name], force=force)] = name
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                runs[name] = future.result()
                sorter.done(name)
                bar.update()
    return runs


def longest_first(needs: Mapping[str, set[str]], home: Path) -> list[str]:
    """Order notebooks by how long each took together with the longest chain that waits for it,
    longest first.

    Times are those of the last run under this profile, else of the open results that come with the
    package.
    """
    entries = read_object(RESULTS / "open" / PROVENANCE) | read_object(home / PROVENANCE)

    def left(name: str) -> float:
        own: float = entries.get(entry_of(name), {}).get("wall_time_s", 0.0)
        return own + max((left(other) for other in needs if name in needs[other]), default=0.0)

    return sorted(needs, key=left, reverse=True)


def _after(path: Path) -> set[str]:
    """Names of notebooks that have to run before this one, all of which stand before it in reading
    order.
    """
    named = nbformat.read(path, as_version=4).metadata.get("citectx", {}).get("after", [])
    return {name for name in named if name < path.stem}


def tasks(
    notebook: Path, grid: Mapping[str, Sequence[Any]], out: Path, *, most: int | None = MOST
) -> list[Task]:
    """Make a task for each combination of values, in the order of the grid.

    Raises
    ------
    ParameterError
        If the notebook does not declare one of the parameters or does not allow a value, or there
        are more than `most` combinations.
    """
    runs = math.prod(map(len, grid.values()))
    if most is not None and runs > most:
        raise ParameterError(f"the grid has {runs:,} runs, more than {most:,}; confirm with --yes")
    check_grid(notebook, grid)
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    default = str(declared(notebook).get("profile", "teaching"))
    data = {
        name: data_of(name) for name in sorted({str(p.get("profile", default)) for p in points})
    }
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
    digest = sha(params_json(parameters).encode())[:8]
    shown = (
        re.sub(r"[^\w.+]+", "-", f"{name}-{value}").strip("-") for name, value in parameters.items()
    )
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

    A run is passed over if nothing that it depends on has changed since its last finished
    execution. One that fails is reported and does not stop the others; tables of an earlier success
    are not collected then.

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
        runs = parallel.run(
            attempt,
            todo,
            jobs=jobs,
            scheduler=scheduler,
            label=Path(notebook).stem,
            progress=progress,
        )
        rows = [
            {"run": r.name, "state": "failed" if r.error else "finished"} | _columns(r)
            for r in runs
        ]
        write_atomically(out / "runs.csv", to_csv(spreadsheet_safe(pd.DataFrame(rows))))
        write_atomically(out / "collected.csv", to_csv(spreadsheet_safe(collect(runs))))
    return runs


def attempt(task: Task) -> Run:
    """Perform one task, unless it is done already; a failure is part of the answer."""
    name, error = task.home.name, task.home / ERROR
    own_folder(task.home)
    recover(task.home)
    try:
        run = perform(task)
    except CitectxError as failure:
        write_atomically(error, f"{failure}\n")
        return Run(name, task, 0.0, str(failure))
    error.unlink(missing_ok=True)
    return run._replace(name=name)


def collect(runs: Sequence[Run]) -> pd.DataFrame:
    """Join the tidy tables of finished runs; swept parameters are columns, their names begin with
    `PREFIX`.

    Raises
    ------
    DataError
        If a table cannot be read.
    """
    parts = []
    for run in runs:
        for path in [] if run.error else sorted(run.task.home.rglob("*.csv")):
            try:
                frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
            except (ValueError, OSError) as error:
                raise DataError(f"is no table: {error}", file=path) from error
            if list(frame.columns) == COLUMNS:
                swept = _columns(run)
                parts.append(frame.assign(**swept)[[*swept, *COLUMNS]])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _columns(run: Run) -> dict[str, Any]:
    """Return the swept parameters as columns; lists and the like as JSON."""
    return {
        PREFIX + name: json.dumps(value, ensure_ascii=False)
        if isinstance(value, list | dict)
        else value
        for name, value in run.task.parameters.items()
    }


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
    print(
        f"{len(runs) - len(failed)} of {len(runs)} runs are in {folder}, their tables in collected.csv"
    )
    return int(bool(failed))
