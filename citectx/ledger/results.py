"""What experiments leave behind, read when a claim asks for it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty.
"""

from collections.abc import Callable, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from citectx.experiments.results import COLUMNS, find
from citectx.experiments.tables import checked, numbers, of_experiment, read_csv, unique
from citectx.reading import there

KEY_COLUMNS = "corpus topic citance method".split()
SCORES = ".citances.csv.gz"
"""Ends the names of files with scores."""

Scores: TypeAlias = "pd.Series[float]"
CellKey: TypeAlias = tuple[str, str, str]


class Number(NamedTuple):
    """One cell of a table: value, interval and count (NaN where there is none), parameters."""

    value: float
    ci_low: float
    ci_high: float
    n: float = nan
    params: str = ""


class Results:
    """The results of one profile, as they are when they are first asked for.

    Parameters
    ----------
    places : Path or sequence of Path
        As `citectx.experiments.results.find` takes them. An experiment without a file is simply
        one that has not been run.

    Examples
    --------
    >>> Results(Path("no such folder")).ran("sigir2017_table1")
    False
    """

    def __init__(self, places: Path | Sequence[Path]) -> None:
        self.places = places
        self._read: dict[str, Any] = {}

    def ran(self, experiment: str) -> bool:
        """Return whether the experiment has left a table."""
        return self._once(f"{experiment}.csv", _read_table) is not None

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted."""
        return sorted({corpus for corpus, _, _ in self.table(experiment)})

    def table(self, experiment: str) -> dict[CellKey, Number]:
        """Return the cells of a table by (corpus, method, metric); empty if it is not there.

        Raises
        ------
        DataError
            If the file is no CSV, lacks a column, names another experiment, holds a value that is
            no finite number, an interval without its lower end below its upper, or one cell twice.
        """
        return self._once(f"{experiment}.csv", _read_table) or {}

    def same(self, experiment: str, corpus: str) -> set[frozenset[str]]:
        """Return the pairs of rows that ``<experiment>.same.csv`` calls one method."""
        pairs = self._once(f"{experiment}.same.csv", _read_same) or []
        return {frozenset(names) for name, *names in pairs if name == corpus}

    def scores(self, experiment: str, corpus: str, method: str, metric: str) -> "Scores | None":
        """Return the scores of one method by (topic, citance), or None if none were kept.

        Citances that were not scored in this metric (empty cells) are left out.

        Raises
        ------
        DataError
            If the file is damaged, lacks a column, holds text in a metric's column, or a citance
            twice.
        """
        found = self._once(f"{experiment}{SCORES}", _read_scores) or {}
        rows = found.get((corpus, method), {})
        if metric not in rows or rows[metric].isna().all():
            return None
        column: Scores = rows[metric]
        return column.dropna() if column.hasnans else column  # no copy: the index stays shared

    def _once(self, name: str, read: Callable[[Path], Any]) -> Any:
        """Read a file when it is first asked for; None if it is not there."""
        if name not in self._read:
            file = find(self.places, name)
            self._read[name] = read(file) if there(file) else None
        return self._read[name]


def _read_same(file: Path) -> list[list[str]]:
    columns = ["corpus", "method", "same_as"]
    found: list[list[str]] = read_csv(file, columns)[columns].to_numpy().tolist()
    return found


def _read_table(file: Path) -> dict[CellKey, Number]:
    frame = read_csv(file, COLUMNS)
    of_experiment(frame, file)
    keys = unique(frame, ["corpus", "method", "metric"], file)
    frame = checked(frame, file, required=True).astype({"n": float})
    cells = map(Number, *(frame[name] for name in Number._fields))
    return dict(zip(keys, cells, strict=True))


def _read_scores(file: Path) -> dict[tuple[str, str], pd.DataFrame]:
    frame = read_csv(file, KEY_COLUMNS)
    for metric in frame.columns.difference(KEY_COLUMNS):
        frame[metric] = numbers(frame, metric, file, required=False)
    unique(frame, KEY_COLUMNS, file)
    scores = frame.set_index(["topic", "citance"])
    found: dict[tuple[str, str], pd.DataFrame] = {}
    shared: dict[str, pd.Index] = {}
    for (corpus, method), rows in scores.groupby(["corpus", "method"]):
        index = shared.setdefault(str(corpus), rows.index)
        if rows.index.equals(index):  # one index for all rows is quickly compared by identity
            rows = rows.set_axis(index)  # noqa: PLW2901
        found[str(corpus), str(method)] = rows
    return found
