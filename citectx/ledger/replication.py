"""How closely tables replicate: two numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020, for the comparison that a table is about:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the comparison;
- the effect ratio, our improvement over the paper's: 1 is a replication, 0 none, below 0 the
  opposite.

The interval of tau is a percentile bootstrap over topics, that of the ratio the ledger's own.
"""

import numpy as np
import pandas as pd

from citectx.evaluation.significance import kendall_tau
from citectx.ledger.checks import Order
from citectx.ledger.entries import Ledger
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View

RESAMPLES = 2000
ENDS = ("", "_low", "_high")


def replication(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Measure how closely each table replicates, on each corpus.

    Returns
    -------
    DataFrame
        Columns table, corpus, methods, tau and effect_ratio with ``_low`` and ``_high``; NaN for
        what cannot be computed, such as the intervals of tables without scores.
    """
    rows = []
    for table, comparison in ledger.comparisons.items():
        for corpus in results.corpora(table):
            view = view_of(ledger, results, (table,), corpus)
            rows.append({"table": table, "corpus": corpus} | measures(view, comparison))
    return pd.DataFrame(rows)


def measures(view: View, comparison: Order) -> dict[str, float]:
    """Compute both measures for the rows that the paper and we have."""
    column = comparison.percent or comparison.columns[0]
    methods = [row for row, own in view.published if own == column and view.has(row, column)]
    measured: dict[str, float] = {"methods": len(methods)}
    if len(methods) > 2:
        order = tau_with_ends(view, methods, column)
        measured |= {f"tau{end}": value for end, value in zip(ENDS, order, strict=True)}
    if all(view.has(*cell) for cell in comparison.cells()):
        gain = comparison.judge(view)
        for end, value in zip(ENDS, (gain.effect, gain.ci_low, gain.ci_high), strict=True):
            measured[f"effect_ratio{end}"] = value / gain.published
    return measured


def tau_with_ends(view: View, methods: list[str], column: str) -> list[float]:
    """Compare the paper's order of methods with ours, and with ours over topics drawn anew."""
    paper = [view.published_value(row, column) for row in methods]
    ours = kendall_tau(paper, [view.value(row, column) for row in methods])
    cells = [cell for row in methods if (cell := view.by_topic(row, column))]
    if len(cells) < len(methods):
        return [ours, np.nan, np.nan]
    # (topics, methods)
    shares = np.column_stack([cell.shares for cell in cells])
    sums = shares * np.column_stack([cell.means for cell in cells])
    topics = len(sums)
    times = np.random.default_rng(0).multinomial(topics, [1 / topics] * topics, RESAMPLES)
    drawn = [kendall_tau(paper, own) for own in times @ sums / (times @ shares)]
    return [ours, *np.nanpercentile(drawn, [2.5, 97.5])]
