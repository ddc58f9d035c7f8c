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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import yaml

from citectx import paths
from citectx.errors import CitectxError, DataError, ParameterError, unknown
from citectx.experiments.results import COLUMNS, RUN, to_csv
from citectx.profiles import profile as known_profile
from citectx.storage import commit, read_json, sha, write_atomically, write_json

KINDS: Mapping[str, Any] = {
    "bool": bool,
    "int": int,
    "float": int | float,
    "str": str | int,
    "list": list,
}
"""Types that values of a parameter may have beside None, by its annotation."""

TEACHING = "teaching"
"""The default profile, and the tag of cells that describe its corpus."""

BANNER = "report"
"""The id of the cell that says how a report was made."""

RELATIVE_LINK = r"\]\((?![a-z]+:|[#/])"
"""How a link begins that leads to a place beside the notebook."""


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

    They become what JSON has, so that ``run.json`` tells them exactly: a date is a string.

    >>> [path] = notebooks(["01"])
    >>> points(path, ["k=1,3", "methods=[BM25, LMD]"])
    [{'k': 1, 'methods': ['BM25', 'LMD']}, {'k': 3, 'methods': ['BM25', 'LMD']}]
    >>> points(path, ["methods=BM25"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: 'methods=BM25' does not fit the parameters of 01_...
    """
    known = parameters_of(notebook)
    grid: dict[str, list[Any]] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            values = json.loads(json.dumps(yaml.safe_load(f"[{text}]"), default=str))
        except (yaml.YAMLError, TypeError, ValueError):  # of a key, or of a day such as 2020-13-01
            values = []
        kind = KINDS.get(known.get(name, "").removesuffix(" | None"), object)
        fits = all(value is None or isinstance(value, kind) for value in values)
        if name in grid or name not in known or not values or not fits:
            raise ParameterError(
                f"{pair!r} does not fit the parameters of {notebook.name}: {known}; a list is "
                "written [A, B]; the cell that declares them needs the tag 'parameters'"
            )
        grid[name] = values
    combinations = itertools.product(*grid.values())
    return [dict(zip(grid, values, strict=True)) for values in combinations]


def parameters_of(notebook: Path) -> dict[str, str]:
    """Read the names of a notebook's parameters, each with its annotated type."""
    import nbformat

    try:
        cells = nbformat.read(notebook, as_version=4).cells
        source = next((cell.source for cell in cells if "parameters" in tags_of(cell)), "")
    except Exception as error:  # nbformat raises a dozen kinds
        raise DataError(
            f"cannot be run: {error} (open it in Jupyter, choose the kernel Python 3, and save it)",
            file=notebook,
        ) from error
    # Its name, and its annotation or nothing.
    return dict(re.findall(r"(?m)^(\w+) *(?:: *([^=\n]+?))? *=", source))


def execute(notebook: Path, parameters: Mapping[str, Any], folder: Path) -> None:
    """Execute a notebook; what it makes takes the place of the folder.

    If a cell fails, earlier results stay, and the notebook is in ``NAME.failed.ipynb`` beside them,
    as far as it was executed.
    """
    from papermill.exceptions import PapermillExecutionError

    make_way(folder)
    part = hidden_folder(folder, f"{os.getpid()}.part")
    part.mkdir(parents=True)
    executed = part / notebook.name
    failed = folder.with_name(f"{folder.name}.failed.ipynb")
    about: dict[str, Any] = {"commit": commit(), "parameters": parameters}
    started = time.perf_counter()
    try:
        shown = lesson(notebook, parameters.get("profile", TEACHING), folder)
        made = in_kernel(shown, parameters, notebook.parent, executed)
        about["seconds"] = round(time.perf_counter() - started, 1)
        text = steady(made, notebook.name[:2], about)
        write_atomically(executed, text.replace(str(part), str(folder)))
        write_json(part / RUN, read_json(part / RUN) | about)
        part.rename(hidden_folder(folder, "new"))
        tidy(folder)
        failed.unlink(missing_ok=True)
    except (PapermillExecutionError, RuntimeError) as error:
        executed.replace(failed)
        reason = f"its kernel died, perhaps for want of memory: use fewer --jobs ({error})"
        if isinstance(error, PapermillExecutionError):
            reason = f"cell In [{error.exec_count}]: {error.ename}: {error.evalue}"
        raise CitectxError(f"{notebook.name}, {reason}\nexecuted so far: {failed}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def in_kernel(notebook: Any, parameters: Mapping[str, Any], home: Path, executed: Path) -> Any:
    """Let papermill execute a notebook in a kernel that writes to the folder of `executed`."""
    import papermill
    from jupyter_client.manager import AsyncKernelManager
    from traitlets.config import Config

    output = str(executed.parent).replace("$", "$$")  # jupyter_client takes them for templates
    with tempfile.TemporaryDirectory(prefix="kernel-") as folder:

        class _ThisPython(AsyncKernelManager):
            kernel_spec = this_python(Path(folder), CITECTX_OUTPUT=output)

        papermill.log.logger.setLevel("ERROR")  # it warns of types that it does not know
        return papermill.execute_notebook(
            notebook,
            executed,
            parameters,
            kernel_name="python3",
            language="python",
            progress_bar=False,
            resources={"metadata": {"path": str(home)}},
            kernel_manager_class=_ThisPython,
            config=Config(KernelManager=sockets(Path(folder, "k"))),
            coalesce_streams=True,  # a line and its end may come one by one
            record_timing=False,
            shutdown_kernel="immediate",
        )


def this_python(folder: Path, **environment: str) -> Any:
    """Describe a kernel: this Python, whatever others are installed, without a user's settings.

    The folder takes the place of IPython's. Matplotlib has no settings.
    """
    from ipykernel.kernelspec import make_ipkernel_cmd
    from jupyter_client.kernelspec import KernelSpec

    environment |= {
        "CITECTX_STATIC": "1",
        "MATPLOTLIBRC": os.devnull,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    options = [
        f"--ipython-dir={folder}",
        "--log-level=ERROR",
        # Its log would name a folder of this machine.
        "--IPKernelApp.exec_lines=__import__('logging').getLogger('matplotlib').setLevel('ERROR')",
    ]
    command = make_ipkernel_cmd(extra_arguments=options)
    return KernelSpec(argv=command, env=environment, language="python")


def sockets(start: Path) -> dict[str, str]:
    """Let a kernel have sockets that are files: a free port may be taken before it is bound.

    >>> sockets(Path("k")), sockets(Path("k" * 101))
    ({'transport': 'ipc', 'ip': 'k'}, {})
    """
    short = len(os.fsencode(start)) <= 100  # a number follows; macOS has 103 bytes
    return {"transport": "ipc", "ip": str(start)} if short and os.name == "posix" else {}


def lesson(path: Path, profile: str, folder: Path) -> Any:
    """Read a notebook as it is executed under a profile for a folder.

    Under other profiles than that of teaching it is a report: cells that describe the teaching
    corpus (tag ``teaching``) or are for students (``lesson``) are left out, and what was found
    (``open-data``) comes first. Its title says that it is one. Links lead from the folder to where
    they led from the notebook.
    """
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    if profile != TEACHING:
        kept = [cell for cell in notebook.cells if {TEACHING, "lesson"}.isdisjoint(tags_of(cell))]
        title, *others = kept
        title.source = title.source.replace("# ", "# Report on real data: ", 1)
        others.sort(key=lambda cell: "open-data" not in tags_of(cell))  # what was found, first
        notebook.cells = [title, *others]
    home = Path(os.path.relpath(path.parent.resolve(), folder.resolve())).as_posix()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(RELATIVE_LINK, f"]({home}/", cell.source)
    return notebook


def tags_of(cell: Any) -> Sequence[str]:
    """Return the tags of a cell."""
    return cell.metadata.get("tags", ())


def steady(notebook: Any, number: str, about: Mapping[str, Any]) -> str:
    """Return the text of an executed notebook without what differs from run to run.

    A report says how it was made, below its title.
    """
    import nbformat

    del notebook.metadata["papermill"], notebook.metadata["language_info"]["version"]
    for cell in notebook.cells:
        del cell.metadata["papermill"]
        if "injected-parameters" in cell.metadata["tags"]:
            cell["id"] = "injected-parameters"
    profile = about["parameters"].get("profile", TEACHING)
    if profile != TEACHING:
        text = (
            "**A report on real data**, not a lesson, made by "
            f"`citectx run --profile {profile} --only {number}` at commit "
            f"`{about['commit'][:8]}`, in {about['seconds']:.0f} seconds. "
            "What we found comes first."
        )
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(text, id=BANNER))
    return f"{nbformat.writes(notebook)}\n"


def make_way(folder: Path) -> None:
    """Refuse a folder that another run writes or that no run has written, and tidy up around it."""
    tidy(folder)
    if others := parts(folder):
        raise ParameterError(
            f"a run of {folder} is under way ({others[0].name}); "
            "wait for it, or choose another --out"
        )
    if folder.exists() and not (folder / RUN).is_file():
        raise ParameterError(
            f"{folder} was not written by a run: it has no {RUN}; "
            "move it away, or choose another --out"
        )


def tidy(folder: Path) -> None:
    """Tidy up after a stopped run: what it finished takes the place of the folder, the rest goes.

    The folder itself is never moved: where it belongs to an image, a file system may not do that.
    """
    new = hidden_folder(folder, "new")
    if new.exists():
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    for part in parts(folder):
        if not is_written(part):
            shutil.rmtree(part, ignore_errors=True)


def is_written(part: Path) -> bool:
    """Tell whether the process that writes a folder still lives.

    One that began after the last change has only its number.
    """
    _, number, _ = part.name.rsplit(".", 2)
    try:
        return psutil.Process(int(number)).create_time() < part.stat().st_mtime
    except psutil.NoSuchProcess:
        return False


def parts(folder: Path) -> list[Path]:
    """List the folders that runs of a folder write, or have left."""
    return sorted(folder.parent.glob(f".{glob.escape(folder.name)}.*.part"))


def hidden_folder(folder: Path, ending: str) -> Path:
    """Name a hidden folder beside another one.

    >>> hidden_folder(Path("results/toy"), "new").as_posix()
    'results/.toy.new'
    """
    return folder.with_name(f".{folder.name}.{ending}")


def perform(jobs: Sequence[tuple[Path, Mapping[str, Any], Path]], processes: int) -> None:
    """Execute notebooks, several at a time, until all are done or one fails.

    A job is a notebook, the parameters that it is given, and the folder for what it makes.
    """
    import joblib
    from tqdm import tqdm

    if processes < 1:
        raise ParameterError(f"jobs must be at least 1, not {processes}")
    folders = [folder for *_, folder in jobs]
    for folder in folders:
        make_way(folder)
    try:
        pool = joblib.Parallel(processes, return_as="generator_unordered")
        done = pool(joblib.delayed(execute)(*job) for job in jobs)
        list(tqdm(done, total=len(jobs), unit="notebook"))
    finally:
        for folder in folders:  # processes that were stopped could not do it
            tidy(folder)


def run(
    profile: str,
    only: Sequence[str] = (),
    param: Sequence[str] = (),
    out: Path | None = None,
    jobs: int = 1,
) -> None:
    """Execute notebooks under a profile, some at a time.

    Without `only`, numbers or beginnings of names, all of them are executed. Each must declare
    every parameter of the NAME=VALUE pairs. `out` gets the folder ``PROFILE``; the default is
    ``results``. Mistakes stop everything before it begins.
    """
    folder = (out or paths.results_dir()).absolute() / known_profile(profile).name
    planned = []
    for path in reversed(notebooks(only)):  # the last ones take longest
        point, *others = points(path, [f"profile={profile}", *param])
        if others:
            raise ParameterError(f"{' '.join(param)}: several values are for `citectx sweep`")
        planned.append((path, point, folder / path.stem))
    started = time.perf_counter()
    perform(planned, jobs)
    print(f"done in {time.perf_counter() - started:.0f} seconds; results are in {folder}")


def sweep(notebook: str, param: Sequence[str], out: Path | None = None, jobs: int = 1) -> None:
    """Execute a notebook for each combination of values, and collect its tables.

    The notebook is a path, or the number or beginning of the name of one of ours. `out` gets a
    folder for each run, and ``collected.csv``; the default is ``results/sweeps/NOTEBOOK``. A
    combination whose folder is there, with the same parameters, is skipped.
    """
    path = Path(notebook).absolute()
    if not path.is_file():
        [path, *_] = notebooks([notebook])
    home = (out or paths.results_dir() / "sweeps" / path.stem).absolute()
    planned = {home / folder_name(point): point for point in points(path, param)}
    new = []
    for folder, point in planned.items():
        if folder_name(read_json(folder / RUN).get("parameters")) != folder.name:
            new.append((path, point, folder))
    perform(new, jobs)
    collected = home / "collected.csv"
    write_atomically(collected, to_csv(collect(planned)))
    print(f"{len(new)} of {len(planned)} runs were new; tables are in {collected}")


def folder_name(parameters: Mapping[str, Any] | None) -> str:
    """Name a folder: readable, and different for different parameters.

    >>> folder_name({"k": 1, "methods": ["BM25", "LMD"]})
    'k-1-methods-BM25-LMD_ac92db56'
    """
    text = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    readable = re.sub(r"[^\w.]+", "-", text).strip("-")
    return f"{readable[:60]}_{sha(text.encode())[:8]}"


def collect(runs: Mapping[Path, Mapping[str, Any]]) -> pd.DataFrame:
    """Join the tables of folders with their parameters, which become columns ``param_NAME``."""
    parts = [pd.DataFrame(columns=COLUMNS)]
    for folder, parameters in runs.items():
        swept = {f"param_{name}": str(value) for name, value in parameters.items()}
        tables = map(pd.read_csv, sorted(folder.glob("*.csv")))
        parts += [table.assign(**swept) for table in tables if [*table] == COLUMNS]
    return pd.concat(parts, ignore_index=True)
