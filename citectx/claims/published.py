"""The numbers that a paper prints, read from ``papers/<paper>/published/<table>.csv``.

One file a table, laid out as in the paper: a row a method, a column a metric, or the other way round where
the first field of the header says ``metric``. A cell keeps its marks of significance and, in parentheses, the
change over a baseline that some tables print beside a value: ``0.173* (3.0)``. An empty cell was not printed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from citectx.claims.results import read_csv
from citectx.errors import DataError

_NUMBER = r"-?\d+(?:\.\d+)?"
CELL = re.compile(rf"(?P<number>{_NUMBER})(?P<mark>[†*]*)(?: \((?P<change>{_NUMBER})\))?")


class Printed(NamedTuple):
    """One cell: the numbers as text, since trailing zeros say how far a paper rounds."""

    row: str
    column: str
    number: str
    mark: str = ""
    change: str = ""


def read_table(file: Path) -> list[Printed]:
    """Read a published table, row by row.

    Parameters
    ----------
    file : Path
        CSV with a header; its first field is ``method`` or ``metric``.

    Raises
    ------
    DataError
        If the file is no such table, names a row or column twice, or has a cell that is no number with marks.
    """
    frame = read_csv(file)
    rows_are = str(frame.columns[0])
    return list(_cells(frame.set_index(rows_are), file, rows_are))


def _cells(frame: pd.DataFrame, file: Path, rows_are: str) -> Iterator[Printed]:
    if rows_are not in {"method", "metric"}:
        raise DataError(f"begins with {rows_are!r}; expected method or metric", file=file, line=1)
    for names in (frame.index, frame.columns):
        if not names.is_unique:
            raise DataError(f"{names[names.duplicated()][0]!r} twice; expected once", file=file)
    for line, (name, texts) in enumerate(frame.iterrows(), 2):
        for other, text in texts[texts != ""].items():
            if (found := CELL.fullmatch(text)) is None:
                raise DataError(f"{text!r} under {other}; expected a number", file=file, line=line)
            row, column = (name, other) if rows_are == "method" else (other, name)
            yield Printed(str(row), str(column), *(part or "" for part in found.groups()))


def half_unit(number: str) -> float:
    """Return half a unit of the last printed digit: how far rounding can have moved a number.

    >>> half_unit("20.20"), half_unit("7")
    (0.005, 0.5)
    """
    return 0.5 * 10.0 ** -len(number.partition(".")[2])
