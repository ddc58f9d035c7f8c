"""acl2008 Table 1 (§5.2): does the impact model write better summaries than others do?"""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import choose
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.acl2008.methods import (
    BASELINES,
    FIXED,
    OURS,
    Order,
    contextualized,
    most_cited,
    oracle,
    oracle_per_word,
    random_order,
    report,
    score,
)
from citectx.summarization.base import Budget
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table1"
SEARCH = ("BM25", "LMD")
"""Models of sigir2017 that find the context of each citance."""

METHODS = ("Random", *FIXED, *SEARCH, "most cited", "greedy oracle")
SENTENCES = [Budget(sentences=n) for n in (3, 5, 10, 15)]
WORDS = [Budget(words=n) for n in (100, 250)]
"""Lengths in words ("ROUGE-L @100 words"), the last sentence cut. Ambiguity: acl2008 counts a
summary's length in sentences, and recall favours whoever chooses long ones. These are the lengths
of the DUC evaluations of its time."""

SIZES: dict[str, Callable[[list[int]], float]] = {
    "papers": len,
    "gold min": min,
    "gold median": median,
    "gold max": max,
}
"""Of the gold summaries, in sentences."""


@timed
def run(sets: Sequence[ImpactSet], *, seeds: int = 100, folds: int = 10, seed: int = 0) -> Result:
    """Summarize every paper with every method, and score the summaries against what is cited.

    Source: acl2008 §5.2, Table 1; the impact model has the published setting (δ = 0.8, α = 3, μ_s =
    1000). Values are fractions, means over papers; ``p_value`` is a paired t-test over papers
    against the best of the paper's four baselines in that column (the paper has no test).

    Parameters
    ----------
    sets : sequence of ImpactSet
    seeds : int
        Random summaries of each paper, of whose scores the mean is taken.
    folds : int
        Folds of the cross-validation over topics by which retrieval models are tuned.
    seed : int
        Of bootstrap, permutations, and the first random summary.

    Returns
    -------
    Result
        With ``tests``.
    """
    parts = []
    for of in sets:
        rows = list[tuple[str, Order]]()
        params: dict[str, Any] = {"Random": {"seeds": seeds}, OURS: ImpactModel().params()}
        for i in range(seeds):
            rows.append(("Random", partial(random_order, seed=seed + i)))
        rows += FIXED.items()
        for name, tuned in choose(of.corpus, SEARCH, Protocol(), folds).items():
            rows.append((name, contextualized(tuned)))
            params[name] = {"folds": folds, "tuned_for": "c-F", "chosen": tuned.counts()}
        rows.append(("most cited", most_cited))
        by_sentences = score(of, [*rows, ("greedy oracle", oracle)], SENTENCES)
        by_words = score(of, [*rows, ("greedy oracle", oracle_per_word)], WORDS)
        scores = by_sentences.merge(by_words)
        parts.append(report(NAME, of, scores, params, BASELINES, seed))
        parts.append(size(of, seed))
    return Result.of(NAME, parts)


def size(of: ImpactSet, seed: int) -> Result:
    """Report the size of the test set (§5.1.1), as rows of a method of its own."""
    gold = [len(paper.gold) for paper in of.papers]
    cells = []
    for name, measured in SIZES.items():
        cells.append(Cell("test set", name, float(measured(gold)), len(gold)))
    table = tabulate(NAME, of.name, cells, seed, of.protocol.params())
    return Result(NAME, table)
