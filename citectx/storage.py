"""The only place that writes: atomic files, digests, caches and locks."""

import gzip
import hashlib
import io
import json
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from citectx.errors import DataError
from citectx.paths import DATA, ROOT


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Return a temporary name beside `path`; what was written there takes its place at the end.

    After an error nothing is left, and what was there before stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "note.txt")) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     Path(folder, "note.txt").read_text(), len(list(Path(folder).iterdir()))
    ('whole', 1)
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write under a temporary name, then rename: readers see the old file or the new one."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packed(words: Iterable[str]) -> NDArray[np.uint8]:
    """Pack strings without line breaks into bytes: numpy's own string arrays take four bytes a letter.

    >>> unpacked(packed(["cell", "Zürich"]))
    ('cell', 'Zürich')
    """
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo `packed`."""
    return tuple(bytes(array).decode().split("\n"))


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file, refusing pickled objects.

    Raises
    ------
    DataError
        If the file is truncated, no npz, or holds objects.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        raise DataError(f"is not a whole npz file of plain arrays ({error})", file=path) from error


def to_gzip(data: bytes) -> bytes:
    """Compress without a time stamp: same data, same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="") as file:
        file.write(data)
    return buffer.getvalue()


def digest(*content: object) -> str:
    """Hash what `repr` shows of some content."""
    shown = repr(content[0] if len(content) == 1 else content)
    return sha(shown.encode())[:16]


def code_digest() -> str:
    """Hash of the package and of what the embedded data and the registry hold."""
    package = Path(__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.yaml"), *(p for p in DATA.rglob("*") if p.is_file())]
    return sha(b"".join(sha(p.read_bytes()).encode() for p in sorted(files)))


def sha(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def update_json(path: Path, entries: Mapping[str, Any]) -> None:
    """Add entries to a JSON object in a file; entries there under the same keys are replaced.

    Notebooks that run side by side take turns.
    """
    key = digest(str(path.resolve()))
    with FileLock(Path(tempfile.gettempdir()) / f"citectx-{key}.lock"):
        known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        text = json.dumps(known | dict(entries), indent=2, sort_keys=True, ensure_ascii=False)
        write_atomically(path, (text + "\n").encode())


def commit() -> str:
    """Commit of the checkout, with ``+changes`` where code differs from it; "unknown" outside git."""

    def git(*args: str) -> str:
        command = ["git", "-C", str(ROOT), *args]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "citectx", "pyproject.toml", "data")
        return git("rev-parse", "HEAD") + ("+changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
