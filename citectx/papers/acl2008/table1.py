"""acl2008 Table 1 (§5.2): does the impact model write better summaries than others do?"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT
from citectx.experiments.results import Result
from citectx.experiments.tuning import Tuned, choose
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.acl2008.methods import (
    BASELINES,
    ELSEWHERE,
    FIXED,
    OURS,
    Row,
    contextualize,
    elsewhere,
    oracle,
    random_order,
    report,
    score,
)
from citectx.summarization.base import Budget
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table1"
SEARCH = "BM25"
"""The row that finds the context of each citance, as sigir2017 does."""

SEEDS = 100
FOLDS = 10
SENTENCES = [Budget(sentences=n) for n in (3, 5, 10, 15)]
WORDS = [Budget(words=n) for n in (100, 250)]
"""Lengths in words ("ROUGE-L @100 words"), the last sentence cut. Ambiguity: acl2008 counts a
summary's length in sentences, and recall favours whoever chooses long ones. These are the lengths
of the DUC evaluations of its time."""


def run(
    sets: Sequence[ImpactSet],
    *,
    tuned_on: Mapping[str, Corpus] = {},
    seeds: int = SEEDS,
    folds: int = FOLDS,
    seed: int = 0,
) -> Result:
    """Summarize every paper with every method, and score the summaries against what is cited.

    Source: acl2008 §5.2, Table 1; the impact model has the published setting (δ = 0.8, α = 3, μ_s =
    1000). Values are fractions, means over papers; ``p_value`` is a paired t-test over papers
    against the best of the paper's four baselines in that column (the paper has no test). "Random"
    is the mean of so many `seeds`, `ELSEWHERE` that of three donors; `folds` over topics tune BM25,
    on the corpus itself or, where nobody marked evidence, on the one that `tuned_on` names.
    """
    parts = []
    for papers in sets:
        source = tuned_on.get(papers.name, papers.corpus)
        tuned = search(source, folds)
        others = elsewhere(papers, {ELSEWHERE: ImpactModel()})
        orders = rows(tuned, seeds, seed) + others
        by_sentences = score(papers, [*orders, ("greedy oracle", oracle)], SENTENCES)
        # what a sentence adds for each word counts where words are limited
        greedy = partial(oracle, per_word=True)
        by_words = score(papers, [*orders, ("greedy oracle", greedy)], WORDS)
        params: dict[str, Any] = {"Random": {"seeds": seeds}, OURS: ImpactModel().params()}
        params[SEARCH] = {"folds": folds, "tuned_for": "c-F", "chosen": tuned.counts()}
        if source is not papers.corpus:
            params[SEARCH]["tuned_on"] = source.name
        scores = by_sentences.merge(by_words)
        parts.append(report(NAME, papers, scores, params, BASELINES, seed))
    return Result.of(NAME, parts)


def search(corpus: Corpus, folds: int = FOLDS) -> Tuned:
    """Tune the search for the context of each citance, as sigir2017 Table 1 does."""
    return choose(corpus, [SEARCH], DEFAULT, folds)[SEARCH]


def rows(tuned: Tuned, seeds: int = SEEDS, seed: int = 0) -> list[Row]:
    """Return the methods that read the paper, its own contexts, or nothing."""
    drawn = [("Random", partial(random_order, seed=seed + i)) for i in range(seeds)]
    return [*drawn, *FIXED.items(), (SEARCH, contextualize(tuned))]
