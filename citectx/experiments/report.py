"""One way to report: from the scores of citances to tidy rows with intervals, tests and parameters.

A table measures the citances of a corpus (`scores`: a frame with the columns topic, citance, method
and a column for each metric), has `part` report on them, and joins corpora with `Result.of`::

    tests = compare(scores, seed, ["BM25"])
    part(NAME, corpus, scores, seed, params={"k": 3}, tests=tests)

Numbers that are not such means are passed as `Cell`. What a table's values are made of can be
told from the table: `citectx.experiments.consistency` makes them again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.evaluation import Interval, bootstrap_interval, holm, paired_permutation, paired_t
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json

BASELINES = ("VSM", "BM25", "DESM", "LMD-LDA", "QR")
"""The baselines of sigir2017; its daggers compare with the best of them."""

KEYS = ["topic", "citance", "method"]
OVER_CITANCES = " (citances)"
"""Ends the name of a metric that is averaged over citances where another one, of the same scores,
is averaged over topics."""
SPREAD = " sd"
"""Ends the name of a metric that is the standard deviation of another one over citances. Scores of
its own are deviations from the mean."""
TESTS = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test", "permutation"]
NAN = float("nan")

Over = Literal["citances", "topics"]
"""What a mean is over. Over citances, each counts alike and intervals draw whole topics; over
topics, the means of topics count alike."""
PValues = Mapping[tuple[str, str], float]
"""By method and metric."""


class Cell(NamedTuple):
    """A number of a table.

    Parameters
    ----------
    method, metric : str
    value : float
    n : int
        How many units it is a mean of: that tells citances from topics.
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


def means(
    scores: pd.DataFrame, seed: int, over: Over = "citances", p_values: PValues | None = None
) -> list[Cell]:
    """Return the mean of each method and metric, methods in their order.

    >>> scores = pd.DataFrame([("T1", "1", "LMD", 1.0), ("T2", "1", "LMD", 3.0)])
    >>> means(scores.set_axis([*KEYS, "c-F"], axis=1), seed=0)[0][:5]
    ('LMD', 'c-F', 2.0, 2, Interval(low=1.0, high=3.0))

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metrics; what is NaN does not count.
    seed : int
        Of the bootstrap.
    over : {"citances", "topics"}
    p_values : mapping of (method, metric) to float, optional
    """
    cells, known = [], p_values or {}
    for method, rows in scores.groupby("method", sort=False):
        for metric in scores.columns.drop(KEYS):
            own = rows[["topic", metric]].dropna()
            cell = (str(method), metric)
            values, topics = own[metric], own["topic"]
            if over == "topics":
                values = own.groupby("topic", sort=False)[metric].mean()
            if len(values):
                groups = topics if over == "citances" else None
                interval = bootstrap_interval(values, seed, groups=groups)
                ends = interval, known.get(cell, NAN)
                cells.append(Cell(*cell, float(values.mean()), len(values), *ends))
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
    rows, own, shared = [], by_method or {}, params or {}
    for method, metric, value, n, interval, p_value in cells:
        written = params_json({**shared, **own.get(method, {})})
        numbers = value, *interval, p_value, n
        rows.append((experiment, corpus, method, metric, *numbers, written, seed))
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
    frames = {**({} if tests is None else {"tests": tests}), **(extra or {})}
    if cells is None:
        cells = means(scores, seed, over, {} if tests is None else p_values_of(tests))
    name = corpus.name
    table = tabulate(experiment, name, cells, seed, params, by_method)
    tables = {about: labelled(name, frame) for about, frame in frames.items()}
    return Result(experiment, table, labelled(name, scores), tables, {name: fingerprint(corpus)})


def labelled(corpus: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Put the corpus's name into a first column ``corpus``."""
    others = frame.columns.drop("corpus", errors="ignore")
    return frame.assign(corpus=corpus)[["corpus", *others]]


def p_values_of(tests: pd.DataFrame, column: str = "t_test") -> dict[tuple[str, str], float]:
    """Look p-values up by method and metric."""
    cells = zip(tests["method"], tests["metric"], strict=True)
    return dict(zip(cells, tests[column], strict=True))


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
        Those absent from `scores` are skipped.
    metrics : sequence of str, optional
        All of them by default.
    over : {"citances", "topics"}
        What the mean, the interval and the tests are over.
    permute : bool
        Whether to do the permutation test; its columns are empty otherwise.

    Returns
    -------
    DataFrame
        Columns `TESTS` and the two p-values after Holm's correction; no rows where there is no
        baseline.
    """
    methods = scores["method"].unique().tolist()
    present = [name for name in baselines if name in methods]
    rows: list[tuple[Any, ...]] = []
    for metric in (metrics or scores.columns.drop(KEYS)) if present else ():
        wide = scores.pivot_table(metric, ["topic", "citance"], "method", sort=False)
        if over == "topics":
            wide = wide.groupby("topic", sort=False).mean()
        groups = wide.index.get_level_values("topic") if over == "citances" else None
        best = max(present, key=lambda name: wide[name].mean())
        for method in methods:
            if method != best:
                a = wide[method].to_numpy()
                b = wide[best].to_numpy()
                interval = bootstrap_interval(a - b, seed, groups=groups)
                permuted = paired_permutation(a, b, seed) if permute else NAN
                found = float((a - b).mean()), *interval, paired_t(a, b), permuted
                rows.append((method, metric, best, *found))
    tests = pd.DataFrame(rows, columns=TESTS)
    corrected = {f"{name}_holm": holm(tests[name]) for name in ("t_test", "permutation")}
    return tests.assign(**corrected)
