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
        self._made: dict[str, Any] = {}

    def ran(self, experiment: str) -> bool:
        """Return whether the experiment has left a table."""
        return self._file(f"{experiment}.csv", _read_table) is not None

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted; none if there is no table."""
        table = self._file(f"{experiment}.csv", _read_table)
        return [] if table is None else sorted(set(table["corpus"]))

    def table(self, experiment: str) -> dict[CellKey, Number]:
        """Return the cells of a table by (corpus, method, metric); empty if it is not there.

        Raises
        ------
        DataError
            If the file is no CSV, lacks a column, names another experiment, holds a value that is
            no finite number, an interval without its lower end below its upper, or one cell twice;
            if its scores are damaged, as `scores` says, or contradict it, as `verify` does.
        """
        name = f"cells of {experiment}"
        found: dict[CellKey, Number] = self._once(name, lambda: self._cells(experiment))
        return found

    def scores(self, experiment: str, corpus: str, method: str, metric: str) -> "Scores | None":
        """Return the scores of one method by (topic, citance), or None if none were kept.

        Citances that were not scored in this metric (empty cells) are left out.

        Raises
        ------
        DataError
            If the file is damaged, lacks a column, holds text in a metric's column, or a citance
            twice.
        """
        found = self._once(f"rows of {experiment}", lambda: self._rows(experiment))
        rows = found.get((corpus, method), {})
        if metric not in rows or rows[metric].isna().all():
            return None
        column: Scores = rows[metric]
        return column.dropna() if column.hasnans else column  # no copy: the index stays shared

    def verify(self, *experiments: str) -> None:
        """Make every cell of some tables again from its scores, where there are any.

        Raises
        ------
        DataError
            If tables are damaged, as `table` says, or contradict their scores. It names cells of
            the first such table, and how many each of the others has.
        """
        found = {name: self._wrong(name) for name in experiments}
        wrong = [(name, cells) for name, cells in found.items() if cells]
        if not wrong:
            return
        (name, cells), *rest = wrong
        others = ", ".join(f"{len(own)} of {each}" for each, own in rest)
        more = f" (and {len(cells) - NAMED} more)" if len(cells) > NAMED else ""
        why = f"{len(cells)} cells contradict their scores: {'; '.join(cells[:NAMED])}{more}"
        why += f"; so do {others}" if others else ""
        why += "; run the notebook again or restore the file"
        raise DataError(why, file=find(self.places, f"{name}.csv"))

    def _wrong(self, experiment: str) -> list[str]:
        table = self._file(f"{experiment}.csv", _read_table)
        scores = self._file(f"{experiment}{SCORES}", _read_scores)
        if table is None or scores is None:
            return []
        name = f"wrong in {experiment}"
        found: list[str] = self._once(name, lambda: contradictions(table, scores))
        return found

    def _cells(self, experiment: str) -> dict[CellKey, Number]:
        table = self._file(f"{experiment}.csv", _read_table)
        if table is None:
            return {}
        self.verify(experiment)
        keys = zip(table["corpus"], table["method"], table["metric"], strict=True)
        cells = map(Number, *(table[name] for name in Number._fields))
        return dict(zip(keys, cells, strict=True))

    def _rows(self, experiment: str) -> dict[tuple[str, str], pd.DataFrame]:
        scores = self._file(f"{experiment}{SCORES}", _read_scores)
        return {} if scores is None else _by_row(scores)

    def _file(self, name: str, read: Callable[[Path], Any]) -> Any:
        """Read a file when it is first asked for; None if it is not there."""

        def content() -> Any:
            file = find(self.places, name)
            return read(file) if file.is_file() else None

        return self._once(name, content)

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def _read_table(file: Path) -> pd.DataFrame:
    frame = read_csv(file, COLUMNS)
    of_experiment(frame, file)
    unique(frame, ["corpus", "method", "metric"], file)
    return checked(frame, file, required=True).astype({"n": float})


def _read_scores(file: Path) -> pd.DataFrame:
    frame = read_csv(file, KEY_COLUMNS)
    for metric in frame.columns.difference(KEY_COLUMNS):
        frame[metric] = numbers(frame, metric, file, required=False)
    unique(frame, KEY_COLUMNS, file)
    return frame


def _by_row(frame: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the scores of each row of the table, by (topic, citance)."""
    scores = frame.set_index(["topic", "citance"])
    found: dict[tuple[str, str], pd.DataFrame] = {}
    shared: dict[str, pd.Index] = {}
    for (corpus, method), rows in scores.groupby(["corpus", "method"]):
        index = shared.setdefault(str(corpus), rows.index)
        if rows.index.equals(index):  # one index for all rows is quickly compared by identity
            rows = rows.set_axis(index)  # noqa: PLW2901
        found[str(corpus), str(method)] = rows
    return found
