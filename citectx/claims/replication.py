"""How closely a table replicates: measures that need nothing but the paper's means.

Beside verdicts on single sentences, three numbers for each table (Breuer et al., SIGIR 2020):

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's headline
  comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none, below 0
  the opposite;
- delta RI, the paper's relative improvement minus ours: 0 is a replication.

Intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import NamedTuple

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


class Means(NamedTuple):
    """Advanced method and baseline: a mean each, or one for each resample."""

    advanced: Floats
    baseline: Floats

    @property
    def improvement(self) -> Floats:
        """Relative improvement of the advanced method."""
        return self.advanced / self.baseline - 1


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
            view = view_of(ledger, results, (name,), corpus)
            try:
                found = dict(_measured(view, experiment.headline, seed))
            except DataError:  # the verdicts say what is wrong
                continue
            if found:
                label = f"{experiment.headline.advanced} over {experiment.headline.baseline}"
                about = {"paper": ledger.paper, "experiment": name, "corpus": corpus, "comparison": label}
                rows.append(about | {"metric": experiment.headline.column} | found)
    return pd.DataFrame(rows, columns=COLUMNS)


def all_replication(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the measures of replication of one paper or of all, as `replication` does."""
    results = Results(folder)
    frames = [replication(load(name), results) for name in ([paper] if paper else papers())]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _measured(view: View, headline: Headline, seed: int) -> Iterator[tuple[str, float]]:
    column = headline.order or headline.column
    methods = [row for row, c in view.published if c == column and view.has(row, column)]
    paper = np.array([view.published_value(row, column) for row in methods])
    ours = np.array([view.value(row, column) for row in methods])
    cells = [view.by_topic(row, column) for row in methods]
    draws = _resampled(cells, seed)
    yield "methods", len(methods)
    if len(methods) > 2:
        yield from _with_interval("tau", _tau(paper, ours[None])[0], _tau(paper, draws))
    pair = headline.advanced, headline.baseline
    if not all(view.has(row, headline.column) for row in pair):
        return
    two = [view.by_topic(row, headline.column) for row in pair]
    yield "topics", 0 if two[0] is None else len(two[0].topics)
    whole = Means(*(np.array([view.value(row, headline.column)]) for row in pair))
    sampled = _resampled(two, seed)
    parts = Means(sampled[:, 0], sampled[:, 1]) if sampled.size else Means(np.array([]), np.array([]))
    for name, measure in (("effect_ratio", _effect_ratio), ("delta_ri", _delta_ri)):
        yield from _with_interval(name, measure(view, headline, whole)[0], measure(view, headline, parts))


def _effect_ratio(view: View, headline: Headline, ours: Means) -> Floats:
    """Return our improvement over the paper's: of relative ones where the paper prints no other."""
    if headline.percent:
        return 100 * ours.improvement / view.published_value(headline.advanced, headline.percent)
    theirs = [view.published_value(row, headline.column) for row in (headline.advanced, headline.baseline)]
    return (ours.advanced - ours.baseline) / (theirs[0] - theirs[1])


def _delta_ri(view: View, headline: Headline, ours: Means) -> Floats:
    if headline.percent:
        return view.published_value(headline.advanced, headline.percent) / 100 - ours.improvement
    theirs = [view.published_value(row, headline.column) for row in (headline.advanced, headline.baseline)]
    return theirs[0] / theirs[1] - 1 - ours.improvement


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


def _with_interval(name: str, value: float, draws: Floats) -> Iterator[tuple[str, float]]:
    low, high = np.nanpercentile(draws, [2.5, 97.5]) if draws.size else (nan, nan)
    yield from ((name, float(value)), (f"{name}_low", float(low)), (f"{name}_high", float(high)))
