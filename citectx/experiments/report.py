"""One way to report: from the scores of citances to tidy rows with intervals and tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.evaluation import bootstrap_difference, bootstrap_interval, holm, paired_permutation, paired_t
from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json
from citectx.experiments.tuning import Tuned

BASELINES = ("VSM", "BM25", "DESM", "LMD-LDA", "QR")
"""The baselines of sigir2017; its daggers compare with the best of them."""


def collected(
    name: str, corpora: Sequence[Corpus], parts: Sequence[Mapping[str, pd.DataFrame]], seconds: float
) -> Result:
    """Put the tables that `summarised` made of each corpus below one another."""
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    table, citances = joined.pop("table"), joined.pop("citances")
    return Result(name, table, citances, joined, data, seconds)


def summarised(
    name: str,
    corpus: str,
    scores: pd.DataFrame,
    tuned: Mapping[str, Tuned],
    tests: pd.DataFrame,
    shared: Mapping[str, Any],
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Make the tables of one corpus: ``table``, ``citances``, ``tests`` and ``tuning``.

    Parameters
    ----------
    name, corpus : str
        Of the experiment and the corpus.
    scores : DataFrame
        Columns topic, citance, method and the metrics.
    tuned : mapping of str to Tuned
        By method.
    tests : DataFrame
        From `compare`; its t-tests become ``p_value``.
    shared : mapping
        Parameters of all rows.
    seed : int
    """
    p_values = tests.set_index(["method", "metric"])["t_test"]
    rows = []
    for method, own in scores.groupby("method", sort=False):
        params = params_json({**shared, "chosen": tuned[str(method)].counts()})
        for metric in METRICS:
            low, high = bootstrap_interval(own[metric], seed=seed, groups=own["topic"])
            p = p_values.get((method, metric), np.nan)
            rows.append(
                (name, corpus, method, metric, own[metric].mean(), low, high, p, len(own), params, seed)
            )
    curves = [t.curve.assign(params=t.curve["params"].map(params_json), method=m) for m, t in tuned.items()]
    return {
        "table": pd.DataFrame(rows, columns=COLUMNS),
        "citances": scores.assign(corpus=corpus)[["corpus", *scores.columns]],
        "tests": tests.assign(corpus=corpus)[["corpus", *tests.columns]],
        "tuning": pd.concat(curves).assign(corpus=corpus)[["corpus", "method", "params", "objective"]],
    }


def compare(
    scores: pd.DataFrame,
    seed: int,
    baselines: Sequence[str] = BASELINES,
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Test each method against the best baseline of each metric.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metrics.
    seed : int
    baselines : sequence of str
        Those absent from `scores` are passed over.
    metrics : sequence of str

    Returns
    -------
    DataFrame
        Columns method, metric, against, difference, ci_low, ci_high, t_test, permutation and the two p-values
        after Holm's correction; no rows where there is no baseline.
    """
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test", "permutation"]
    methods = list(dict.fromkeys(scores["method"]))
    present = [b for b in baselines if b in methods]
    rows = []
    for metric in metrics if present else ():
        wide = scores.pivot_table(index=["topic", "citance"], columns="method", values=metric, sort=False)
        best = max(present, key=lambda b: wide[b].mean())
        for method in methods:
            if method != best:
                a, b = wide[method].to_numpy(), wide[best].to_numpy()
                interval = bootstrap_difference(a, b, seed=seed, groups=wide.index.get_level_values("topic"))
                t, permuted = paired_t(a, b), paired_permutation(a, b, seed=seed)
                rows.append((method, metric, best, t.difference, *interval, t.p_value, permuted.p_value))
    tests = pd.DataFrame(rows, columns=columns)
    return tests.assign(t_test_holm=holm(tests["t_test"]), permutation_holm=holm(tests["permutation"]))
