"""Does a table follow from its scores? Each value is made again, by the rules of `report`.

A value is the mean of its row's scores in its metric, over what ``n`` counts: over citances, or
over topics. `OVER_CITANCES` and `SPREAD` end the names of metrics that are made of another one's
scores. Counts, correlations and the like, of which no column of scores tells, are left alone.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.experiments.report import NOTES, OVER_CITANCES, SPREAD
from citectx.experiments.results import DECIMALS

ROW = ["corpus", "method"]
CELL = [*ROW, "metric"]
HALF_UNIT = 0.5 * 10.0**-DECIMALS
"""How far rounding can have moved a value, or a score."""
EXACT = 1e-9
"""How far arithmetic can have moved a value, relative to its size."""


def contradictions(table: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """Say which cells of a table are not what its scores make.

    Parameters
    ----------
    table : DataFrame
        A row a cell, no cell twice: the columns corpus, method, metric, value and n.
    scores : DataFrame
        A row for each citance and row of the table: the columns corpus, topic, citance, method, and
        a column a metric, NaN for what was not scored.

    Returns
    -------
    list of str
        A text a cell: those of the table in its order, then those that it lacks. A value may differ
        by as much as rounding to `DECIMALS` can have moved it and its scores.

    Examples
    --------
    >>> table = pd.DataFrame([("home", "A", "c-F", 12.3, 2)], columns=[*CELL, "value", "n"])
    >>> scores = pd.DataFrame({"corpus": "home", "topic": "t", "citance": ["1", "2"]})
    >>> contradictions(table, scores.assign(method="A", **{"c-F": [22.0, 22.6]}))
    ['home, A, c-F: 12.3000, its scores give 22.3000']
    """
    made = _made(_columns(scores, list(map(str, table["metric"].unique()))))
    cells = table.set_index(CELL)[["value", "n"]]
    scored = cells[cells.index.isin(made.index.unique("metric"), level="metric")]
    told = made[made["over_citances"].notna()].index
    found = [f"{', '.join(cell)}: {why}" for cell, why in _wrong(scored.join(made))]
    lacking = told.difference(cells.index, sort=False)
    return found + [f"{', '.join(cell)}: scores, but no such row" for cell in lacking]


def _columns(scores: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Give each metric its column, some made of another's; a spread's are squared deviations."""
    found = scores.drop(columns=["citance", *NOTES], errors="ignore").set_index([*ROW, "topic"])
    for metric in metrics:
        base = metric.removesuffix(OVER_CITANCES).removesuffix(SPREAD)
        if metric not in found and base in found:
            deviates = metric.endswith(SPREAD)
            mean = found.groupby(level=ROW)[base].transform("mean") if deviates else 0.0
            found[metric] = found[base] - mean
    spreads = [metric for metric in map(str, found) if metric.endswith(SPREAD)]
    found[spreads] = found[spreads] ** 2
    return found


def _made(columns: pd.DataFrame) -> pd.DataFrame:
    """Return how many citances and topics have scores of each cell, and its value over both."""
    rows = columns.groupby(level=ROW, sort=False)
    by_topic = columns.groupby(level=[*ROW, "topic"], sort=False).mean()
    topics = by_topic.groupby(level=ROW, sort=False)
    parts = {"citances": rows.count(), "topics": topics.count()}
    parts |= {"over_citances": rows.mean(), "over_topics": topics.mean()}
    stacked = {name: part.stack() for name, part in parts.items()}  # noqa: PD013
    made = pd.concat(stacked, axis=1).rename_axis(CELL)
    spread, n = _ends(made, SPREAD), made["citances"]
    unbiased = (made["over_citances"] * n / (n - 1)) ** 0.5  # that of a single citance is NaN
    return made.assign(over_citances=made["over_citances"].mask(spread, unbiased))


def _ends(cells: pd.DataFrame, *endings: str) -> NDArray[np.bool_]:
    return np.asarray(cells.index.get_level_values("metric").str.endswith(endings))


def _wrong(told: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the cells that contradict what was made of their scores, and why."""
    n, value = told["n"], told["value"]
    by_topic = (n == told["topics"]) & (n != told["citances"])
    by_topic &= ~_ends(told, OVER_CITANCES, SPREAD)
    counted = by_topic | (n == told["citances"])
    again = told["over_topics"].where(by_topic, told["over_citances"])
    moved = np.where(_ends(told, SPREAD), (n / (n - 1)) ** 0.5, 1.0)
    margin = HALF_UNIT * (1 + moved) + EXACT * value.abs().clip(lower=1.0)
    right = counted & ((value - again).abs() <= margin)
    for cell in told.assign(counted=counted, again=again)[~right].itertuples():
        yield cell.Index, _why(cell)


def _why(cell: Any) -> str:
    found = f"{cell.value:.{DECIMALS}f}"
    if not cell.citances > 0:
        return f"{found}, but no scores, which other rows have"
    if not cell.counted:
        scored = f"{cell.citances:g} citances of {cell.topics:g} topics"
        return f"n is {cell.n:g}, but {scored} have a score"
    return f"{found}, its scores give {cell.again:.{DECIMALS}f}"
