"""The folder of one notebook's results: taken over whole, and never mixed with anybody's files.

A run writes to a hidden folder beside ``NAME``, then moves the old folder aside and the new one to
its place: two renames, as no folder can be renamed onto one that holds files. A kill between them
leaves ``.NAME.old``, which `restore` puts back. The hidden folder has a name of its own each time:
kernels live on for a second or more when their run is killed, and must not write to that of the
next.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

from citectx.errors import DataError, ParameterError
from citectx.experiments.results import RUN
from citectx.storage import clear_parts, inside, is_plain, part_of, read_object, sha256

_OF_STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}
_HASHES = {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"}}
FORM = Draft4Validator(
    {
        "required": ["outputs", "state"],
        "properties": {
            "outputs": _HASHES,
            "state": {
                "type": "object",
                "required": ["modules", "inputs"],
                "properties": {"modules": _OF_STRINGS, "inputs": _OF_STRINGS},
            },
            "tables": {"type": "object", "additionalProperties": {"type": "object"}},
            "wall_time_s": {"type": "number", "minimum": 0, "maximum": 1e9},
        },
    }
)
"""What ``run.json`` must say for its folder to be ours."""

IGNORED = ".ipynb_checkpoints"
"""Copies that Jupyter makes of what somebody opens."""


NO_FILE = "no file"
"""Hash of what is no file; `FORM` allows no folder to list it."""


def begin(folder: Path) -> Path:
    """Make an empty place for a run to write to."""
    part = part_of(folder)
    part.mkdir(parents=True)
    return part


def take_place(part: Path, folder: Path) -> None:
    """Put a finished folder in the place of an old one.

    Raises
    ------
    ParameterError
        If somebody has put something into the old one meanwhile; it stays as it is.
    """
    check(folder)
    if folder.exists():
        folder.rename(_old(folder))
    part.rename(folder)
    restore(folder)


def restore(folder: Path) -> None:
    """Put back a folder that a killed run has moved aside; clear what else it has left."""
    old = _old(folder)
    if os.path.lexists(old):  # renamed while it is deleted: half of it is not to be put back
        old.rename(part_of(folder) if folder.exists() else folder)
    clear_parts(folder)


def _old(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def about(folder: Path) -> dict[str, Any]:
    """Read ``run.json``; a missing or damaged one says nothing."""
    file = folder / RUN
    with suppress(DataError, OSError):
        found = read_object(file)
        if FORM.is_valid(found):
            for name in found["outputs"]:
                inside(folder, name, file=file)
            return found
    return {}


def outputs(folder: Path) -> dict[str, str]:
    """Hash all files of a folder, but for ``run.json`` and Jupyter's own copies.

    Links, pipes and what cannot be read have `NO_FILE` for a hash: no run has written them.
    """
    found = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    named = {path.relative_to(folder).as_posix(): path for path in found}
    return {n: _hash_of(p) for n, p in named.items() if n != RUN and IGNORED not in p.parts}


def _hash_of(path: Path) -> str:
    with suppress(OSError):
        if is_plain(path) and not path.is_symlink():
            return sha256(path)
    return NO_FILE


def check(folder: Path) -> None:
    """Refuse a folder that holds anything that no run has written.

    Raises
    ------
    ParameterError
        Naming the first such file, and what to do.
    """
    if folder.is_symlink():
        raise ParameterError(f"{folder} is a link: move it away, or name a folder with --out DIR")
    for place in (folder.parent, folder):
        if place.exists() and not place.is_dir():
            raise ParameterError(f"{place} is a file; name a folder with --out DIR")
    listed = about(folder).get("outputs", {})
    strange = sorted(outputs(folder).keys() - listed.keys())
    if strange:
        raise ParameterError(
            f"{folder / strange[0]} was not written by a run ({RUN} does not list it): "
            "move it away, or write the results elsewhere with --out DIR"
        )


def check_layout(home: Path) -> None:
    """Refuse a folder of results as versions before 1.0 wrote them; it is left as it is.

    Raises
    ------
    ParameterError
        Saying what to do.
    """
    if any((home / name).exists() for name in ("provenance.json", ".stamps")):
        raise ParameterError(
            f"{home} was written by an older version, with the tables of all notebooks side by "
            "side: move it away or delete it; now each notebook has a folder of its own there"
        )
