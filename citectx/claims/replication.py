"""How closely a table replicates: measures that need nothing but the paper's means.

Beside verdicts on single sentences, three numbers for each table (Breuer et al., SIGIR 2020):

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's headline
  comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none, below 0
  the opposite;
- delta RI, the paper's relative improvement minus ours: 0 is a replication.

Intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

from contextlib import suppress
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.claims.ledger import Headline, Ledger, load, papers
from citectx.claims.results import Results
from citectx.claims.verdicts import view_of
from citectx.claims.view import ByTopic, View
from citectx.errors import DataError
from citectx.types import Floats

RESAMPLES = 2000
COLUMNS = "paper experiment corpus metric comparison methods topics".split() + [
    f"{name}{end}" for name in ("tau", "effect_ratio", "delta_ri") for end in ("", "_low", "_high")
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
        Columns `COLUMNS`; NaN for what cannot be computed, such as the intervals of tables without scores.
    """
    rows = []
    for name, experiment in ledger.experiments.items():
        if experiment.headline is None or not results.ran(name):
            continue
        for corpus in results.corpora(name):
            about = {"paper": ledger.paper, "experiment": name, "corpus": corpus}
            with suppress(DataError):  # the verdicts say what is wrong
                rows.append(about | _measured(view_of(ledger, results, (name,), corpus), experiment.headline, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def all_replication(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the measures of replication of one paper or of all, as `replication` does."""
    results = Results(folder)
    frames = [replication(load(name), results) for name in ([paper] if paper else papers())]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _measured(view: View, headline: Headline, seed: int) -> dict[str, object]:
    top, base, metric, percent, _ = headline
    column = headline.order or metric
    methods = [row for row, c in view.published if c == column and view.has(row, column)]
    paper = np.array([view.published_value(row, column) for row in methods])
    ours = np.array([[view.value(row, column) for row in methods]])
    found: dict[str, object] = {"metric": metric, "comparison": f"{top} over {base}", "methods": len(methods)}
    if len(methods) > 2:
        draws = _resampled([view.cell(row, column) for row in methods], seed)
        found |= _with_interval("tau", _tau(paper, ours), _tau(paper, draws))
    if not (view.has(top, metric) and view.has(base, metric)):
        return found
    cells = [view.cell(row, metric) for row in (top, base)]
    found["topics"] = 0 if cells[0] is None else len(cells[0].topics)
    theirs = [view.published_value(row, metric) for row in (top, base)]
    whole, draws = np.array([[view.value(row, metric) for row in (top, base)]]), _resampled(cells, seed)
    gains = [means[:, 0] / means[:, 1] - 1 for means in (whole, draws)]  # relative improvements
    if percent:
        printed = view.published_value(top, percent)
        gain, ratios = printed / 100, [100 * each / printed for each in gains]
    else:
        gain = theirs[0] / theirs[1] - 1
        ratios = [(means[:, 0] - means[:, 1]) / (theirs[0] - theirs[1]) for means in (whole, draws)]
    found |= _with_interval("effect_ratio", *ratios)
    return found | _with_interval("delta_ri", *(gain - each for each in gains))


def _resampled(cells: "list[ByTopic | None]", seed: int) -> Floats:
    """Return the means of some methods over topics drawn with replacement.

    Returns
    -------
    (resamples, methods) floats
        Empty where a method has no scores, or not the topics of the first one.
    """
    kept = [cell for cell in cells if cell is not None and len(cell.topics) > 1]
    if not kept or len(kept) < len(cells) or any(list(c.topics) != list(kept[0].topics) for c in kept):
        return np.empty((0, len(cells)))
    topics = len(kept[0].topics)
    times = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=RESAMPLES)
    return np.column_stack([(times @ (c.shares * c.means)) / (times @ c.shares) for c in kept])


def _tau(paper: Floats, ours: Floats) -> Floats:
    """Kendall's tau-b of one list with each row of another: (methods,), (resamples, methods) → (resamples,).

    >>> _tau(np.array([1.0, 2.0, 3.0]), np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [1.0, -1.0]
    """
    first, second = np.triu_indices(len(paper), 1)
    theirs, own = np.sign(paper[first] - paper[second]), np.sign(ours[:, first] - ours[:, second])
    with np.errstate(invalid="ignore"):  # all tied: NaN
        found: Floats = own @ theirs / np.sqrt((own**2).sum(axis=1) * (theirs**2).sum())
    return found


def _with_interval(name: str, values: Floats, draws: Floats) -> dict[str, float]:
    low, high = np.nanpercentile(draws, [2.5, 97.5]) if draws.size else (nan, nan)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
