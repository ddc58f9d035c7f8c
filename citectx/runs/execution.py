"""One notebook brought up to date: nothing done, its text replaced, or all of it executed.

Its outputs depend on its code, its parameters, the libraries, and what it has imported and read
(`citectx.runs.inputs`). Everything it makes lies in one folder, which appears whole or not at all
(`citectx.runs.folders`).
"""

import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from citectx.errors import DataError
from citectx.experiments.results import RUN
from citectx.runs import folders, inputs, kernel
from citectx.storage import clear_parts, commit, read_object, write_atomically, write_json

TEXT = "text"
"""The part of a state that no output depends on, see `citectx.runs.inputs.cells_of`."""


@dataclass(frozen=True)
class Job:
    """One notebook, its parameters, and the folder that gets all that it makes."""

    notebook: Path
    parameters: Mapping[str, Any]
    folder: Path

    @property
    def failed(self) -> Path:
        """Where the notebook goes, as far as it was executed, if a cell fails."""
        return self.folder.with_name(f"{self.folder.name}.failed.ipynb")

    def state(self, **found: Mapping[str, str]) -> dict[str, Any]:
        """Return all that the outputs depend on, with the modules and inputs that were found."""
        own = {**inputs.cells_of(self.notebook), "parameters": dict(self.parameters)}
        return own | inputs.surroundings() | found

    def check(self) -> None:
        """Refuse to replace anything that no run has written.

        Raises
        ------
        ParameterError
            Naming it, and what to do.
        """
        folders.check(self.folder)
        kernel.check_failed(self.failed)

    def changed(self) -> set[str]:
        """Name what differs from the last finished run: parts of its state, or its "outputs".

        Nothing does where the outputs are up to date; only `TEXT` where no code needs to be
        executed.
        """
        about = folders.about(self.folder)
        if not about:
            return {"outputs"}
        before = about["state"]
        now = self.state(modules=inputs.modules(before["modules"]))
        differ = {name for name in now if now[name] != before.get(name)}
        if not inputs.unchanged(before["inputs"]):
            differ.add("inputs")
        whole = folders.outputs(self.folder) == about["outputs"]
        return differ if whole else {*differ, "outputs"}


class Outcome(NamedTuple):
    """What became of a job.

    Parameters
    ----------
    job : Job
    seconds : float
        0 where nothing was executed.
    error : str
        Why it failed, and where its notebook is; "" if it did not.
    new_text : bool
        Whether its text was replaced.
    """

    job: Job
    seconds: float
    error: str = ""
    new_text: bool = False

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.job.folder.name

    def __str__(self) -> str:
        done = f"{self.seconds:6.1f} s" if self.seconds else "up to date"
        if self.new_text:
            done = "text replaced, nothing executed"
        return f"{self.name:40} {'FAILED' if self.error else done}"


def restore(job: Job) -> None:
    """Mend what a killed run has left; only who holds the lock of all results may do so."""
    folders.restore(job.folder)
    clear_parts(job.failed)


def perform(job: Job, *, force: bool = False) -> Outcome:
    """Execute a notebook unless its outputs are up to date, or its text is all that has changed.

    Raises
    ------
    NotebookError
        If a cell fails; the outputs of before stay, and `Job.failed` is written.
    ParameterError
        If the folder holds files that no run has written, or its failed notebook was changed.
    """
    job.check()
    job.failed.unlink(missing_ok=True)
    changed = {"all"} if force else job.changed()
    if changed == {TEXT} and not _has_outputs(job):
        changed = {"outputs"}
    if not changed:
        return Outcome(job, 0.0)
    part, started = folders.begin(job.folder), time.perf_counter()
    make = _with_new_text if changed == {TEXT} else _executed
    try:
        notebook, about = make(job, part)
        content = kernel.written(notebook).replace(str(part).encode(), str(job.folder).encode())
        write_atomically(part / job.notebook.name, content)
        seconds = 0.0 if changed == {TEXT} else time.perf_counter() - started
        about = {"wall_time_s": round(seconds, 1), **about, "outputs": folders.outputs(part)}
        write_json(part / RUN, dict(sorted(about.items())))
        folders.take_place(part, job.folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Outcome(job, seconds, new_text=changed == {TEXT})


def _executed(job: Job, part: Path) -> tuple[Any, dict[str, Any]]:
    """Execute a notebook that writes to a new folder; returns it with what it depends on."""
    notebook = kernel.with_parameters(job.notebook, job.parameters)
    report = part / "report.json"
    kernel.execute(notebook, job.notebook, part, report, job.failed)
    state = job.state(**read_object(report))
    report.unlink()
    tables = read_object(part / RUN).get("tables", {})
    return notebook, {"commit": commit(), "state": state, "tables": tables}


def _has_outputs(job: Job) -> bool:
    """Return whether the executed notebook has the code whose outputs a new text would get."""
    with suppress(DataError):
        before = kernel.read(job.folder / job.notebook.name)
        now = kernel.with_parameters(job.notebook, job.parameters)
        codes = [[cell["source"] for cell in kernel.code_cells(each)] for each in (before, now)]
        return codes[0] == codes[1] and "language_info" in before.metadata
    return False


def _with_new_text(job: Job, part: Path) -> tuple[Any, dict[str, Any]]:
    """Copy the outputs; returns the notebook with new text and its outputs of before."""
    about = folders.about(job.folder)
    for name in about["outputs"]:
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(part / name, (job.folder / name).read_bytes())
    before = kernel.read(job.folder / job.notebook.name)
    notebook = kernel.with_parameters(job.notebook, job.parameters)
    about["state"][TEXT] = inputs.cells_of(job.notebook)[TEXT]
    return kernel.with_outputs(notebook, before), about
