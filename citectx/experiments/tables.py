"""Tables read back as text, then checked; an error names file, line and column."""

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from citectx.errors import DataError

DAMAGE = (OSError, EOFError, ValueError, zlib.error, csv.Error)


def read_csv(file: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV that has some columns as text; empty cells are empty texts.

    Our own, since pandas would fill up rows that are too short.
    """
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8-sig")
        lines = io.StringIO(text, newline="")
        header, *rows = csv.reader(lines, strict=True)
    except DAMAGE as error:
        raise DataError(f"cannot be read as CSV ({error}); make it again", file=file) from error
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file, line=1)
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(f"has {len(row)} fields, expected {len(header)}", file=file, line=line)
    return pd.DataFrame(rows, columns=header, dtype=str)


def numbers(frame: pd.DataFrame, name: str, file: Path) -> "pd.Series[float]":
    """Read a column as numbers; empty cells become NaN."""
    values = pd.to_numeric(frame[name], errors="coerce").astype(float)
    refuse(~np.isfinite(values) & (frame[name] != ""), frame, [name], file)
    return values


def unique(frame: pd.DataFrame, key: list[str], file: Path) -> None:
    """Refuse a second row of the same key."""
    refuse(frame.duplicated(key), frame, key, file)


def refuse(wrong: ArrayLike, frame: pd.DataFrame, columns: list[str], file: Path) -> None:
    """Raise an error that names the first line that a mask marks, and its cells."""
    if (marked := np.flatnonzero(wrong)).size:
        row = frame.iloc[marked[0]]
        cells = ", ".join(f"{name} {row[name]!r}" for name in columns)
        line = int(marked[0]) + 2
        raise DataError(f"unexpected {cells}; make it again", file=file, line=line)
