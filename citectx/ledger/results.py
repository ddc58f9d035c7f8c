"""What experiments leave behind, read when a claim asks for it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty. A table whose values are not what its scores make is refused.
"""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import pandas as pd

from citectx.errors import DataError
from citectx.experiments.consistency import contradictions
from citectx.experiments.results import COLUMNS, find, read
from citectx.experiments.tables import numbers, read_csv, unique

KEY_COLUMNS = "corpus topic citance method".split()
SCORES = ".citances.csv.gz"
"""Ends the names of files with scores."""

NAMED = 4
"""So many cells of a table are named that contradict its scores."""


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
        self.read = cache(partial(read_results, places))

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted; none if there is no table."""
        table, _ = self.read(experiment)
        return sorted(table["corpus"].unique())


def read_results(
    places: Path | Sequence[Path], experiment: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read a table and its scores, either of which is empty if it is not there.

    Raises
    ------
    DataError
        If the table or its scores are damaged, or the scores make other values.
    """
    file, scored = (find(places, f"{experiment}{ending}") for ending in (".csv", SCORES))
    scores = read_scores(scored) if scored.is_file() else pd.DataFrame(columns=KEY_COLUMNS)
    if not file.is_file():
        return pd.DataFrame(columns=COLUMNS), scores
    table = read(places, experiment)
    if wrong := contradictions(table, scores) if len(scores) else []:
        named = "; ".join(wrong[:NAMED])
        named += f" (and {len(wrong) - NAMED} more)" if len(wrong) > NAMED else ""
        why = f"{len(wrong)} cells contradict their scores: {named}"
        raise DataError(f"{why}; run the notebook again or restore the file", file=file)
    return table, scores


def read_scores(file: Path) -> pd.DataFrame:
    """Read the scores of a table's rows; columns as `KEY_COLUMNS`, then the metrics."""
    frame = read_csv(file, KEY_COLUMNS)
    unique(frame, KEY_COLUMNS, file)
    metrics = frame.columns.difference(KEY_COLUMNS)
    values = {str(name): numbers(frame, name, file, required=False) for name in metrics}
    return frame.assign(**values)
