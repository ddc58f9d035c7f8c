r"""Unpacking archives: only registered members, each one checked, nothing half-written.

A member is registered with its path, its size and its git blob id, which the upstream commit fixes. What an
archive holds besides is never written; what it holds of a registered member is hashed while it is written.

>>> blob_id(b"hello\n")  # what `git hash-object` prints for this content
'ce013625030ba8dba906f756967f9e9ca394464a'
"""

import gzip
import hashlib
import itertools
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from typing import IO, NamedTuple

from tqdm import tqdm

from citectx.errors import DataError
from citectx.storage import write_atomically

_CHUNK = 1 << 20
_RATIO, _SMALL = 100, 64_000_000  # an archive that unpacks to more bytes, and more times its size, is a bomb
_HEADER = "path\tsize\tblob"


class Member(NamedTuple):
    """A file that a source must hold: path below the source's folder, size in bytes, git blob id."""

    path: str
    size: int
    blob: str


def blob_id(content: bytes) -> str:
    """Id under which git stores a file with this content.

    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def file_blob_id(path: Path) -> str:
    """`blob_id` of a file, read in pieces."""
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def is_safe(path: str) -> bool:
    r"""Whether a relative path stays below its folder, on Windows as elsewhere.

    >>> [is_safe(p) for p in ("repo-1/a.txt", "../a", "/etc/a", "a/../../b", "C:a", "a\\..\\..\\b", "")]
    [True, False, False, False, False, False, False]
    """
    parsed = PureWindowsPath(path)  # its rules include those of POSIX
    return bool(parsed.parts) and not parsed.drive and not parsed.root and ".." not in parsed.parts


def write_members(file: Path, members: Iterable[Member]) -> None:
    """Write a member list as gzipped TSV: sorted by path, the same bytes for the same members.

    See Also
    --------
    read_members : The way back.
    """
    rows = [f"{m.path}\t{m.size}\t{m.blob}" for m in sorted(members)]
    content = gzip.compress("\n".join([_HEADER, *rows, ""]).encode(), mtime=0)
    write_atomically(file, content)


def read_members(file: Path) -> tuple[Member, ...]:
    """Read a member list.

    Raises
    ------
    DataError
        If a line does not hold a safe path, a size and a blob id, or a path occurs twice.
    """
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    if lines[:1] != [_HEADER]:
        raise DataError(f"expected the header {_HEADER!r}", file=file, line=1)
    members: dict[str, Member] = {}
    for number, line in enumerate(lines[1:], start=2):
        path, size, blob = [*line.split("\t"), "", ""][:3]
        if not (is_safe(path) and size.isdecimal() and len(blob) == 40) or path in members:
            raise DataError(f"expected a new path, a size and a blob id: {line!r}", file=file, line=number)
        members[path] = Member(path, int(size), blob)
    return tuple(members.values())


def extract(
    archive: Path, members: Iterable[Member], folder: Path, *, origin: str = "", progress: bool = False
) -> None:
    """Write the registered members of a tar archive (plain, gzip, xz) below a folder, each one checked.

    Parameters
    ----------
    archive : Path
    members : iterable of Member
        What to take out; all of them must be in the archive. Anything else in it is passed over.
    folder : Path
        A folder of our own making, so that no link in it can lead outside.
    origin : str
        What errors call the archive; its path by default.
    progress : bool
        Whether to show a progress bar.

    Raises
    ------
    DataError
        If the archive is truncated or damaged, or unpacks to far more than its size; if any member has an
        absolute path or a ``..``, or is a device; if a registered member is missing, is a link, or differs in
        size or content.
    """
    wanted = {m.path: m for m in members}
    total = sum(m.size for m in wanted.values())
    origin = origin or str(archive)
    most = total + max(_SMALL, _RATIO * archive.stat().st_size)
    bar = tqdm(total=total, unit="B", unit_scale=True, desc=archive.name, disable=not progress)
    with bar, _readable(origin), tarfile.open(archive, tarinfo=_Header) as tar:
        for info in tar:
            if not is_safe(info.name) or info.isdev():  # no archive of a git commit can hold these
                message = f"member {info.name!r} is a device or would leave the folder: do not trust this"
                raise DataError(message, file=origin)
            if info.offset_data + info.size > most:
                raise DataError(f"unpacks to more than {most:,} bytes and is not to be trusted", file=origin)
            member = wanted.pop(info.name, None)
            if member is not None:
                stream = tar.extractfile(info) if info.isreg() else None
                if stream is None or info.size != member.size:
                    expected = f"expected a file of {member.size:,} bytes"
                    raise DataError(f"member {info.name!r} has {info.size:,} bytes; {expected}", file=origin)
                write_checked(stream, member, folder, origin)
                bar.update(member.size)
    if wanted:
        raise DataError(f"{len(wanted)} registered members are missing, first {min(wanted)}", file=origin)


class _Header(tarfile.TarInfo):
    """A member whose extended headers (long names and the like), which tarfile reads whole, are short."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENDED and self.size > _CHUNK:
            raise OverflowError(f"a header of {self.size:,} bytes")
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        return member


_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


@contextmanager
def _readable(origin: str) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, OverflowError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        why = str(error).partition("\n")[0].rstrip(":")
        raise DataError(f"truncated or damaged ({why}); copy or download it again", file=origin) from error


def write_checked(stream: IO[bytes], member: Member, folder: Path, origin: str) -> None:
    """Write one member below a folder, at most its registered size, and compare its blob id.

    Raises
    ------
    DataError
        If size or content differ from the registry's; the message names `origin`.
    """
    target = folder / member.path
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha1(b"blob %d\0" % member.size, usedforsecurity=False)
    left = member.size
    with target.open("wb") as file:
        while left and (piece := stream.read(min(left, _CHUNK))):
            file.write(piece)
            digest.update(piece)
            left -= len(piece)
    if digest.hexdigest() != member.blob:
        raise DataError(f"{member.path} was changed or cut: expected git blob {member.blob}", file=origin)


def problems(folder: Path, members: Iterable[Member]) -> list[str]:
    """Hash every member below a folder and say which are missing or differ; empty if all is well."""
    found = []
    for member in members:
        path = folder / member.path
        if not path.is_file():
            found.append(f"{member.path} is missing")
        elif path.stat().st_size != member.size or file_blob_id(path) != member.blob:
            found.append(f"{member.path} was changed")
    return found


def place(new: Path, final: Path, *, keep: Callable[[], bool]) -> None:
    """Move a finished folder to its final name in one step.

    Parameters
    ----------
    new : Path
        A finished folder on the same disk, inside a temporary folder that the caller removes: what was at
        `final` before is moved beside `new`.
    final : Path
    keep : callable
        Asked when something is at `final` already: True leaves it there, so `new` is not used. So the
        slower of two processes that make the same folder gives way.
    """
    for attempt in itertools.count():
        try:
            new.replace(final)
            return
        except OSError:
            if not final.exists():
                raise
        if keep():
            return
        with suppress(FileNotFoundError):  # another process has just moved it
            final.replace(new.with_name(f"old-{attempt}"))
