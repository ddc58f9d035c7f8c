"""How closely tables replicate: two numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020, for the comparison that a table is about:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the comparison;
- the effect ratio, our improvement over the paper's: 1 is a replication, 0 none, below 0 the
  opposite. Its interval is the ledger's.

Tau has no interval. With so few methods it moves in steps: a jackknife over topics gives no width
where no single topic changes the order, and elsewhere ends beyond 1.
"""

import numpy as np
import pandas as pd

from citectx.evaluation.significance import kendall_tau
from citectx.ledger.checks import Order
from citectx.ledger.entries import Ledger
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View


def replication(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Measure how closely each table replicates, on each corpus.

    Returns
    -------
    DataFrame
        Columns table, corpus, methods, tau and effect_ratio, this with ``_low`` and ``_high``; NaN
        for what cannot be computed, such as the interval of a table without scores.
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
    paper = [view.published_value(row, column) for row in methods]
    ours = [view.value(row, column) for row in methods]
    measured = {"methods": len(methods), "tau": kendall_tau(paper, ours)}
    if all(view.has(*cell) for cell in comparison.cells()):
        gain = comparison.judge(view)
        ratios = np.array([gain.effect, gain.ci_low, gain.ci_high]) / gain.published
        ends = ("effect_ratio", "effect_ratio_low", "effect_ratio_high")
        measured |= dict(zip(ends, ratios, strict=True))
    return measured
