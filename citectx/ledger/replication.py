"""How closely tables replicate: three numbers that need nothing but the paper's means.

They are those of Breuer et al., SIGIR 2020:

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's
  headline comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none,
  below 0 the opposite;
- delta RI, the paper's relative improvement minus ours: 0 is a replication.

Their intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.errors import DataError
from citectx.ledger.entries import Ledger, load, papers
from citectx.ledger.intervals import taus
from citectx.ledger.results import Results
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import ByTopic, View
from citectx.types import Floats

RESAMPLES = 2000
MEASURES = ("tau", "effect_ratio", "delta_ri")
COLUMNS = "paper experiment corpus metric comparison methods topics".split() + [
    f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")
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

    Raises
    ------
    DataError
        If a table is damaged or contradicts its scores.
    """
    results.verify(*ledger.experiments)
    rows = []
    for name, experiment in ledger.experiments.items():
        if not experiment.headline:
            continue
        for corpus in results.corpora(name):
            view = view_of(ledger, results, (name,), corpus)
            about = {"paper": ledger.paper, "experiment": name, "corpus": corpus}
            with suppress(DataError):  # the verdicts say what is wrong
                rows.append(about | _measured(view, experiment.headline, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def all_replication(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the measures of replication of one paper or of all, as `replication` does."""
    results = Results(folder)
    frames = [replication(load(name), results) for name in ([paper] if paper else papers())]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _measured(view: View, headline: Mapping[str, str], seed: int) -> dict[str, Any]:
    pair, metric = [headline["better"], headline["than"]], headline["in"]
    order = _order(view, headline.get("order", metric), seed)
    about = {"metric": metric, "comparison": " over ".join(pair), **order}
    if not all(view.has(row, metric) for row in pair):
        return about
    cells = [view.cell(row, metric) for row in pair]
    topics = len(cells[0].topics) if cells[0] else 0
    ours = np.array([[view.value(row, metric) for row in pair]])
    draws = _resampled(cells, seed)
    theirs = [view.published_value(row, metric) for row in pair]
    printed = nan
    if "percent" in headline:
        printed = view.published_value(pair[0], headline["percent"])
    ratios, lost = zip(*(_effects(means, theirs, printed) for means in (ours, draws)), strict=True)
    found = _with_interval("effect_ratio", *ratios) | _with_interval("delta_ri", *lost)
    return about | {"topics": topics} | found


def _order(view: View, column: str, seed: int) -> dict[str, Any]:
    """Compare the orders of the methods that both sides have; from three on there is a tau."""
    methods = [row for row, c in view.published if c == column and view.has(row, column)]
    found: dict[str, Any] = {"methods": len(methods)}
    if len(methods) > 2:
        paper = np.array([view.published_value(row, column) for row in methods])
        ours = np.array([[view.value(row, column) for row in methods]])
        draws = _resampled([view.cell(row, column) for row in methods], seed)
        found |= _with_interval("tau", taus(paper, ours), taus(paper, draws))
    return found


def _effects(means: Floats, theirs: list[float], printed: float) -> tuple[Floats, Floats]:
    """Return effect ratios and delta RI of means of two rows: (resamples, 2) → (resamples,) each.

    ``printed`` is the paper's relative gain in percent where it prints nothing else, NaN otherwise.
    """
    gains = means[:, 0] / means[:, 1] - 1
    if not np.isnan(printed):
        return 100 * gains / printed, printed / 100 - gains
    ratios = (means[:, 0] - means[:, 1]) / (theirs[0] - theirs[1])
    return ratios, theirs[0] / theirs[1] - 1 - gains


def _resampled(cells: Sequence[ByTopic | None], seed: int) -> Floats:
    """Return the means of some methods over topics drawn with replacement.

    Returns
    -------
    (resamples, methods) floats
        Empty where a method has no scores, or not the topics of the first one.
    """
    kept = [cell for cell in cells if cell is not None and len(cell.topics) > 1]
    lists = {tuple(cell.topics) for cell in kept}
    if len(kept) < len(cells) or len(lists) != 1:
        return np.empty((0, len(cells)))
    topics = len(kept[0].topics)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(topics, np.full(topics, 1 / topics), size=RESAMPLES)
    means = [(times @ (cell.shares * cell.means)) / (times @ cell.shares) for cell in kept]
    return np.column_stack(means)


def _with_interval(name: str, values: Floats, draws: Floats) -> dict[str, float]:
    low, high = np.nanpercentile(draws, [2.5, 97.5]) if draws.size else (nan, nan)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
