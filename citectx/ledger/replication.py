"""How closely tables replicate: two numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's
  headline comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none,
  below 0 the opposite.

Their intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from citectx.ledger.entries import Headline, Ledger
from citectx.ledger.intervals import tau
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View
from citectx.types import Floats

RESAMPLES = 2000


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
        Columns table, corpus, methods, tau and effect_ratio with ``_low`` and ``_high``; NaN for
        what cannot be computed, such as the intervals of tables without scores.
    """
    rows = []
    for name, (headline, _) in ledger.tables.items():
        for corpus in results.corpora(name) if headline else ():
            view = view_of(ledger, results, (name,), corpus)
            rows.append({"table": name, "corpus": corpus} | _measured(view, headline, seed))
    return pd.DataFrame(rows)


def _measured(view: View, headline: Headline, seed: int) -> dict[str, float]:
    better, than, metric, percent, order = headline
    column, paper = order or metric, view.published_value
    methods = [row for row, each in view.published if each == column and view.has(row, column)]
    found: dict[str, float] = {"methods": len(methods)}
    if len(methods) > 2:
        theirs = [paper(row, column) for row in methods]
        ours = _means(view, methods, column, seed)
        found |= _with_interval("tau", [tau(theirs, own) for own in ours])
    if view.has(better, metric) and view.has(than, metric):
        one, two = _means(view, [better, than], metric, seed).T
        ratio = (one - two) / (paper(better, metric) - paper(than, metric))
        if percent:
            ratio = 100 * (one - two) / two / paper(better, percent)
        found |= _with_interval("effect_ratio", ratio)
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
    if len(cells) < len(rows) or len({tuple(cell.means.index) for cell in cells}) > 1:
        return ours
    shares = np.column_stack([cell.shares for cell in cells])
    sums = np.column_stack([cell.shares * cell.means for cell in cells])
    topics = len(sums)
    times = np.random.default_rng(seed).multinomial(topics, [1 / topics] * topics, RESAMPLES)
    return np.vstack([ours, times @ sums / (times @ shares)])


def _with_interval(name: str, values: Iterable[float]) -> dict[str, float]:
    own, *drawn = values
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if drawn else (np.nan, np.nan)
    return {name: own, f"{name}_low": low, f"{name}_high": high}
