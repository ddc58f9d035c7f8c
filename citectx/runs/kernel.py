"""A notebook in a kernel: given its parameters, executed, and written without traces of the run."""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell

from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.results import params_json
from citectx.reading import read_text
from citectx.show.lessons import STATIC
from citectx.storage import read_object, sha, write_atomically

AS_LEFT = "citectx_as_left"
"""Key in the metadata of a notebook that has failed: the hash of its cells."""

_STYLER = re.compile(r"\bT_[0-9a-f]{5}(?=[_\"\s.])")
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}\b")


class NotebookError(CitectxError):
    """A notebook stopped with an error; the message names notebook, cell and cause."""


def read(path: Path) -> Any:
    """Read a notebook that has cells, and all that its format asks for.

    Raises
    ------
    DataError
        If it is none.
    """
    try:
        notebook = nbformat.reads(read_text(path), as_version=4)
        nbformat.validate(notebook)
        notebook.cells[0]
    except Exception as error:  # nbformat raises a dozen kinds for what is no notebook
        raise DataError(f"is not a notebook ({type(error).__name__})", file=path) from error
    return notebook


def with_parameters(path: Path, parameters: Mapping[str, Any]) -> Any:
    """Read a notebook as papermill does, and put in the cell with its parameters."""
    import papermill.iorw
    from papermill.parameterize import parameterize_notebook

    notebook = papermill.iorw.load_notebook_node(str(path))
    language = {"kernel_name": "python3", "language": "python"}
    return parameterize_notebook(notebook, dict(parameters), **language)


def execute(notebook: Any, path: Path, part: Path, report: Path, failed: Path) -> None:
    """Execute a notebook in place; its kernel reports at the end what it has read.

    Parameters
    ----------
    notebook : NotebookNode
        With its parameters.
    path : Path
        Where it was read; kernels work in its folder.
    part : Path
        Where its cells write.
    report : Path
        Gets what `citectx.runs.inputs.report` writes.
    failed : Path
        Gets the notebook as far as it was executed, if a cell fails.

    Raises
    ------
    NotebookError
        If a cell fails.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    from citectx.runs.forked import manager

    last = "from pathlib import Path\nfrom citectx.runs.inputs import report\n"
    notebook.cells.append(new_code_cell(f"{last}report(Path({str(report)!r}))"))
    try:
        with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
            client = NotebookClient(
                notebook,
                kernel_name="python3",
                extra_arguments=["--log-level=ERROR"],  # each kernel would warn of local sockets
                coalesce_streams=True,  # a line and its end may come one by one
                resources={"metadata": {"path": str(path.parent)}},
                config=_manager(sockets),
                kernel_manager_class=manager(),
            )
            own = {"CITECTX_OUTPUT": str(part)}
            client.execute(env=environment() | own)
    except CellExecutionError as error:
        notebook.cells.pop()
        place = kept(notebook, failed)
        raise NotebookError(_message(notebook, path, place, error)) from error
    notebook.cells.pop()


def kept(notebook: Any, failed: Path) -> str:
    """Keep a notebook as far as it was executed; say where it is, or why it is not."""
    notebook.metadata[AS_LEFT] = _mark(json.loads(nbformat.writes(notebook)))
    try:
        write_atomically(failed, nbformat.writes(notebook))
    except OSError as error:
        return f"not kept, {error}"
    return str(failed)


def check_failed(failed: Path) -> None:
    """Refuse to go on where somebody has begun to mend what a failed run has left.

    Raises
    ------
    ParameterError
        Naming the notebook, and what to do.
    """
    if failed.exists() and not _is_as_left(failed):
        raise ParameterError(f"{failed} is not as a run has left it: move it away, or delete it")


def _is_as_left(failed: Path) -> bool:
    with suppress(ValueError, TypeError, OSError):  # whatever it has become
        content = read_object(failed)
        return dict(content.get("metadata", {})).get(AS_LEFT) == _mark(content)
    return False


def _mark(notebook: Mapping[str, Any]) -> str:
    """Hash the cells of a notebook: Jupyter adds to the rest of one that is only looked at."""
    return sha(params_json({"cells": notebook.get("cells")}).encode())


def _manager(sockets: str) -> Any:
    """Configure how a kernel is reached and stopped.

    Through files, where there are such sockets: a free port may be another kernel's when it is
    bound. A kernel that ignores the request to shut down is stopped after two seconds.
    """
    from traitlets.config import Config

    local = {"transport": "ipc", "ip": f"{sockets}/k"} if os.name == "posix" else {}
    return Config({"KernelManager": {"shutdown_wait_time": 2, **local}})


def environment() -> dict[str, str]:
    """Return the environment of kernels: no widgets, sums in one order.

    Arrays of up to 256 MB are taken from memory that the kernel has kept: asking the system for new
    pages each time took a sixth of the time of training.
    """
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    memory = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(1 << 28))
    return one_thread | memory | os.environ | {STATIC: "1"}


def _message(notebook: Any, path: Path, kept: str, error: Any) -> str:
    for cell in code_cells(notebook):
        if any(output.output_type == "error" for output in cell.get("outputs", ())):
            break
    else:  # the kernel died without a word
        cell = {"execution_count": "?", "source": "(no output)"}
    return (
        f"{path.name}, cell In [{cell['execution_count']}]: {error.ename}: {error.evalue}\n"
        f"the cell: {cell['source'].strip()}\nexecuted so far: {kept}"
    )


def with_outputs(notebook: Any, before: Any) -> Any:
    """Give a notebook the outputs of an earlier execution of the same code."""
    for old, new in zip(code_cells(before), code_cells(notebook), strict=True):
        new["outputs"], new["execution_count"] = old["outputs"], old["execution_count"]
    notebook.metadata["language_info"] = before.metadata["language_info"]  # the kernel's own
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    """Return the cells with code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def written(notebook: Any) -> bytes:
    """Return a notebook as it is kept: without times, paths and names of this run."""
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
            data.update({kind: steady(data[kind]) for kind in data if kind.startswith("text/")})
    text: str = nbformat.writes(notebook)
    return text.encode() + b"\n"


def steady(shown: str) -> str:
    """Replace what is drawn anew each time: addresses of objects, and the ids of styled tables."""
    ids = list(dict.fromkeys(_STYLER.findall(shown)))
    named = _STYLER.sub(lambda match: f"T_{ids.index(match[0]):05x}", shown)
    return _ADDRESS.sub(" at 0x0", named)
