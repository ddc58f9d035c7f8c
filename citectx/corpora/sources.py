"""Where the corpora come from: pinned commits, fetched by git, or archives of the same files.

A source is a folder of unmodified files. It comes from a mirror, a folder of archives
``NAME.tar.xz`` that CITECTX_MIRROR names, or else from GitHub, and goes to CITECTX_DATA, by default
the user's cache. Licensed data stays where its users keep it.
"""

import os
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten

from citectx.corpora.text_files import read_text
from citectx.errors import DataError, MissingDataError, look_up
from citectx.paths import DATA, data_dir
from citectx.storage import git, sha256

REGISTRY = DATA / "registry"
GITHUB = "https://github.com"

SUMS = "SHA256SUMS"
"""Lists the SHA-256 of each file of a source, in its folder, as ``sha256sum --check`` reads it."""

REMEDY = "move the folder away and fetch it again"


@dataclass(frozen=True)
class Source:
    """Data that this project works on, as ``data/registry/sources.yaml`` describes it.

    `upstream` holds the wanted paths of each ``OWNER/REPOSITORY-COMMIT``, as git's sparse patterns;
    `sha256` is that of a mirror's archive, "" if mirrors have none. Of data that needs a licence,
    `variable` names the user's folder, and `how` says how to get it.
    """

    name: str
    title: str
    licence: str
    holds: str
    upstream: dict[str, str]
    megabytes: float | str = ""
    sha256: str = ""
    variable: str = ""
    how: str = ""

    @property
    def folder(self) -> Path:
        """Where it is on this machine, if it is."""
        return Path(os.environ.get(self.variable) or data_dir() / self.name)

    @property
    def archive(self) -> Path:
        """Where the mirror has it, if it does."""
        return Path(os.environ.get("CITECTX_MIRROR") or "no mirror", f"{self.name}.tar.xz")


@cache
def registry() -> dict[str, Source]:
    """Return all sources by name."""
    import yaml  # half of what `citectx claims` would import

    facts = yaml.safe_load((REGISTRY / "sources.yaml").read_text("utf-8"))
    return {name: Source(name, **fields) for name, fields in facts.items()}


def source(name: str) -> Source:
    """Return the source of this name; a ParameterError lists those that are known."""
    return look_up("source", name, registry())


def fetch(name: str) -> Path:
    """Return the folder of a source, fetched from the mirror or GitHub if it is not there yet.

    The folder appears whole or not at all, and replaces nothing. Licensed data is only ever read. A
    MissingDataError says what to do; a DataError refuses an archive that is not the registered one.
    """
    wanted = source(name)
    if wanted.folder.is_dir():
        return wanted.folder
    if wanted.variable:
        raise MissingDataError(
            f"{wanted.title} needs a licence ({wanted.licence}), "
            f"and {wanted.variable} names no folder. {wanted.how}"
        )
    try:
        data_dir().mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=data_dir(), prefix=".fetching-") as work:
            new = Path(work, name)
            make = _unpack if wanted.archive.is_file() else _check_out
            make(wanted, new)
            (new / SUMS).write_text("\n".join(_sums(new)), "utf-8")
            new.replace(wanted.folder)
    except (OSError, subprocess.CalledProcessError) as error:
        if not wanted.folder.is_dir():  # else another process was quicker
            why = str(getattr(error, "stderr", error)).strip()
            raise MissingDataError(
                f"{name} cannot be fetched: {why}. It needs git and a network, "
                "or its archive in CITECTX_MIRROR, and room in CITECTX_DATA"
            ) from error
    return wanted.folder


def _unpack(wanted: Source, new: Path) -> None:
    if sha256(wanted.archive) != wanted.sha256:
        raise DataError("SHA-256 differs from the registry's; copy it again", file=wanted.archive)
    with tarfile.open(wanted.archive) as tar:
        # Python has the filter since 3.11.4; before, the checksum alone vouches for the archive.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(new)


def _check_out(wanted: Source, new: Path) -> None:
    """Get the wanted paths of each commit; git checks every byte against the commit's id."""
    more = more_patterns(wanted.name)
    for upstream, patterns in wanted.upstream.items():
        address, _, commit = upstream.rpartition("-")
        tree = new / Path(upstream).name
        tree.mkdir(parents=True)
        # Without askPass, git asks for a password where a repository is gone.
        options = ("-c", "core.askPass=true", "-c", "core.autocrlf=false")
        for step in (
            ["init", "--quiet"],
            # A server that cannot filter sends the whole commit.
            ["fetch", "--depth=1", "--filter=blob:none", f"{GITHUB}/{address}", commit],
            ["sparse-checkout", "set", "--no-cone", "--stdin"],
            ["checkout", "--quiet", "FETCH_HEAD"],
        ):
            git(Path(f"{new}.{commit}"), tree, *options, *step, text=patterns + more)


def more_patterns(name: str) -> str:
    """Return the patterns of a source of which only a sample is wanted; "" for others."""
    sample = REGISTRY / f"{name}.paths.gz"
    return read_text(sample) if sample.exists() else ""


def _sums(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [f"{sha256(path)}  {path.relative_to(folder)}" for path in files]


def verify(name: str) -> None:
    """Raise a DataError that names the files missing or changed since a source was fetched.

    Without the sums that fetching writes, a MissingDataError says what to do.
    """
    folder = source(name).folder
    if not (folder / SUMS).is_file():
        raise MissingDataError(f"{folder} has no {SUMS}, which fetching writes; {REMEDY}")
    fetched = (folder / SUMS).read_text("utf-8").splitlines()
    changed = sorted(line[66:] for line in set(fetched) - set(_sums(folder)))
    if changed:
        raise DataError(f"missing or changed: {', '.join(changed)}; {REMEDY}", file=folder)


def folder(name: str, repo: str = "") -> Path:
    """Return the folder of upstream's files, ``<data_dir>/NAME/REPOSITORY-COMMIT``, for readers.

    A source that is not there is taken from the mirror, never from the network; where both lack it,
    a `MissingDataError` holds the command that fetches it. A source made of several repositories
    needs the beginning of the repository's name.
    """
    wanted = source(name)
    if not (wanted.folder.is_dir() or wanted.archive.is_file()):
        raise MissingDataError(f"{name} is missing; run: citectx fetch {name}")
    [upstream] = [address for address in wanted.upstream if f"/{repo}" in address]
    return fetch(name) / Path(upstream).name


def cmd_fetch(names: Sequence[str], all_: bool, verified: bool) -> None:
    """Run ``citectx fetch``: get sources and say where they are; without names, list them.

    With `all_`, these are all sources that mirrors have. Verifying without names checks all sources
    that are there.
    """
    if all_:
        names = [name for name, known in registry().items() if known.sha256]
    elif verified and not names:
        names = [name for name in registry() if (data_dir() / name).is_dir()]
    for name in names:
        print(f"{name}: {source(name).licence}")
        print(fetch(name))
        if verified:
            verify(name)
    if not names:
        show_sources()


def show_sources() -> None:
    """Print the names of all sources, and which of them are there."""
    print(f"data: {data_dir()}\n\n{'source':32}  state       MB  licence")
    for known in registry().values():
        state = "present" if known.folder.is_dir() else "missing"
        licence = shorten(known.licence, 50)
        print(f"{known.name:32}  {state}  {known.megabytes:>5}  {licence}")
