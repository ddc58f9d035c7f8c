"""What experiments leave behind, read when a claim asks for it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty. A table whose values are not what its scores make is refused.
"""

from collections.abc import Callable, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from citectx.errors import DataError
from citectx.experiments.consistency import contradictions
from citectx.experiments.results import COLUMNS, find
from citectx.experiments.tables import checked, numbers, of_experiment, read_csv, unique

KEY_COLUMNS = "corpus topic citance method".split()
SCORES = ".citances.csv.gz"
"""Ends the names of files with scores."""

Scores: TypeAlias = "pd.Series[float]"
CellKey: TypeAlias = tuple[str, str, str]
NAMED = 4
"""So many cells of a table are named that contradict its scores."""


class Number(NamedTuple):
    """One cell of a table: value, interval and count; NaN where there is none."""

    value: float
    ci_low: float
    ci_high: float
    n: float = nan


class Results:
    """The results of one profile, as they are when they are first asked for.

    Parameters
    ----------
    places : Path or sequence of Path
        As `citectx.experiments.results.find` takes them. An experiment without a file is simply
        one that has not been run.

    Examples
    --------
    >>> Results(Path("no such folder")).corpora("sigir2017_table1")
    []
    """

    def __init__(self, places: Path | Sequence[Path]) -> None:
        self.places = places
        self._made: dict[str, Any] = {}

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted; none if there is no table."""
        return sorted({corpus for corpus, _, _ in self.table(experiment)})

    def table(self, experiment: str) -> dict[CellKey, Number]:
        """Return the cells of a table by (corpus, method, metric); empty if it is not there.

        Each is made again from its scores, where there are any.

        Raises
        ------
        DataError
            If the file is no CSV, lacks a column, names another experiment, holds a value that is
            no finite number, an interval without its lower end below its upper, or one cell twice;
            if its scores are damaged, or make other values.
        """
        return self._once(f"{experiment}.csv", self._table) or {}

    def scores(self, experiment: str, corpus: str, method: str, metric: str) -> "Scores | None":
        """Return the scores of one method by (topic, citance), or None if none were kept.

        Citances that were not scored in this metric (empty cells) are left out.

        Raises
        ------
        DataError
            If the file is damaged, lacks a column, holds text in a metric's column, or a citance
            twice.
        """
        read = self._once(f"{experiment}{SCORES}", _read_scores)
        rows = read[1].get((corpus, method), {}) if read else {}
        if metric not in rows or rows[metric].isna().all():
            return None
        column: Scores = rows[metric]
        return column.dropna() if column.hasnans else column  # no copy: the index stays shared

    def _once(self, name: str, read: Callable[[Path], Any]) -> Any:
        """Read a file when it is first asked for; None if it is not there."""
        if name not in self._made:
            file = find(self.places, name)
            self._made[name] = read(file) if file.is_file() else None
        return self._made[name]

    def _table(self, file: Path) -> dict[CellKey, Number]:
        frame = read_csv(file, COLUMNS)
        of_experiment(frame, file)
        unique(frame, ["corpus", "method", "metric"], file)
        frame = checked(frame, file, required=True).astype({"n": float})
        read = self._once(f"{file.stem}{SCORES}", _read_scores)
        if wrong := contradictions(frame, read[0]) if read else []:
            more = f" (and {len(wrong) - NAMED} more)" if len(wrong) > NAMED else ""
            why = f"{len(wrong)} cells contradict their scores: {'; '.join(wrong[:NAMED])}{more}"
            raise DataError(f"{why}; run the notebook again or restore the file", file=file)
        keys = zip(frame["corpus"], frame["method"], frame["metric"], strict=True)
        cells = map(Number, *(frame[name] for name in Number._fields))
        return dict(zip(keys, cells, strict=True))


def _read_scores(file: Path) -> tuple[pd.DataFrame, dict[tuple[str, str], pd.DataFrame]]:
    """Return the scores as they are, and those of each row of the table by (topic, citance)."""
    frame = read_csv(file, KEY_COLUMNS)
    for metric in frame.columns.difference(KEY_COLUMNS):
        frame[metric] = numbers(frame, metric, file, required=False)
    unique(frame, KEY_COLUMNS, file)
    found: dict[tuple[str, str], pd.DataFrame] = {}
    shared: dict[str, pd.Index] = {}
    for (corpus, method), rows in frame.set_index(["topic", "citance"]).groupby(KEY_COLUMNS[::3]):
        index = shared.setdefault(str(corpus), rows.index)
        same = rows.index.equals(index)  # one index for all rows is quickly compared by identity
        found[str(corpus), str(method)] = rows.set_axis(index) if same else rows
    return frame, found
