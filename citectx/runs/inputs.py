"""What the outputs of a notebook depend on: its code, parameters, libraries, and what it has read.

Nothing is listed by hand. When a notebook has been executed, its kernel reports the modules that
were imported and the files that were read (`citectx.reading`), each with its state. They are kept
in ``run.json``; as long as all of them are what they were, the outputs are up to date.
"""

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from citectx import cache as kept
from citectx import code, reading, storage
from citectx.experiments.results import params_json
from citectx.paths import ROOT, data_dir
from citectx.storage import is_followed, read_object, sha, state_of, write_json

MANY = 100
"""Where more files of one folder were read, all that lies there is one input."""

LIBRARIES = (*kept.LIBRARIES, "matplotlib", "papermill", "rouge-score", "seaborn")

FLAGS = ("CITECTX_CORPUS_LIKE",)
"""Environment variables that change results."""


def report(file: Path, names: Iterable[str] | None = None) -> None:
    """Write what this process has imported and read, each with its state.

    Parameters
    ----------
    file : Path
    names : iterable of str, optional
        What was read; by default all that `citectx.reading` has noted.
    """
    own = os.environ.get("CITECTX_OUTPUT", "?")
    noted = reading.noted() if names is None else names
    read = [name for name in noted if not name.startswith(own)]
    used = [name for name in reading.modules() if not name.startswith(__package__)]
    found = {"modules": modules(used), "inputs": states(summed_up(map(portable, read)))}
    write_json(file, found)


def surroundings() -> dict[str, Any]:
    """Return what every notebook depends on: libraries, and flags in the environment."""
    flags = {name: os.environ.get(name, "") for name in FLAGS}
    return {"flags": flags, "libraries": libraries()}


def cells_of(notebook: Path) -> dict[str, str]:
    """Hash the code cells of a notebook, and apart from them all of it; outputs do not count."""
    content = read_object(notebook)
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        cell["outputs"], cell["execution_count"] = [], None
    hashed = {"cells": {"code": cells}, "text": content}
    return {name: sha(params_json(part).encode()) for name, part in hashed.items()}


def modules(names: Iterable[str]) -> dict[str, str]:
    """Hash the code of modules; "missing" for one that is gone."""
    files = code.files()
    return {n: code.module_digest(files[n]) if n in files else "missing" for n in sorted(names)}


def states(names: Iterable[str]) -> dict[str, str]:
    """Return what inputs, named as `portable` names them, are now."""
    return {name: state_of(_absolute(name)) for name in sorted(names)}


def unchanged(states: Mapping[str, str]) -> bool:
    """Return whether inputs are what they were; a name that is not as we write it has changed."""
    places = {name: _absolute(name) for name in states}
    written = all(portable(place) == name for name, place in places.items())
    return written and storage.unchanged((places[name], state) for name, state in states.items())


def portable(name: str) -> str:
    """Name a file so that it is found on another machine, if it is ours or was downloaded.

    >>> portable(str(ROOT / "data" / "some.txt"))
    'project:data/some.txt'
    """
    path = Path(name)
    for place, folder in _places().items():
        if path.is_relative_to(folder):
            return f"{place}:{path.relative_to(folder).as_posix()}"
    return str(path)


def _absolute(name: str) -> str:
    place, _, rest = name.partition(":")
    folder = _places().get(place)
    return str(folder / rest) if folder else name


def _places() -> dict[str, Path]:
    return {"project": ROOT, "downloads": data_dir()}


def summed_up(names: Iterable[str]) -> set[str]:
    """Replace the files of a folder of which `MANY` were read by a pattern for all that is there.

    Only below folders that are known: elsewhere such a pattern is not followed.

    >>> many = [f"downloads:many/{i}" for i in range(200)]
    >>> sorted(summed_up(["project:one/1", *many]))
    ['downloads:many/**', 'project:one/1']
    """
    folders = {name: _folder(name) for name in names}
    files = Counter(folders.values())
    many = {folder: f"{folder}/**" for folder, number in files.items() if number > MANY}
    trees = {folder: tree for folder, tree in many.items() if is_followed(_absolute(tree))}
    return {trees.get(folder, name) for name, folder in folders.items()}


def _folder(name: str) -> str:
    """Return the folder of a file; of one that was downloaded, that of its source."""
    if name.startswith("downloads:"):
        return name.partition("/")[0]
    return name.rpartition("/")[0]


@cache
def libraries() -> Mapping[str, str]:
    """Return the versions of Python and of the libraries that outputs may depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}
