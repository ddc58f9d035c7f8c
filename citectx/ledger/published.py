"""The numbers that the papers print: ``papers/<paper>/published/*.csv``.

``<table>.csv`` is laid out as in the paper: a row a method, a column a metric, or the other way
round where the first field of the header says ``metric``. A cell keeps its marks of significance
and, in parentheses, the change over a baseline in percent that some tables print beside a value:
``0.173* (3.0)``. An empty cell was not printed. ``text.csv`` lists the numbers of the running text,
with the columns where, table, method, metric, and value or change.
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
    the paper prints none; ``where`` is for numbers of the text.
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
        least, most = self.value - margin, self.value + margin
        ends = (ours.ci_low, ours.ci_high)
        low, high = (ours.value, ours.value) if isnan(ours.ci_low) else ends
        if high < least or low > most:
            return "differs"
        return "agrees" if least <= low and high <= most else "too wide to tell"


def read_folder(folder: Path) -> list[Printed]:
    """Read all numbers of a paper: those of its text, then those of its tables.

    Raises
    ------
    DataError
        If a file is no CSV, or has a cell that is no number with marks.
    """
    found = []
    text = folder / TEXT
    if text.is_file():
        cells = "table method metric value change where".split()
        for table, row, column, value, *more in read_csv(text, cells)[cells].to_numpy():
            found.append(Printed(table, row, column, value, "", *more))
    for file in sorted(folder.glob("*.csv")):
        if file.name != TEXT:
            found += read_table(file)
    return found


def read_table(file: Path) -> Iterator[Printed]:
    """Read a published table, row by row; errors as in `read_folder`."""
    frame = read_csv(file)
    rows_are = frame.columns[0]
    for line, (name, *texts) in enumerate(frame.to_numpy(), 2):
        for other, text in zip(frame.columns[1:], texts, strict=True):
            if not text:
                continue
            if (found := CELL.fullmatch(text)) is None:
                raise DataError(f"{text!r} under {other}; expected a number", file=file, line=line)
            row, column = (name, other) if rows_are == "method" else (other, name)
            yield Printed(file.stem, row, column, *found.groups(""))
