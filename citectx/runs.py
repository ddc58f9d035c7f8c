"""Run notebooks with papermill: one, all of them, or one over a grid of parameters.

Each notebook gets a folder, ``results/PROFILE/NOTEBOOK``, for the executed notebook, its tables and
its figures. A run writes to a hidden folder beside it and moves that into place when the notebook
has finished. So a folder holds one run, whole, and a failed run changes nothing.
"""

import glob
import itertools
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pandas as pd
import yaml

from citectx import paths
from citectx.errors import CitectxError, DataError, ParameterError, unknown
from citectx.experiments.results import COLUMNS, RUN, about_run, to_csv
from citectx.profiles import profile as known_profile
from citectx.storage import commit, sha, write_atomically, write_json

CHAIN = ("01", "03", "04")
"""Notebooks that read the tables of the one before: they run one after the other."""

KINDS = {
    "bool": {"bool"},
    "int": {"int", "NoneType"},
    "float": {"float", "int", "NoneType"},
    "str": {"str", "int", "NoneType"},
    "list": {"list", "NoneType"},
    "None": {"bool", "int", "float", "str", "list", "NoneType"},
}
"""Types that values of a parameter may have, by its annotation ("None": it has none)."""

HINT = "a list is written [A, B]; the cell that declares them needs the tag 'parameters'"

TEACHING = "teaching"
"""The default profile, and the tag of cells that describe its corpus."""

LIBRARIES = ("citectx", "gensim", "nltk", "numpy", "pandas", "scikit-learn", "scipy")
"""Libraries whose versions ``run.json`` names."""


class NotebookError(CitectxError):
    """A notebook failed; the message names notebook, cell and error."""


class Job(NamedTuple):
    """A notebook, the parameters that it is given, and the folder for what it makes.

    `results` is the folder where it finds the tables of other notebooks.
    """

    notebook: Path
    parameters: Mapping[str, Any]
    folder: Path
    results: Path


def notebooks(only: Sequence[str] = ()) -> list[Path]:
    """List the notebooks in reading order.

    >>> [path.stem for path in notebooks(["05", "03_tac"])]
    ['03_tac_table3_human_agreement', '05_naacl_agreement']
    """
    known = sorted(paths.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    for wanted in only:
        if not any(path.name.startswith(wanted) for path in known):
            raise unknown("notebook", wanted, [path.stem for path in known])
    return [path for path in known if path.name.startswith(tuple(only) or "")]


def points(notebook: Path, pairs: Sequence[str]) -> list[dict[str, Any]]:
    """Read NAME=VALUE,VALUE pairs; returns each combination of the values, which are YAML.

    >>> [path] = notebooks(["01"])
    >>> points(path, ["k=1,3", "methods=[BM25, LMD]"])
    [{'k': 1, 'methods': ['BM25', 'LMD']}, {'k': 3, 'methods': ['BM25', 'LMD']}]
    >>> points(path, ["methods=BM25"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: 'methods=BM25' does not fit the parameters of 01_...
    """
    known = declared(notebook)
    grid: dict[str, list[Any]] = {}
    for pair in pairs:
        name, _, written = pair.partition("=")
        values = read_values(written, known.get(name, ""))
        if name in grid or not values:
            message = f"{pair!r} does not fit the parameters of {notebook.name}: {known}"
            raise ParameterError(f"{message}; {HINT}")
        grid[name] = values
    combinations = itertools.product(*grid.values())
    return [dict(zip(grid, values, strict=True)) for values in combinations]


def read_values(written: str, kind: str) -> list[Any]:
    """Read YAML values, parted by commas; there are none if one is not of that kind.

    >>> read_values("1, 3", "int"), read_values("[1, 3]", "int")
    ([1, 3], [])
    """
    with suppress(yaml.YAMLError):
        values: list[Any] = yaml.safe_load(f"[{written}]")
        if {type(value).__name__ for value in values} <= KINDS.get(kind, set()):
            return values
    return []


def declared(notebook: Path) -> dict[str, str]:
    """Read the names of a notebook's parameters, each with its annotated type."""
    import papermill

    try:
        known = papermill.inspect_notebook(str(notebook))
    except Exception as error:  # nbformat and papermill raise a dozen kinds
        remedy = "open it in Jupyter, choose the kernel Python 3, and save it"
        raise DataError(f"cannot be run: {error} ({remedy})", file=notebook) from error
    return {name: parameter["inferred_type_name"] for name, parameter in known.items()}


def execute(job: Job) -> None:
    """Execute a notebook; what it makes takes the place of the job's folder.

    Raises
    ------
    NotebookError
        If a cell fails. Earlier results stay; the notebook, as far as it was executed, is in
        ``NAME.failed.ipynb`` beside them.
    """
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    restore(job.folder)
    part = hidden(job.folder, f"{uuid4().hex}.part")
    failed = job.folder.with_name(f"{job.folder.name}.failed.ipynb")
    made = part / job.notebook.name
    part.mkdir(parents=True)
    started = time.perf_counter()
    try:
        in_kernel(job, made)
        seconds = time.perf_counter() - started
        notebook = steady(made).replace(str(part), str(job.folder))
        write_atomically(made, notebook)
        write_json(part / RUN, about_run(part) | about(job, seconds))
        if job.folder.exists():
            job.folder.rename(hidden(job.folder, "old"))
        part.rename(job.folder)
        failed.unlink(missing_ok=True)
    except (PapermillExecutionError, DeadKernelError) as error:
        made.replace(failed)
        message = f"{job.notebook.name}, {where(error)}\nexecuted so far: {failed}"
        raise NotebookError(message) from error
    finally:
        restore(job.folder)


def about(job: Job, seconds: float) -> dict[str, Any]:
    """Return what ``run.json`` says of a run."""
    return {
        "commit": commit(),
        "versions": {name: version(name) for name in LIBRARIES},
        "parameters": job.parameters,
        "seconds": round(seconds, 1),
    }


def where(error: Any) -> str:
    """Name cell and error, or say that the kernel has died."""
    if not hasattr(error, "ename"):
        return "its kernel died, perhaps for want of memory: use fewer --jobs"
    return f"cell In [{error.exec_count}]: {error.ename}: {error.evalue}"


def in_kernel(job: Job, made: Path) -> None:
    """Let papermill execute a notebook in a kernel that writes to the folder of `made`."""
    import papermill
    from traitlets.config import Config

    # Not in the environment of this process: joblib uses its processes again, as they are.
    environment = {
        "CITECTX_OUTPUT": str(made.parent),
        "CITECTX_RESULTS": str(job.results),
        "CITECTX_STATIC": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    first = f"__import__('os').environ.update({environment})"
    with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
        # Sockets that are files: a free port may be taken before the kernel binds it.
        local = {"transport": "ipc", "ip": f"{sockets}/k"} if os.name == "posix" else {}
        papermill.execute_notebook(
            lesson(job.notebook, job.parameters.get("profile", TEACHING), job.folder),
            made,
            job.parameters,
            kernel_name="python3",
            language="python",
            progress_bar=False,
            resources={"metadata": {"path": str(job.notebook.parent)}},
            extra_arguments=["--log-level=ERROR", f"--IPKernelApp.exec_lines={first}"],
            config=Config(KernelManager=local),
            coalesce_streams=True,  # a line and its end may come one by one
            record_timing=False,
            shutdown_kernel="immediate",
        )


def lesson(path: Path, profile: str, folder: Path) -> Any:
    """Read a notebook as it is executed under a profile for a folder.

    Cells with the tag ``teaching`` describe the teaching corpus: other profiles leave them out.
    Links lead from the folder to where they led from the notebook.
    """
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    if profile != TEACHING:
        others = [c for c in notebook.cells if TEACHING not in c.metadata.get("tags", ())]
        notebook.cells = others
    home = Path(os.path.relpath(path.parent.resolve(), folder.resolve())).as_posix()
    relative_link = re.compile(r"\]\((?![a-z]+:|[#/])")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = relative_link.sub(f"]({home}/", cell.source)
    return notebook


def steady(executed: Path) -> str:
    """Return an executed notebook without what differs from run to run."""
    import nbformat

    notebook = nbformat.read(executed, as_version=4)
    del notebook.metadata["papermill"], notebook.metadata["language_info"]["version"]
    for cell in notebook.cells:
        del cell.metadata["papermill"]
        if "injected-parameters" in cell.metadata["tags"]:
            cell["id"] = "injected-parameters"
    return f"{nbformat.writes(notebook)}\n"


def restore(folder: Path) -> None:
    """Tidy up after a stopped run, and refuse a folder that no run has written.

    Results that were moved aside are put back, what was half written is deleted.
    """
    old = hidden(folder, "old")
    if old.exists() and not folder.exists():
        old.rename(folder)
    parts = folder.parent.glob(f".{glob.escape(folder.name)}.*.part")
    for left in (old, *parts):
        shutil.rmtree(left, ignore_errors=True)
    if folder.exists() and not (folder / RUN).is_file():
        message = f"{folder} was not written by a run: it has no {RUN}"
        raise ParameterError(f"{message}; move it away, or choose another --out")


def hidden(folder: Path, ending: str) -> Path:
    """Name a hidden folder beside another one.

    >>> hidden(Path("results/toy"), "old").as_posix()
    'results/.toy.old'
    """
    return folder.with_name(f".{folder.name}.{ending}")


def perform(lanes: Sequence[Sequence[Job]], jobs: int, dask: str | None = None) -> None:
    """Execute lanes of notebooks, `jobs` of them at a time, until all are done or one fails."""
    import joblib
    from tqdm import tqdm

    folders = [job.folder for lane in lanes for job in lane]
    for folder in folders:
        restore(folder)
    try:
        with workers(jobs, dask):
            tasks = [joblib.delayed(one_by_one)(lane) for lane in lanes]
            done = joblib.Parallel(return_as="generator_unordered")(tasks)
            list(tqdm(done, total=len(tasks), unit="notebook"))
    finally:
        for folder in folders:  # processes that were stopped could not do it
            restore(folder)


@contextmanager
def workers(jobs: int, dask: str | None) -> Iterator[None]:
    """Have joblib work in processes of this machine, or on a Dask cluster."""
    import joblib

    if dask is None:
        with joblib.parallel_config(n_jobs=jobs):
            yield
    else:
        from distributed import Client

        with Client(dask), joblib.parallel_config("dask"):
            yield


def one_by_one(lane: Sequence[Job]) -> None:
    """Execute notebooks, each of which may read the tables of the one before."""
    for job in lane:
        execute(job)


def run(
    profile: str,
    only: Sequence[str] = (),
    param: Sequence[str] = (),
    out: Path | None = None,
    jobs: int = 1,
) -> None:
    """Execute notebooks under a profile.

    Parameters
    ----------
    profile : str
    only : sequence of str
        Numbers or beginnings of names; without any, all notebooks.
    param : sequence of str
        NAME=VALUE pairs; each notebook must declare every name.
    out : Path, optional
        Gets the folder ``PROFILE``; by default ``results``.
    jobs : int
        How many notebooks run at a time.

    Raises
    ------
    ParameterError
        Before anything runs: for an unknown notebook, profile or parameter, for a value of the
        wrong type, or where results would replace files of somebody else.
    NotebookError
        If a cell fails; notebooks that run at the same time are stopped.
    """
    home = (out or paths.results_dir()).absolute()
    folder = home / known_profile(profile).name
    lanes: dict[str, list[Job]] = {"chain": []}
    for path in reversed(notebooks(only)):  # the last ones take longest
        point, *others = points(path, [f"profile={profile}", *param])
        if others:
            raise ParameterError(f"{' '.join(param)}: several values are for `citectx sweep`")
        lane = "chain" if path.name.startswith(CHAIN) else path.name
        job = Job(path, point, folder / path.stem, home)
        lanes.setdefault(lane, []).insert(0, job)
    perform([lane for lane in lanes.values() if lane], jobs)
    print(f"results are in {folder}")


def sweep(
    notebook: str,
    param: Sequence[str],
    out: Path | None = None,
    jobs: int = 1,
    dask: str | None = None,
) -> None:
    """Execute a notebook for each combination of values, and collect its tables.

    A combination whose folder is there, with the same parameters, is skipped.

    Parameters
    ----------
    notebook : str
        A path, or the number or beginning of the name of one of ours.
    param : sequence of str
        NAME=VALUE,VALUE pairs.
    out : Path, optional
        Gets a folder for each run, and ``collected.csv``; by default ``results/sweeps/NOTEBOOK``.
    jobs : int
        How many runs go on at a time.
    dask : str, optional
        Address of a Dask scheduler, as in ``tcp://host:8786``; its workers share the file system.

    Raises
    ------
    ParameterError
        As `run` does.
    NotebookError
        If a cell fails; what was finished before is there when the sweep runs again.
    """
    path = Path(notebook).absolute()
    if not path.is_file():
        path = notebooks([notebook])[0]
    results = paths.results_dir().absolute()
    home = (out or results / "sweeps" / path.stem).absolute()
    grid = points(path, param)
    todo = [Job(path, point, home / folder_name(point), results) for point in grid]
    new = [[job] for job in todo if about_run(job.folder).get("parameters") != job.parameters]
    perform(new, jobs, dask)
    collected = home / "collected.csv"
    write_atomically(collected, to_csv(collect(todo)))
    print(f"{len(new)} of {len(todo)} runs were new; tables are in {collected}")


def folder_name(parameters: Mapping[str, Any]) -> str:
    """Name a folder: readable, and different for different parameters.

    >>> folder_name({"k": 1, "methods": ["BM25", "LMD"]})
    'k-1-methods-BM25-LMD_ac92db56'
    """
    written = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    readable = re.sub(r"[^\w.]+", "-", written).strip("-")
    return f"{readable[:60]}_{sha(written.encode())[:8]}"


def collect(jobs: Sequence[Job]) -> pd.DataFrame:
    """Join the tidy tables of a sweep; each parameter is a column ``param_NAME``."""
    parts = [pd.DataFrame(columns=COLUMNS)]
    for job in jobs:
        swept = {f"param_{name}": str(value) for name, value in job.parameters.items()}
        tables = map(pd.read_csv, sorted(job.folder.glob("*.csv")))
        parts += [table.assign(**swept) for table in tables if [*table] == COLUMNS]
    return pd.concat(parts, ignore_index=True)
