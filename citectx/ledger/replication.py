"""How closely tables replicate: two numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's
  headline comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none,
  below 0 the opposite.

Their intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from citectx.ledger.entries import Headline, Ledger
from citectx.ledger.intervals import taus
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View
from citectx.types import Floats

RESAMPLES = 2000
COLUMNS = "paper table corpus metric comparison methods".split() + [
    f"{name}{end}" for name in ("tau", "effect_ratio") for end in ("", "_low", "_high")
]


def replication(ledger: Ledger, results: Results, *, seed: int = 0) -> pd.DataFrame:
    """Measure how closely each table with a headline comparison replicates, for each corpus.

    Parameters
    ----------
    ledger : Ledger
    results : Results
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; NaN for what cannot be computed, such as the intervals of tables
        without scores.
    """
    rows = []
    for name, (headline, _) in ledger.tables.items():
        if headline is None:
            continue
        for corpus in results.corpora(name):
            view = view_of(ledger, results, (name,), corpus)
            about = {"paper": ledger.paper, "table": name, "corpus": corpus}
            rows.append(about | _measured(view, headline, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(view: View, headline: Headline, seed: int) -> dict[str, Any]:
    better, than, metric = headline[:3]
    column = headline.order or metric
    methods = [row for row, each in view.published if each == column and view.has(row, column)]
    found = {"metric": metric, "comparison": f"{better} over {than}", "methods": len(methods)}
    if len(methods) > 2:
        paper = np.array([view.published_value(row, column) for row in methods])
        means = _means(view, methods, column, seed)
        found |= _with_interval("tau", taus(paper, means))
    if view.has(better, metric) and view.has(than, metric):
        one, two = _means(view, [better, than], metric, seed).T
        gains, printed = one - two, view.published_value(better, metric)
        gain = printed - view.published_value(than, metric)
        if headline.percent:
            gains, gain = 100 * (gains / two), view.published_value(better, headline.percent)
        found |= _with_interval("effect_ratio", gains / gain)
    return found


def _means(view: View, rows: list[str], column: str, seed: int) -> Floats:
    """Return our means of some methods, then those over topics drawn with replacement.

    Returns
    -------
    (1 + resamples, methods) floats
        No resamples where a method has no scores, or not the topics of the first one.
    """
    ours = np.array([[view.value(row, column) for row in rows]])
    cells = [cell for row in rows if (cell := view.cell(row, column)) is not None]
    lists = {tuple(cell.means.index) for cell in cells}
    if len(cells) < len(rows) or len(lists) > 1:
        return ours
    shares = np.column_stack([cell.shares for cell in cells])
    means = np.column_stack([cell.means for cell in cells])
    topics = len(means)
    even = np.full(topics, 1 / topics)
    times = np.random.default_rng(seed).multinomial(topics, even, size=RESAMPLES)
    return np.vstack([ours, times @ (shares * means) / (times @ shares)])


def _with_interval(name: str, values: Floats) -> dict[str, float]:
    own, *drawn = values.tolist()
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if drawn else (nan, nan)
    return {name: own, f"{name}_low": float(low), f"{name}_high": float(high)}
