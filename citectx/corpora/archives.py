"""Tar archives, read from front to back by rules that are strict.

Of `tarfile` only the parser of one header is used. Its `TarFile` keeps all headers in memory, goes
back where a size is negative, follows sparse files and chains of headers into a dozen kinds of
errors, and in Python 3.11 takes hours for a header of digits. What it can read besides files,
folders and links, no archive of a git commit holds.
"""

import gzip
import lzma
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from citectx.errors import DataError

_LONGEST_HEADER = 1 << 16
"""Bytes of a header that extends the next one; the longest path takes 4,096."""

_CHUNK = 1 << 16
_PACKED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\0": lzma.open,
}
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
_NO_HEADER = (tarfile.TarError, ArithmeticError, LookupError, ValueError)

_FILES = {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}
_EMPTY = {tarfile.DIRTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE}
_DEVICES = {tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE}
_EXTENSIONS = {
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE),
}
_RECORD = re.compile(rb"(\d{1,5}) ([^=]{1,255})=")


class Unpacked:
    """What an archive unpacks to; only the header and the content at hand are in memory.

    Parameters
    ----------
    stream : binary file
        Unpacks while it is read.
    most : int
        Bytes that it may unpack to.
    origin : str
        What errors call the archive.
    """

    def __init__(self, stream: IO[bytes], most: int, origin: str) -> None:
        self._stream, self._most, self._origin = stream, most, origin
        self._at = 0

    def members(self) -> Iterator[tarfile.TarInfo]:
        """Iterate over the members; what has not been read of one is passed over.

        Raises
        ------
        DataError
            If the archive is truncated or damaged, holds anything but files, folders, links and
            devices, or unpacks to more than it may.
        """
        name = ""
        while info := self._header():
            if info.type in _EXTENSIONS:
                name = self._name(info) or name
                continue
            info.name, name = name or info.name, ""
            end = self._at + _padded(info.size)
            yield info
            self._skip(end - self._at)

    def read(self, size: int) -> bytes:
        """Read on.

        Raises
        ------
        DataError
            If there is less.
        """
        try:
            content = self._stream.read(size)
        except _DAMAGE as error:
            raise self._damaged(error) from error
        if len(content) < size:
            raise self._damaged("it ends early")
        self._at += size
        return content

    def _skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.read(min(size, _CHUNK)))

    def _header(self) -> tarfile.TarInfo | None:
        """Read the next header; None at the end of the archive."""
        block = self.read(tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            return None
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except _NO_HEADER as error:
            raise self._damaged(error) from error
        self._check(info)
        return info

    def _check(self, info: tarfile.TarInfo) -> None:
        if info.type not in _FILES | _EMPTY | _DEVICES | _EXTENSIONS:
            raise self._damaged(f"a member of the kind {info.type!r}")
        if info.size < 0 or (info.size and info.type in _EMPTY):
            raise self._damaged(f"a member of {info.size:,} bytes, of the kind {info.type!r}")
        if info.type in _EXTENSIONS and info.size > _LONGEST_HEADER:
            raise self._damaged(f"a header of {info.size:,} bytes")
        if self._at + info.size > self._most:
            message = f"unpacks to more than {self._most:,} bytes and is not to be trusted"
            raise DataError(message, file=self._origin)

    def _name(self, info: tarfile.TarInfo) -> str:
        """Read a header that extends the next one; return the name that it gives it, if any."""
        content = self.read(_padded(info.size))[: info.size]
        if info.type == tarfile.GNUTYPE_LONGNAME:
            return _text(content.partition(b"\0")[0])
        return self._path(content) if info.type == tarfile.XHDTYPE else ""

    def _path(self, records: bytes) -> str:
        """Return the path in the records of a pax header, if there is one."""
        path, at = "", 0
        while at < len(records):
            record = _RECORD.match(records, at)
            end = at + int(record[1]) if record else at
            if not record or end < record.end() or records[end - 1 : end] != b"\n":
                raise self._damaged("a pax header that is none")
            if record[2] == b"size" or record[2].startswith(b"GNU.sparse"):
                raise self._damaged(f"a pax header that changes {_text(record[2])!r}")
            if record[2] == b"path":
                path = _text(records[record.end() : end - 1])
            at = end
        return path

    def _damaged(self, why: object) -> DataError:
        reason = str(why).partition("\n")[0].rstrip(":")
        return DataError(
            f"truncated or damaged ({reason}); copy or download it again", file=self._origin
        )


def _padded(size: int) -> int:
    """Round up to whole blocks."""
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


@contextmanager
def unpacking(archive: Path, most: int, origin: str) -> Iterator[Unpacked]:
    """Open a tar archive that is plain, or packed by gzip or xz; parameters as of `Unpacked`."""
    with archive.open("rb") as file:
        start = file.peek(8)
        fitting = (unpack for mark, unpack in _PACKED.items() if start.startswith(mark))
        unpack = next(fitting, None)
        with unpack(file) if unpack else file as stream:
            yield Unpacked(stream, most, origin)
