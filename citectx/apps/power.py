"""Which differences would 100 topics show that ten cannot? ``python -m citectx.apps.power``.

The differences of two methods, averaged over the citances of each topic, vary from topic to topic.
From how much they vary on the ten topics of citation-integrity follows the smallest mean difference
that a paired t-test over topics finds in four of five samples, for ten topics and for the hundred
of citation-integrity-2024. That holds if its topics vary alike, which nobody has seen: it has one
annotator where the ten topics have four, so they may vary more.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from citectx.evaluation import Interval, smallest_effect
from citectx.evaluation.significance import LEVEL
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, find, keep, timed
from citectx.experiments.tables import read_csv, typed
from citectx.profiles import profile
from citectx.storage import digest

NAME = "beyond_power"
CORPUS = "citation-integrity"
PAIRS = {
    "sigir2017_table1": [
        ("WE_Bio", "BM25"),
        ("WE_Bio", "QR"),
        ("WE_Bio+dmn", "BM25"),
        ("WE_Bio+dmn", "QR"),
        ("WE_Bio+dmn", "WE_Bio"),
        ("WE_Bio", "WE_Wiki"),
    ],
    "beyond_contexts": [("LTR", "BM25")],
}
"""Methods that are compared, by the table with their scores."""

METRICS = ("c-F", "nDCG")
TOPICS = (10, 100)


@timed
def run(places: Path | Sequence[Path]) -> Result:
    """Compute the smallest differences that ten and 100 topics would show.

    Parameters
    ----------
    places : Path or sequence of Path
        Where the tables are, as `citectx.experiments.results.find` takes them.

    Returns
    -------
    Result
        For each pair and metric the ``difference`` (mean over topics, with Student's interval), its
        ``sd`` over topics, and the smallest difference found with power 0.8 at 5 %. The intervals
        of the latter are those of the standard deviation, as ten topics tell it: χ², for normal
        differences.
    """
    cells: list[Cell] = []
    data = {}
    for table, pairs in PAIRS.items():
        file = find(places, f"{table}.citances.csv.gz")
        scores = typed(read_csv(file), file)
        own = scores[scores["corpus"] == CORPUS]
        data[table] = digest(own.to_csv())
        for better, than in pairs:
            for metric in METRICS:
                cells += _cells(
                    f"{better} − {than}", metric, _differences(own, better, than, metric)
                )
    return Result(NAME, tabulate(NAME, CORPUS, cells, 0, {"power": 0.8}), data=data)


def _differences(scores: pd.DataFrame, better: str, than: str, metric: str) -> pd.Series:
    """Return the mean difference of each topic."""
    wide = scores.pivot_table(index=["topic", "citance"], columns="method", values=metric)
    return (wide[better] - wide[than]).groupby("topic").mean()


def _cells(pair: str, metric: str, differences: pd.Series) -> list[Cell]:
    from scipy.special import chdtri, stdtrit

    n = len(differences)
    mean, spread = float(differences.mean()), float(differences.std())
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * spread / n**0.5
    tail = (1 - LEVEL) / 2
    low, high = (((n - 1) / float(chdtri(n - 1, p))) ** 0.5 for p in (tail, 1 - tail))
    cells = [
        Cell(pair, f"{metric}: difference", mean, n, Interval(mean - half, mean + half)),
        Cell(pair, f"{metric}: sd", spread, n, Interval(spread * low, spread * high)),
    ]
    for topics in TOPICS:
        effect = smallest_effect(spread, topics)
        ends = Interval(effect * low, effect * high)
        cells.append(Cell(pair, f"{metric}: {topics} topics", effect, topics, ends))
    return cells


if __name__ == "__main__":
    open_results = profile("open").results
    print(keep(run(open_results), open_results))
