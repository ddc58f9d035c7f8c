"""Where the corpora come from: fetching sources whole or not at all, and finding them again.

A source is a folder of unmodified files from pinned commits of public repositories. It is taken
from a mirror (a folder of ``NAME.tar.xz``, environment variable CITECTX_MIRROR) or downloaded from
GitHub; either way the same files come out, each checked by its git blob id. They go to
CITECTX_DATA, or else to the user's cache.

Data that needs a licence stays in a folder that the reader names in an environment variable;
nothing is copied from there.
"""

import io
import os
import re
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from tqdm import TqdmWarning, tqdm

from citectx.corpora.registry import (
    Licensed,
    Source,
    extract,
    licensed,
    problems,
    registry,
    source,
    write_checked,
)
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError, unknown
from citectx.paths import data_dir
from citectx.storage import clear, lock, own_folder, sha256

with (
    warnings.catch_warnings()
):  # tqdm's advice to install ipywidgets would show up in every notebook
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

STAMP = ".citectx-complete"
"""Written last into a source's folder: the digest of the member list that the folder satisfies. A
folder without it is somebody else's, and is neither read nor replaced."""

_PATIENCE = 600.0
"""Seconds to wait for another process that fetches the same source."""

_HEADROOM = 64_000_000, 4
"""A commit's archive may have these bytes, plus this multiple of the registered ones: it may hold
more."""

_STALL = 60.0
"""Seconds without any byte after which a download is given up."""

State = Literal["present", "in mirror", "missing", "damaged"]


def mirror() -> Path | None:
    """Return the folder of archives that CITECTX_MIRROR names, None where it is not set.

    Raises
    ------
    MissingDataError
        If it names something that is not a folder.
    """
    value = os.environ.get("CITECTX_MIRROR")
    if not value:
        return None
    folder = Path(value).expanduser().absolute()
    if not folder.is_dir():
        raise MissingDataError(
            f"CITECTX_MIRROR names {folder}, which is not a folder; correct or unset it"
        )
    return folder


def fetch(
    name: str | Source, *, from_dir: Path | None = None, progress: bool = True, verify: bool = False
) -> Path:
    """Make a source available, whole and checked; nothing is done where it is so already.

    Everything is made in a temporary folder and moved to its place in one step. After an
    interruption, an error or a full disk nothing is left of it, and the next call starts afresh;
    what a killed process left is cleared by the next fetch. Only a folder that an earlier fetch
    made is ever replaced.

    Parameters
    ----------
    name : str or Source
    from_dir : Path, optional
        A folder that holds ``NAME.tar.xz``. Without it CITECTX_MIRROR is tried, and then GitHub.
    progress : bool
        Whether to name licence and origin before anything is copied or downloaded, and to show
        progress bars (on stderr).
    verify : bool
        Hash every file that is there, rather than trust that nobody changed it.

    Returns
    -------
    Path
        The source's folder, in which each commit has a folder ``REPO-COMMIT/``.

    Raises
    ------
    ParameterError
        If the name is unknown.
    MissingDataError
        If the archive is not in `from_dir`, or the download fails, or the data needs a licence.
    DataError
        If an archive or file is not what the registry says, or something else is in its place.
    CitectxError
        If the files cannot be written.
    """
    if isinstance(name, str) and name in licensed():
        return licensed_folder(name)
    wanted = source(name)
    final = data_dir() / wanted.name
    if _is_foreign(final):
        raise DataError(_FOREIGN, file=final)
    if state(wanted, verify=verify)[0] == "present":
        return final
    archive = _archive(wanted, from_dir)
    if from_dir and not archive:
        message = f"{from_dir / wanted.name}.tar.xz is not there; name its folder, or leave the folder out"
        raise MissingDataError(message)
    if archive and (found := sha256(archive)) != wanted.sha256:
        advice = "copy it again, or do without a mirror to download from upstream"
        message = f"truncated or changed: its SHA-256 is {found}, the registry has {wanted.sha256}; {advice}"
        raise DataError(message, file=archive)
    origin = archive or ", ".join(f"{u.owner}/{u.repo} on GitHub" for u in wanted.upstream)
    if progress:
        text = (
            f"{wanted.name}: {wanted.size / 1e6:,.1f} MB from {origin}\nlicence: {wanted.licence}"
        )
        tqdm.write(text, file=sys.stderr)
    with _workshop(wanted) as work:
        if state(wanted, verify=verify)[0] == "present":  # another process was quicker
            return final
        new = work / wanted.name
        if archive:
            extract(archive, wanted.members, new, progress=progress)
        else:
            _download(wanted, new, progress=progress)
        (new / STAMP).write_text(wanted.digest)
        if final.exists():
            final.replace(work / "old")
        new.replace(final)
    return final


def _archive(wanted: Source, from_dir: Path | None = None) -> Path | None:
    """Return the archive in a folder, or else in the mirror, if it is there."""
    where = from_dir or mirror()
    archive = where / f"{wanted.name}.tar.xz" if where else None
    return archive if archive and archive.is_file() else None


def _is_foreign(folder: Path) -> bool:
    """Whether a fetch would replace something that no fetch has made."""
    ours = (folder / STAMP).is_file()
    return folder.exists() and not ours and not (folder.is_dir() and not any(folder.iterdir()))


_FOREIGN = f"is not from citectx fetch (it has no {STAMP}); move it away, or set CITECTX_DATA to another folder"


@contextmanager
def _workshop(wanted: Source) -> Iterator[Path]:
    """Yield a temporary folder on the data's own disk; a refusing disk becomes an error with
    advice.
    """
    work = data_dir() / f".{wanted.name}-fetching"
    try:
        with lock(work, _PATIENCE):
            clear(work)  # left by a killed process
            try:
                own_folder(work)
                yield work
            finally:
                clear(work)
    except CitectxError:
        raise
    except OSError as error:
        advice = "Make room there, or set CITECTX_DATA to a folder on another disk"
        message = f"{wanted.name} ({wanted.size / 1e6:,.0f} MB) cannot be written to {data_dir()}: {error}. {advice}"
        raise CitectxError(message) from error


def _download(wanted: Source, new: Path, *, progress: bool) -> None:
    for upstream in wanted.upstream:
        members = [m for m in wanted.members if m.path.startswith(f"{upstream.folder}/")]
        if wanted.download == "archive":
            constant, factor = _HEADROOM
            most = constant + factor * sum(member.size for member in members)
            url, part = upstream.archive_url, new.with_suffix(".tar.gz")
            extract(
                _download_url(url, part, most, progress=progress),
                members,
                new,
                url,
                progress=progress,
            )
            part.unlink()
            continue
        for member in tqdm(members, desc=upstream.repo, unit="file", disable=not progress):
            url, part = upstream.file_url(member.path.partition("/")[2]), new.with_suffix(".part")
            with _download_url(url, part, member.size, progress=False).open("rb") as stream:
                write_checked(stream, member, new, url)
            part.unlink()


class _Bounded(io.FileIO):
    """A file of limited size; pooch would take all that comes."""

    def __init__(self, path: Path, most: int, url: str) -> None:
        super().__init__(path, "wb")
        self.most, self.url = most, url

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise CitectxError(
                f"{self.url}: is larger than the {self.most:,} bytes that it may have"
            )
        return super().write(data)


def _download_url(url: str, target: Path, most: int, *, progress: bool) -> Path:
    """Download with three more tries."""
    options = {"chunk_size": 1 << 16, "timeout": _STALL, "headers": {"Accept-Encoding": "identity"}}
    by_http = pooch.HTTPDownloader(progressbar=progress, **options)
    for pause in (1, 2, 3, 0):
        try:
            with _Bounded(target, most, url) as file:
                by_http(url, file, None)
            break
        except OSError as error:
            if error.errno is not None:  # the disk's fault, not the network's
                raise
            if not pause:
                advice = "try again, or name a folder of archives (--from DIR)"
                raise MissingDataError(
                    f"{url} could not be downloaded ({error}); {advice}"
                ) from error
            time.sleep(pause)
    return target


def folder(name: str | Source, repo: str | None = None) -> Path:
    """Return the folder of upstream's files, for readers.

    A source that is not there yet is taken from CITECTX_MIRROR without asking; nothing is
    downloaded.

    Parameters
    ----------
    name : str or Source
    repo : str, optional
        How the commit's folder ``REPO-COMMIT`` begins; needed for a source made of several.

    Returns
    -------
    Path
        ``<data_dir>/NAME/REPO-COMMIT``.

    Raises
    ------
    MissingDataError
        If the source is neither there nor in the mirror; the message holds the command that fetches
        it.
    ParameterError
        If the name is unknown, or not exactly one folder begins with `repo`.
    """
    wanted = source(name)
    found, note = state(wanted)
    if found != "present" and not _archive(wanted):
        raise MissingDataError(
            f"{wanted.name} is {found}; {note or f'run: citectx fetch {wanted.name}'}"
        )
    unpacked = fetch(wanted, progress=False)
    names = sorted(upstream.folder for upstream in wanted.upstream)
    matching = [each for each in names if each.startswith(repo or "")]
    if len(matching) != 1:
        raise ParameterError(
            f"{wanted.name}: repo={repo!r} must begin exactly one of {', '.join(names)}"
        )
    return unpacked / matching[0]


def state(wanted: Source | Licensed, *, verify: bool = False) -> tuple[State, str]:
    """Return whether a source is on this machine, and what to do if not; `verify` hashes every
    file.
    """
    if isinstance(wanted, Licensed):
        if not os.environ.get(wanted.variable):
            return "missing", f"citectx fetch {wanted.name} tells how to get it"
        try:
            licensed_folder(wanted.name)
        except CitectxError as error:
            return "damaged", str(error)
        return "present", ""
    there = data_dir() / wanted.name
    if not there.exists():
        return ("in mirror" if _archive(wanted) else "missing"), ""
    stamp, note = there / STAMP, ""
    if _is_foreign(there):
        note = _FOREIGN
    elif not stamp.is_file() or stamp.read_bytes() != wanted.digest.encode():
        note = f"incomplete or of another version; run: citectx fetch {wanted.name}"
    elif found := problems(there, wanted.members) if verify else []:
        note = f"{found[0]} ({len(found)} in all); run: citectx fetch --verify {wanted.name}"
    return ("damaged" if note else "present"), note


def licensed_folder(name: str) -> Path:
    """Return the folder in which the reader keeps licensed data, after a look at what is in it.

    Parameters
    ----------
    name : {"tac2014", "trec-genomics", "umls"}

    Raises
    ------
    MissingDataError
        If its environment variable is not set or names no folder; the message tells how to get the
        data.
    DataError
        If it is the folder of TAC 2014 and does not hold what the release holds.
    """
    if name not in licensed():
        raise unknown("licensed source", name, licensed())
    wanted = licensed()[name]
    value = os.environ.get(wanted.variable)
    if not value:
        advice = f"{wanted.how} Then set {wanted.variable} to the folder. Expected there: {wanted.expects}"
        raise MissingDataError(
            f"{wanted.title} cannot be fetched, it needs a licence ({wanted.licence}). {advice}"
        )
    where = Path(value).expanduser().absolute()
    if not where.is_dir():
        raise MissingDataError(
            f"{wanted.variable} names {where}, not a folder; expected: {wanted.expects}"
        )
    if complaint := name == "tac2014" and _tac2014_complaint(where):
        raise DataError(f"{complaint}; {wanted.variable} must name {wanted.expects}", file=where)
    return where


TAC2014 = 20, range(308, 319)
"""Topics and numbered citances of the TAC 2014 release.

Ambiguity: the papers count 313 citances. The release came out in three versions, and a mistyped
number makes one more or less, so we accept a few about it. Another corpus in this format is read
under the profile own.
"""


def _tac2014_complaint(where: Path) -> str:
    topics, (count, citances) = sorted(where.glob("data/D14*")), TAC2014
    number = re.compile(rb"\bCita(?:nce|tion) Number:[ \t]*([^|\s]+)")
    files = [path for topic in topics for path in topic.glob("Annotation/*.ann.txt")]
    numbers = {
        (path.parent, found) for path in files for found in number.findall(path.read_bytes())
    }
    if len(topics) == count and len(numbers) in citances:
        return ""
    own = "(a corpus of your own in this format is read with CITECTX_CORPUS and --profile own)"
    return f"there are {len(topics)} topics data/D14* with {len(numbers)} citances, not {count} with 313 {own}"


def cmd_fetch(
    names: Iterable[str] = (),
    all_: bool = False,
    from_dir: Path | None = None,
    verify: bool = False,
) -> int:
    """Run ``citectx fetch``: fetch the named or all open sources, print where they are.

    Returns
    -------
    int
        0, or 1 if any of them failed; the others are fetched all the same.

    Raises
    ------
    ParameterError
        Unless either names or `all_` are given.
    """
    names = list(names)
    if bool(names) == all_:
        raise ParameterError(
            "name the sources to fetch, or say --all; `citectx sources` lists them"
        )
    failed = 0
    for name in registry() if all_ else names:
        try:
            print(f"{name}: {fetch(name, from_dir=from_dir, verify=verify)}")
        except CitectxError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


def cmd_sources(verify: bool = False) -> int:
    """Run ``citectx sources``: print the `state` of each source and where the data is kept.

    Returns
    -------
    int
        0, or 1 if anything is damaged.
    """
    rows = []
    everything: list[Source | Licensed] = [*registry().values(), *licensed().values()]
    for each in everything:
        size = round(each.size / 1e6, 1) if isinstance(each, Source) else None
        found, note = state(each, verify=verify)
        rows.append((found, size, each.licence, note))
    names = pd.Index([each.name for each in everything])
    table = pd.DataFrame(rows, names, columns=["state", "megabytes", "licence", "note"])
    print(f"data: {data_dir()}\nmirror: {mirror() or 'none (CITECTX_MIRROR is not set)'}\n")
    print(table.to_string(index_names=False, na_rep="", max_colwidth=70, justify="left"))
    return int((table["state"] == "damaged").any())
