"""One way to report: from the scores of citances to tidy rows with intervals, tests and parameters.

A table measures the citances of a corpus (`scores`: a frame with the columns topic, citance, method
and a column for each metric), has `part` report on them, and joins corpora with `Result.of`:

    tests = compare(scores, seed, ["BM25"])
    part(NAME, corpus, scores, seed, params={"k": 3}, tests=tests)

Numbers that are no such means are passed as `Cell`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from citectx.corpora.model import Corpus
from citectx.evaluation import (
    Interval,
    bootstrap_difference,
    bootstrap_interval,
    holm,
    paired_permutation,
    paired_t,
)
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json

BASELINES = ("VSM", "BM25", "DESM", "LMD-LDA", "QR")
"""The baselines of sigir2017; its daggers compare with the best of them."""

KEYS = ["topic", "citance", "method"]
NAN = float("nan")

Over = Literal["citances", "topics"]
"""What a mean is over. Over citances, each counts alike and intervals draw whole topics; over
topics, the means of topics count alike."""


class Cell(NamedTuple):
    """A number of a table.

    Parameters
    ----------
    method, metric : str
    value : float
    n : int
        How many units it is a mean of.
    interval : Interval
        95 %; NaN at both ends where there is none.
    p_value : float
    """

    method: str
    metric: str
    value: float
    n: int
    interval: Interval = Interval(NAN, NAN)
    p_value: float = NAN


def mean(
    method: str,
    metric: str,
    values: ArrayLike,
    seed: int,
    groups: ArrayLike | None = None,
    p_value: float = NAN,
) -> Cell:
    """Return the mean of values with its 95 % bootstrap interval, which draws whole groups if there
    are any.

    >>> mean("BM25", "c-F", [1.0, 3.0], seed=0)
    Cell(method='BM25', metric='c-F', value=2.0, n=2, interval=Interval(low=1.0, high=3.0), p_value=nan)
    """
    own = np.asarray(values, dtype=np.float64)
    interval = bootstrap_interval(own, seed=seed, groups=groups)
    return Cell(method, metric, float(own.mean()), len(own), interval, p_value)


def means(
    scores: pd.DataFrame,
    seed: int,
    over: Over = "citances",
    p_values: Mapping[tuple[str, str], float] | None = None,
) -> list[Cell]:
    """Return the mean of each method and metric, methods in their order.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metrics; what is NaN does not count.
    seed : int
        Of the bootstrap.
    over : {"citances", "topics"}
    p_values : mapping of (method, metric) to float, optional
    """
    cells = []
    for method, rows in scores.groupby("method", sort=False):
        topics, measured = rows["topic"].to_numpy(), rows.drop(columns=KEYS)
        complete = measured.columns[measured.notna().all()]
        at_once = (
            measured[complete].groupby(topics, sort=False).mean() if over == "topics" else measured
        )
        for metric, column in measured.items():
            there = column.notna().to_numpy()
            if metric in complete:
                values = np.ascontiguousarray(at_once[metric])
            else:
                own = column[there]
                values = (
                    own.groupby(topics[there], sort=False).mean() if over == "topics" else own
                ).to_numpy()
            if len(values):
                groups = topics[there] if over == "citances" else None
                p = (p_values or {}).get((str(method), str(metric)), NAN)
                cells.append(mean(str(method), str(metric), values, seed, groups, p))
    return cells


def tabulate(
    experiment: str,
    corpus: str,
    cells: Iterable[Cell],
    seed: int,
    params: Mapping[str, Any] | None = None,
    by_method: Mapping[str, Mapping[str, Any]] | None = None,
) -> pd.DataFrame:
    """Lay cells out as tidy rows.

    Parameters
    ----------
    experiment, corpus : str
    cells : iterable of Cell
    seed : int
    params : mapping, optional
        Parameters of all rows.
    by_method : mapping of method to mapping, optional
        What is added to them in the rows of a method.
    """
    rows = []
    for c in cells:
        said = params_json({**(params or {}), **(by_method or {}).get(c.method, {})})
        rows.append((experiment, corpus, *c[:3], *c.interval, c.p_value, c.n, said, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def part(
    experiment: str,
    corpus: Corpus,
    scores: pd.DataFrame,
    seed: int,
    *,
    cells: Iterable[Cell] | None = None,
    params: Mapping[str, Any] | None = None,
    by_method: Mapping[str, Mapping[str, Any]] | None = None,
    over: Over = "citances",
    tests: pd.DataFrame | None = None,
    extra: Mapping[str, pd.DataFrame] | None = None,
) -> Result:
    """Report on one corpus; `Result.of` joins several.

    Parameters
    ----------
    experiment : str
    corpus : Corpus
    scores : DataFrame
        Columns topic, citance, method and the metrics.
    seed : int
        Of the bootstrap.
    cells : iterable of Cell, optional
        The numbers of the table, if they are not the means of `scores`.
    params, by_method
        As in `tabulate`.
    over : {"citances", "topics"}
    tests : DataFrame, optional
        From `compare`; its t-tests become ``p_value``, and it becomes the extra table ``tests``.
    extra : mapping of str to DataFrame, optional
        Further tables; each gets a first column ``corpus``.
    """
    if cells is None:
        cells = means(scores, seed, over, None if tests is None else p_values_of(tests))
    frames = ({} if tests is None else {"tests": tests}) | dict(extra or {})
    return Result(
        experiment,
        tabulate(experiment, corpus.name, cells, seed, params, by_method),
        labelled(corpus.name, scores),
        {name: labelled(corpus.name, frame) for name, frame in frames.items()},
        {corpus.name: fingerprint(corpus)},
    )


def labelled(corpus: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Put the corpus's name into a first column ``corpus``."""
    return frame.assign(corpus=corpus)[["corpus", *frame.columns.drop("corpus", errors="ignore")]]


def p_values_of(tests: pd.DataFrame, column: str = "t_test") -> dict[tuple[str, str], float]:
    """Look p-values up by method and metric."""
    return dict(zip(zip(tests["method"], tests["metric"], strict=True), tests[column], strict=True))


def compare(
    scores: pd.DataFrame,
    seed: int,
    baselines: Sequence[str] = BASELINES,
    metrics: Sequence[str] | None = None,
    *,
    over: Over = "citances",
    permute: bool = True,
) -> pd.DataFrame:
    """Test each method against the best baseline of each metric.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metrics.
    seed : int
        Of bootstrap and permutations.
    baselines : sequence of str
        Those absent from `scores` are passed over.
    metrics : sequence of str, optional
        All of them by default.
    over : {"citances", "topics"}
        What the mean, the interval and the tests are over.
    permute : bool
        Whether to do the permutation test; its columns are empty otherwise.

    Returns
    -------
    DataFrame
        Columns method, metric, against, difference, ci_low, ci_high, t_test, permutation and the
        two p-values after Holm's correction; no rows where there is no baseline.
    """
    columns = [
        "method",
        "metric",
        "against",
        "difference",
        "ci_low",
        "ci_high",
        "t_test",
        "permutation",
    ]
    methods = list(dict.fromkeys(scores["method"]))
    present = [b for b in baselines if b in methods]
    columns_of = list(metrics or scores.columns.drop(KEYS)) if present else []
    rows = []
    # What is NaN does not count, and whole rows of it have no place in a table; else one turn does
    # for all metrics.
    once = (
        _by_method(scores, columns_of)
        if columns_of and scores[columns_of].notna().all(axis=None)
        else None
    )
    for metric in columns_of:
        wide = _by_method(scores, [metric])[metric] if once is None else once[metric]
        if over == "topics":
            wide = wide.groupby("topic", sort=False).mean()
        groups = wide.index.get_level_values("topic") if over == "citances" else None
        best = max(present, key=lambda b: wide[b].mean())
        for method in methods:
            if method != best:
                a, b = wide[method].to_numpy(), wide[best].to_numpy()
                interval = bootstrap_difference(a, b, seed=seed, groups=groups)
                t, permuted = (
                    paired_t(a, b),
                    paired_permutation(a, b, seed=seed).p_value if permute else NAN,
                )
                rows.append((method, metric, best, t.difference, *interval, t.p_value, permuted))
    tests = pd.DataFrame(rows, columns=columns)
    return tests.assign(
        t_test_holm=holm(tests["t_test"]), permutation_holm=holm(tests["permutation"])
    )


def _by_method(scores: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Put methods side by side: a row for each citance, a column for each metric and method."""
    return scores.pivot_table(
        index=["topic", "citance"], columns="method", values=metrics, sort=False
    )
