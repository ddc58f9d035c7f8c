"""Execute the notebooks in order through papermill: strict parameters, progress, resume, provenance."""

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from tqdm import tqdm

from citectx.errors import CitectxError, MissingDataError, ParameterError, unknown
from citectx.experiments.tables import commit, update_json, write_atomically
from citectx.lessons import STATIC
from citectx.paths import DATA, NOTEBOOKS
from citectx.profiles import Profile


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

    Returns
    -------
    list of Outcome

    Raises
    ------
    ParameterError
        Before anything runs, if a notebook lacks one of the parameters.
    NotebookError
        If a cell fails. Notebooks finished before it keep their outputs; the failed one is left as
        ``<name>.failed.ipynb``.
    """
    paths = notebooks(only, folder)
    given = {**(parameters or {}), "profile": profile.name}
    for path in paths:
        check_parameters(path, given)
    outcomes = []
    code = code_digest()
    with tqdm(paths, desc=f"profile {profile.name}", unit="notebook") as bar:
        for path in bar:
            bar.set_postfix_str(path.stem)
            outcomes.append(_run_one(path, profile, given, code, force))
    return outcomes


def _run_one(path: Path, profile: Profile, given: dict[str, Any], code: str, force: bool) -> Outcome:
    folder = profile.results / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    output, stamp = folder / path.name, profile.results / ".stamps" / f"{path.stem}.json"
    state = {"notebook": _sha(path.read_bytes()), "parameters": given, "code": code}
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
    os.environ[STATIC] = "1"  # the kernel inherits it
    # papermill saves after each cell: it works under the name of a failed run until it has finished.
    try:
        papermill.execute_notebook(
            str(path),
            str(failed),
            dict(given),
            cwd=str(path.parent),
            kernel_name="python3",
            progress_bar=False,
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
    update_json(profile.results / "provenance.json", {f"notebook {name}": entry})


def code_digest() -> str:
    """Hash of the package and of what the embedded data and the registry hold."""
    package = Path(__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.yaml"), *(p for p in DATA.rglob("*") if p.is_file())]
    return _sha(b"".join(_sha(p.read_bytes()).encode() for p in sorted(files)))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
