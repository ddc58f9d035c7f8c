"""acl2008 Table 1 (§5.2): does the impact model write better summaries than others do?"""

from collections.abc import Sequence
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
        tuned = choose(of.corpus, SEARCH, Protocol(), folds)
        rows: list[tuple[str, Order]] = [*FIXED.items()]
        rows += [(name, contextualized(own)) for name, own in tuned.items()]
        rows.append(("most cited", most_cited))
        drawn = [("Random", partial(random_order, seed=seed + i)) for i in range(seeds)]
        by_sentences = score(of, [*drawn, *rows, ("greedy oracle", oracle)], SENTENCES)
        by_words = score(of, [*drawn, *rows, ("greedy oracle", oracle_per_word)], WORDS)
        params: dict[str, dict[str, Any]] = {OURS: ImpactModel().params()}
        params["Random"] = {"seeds": seeds}
        for name, own in tuned.items():
            params[name] = {"folds": folds, "tuned_for": "c-F", "chosen": own.counts()}
        scores = by_sentences.merge(by_words)
        parts += [report(NAME, of, scores, params, BASELINES, seed), size(of, seed)]
    return Result.of(NAME, parts)


def size(of: ImpactSet, seed: int) -> Result:
    """Report the size of the test set (§5.1.1), as rows of a method of its own."""
    gold = [len(paper.gold) for paper in of.papers]
    sizes = {
        "papers": len(gold),
        "gold min": min(gold),
        "gold median": median(gold),
        "gold max": max(gold),
    }
    cells = [Cell("test set", name, float(n), len(gold)) for name, n in sizes.items()]
    return Result(NAME, tabulate(NAME, of.name, cells, seed, of.protocol.params()))
