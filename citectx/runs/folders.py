"""The folder of one notebook's results: taken over whole, and never mixed with anybody's files.

A run writes ``.NAME.part`` beside ``NAME``, then moves the old folder aside and the new one to its
place: two renames, as no folder can be renamed onto one that holds files. A kill between them
leaves ``.NAME.old``, which `restore` puts back.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

from citectx.errors import DataError, ParameterError
from citectx.experiments.results import RUN
from citectx.storage import inside, is_plain, read_object, sha256

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


def part_of(folder: Path) -> Path:
    """Return where a run writes before it takes the place of a folder."""
    return folder.with_name(f".{folder.name}.part")


def begin(folder: Path) -> Path:
    """Make an empty place for a run to write to; what a killed run has left there goes."""
    part = part_of(folder)
    _clear(part)
    part.mkdir(parents=True)
    return part


def take_place(part: Path, folder: Path) -> None:
    """Put a finished folder in the place of an old one."""
    old = _old(folder)
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    _clear(old)


def restore(folder: Path) -> None:
    """Put back a folder that a killed run has moved aside; clear what else it has left."""
    old = _old(folder)
    if old.exists() and not folder.exists():
        old.rename(folder)
    for left in (old, part_of(folder)):
        _clear(left)


def _clear(place: Path) -> None:
    """Delete a folder, or what else has its name; of a link nothing but the link."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


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
