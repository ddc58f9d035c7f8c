"""What experiments leave behind, read when a claim asks for it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty. A table whose values are not what its scores make is refused.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pandas as pd

from citectx.errors import DataError
from citectx.experiments.consistency import contradictions
from citectx.experiments.results import find, read
from citectx.experiments.tables import numbers, read_csv, unique

KEY_COLUMNS = "corpus topic citance method".split()
SCORES = ".citances.csv.gz"
"""Ends the names of files with scores."""

Scores: TypeAlias = "pd.Series[float]"
NAMED = 4
"""So many cells of a table are named that contradict its scores."""


class Number(NamedTuple):
    """One cell of a table: its value, and how many scores or topics it is the mean of."""

    value: float
    n: float


Cells: TypeAlias = dict[tuple[str, str, str], Number]


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
        self._tables: dict[str, Cells] = {}
        self._scores: dict[tuple[str, ...], pd.DataFrame] = {}

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted; none if there is no table."""
        return sorted({corpus for corpus, _, _ in self.table(experiment)})

    def table(self, experiment: str) -> Cells:
        """Return the cells of a table by (corpus, method, metric); empty if it is not there.

        Each is made again from its scores, where there are any.

        Raises
        ------
        DataError
            If the table or its scores are damaged, or the scores make other values.
        """
        if experiment not in self._tables:
            file = find(self.places, f"{experiment}.csv")
            self._tables[experiment] = self._read(file) if file.is_file() else {}
        return self._tables[experiment]

    def scores(self, experiment: str, corpus: str, method: str, metric: str) -> "Scores | None":
        """Return the scores of one method by (topic, citance), or None if none were kept.

        Citances that were not scored in this metric (empty cells) are left out.
        """
        self.table(experiment)
        rows = self._scores.get((experiment, corpus, method), pd.DataFrame())
        column = rows.get(metric, pd.Series(dtype=float)).dropna()
        return None if column.empty else column

    def _read(self, file: Path) -> Cells:
        """Read a table and its scores, and refuse a table that they contradict."""
        frame, scores = read(self.places, file.stem), find(self.places, f"{file.stem}{SCORES}")
        if scores.is_file():
            kept = read_scores(scores)
            if wrong := contradictions(frame, kept):
                more = f" (and {len(wrong) - NAMED} more)" if len(wrong) > NAMED else ""
                why = f"{len(wrong)} cells contradict their scores: {'; '.join(wrong[:NAMED])}{more}"
                raise DataError(f"{why}; run the notebook again or restore the file", file=file)
            for row, own in kept.set_index(["topic", "citance"]).groupby(["corpus", "method"]):
                self._scores[file.stem, *row] = own
        cells = frame.set_index(["corpus", "method", "metric"])[["value", "n"]].astype(float)
        return dict(zip(cells.index, map(Number._make, cells.to_numpy().tolist()), strict=True))


def read_scores(file: Path) -> pd.DataFrame:
    """Read the scores of a table's rows; columns as `KEY_COLUMNS`, then the metrics."""
    frame = read_csv(file, KEY_COLUMNS)
    unique(frame, KEY_COLUMNS, file)
    metrics = frame.columns.difference(KEY_COLUMNS)
    values = {str(name): numbers(frame, name, file, required=False) for name in metrics}
    return frame.assign(**values)
