"""Run notebooks with papermill: one, all of them, or one over a grid of parameters.

Each notebook gets a folder, ``results/PROFILE/NOTEBOOK``, for the executed notebook, its tables and
its figures. A run writes to a hidden folder beside it and moves that into place when the notebook
has finished. So a folder holds one run, whole, and a failed run changes nothing.
"""

import itertools
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import pandas as pd
import yaml

from citectx import paths
from citectx.errors import CitectxError, DataError, ParameterError, unknown
from citectx.experiments.results import COLUMNS, RUN, to_csv
from citectx.profiles import profile as known_profile
from citectx.storage import check_output, commit, read_json, sha, write_atomically, write_json

TYPES: Mapping[str, Any] = {
    "bool": bool,
    "int": int,
    "float": int | float,
    "str": str,
    "list": list,
}
"""Types that values of a parameter may have beside None, by its annotation."""

TEACHING = "teaching"
"""The default profile, and the tag of cells that describe its corpus."""

BANNER = "report"
"""The id of the cell that says how a report was made."""

FIGURE = "figure"
"""The tag of the cell whose figure a report opens with."""

HIDDEN = "hide-input"
"""The tag of cells whose code the web site folds away."""

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


def parameter_grid(notebook: Path, pairs: Sequence[str]) -> list[dict[str, Any]]:
    """Read NAME=VALUE,VALUE pairs; returns each combination of the values, as `values_in` has them.

    >>> [path] = notebooks(["01"])
    >>> parameter_grid(path, ["k=1,3", "methods=[BM25, LMD]"])
    [{'k': 1, 'methods': ['BM25', 'LMD']}, {'k': 3, 'methods': ['BM25', 'LMD']}]
    >>> parameter_grid(path, ["methods=BM25"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: 'methods=BM25' does not fit the parameters of 01_...
    """
    known = parameters_of(notebook)
    grid: dict[str, list[Any]] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        annotation = known.get(name, "").removesuffix(" | None")
        try:
            values = values_in(text, annotation)
        except (yaml.YAMLError, TypeError, ValueError):  # of a key, or of a day such as 2020-13-01
            values = []
        kind = TYPES.get(annotation, object)
        fits = all(value is None or isinstance(value, kind) for value in values)
        if name in grid or name not in known or not values or not fits:
            raise ParameterError(
                f"{pair!r} does not fit the parameters of {notebook.name}: {known}; a list is "
                "written [A, B]; the cell that declares them needs the tag 'parameters'"
            )
        grid[name] = values
    combinations = itertools.product(*grid.values())
    return [dict(zip(grid, values, strict=True)) for values in combinations]


def values_in(text: str, annotation: str) -> list[Any]:
    """Read values with commas between them, in YAML; declared text and numbers by their letters.

    YAML alone would take 010 for 8, on for True, and 1:30 for 90. The values become what JSON has,
    so that ``run.json`` holds them exactly: a date is a string.

    >>> values_in("010, on, null, 'null'", "str"), values_in("010", "int")
    (['010', 'on', None, 'null'], [10])
    """
    loader = yaml.SafeLoader(f"[{text}]")
    sequence = loader.get_single_node()
    values = []
    for node in sequence.value if sequence else []:
        if annotation in READERS and isinstance(node, yaml.ScalarNode):
            is_null = node.tag.endswith(":null")  # written without quotes
            values.append(None if is_null else READERS[annotation](node.value))
        else:
            values.append(loader.construct_object(node, deep=True))
    return list(json.loads(json.dumps(values, default=str)))


def number(text: str) -> int | float:
    """Read a number; a whole one stays an integer.

    >>> number("2"), number("1e-3")
    (2, 0.001)
    """
    try:
        return int(text)
    except ValueError:
        return float(text)


READERS: Mapping[str, Callable[[str], Any]] = {"int": int, "float": number, "str": str}
"""How the letters of a value are read, by the parameter's annotation."""


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

    with locked(folder):
        check_replaceable(folder)
        part = hidden_beside(folder, "part")
        part.mkdir()
        failed = folder.with_name(f"{folder.name}.failed.ipynb")
        try:
            write_results(notebook, parameters, part, folder)
            failed.unlink(missing_ok=True)
        except (PapermillExecutionError, RuntimeError) as error:
            (part / notebook.name).replace(failed)
            reason = f"its kernel died, perhaps for want of memory: use fewer --jobs ({error})"
            if isinstance(error, PapermillExecutionError):
                reason = f"cell In [{error.exec_count}]: {error.ename}: {error.evalue}"
            message = f"{notebook.name}, {reason}\nexecuted so far: {failed}"
            raise CitectxError(message) from error
        finally:
            shutil.rmtree(part, ignore_errors=True)


def write_results(notebook: Path, parameters: Mapping[str, Any], part: Path, folder: Path) -> None:
    """Execute a notebook that writes to the folder `part`, which then becomes `folder`."""
    about: dict[str, Any] = {"commit": commit(), "parameters": parameters}
    started = time.perf_counter()
    shown = lesson(notebook, parameters.get("profile", TEACHING), folder)
    executed = part / notebook.name
    made = in_kernel(shown, parameters, notebook.parent, executed)
    about["seconds"] = round(time.perf_counter() - started, 1)
    text = reproducible_text(made, notebook.name[:2], about)
    # Outputs that name the folder name its final place; in JSON, a path is written with escapes.
    text = text.replace(in_json(part), in_json(folder))
    write_atomically(executed, text)
    write_json(part / RUN, read_json(part / RUN) | about)
    part.rename(hidden_beside(folder, "new"))
    tidy(folder)


def in_json(path: Path) -> str:
    """Write a path as a JSON string has it."""
    return json.dumps(str(path), ensure_ascii=False)[1:-1]


def in_kernel(notebook: Any, parameters: Mapping[str, Any], home: Path, executed: Path) -> Any:
    """Let papermill execute a notebook in a kernel that writes to the folder of `executed`."""
    import papermill
    from jupyter_client.manager import AsyncKernelManager
    from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines
    from papermill.iorw import write_ipynb
    from traitlets.config import Config

    class _SavedOnce(NBClientEngine):  # type: ignore[misc]  # papermill has no types
        @classmethod
        def execute_managed_notebook(
            cls,
            manager: NotebookExecutionManager,
            kernel_name: str,
            *,
            saved_to: str,
            **options: Any,
        ) -> None:
            # Papermill saves twice a cell, a sixth of its time, lest a dead kernel leave nothing.
            try:
                super().execute_managed_notebook(manager, kernel_name, **options)
            except RuntimeError:
                write_ipynb(manager.nb, saved_to)
                raise

    papermill_engines.register("citectx", _SavedOnce)

    output = str(executed.parent).replace("$", "$$")  # jupyter_client takes them for templates
    with tempfile.TemporaryDirectory(prefix="kernel-") as folder:

        class _ThisPython(AsyncKernelManager):
            kernel_spec = this_python(Path(folder), CITECTX_OUTPUT=output)

        papermill.log.logger.setLevel("ERROR")  # it warns of types that it does not know
        return papermill.execute_notebook(
            notebook,
            # Papermill would fill in what stands between braces.
            re.sub(r"([{}])", r"\1\1", str(executed)),
            parameters,
            kernel_name="python3",
            language="python",
            progress_bar=False,
            request_save_on_cell_execute=False,
            engine_name="citectx",
            saved_to=str(executed),
            resources={"metadata": {"path": str(home)}},
            kernel_manager_class=_ThisPython,
            config=Config(KernelManager=file_sockets(Path(folder, "k"))),
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
    # IPython asks for a home, which a user without a name has not, as in some containers.
    if os.path.expanduser("~") == "~":  # noqa: PTH111 (a Path raises an error)
        environment["HOME"] = str(folder)
    options = [
        f"--ipython-dir={folder}",
        "--log-level=ERROR",
        # Its log would name a folder of this machine.
        "--IPKernelApp.exec_lines=__import__('logging').getLogger('matplotlib').setLevel('ERROR')",
    ]
    command = make_ipkernel_cmd(extra_arguments=options)
    return KernelSpec(argv=command, env=environment, language="python")


def file_sockets(start: Path) -> dict[str, str]:
    """Let a kernel have sockets that are files: a free port may be taken before it is bound.

    >>> file_sockets(Path("k")), file_sockets(Path("k" * 101))
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
    relative = Path(os.path.relpath(path.parent.resolve(), folder.resolve()))
    home = quote(relative.as_posix())  # a blank or a bracket would end a link
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(RELATIVE_LINK, f"]({home}/", cell.source)
    return notebook


def tags_of(cell: Any) -> Sequence[str]:
    """Return the tags of a cell."""
    return cell.metadata.get("tags", ())


def reproducible_text(notebook: Any, number: str, about: Mapping[str, Any]) -> str:
    """Return the text of an executed notebook without what differs from run to run.

    A report says how it was made, below its title.
    """
    import nbformat

    del notebook.metadata["papermill"], notebook.metadata["language_info"]["version"]
    for cell in notebook.cells:
        del cell.metadata["papermill"]
        if "injected-parameters" in cell.metadata["tags"]:
            cell["id"] = "injected-parameters"
            cell.metadata["tags"].append(HIDDEN)
    profile = about["parameters"].get("profile", TEACHING)
    if profile != TEACHING:
        text = (
            "**A report on real data**, not a lesson, made by "
            f"`citectx run --profile {profile} --only {number}` at commit "
            f"`{about['commit'][:8]}`, in {about['seconds']:.0f} seconds. "
            f"What we found comes first.\n\n{first_figure(notebook)}"
        ).rstrip()
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(text, id=BANNER))
    return f"{nbformat.writes(notebook)}\n"


def first_figure(notebook: Any) -> str:
    """Return the figure that a report opens with, as Markdown: its file lies beside the report."""
    shown = [cell for cell in notebook.cells if FIGURE in tags_of(cell)]
    about = [output.get("metadata", {}).get("image/png", {}) for c in shown for output in c.outputs]
    saved = [image for image in about if "filename" in image]
    return "\n\n".join(f"![{image['alt']}]({image['filename']})" for image in saved)


def check_replaceable(folder: Path) -> None:
    """Refuse a folder that no run has written."""
    is_ours = (folder / RUN).is_file() or hidden_beside(folder, "new").exists()
    if folder.exists() and not is_ours:
        raise ParameterError(
            f"{folder} was not written by a run: it has no {RUN}; "
            "move it away, or choose another --out"
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs away from a folder, once what a stopped run left beside it is tidied up."""
    path = hidden_beside(folder, "lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open_locked(path, folder)
    except OSError as error:
        raise ParameterError(
            f"{folder} cannot be written ({error}); choose another --out, or set CITECTX_RESULTS"
        ) from error
    try:
        tidy(folder)
        yield
    finally:
        with suppress(OSError):  # Windows deletes no open file; the next run takes it over
            path.unlink()
        file.close()


def open_locked(path: Path, folder: Path) -> BinaryIO:
    """Open a file that only this process has locked; a ParameterError if another one has.

    The system takes a lock back when its process ends, however it ends. It knows of processes in
    other containers and on other nodes, where the number of a process means nothing.
    """
    is_new = not path.exists()
    file = path.open("ab")  # NFS locks only files that are open for writing
    try:
        lock(file)
    except BlockingIOError as error:
        file.close()
        raise ParameterError(
            f"a run of {folder} is under way; wait for it, or choose another --out"
        ) from error
    except OSError as error:  # no locks on this file system: here the file itself is one
        if not is_new:
            file.close()
            raise ParameterError(
                f"a run of {folder} is under way, or was stopped: this file system has no locks "
                f"to tell ({error}); if none is under way, delete {path}"
            ) from error
    if not is_open_as(path, file):
        # The run before us deleted the file when we had opened it: nobody else would find our lock.
        file.close()
        return open_locked(path, folder)
    return file


def lock(file: BinaryIO) -> None:
    """Lock a file until it is closed; a BlockingIOError if it is locked already."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from error
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_open_as(path: Path, file: BinaryIO) -> bool:
    """Tell whether a path still leads to a file that is open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def tidy(folder: Path) -> None:
    """Tidy up after a stopped run: what it finished takes the place of the folder, the rest goes.

    The folder itself is never moved: where it belongs to an image, a file system may not do that.
    """
    new = hidden_beside(folder, "new")
    if new.exists():
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    shutil.rmtree(hidden_beside(folder, "part"), ignore_errors=True)


def hidden_beside(folder: Path, ending: str) -> Path:
    """Name a hidden file or folder beside a folder.

    >>> hidden_beside(Path("results/toy"), "new").as_posix()
    'results/.toy.new'
    """
    return folder.with_name(f".{folder.name}.{ending}")


def execute_all(jobs: Sequence[tuple[Path, Mapping[str, Any], Path]], processes: int) -> list[str]:
    """Execute notebooks, several at a time; returns the messages of those that failed.

    A job is a notebook, the parameters that it is given, and the folder for what it makes.
    """
    import joblib
    from tqdm import tqdm

    if processes < 1:
        raise ParameterError(f"jobs must be at least 1, not {processes}")
    try:
        pool = joblib.Parallel(processes, return_as="generator_unordered")
        done = pool(joblib.delayed(failure_of)(*job) for job in jobs)
        failures = []
        with tqdm(done, total=len(jobs), unit="notebook") as bar:
            for name, failure in bar:
                bar.set_postfix_str(f"last: {name}")
                failures += [failure] if failure else []
        return sorted(failures)
    finally:
        for *_, folder in jobs:  # processes that were stopped could not tidy up
            with suppress(ParameterError), locked(folder):
                pass


def failure_of(notebook: Path, parameters: Mapping[str, Any], folder: Path) -> tuple[str, str]:
    """Execute a notebook; returns its name and why it failed, or "", so that others go on."""
    try:
        execute(notebook, parameters, folder)
    except (CitectxError, OSError) as error:
        return notebook.stem, str(error)
    return notebook.stem, ""


def raise_if_any(failures: Sequence[str], number: int) -> None:
    """Raise one error that lists the failures among a number of runs."""
    if failures:
        raise CitectxError("\n".join([f"{len(failures)} of {number} runs failed", *failures]))


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
    ``results``. Mistakes stop everything before it begins; a notebook that fails stops no other.
    """
    folder = (out or paths.results_dir()).absolute() / known_profile(profile).name
    planned = []
    for path in reversed(notebooks(only)):  # the last ones take longest
        point, *others = parameter_grid(path, [f"profile={profile}", *param])
        if others:
            raise ParameterError(f"{' '.join(param)}: several values are for `citectx sweep`")
        planned.append((path, point, folder / path.stem))
        check_replaceable(folder / path.stem)
    started = time.perf_counter()
    failures = execute_all(planned, jobs)
    raise_if_any(failures, len(planned))
    print(f"done in {time.perf_counter() - started:.0f} seconds; results are in {folder}")


def sweep(notebook: str, param: Sequence[str], out: Path | None = None, jobs: int = 1) -> None:
    """Execute a notebook for each combination of values, and collect its tables.

    The notebook is a path, or the number or beginning of the name of one of ours. `out` gets a
    folder for each run, and ``collected.csv``; the default is ``results/sweeps/NOTEBOOK``. A
    combination whose folder is there, with the same parameters, is skipped; one that fails stops no
    other, and is not in the table.
    """
    path = Path(notebook).absolute()
    if not path.is_file():
        [path, *_] = notebooks([notebook])
    home = (out or paths.results_dir() / "sweeps" / path.stem).absolute()
    planned = {home / folder_name(point): point for point in parameter_grid(path, param)}
    new = [(path, point, folder) for folder, point in planned.items() if not is_done(folder)]
    failures = execute_all(new, jobs)
    done = {folder: point for folder, point in planned.items() if is_done(folder)}
    collected = home / "collected.csv"
    write_atomically(collected, to_csv(collect(done)))
    print(f"{len(new)} of {len(planned)} runs were new; tables are in {collected}")
    raise_if_any(failures, len(planned))


def is_done(folder: Path) -> bool:
    """Tell whether a folder of a sweep holds a run with the parameters that its name stands for."""
    return folder_name(read_json(folder / RUN).get("parameters")) == folder.name


def cmd_lessons(folder: Path, force: bool) -> None:
    """Copy the lessons, with the solutions of their exercises, into a folder; replace none."""
    sources = [*notebooks(), *sorted(paths.NOTEBOOKS.glob("solutions/*.py"))]
    copies = {path: folder / path.relative_to(paths.NOTEBOOKS) for path in sources}
    for copy in copies.values():
        check_output(copy, inputs=[paths.NOTEBOOKS], force=force)
    for path, copy in copies.items():
        write_atomically(copy, path.read_bytes())
    print(f"{len(notebooks())} lessons are in {folder}; begin with {notebooks()[0].name}")


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
