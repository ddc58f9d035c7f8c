"""Files: written whole or not at all, hashed, and read with errors that name them."""

import errno
import glob
import gzip
import hashlib
import json
import math
import os
import platform
import re
import shutil
import subprocess
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path, PureWindowsPath
from typing import Any, BinaryIO
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from citectx.errors import CitectxError, DataError, ParameterError
from citectx.paths import ROOT, data_folders, known_folders


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
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        if error.filename in (None, str(part)):  # a full disk names no file
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
    """Read a JSON object; an empty one if there is no file.

    Raises
    ------
    DataError
        If the file holds anything else.
    """
    try:
        content = json.loads(path.read_text("utf-8")) if path.exists() else {}
    except ValueError as error:
        raise DataError(f"is not JSON ({error}); restore or delete it", file=path) from error
    if not isinstance(content, dict):
        raise DataError("expected a JSON object; restore or delete it", file=path)
    return content


def write_arrays(path: Path, /, **arrays: Any) -> None:
    """Write an npz file, which `read_arrays` reads."""
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(path: Path, *names: str) -> dict[str, NDArray[Any]]:
    """Read an npz file; nothing in it is executed.

    Parameters
    ----------
    path : Path
    *names : str
        Arrays that it must hold; all that it holds by default.

    Raises
    ------
    DataError
        If it is missing, lacks an array, or is damaged: zip files have checksums.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in names or file.files}
    except FileNotFoundError as error:
        raise DataError("is not there; expected an npz file", file=path) from error
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error) as error:
        raise DataError(f"is damaged ({error}); copy or make it anew", file=path) from error


def packed(words: Iterable[str]) -> NDArray[np.uint8]:
    """Pack strings without line breaks into bytes; numpy's own take four bytes per letter.

    >>> unpacked(packed(["cell", "Zürich"]))
    ('cell', 'Zürich')
    """
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo `packed`."""
    return tuple(array.tobytes().decode().split("\n")) if array.size else ()


def to_gzip(data: bytes) -> bytes:
    """Compress without a time stamp: the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


def read_gzip(path: Path) -> str:
    """Read a compressed text; raises a DataError if it is damaged."""
    try:
        return gzip.decompress(path.read_bytes()).decode()
    except (EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"is damaged ({error}); restore it", file=path) from error


def digest(*content: object) -> str:
    """Hash what `repr` shows of some content."""
    shown = repr(content[0] if len(content) == 1 else content)
    return sha(shown.encode())[:16]


def sha(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_output(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse a name for an output file before anything is computed, if something would be lost.

    Parameters
    ----------
    path : Path
        The file that is going to be written.
    inputs : iterable of Path
        Files and folders that are read. No file there is replaced, nor one of the data folders
        (`citectx.paths.data_folders`).
    force : bool
        Whether any other file of that name may be replaced.

    Raises
    ------
    ParameterError
        If the file exists and may not be replaced; the message says what to do.
    """
    if path.is_dir():
        raise ParameterError(f"{path} is a folder: name a file")
    if not path.exists():
        return
    for given in (*inputs, *data_folders()):
        if path.resolve().is_relative_to(given.resolve()):
            raise ParameterError(f"{path} is read, or is beside what is read: name another file")
    if not force:
        raise ParameterError(f"{path} exists: name another file, or replace it with --force")


def commit() -> str:
    """Commit of the checkout, with ``+changes`` if files differ from it; "unknown" outside git."""
    if not (ROOT / ".git").exists():  # the package may be installed in another repository
        return "unknown"
    how = ("describe", "--always", "--abbrev=40", "--dirty=+changes", "--exclude=*")
    try:
        shown = subprocess.run(("git", "-C", ROOT, *how), capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return shown.stdout.decode().strip()


# For rooms that are being replaced; goes with them.

OURS = ".citectx"

"""Marks a folder as written by this package: only such a folder is replaced or cleared."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

"""Errors of the system that more room would mend."""

_MARK = b"Written by citectx, which may replace or delete what is here.\n"

LOCK_SECONDS = 60.0

"""How long to wait for a lock before saying who holds it."""

_TICK = 2_000_000_000

"""Nanoseconds between the times that a file system can tell apart, at most."""

# An archive that unpacks to more bytes than `_SMALL`, and more times its size, is a bomb.
_RATIO, _SMALL = 100, 64_000_000


class LockedError(CitectxError):
    """Another process holds a lock for longer than we wait; the message says which."""


def part_of(path: Path) -> Path:
    """Return a hidden name beside a file or folder, which no other process will write to."""
    short = len(os.fsencode(path.name)) <= 200  # a name may have 255 bytes
    return path.parent / f".{path.name if short else path.name[:50]}.{uuid4().hex}.part"


def whole_of(part: Path) -> Path:
    """Undo `part_of`; any other path is returned as it is.

    >>> whole_of(part_of(Path("results/k-2.5"))).as_posix()
    'results/k-2.5'
    """
    named = re.fullmatch(r"\.(.+)\.[0-9a-f]{32}\.part", part.name)
    return part.with_name(named[1]) if named else part


def clear_parts(path: Path) -> None:
    """Delete what killed processes have left of a file or folder, whole or not.

    Only who holds a lock may ask for it: what another process is writing goes, too.
    """
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        if whole_of(part) == path:
            with suppress(OSError):  # a kernel may live on for a second, and write there
                _delete(part)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@contextmanager
def _naming(path: Path, temporary: Path | None = None) -> Iterator[None]:
    """Name a file in errors of the system that name none, or only a temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        advice = " (make room there, and run again)" if error.errno in FULL else ""
        raise OSError(error.errno, f"{error.strerror}{advice}", str(path)) from error


@contextmanager
def appending(path: Path, kept: int) -> Iterator[Callable[[str], None]]:
    r"""Go on with a file of lines behind its first bytes; what is behind these is cut off.

    Yields a function that writes a line, which is then safe from whatever becomes of the process.
    After a kill the last line may be torn: it ends without a line break. If no bytes are kept, a
    new file takes the place of what is there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "lines.txt")
    ...     _ = file.write_bytes(b"one\ntw")
    ...     with appending(file, len("one\n")) as write:
    ...         write("two")
    ...     file.read_bytes()
    b'one\ntwo\n'
    """
    if not kept:
        path.unlink(missing_ok=True)
    with _naming(path), path.open("ab") as file:
        file.truncate(kept)

        def write(line: str) -> None:
            file.write(f"{line}\n".encode())
            file.flush()

        yield write


UNCHECKED = "not checked"

"""State of an input that cannot be looked at. It counts as changed, see `unchanged`."""

KERNEL = ("/proc/", "/sys/")

"""Below these, what looks like a file may have no end, or wait for ever."""


def state_of(name: str) -> str:
    """Return what an input is now, so that it can be seen to change (`citectx.reading.noted`).

    Names may come from a stranger's file, so they lead neither into devices and pipes nor across
    the whole disk.

    Returns
    -------
    str
        The hash of a file's content, "missing" if there is none; for a pattern with ``*`` the hash
        of the names that it finds; for one that ends in ``/**`` of all files below a folder.
        `UNCHECKED` if it cannot be read, or is a pattern that is not followed.
    """
    try:
        if "*" not in name:
            return content_hash(path) if is_plain(path := Path(name)) else "missing"
        if not is_followed(name):
            return UNCHECKED
        if name.endswith("/**"):
            return _tree_hash(Path(name).parent)
        folder = Path(name.partition("*")[0] + "x").parent
        found = matches(folder, Path(name).relative_to(folder).as_posix())
        return digest([path.relative_to(folder).as_posix() for path in found])
    except (OSError, ValueError):
        return UNCHECKED


def unchanged(states: Iterable[tuple[str, str]]) -> bool:
    """Return whether inputs are what they were; looks no further than the first that is not.

    So a stranger's list costs no more than the files whose content the stranger knows.
    """
    return all(state != UNCHECKED and state_of(name) == state for name, state in states)


def is_plain(path: Path) -> bool:
    """Return whether there is a file that ends: no device, no pipe, nothing of the kernel's."""
    return path.is_file() and not os.path.realpath(path).startswith(KERNEL)


def is_followed(pattern: str) -> bool:
    """Return whether a pattern may be followed.

    Anywhere it may list one folder. Below the folders that are known it may go deeper, but not
    through links, and no pattern of ours has ``**`` after another wildcard.
    """
    parts = Path(pattern).parts
    wild = [number for number, part in enumerate(parts) if "*" in part]
    if not Path(pattern).is_absolute() or not wild:
        return False
    if len(wild) == 1 and parts[wild[0]] != "**":
        return True
    if len(wild) > 3 or ".." in parts or "**" in [parts[number] for number in wild[1:]]:
        return False
    below = Path(os.path.realpath(Path(*parts[: wild[0]])))
    return any(below.is_relative_to(os.path.realpath(folder)) for folder in known_folders())


def _tree_hash(folder: Path) -> str:
    """Hash names and content of all files below a folder, but for hidden ones."""
    files = [path for path in matches(folder, "**/*") if is_plain(path)]
    return digest([(p.relative_to(folder).as_posix(), content_hash(p)) for p in files])


def matches(folder: Path, pattern: str) -> list[Path]:
    """List what a pattern finds below a folder, sorted, but for what is hidden there."""
    found = ((path, path.relative_to(folder)) for path in sorted(folder.glob(pattern)))
    return [path for path, name in found if not any(part.startswith(".") for part in name.parts)]


def content_hash(path: Path) -> str:
    """SHA-256 of a file's content, computed once a process unless the file changes."""
    return _content_hash(path, *stamp(path))


@cache
def _content_hash(path: Path, *_: int) -> str:
    return sha256(path)


def most_unpacked(archive: Path) -> int:
    """Return how many bytes an archive may unpack to; what announces more is a bomb."""
    return max(_SMALL, _RATIO * archive.stat().st_size)


read_object = read_json


def parsed(text: str) -> Any:
    """Parse JSON; unlike Python's own reader it takes no name twice, and finite numbers only.

    >>> parsed('{"k": 1, "k": 2}')
    Traceback (most recent call last):
    ValueError: 'k' is there twice
    """
    return json.loads(text, object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} is there twice")
    return found


def _finite(written: str) -> float:
    if not math.isfinite(number := float(written)):
        raise ValueError(f"{written} is not a finite number")
    return number


def is_safe(path: str) -> bool:
    r"""Whether a relative path stays below its folder, on Windows as elsewhere.

    >>> is_safe("repo-1/a.txt")
    True
    >>> any(map(is_safe, ("../a", "/etc/a", "a/../../b", "C:a", "a\\..\\..\\b", "")))
    False
    """
    parsed = PureWindowsPath(path)  # its rules include those of POSIX
    return bool(parsed.parts) and not parsed.drive and not parsed.root and ".." not in parsed.parts


LONGEST = 256

"""So many bytes are too many for a name in most file systems."""


def inside(folder: Path, name: object, *, file: Path) -> Path:
    r"""Return the place below a folder that a name in a file of ours means.

    Parameters
    ----------
    folder : Path
    name : object
        As JSON gives it.
    file : Path
        Where it was read.

    Raises
    ------
    DataError
        If it is no text, or not a relative name that stays below the folder, links included.

    Examples
    --------
    >>> inside(Path("parts"), "0/a.npz", file=Path("parts.json")).as_posix()
    'parts/0/a.npz'
    >>> inside(Path("parts"), "../a.npz", file=Path("parts.json"))
    Traceback (most recent call last):
    citectx.errors.DataError: parts.json: names '../a.npz'; expected a place below parts
    """
    if isinstance(name, str) and _is_name(name):
        place = Path(os.path.realpath(folder / name))
        if place.is_relative_to(os.path.realpath(folder)):
            return folder / name
    raise DataError(f"names {name!r}; expected a place below {folder}", file=file)


def _is_name(name: str) -> bool:
    short = name.isprintable() and len(name.encode()) < LONGEST
    return short and is_safe(name) and "\\" not in name


@contextmanager
def lock(path: Path, seconds: float | None = None) -> Iterator[None]:
    """Hold the lock ``.NAME.lock`` beside a file or folder while the block runs.

    Parameters
    ----------
    path : Path
        What is protected; need not exist.
    seconds : float, optional
        How long to wait for another process; `LOCK_SECONDS` by default.

    Raises
    ------
    LockedError
        If another process holds it for longer.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.with_name(f".{path.name}.lock")
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise LockedError(f"{file} is no lock of ours but a link or the like: delete it")
    try:
        with FileLock(file, timeout=LOCK_SECONDS if seconds is None else seconds):
            try:
                with _naming(file):
                    file.write_text(
                        f"process {os.getpid()} on {platform.node()} since "
                        f"{time.strftime('%F %T %Z')}"
                    )
                yield
            finally:
                with suppress(OSError):  # no open file can be deleted on Windows
                    file.unlink()  # before it is released: whoever waits sees that the name is gone
    except Timeout as error:
        with suppress(OSError):
            holder = file.read_text("utf-8")
        raise LockedError(
            f"{path} is in use by {holder or 'another process'}; wait or stop it"
        ) from error


def _is_of(path: Path, given: Path) -> bool:
    """Tell whether a file is another one, by whatever name or link, or one of a folder."""
    if not given.is_dir():
        return path.exists() and given.exists() and path.samefile(given)
    folder, parent = os.path.realpath(given), os.path.realpath(path.parent)
    places = (Path(parent, path.name), Path(os.path.realpath(path)))
    return any(place.is_relative_to(folder) for place in places)


def own_folder(folder: Path) -> None:
    """Claim an output folder, which must be new, empty, or marked as ours already.

    Raises
    ------
    ParameterError
        If it holds anything and bears no mark; the message names the first entry.
    """
    _refuse_strangers(folder)
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / OURS
    if not mark.is_file() or mark.read_bytes() != _MARK:
        mark.write_bytes(_MARK)  # under its own name: killed before, it would leave a stranger


def _refuse_strangers(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} is a file; name a folder")
    found = min(folder.iterdir(), default=None) if folder.exists() else None
    if found and not (folder / OURS).is_file():
        raise ParameterError(
            f"{found} was not written by citectx; name another folder, or move it away"
        )


def clear(folder: Path) -> None:
    """Delete a folder that bears our mark, if there is one; else as `own_folder`."""
    _refuse_strangers(folder)
    if not folder.exists():
        return
    for path in folder.iterdir():
        if path.name != OURS:  # which goes last: killed before, it can be cleared again
            _delete(path)
    shutil.rmtree(folder)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Make a new folder that takes the place of `folder` at the end, which must be `own_folder`'s.

    After an error nothing is left, and what was there before stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with replacing_folder(Path(place, "new")) as made:
    ...         write_atomically(made / "note.txt", "whole")
    ...     sorted(path.name for path in Path(place, "new").iterdir())
    ['.citectx', 'note.txt']
    """
    whole = Path(os.path.realpath(folder))  # a link to it stays one
    _refuse_strangers(whole)
    temporary = part_of(whole)
    try:
        with _naming(folder, temporary):
            own_folder(temporary)
            yield temporary
            clear(whole)
            temporary.replace(whole)
    except OSError as error:
        if not str(error.filename).startswith(str(temporary)):
            raise
        named = str(error.filename).replace(str(temporary), str(folder), 1)
        raise OSError(error.errno, error.strerror, named) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def spreadsheet_safe(frame: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    >>> spreadsheet_safe(pd.DataFrame({"id": ["=1+1", "D9001"]}))["id"].tolist()
    ["'=1+1", 'D9001']
    """

    def safe(cell: Any) -> Any:
        formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        return f"'{cell}" if formula else cell

    return frame.rename(columns=safe).map(safe)


def stamp(file: Path) -> tuple[int, ...]:
    """Return size, times and inode of a file, one of which changes with its content."""
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def settled(file: Path) -> tuple[int, ...]:
    """Return size, times and inode of a file by which a later process can tell that it has changed.

    None of them need change if a file is written twice within one tick of the clock, which takes up
    to two seconds. So there are none for a file that was written so shortly ago.
    """
    state = stamp(file)
    return state if time.time_ns() - max(state[1:3]) > _TICK else ()
