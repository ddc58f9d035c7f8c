"""The tables and per-citance scores that experiments leave behind, read when a claim asks for them.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside it
``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and method
(`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as summaries, the
citance is left empty.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS

KEY_COLUMNS = "corpus topic citance method".split()

DAMAGE = (OSError, EOFError, ValueError, zlib.error, csv.Error)


class Number(NamedTuple):
    """One cell of a table: value, interval and count (NaN where there is none), parameters."""

    value: float
    ci_low: float
    ci_high: float
    n: float = float("nan")
    params: str = ""


class Results:
    """The results of one profile.

    Parameters
    ----------
    folder : Path
        Holds ``<experiment>.csv`` and ``<experiment>.citances.csv.gz``; nothing is read before it is
        asked for, and an experiment without a file is simply one that has not been run.

    Examples
    --------
    >>> Results(Path("no such folder")).ran("sigir2017_table1")
    False
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._kept: dict[tuple[str, ...], Any] = {}

    def ran(self, experiment: str) -> bool:
        """Say whether the experiment has left a table."""
        return self._file(experiment).is_file()

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted."""
        return sorted({corpus for corpus, _, _ in self.table(experiment)})

    def table(self, experiment: str) -> dict[tuple[str, str, str], Number]:
        """Return the cells of a table by (corpus, method, metric); empty if the experiment has not been run.

        Raises
        ------
        DataError
            If the file is no CSV, lacks a column, names another experiment, holds a value that is no finite
            number, an interval without its lower end below its upper, or one cell twice.
        """
        return self._once(_read_table, self._file(experiment)) or {}

    def same(self, experiment: str, corpus: str) -> set[frozenset[str]]:
        """Return the pairs of rows that the experiment calls one method, from ``<experiment>.same.csv``."""
        frame = self._once(_read_same, self._file(experiment, ".same.csv"))
        own = [] if frame is None else frame[frame["corpus"] == corpus][["method", "same_as"]].to_numpy()
        return {frozenset(pair) for pair in own}

    def scores(self, experiment: str, corpus: str, method: str, metric: str) -> "pd.Series[float] | None":
        """Return the scores of one method by (topic, citance), or None where the experiment kept none.

        Citances that were not scored in this metric (empty cells) are left out.

        Raises
        ------
        DataError
            If the file is damaged, lacks a column, holds text in a metric's column, or a citance twice.
        """
        key = (experiment, corpus, method, metric)
        if key not in self._kept:  # many claims ask for the same one
            found = self._once(_read_scores, self._file(experiment, ".citances.csv.gz")) or {}
            frame = found.get((corpus, method), pd.DataFrame())
            column = frame[metric].dropna() if metric in frame else ()
            self._kept[key] = column if len(column) else None
        found_scores: pd.Series[float] | None = self._kept[key]
        return found_scores

    def _file(self, experiment: str, suffix: str = ".csv") -> Path:
        return self.folder / f"{experiment}{suffix}"

    def _once(self, read: Callable[[Path], Any], file: Path) -> Any:
        """Read a file when it is first asked for; None if it is not there."""
        if (file.name,) not in self._kept:
            self._kept[file.name,] = read(file) if file.is_file() else None
        return self._kept[file.name,]


def _read_same(file: Path) -> pd.DataFrame:
    return read_csv(file, ["corpus", "method", "same_as"])


def _read_table(file: Path) -> dict[tuple[str, str, str], Number]:
    frame = read_csv(file, COLUMNS)
    for name in ("value", "ci_low", "ci_high", "n"):
        frame[name] = _numbers(frame, name, file, required=name == "value")
    experiment, key = file.name.removesuffix(".csv"), ["corpus", "method", "metric"]
    other, reversed_ = frame["experiment"] != experiment, frame["ci_low"] > frame["ci_high"]
    _refuse(frame, other, lambda row: f"experiment {row['experiment']!r}, expected {experiment!r}", file)
    _refuse(frame, reversed_, lambda row: f"interval {row['ci_low']} to {row['ci_high']} is reversed", file)
    _refuse_twice(frame, key, file)
    numbers = map(Number, *(frame[name] for name in ("value", "ci_low", "ci_high", "n", "params")))
    return dict(zip(zip(*(frame[name] for name in key), strict=True), numbers, strict=True))


def _read_scores(file: Path) -> dict[tuple[str, str], pd.DataFrame]:
    frame = read_csv(file, KEY_COLUMNS)
    for metric in frame.columns.difference(KEY_COLUMNS):
        frame[metric] = _numbers(frame, metric, file, required=False)
    _refuse_twice(frame, KEY_COLUMNS, file)
    scores = frame.set_index(["topic", "citance"])
    return {(str(c), str(m)): rows for (c, m), rows in scores.groupby(["corpus", "method"])}


def _refuse(frame: pd.DataFrame, wrong: Any, why: Callable[["pd.Series[Any]"], str], file: Path) -> None:
    """Raise a DataError about the first row that a mask marks."""
    if (rows := np.flatnonzero(wrong)).size:
        raise DataError(why(frame.iloc[rows[0]]), file=file, line=int(rows[0]) + 2)


def _refuse_twice(frame: pd.DataFrame, key: list[str], file: Path) -> None:
    _refuse(frame, frame.duplicated(key), lambda row: f"a second row for {', '.join(row[key])}", file)


def read_csv(file: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV as text, with a header; empty cells are empty texts.

    Raises
    ------
    DataError
        If it is no CSV, lacks one of the columns, or has rows of another length, which pandas would fill up.
    """
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except DAMAGE as error:
        raise DataError(f"cannot be read as CSV ({error}); make it again", file=file) from error
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file, line=1)
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(f"has {len(row)} fields, expected {len(header)}", file=file, line=line)
    return pd.DataFrame(rows, columns=header, dtype=str)


def _numbers(frame: pd.DataFrame, name: str, file: Path, *, required: bool) -> "pd.Series[float]":
    text = frame[name].str.strip()
    numbers = pd.to_numeric(text, errors="coerce").astype(float)
    wrong = ~np.isfinite(numbers) & ((text != "") | required)
    _refuse(frame, wrong, lambda row: f"{name} is {row[name].strip()!r}; expected a finite number", file)
    return numbers
