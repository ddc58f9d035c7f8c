"""One notebook executed so that its outputs are whole: staged first, then moved together with a
stamp.

A `Task` is current if its stamp names the same state (notebook, parameters, code, libraries, data,
tables it may read) and every output is as it was left. If only the notebook's text has changed,
that is replaced, and nothing is executed. While a notebook runs, ``CITECTX_RESULTS`` names a
staging folder with copies of the tables it may read. A run that fails or is killed changes none of
the tables of before, and `recover` finishes one that was killed among the last moves.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import nbformat

from citectx.errors import CitectxError, DataError
from citectx.runs.inputs import cells_of
from citectx.show.lessons import STATIC
from citectx.storage import (
    OURS,
    commit,
    read_object,
    sha256,
    update_json,
    write_atomically,
    write_json,
)

_STYLER, _ADDRESS = re.compile(r"\bT_[0-9a-f]{5}(?=[_\"\s.])"), re.compile(r" at 0x[0-9a-f]{6,}\b")
STAGING, READY, PROVENANCE = ".staging", ".ready.json", "provenance.json"
TEXT = "text"
"""The part of a state that no output depends on, see `citectx.runs.inputs.cells_of`."""


class NotebookError(CitectxError):
    """A notebook stopped with an error; the message names notebook, cell and cause."""


@dataclass(frozen=True)
class Task:
    """One notebook, its parameters, and where its outputs go.

    Parameters
    ----------
    notebook : Path
    parameters : mapping
    home : Path
        The folder of ours that gets everything.
    output, stamp : str
        Places of the executed notebook and of the stamp, below `home`.
    profile_folder : str
        What `home` is below ``CITECTX_RESULTS``: the profile's name, or "." where it is the same.
    after : tuple of str
        Stamps, below `home`, of tasks whose tables this one may read.
    inputs : mapping
        What results depend on besides notebook and parameters, see `citectx.runs.inputs`.
    """

    notebook: Path
    parameters: Mapping[str, Any]
    home: Path
    output: str
    stamp: str
    profile_folder: str = "."
    after: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def state(self) -> dict[str, Any]:
        """Return all that the outputs depend on."""
        reads = {name: sha256(self.home / name) for name in self.readable()}
        state = {**cells_of(self.notebook), "parameters": dict(self.parameters), **self.inputs}
        return json.loads(json.dumps(state | {"reads": reads}))  # type: ignore[no-any-return]

    def readable(self) -> list[str]:
        """Tables that the notebook may read: those of the tasks before it.

        If one of these has no stamp, those that no stamp names as well: results may have come
        without stamps. All others are left out, so that the outputs do not depend on what happens
        to have run.
        """
        claimed = _claimed(self.home)
        there = {p.name for kind in ("csv", "csv.gz") for p in self.home.glob(f"*.{kind}")}
        own = [claimed.get(name, set()) for name in self.after]
        unclaimed = there.difference(*claimed.values()) if not all(own) else set()
        return sorted(there & set().union(*own, unclaimed))

    def changed(self) -> set[str]:
        """Name what differs from the last finished run: parts of its state, or its "outputs".

        Nothing does where the outputs are up to date; only `TEXT` where no code needs to be
        executed.
        """
        stamp, state = _stamp(self.home / self.stamp), self.state()
        before = stamp["state"] if isinstance(stamp["state"], dict) else {}
        differ = {
            name for name in before.keys() | state.keys() if before.get(name) != state.get(name)
        }
        files = ((self.home / name, known) for name, known in stamp["outputs"].items())
        whole = all(p.is_file() and sha256(p) == known for p, known in files)
        noted = ((self.home / name, set(keys)) for name, keys in stamp["provenance"].items())
        listed = all(keys <= read_object(path).keys() for path, keys in noted)
        return (
            differ if self.output in stamp["outputs"] and whole and listed else {*differ, "outputs"}
        )


class Run(NamedTuple):
    """What became of one task.

    Parameters
    ----------
    name : str
    task : Task
    seconds : float
        0 where an earlier run's outputs were still good.
    error : str
        Why it failed, and where its notebook is; "" if it did not.
    new_text : bool
        Whether its text was replaced and nothing executed.
    """

    name: str
    task: Task
    seconds: float
    error: str = ""
    new_text: bool = False

    def __str__(self) -> str:
        done = f"{self.seconds:6.1f} s" if self.seconds else "up to date"
        if self.new_text:
            done = "text replaced, nothing executed"
        return f"{self.name:40} {'FAILED' if self.error else done}"


def perform(task: Task, *, force: bool = False) -> Run:
    """Execute a notebook unless its outputs are current, or its text is all that has changed.

    Raises
    ------
    NotebookError
        If a cell fails; the outputs of before stay, and ``<name>.failed.ipynb`` lies beside the
        place of the executed notebook.
    DataError
        If the provenance is damaged.
    """
    changed = {"all"} if force else task.changed()
    if changed <= {TEXT}:
        if changed:
            _replace_text(task)
        return Run(task.notebook.stem, task, 0.0, new_text=bool(changed))
    started = time.perf_counter()
    old, state = _stamp(task.home / task.stamp)["outputs"], task.state()
    _write(task.home / task.stamp, {"state": None, "outputs": old, "provenance": {}})
    stage = task.home / STAGING / f"{task.notebook.stem}-{uuid4().hex}"
    image = stage / task.profile_folder
    image.mkdir(parents=True)
    for name in state["reads"]:
        shutil.copyfile(task.home / name, image / name)
    failed = (task.home / task.output).with_suffix(".failed.ipynb")
    try:
        (image / task.output).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(image / task.output, _executed(task, stage, failed))
        seconds = time.perf_counter() - started
        entry = {"commit": commit(), "wall_time_s": round(seconds, 1)}
        update_json(image / PROVENANCE, {entry_of(task.notebook.stem): entry})
        _make_ready(task, stage, image, state)
        _finish(stage)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    failed.unlink(missing_ok=True)
    return Run(task.notebook.stem, task, seconds)


def recover(home: Path) -> None:
    """Finish moves that a kill has cut short, and clear what other killed runs have left."""
    for stage in sorted((home / STAGING).glob("*")):
        with suppress(DataError, ValueError):  # what is damaged is thrown away, and runs again
            _finish(stage)
        shutil.rmtree(stage, ignore_errors=True)
    for part in sorted(home.rglob(f".*.{'[0-9a-f]' * 32}.part")):
        part.unlink(missing_ok=True)


def _claimed(home: Path) -> dict[str, set[str]]:
    """Return the outputs of each stamp."""
    stamps = {path.relative_to(home).as_posix(): path for path in home.glob(".stamps/*.json")}
    return {name: {*_stamp(path)["outputs"]} for name, path in stamps.items()}


def _stamp(path: Path) -> dict[str, Any]:
    """Read a stamp; one that is damaged, or names places outside the folder, counts as missing."""
    empty: dict[str, Any] = {"state": None, "outputs": {}, "provenance": {}}
    found = empty | _read(path)
    return found if _is_stamp(found) else empty


def _read(path: Path) -> dict[str, Any]:
    """Read a JSON object; what is none counts as missing."""
    try:
        return read_object(path)
    except (DataError, OSError):
        return {}


def _is_stamp(found: Any) -> bool:
    """Whether something has the form of a stamp, and all places that it names lie below the
    folder.
    """
    if not isinstance(found, dict) or found.keys() != {"state", "outputs", "provenance"}:
        return False
    outputs, noted = found["outputs"], found["provenance"]
    if not (isinstance(outputs, dict) and isinstance(noted, dict)):
        return False
    keys_listed = all(
        isinstance(keys, list) and all(isinstance(k, str) for k in keys) for keys in noted.values()
    )
    return keys_listed and all(_is_below(name) for name in (*outputs, *noted))


def _is_below(name: Any) -> bool:
    """Whether this is the name of a file below whatever folder it is joined to."""
    if not isinstance(name, str) or "\0" in name:
        return False
    path = Path(name)
    return bool(path.name) and not path.is_absolute() and ".." not in path.parts


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, content)


def entry_of(name: str) -> str:
    """Key of a notebook in the provenance."""
    return f"notebook {name}"


def _make_ready(task: Task, stage: Path, image: Path, state: dict[str, Any]) -> None:
    """Write the marker after which the outputs of this run are the ones that count."""
    files = [p for p in sorted(stage.rglob("*")) if p.is_file()]
    if outside := [p for p in files if not p.is_relative_to(image)]:
        where = outside[0].relative_to(stage)
        raise NotebookError(
            f"{task.notebook.name} wrote {where}, outside the folder of its profile"
        )
    named = [(p.relative_to(image).as_posix(), p) for p in files if p.name != OURS]
    hashed = {name: sha256(path) for name, path in named if path.name != PROVENANCE}
    outputs = {name: known for name, known in hashed.items() if state["reads"].get(name) != known}
    noted = {name: sorted(read_object(path)) for name, path in named if path.name == PROVENANCE}
    stamp = {"state": state, "outputs": outputs, "provenance": noted}
    write_json(stage / READY, {"image": task.profile_folder, "stamp": task.stamp, "content": stamp})


def _finish(stage: Path) -> None:
    """Move what a staging folder holds, if it is ready; doing it twice, or the rest of it, is the
    same.

    A marker that is damaged, or names places outside the results folder, marks nothing.
    """
    ready = _read(stage / READY)
    whole = _is_stamp(ready.get("content")) and _is_below(ready.get("stamp"))
    if not whole or not (ready.get("image") == "." or _is_below(ready.get("image"))):
        return
    home, image, stamp = stage.parents[1], stage / ready["image"], ready["content"]
    old = _stamp(home / ready["stamp"])["outputs"]
    both = {"state": None, "outputs": old | stamp["outputs"], "provenance": {}}
    _write(home / ready["stamp"], both)  # before the moves: nobody else reads them as unclaimed
    for name in stamp["provenance"]:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        update_json(home / name, read_object(image / name))
    for name in stamp["outputs"]:
        if (image / name).is_file():  # else it was moved before the kill
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (image / name).replace(home / name)
    _write(home / ready["stamp"], stamp)
    for name in sorted(old.keys() - set().union(*_claimed(home).values(), stamp["outputs"])):
        (home / name).unlink(missing_ok=True)


def _executed(task: Task, stage: Path, failed: Path) -> bytes:
    """Execute the notebook with its parameters; returns it with its outputs, without traces of this
    run.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from traitlets.config import Config

    notebook = _with_parameters(task)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # each kernel would warn of local sockets
        coalesce_streams=True,  # a line and its end may come one by one
        resources={"metadata": {"path": str(task.notebook.parent)}},
        # Seconds: a kernel that ignores the request to shut down is stopped then.
        config=Config({"KernelManager": {"shutdown_wait_time": 2}}),
    )
    try:
        client.execute(env=_environment(stage))
    except CellExecutionError as error:
        failed.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(failed, nbformat.writes(notebook))
        cells = (
            c for c in notebook.cells if any(o.output_type == "error" for o in c.get("outputs", ()))
        )
        cell = next(cells, {"execution_count": "?", "source": "(no output)"})
        raise NotebookError(
            f"{task.notebook.name}, cell In [{cell['execution_count']}]: {error.ename}: {error.evalue}\n"
            f"the cell: {cell['source'].strip()}\nexecuted so far: {failed}"
        ) from error
    results = task.home if task.profile_folder == "." else task.home.parent
    return _written(notebook).replace(str(stage).encode(), str(results).encode())


def _replace_text(task: Task) -> None:
    """Write the executed notebook as executing it now would, but for its outputs, which are those
    of before.

    Its stamp comes second: killed between the two, the notebook counts as changed and is executed.
    """
    state, stamp = task.state(), _stamp(task.home / task.stamp)
    place = task.home / task.output
    before, notebook = nbformat.read(place, as_version=4), _with_parameters(task)
    for old, new in zip(_code_cells(before), _code_cells(notebook), strict=True):
        new["outputs"], new["execution_count"] = old["outputs"], old["execution_count"]
    notebook.metadata["language_info"] = before.metadata["language_info"]  # the kernel's own
    write_atomically(place, _written(notebook))
    outputs = stamp["outputs"] | {task.output: sha256(place)}
    _write(task.home / task.stamp, stamp | {"state": state, "outputs": outputs})


def _with_parameters(task: Task) -> Any:
    """Read a notebook as papermill does, and put in the cell with its parameters."""
    import papermill.iorw
    from papermill.parameterize import parameterize_notebook

    notebook = papermill.iorw.load_notebook_node(str(task.notebook))
    language = {"kernel_name": "python3", "language": "python"}
    return parameterize_notebook(notebook, dict(task.parameters), **language)


def _code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _written(notebook: Any) -> bytes:
    text: str = nbformat.writes(_without_run_traces(notebook))
    return text.encode() + b"\n"


def _environment(stage: Path) -> dict[str, str]:
    """Return the kernel's environment: no widgets, sums in one order, tables to the staging folder.

    Arrays of up to 256 MB are taken from memory that the kernel has kept: asking the system for new
    pages each time took a sixth of the time of training.
    """
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    kept = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(1 << 28))
    return one_thread | kept | os.environ | {STATIC: "1", "CITECTX_RESULTS": str(stage)}


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
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for kind in [kind for kind in data if kind.startswith("text/")]:
                data[kind] = _steady(data[kind])
    return notebook


def _steady(shown: str) -> str:
    """Replace what Python and pandas draw anew each time: addresses, and the ids of styled
    tables.
    """
    ids = list(dict.fromkeys(_STYLER.findall(shown)))
    steady = _STYLER.sub(lambda match: f"T_{ids.index(match[0]):05x}", shown)
    return _ADDRESS.sub(" at 0x0", steady)
