"""What users have put into a source, or changed there, is theirs: kept when the source is replaced.

It moves to a folder ``NAME.yours-1`` beside the source, under the paths that it had.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import count
from pathlib import Path

from citectx.corpora.registry import Member, unchanged

_NAMED = 10
"""How many files a message names."""


def move_aside(old: Path, members: Iterable[Member], marks: Collection[str], aside: Path) -> None:
    """Move what is not ours out of a source's folder, to the same paths below another folder.

    What is interrupted can be called again. A link moves as a link, wherever it leads.

    Parameters
    ----------
    old : Path
        The source's folder, which is going to be deleted.
    members : iterable of Member
        What is ours, unless it was changed.
    marks : collection of str
        What is ours in any case.
    aside : Path
        On the same disk.
    """
    ours: dict[str, list[Member]] = {}
    for member in members:
        ours.setdefault(member.path, []).append(member)
    for path in list(_files(old)):
        if path not in marks and not _is_ours(old, path, ours.get(path, ())):
            (aside / path).parent.mkdir(parents=True, exist_ok=True)
            (old / path).replace(aside / path)


def _is_ours(old: Path, path: str, members: Iterable[Member]) -> bool:
    try:
        return not (old / path).is_symlink() and any(unchanged(old, each) for each in members)
    except OSError:  # what cannot be read may be anything
        return False


def settle(aside: Path, members: Iterable[Member], source: Path) -> list[str]:
    """Give what was moved aside a name that is free, and say what it is.

    Returns
    -------
    list of str
        A line about the files that users have added, and one about those that they have changed.
    """
    found = list(_files(aside))
    if not found:
        return []
    numbered = (source.with_name(f"{source.name}.yours-{number}") for number in count(1))
    place = next(name for name in numbered if not os.path.lexists(name))
    aside.replace(place)
    registered = {member.path for member in members}
    kinds = {
        "not of this source": [path for path in found if path not in registered],
        "of this source, but changed": [path for path in found if path in registered],
    }
    return [
        f"kept in {place}, {len(paths):,} {kind}: {_named(paths)}"
        for kind, paths in kinds.items()
        if paths
    ]


def _named(paths: list[str]) -> str:
    rest = len(paths) - _NAMED
    return ", ".join(map(repr, paths[:_NAMED])) + (f" and {rest:,} more" if rest > 0 else "")


def _files(folder: Path) -> Iterator[str]:
    """Iterate over whatever is below a folder but folders: files, links, and the like."""

    def fail(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=fail):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        for name in sorted((*files, *links)):
            yield (here / name).relative_to(folder).as_posix()
