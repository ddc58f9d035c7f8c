"""The numbers that the papers print: ``papers/<paper>/published/*.csv``.

``<table>.csv`` is laid out as in the paper: a row a method, a column a metric, or the other way
round where the first field of the header says ``metric``. A cell keeps its marks of significance
and, in parentheses, the change over a baseline in percent that some tables print beside a value:
``0.173* (3.0)``. An empty cell was not printed. ``text.csv`` lists the numbers of the running text.
"""

import re
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import NamedTuple

from citectx.errors import DataError
from citectx.experiments.tables import read_csv
from citectx.ledger.results import Number

TEXT = "text.csv"
_NUMBER = r"-?\d+(?:\.\d+)?"
CELL = re.compile(rf"(?P<number>{_NUMBER})(?P<mark>[†*]*)(?: \((?P<change>{_NUMBER})\))?")
MARGIN = 0.1
"""A published number agrees with ours if our whole interval lies within this share of it."""


class Printed(NamedTuple):
    """One printed number: text, since trailing zeros say how far a paper rounds.

    ``number`` is empty where the text has a change only; ``mark`` and ``change`` are empty where
    the paper prints none.
    """

    table: str
    row: str
    column: str
    number: str
    mark: str = ""
    change: str = ""
    where: str = ""

    @property
    def value(self) -> float:
        """The number; NaN where only a change is printed."""
        return float(self.number or "nan")

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit: how far rounding can have moved the number.

        >>> Printed("table1", "A", "c-F", "20.20").half_unit
        0.005
        """
        return 0.5 * 10.0 ** -len(self.number.partition(".")[2])

    def agrees(self, ours: Number) -> str:
        """Compare with our number: "agrees", "differs", or "too wide to tell".

        It agrees where ours rounds to it, or where our interval (our value, for numbers without
        one, such as counts) lies within a tenth of it.

        Examples
        --------
        >>> printed = Printed("table1", "A", "c-F", "20.0")
        >>> [printed.agrees(Number(*found)) for found in ((20.5, 19.5, 21.5), (50, 0, 100))]
        ['agrees', 'too wide to tell']
        """
        if abs(ours.value - self.value) <= self.half_unit + 1e-9:
            return "agrees"
        margin = max(MARGIN * abs(self.value), self.half_unit)
        ends = (ours.ci_low, ours.ci_high)
        low, high = (ours.value, ours.value) if isnan(ours.ci_low) else ends
        if self.value - margin <= low and high <= self.value + margin:
            return "agrees"
        if high < self.value - margin or low > self.value + margin:
            return "differs"
        return "too wide to tell"


def read_folder(folder: Path) -> list[Printed]:
    """Read all numbers of a paper: those of its text, then those of its tables.

    Raises
    ------
    DataError
        As `read_text` and `read_table` do.
    """
    text = folder / TEXT
    found = list(read_text(text)) if text.is_file() else []
    for file in sorted(folder.glob("*.csv")):
        if file.name != TEXT:
            found += read_table(file)
    return found


def read_text(file: Path) -> Iterator[Printed]:
    """Read the numbers of the running text.

    Parameters
    ----------
    file : Path
        CSV with the columns where, table, method, metric, and value or change.

    Raises
    ------
    DataError
        If it is not such a list, or has a line without exactly one number.
    """
    frame = read_csv(file, ["where", "table", "method", "metric", "value", "change"])
    for line, row in enumerate(frame.to_dict("records"), 2):
        given = [row[name] for name in ("value", "change") if row[name]]
        if len(given) != 1 or not re.fullmatch(_NUMBER, given[0]):
            raise DataError(f"{given} as value or change; expected a number", file=file, line=line)
        yield Printed(
            row["table"],
            row["method"],
            row["metric"],
            row["value"],
            change=row["change"],
            where=row["where"],
        )


def read_table(file: Path) -> Iterator[Printed]:
    """Read a published table, row by row.

    Parameters
    ----------
    file : Path
        CSV with a header; its first field is ``method`` or ``metric``.

    Raises
    ------
    DataError
        If the file is no such table, names a row or column twice, or has a cell that is no number
        with marks.
    """
    frame = read_csv(file)
    rows_are = str(frame.columns[0])
    if rows_are not in {"method", "metric"}:
        raise DataError(f"begins with {rows_are!r}; expected method or metric", file=file, line=1)
    frame = frame.set_index(rows_are)
    for names in (frame.index, frame.columns):
        if not names.is_unique:
            raise DataError(f"{names[names.duplicated()][0]!r} twice; expected once", file=file)
    for line, (name, texts) in enumerate(frame.iterrows(), 2):
        for other, text in texts[texts != ""].items():
            if (found := CELL.fullmatch(text)) is None:
                raise DataError(f"{text!r} under {other}; expected a number", file=file, line=line)
            row, column = (name, other) if rows_are == "method" else (other, name)
            parts = (found["number"], found["mark"], found["change"] or "")
            yield Printed(file.stem, str(row), str(column), *parts)
