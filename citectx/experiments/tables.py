"""Tables read back: as text, so that nothing is guessed, then checked cell by cell.

Results may come from somebody else. What is not as this package writes it is an error that names
file, line and column, never another number.
"""

import csv
import gzip
import io
import json
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
        If it is no CSV, lacks one of the columns, has one twice, or has rows of another length.
    """
    try:
        header, *rows = csv.reader(io.StringIO(_text(file), newline=""), strict=True)
    except DAMAGE as error:
        raise DataError(f"cannot be read as CSV ({error}); make it again", file=file) from error
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file, line=1)
    if twice := [name for i, name in enumerate(header) if name in header[:i]]:
        raise DataError(f"has the column {twice[0]!r} twice; make it again", file=file, line=1)
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(f"has {len(row)} fields, expected {len(header)}", file=file, line=line)
    return pd.DataFrame(rows, columns=header, dtype=str)


def _text(file: Path) -> str:
    """Read a file, unpacked; a mark of the byte order, as spreadsheets put it, does not count."""
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8-sig")


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
        If a number is not finite or cannot be one of its column, an interval is reversed, or
        parameters are not a JSON object; names the first such line.
    """
    read = {name: numbers(frame, name, file, required=False) for name in NUMBERS}
    if required:
        numbers(frame, "value", file, required=True)
    for name in ("n", "seed"):
        _refuse((read[name] < 0) | (read[name] % 1 != 0) & read[name].notna(), frame, name, file)
        read[name] = pd.to_numeric(frame[name])
    _refuse((read["p_value"] < 0) | (read["p_value"] > 1), frame, "p_value", file)
    if (i := first(read["ci_low"] > read["ci_high"])) is not None:
        why = f"interval {read['ci_low'][i]} to {read['ci_high'][i]} is reversed"
        raise DataError(why, file=file, line=i + 2)
    _refuse(~frame["params"].map(_is_object), frame, "params", file)
    return frame.assign(**read)


def _refuse(wrong: ArrayLike, frame: pd.DataFrame, name: str, file: Path) -> None:
    if (i := first(wrong)) is not None:
        why = f"{name} is {frame[name][i]!r}; make the table again"
        raise DataError(why, file=file, line=i + 2)


def _is_object(params: str) -> bool:
    """Return whether a cell is empty or a JSON object."""
    try:
        return not params or isinstance(json.loads(params), dict)
    except ValueError:
        return False


def typed(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Return any table, read as text, with its columns of numbers and truth values as such.

    Raises
    ------
    DataError
        If a cell is a number that is not finite; names its line.
    """
    return frame.apply(lambda column: _typed(column, file))


def _typed(column: "pd.Series[Any]", file: Path) -> "pd.Series[Any]":
    if column.isin(["True", "False"]).all():
        return column == "True"
    found = pd.to_numeric(column, errors="coerce")
    odd = column.str.strip().str.lower().isin(["nan", "+nan", "-nan"])
    if (i := first(odd | np.isinf(found.astype(float)))) is not None:
        why = f"{column.name} is {column[i]!r}; expected a finite number"
        raise DataError(why, file=file, line=i + 2)
    return column if (found.isna() & (column != "")).any() else found


def numbers(frame: pd.DataFrame, name: str, file: Path, *, required: bool) -> "pd.Series[float]":
    """Read a column as numbers; unless they are required, empty cells become NaN.

    Raises
    ------
    DataError
        Naming the first line that holds anything else.
    """
    found = pd.to_numeric(frame[name], errors="coerce").astype(float)
    wrong = ~np.isfinite(found)
    wrong[wrong] = required | (frame.loc[wrong, name].str.strip() != "")
    if (i := first(wrong)) is not None:
        why = f"{name} is {frame[name][i].strip()!r}; expected a finite number"
        raise DataError(why, file=file, line=i + 2)
    return found


def unique(frame: pd.DataFrame, key: list[str], file: Path) -> None:
    """Refuse a second row of the same key."""
    if (i := first(frame.duplicated(key))) is not None:
        why = f"a second row for {', '.join(frame[key].iloc[i])}"
        raise DataError(why, file=file, line=i + 2)


def of_experiment(frame: pd.DataFrame, file: Path) -> None:
    """Refuse rows of another experiment than the one that the file is named after."""
    experiment = file.name.removesuffix(".csv")
    if (i := first(frame["experiment"] != experiment)) is not None:
        why = f"experiment {frame['experiment'][i]!r}, expected {experiment!r}"
        raise DataError(why, file=file, line=i + 2)


def first(wrong: ArrayLike) -> int | None:
    """Return the position of the first row that a mask marks."""
    marked = np.flatnonzero(wrong)
    return int(marked[0]) if marked.size else None
