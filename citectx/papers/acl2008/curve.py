"""acl2008 Tables 1 and 3 under one reading of what the paper leaves open.

See `citectx.ledger.readings`. Controls: sentences chosen for their length alone, a search with the
citances, and impact models whose citation contexts are those of the next paper, which should say
nothing of this one's impact.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol
from citectx.experiments.results import fingerprint
from citectx.experiments.tuning import choose
from citectx.papers.acl2008 import methods
from citectx.papers.acl2008.impact_set import (
    ImpactPaper,
    ImpactProtocol,
    ImpactSet,
    impact_set,
    narrowed,
)
from citectx.papers.acl2008.methods import OURS, Order, measure, measure_order, random_order
from citectx.papers.acl2008.table3 import MODELS
from citectx.summarization.base import Budget, by_score
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of

LENGTHS = (Budget(sentences=10), Budget(sentences=15), Budget(words=250))
SEEDS = 20
"""Random summaries of each paper, of whose scores the mean is taken."""

FIXED = ("LEAD", "MEAD-Doc", "MEAD-Doc+Cite", "Longest")
IMPACT = {OURS: ImpactModel(), "Dirichlet": MODELS["Dirichlet"], "P(w|C)": MODELS["P(w|C)"]}
ELSEWHERE = {
    "contexts of another paper": ImpactModel(),
    "Dirichlet, contexts of another paper": MODELS["Dirichlet"],
}
"""Controls: the same models, on the contexts of the next paper."""


@cache
def source(corpus: str) -> Corpus:
    """Read a corpus once."""
    return profiles.load(corpus)


def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(source(corpus))


def scores(corpus: str, choices: Mapping[str, Any]) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, paper by paper.

    Parameters
    ----------
    corpus : str
    choices : mapping of str to object
        One of each reading in ``readings.toml``.

    Returns
    -------
    DataFrame
        Columns topic, citance (empty), method, and ROUGE-L at each length: recall or F. Empty if
        fewer than two papers have so many citations.
    """
    least = choices["citations"]
    if sum(len(topic.citances) >= least for topic in source(corpus)) < 2:
        return pd.DataFrame(columns=["topic", "citance", "method"])
    named = {name: choices[name] for name in ("stem", "stop_words", "strip_markers")}
    found = impact_set(source(corpus), ImpactProtocol(least_citances=least, **named))
    if choices["authority"] == "none":
        found = _all_alike(found)
    ending, rows = " F" if choices["part"] == "F" else "", []
    search = _search(corpus)
    for paper, elsewhere in zip(found.papers, _elsewhere(found), strict=True):
        for name, values in _measured(paper, elsewhere, search):
            own = {methods.column("ROUGE-L", n): values[_column(ending, n)] for n in LENGTHS}
            rows.append(methods.row(paper, name, own))
    return pd.DataFrame(rows)


def _column(ending: str, budget: Budget) -> str:
    return methods.column("ROUGE-L" + ending, budget)


def _all_alike(found: ImpactSet) -> ImpactSet:
    papers = [replace(p, cited=_unweighted(p.cited)) for p in found.papers]
    return replace(found, papers=tuple(papers), authority={})


def _unweighted(paper: CitedPaper) -> CitedPaper:
    return replace(paper, authority=np.ones_like(paper.authority))


def _elsewhere(found: ImpactSet) -> Iterator[CitedPaper]:
    """Yield each paper, counted with the contexts of the next one."""
    protocol, topics = found.protocol, [paper.topic for paper in found.papers]
    for paper, other in zip(found.papers, [*topics[1:], topics[0]], strict=True):
        contexts = [narrowed(each, protocol.window) for each in found.wide[other.topic_id]]
        unmarked = tuple(replace(citance, annotations=()) for citance in other.citances)
        borrowed = replace(paper.topic, citances=unmarked, citing=other.citing)
        given = borrowed, paper.sentences, contexts, found.background, protocol.analyzer
        yield CitedPaper.of(*given, found.authority, protocol.strip_markers)


@cache
def _search(corpus: str) -> Order:
    """Return the search with citances that Table 1 has as a later row."""
    tuned = choose(source(corpus), ["BM25"], Protocol(), folds=10)
    return methods.contextualized(tuned["BM25"])


def _measured(
    paper: ImpactPaper, elsewhere: CitedPaper, search: Order
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each row of a paper with its measures."""
    drawn = [measure(paper, partial(random_order, seed=seed), LENGTHS) for seed in range(SEEDS)]
    yield "Random", {name: float(np.mean([each[name] for each in drawn])) for name in drawn[0]}
    for name in FIXED:
        yield name, measure(paper, methods.FIXED[name], LENGTHS)
    yield "BM25", measure(paper, search, LENGTHS)
    for counted, models in ((paper.cited, IMPACT), (elsewhere, ELSEWHERE)):
        orders = _orders(counted, [*models.values()])
        for name, order in zip(models, orders, strict=True):
            yield name, measure_order(paper, order, LENGTHS)


def _orders(counted: CitedPaper, models: Sequence[ImpactModel]) -> list[list[int]]:
    return [by_score(own).tolist() for own in scores_of(counted, models).T]
