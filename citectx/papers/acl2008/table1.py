"""acl2008 Table 1: summarizers of impact at four lengths (§5.2)."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.errors import unknown
from citectx.experiments.results import COLUMNS, Result, params_json
from citectx.experiments.tuning import applicable
from citectx.papers.acl2008.impact_set import SCORES, ImpactPaper, ImpactSet
from citectx.papers.acl2008.methods import (
    BASELINES,
    FIXED,
    LATER,
    ORACLE,
    OURS,
    Order,
    contextualizers,
    measure,
    random_order,
)
from citectx.papers.acl2008.tables import Measured, column, joined, row, tabulate
from citectx.retrieval import MODELS
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table1"
METHODS = (*BASELINES, OURS, *LATER, ORACLE)
LENGTHS = (3, 5, 10, 15)
TEST_SET = "test set"
OFTEN = 20
"""Citations that a paper of acl2008's own collection has at least."""


def run(
    sets: Sequence[ImpactSet],
    methods: Sequence[str] = METHODS,
    lengths: Sequence[int] = LENGTHS,
    *,
    seeds: int = 100,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Summarize every paper with every method, and score the summaries against what is cited.

    Source: acl2008 §5.2, Table 1; the impact model has the published setting (δ = 0.8, α = 3, μ_s = 1000).
    Values are fractions, means over papers; ``p_value`` is a paired t-test over papers against the best of
    the paper's four baselines in that column (the paper has no test).

    Parameters
    ----------
    sets : sequence of ImpactSet
    methods : sequence of str
        Among `METHODS` and the names of retrieval models (`citectx.retrieval.MODELS`).
    lengths : sequence of int
        Sentences of a summary. A paper with fewer gives all it has.
    seeds : int
        Random summaries of each paper, of whose scores the mean is taken.
    folds : int
        Folds of the cross-validation over topics by which retrieval models are tuned.
    seed : int
        Of bootstrap, permutations, and the first random summary.
    progress : bool

    Returns
    -------
    Result
        With ``tests``; ``papers`` (sizes); ``alignment`` (how citing sentences were found); ``often_cited``
        (means over the papers with 20 citances or more); ``random`` (spread of random summaries over seeds).

    Raises
    ------
    ParameterError
        For an unknown method or an impossible length.
    """
    started = time.perf_counter()
    for name in methods:
        if name not in METHODS and name not in MODELS:
            raise unknown("method", name, {*METHODS, *MODELS})
    parts = []
    for each in tqdm(sets, desc=NAME, disable=not progress, unit="corpus"):
        models = applicable(each.name, [name for name in methods if name in MODELS])
        tuned = contextualizers(each.corpus, models, folds) if models else {}
        scores, spread = _scores(
            each, methods, {n: order for n, (order, _) in tuned.items()}, lengths, seeds, seed
        )
        params = {
            name: _params(name, seeds, {n: c for n, (_, c) in tuned.items()}, folds) for name in methods
        }
        part = tabulate(NAME, each, scores, params, BASELINES, seed)
        part["table"] = pd.concat([part["table"], _size(each, seed)], ignore_index=True)
        part |= {"papers": each.sizes(), "alignment": each.found}
        part |= {"often_cited": _often_cited(each, scores), "random": spread}
        parts.append(part)
    return joined(NAME, sets, parts, time.perf_counter() - started)


def _scores(
    each: ImpactSet,
    methods: Sequence[str],
    tuned: Mapping[str, Order],
    lengths: Sequence[int],
    seeds: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    orders = FIXED | dict(tuned)
    rows, draws = [], []
    for paper in each.papers:
        for name in methods:
            if name == "Random":
                drawn = random_summaries(paper, lengths, seeds, seed)
                rows.append(row(paper, name, _mean(drawn)))
                draws.append([[d[n][s] for n in lengths for s in SCORES] for d in drawn])
            elif name in orders:
                rows.append(row(paper, name, measure(paper, orders[name], lengths)))
    spread = np.std(np.mean(draws, axis=0), axis=0, ddof=1) if draws and seeds > 1 else []
    names = [column(s, n) for n in lengths for s in SCORES]
    frame = pd.DataFrame({"metric": names[: len(spread)], "sd": spread}).assign(corpus=each.name, seeds=seeds)
    return pd.DataFrame(rows), frame[["corpus", "metric", "sd", "seeds"]]


def random_summaries(paper: ImpactPaper, lengths: Sequence[int], seeds: int, seed: int) -> list[Measured]:
    """Score random summaries of a paper, one for each of `seeds` seeds from `seed` on."""
    return [
        measure(paper, lambda p, s=s: random_order(p, s), lengths)  # type: ignore[misc]
        for s in range(seed, seed + seeds)
    ]


def _mean(drawn: Sequence[Measured]) -> Measured:
    lengths = drawn[0]
    return {n: {s: float(np.mean([d[n][s] for d in drawn])) for s in SCORES} for n in lengths}


def _params(name: str, seeds: int, tuned: Mapping[str, Mapping[str, Any]], folds: int) -> dict[str, Any]:
    if name == "Random":
        return {"seeds": seeds}
    if name == OURS:
        return ImpactModel().params()
    return {"folds": folds, "tuned_for": "c-F", "chosen": tuned[name]} if name in tuned else {}


def _size(each: ImpactSet, seed: int) -> pd.DataFrame:
    """How large the test set is (§5.1.1), as rows of a method of its own."""
    gold = each.sizes()["gold"]
    values = {
        "papers": len(gold),
        "gold min": gold.min(),
        "gold median": gold.median(),
        "gold max": gold.max(),
    }
    nothing = (np.nan, np.nan, np.nan, len(gold), params_json(asdict(each.protocol)), seed)
    rows = [(NAME, each.name, TEST_SET, name, float(value), *nothing) for name, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _often_cited(each: ImpactSet, scores: pd.DataFrame) -> pd.DataFrame:
    """Means over the papers that would have had enough citations for acl2008."""
    often = [p.topic.topic_id for p in each.papers if len(p.contexts) >= OFTEN]
    own = scores[scores["topic"].isin(often)].drop(columns=["topic", "citance"])
    means = own.groupby("method", sort=False).mean().round(6).reset_index()
    long = means.melt(id_vars="method", var_name="metric", value_name="value")
    return long.assign(corpus=each.name, n=len(often))[["corpus", "method", "metric", "value", "n"]]
