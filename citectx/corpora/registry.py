"""The registry of sources: what each is, whose, under which licence, and every file that it must hold.

The facts are in ``data/registry/sources.yaml``, sizes and checksums beside it.

>>> source("scisumm-corpus").licence
'CC BY 4.0'
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

import yaml

from citectx.corpora.archives import Member, read_members
from citectx.errors import unknown
from citectx.paths import DATA

REGISTRY = DATA / "registry"
GITHUB = "https://github.com"
GITHUB_RAW = "https://raw.githubusercontent.com"


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
        repository, _, commit = text.partition("@")
        owner, _, repo = repository.partition("/")
        return cls(owner, repo, commit)

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
        The registered files, see `citectx.corpora.archives.read_members`.
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
        return read_members(self.member_list)

    @cached_property
    def size(self) -> int:
        """Unpacked size in bytes."""
        return sum(member.size for member in self.members)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the member list: changes with any file that is registered."""
        return hashlib.sha256(gzip.decompress(self.member_list.read_bytes())).hexdigest()


@dataclass(frozen=True)
class Licensed:
    """Data that the reader gets from its owner, and the environment variable that then names its folder."""

    name: str
    title: str
    licence: str
    variable: str
    used_for: str
    how: str
    expects: str


@cache
def registry(folder: Path = REGISTRY) -> dict[str, Source]:
    """All open sources by name.

    >>> sorted(registry())[:2]
    ['acl-citation-network', 'citation-integrity-annotations']
    """
    sums = (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())
    sha256 = {file.removesuffix(".tar.xz"): digest for digest, file in sums}
    entries = yaml.safe_load((folder / "sources.yaml").read_text(encoding="utf-8"))["open"]
    found = {}
    for name, facts in sorted(entries.items()):
        upstream = tuple(Upstream.parse(text) for text in facts.pop("upstream"))
        members = folder / f"{name}.members.tsv.gz"
        found[name] = Source(name=name, upstream=upstream, sha256=sha256[name], member_list=members, **facts)
    return found


@cache
def licensed(folder: Path = REGISTRY) -> dict[str, Licensed]:
    """All licensed sources by name.

    >>> sorted(licensed())
    ['tac2014', 'trec-genomics', 'umls']
    """
    entries = yaml.safe_load((folder / "sources.yaml").read_text(encoding="utf-8"))["licensed"]
    return {name: Licensed(name=name, **facts) for name, facts in sorted(entries.items())}


def source(name: str | Source) -> Source:
    """Look up an open source; one that is given as an object is returned as it is.

    Raises
    ------
    ParameterError
        If there is none of that name; the message lists those there are.
    """
    if isinstance(name, Source):
        return name
    if name not in registry():
        raise unknown("source", name, registry())
    return registry()[name]
