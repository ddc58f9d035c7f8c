"""What experiments leave behind, read when a claim asks for it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty.
"""

from functools import cache, partial
from pathlib import Path

import pandas as pd

from citectx.experiments.results import COLUMNS, find, read_csv

KEY_COLUMNS = "corpus topic citance method".split()


class Results:
    """The results of one profile, as they are when they are first asked for.

    An experiment without a file is simply one that has not been run.

    >>> Results(Path("no such folder")).corpora("sigir2017_table1")
    []
    """

    def __init__(self, folder: Path) -> None:
        self.read = cache(partial(read_results, folder))

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted; none if there is no table."""
        table, _ = self.read(experiment)
        return sorted(table["corpus"].unique())


def read_results(folder: Path, experiment: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read a table and its scores, either of which is empty if it is not there."""
    frames = []
    for ending, columns in ((".csv", COLUMNS), (".citances.csv.gz", KEY_COLUMNS)):
        file = find(folder, f"{experiment}{ending}")
        is_there = file.is_file()
        frames.append(read_csv(file, columns) if is_there else pd.DataFrame(columns=columns))
    table, scores = frames
    return table, scores
