"""One way to report: from the scores of citances to tidy rows with intervals, tests and parameters.

Scores are a frame with the columns topic, citance, method and a column for each metric. `part`
reports on one corpus, and `Result.of` joins corpora. Other numbers than means are passed as `Cell`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.evaluation import Estimate, holm, mean_over, paired_t
from citectx.experiments.results import COLUMNS, Result, fingerprint

BASELINES = ("VSM", "BM25", "DESM", "LMD-LDA", "QR")
"""The baselines of sigir2017; its daggers compare with the best of them."""

KEYS = ["topic", "citance", "method"]
SPREAD = " sd"
"""The name of a metric ends so if it is the standard deviation of another one over citances. Its
scores are deviations from the mean."""
TESTS = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test"]


class Cell(NamedTuple):
    """A number of a table; `n` is how many units it is a mean of, citances or topics."""

    method: str
    metric: str
    value: float
    n: int
    ci_low: float = nan
    ci_high: float = nan
    p_value: float = nan

    @classmethod
    def of(
        cls, method: str, metric: str, estimate: Estimate, n: int, p_value: float = nan
    ) -> "Cell":
        """Report an estimate with its interval."""
        value, low, high = map(float, estimate.table_numbers)
        return cls(method, metric, value, n, low, high, p_value)


def average(scores: pd.DataFrame) -> pd.DataFrame:
    """Take the mean where a citance has several rows of a method, such as one for each draw.

    >>> draws = pd.DataFrame([("T", "1", "Random", 0.0), ("T", "1", "Random", 3.0)])
    >>> average(draws.set_axis([*KEYS, "c-F"], axis=1))["c-F"].tolist()
    [1.5]
    """
    return scores.groupby(KEYS, sort=False, as_index=False).mean()


def means(scores: pd.DataFrame, tests: pd.DataFrame | None = None) -> list[Cell]:
    """Return the mean of each method and metric; what is NaN does not count.

    Intervals are over topics, if there are enough (`Estimate.table_numbers`). The p-values are
    those of the t-tests of `tests`, which `compare` returns.

    >>> scores = pd.DataFrame([(f"T{i}", "1", "LMD", float(i)) for i in range(5)])
    >>> (cell,) = means(scores.set_axis([*KEYS, "c-F"], axis=1))
    >>> cell.value, cell.n, round(cell.ci_low, 1), round(cell.ci_high, 1)
    (2.0, 5, 0.0, 4.0)
    """
    cells = []
    p_values = {} if tests is None else dict(tests.set_index(["method", "metric"])["t_test"])
    for method, rows in scores.set_index("topic").groupby("method", sort=False):
        for metric in scores.columns.drop(KEYS):
            # indexed by topic, which the interval is over
            values = rows[metric].dropna()
            if len(values):
                mean = mean_over(values, values.index)
                p_value = p_values.get((method, metric), nan)
                cells.append(Cell.of(str(method), metric, mean, len(values), p_value))
    return cells


def tabulate(
    experiment: str,
    corpus: str,
    cells: Iterable[Cell],
    seed: int,
    params: Mapping[str, Any] = {},
    by_method: Mapping[str, Mapping[str, Any]] = {},
) -> pd.DataFrame:
    """Lay cells out as tidy rows, with the parameters of all and those of a row's method."""
    table = pd.DataFrame(cells, columns=Cell._fields)
    known = [{**params, **by_method.get(method, {})} for method in table["method"]]
    # sorted, so that the same parameters are the same bytes
    written = [json.dumps(one, sort_keys=True, ensure_ascii=False) for one in known]
    table = table.assign(experiment=experiment, corpus=corpus, params=written, seed=seed)
    return table[COLUMNS]


def part(
    experiment: str,
    corpus: Corpus,
    scores: pd.DataFrame,
    seed: int,
    *,
    cells: Iterable[Cell] | None = None,
    params: Mapping[str, Any] = {},
    by_method: Mapping[str, Mapping[str, Any]] = {},
    tests: pd.DataFrame | None = None,
    extra: Mapping[str, pd.DataFrame] = {},
    files: Mapping[str, bytes] = {},
) -> Result:
    """Report on one corpus; `Result.of` joins several.

    `cells` are the numbers of the table, if not the means of `scores`. The t-tests of `tests` (from
    `compare`) become ``p_value``. Each extra table gets a first column ``corpus``.
    """
    name = corpus.name
    frames = {"tests": tests, **extra}
    if cells is None:
        cells = means(scores, tests)
    table = tabulate(experiment, name, cells, seed, params, by_method)
    tables = {
        label: add_corpus(name, frame) for label, frame in frames.items() if frame is not None
    }
    data = {name: fingerprint(corpus)}
    return Result(experiment, table, add_corpus(name, scores), tables, data, files)


def add_corpus(corpus: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Put the corpus's name into a first column ``corpus``."""
    return frame.assign(corpus=corpus)[["corpus", *frame]]


def compare(scores: pd.DataFrame, baselines: Sequence[str] = BASELINES) -> pd.DataFrame:
    """Test each method against the best baseline of each metric.

    Intervals are over topics. t-tests pair citances, or topics where the scores are of topics.
    The columns are `TESTS` and the p-value after Holm's correction; there are no rows where there
    is no baseline.
    """
    methods = scores["method"].unique()
    present = [name for name in baselines if name in methods]
    rows: list[tuple[Any, ...]] = []
    for metric in scores.columns.drop(KEYS) if present else ():
        # (citances, methods)
        wide = scores.pivot_table(metric, ["topic", "citance"], "method", sort=False)
        best = wide[present].mean().idxmax()
        # each method minus the best baseline, citance by citance
        differences = wide[methods].drop(columns=best).sub(wide[best], axis=0)
        for method, gains in differences.items():
            mean = mean_over(gains, gains.index.get_level_values("topic"))
            rows.append((method, metric, best, *mean.table_numbers, paired_t(gains, 0)))
    tests = pd.DataFrame(rows, columns=TESTS)
    return tests.assign(t_test_holm=holm(tests["t_test"]))
