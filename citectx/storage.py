"""Files: written whole or not at all, hashed, and read with errors that name them."""

import gzip
import hashlib
import json
import os
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from citectx.errors import DataError, ParameterError
from citectx.paths import ROOT, data_folders


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` at the end.

    Readers see the old file or the new one. After an error the old one is still there. The folder
    is made if it is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "note.txt")) as file:
    ...         _ = file.write(b"whole")
    ...     Path(folder, "note.txt").read_text(), len(list(Path(folder).iterdir()))
    ('whole', 1)
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # beside the file, hence on the same disk, where a move is one step
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        # "x": nobody else has a file of that name open
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        # A full disk names no file. Errors of ours have no number, and say it all in their text.
        if error.errno and error.filename in (None, str(part)):
            error.filename = str(path)
        raise
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a file whole or not at all."""
    with replacing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def write_json(path: Path, content: Any) -> None:
    """Write indented JSON; names keep their order."""
    write_atomically(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; an empty one if there is no file."""
    try:
        # dict() refuses a list or a number with a TypeError
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}
    except (ValueError, TypeError) as error:
        raise DataError(
            f"is not a JSON object ({error}); restore or delete it", file=path
        ) from error


def write_arrays(path: Path, /, **arrays: Any) -> None:
    """Write an npz file, which `read_arrays` reads."""
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of an npz file by their names; nothing in it is executed.

    Damage is found, as zip files have checksums.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as error:
        raise DataError(f"cannot be read ({error}); copy or make it anew", file=path) from error


def pack(words: Iterable[str]) -> NDArray[np.uint8]:
    """Pack strings without line breaks into bytes; numpy's own take four bytes per letter.

    >>> unpack(pack(["cell", "Zürich"]))
    ('cell', 'Zürich')
    """
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpack(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo `pack`."""
    # "".split would be one empty word
    return tuple(array.tobytes().decode().split("\n")) if array.size else ()


def to_gzip(data: bytes) -> bytes:
    """Compress without a time stamp: the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


def digest(content: object) -> str:
    """Hash what `repr` shows of some content."""
    return sha(repr(content).encode())[:16]


def sha(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_output(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse a name for an output file before anything is computed, if something would be lost.

    No file among the inputs or in a data folder (`citectx.paths.data_folders`) is ever replaced,
    and any other file only by force.
    """
    if path.is_dir():
        raise ParameterError(f"{path} is a folder: name a file")
    if not path.exists():
        return
    # a file is relative to itself, so one test serves files and folders
    for given in (*inputs, *data_folders()):
        if path.resolve().is_relative_to(given.resolve()):
            raise ParameterError(f"{path} is read, or is beside what is read: name another file")
    if not force:
        raise ParameterError(f"{path} exists: name another file, or replace it with --force")


ELSEWHERE = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
    }
)
"""Environment variables that lead git to the repository in whose hook or rebase we run."""


def git(
    repository: Path, tree: Path, *arguments: str, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run git on one repository and its files, whatever the environment says; `text` is its input.

    Git looks at owners only in repositories that it had to find. So one that is named may belong to
    somebody else, as it does in a container or on a shared server.
    """
    return subprocess.run(
        ["git", f"--git-dir={repository}", f"--work-tree={tree}", *arguments],
        cwd=tree,
        env={name: value for name, value in os.environ.items() if name not in ELSEWHERE},
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )


def commit() -> str:
    """Commit of the checkout, with ``+changes`` if its code differs; "unknown" outside git."""
    repository = ROOT / ".git"
    if not repository.exists():  # the package may be installed in another repository
        return "unknown"
    try:
        name = git(repository, ROOT, "rev-parse", "HEAD").stdout.strip()
        code = ("citectx", "notebooks")
        changed = git(repository, ROOT, "diff", "--name-only", "HEAD", "--", *code).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}+changes" if changed else name
