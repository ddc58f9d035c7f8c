"""Does a table follow from its scores? Each value is made again, by the rules of `report`.

`SPREAD` ends the name of a metric made of another one's scores. Numbers without a column of scores,
such as counts, are left alone.
"""

from math import nan
from typing import Any

import pandas as pd

from citectx.experiments.report import SPREAD
from citectx.experiments.results import DECIMALS

ROW = ["corpus", "method"]
CELL = [*ROW, "metric"]
UNIT = 10.0**-DECIMALS
"""How far rounding can have moved a value and its scores, half a unit each."""
EXACT = 1e-9
"""How far arithmetic can have moved a value, relative to its size."""


def contradictions(table: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """Say which cells of a table are not what its scores make, beyond rounding to `DECIMALS`.

    Scores have a row for each citance and row of the table, and a column for each metric, NaN for
    what was not scored.

    >>> table = pd.DataFrame([("home", "A", "c-F", 12.3, 2)], columns=[*CELL, "value", "n"])
    >>> scores = pd.DataFrame({"corpus": "home", "topic": "t", "citance": ["1", "2"]})
    >>> contradictions(table, scores.assign(method="A", **{"c-F": [22.0, 22.6]}))
    ['home, A, c-F: 12.3000 with n = 2, its scores give 22.3000']
    """
    wrong = list[str]()
    made = values_of(scores)
    for corpus, method, metric, value, n in table[[*CELL, "value", "n"]].to_numpy():
        if metric in scores or metric.removesuffix(SPREAD) in scores:
            again = made.get((corpus, method, metric, n), nan)
            allowed = EXACT * max(abs(value), 1) + UNIT
            if metric.endswith(SPREAD):
                allowed += 0.5 * UNIT * ((n / (n - 1)) ** 0.5 - 1)
            if not abs(value - again) <= allowed:  # NaN is wrong, too
                stated = f"{value:.{DECIMALS}f} with n = {n:g}"
                gives = f"its scores give {again:.{DECIMALS}f}"
                wrong.append(f"{corpus}, {method}, {metric}: {stated}, {gives}")
    return wrong


def values_of(scores: pd.DataFrame) -> dict[tuple[str, str, str, float], float]:
    """Make the means and spreads of scores, by corpus, method, metric and n."""
    metrics = [*scores.columns.drop([*ROW, "topic", "citance"])]
    rows = scores.groupby(ROW, sort=False)[metrics]
    by_topic = scores.groupby([*ROW, "topic"], sort=False)[metrics].mean()
    topics = by_topic.groupby(ROW, sort=False)
    count, means, spreads = rows.count(), rows.mean(), rows.std()
    for metric in metrics:
        if metric.endswith(SPREAD):  # whose scores are deviations from the mean already
            squares = (
                spreads[metric] ** 2 * (count[metric] - 1) + count[metric] * means[metric] ** 2
            )
            means[metric] = (squares / (count[metric] - 1)) ** 0.5
    made: dict[tuple[str, str, str, float], float] = {}
    kinds: list[tuple[Any, Any, str]]
    kinds = [(topics.count(), topics.mean(), ""), (count, spreads, SPREAD), (count, means, "")]
    for sizes, values, ending in kinds:
        for metric in metrics:
            for row, n, value in zip(sizes.index, sizes[metric], values[metric], strict=True):
                made[*row, metric + ending, n] = value
    return made
