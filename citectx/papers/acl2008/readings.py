"""What acl2008 leaves open, and its tables under one reading of it: see `citectx.ledger.readings`.

``citations`` is given, at least 20 a paper, but leaves few papers here, so that all papers are
shown beside it. Given, so no readings: δ, α, μ_c, μ_s, two sentences on either side of the citing
one, summaries by sentences. No entry: PageRank's damping (moves authority alone, which another
claim is about), which papers D holds, how a citing paper that the network lacks is weighted,
whether MEAD's citation documents are one a paper.

Controls: sentences chosen for their length alone, a search with the citances, and impact models
whose citation contexts are those of the next paper, which should say nothing of this one's impact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import KEYS
from citectx.experiments.results import fingerprint
from citectx.experiments.tuning import choose
from citectx.ledger.checks import best_of
from citectx.ledger.readings import Choices, Curve, Headline, Reading
from citectx.papers.acl2008.impact_set import ImpactProtocol, ImpactSet, impact_set, protocol_of
from citectx.papers.acl2008.methods import (
    BASELINES,
    FIXED,
    OURS,
    Order,
    column,
    contextualized,
    random_order,
    score,
)
from citectx.papers.acl2008.table3 import MODELS
from citectx.summarization.base import Budget
from citectx.summarization.impact import CitedPaper, ImpactModel

LENGTHS = (Budget(sentences=10), Budget(sentences=15), Budget(words=250))
COUNTED = ("stem", "stop_words", "strip_markers")
ENDINGS = {"recall": "ROUGE-L", "F": "ROUGE-L F"}
SEEDS = 20
"""Random summaries of each paper, of whose scores the mean is taken."""

SIMPLE = ("LEAD", "MEAD-Doc", "MEAD-Doc+Cite", "Longest")
IMPACT = {OURS: ImpactModel(), "Dirichlet": MODELS["Dirichlet"], "P(w|C)": MODELS["P(w|C)"]}
ELSEWHERE = {
    "contexts of another paper": ImpactModel(),
    "Dirichlet, contexts of another paper": MODELS["Dirichlet"],
}
"""Controls: the same models, on the contexts of the next paper."""

load = cache(profiles.load)


@cache
def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(load(corpus))


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, paper by paper.

    ROUGE-L at each length, for each part of it.
    """
    least = protocol_of(load(corpus), choices["citations"]).least_citances
    protocol = ImpactProtocol(least_citances=least, **{name: choices[name] for name in COUNTED})
    papers = build(corpus, protocol)
    own = [paper.cited for paper in papers.papers]
    others = [*with_contexts_of_the_next(papers)]
    if choices["authority"] == "none":
        own = [*map(unweighted, own)]
        others = [*map(unweighted, others)]
    rows: list[tuple[str, Order]] = [("BM25", by_search(corpus))]
    rows += [("Random", partial(random_order, seed=seed)) for seed in range(SEEDS)]
    rows += [(name, FIXED[name]) for name in SIMPLE]
    rows += [(name, by_model(model, papers, own)) for name, model in IMPACT.items()]
    rows += [(name, by_model(model, papers, others)) for name, model in ELSEWHERE.items()]
    frame, parts = score(papers, rows, LENGTHS), []
    for part, measure in ENDINGS.items():
        names = {column(measure, length): column("ROUGE-L", length) for length in LENGTHS}
        parts.append(frame[[*KEYS, *names]].rename(columns=names).assign(part=part))
    return pd.concat(parts, ignore_index=True)


@lru_cache(maxsize=1)
def build(corpus: str, protocol: ImpactProtocol) -> ImpactSet:
    """Build the set of papers, once for both choices of authority."""
    return impact_set(load(corpus), protocol)


@cache
def by_search(corpus: str) -> Order:
    """Return the search with citances that Table 1 has as a later row."""
    return contextualized(choose(load(corpus), ["BM25"], Protocol(), folds=10)["BM25"])


def by_model(model: ImpactModel, papers: ImpactSet, counted: Sequence[CitedPaper]) -> Order:
    """Order by an impact model on the counts of each paper."""
    topics = [paper.topic.topic_id for paper in papers.papers]
    counts = dict(zip(topics, counted, strict=True))
    return lambda paper: model.order(counts[paper.topic.topic_id])


def with_contexts_of_the_next(papers: ImpactSet) -> Iterator[CitedPaper]:
    """Yield each paper, counted with the contexts of the next one."""
    protocol, (first, *rest) = papers.protocol, papers.papers
    for paper, other in zip(papers.papers, (*rest, first), strict=True):
        given = paper.sentences, other.contexts, papers.background, protocol.analyzer
        yield CitedPaper.of(*given, papers.authority, protocol.strip_markers)


def unweighted(paper: CitedPaper) -> CitedPaper:
    """Return the same paper with all that cite it alike."""
    return replace(paper, authority=np.ones_like(paper.authority))


NOTHING_OF_IT = "what others cite the paper for plays no part"
CURVES = (
    Curve(
        "acl2008",
        corpora=("scisumm-train", "citation-integrity"),
        over="topics",
        readings={
            "part": Reading(
                ("recall", "F"),
                "whether ROUGE is recall or F",
                "citectx.papers.acl2008.impact_set:PARTS",
            ),
            "stem": Reading(
                (False, True),
                "whether words are stemmed",
                "citectx.papers.acl2008.impact_set:ImpactProtocol",
            ),
            "stop_words": Reading(
                ("english", "function", "none"),
                "which stop words are left out",
                "citectx.papers.acl2008.impact_set:ImpactProtocol",
            ),
            "strip_markers": Reading(
                (True, False),
                "whether citation markers count as words",
                "citectx.summarization.impact:CitedPaper.of",
            ),
            "citations": Reading(
                (20, 1),
                "which papers are in the test set: with 20 citations, as the paper has it if six "
                "have as many, or all",
                "citectx.papers.acl2008.impact_set:ImpactProtocol",
            ),
            "authority": Reading(
                ("pagerank", "none"),
                "whose citations count more: by PageRank on the network at hand, or all alike "
                "where there is none",
                "citectx.summarization.impact:look_up",
            ),
        },
        headlines=(
            Headline(
                "impact-model-beats-baselines",
                OURS,
                best_of(BASELINES),
                "ROUGE-L @15",
                {
                    "Longest": "sentences are chosen for their length",
                    "contexts of another paper": NOTHING_OF_IT,
                },
            ),
            Headline(
                "impact-model-beats-baselines-in-equal-words",
                OURS,
                best_of(BASELINES),
                "ROUGE-L @250 words",
                {
                    "BM25": "any search with the citances does as well",
                    "contexts of another paper": NOTHING_OF_IT,
                },
            ),
            Headline(
                "paper-and-contexts-both-matter",
                "Dirichlet",
                ("P(w|C)",),
                "ROUGE-L @10",
                {"Dirichlet, contexts of another paper": "the contexts add nothing"},
            ),
        ),
        scores=scores,
        data=data,
        takes="ten minutes",
    ),
)
