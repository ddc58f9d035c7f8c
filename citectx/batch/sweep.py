"""Execute a notebook over a grid of parameters: one folder for each run, one table of all of them.

A run is executed in a process of its own, with ``CITECTX_RESULTS`` set to its folder, so that runs cannot
overwrite each other's results, wherever they are executed.

>>> parse_grid(["k=1,3", "methods=[BM25, LMD],[VSM]"])
{'k': [1, 3], 'methods': [['BM25', 'LMD'], ['VSM']]}
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from citectx import parallel
from citectx.batch.runner import check_parameters, execute, notebooks
from citectx.code import code_digest
from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.results import COLUMNS, params_json, to_csv
from citectx.paths import RESULTS
from citectx.storage import write_atomically

STAMP, REQUEST, ERROR = ".finished.json", ".request.json", "error.txt"
PREFIX = "param_"
"""Begins the columns of swept parameters: a table may have a ``corpus`` or a ``seed`` of its own."""


@dataclass(frozen=True)
class Request:
    """One run to be done.

    Parameters
    ----------
    notebook, folder : str
        The notebook's path, and where everything of the run goes; absolute.
    parameters : mapping
    code : str
        Hash of the package, see `citectx.storage.code_digest`.
    """

    notebook: str
    folder: str
    parameters: Mapping[str, Any]
    code: str

    @property
    def name(self) -> str:
        """Name of the run's folder."""
        return Path(self.folder).name

    @property
    def output(self) -> Path:
        """The executed notebook."""
        return Path(self.folder, Path(self.notebook).name)

    def state(self) -> dict[str, Any]:
        """Return all that a finished run depends on."""
        digest = hashlib.sha256(Path(self.notebook).read_bytes()).hexdigest()
        return {"notebook": digest, "parameters": dict(self.parameters), "code": self.code}


@dataclass(frozen=True)
class Run:
    """What became of one run.

    Parameters
    ----------
    name : str
    parameters : mapping
    folder : Path
    seconds : float
        0 where an earlier run was still good.
    error : str
        Why it failed, and where its notebook is; "" if it did not.
    """

    name: str
    parameters: Mapping[str, Any]
    folder: Path
    seconds: float
    error: str = ""


def parse_grid(pairs: Sequence[str]) -> dict[str, list[Any]]:
    """Read NAME=VALUE,VALUE,... pairs; each value is YAML, so that lists in brackets are one value.

    Raises
    ------
    ParameterError
        On a malformed pair, a name given twice, or a value given twice.

    Examples
    --------
    >>> parse_grid(['text="a, b",c', "on=true"])
    {'text': ['a, b', 'c'], 'on': [True]}
    """
    grid: dict[str, list[Any]] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier() or not text.strip():
            raise ParameterError(f"expected NAME=VALUE,VALUE,..., found {pair!r}")
        if name in grid:
            raise ParameterError(f"parameter {name} is given twice; write {name}=VALUE,VALUE")
        grid[name] = [_value(part, pair) for part in _split(text)]
        shown = [params_json({name: value}) for value in grid[name]]
        if twice := [value for value in shown if shown.count(value) > 1]:
            raise ParameterError(f"{pair!r} has a value twice: {twice[0]}")
    return grid


def _value(text: str, pair: str) -> Any:
    try:
        return json.loads(json.dumps(yaml.safe_load(text)))  # what JSON cannot hold could not be compared
    except (yaml.YAMLError, TypeError) as error:
        raise ParameterError(f"{text!r} in {pair!r} is no YAML value (quote it if it is text)") from error


def _split(text: str) -> Iterator[str]:
    """Split at commas that stand in no brackets and no quotes.

    >>> list(_split("[a, b], {c: [d, e]}, 'f, g',h"))
    ['[a, b]', '{c: [d, e]}', "'f, g'", 'h']
    """
    depth, quote, start = 0, "", 0
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not text[start:i].strip(" [{,:"):
            quote = character  # an apostrophe inside a word is none
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:i].strip()
            start = i + 1
    yield text[start:].strip()


def requests(notebook: Path, grid: Mapping[str, Sequence[Any]], out: Path) -> list[Request]:
    """Make a request for each combination of values, in the order of the grid.

    Raises
    ------
    ParameterError
        If the notebook does not declare one of the parameters.
    """
    check_parameters(notebook, grid)
    code = code_digest()
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [Request(str(notebook.absolute()), str((out / _name(p)).absolute()), p, code) for p in points]


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
) -> list[Run]:
    """Execute a notebook for each combination of values.

    A run whose notebook, code and parameters are those of its last finished execution is passed over. One
    that fails is reported and does not stop the others.

    Parameters
    ----------
    notebook : Path
    grid : mapping of str to sequence
        Values of each parameter.
    out : Path
        Gets a folder for each run, ``runs.csv`` (what became of each), and what `collect` finds:
        ``collected.csv``, and ``collected/NAME.csv`` for tables in other columns.
    jobs, scheduler, progress
        See `citectx.parallel.run`.

    Returns
    -------
    list of Run
        In the order of the grid.

    Raises
    ------
    ParameterError
        Before anything runs, if the notebook does not declare a parameter.
    """
    todo = requests(Path(notebook), grid, Path(out))
    runs = parallel.run(
        perform, todo, jobs=jobs, scheduler=scheduler, label=Path(notebook).stem, progress=progress
    )
    Path(out).mkdir(parents=True, exist_ok=True)
    rows = [{"run": r.name, "state": "failed" if r.error else "finished"} | _columns(r) for r in runs]
    write_atomically(Path(out, "runs.csv"), to_csv(pd.DataFrame(rows)))
    _write_collected(runs, Path(out))
    return runs


def perform(request: Request) -> Run:
    """Execute one request in a process of its own, unless it is done already."""
    folder, stamp = Path(request.folder), Path(request.folder, STAMP)
    state = request.state()
    if request.output.exists() and stamp.exists() and json.loads(stamp.read_text("utf-8")) == state:
        return Run(request.name, request.parameters, folder, 0.0)
    started = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)  # tables of another state must not be collected
    folder.mkdir(parents=True)
    write_atomically(folder / REQUEST, json.dumps(asdict(request)).encode())
    environment = os.environ | {"CITECTX_RESULTS": str(folder)}
    command = [sys.executable, "-m", "citectx.batch.sweep", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        message = done.stderr.strip() or f"the process ended with code {done.returncode}"
        write_atomically(folder / ERROR, f"{message}\n".encode())
        return Run(request.name, request.parameters, folder, seconds, message)
    write_atomically(stamp, json.dumps(state).encode())
    return Run(request.name, request.parameters, folder, seconds)


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
        for path in [] if run.error else sorted(run.folder.rglob("*.csv")):
            try:
                frame = pd.read_csv(path, dtype={"topic": str, "citance": str})
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
        for name, value in run.parameters.items()
    }


def _write_collected(runs: Sequence[Run], out: Path) -> None:
    shutil.rmtree(out / "collected", ignore_errors=True)
    tables = collect(runs)
    write_atomically(out / "collected.csv", to_csv(tables.pop("", pd.DataFrame(columns=COLUMNS))))
    for name, frame in tables.items():
        (out / "collected").mkdir(exist_ok=True)
        write_atomically(out / "collected" / name, to_csv(frame))


def cmd_sweep(
    notebook: str,
    pairs: Sequence[str],
    *,
    profile: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    out: Path | None = None,
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

    Returns
    -------
    int
        1 if a run failed, else 0.

    Raises
    ------
    ParameterError
        For an unknown notebook, profile or parameter; nothing is run then.
    """
    from citectx.profiles import profile as known_profile

    path = Path(notebook) if Path(notebook).is_file() else notebooks([notebook])[0]
    grid = parse_grid(pairs)
    if profile is not None:
        if "profile" in grid:
            raise ParameterError("profile is given twice, by --profile and by --param")
        grid = {"profile": [known_profile(profile).name]} | grid
    if not grid:
        raise ParameterError("name the parameters to sweep: --param k=1,3,5")
    folder = out or Path(os.environ.get("CITECTX_RESULTS", RESULTS)) / "sweeps" / path.stem
    runs = sweep(path, grid, folder, jobs=jobs, scheduler=scheduler, progress=True)
    for run in runs:
        done = "FAILED" if run.error else f"{run.seconds:6.1f} s" if run.seconds else "up to date"
        print(f"{run.name:60} {done}")
    failed = [run for run in runs if run.error]
    for run in failed:
        print(f"\n{run.name} failed: {run.error}", file=sys.stderr)
    print(f"{len(runs) - len(failed)} of {len(runs)} runs are in {folder}, their tables in collected.csv")
    return int(bool(failed))


def _main(folder: Path) -> int:
    """Do what the request in a folder says; an error goes to stderr."""
    request = Request(**json.loads((folder / REQUEST).read_text("utf-8")))
    try:
        write_atomically(request.output, execute(Path(request.notebook), folder, dict(request.parameters)))
    except CitectxError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
