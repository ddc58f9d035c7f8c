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
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple
from urllib.parse import quote

import yaml

from citectx import reading
from citectx.corpora.archives import unpacking
from citectx.errors import DataError, unknown
from citectx.paths import DATA
from citectx.storage import is_safe, most_unpacked, sha, write_atomically

REGISTRY = DATA / "registry"
GITHUB = "https://github.com"
GITHUB_RAW = "https://raw.githubusercontent.com"


class Member(NamedTuple):
    """A file of a source: path below the source's folder, size in bytes, git blob id.

    With `at_most`, only the blob id is known, and `size` is what the file may have: downloads need
    a limit.

    >>> Member("REPO-1/a.txt", 5, "c0ffee").fits(4), Member("b", 5, "", at_most=True).fits(4)
    (False, True)
    """

    path: str
    size: int
    blob: str
    at_most: bool = False

    def fits(self, size: int) -> bool:
        """Whether a file of this size may be the member."""
        return size <= self.size if self.at_most else size == self.size


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
        Of the mirror's archive NAME.tar.xz; "" if no mirror of ours has one. The blob ids of its
        members are then all that is checked.
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
        return parse_members(self.listed)

    @cached_property
    def size(self) -> int:
        """Unpacked size in bytes; the most that it may be, unless it `is_sized`."""
        return sum(member.size for member in self.members)

    @property
    def is_sized(self) -> bool:
        """Whether the size of every file is known."""
        return not any(member.at_most for member in self.members)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the member list: changes with any file that is registered."""
        return sha(self.listed)

    @property
    def listed(self) -> bytes:
        """The member list as `write_members` makes it, unpacked."""
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
    ['acl-citation-network', 'citation-integrity-2024']
    """
    lines = reading.read_text(folder / "SHA256SUMS").splitlines()
    sums = {file: digest for digest, file in map(str.split, lines)}
    found = {}
    for name, facts in _facts(folder, "open"):
        upstream = tuple(Upstream.parse(text) for text in facts.pop("upstream"))
        members = folder / f"{name}.members.tsv.gz"
        digest = sums.get(f"{name}.tar.xz", "")
        facts.pop("blobs", None)  # for the maker of the member list
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
    rows = [f"{m.path}\t{_AT_MOST * m.at_most}{m.size}\t{m.blob}" for m in sorted(members)]
    text = "\n".join(["path\tsize\tblob", *rows, ""])
    write_atomically(file, gzip.compress(text.encode(), mtime=0))


def parse_members(listed: bytes) -> tuple[Member, ...]:
    """Undo `write_members`, once unpacked."""
    _, *lines = listed.decode().splitlines()
    rows = (line.split("\t") for line in lines)
    return tuple(
        Member(path, int(size.removeprefix(_AT_MOST)), blob, size.startswith(_AT_MOST))
        for path, size, blob in rows
    )


_AT_MOST = "<="
"""Before a size in a member list: the file may be smaller."""


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
    with unpacking(archive, most, origin) as unpacked:
        for info in unpacked.members():
            if info.isdev() or not is_safe(info.name):
                why = "is a device or would leave the folder: do not trust this"
                raise DataError(f"member {info.name!r} {why}", file=origin)
            member = wanted.pop(info.name, None)
            if member is None:
                continue
            if not info.isreg() or not member.fits(info.size):
                size = f"{'at most ' * member.at_most}{member.size:,} bytes"
                message = f"member {info.name!r}: expected a file of {size}"
                raise DataError(message, file=origin)
            write_checked(io.BytesIO(unpacked.read(info.size)), member, folder, origin)
    if wanted:
        message = f"{len(wanted)} registered members are missing, first {min(wanted)}"
        raise DataError(message, file=origin)


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
    for member in members:
        if not (folder / member.path).is_file():
            found.append(f"{member.path} is missing")
        elif not unchanged(folder, member):
            found.append(f"{member.path} was changed")
    return found


def unchanged(folder: Path, member: Member) -> bool:
    """Whether a member below a folder is a file with the registered content."""
    file = folder / member.path
    may_be = file.is_file() and member.fits(file.stat().st_size)
    return may_be and blob_id(file.read_bytes()) == member.blob
