"""acl2008 Table 1: summarizers of impact at four lengths (§5.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.errors import unknown
from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import applicable, choose
from citectx.papers.acl2008.impact_set import ImpactPaper, ImpactSet
from citectx.papers.acl2008.methods import (
    BASELINES,
    BY_WORDS,
    FIXED,
    LATER,
    MOST_CITED,
    ORACLE,
    OURS,
    Order,
    contextualized,
    given,
    measure,
    random_order,
)
from citectx.papers.acl2008.tables import reported, row, sentences
from citectx.retrieval import MODELS
from citectx.summarization.base import Budget
from citectx.summarization.contexts import Contexts, Found
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table1"
METHODS = (*BASELINES, OURS, *LATER, MOST_CITED, ORACLE)
LENGTHS = (3, 5, 10, 15)
WORDS = (100, 250)
"""Lengths in words. Ambiguity: acl2008 counts a summary's length in sentences, and recall favours whoever
chooses long ones. These are the lengths of the DUC evaluations of its time."""
TEST_SET = "test set"


@timed
def run(
    sets: Sequence[ImpactSet],
    methods: Sequence[str] = METHODS,
    lengths: Sequence[int] = LENGTHS,
    words: Sequence[int] = WORDS,
    *,
    contexts: Contexts | None = None,
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
        Sentences of a summary. A shorter paper is taken whole.
    words : sequence of int
        Further columns ("ROUGE-L @100 words"): summaries of equally many words, the last sentence cut.
    contexts : mapping, optional
        Contexts from elsewhere, a row each: see `citectx.summarization.contexts.Contexts`.
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
        With ``tests``, and ``random``: the spread of random summaries over seeds.

    Raises
    ------
    ParameterError
        For an unknown method or an impossible length.
    """
    for name in methods:
        if name not in METHODS and name not in MODELS:
            raise unknown("method", name, {*METHODS, *MODELS})
    budgets = [*sentences(lengths), *(Budget(words=n) for n in words)]
    parts = []
    for each in tqdm(sets, desc=NAME, disable=not progress, unit="corpus"):
        orders, params = _orders(each, methods, (contexts or {}).get(each.name, {}), folds)
        params |= {"Random": {"seeds": seeds}}
        scores, spread = _scores(each, orders, budgets, seeds, seed)
        parts += [reported(NAME, each, scores, params, BASELINES, seed, random=spread), _size(each, seed)]
    return Result.of(NAME, parts)


def _orders(
    each: ImpactSet, methods: Sequence[str], contexts: Mapping[str, Found], folds: int
) -> tuple[dict[str, Order | None], dict[str, dict[str, Any]]]:
    """Return the order of each row, None for random ones, and its parameters."""
    models = applicable(each.name, [name for name in methods if name in MODELS])
    tuned = choose(each.corpus, models, Protocol(), folds) if models else {}
    orders: dict[str, Order | None] = {"Random": None, **FIXED}
    orders |= {name: contextualized(one) for name, one in tuned.items()}
    params = {n: {"folds": folds, "tuned_for": "c-F", "chosen": t.counts()} for n, t in tuned.items()}
    voting = {name: given(found) for name, found in contexts.items()}
    kept = {name: orders[name] for name in methods if name in orders}
    return kept | voting, {OURS: ImpactModel().params(), **params}


def _scores(
    each: ImpactSet, orders: Mapping[str, Order | None], budgets: Sequence[Budget], seeds: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every row on every paper; None is the order of random summaries. Return their spread, too."""
    rows, draws = [], []
    for paper in each.papers:
        for name, order in orders.items():
            if order is None:
                drawn = random_summaries(paper, budgets, seeds, seed)
                draws.append([list(scores.values()) for scores in drawn])
                scores = {key: float(np.mean([scores[key] for scores in drawn])) for key in drawn[0]}
            else:
                scores = measure(paper, order, budgets) | _by_words(paper, name, budgets)
            rows.append(row(paper, name, scores))
    frame = pd.DataFrame(rows)
    spread = np.std(np.mean(draws, axis=0), axis=0, ddof=1) if draws and seeds > 1 else []
    table = pd.DataFrame({"metric": frame.columns[3 : 3 + len(spread)], "sd": spread})
    return frame, table.assign(seeds=seeds)


def _by_words(paper: ImpactPaper, name: str, budgets: Sequence[Budget]) -> dict[str, float]:
    counted = [budget for budget in budgets if budget.words]
    return measure(paper, BY_WORDS[name], counted) if name in BY_WORDS and counted else {}


def random_summaries(paper: ImpactPaper, budgets: Sequence[Budget], seeds: int, seed: int) -> list[dict[str, float]]:
    """Score random summaries of a paper, one for each of `seeds` seeds from `seed` on."""
    return [measure(paper, partial(random_order, seed=s), budgets) for s in range(seed, seed + seeds)]


def _size(each: ImpactSet, seed: int) -> Result:
    """Report the size of the test set (§5.1.1), as rows of a method of its own."""
    gold = each.sizes()["gold"]
    sizes = {"papers": len(gold), "gold min": gold.min(), "gold median": gold.median(), "gold max": gold.max()}
    cells = [Cell(TEST_SET, name, float(value), len(gold)) for name, value in sizes.items()]
    return Result(NAME, tabulate(NAME, each.name, cells, seed, asdict(each.protocol)))
