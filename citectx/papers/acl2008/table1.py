"""acl2008 Table 1: summarizers of impact at four lengths (§5.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from citectx.errors import unknown
from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.experiments.tuning import applicable, choose
from citectx.papers.acl2008 import methods as summarizers
from citectx.papers.acl2008.citations import METHODS as COMPARABLE
from citectx.papers.acl2008.citations import by_citations
from citectx.papers.acl2008.impact_set import ImpactPaper, ImpactSet, impact_set
from citectx.papers.acl2008.methods import (
    BASELINES,
    LATER,
    MOST_CITED,
    ORACLE,
    OURS,
    Order,
    measure,
    random_order,
    reported,
    row,
)
from citectx.retrieval import MODELS
from citectx.summarization.base import Budget
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table1"
METHODS = (*BASELINES, OURS, *LATER, MOST_CITED, ORACLE)
LENGTHS = (3, 5, 10, 15)
WORDS = (100, 250)
"""Lengths in words ("ROUGE-L @100 words"), the last sentence cut. Ambiguity: acl2008 counts a
summary's length in sentences, and recall favours whoever chooses long ones. These are the lengths
of the DUC evaluations of its time."""
BY_WORDS = [Budget(words=n) for n in WORDS]
TEST_SET = "test set"


def run(
    sets: Sequence[ImpactSet],
    methods: Sequence[str] = METHODS,
    lengths: Sequence[int] = LENGTHS,
    *,
    seeds: int = 100,
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Summarize every paper with every method, and score the summaries against what is cited.

    Source: acl2008 §5.2, Table 1; the impact model has the published setting (δ = 0.8, α = 3, μ_s =
    1000). Values are fractions, means over papers; ``p_value`` is a paired t-test over papers
    against the best of the paper's four baselines in that column (the paper has no test).

    Parameters
    ----------
    sets : sequence of ImpactSet
    methods : sequence of str
        Among `METHODS` and the names of retrieval models (`citectx.retrieval.MODELS`).
    lengths : sequence of int
        Sentences of a summary. A shorter paper is taken whole. `WORDS` are further columns.
    seeds : int
        Random summaries of each paper, of whose scores the mean is taken.
    folds : int
        Folds of the cross-validation over topics by which retrieval models are tuned.
    seed : int
        Of bootstrap, permutations, and the first random summary.

    Returns
    -------
    Result
        With ``tests``, and ``citations``: headline comparisons on papers with 20 citations, and on
        all (`citectx.papers.acl2008.citations.by_citations`).

    Raises
    ------
    ParameterError
        For an unknown method or an impossible length.
    """
    for name in methods:
        if name not in METHODS and name not in MODELS:
            raise unknown("method", name, {*METHODS, *MODELS})
    budgets = [Budget(sentences=n) for n in lengths] + BY_WORDS
    parts = []
    for each in sets:
        orders, params = _orders(each, methods, folds)
        params["Random"] = {"seeds": seeds}
        drawn = range(seed, seed + seeds) if "Random" in methods else ()
        rows = [r for paper in each.papers for r in _rows(paper, orders, budgets, drawn)]
        scores = pd.DataFrame(rows)
        found = reported(NAME, each, scores, params, BASELINES, seed)
        compared = by_citations(each, _with_left_out(each, scores, orders, drawn))
        extra = {} if compared.empty else {"citations": compared}
        parts += [replace(found, extra={**found.extra, **extra}), _size(each, seed)]
    return Result.of(NAME, parts)


def _orders(
    each: ImpactSet, methods: Sequence[str], folds: int
) -> tuple[dict[str, Order], dict[str, dict[str, Any]]]:
    """Return the order of each row but for random ones, and its parameters."""
    orders, params = dict(summarizers.FIXED), {OURS: ImpactModel().params()}
    models = applicable(each.name, [name for name in methods if name in MODELS])
    tuned = choose(each.corpus, models, Protocol(), folds) if models else {}
    for name, own in tuned.items():
        orders[name] = summarizers.contextualized(own)
        params[name] = {"folds": folds, "tuned_for": "c-F", "chosen": own.counts()}
    return {name: orders[name] for name in methods if name in orders}, params


def _with_left_out(
    each: ImpactSet, scores: pd.DataFrame, orders: Mapping[str, Order], drawn: Sequence[int]
) -> pd.DataFrame:
    """Add the scores of papers that have too few citations, for the rows that are compared."""
    if each.protocol.least_citances == 1:
        return scores
    everything = impact_set(each.corpus, replace(each.protocol, least_citances=1))
    own = {name: order for name, order in orders.items() if name in COMPARABLE}
    budgets = [Budget(sentences=15), Budget(words=250)]  # of `citectx.papers.acl2008.citations`
    rows = []
    for paper in everything.papers:
        if paper.topic.topic_id in each.left_out:
            rows += _rows(paper, own, budgets, drawn)
    return pd.concat([scores, pd.DataFrame(rows)], ignore_index=True) if rows else scores


def _rows(
    paper: ImpactPaper, orders: Mapping[str, Order], budgets: Sequence[Budget], drawn: Sequence[int]
) -> list[dict[str, Any]]:
    """Score every row on a paper; of random summaries, drawn with some seeds, the mean is taken."""
    rows = []
    if drawn:
        found = [measure(paper, partial(random_order, seed=seed), budgets) for seed in drawn]
        means = {key: float(np.mean([each[key] for each in found])) for key in found[0]}
        rows.append(row(paper, "Random", means))
    for name, order in orders.items():
        scores = measure(paper, order, budgets)
        if name == ORACLE:
            scores |= measure(paper, partial(ImpactPaper.best, per_word=True), BY_WORDS)
        rows.append(row(paper, name, scores))
    return rows


def _size(each: ImpactSet, seed: int) -> Result:
    """Report the size of the test set (§5.1.1), as rows of a method of its own."""
    gold = each.sizes()["gold"]
    n = len(gold)
    sizes = {
        "papers": n,
        "gold min": min(gold),
        "gold median": gold.median(),
        "gold max": max(gold),
    }
    cells = [Cell(TEST_SET, name, float(value), n) for name, value in sizes.items()]
    return Result(NAME, tabulate(NAME, each.name, cells, seed, each.protocol.params()))
