"""Tables read back: as text, so that nothing is guessed, then checked.

Results may come from somebody else. What is not as this package writes it is an error that names
file, line and column, never another number.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from citectx.errors import DataError

NUMBERS = ("value", "ci_low", "ci_high", "p_value", "n", "seed")
DAMAGE = (OSError, EOFError, ValueError, zlib.error, csv.Error)


def read_csv(file: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV as text, with a header; empty cells are empty texts.

    Our own, since pandas would fill up rows that are too short.

    Raises
    ------
    DataError
        If it is not a CSV, lacks one of the columns, or has rows of another length.
    """
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8-sig")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except DAMAGE as error:
        raise DataError(f"cannot be read as CSV ({error}); make it again", file=file) from error
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file, line=1)
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(f"has {len(row)} fields, expected {len(header)}", file=file, line=line)
    return pd.DataFrame(rows, columns=header, dtype=str)


def checked(frame: pd.DataFrame, file: Path, *, required: bool = False) -> pd.DataFrame:
    """Return a table of results, read as text, with its numbers as numbers.

    Parameters
    ----------
    frame : DataFrame
        With at least the columns of `citectx.experiments.results.COLUMNS`.
    file : Path
        Where it was read.
    required : bool
        Whether each row must have a value.

    Raises
    ------
    DataError
        If a number is not finite, or an interval is reversed; names the first such line.
    """
    read = {}
    for name in NUMBERS:
        read[name] = numbers(frame, name, file, required=required and name == "value")
    refuse(read["ci_low"] > read["ci_high"], frame, ["ci_low", "ci_high"], file)
    return frame.assign(**read)


def typed(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Return any table, read as text, with its columns of numbers and truth values as such.

    Raises
    ------
    DataError
        If a column of numbers holds one that is not finite; names its line.
    """
    return frame.apply(lambda column: _typed(column, frame, file))


def _typed(column: "pd.Series[Any]", frame: pd.DataFrame, file: Path) -> "pd.Series[Any]":
    if column.isin(["True", "False"]).all():
        return column == "True"
    found = pd.to_numeric(column, errors="coerce")
    if (found.isna() & (column != "")).any():
        return column
    refuse(np.isinf(found), frame, [str(column.name)], file)
    return found


def numbers(frame: pd.DataFrame, name: str, file: Path, *, required: bool) -> "pd.Series[float]":
    """Read a column as numbers; unless they are required, empty cells become NaN.

    Raises
    ------
    DataError
        Naming the first line that holds anything else.
    """
    found = pd.to_numeric(frame[name], errors="coerce").astype(float)
    empty = (frame[name] == "") & (not required)
    refuse(~np.isfinite(found) & ~empty, frame, [name], file)
    return found


def unique(frame: pd.DataFrame, key: list[str], file: Path) -> None:
    """Refuse a second row of the same key."""
    refuse(frame.duplicated(key), frame, key, file)


def of_experiment(frame: pd.DataFrame, file: Path) -> None:
    """Refuse rows of another experiment than the one that the file is named after."""
    refuse(frame["experiment"] != file.stem, frame, ["experiment"], file)


def refuse(wrong: ArrayLike, frame: pd.DataFrame, columns: list[str], file: Path) -> None:
    """Raise an error that names the first line that a mask marks, and its cells."""
    if (marked := np.flatnonzero(wrong)).size:
        row = frame.iloc[marked[0]]
        cells = ", ".join(f"{name} {row[name]!r}" for name in columns)
        raise DataError(f"unexpected {cells}; make it again", file=file, line=int(marked[0]) + 2)
