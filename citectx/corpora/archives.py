r"""Unpacking archives: only registered members, each one checked, nothing half-written.

A member is registered with its path, its size and its git blob id, which the upstream commit fixes. What an
archive holds besides is never written; what it holds of a registered member is hashed while it is written.

>>> blob_id(b"hello\n")  # what `git hash-object` prints for this content
'ce013625030ba8dba906f756967f9e9ca394464a'
"""

import gzip
import hashlib
import lzma
import tarfile
import zlib
from collections.abc import Iterable
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
    archive: Path, members: Iterable[Member], folder: Path, origin: str = "", *, progress: bool = False
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
    damage = (tarfile.TarError, OverflowError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
    try:
        with bar, tarfile.open(archive, tarinfo=_Header) as tar:
            for info in tar:
                if not is_safe(info.name) or info.isdev():  # no archive of a git commit can hold these
                    message = f"member {info.name!r} is a device or would leave the folder: do not trust this"
                    raise DataError(message, file=origin)
                if info.offset_data + info.size > most:
                    message = f"unpacks to more than {most:,} bytes and is not to be trusted"
                    raise DataError(message, file=origin)
                if member := wanted.pop(info.name, None):
                    stream = tar.extractfile(info) if info.isreg() else None
                    if stream is None or info.size != member.size:
                        message = f"member {info.name!r}: expected a file of {member.size:,} bytes"
                        raise DataError(message, file=origin)
                    write_checked(stream, member, folder, origin)
                    bar.update(member.size)
    except damage as error:
        why = str(error).partition("\n")[0].rstrip(":")
        raise DataError(f"truncated or damaged ({why}); copy or download it again", file=origin) from error
    if wanted:
        raise DataError(f"{len(wanted)} registered members are missing, first {min(wanted)}", file=origin)


class _Header(tarfile.TarInfo):
    """A member whose extended headers (long names and the like), which tarfile reads whole, are short."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        extended = self.type in (*tarfile.GNU_TYPES, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        if extended and self.type != tarfile.GNUTYPE_SPARSE and self.size > _CHUNK:
            raise OverflowError(f"a header of {self.size:,} bytes")
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        return member


def write_checked(stream: IO[bytes], member: Member, folder: Path, origin: str) -> None:
    """Write one member below a folder, at most its registered size, and compare its blob id.

    Raises
    ------
    DataError
        If size or content differ from the registry's; the message names `origin`.
    """
    target = folder / member.path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        if not _same(stream, member, file):
            raise DataError(f"{member.path} was changed or cut: expected git blob {member.blob}", file=origin)


def _same(stream: IO[bytes], member: Member, copy: IO[bytes] | None = None) -> bool:
    """Read what a member should hold, and copy it where that is wanted; whether its blob id is right."""
    digest = hashlib.sha1(b"blob %d\0" % member.size, usedforsecurity=False)
    left = member.size
    while left and (piece := stream.read(min(left, _CHUNK))):
        digest.update(piece)
        left -= len(piece)
        if copy:
            copy.write(piece)
    return digest.hexdigest() == member.blob


def problems(folder: Path, members: Iterable[Member]) -> list[str]:
    """Hash every member below a folder and say which are missing or differ; empty if all is well."""
    found = []
    for member in members:
        path = folder / member.path
        if not path.is_file():
            found.append(f"{member.path} is missing")
            continue
        with path.open("rb") as file:
            if path.stat().st_size != member.size or not _same(file, member):
                found.append(f"{member.path} was changed")
    return found
