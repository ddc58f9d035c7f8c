r"""The registry of sources: what each is, its licence, and every file that it must hold.

The facts are in ``data/registry/sources.yaml``, sizes and checksums beside it. A member is
registered with its path, its size and its git blob id, which the upstream commit fixes. What an
archive holds besides is never written; what it holds of a registered member is hashed before it is
written. The lists are our own, because pooch's registry knows no sizes and hashes no git blobs.

>>> source("scisumm-corpus").licence
'CC BY 4.0'
>>> blob_id(b"hello\n")  # what `git hash-object` prints for this content
'ce013625030ba8dba906f756967f9e9ca394464a'
"""

import gzip
import hashlib
import lzma
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple
from urllib.parse import quote

import yaml

from citectx import reading
from citectx.errors import DataError, unknown
from citectx.paths import DATA
from citectx.storage import is_safe, most_unpacked, sha, write_atomically

REGISTRY = DATA / "registry"
GITHUB = "https://github.com"
GITHUB_RAW = "https://raw.githubusercontent.com"

_LONGEST_HEADER = 1 << 20
_EXTENSIONS = {*tarfile.GNU_TYPES, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
_EXTENSIONS -= {tarfile.GNUTYPE_SPARSE}


class Member(NamedTuple):
    """A file of a source: path below the source's folder, size in bytes, git blob id."""

    path: str
    size: int
    blob: str


class Upstream(NamedTuple):
    """A commit of a GitHub repository."""

    owner: str
    repo: str
    commit: str

    @classmethod
    def parse(cls, text: str) -> "Upstream":
        """Read ``OWNER/REPO@COMMIT``.

        >>> Upstream.parse("octo/cat@c0ffee").archive_url
        'https://github.com/octo/cat/archive/c0ffee.tar.gz'
        """
        return cls(*re.split("[/@]", text))

    @property
    def folder(self) -> str:
        """The folder in which GitHub's archive holds everything."""
        return f"{self.repo}-{self.commit}"

    @property
    def archive_url(self) -> str:
        """Address of the whole commit, as tar.gz."""
        return f"{GITHUB}/{self.owner}/{self.repo}/archive/{self.commit}.tar.gz"

    def file_url(self, path: str) -> str:
        """Address of one file."""
        return f"{GITHUB_RAW}/{self.owner}/{self.repo}/{self.commit}/{quote(path)}"


@dataclass(frozen=True)
class Source:
    """Data that anyone may download.

    Parameters
    ----------
    name, title, licence, holds, stands_in_for : str
        See ``data/registry/sources.yaml``.
    upstream : tuple of Upstream
        The pinned commits that its files come from.
    download : {"archive", "files"}
        Whether to download the commits' archives or each file alone.
    sha256 : str
        Of the mirror's archive NAME.tar.xz.
    member_list : Path
        The registered files, see `write_members`.
    """

    name: str
    title: str
    upstream: tuple[Upstream, ...]
    download: Literal["archive", "files"]
    licence: str
    holds: str
    stands_in_for: str
    sha256: str
    member_list: Path

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """The files that it must hold, each under the folder ``REPO-COMMIT/`` of its commit."""
        _, *lines = self._listed.decode().splitlines()
        rows = (line.split("\t") for line in lines)
        return tuple(Member(path, int(size), blob) for path, size, blob in rows)

    @cached_property
    def size(self) -> int:
        """Unpacked size in bytes."""
        return sum(member.size for member in self.members)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the member list: changes with any file that is registered."""
        return sha(self._listed)

    @property
    def _listed(self) -> bytes:
        return gzip.decompress(reading.read_bytes(self.member_list))


@dataclass(frozen=True)
class Licensed:
    """Data that readers get from its owner; an environment variable names their folder."""

    name: str
    title: str
    licence: str
    variable: str
    used_for: str
    how: str
    expects: str


@cache
def registry(folder: Path = REGISTRY) -> dict[str, Source]:
    """Return all open sources by name.

    >>> sorted(registry())[:2]
    ['acl-citation-network', 'citation-integrity-annotations']
    """
    lines = reading.read_text(folder / "SHA256SUMS").splitlines()
    sums = {file: digest for digest, file in map(str.split, lines)}
    found = {}
    for name, facts in _facts(folder, "open"):
        upstream = tuple(Upstream.parse(text) for text in facts.pop("upstream"))
        members = folder / f"{name}.members.tsv.gz"
        digest = sums[f"{name}.tar.xz"]
        found[name] = Source(name, upstream=upstream, sha256=digest, member_list=members, **facts)
    return found


@cache
def licensed() -> dict[str, Licensed]:
    """Return all licensed sources by name.

    >>> sorted(licensed())
    ['tac2014', 'trec-genomics', 'umls']
    """
    return {name: Licensed(name, **facts) for name, facts in _facts(REGISTRY, "licensed")}


def _facts(folder: Path, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Read what ``sources.yaml`` says of the sources of a kind, sorted by name."""
    everything = yaml.safe_load(reading.read_text(folder / "sources.yaml"))
    return sorted(everything[kind].items())


def source(name: str | Source) -> Source:
    """Look up an open source by name; a `Source` is returned unchanged.

    Raises
    ------
    ParameterError
        If the name is unknown; the message lists those that are known.
    """
    if isinstance(name, Source):
        return name
    if name not in registry():
        raise unknown("source", name, registry())
    return registry()[name]


def write_members(file: Path, members: Iterable[Member]) -> None:
    """Write a member list as gzipped TSV, sorted by path: same members, same bytes."""
    rows = [f"{m.path}\t{m.size}\t{m.blob}" for m in sorted(members)]
    text = "\n".join(["path\tsize\tblob", *rows, ""])
    write_atomically(file, gzip.compress(text.encode(), mtime=0))


def blob_id(content: bytes) -> str:
    """Return the id under which git stores a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def extract(archive: Path, members: Iterable[Member], folder: Path, origin: str = "") -> None:
    """Write the registered members of a tar archive (plain, gzip, xz) below a folder, all checked.

    Our own, because `pooch.Untar` writes first and asks later: it compares neither sizes nor
    contents, has no limit against bombs, and on Python 3.11 follows paths out of the folder.

    Parameters
    ----------
    archive : Path
    members : iterable of Member
        What to take out; all of them must be in the archive. Anything else in it is skipped.
    folder : Path
        A folder of our own making, so that no link in it can lead outside.
    origin : str
        What errors call the archive; its path by default.

    Raises
    ------
    DataError
        If the archive is truncated or damaged, or unpacks to far more than its size; if any member
        has an absolute path or a ``..``, or is a device; if a registered member is missing, is a
        link, or differs in size or content.
    """
    wanted = {member.path: member for member in members}
    most = most_unpacked(archive) + sum(member.size for member in wanted.values())
    origin = origin or str(archive)
    with _opened(archive, origin) as tar:
        for info in tar:
            _check_header(info, most, origin)
            member = wanted.pop(info.name, None)
            if member is None:
                continue
            stream = tar.extractfile(info) if info.isreg() else None
            if stream is None or info.size != member.size:
                message = f"member {info.name!r}: expected a file of {member.size:,} bytes"
                raise DataError(message, file=origin)
            write_checked(stream, member, folder, origin)
    if wanted:
        message = f"{len(wanted)} registered members are missing, first {min(wanted)}"
        raise DataError(message, file=origin)


@contextmanager
def _opened(archive: Path, origin: str) -> Iterator[tarfile.TarFile]:
    """Open a tar archive; damage that shows while it is read becomes a `DataError`."""
    try:
        with tarfile.open(archive, tarinfo=_Header) as tar:
            yield tar
    except _DAMAGE as error:
        why = str(error).partition("\n")[0].rstrip(":")
        raise DataError(
            f"truncated or damaged ({why}); copy or download it again", file=origin
        ) from error


_DAMAGE = (
    tarfile.TarError,
    OverflowError,
    EOFError,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
)


def _check_header(info: tarfile.TarInfo, most: int, origin: str) -> None:
    """Refuse a member, registered or not, that no archive of a git commit can hold."""
    if info.isdev() or not is_safe(info.name):
        message = f"member {info.name!r} is a device or would leave the folder: do not trust this"
        raise DataError(message, file=origin)
    if info.offset_data + info.size > most:
        message = f"unpacks to more than {most:,} bytes and is not to be trusted"
        raise DataError(message, file=origin)


class _Header(tarfile.TarInfo):
    """A header whose extensions (long names and the like) are short: tarfile reads them whole."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENSIONS and self.size > _LONGEST_HEADER:
            raise OverflowError(f"a header of {self.size:,} bytes")
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        return member


def write_checked(stream: IO[bytes], member: Member, folder: Path, origin: str) -> None:
    """Write one member below a folder if it has the registered size and blob id.

    Raises
    ------
    DataError
        If size or content differ from the registry's; the message names `origin`.
    """
    content = stream.read(member.size)
    if blob_id(content) != member.blob:
        raise DataError(
            f"{member.path} was changed or cut: expected git blob {member.blob}", file=origin
        )
    (folder / member.path).parent.mkdir(parents=True, exist_ok=True)
    (folder / member.path).write_bytes(content)


def problems(folder: Path, members: Iterable[Member]) -> list[str]:
    """Hash every member below a folder and say which are missing or differ; empty if none."""
    found = []
    for path, size, blob in members:
        file = folder / path
        if not file.is_file():
            found.append(f"{path} is missing")
        elif file.stat().st_size != size or blob_id(file.read_bytes()) != blob:
            found.append(f"{path} was changed")
    return found
