"""The numbers that the papers print: ``papers/<paper>/published/*.csv``.

``<table>.csv`` is laid out as in the paper: a row a method, a column a metric, or the other way
round where the first field of the header says ``metric``. A cell keeps its marks of significance
and, in parentheses, the change over a baseline in percent that some tables print beside a value:
``0.173* (3.0)``. An empty cell was not printed. ``text.csv`` lists the numbers of the running text,
with the columns where, table, method, metric, and value or change.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from citectx.errors import DataError
from citectx.experiments.results import read_csv

TEXT = "text.csv"
_NUMBER = r"-?\d+(?:\.\d+)?"
CELL = rf"(?P<value>{_NUMBER})(?P<mark>[†*]*)(?: \((?P<change>{_NUMBER})\))?"
COLUMNS = "table method metric value mark change where".split()


def read_published(folder: Path) -> pd.DataFrame:
    """Read all numbers of a paper: those of its text, then those of its tables.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; ``value`` and ``change`` are numbers, NaN where there is none, ``mark``
        is empty where the paper prints none, and ``where`` is for numbers of the text.

    Raises
    ------
    DataError
        If a file is not CSV, or a cell is not a number with marks.
    """
    files = sorted(folder.glob("*.csv"), reverse=True)  # the text, then tables
    frames = [read_table(file) for file in files]
    printed = pd.concat([pd.DataFrame(columns=COLUMNS), *frames], ignore_index=True).fillna("")
    numbers = {name: pd.to_numeric(printed[name]) for name in ("value", "change")}
    return printed.assign(**numbers)


def read_table(file: Path) -> pd.DataFrame:
    """Read a published table row by row, or the text; errors as in `read_published`."""
    frame = read_csv(file, kinds=str)
    if file.name == TEXT:
        return frame
    rows_are = frame.columns[0]
    others = {"method": "metric", "metric": "method"}[rows_are]
    cells: Any = frame.set_index(rows_are).rename_axis(columns=others)
    printed = cells.stack().dropna()  # noqa: PD013
    parts = printed.str.extract(f"^{CELL}$")
    if len(wrong := printed[parts["value"].isna()]):
        raise DataError(f"{wrong.iloc[0]!r}; expected a number", file=file)
    return parts.reset_index().assign(table=file.stem)
