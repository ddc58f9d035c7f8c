"""What is an impact summary measured by? The same summaries, against marks and against people.

acl2008 measures a summary by the sentences that an expert marked. Where people also wrote summaries
of the same papers, either may be the reference. Do both put methods in one order?
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from citectx.corpora.model import Topic
from citectx.evaluation.intervals import Estimate, jackknife
from citectx.evaluation.significance import kendall_tau
from citectx.experiments.report import KEYS, Cell, means, part
from citectx.experiments.results import Result
from citectx.language.text import SentenceSplitter
from citectx.papers.acl2008.impact_set import ImpactSet, sentences_of
from citectx.papers.acl2008.methods import ELSEWHERE, LENGTHS, Row, column, elsewhere, score
from citectx.papers.acl2008.table1 import FOLDS, SEEDS, rows, search
from citectx.summarization.impact import ImpactModel
from citectx.types import Floats

NAME = "acl2008_references"
MEASURES = [column("ROUGE-L", length) for length in LENGTHS]
MARKED, PEOPLE = "marked", "people"
AGREEMENT = "agreement"
"""The row with Kendall's tau of one reference's order of methods with the other's."""


def run(
    sets: Sequence[ImpactSet], *, seeds: int = SEEDS, folds: int = FOLDS, seed: int = 0
) -> Result:
    """Score the same summaries against marked sentences, and against what people wrote.

    Rows are those of Table 1. Over several people's summaries the mean is taken. Columns are
    ``ROUGE-L @15, marked`` and so on, recall as in Table 1. The row `AGREEMENT` has tau over the
    methods, with a jackknife over papers. Sets without people's summaries are left out.
    """
    parts = []
    for papers in sets:
        people = by_people(papers)
        if papers.is_marked and people.papers:
            tuned = search(papers.corpus, folds)
            drawn = elsewhere(papers, {ELSEWHERE: ImpactModel()})
            scores = score_both(papers, people, [*rows(tuned, seeds, seed), *drawn])
            cells = [*means(scores), *(agree(scores, name) for name in MEASURES)]
            parts.append(part(NAME, papers.corpus, scores, seed, cells=cells, params=papers.params))
    return Result.of(NAME, parts)


def score_both(papers: ImpactSet, people: ImpactSet, listed: Sequence[Row]) -> pd.DataFrame:
    """Score summaries by marked sentences and by people's summaries, of papers that have both."""
    written = {paper.topic.topic_id for paper in people.papers}
    kept = [paper for paper in papers.papers if paper.topic.topic_id in written]
    both = replace(papers, papers=tuple(kept))
    marked = score(both, listed, LENGTHS).set_index(KEYS)[MEASURES]
    wanted = score(people, listed, LENGTHS).set_index(KEYS)[MEASURES]
    named = marked.add_suffix(f", {MARKED}").join(wanted.add_suffix(f", {PEOPLE}"))
    return named.reset_index()


def by_people(papers: ImpactSet) -> ImpactSet:
    """Return the same papers, once for each person's summary, with that as their gold summary."""
    splitter = SentenceSplitter()
    rewritten = [
        replace(paper, gold=sentences_of(text, splitter), votes=None)
        for paper in papers.papers
        for text in written_by_people(paper.topic)
    ]
    return replace(papers, papers=tuple(rewritten))


def written_by_people(topic: Topic) -> list[str]:
    """Return the summaries of a topic that are people's own words.

    CL-SciSumm's community summary is made of marked sentences, and an abstract is the author's.
    """
    kinds = {name: name.partition("-")[0] for name in topic.summaries}  # "human-sweta"
    texts = {name: text for name, text in topic.summaries.items() if text.strip()}
    return [text for name, text in texts.items() if kinds[name] not in ("abstract", "community")]


def agree(scores: pd.DataFrame, measure: str) -> Cell:
    """Correlate the order of methods by one reference with that by the other."""
    by_reference: list[Floats] = []
    for reference in (MARKED, PEOPLE):
        wide = scores.pivot_table(f"{measure}, {reference}", "topic", "method", sort=False)
        by_reference.append(wide.to_numpy())
    tau = tau_over_topics(*by_reference)
    return Cell.of(AGREEMENT, f"tau of {measure}", tau, len(by_reference[0]))


def tau_over_topics(x: Floats, y: Floats) -> Estimate:
    """Estimate Kendall's tau of the rows' means, each of shape (topics, rows).

    >>> scores = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [0.0, 1.0, 2.0]])
    >>> float(tau_over_topics(scores, -scores).effect)
    -1.0
    """
    n = len(x)
    others = (1 - np.eye(n)) / (n - 1)  # each row leaves one topic out
    without = kendall_tau(others @ x, others @ y)
    return jackknife(kendall_tau(x.mean(axis=0), y.mean(axis=0)), without, np.ones(n))
