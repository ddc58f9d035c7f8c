"""Does a table follow from its scores? Each value is made again, by the rules of `report`.

A value is the mean of its row's scores in its metric, over what ``n`` counts: over citances, or
over topics. `OVER_CITANCES` and `SPREAD` end the names of metrics that are made of another one's
scores. Counts, correlations and the like, of which no column of scores tells, are left alone.
"""

from math import inf, nan

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

    A value may differ by as much as rounding to `DECIMALS` can have moved it and its scores.

    Parameters
    ----------
    table : DataFrame
        A row for each cell, no cell twice: the columns corpus, method, metric, value and n.
    scores : DataFrame
        A row for each citance and row of the table: the columns corpus, topic, citance, method, and
        a column for each metric, NaN for what was not scored.

    Examples
    --------
    >>> table = pd.DataFrame([("home", "A", "c-F", 12.3, 2)], columns=[*CELL, "value", "n"])
    >>> scores = pd.DataFrame({"corpus": "home", "topic": "t", "citance": ["1", "2"]})
    >>> contradictions(table, scores.assign(method="A", **{"c-F": [22.0, 22.6]}))
    ['home, A, c-F: 12.3000 with n = 2, its scores give 22.3000']
    """
    values, wrong = values_of(scores), list[str]()
    for corpus, method, metric, value, n in table[[*CELL, "value", "n"]].to_numpy():
        base = metric.removesuffix(OVER_CITANCES).removesuffix(SPREAD)
        column = metric if metric in scores else base
        if column not in scores:
            continue
        again = values.get((corpus, method, metric, n), nan)
        spread = (n / (n - 1) if n > 1 else inf) ** 0.5
        rounding = HALF_UNIT * (1 + (spread if metric.endswith(SPREAD) else 1))
        if not abs(value - again) <= rounding + EXACT * max(abs(value), 1):  # NaN is wrong, too
            stated = f"{value:.{DECIMALS}f} with n = {n:g}, its scores give {again:.{DECIMALS}f}"
            wrong.append(f"{corpus}, {method}, {metric}: {stated}")
    return wrong


def values_of(scores: pd.DataFrame) -> dict[tuple[str, str, str, float], float]:
    """Make all values that a table may have of its scores, by corpus, method, metric and n."""
    metrics = [*scores.columns.drop([*ROW, "topic", "citance"])]
    rows = scores.groupby(ROW, sort=False)[metrics]
    topics = scores.groupby([*ROW, "topic"], sort=False)[metrics].mean().groupby(ROW, sort=False)
    squares = scores.set_index(ROW)[metrics].pow(2).groupby(ROW, sort=False).sum()
    count, mean, spread = rows.count(), rows.mean(), rows.std()
    over_topics = topics.count(), topics.mean()
    values = dict[tuple[str, str, str, float], float]()
    for metric in metrics:
        made = [
            (metric, *over_topics),
            (metric, count, mean),
            (metric + OVER_CITANCES, count, mean),
            (metric + SPREAD, count, spread),
        ]
        if metric.endswith(SPREAD):  # whose scores are deviations from the mean already
            made = [(metric, count, (squares / (count - 1)) ** 0.5)]
        for name, sizes, frame in made:
            cells = zip(count.index, sizes[metric], frame[metric], strict=True)
            values |= {(*row, name, n): value for row, n, value in cells}
    return values
