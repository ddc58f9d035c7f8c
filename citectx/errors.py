"""Errors that say where, what was expected, and what to do."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

Thing = TypeVar("Thing")


class CitectxError(Exception):
    """Base of every error that this package raises on purpose."""


class ParameterError(CitectxError, ValueError):
    """A parameter has an unknown name or an impossible value."""


class DataError(CitectxError, ValueError):
    """A file, record or offset is not what its format promises.

    The message says what was found, what was expected and what to do; lines count from 1.

    >>> raise DataError("expected 12 fields, found 9", file="D1401.A.ann.txt", line=7)
    Traceback (most recent call last):
    citectx.errors.DataError: D1401.A.ann.txt, line 7: expected 12 fields, found 9
    """

    def __init__(
        self, message: str, *, file: Path | str | None = None, line: int | None = None
    ) -> None:
        within = f", line {line}" if line else ""
        place = f"{file}{within}: " if file else ""
        message = message if len(message) <= 1000 else f"{message[:999]}…"
        super().__init__(place + message)
        self.message = message


class MissingDataError(CitectxError, FileNotFoundError):
    """Data that is not on this machine; the message tells how to get it."""


def unknown(kind: str, name: object, known: object) -> ParameterError:
    """Build the error for an unknown name: which one may be meant, and the valid ones.

    >>> print(unknown("method", "bm52", ["BM25", "LMD"]))
    unknown method 'bm52'; did you mean 'BM25'? known: 'BM25', 'LMD'
    >>> print(unknown("method", "PageRank", ["BM25", "LMD"]))
    unknown method 'PageRank'; known: 'BM25', 'LMD'
    """
    names = sorted(map(str, known))  # type: ignore[call-overload]
    listed = ", ".join(map(repr, names))
    folded = {each.casefold(): each for each in names}
    similar = get_close_matches(str(name).casefold(), folded, n=1)
    meant = f" did you mean {folded[similar[0]]!r}?" if similar else ""
    message = f"unknown {kind} {name!r};{meant} known: {listed}"
    # The first letter of a list as text, such as "[BM25, LMD]", which was taken letter by letter.
    if name == "[":
        message += "; a list was given as text; with papermill: -y 'NAME: [A, B]'"
    return ParameterError(message)


def check_list(name: str, value: object) -> None:
    """Refuse text where a list is expected: its letters would be taken one by one.

    >>> check_list("methods", "[BM25, LMD]")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: methods is text, expected a list; with papermill: -y ...
    """
    if isinstance(value, str):
        raise ParameterError(
            f"{name} is text, expected a list; with papermill: -y '{name}: [BM25, LMD]'"
        )


def look_up(kind: str, name: str, known: Mapping[str, Thing]) -> Thing:
    """Look one of several things up by its name; if there is none, list the valid ones.

    >>> look_up("citance", "2", {"1": "Cells rest.", "2": "They die."})
    'They die.'
    """
    if name not in known:
        raise unknown(kind, name, known)
    return known[name]
