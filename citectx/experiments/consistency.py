"""Does a table follow from its scores? Each value is made again, by the rules of `report`.

A value is the mean of its row's scores in its metric, over what ``n`` counts: over citances, or
over topics. `OVER_CITANCES` and `SPREAD` end the names of metrics that are made of another one's
scores. Counts, correlations and the like, of which no column of scores tells, are left alone.
"""

from math import nan

import pandas as pd

from citectx.experiments.report import OVER_CITANCES, SPREAD
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
        A row for each cell, no cell twice: the columns corpus, method, metric, value and n.
    scores : DataFrame
        A row for each citance and row of the table: the columns corpus, topic, citance, method, and
        a column for each metric, NaN for what was not scored.

    Returns
    -------
    list of str
        A text for each such cell. A value may differ by as much as rounding to `DECIMALS` can have
        moved it and its scores.

    Examples
    --------
    >>> table = pd.DataFrame([("home", "A", "c-F", 12.3, 2)], columns=[*CELL, "value", "n"])
    >>> scores = pd.DataFrame({"corpus": "home", "topic": "t", "citance": ["1", "2"]})
    >>> contradictions(table, scores.assign(method="A", **{"c-F": [22.0, 22.6]}))
    ['home, A, c-F: 12.3000 with n = 2, its scores give 22.3000']
    """
    by_topic = scores.set_index("topic")
    rows = dict(iter(by_topic.groupby(ROW, sort=False)))
    found = list[str]()
    for corpus, method, metric, value, n in table[[*CELL, "value", "n"]].to_numpy():
        base = metric.removesuffix(OVER_CITANCES).removesuffix(SPREAD)
        column = metric if metric in scores else base
        if column in scores:
            own = rows.get((corpus, method), by_topic[:0])[column]
            again = value_of(own.dropna(), metric, n)
            moved = (n / (n - 1)) ** 0.5 if metric.endswith(SPREAD) else 1
            rounding = HALF_UNIT * (1 + moved)
            arithmetic = EXACT * max(abs(value), 1)
            if not abs(value - again) <= rounding + arithmetic:  # NaN is not right, either
                given = f"{value:.{DECIMALS}f} with n = {n:g}, its scores give {again:.{DECIMALS}f}"
                found.append(f"{corpus}, {method}, {metric}: {given}")
    return found


def value_of(scores: "pd.Series[float]", metric: str, n: float) -> float:
    """Make a value from the scores of its row, by topic; NaN if `n` counts nothing scored."""
    if n == len(scores) and metric.endswith(SPREAD):
        # Scores of its own are deviations from the mean already.
        centre = 0.0 if scores.name == metric else scores.mean()
        squares = ((scores - centre) ** 2).sum()
        return float((squares / (n - 1)) ** 0.5)
    if n == len(scores):
        return float(scores.mean())
    by_topic = scores.groupby(level="topic").mean()
    whole = not metric.endswith((OVER_CITANCES, SPREAD))
    return float(by_topic.mean()) if whole and n == len(by_topic) else nan
