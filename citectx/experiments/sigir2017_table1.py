"""sigir2017 Table 1: how well the retrieved contexts match the annotators' (§3.1)."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.evaluation import bootstrap_difference, bootstrap_interval, holm, paired_permutation, paired_t
from citectx.experiments.contextualization import METRICS, Protocol, Tuned, measured, prepare, settings, tune
from citectx.experiments.methods import applicable, variants
from citectx.experiments.tables import COLUMNS, Result, fingerprint, params_json
from citectx.retrieval import MODELS, model

NAME = "sigir2017_table1"
BASELINES = ("VSM", "BM25", "DESM", "LMD-LDA", "QR")
"""The paper's baselines; its daggers compare with the best of them."""


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with every method and measure them in twelve ways.

    Source: sigir2017 §3.1, Table 1. Values are means over citances, in percent, with 95 % intervals from a
    bootstrap over topics (citances of one article are not independent). ``p_value`` is the paper's test: a
    two-tailed paired t-test over citances against the best baseline of the column; empty for that baseline.

    Ambiguity: sigir2017 does not say whether scores are averaged over citances or over topics; we take
    citances. It does not say what its parameters were tuned for; we take character F.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    protocol : Protocol, optional
    folds : int
        Folds of the cross-validation over topics.
    seed : int
        For bootstrap and permutations.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (each method against the best baseline: difference, interval, t-test,
        permutation test, both Holm-corrected over the corpus's table) and ``tuning`` (each variant's mean
        character F over all topics).

    Raises
    ------
    ParameterError
        For an unknown method, or if there are too few topics to tune on.
    """
    started = time.perf_counter()
    protocol = protocol or Protocol()
    for name in methods:
        model(name)  # an unknown name is an error before anything runs
    rows = {corpus.name: applicable(corpus.name, methods) for corpus in corpora}
    parts: list[dict[str, pd.DataFrame]] = []
    with tqdm(total=sum(map(len, rows.values())), desc=NAME, disable=not progress, unit="method") as bar:
        for corpus in corpora:
            topics = prepare(corpus, protocol)
            tuned = {}
            for name in rows[corpus.name]:
                bar.set_postfix_str(f"{corpus.name}: {name}")
                tuned[name] = tune(topics, variants(name, corpus.name), folds)
                bar.update()
            scores = pd.concat(measured(topics, tuned), ignore_index=True)
            parts.append(
                _summarise(corpus.name, scores, tuned, settings(protocol, folds=folds, tuned_for="c-F"), seed)
            )
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    table, citances = joined.pop("table"), joined.pop("citances")
    return Result(NAME, table, citances, joined, data, time.perf_counter() - started)


def _summarise(
    corpus: str, scores: pd.DataFrame, tuned: Mapping[str, Tuned], shared: dict[str, Any], seed: int
) -> dict[str, pd.DataFrame]:
    tests = compare(scores, seed)
    p_values = tests.set_index(["method", "metric"])["t_test"]
    rows = []
    for method, own in scores.groupby("method", sort=False):
        params = params_json(shared | {"chosen": tuned[str(method)].counts()})
        for metric in METRICS:
            low, high = bootstrap_interval(own[metric], seed=seed, groups=own["topic"])
            p = p_values.get((method, metric), np.nan)
            rows.append(
                (NAME, corpus, method, metric, own[metric].mean(), low, high, p, len(own), params, seed)
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
