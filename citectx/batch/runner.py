"""Execute the notebooks in order through papermill: strict parameters, progress, resume, provenance."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from tqdm import tqdm

from citectx.code import code_digest
from citectx.errors import CitectxError, MissingDataError, ParameterError, unknown
from citectx.paths import NOTEBOOKS
from citectx.profiles import Profile
from citectx.show.lessons import STATIC
from citectx.storage import commit, sha, update_json, write_atomically


class NotebookError(CitectxError):
    """A notebook stopped with an error; the message names notebook, cell and cause."""


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook.

    Parameters
    ----------
    name : str
    output : Path
        The executed notebook.
    seconds : float
        0 where an earlier run's output was still good.
    """

    name: str
    output: Path
    seconds: float


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


def declared_parameters(path: Path) -> dict[str, str]:
    """Read the names and defaults in a notebook's cell tagged ``parameters``."""
    import papermill

    inspected = papermill.inspect_notebook(str(path))
    return {name: str(entry["default"]) for name, entry in inspected.items()}


def check_parameters(path: Path, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that the notebook does not declare; papermill itself would only log them.

    Raises
    ------
    ParameterError
        Naming the notebook, the unknown parameters and the known ones.
    """
    known = declared_parameters(path)
    wrong = sorted(set(parameters) - set(known))
    if wrong:
        raise ParameterError(f"{path.name} has no parameter {', '.join(wrong)}; it has {', '.join(known)}")


def run(
    profile: Profile,
    only: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    *,
    folder: Path = NOTEBOOKS,
    force: bool = False,
    jobs: int = 1,
) -> list[Outcome]:
    """Execute notebooks under a profile, in order.

    A notebook whose source, parameters, code and data registry are those of its last finished run is passed
    over, so that an interrupted run goes on where it stopped.

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
        So many at a time, each with a kernel of its own; the outputs do not depend on it. A notebook waits
        for those that its metadata name under ``citectx``, ``after``, because it judges their results, too,
        or can use what they have computed.

    Returns
    -------
    list of Outcome

    Raises
    ------
    ParameterError
        Before anything runs, if a notebook lacks one of the parameters, or `jobs` is below 1.
    NotebookError
        If a cell fails. Notebooks finished before it keep their outputs, those running beside it finish, no
        other begins; the failed one is left as ``<name>.failed.ipynb``.
    """
    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    paths = notebooks(only, folder)
    given = {**(parameters or {}), "profile": profile.name}
    for path in paths:
        check_parameters(path, given)
    code, needs = code_digest(), {path.stem: _after(path) for path in paths}
    waiting = {path.stem: path for path in (paths if jobs == 1 else _longest_first(paths, profile))}
    outcomes: dict[str, Outcome] = {}
    running: dict[Future[Outcome], str] = {}
    failures: list[BaseException] = []
    with (
        tqdm(desc=f"profile {profile.name}", total=len(paths), unit="notebook") as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):
        while running or (waiting and not failures):
            unfinished = {*waiting, *running.values()}
            ready = [] if failures else [name for name in waiting if unfinished.isdisjoint(needs[name])]
            for name in ready[: jobs - len(running)]:
                running[pool.submit(_run_one, waiting.pop(name), profile, given, code, force)] = name
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                if error := future.exception():
                    failures.append(error)
                else:
                    outcomes[name] = future.result()
                bar.update()
    if failures:
        raise failures[0]
    return [outcomes[path.stem] for path in paths]


def _longest_first(paths: Sequence[Path], profile: Profile) -> list[Path]:
    """Order notebooks by what they took last time, so that no long one is left for the end."""
    path = profile.results / "provenance.json"
    entries = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return sorted(paths, key=lambda p: -entries.get(_entry(p.stem), {}).get("wall_time_s", 0.0))


def _entry(name: str) -> str:
    """Key of a notebook in the provenance."""
    return f"notebook {name}"


def _after(path: Path) -> set[str]:
    """Names of notebooks that have to run before this one, all of which stand before it in reading order."""
    named = nbformat.read(path, as_version=4).metadata.get("citectx", {}).get("after", [])
    return {name for name in named if name < path.stem}


def _run_one(path: Path, profile: Profile, given: dict[str, Any], code: str, force: bool) -> Outcome:
    folder = profile.results / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    output, stamp = folder / path.name, profile.results / ".stamps" / f"{path.stem}.json"
    state = {"notebook": sha(path.read_bytes()), "parameters": given, "code": code}
    if not force and output.exists() and stamp.exists() and json.loads(stamp.read_text("utf-8")) == state:
        return Outcome(path.stem, output, 0.0)
    started = time.perf_counter()
    write_atomically(output, execute(path, folder, given))
    seconds = time.perf_counter() - started
    _note(profile, path.stem, seconds)
    stamp.parent.mkdir(exist_ok=True)
    write_atomically(stamp, json.dumps(state).encode())
    return Outcome(path.stem, output, seconds)


def execute(path: Path, folder: Path, given: dict[str, Any]) -> bytes:
    """Execute one notebook, and give it with its outputs but without traces of this run.

    Parameters
    ----------
    path : Path
    folder : Path
        Where ``<name>.failed.ipynb`` is left if a cell fails.
    given : dict
        Its parameters.

    Raises
    ------
    NotebookError
        If a cell fails.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    failed = folder / f"{path.stem}.failed.ipynb"
    os.environ[STATIC] = "1"  # the kernel inherits it, and
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # adds up in one order, in nobody's way
        os.environ.setdefault(name, "1")
    # papermill saves after each cell: it works under the name of a failed run until it has finished.
    try:
        papermill.execute_notebook(
            str(path),
            str(failed),
            dict(given),
            cwd=str(path.parent),
            kernel_name="python3",
            progress_bar=False,
            extra_arguments=["--log-level=ERROR"],  # each kernel would warn of local sockets
        )
    except PapermillExecutionError as error:
        raise NotebookError(
            f"{path.name}, cell In [{error.exec_count}]: {error.ename}: {error.evalue}\n"
            f"the cell: {error.source.strip()}\nexecuted so far: {failed}"
        ) from error
    except BaseException:
        failed.unlink(missing_ok=True)
        raise
    notebook = nbformat.read(failed, as_version=4)
    failed.unlink()
    text: str = nbformat.writes(_without_run_traces(notebook))
    return text.encode() + b"\n"


def _without_run_traces(notebook: Any) -> Any:
    """Drop times, paths and names of this run: the same run gives the same bytes on any machine."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", []) and "id" in cell:
            cell["id"] = "injected-parameters"  # papermill draws it anew each time
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
    return notebook


def _note(profile: Profile, name: str, seconds: float) -> None:
    entry = {"commit": commit(), "wall_time_s": round(seconds, 1)}
    update_json(profile.results / "provenance.json", {_entry(name): entry})
