"""Kill work at each step at which it changes a file: every moment that a lost process can leave.

A step is making, renaming or deleting a file or folder, or opening a file to write. The latter is
two steps, as the process may also die with the file half written. Python announces each beforehand
(`sys.addaudithook`).
"""

import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

CHANGES = {"os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class _Killer:
    """Counts the steps below a folder, and kills the process before one of them."""

    def __init__(self, folder: Path, step: int) -> None:
        self.folder, self.left = str(folder), step

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & WRITES and self.covers(path):
                self.count()
                self.count(half=path)
        elif event in CHANGES and self.covers(arguments[0]):
            self.count()

    def covers(self, path: object) -> bool:
        """Whether a file is below the folder; only deleting a tree uses relative names."""
        name = os.fsdecode(path) if isinstance(path, str | bytes | Path) else "/"
        return name.startswith(self.folder) or not name.startswith("/")

    def count(self, half: str = "") -> None:
        self.left -= 1
        if self.left:
            return
        if half:
            os.write(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), b'{"half')
        os.kill(os.getpid(), signal.SIGKILL)


def killed(folder: Path, step: int, work: Callable[[], object]) -> bool:
    """Begin work in a copy of this process, which must have no other threads, and kill it.

    Parameters
    ----------
    folder : Path
        Steps elsewhere do not count.
    step : int
        From 1.
    work : callable

    Returns
    -------
    bool
        False if the work was finished before.
    """
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        assert status in (0, signal.SIGKILL), "the work failed, see above"
        return status != 0
    try:
        sys.addaudithook(_Killer(folder, step))
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def problems(
    folder: Path,
    work: Callable[[], object],
    kept: Callable[[], Mapping[str, object]],
    times: int = 1,
    every: int = 1,
) -> list[str]:
    """Say what is lost or left if work is killed at each of its steps and then begun again.

    Parameters
    ----------
    folder : Path
        Holds what the work begins with, and all that it changes.
    work : callable
    kept : callable
        Returns what there is of results, by name. After each kill it must be what was there before
        or what the work makes; an error says that it is damaged.
    times, every : int
        How often it is killed before it is left in peace, and at one of how many steps each time.
    """
    old = kept()
    with tempfile.TemporaryDirectory() as place:
        _put(folder, Path(place))
        work()
        new, end = kept(), tree(folder)
        _put(Path(place), folder)
    found = []
    for steps in each_kill(folder, work, times, every):
        try:
            now = kept()
            work()
        except Exception as error:
            found.append(f"killed at {steps}: {error!r}")
        else:
            for name in {**old, **new}:
                if now.get(name) not in (old.get(name), new.get(name)):
                    found.append(f"killed at {steps}: {name} is lost")
            for name in sorted({name for name, _ in tree(folder).items() ^ end.items()}):
                found.append(f"killed at {steps}: {name} differs at the end")
    return found


def each_kill(
    folder: Path, work: Callable[[], object], times: int = 1, every: int = 1
) -> Iterator[tuple[int, ...]]:
    """Kill work at each of its steps, and again at each of those by which it mends that.

    Yields
    ------
    tuple of int
        The steps at which it was killed. The folder is as the last kill has left it, and may be
        changed.
    """
    with tempfile.TemporaryDirectory() as place:
        before, after = Path(place, "before"), Path(place, "after")
        shutil.copytree(folder, before)
        for step in count(1, every):
            _put(before, folder)
            if not killed(folder, step, work):
                assert step > 1, "the work changes nothing"
                return
            _put(folder, after)
            yield (step,)
            if times > 1:
                _put(after, folder)
                yield from ((step, *more) for more in each_kill(folder, work, times - 1, every))


def _put(folder: Path, place: Path) -> None:
    """Make a place a copy of a folder."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)


def tree(folder: Path) -> dict[str, bytes]:
    """Return all that a folder holds: the bytes of files, and folders as files without any."""
    found = sorted(folder.rglob("*"))
    named = {path.relative_to(folder).as_posix(): path for path in found}
    return {name: path.read_bytes() if path.is_file() else b"" for name, path in named.items()}
