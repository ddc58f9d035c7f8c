"""What has been read: each file that the package opens is noted, so that a run knows its inputs.

Code opens files through `read_bytes` and `read_text`, lists folders through `listing`, and asks
through `there` whether a file exists. What opens files itself, such as a streaming reader, says
so with `note`. Workers hand on what they have read (`citectx.parallel`), as do results that come
from the cache (`citectx.cache`).
"""

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from citectx.errors import DataError
from citectx.storage import matches

_noted: dict[str, None] = {}
_news: dict[str, None] = {}
_recorders: list[dict[str, None]] = []
_modules: set[str] = set()


def note(path: Path) -> Path:
    """Note that a file is being read, or was looked for and is missing; returns its path."""
    _note(str(path.absolute()))
    return path


def read_bytes(path: Path) -> bytes:
    """Read a file whole."""
    return note(path).read_bytes()


def read_text(path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Read a text whole."""
    return note(path).read_text(encoding, errors)


def read_gzip(path: Path) -> str:
    """Read a compressed text whole.

    Raises
    ------
    DataError
        If it is truncated or damaged, or not in UTF-8.
    """
    try:
        return gzip.decompress(read_bytes(path)).decode()
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataError(f"is no whole gzip file of text ({error})", file=path) from error


def there(path: Path) -> bool:
    """Return whether there is such a file; its absence is an input, too."""
    return note(path).is_file()


def listing(folder: Path, pattern: str = "*") -> list[Path]:
    """List what a pattern finds below a folder, sorted, without hidden files; names are an input.

    Parameters
    ----------
    folder : Path
        May be missing: then nothing is found.
    pattern : str
        As `pathlib.Path.glob` takes it; without ``*`` it would be a file's name.
    """
    _note(str(folder.absolute() / pattern))
    return matches(folder, pattern)


def _note(name: str) -> None:
    if name not in _noted:
        _noted[name] = _news[name] = None
    for recorder in _recorders:
        recorder[name] = None


@contextmanager
def recording() -> Iterator[dict[str, None]]:
    """Collect the names that are noted while the block runs, in order.

    >>> with recording() as seen:
    ...     _ = there(Path("no-such-file.txt"))
    >>> [Path(name).name for name in seen]
    ['no-such-file.txt']
    """
    seen: dict[str, None] = {}
    _recorders.append(seen)
    try:
        yield seen
    finally:
        # By identity: two recorders that have seen the same are equal.
        _recorders[:] = [each for each in _recorders if each is not seen]


def forget(folder: Path) -> None:
    """Take back the names below a temporary folder, whose files follow from what else was read."""
    for names in (_noted, _news, *_recorders):
        for name in [name for name in names if Path(name).is_relative_to(folder)]:
            del names[name]


def noted() -> list[str]:
    """Return all names that this process and its workers have noted, sorted.

    A name with ``*`` is a pattern whose matches were listed; any other one is a file.
    """
    return sorted(_noted)


def news() -> list[str]:
    """Return the names that were noted since this was last asked: what a worker has to tell.

    All names with each result would be the square of them.
    """
    found = sorted(_news)
    for name in found:
        del _news[name]
    return found


def modules() -> list[str]:
    """Return the package's modules that this process and its workers have imported, sorted."""
    own = {name for name in sys.modules if name.partition(".")[0] == "citectx"}
    return sorted(own | _modules)


def add(names: Iterable[str], imported: Iterable[str] = ()) -> None:
    """Note what another process has read and imported, or what a kept result was computed from."""
    for name in names:
        _note(name)
    _modules.update(imported)
