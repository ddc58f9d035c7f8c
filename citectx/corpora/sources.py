"""Where the corpora come from: fetching sources whole or not at all, and finding them again.

A source is a folder of unmodified files from pinned commits of public repositories. It is taken
from a mirror (a folder of ``NAME.tar.xz``, environment variable CITECTX_MIRROR) or downloaded from
GitHub; either way the same files come out, each checked by its git blob id. They go to
CITECTX_DATA, or else to the user's cache.

Data that needs a licence stays in a folder that the reader names in an environment variable;
nothing is copied from there.
"""

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pandas as pd

from citectx import reading
from citectx.corpora.aside import move_aside, settle
from citectx.corpora.downloads import download
from citectx.corpora.registry import (
    Licensed,
    Member,
    Source,
    extract,
    licensed,
    parse_members,
    problems,
    registry,
    source,
)
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError, unknown
from citectx.paths import data_dir
from citectx.storage import OURS, clear, lock, own_folder, sha256, write_atomically

STAMP = ".citectx-complete"
"""Written last into a source's folder: the digest of the member list that it satisfies.

A folder without it is somebody else's, and is neither read nor replaced.
"""

_MEMBERS = ".citectx-members"
"""In a source's folder: the list that its files satisfy, which a later registry may not know."""

_OLD, _ASIDE = "old", "aside"

_PATIENCE = 600.0
"""Seconds to wait for another process that fetches the same source."""

_log = logging.getLogger(__name__)

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


def fetch(name: str | Source, *, from_dir: Path | None = None, verify: bool = False) -> Path:
    """Make a source available, whole and checked, unless it is already.

    Everything is made in a temporary folder and moved to its place in one step. An interruption,
    an error or a full disk leaves nothing behind, and the next call starts afresh; it also clears
    what a killed process left. Only a folder that an earlier fetch made is ever replaced, and what
    users have added to it or changed there is kept beside it, in ``NAME.yours-1``; the log says so.

    Our own around pooch, which keeps single files rather than folders that are whole or absent.

    Parameters
    ----------
    name : str or Source
    from_dir : Path, optional
        A folder that holds ``NAME.tar.xz``. Without it CITECTX_MIRROR is tried, and then GitHub.
    verify : bool
        Hash every file that is there, rather than trust that it is unchanged.

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
    if _is_present(wanted, verify=verify):
        return final
    if final.is_symlink():
        raise DataError(f"is a link to a damaged source; {_REMOVE}", file=final)
    archive = _archive(wanted, from_dir)
    with _workshop(wanted) as work:
        if _is_present(wanted, verify=verify):  # another process was quicker
            return final
        new = work / wanted.name
        if archive:
            extract(archive, wanted.members, new)
        else:
            download(wanted, new)
        write_atomically(new / _MEMBERS, wanted.listed)
        (new / STAMP).write_text(wanted.digest)
        if final.exists():
            final.replace(work / _OLD)
            _rescue(work, wanted)  # before the source is whole again, and nobody looks here
        new.replace(final)
    return final


def _archive(wanted: Source, from_dir: Path | None) -> Path | None:
    """Return the archive to unpack, checked; None if the source is to be downloaded."""
    archive = _shelved(wanted, from_dir or mirror())
    if archive is None and from_dir:
        missing = from_dir / f"{wanted.name}.tar.xz"
        raise MissingDataError(
            f"{missing} is not there; name its folder, or leave it out{_by_hand(wanted)}"
        )
    if archive is None:
        return None
    found = sha256(archive)
    if wanted.sha256 and found != wanted.sha256:
        hashes = f"its SHA-256 is {found}, the registry has {wanted.sha256}"
        advice = "copy it again, or unset the mirror to download from upstream"
        raise DataError(f"truncated or changed: {hashes}; {advice}", file=archive)
    return archive


def _by_hand(wanted: Source) -> str:
    """Say how to pack the files of a source that no mirror holds; "" for the others."""
    if wanted.sha256:
        return ""
    files = ", ".join(f"{member.path} (git blob {member.blob})" for member in wanted.members)
    return f". No mirror of ours has this archive; make it from upstream's {files}"


def _shelved(wanted: Source, where: Path | None) -> Path | None:
    """Return the archive of a source in a folder, if it is there."""
    archive = where / f"{wanted.name}.tar.xz" if where else None
    return archive if archive and archive.is_file() else None


def _is_present(wanted: Source, *, verify: bool) -> bool:
    return state(wanted, verify=verify)[0] == "present"


def _is_foreign(folder: Path) -> bool:
    """Whether a fetch would replace something that no fetch has made."""
    if not folder.is_dir():
        return folder.exists()
    return any(folder.iterdir()) and not (folder / STAMP).is_file()


_FOREIGN = (
    f"is not from citectx fetch (it has no {STAMP}); "
    "move it away, or set CITECTX_DATA to another folder"
)

_REMOVE = "remove the link, or set CITECTX_DATA to another folder"


@contextmanager
def _workshop(wanted: Source) -> Iterator[Path]:
    """Yield a temporary folder on the data's own disk; if it cannot be written, say what to do."""
    work = data_dir() / f".{wanted.name}-fetching"
    try:
        with lock(work, _PATIENCE):
            _leave(work, wanted)  # what a killed process has left
            try:
                own_folder(work)
                yield work
            finally:
                _leave(work, wanted)
    except CitectxError:
        raise
    except OSError as error:
        size = f"{'at most ' * (not wanted.is_sized)}{wanted.size / 1e6:,.0f} MB"
        what = f"{wanted.name} ({size}) cannot be written to {data_dir()}"
        advice = "Make room there, or set CITECTX_DATA to a folder on another disk"
        raise CitectxError(f"{what}: {error}. {advice}") from error


def _leave(work: Path, wanted: Source) -> None:
    """Delete the temporary folder, but nothing of the user's."""
    if (work / OURS).is_file():
        _rescue(work, wanted)
    clear(work)


def _rescue(work: Path, wanted: Source) -> None:
    """Move what is the user's in a source that is being replaced beside it, and say so."""
    old, aside = work / _OLD, work / _ASIDE
    members = {*wanted.members, *_remembered(old)}
    if old.exists():
        move_aside(old, members, (STAMP, _MEMBERS), aside)
        old.replace(work / "emptied")  # of what is not ours
    if aside.exists():
        for line in settle(aside, members, data_dir() / wanted.name):
            _log.warning("%s: %s", wanted.name, line)


def _remembered(old: Path) -> tuple[Member, ...]:
    """Return the members of a source that was replaced, () if that is not known."""
    try:
        return parse_members((old / _MEMBERS).read_bytes())
    except (OSError, ValueError):
        return ()


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
    if found != "present" and not _shelved(wanted, mirror()):
        advice = note or f"run: citectx fetch {wanted.name}"
        how = f", or citectx fetch --from DIR {wanted.name}{_by_hand(wanted)}"
        raise MissingDataError(f"{wanted.name} is {found}; {advice}{'' if wanted.sha256 else how}")
    unpacked = fetch(wanted)
    names = sorted(upstream.folder for upstream in wanted.upstream)
    matching = [each for each in names if each.startswith(repo or "")]
    if len(matching) != 1:
        known = ", ".join(names)
        raise ParameterError(f"{wanted.name}: repo={repo!r} must begin exactly one of {known}")
    return unpacked / matching[0]


def state(wanted: Source | Licensed, *, verify: bool = False) -> tuple[State, str]:
    """Return whether a source is on this machine, and what to do if it is not.

    With `verify` every file is hashed.
    """
    if isinstance(wanted, Licensed):
        return _licensed_state(wanted)
    there = data_dir() / wanted.name
    if not there.exists():
        return ("in mirror" if _shelved(wanted, mirror()) else "missing"), ""
    note = _damage(wanted, there, verify=verify)
    return ("damaged" if note else "present"), note


def _licensed_state(wanted: Licensed) -> tuple[State, str]:
    if not os.environ.get(wanted.variable):
        return "missing", f"citectx fetch {wanted.name} tells how to get it"
    try:
        licensed_folder(wanted.name)
    except CitectxError as error:
        return "damaged", str(error)
    return "present", ""


def _damage(wanted: Source, there: Path, *, verify: bool) -> str:
    """Say what is wrong with a source's folder and what to do; "" if it is as it should be."""
    if _is_foreign(there):
        return _FOREIGN
    stamp = there / STAMP
    if not reading.there(stamp) or reading.read_bytes(stamp) != wanted.digest.encode():
        return f"incomplete or of another version; run: citectx fetch {wanted.name}"
    found = problems(there, wanted.members) if verify else []
    if not found:
        return ""
    return f"{found[0]} ({len(found)} in all); run: citectx fetch --verify {wanted.name}"


def licensed_folder(name: str) -> Path:
    """Return the folder in which the reader keeps licensed data, after a look at what is in it.

    Parameters
    ----------
    name : {"tac2014", "trec-genomics", "umls"}

    Raises
    ------
    MissingDataError
        If its environment variable is not set or names no folder; the message tells how to get
        the data.
    DataError
        If it is the folder of TAC 2014 and does not hold what the release holds.
    """
    if name not in licensed():
        raise unknown("licensed source", name, licensed())
    wanted = licensed()[name]
    value = os.environ.get(wanted.variable)
    if not value:
        why = f"{wanted.title} cannot be fetched, it needs a licence ({wanted.licence})"
        then = f"Then set {wanted.variable} to the folder. Expected there: {wanted.expects}"
        raise MissingDataError(f"{why}. {wanted.how} {then}")
    where = Path(value).expanduser().absolute()
    if not where.is_dir():
        raise MissingDataError(
            f"{wanted.variable} names {where}, not a folder; expected: {wanted.expects}"
        )
    complaint = _tac2014_complaint(where) if name == "tac2014" else ""
    if complaint:
        raise DataError(f"{complaint}; {wanted.variable} must name {wanted.expects}", file=where)
    return where


TAC2014 = 20, range(308, 319)
"""Topics and numbered citances of the TAC 2014 release.

Ambiguity: the papers count 313 citances. The release came out in three versions, and a mistyped
number makes one more or less, so we accept a few about it. Another corpus in this format is read
under the profile own.
"""


_NUMBER = re.compile(rb"\bCita(?:nce|tion) Number:[ \t]*([^|\s]+)")


def _tac2014_complaint(where: Path) -> str:
    """Say what a folder lacks to be the TAC 2014 release; "" if it is."""
    expected, accepted = TAC2014
    topics: set[Path] = set()
    numbers: set[tuple[Path, bytes]] = set()
    for path in reading.listing(where, "data/D14*/Annotation/*.ann.txt"):
        found = _NUMBER.findall(reading.read_bytes(path))
        numbers.update((path.parent, number) for number in found)
        topics.add(path.parent)
    if len(topics) == expected and len(numbers) in accepted:
        return ""
    counted = f"there are {len(topics)} topics data/D14* with {len(numbers)} citances"
    own = "(a corpus of your own in this format is read with CITECTX_CORPUS and --profile own)"
    return f"{counted}, not {expected} with 313 {own}"


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
    if all_:
        names = _fetchable(from_dir)
    for name in names:
        try:
            _announce(name)
            print(f"{name}: {fetch(name, from_dir=from_dir, verify=verify)}")
        except CitectxError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


def _fetchable(from_dir: Path | None) -> list[str]:
    """Return all open sources; where archives are used, none that no mirror of ours has."""
    shelf = from_dir or mirror()
    names = []
    for name, each in registry().items():
        if shelf and not each.sha256 and not _shelved(each, shelf):
            print(f"{name}: is in no mirror; run: citectx fetch {name}", file=sys.stderr)
        else:
            names.append(name)
    return names


def _announce(name: str) -> None:
    """Say what comes, under which licence, before anything is copied or downloaded."""
    if name in registry():
        each = registry()[name]
        size = f"{each.size / 1e6:,.1f} MB" if each.is_sized else "size unknown"
        print(f"{each.title}, {size}; licence: {each.licence}", file=sys.stderr)


def cmd_sources(verify: bool = False) -> int:
    """Run ``citectx sources``: print the `state` of each source and where the data is kept.

    Returns
    -------
    int
        0, or 1 if anything is damaged.
    """
    rows = {}
    everything: list[Source | Licensed] = [*registry().values(), *licensed().values()]
    for each in everything:
        found, note = state(each, verify=verify)
        size = None
        if isinstance(each, Source) and each.is_sized:
            size = round(each.size / 1e6, 1)
        rows[each.name] = found, size, each.licence, note
    columns = ["state", "megabytes", "licence", "note"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    print(f"data: {data_dir()}\nmirror: {mirror() or 'none (CITECTX_MIRROR is not set)'}\n")
    print(table.to_string(na_rep="", max_colwidth=70, justify="left"))
    return int((table["state"] == "damaged").any())
