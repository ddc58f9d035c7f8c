"""How closely tables replicate: two numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's
  headline comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none,
  below 0 the opposite.

The interval of tau is a percentile bootstrap over topics, that of the ratio the ledger's own.
"""

import numpy as np
import pandas as pd

from citectx.ledger.checks import better
from citectx.ledger.entries import Headline, Ledger
from citectx.ledger.intervals import tau
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View

RESAMPLES = 2000
ENDS = ("", "_low", "_high")


def replication(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Measure how closely each table with a headline comparison replicates, for each corpus.

    Returns
    -------
    DataFrame
        Columns table, corpus, methods, tau and effect_ratio with ``_low`` and ``_high``; NaN for
        what cannot be computed, such as the intervals of tables without scores.
    """
    rows = []
    for name, (headline, _) in ledger.tables.items():
        if headline is None:
            continue
        for corpus in results.corpora(name):
            view = view_of(ledger, results, (name,), corpus)
            rows.append({"table": name, "corpus": corpus} | _measured(view, headline))
    return pd.DataFrame(rows)


def _measured(view: View, headline: Headline) -> dict[str, float]:
    column = headline.order or headline.column
    methods = [row for row, each in view.published if each == column and view.has(row, column)]
    measured: dict[str, float] = {"methods": len(methods)}
    if len(methods) > 2:
        order = zip(ENDS, _tau(view, methods, column), strict=True)
        measured |= {f"tau{end}": value for end, value in order}
    check = better(*headline[:3], percent=headline.percent)
    if all(view.has(*cell) for cell in check.cells()):
        gain = check.judge(view)
        for end, value in zip(ENDS, (gain.effect, gain.ci_low, gain.ci_high), strict=True):
            measured[f"effect_ratio{end}"] = value / gain.published
    return measured


def _tau(view: View, methods: list[str], column: str) -> list[float]:
    """Compare the paper's order of methods with ours, and with ours over topics drawn anew."""
    paper = [view.published_value(row, column) for row in methods]
    ours = tau(paper, [view.value(row, column) for row in methods])
    cells = [cell for row in methods if (cell := view.cell(row, column))]
    if len(cells) < len(methods):
        return [ours, np.nan, np.nan]
    # (topics, methods)
    shares = np.column_stack([cell.shares for cell in cells])
    sums = shares * np.column_stack([cell.means for cell in cells])
    topics = len(sums)
    times = np.random.default_rng(0).multinomial(topics, [1 / topics] * topics, RESAMPLES)
    drawn = [tau(paper, own) for own in times @ sums / (times @ shares)]
    return [ours, *np.nanpercentile(drawn, [2.5, 97.5])]
