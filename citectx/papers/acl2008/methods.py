"""The rows of acl2008's tables: each is a function from a paper to its sentences, best first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import tee
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from citectx.experiments.contextualization import DEFAULT
from citectx.experiments.report import KEYS, average, compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import Tuned
from citectx.language.spans import Candidates
from citectx.papers.acl2008.impact_set import ROUGE, ImpactPaper, ImpactSet
from citectx.retrieval import Query, SpanIndex
from citectx.summarization.base import Budget, by_score
from citectx.summarization.extract import greedy_extract
from citectx.summarization.impact import ImpactModel
from citectx.summarization.summarizers import mead
from citectx.types import Floats, Ints

Summarizer = Callable[[ImpactPaper], Iterable[int]]
"""A function from a paper to positions in its pool, in the order in which they are summarized."""

Row = tuple[str, Summarizer]
BASELINES = ("Random", "LEAD", "MEAD-Doc", "MEAD-Doc+Cite")
"""The baselines of the paper, in its order."""

OURS = "KL-Divergence"
ELSEWHERE = "contexts of another paper"
"""A control: the impact model, given the citation contexts of other papers."""

LENGTHS = (Budget(sentences=10), Budget(sentences=15), Budget(words=250))
"""Lengths of Tables 3 and 4, and one in words, since ten long sentences are more than ten short."""

DONORS = 3
"""How many other papers lend a paper their contexts in turn; scores are means over them."""


def impact(model: ImpactModel, lent: Mapping[str, ImpactPaper] = {}) -> Summarizer:
    """Order by the impact language model (Eq. 1).

    ``lent`` has papers by topic with the contexts of others, which are read instead.
    """
    return lambda paper: model.order(lent.get(paper.topic.topic_id, paper).cited)


def elsewhere(papers: ImpactSet, models: Mapping[str, ImpactModel]) -> list[Row]:
    """Let the model of each row read the contexts of the next `DONORS` papers in turn."""
    listed = papers.papers
    rows: list[Row] = []
    for step in range(1, min(DONORS + 1, len(listed))):
        # each paper gets the contexts of the one that is `step` places further on
        donors = listed[step:] + listed[:step]
        lent = {
            paper.topic.topic_id: replace(paper, contexts=donor.contexts)
            for paper, donor in zip(listed, donors, strict=True)
        }
        rows += [(name, impact(model, lent)) for name, model in models.items()]
    return rows


def random_order(paper: ImpactPaper, seed: int) -> Ints:
    """Sentences in an order that the seed decides."""
    return np.random.default_rng(seed).permutation(len(paper.sentences))


def lead(paper: ImpactPaper) -> range:
    """Sentences as they come."""
    return paper.candidates


def mead_doc(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper alone."""
    return mead(paper.pool.take(paper.candidates))


def mead_doc_cite(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper and its citation documents; it may choose sentences of either.

    Ambiguity: acl2008 §5.1.3 makes "citation documents" out of contexts; we make one per citing
    paper.
    """
    own = [paper.topic.topic_id] * len(paper.sentences)
    return mead(paper.pool, [*own, *paper.cited.citing])


def longest(paper: ImpactPaper) -> Ints:
    """Sentences by their length, which recall rewards whatever they say; not in the paper."""
    return by_score(paper.pool.words[paper.candidates] / 1.0)


def oracle(paper: ImpactPaper, *, per_word: bool = False) -> Iterator[int]:
    """Sentences by what each, or each of its words, adds to recall: close to the best extract."""
    pool = paper.pool.take(paper.candidates)
    costs = np.maximum(pool.words, 1.0) if per_word else np.ones(len(pool))
    return greedy_extract(paper.gold, pool.texts, costs)


def contextualize(tuned: Tuned) -> Summarizer:
    """Order sentences as sigir2017 might: find the context of every citance, and let citances vote.

    Each citance ranks all sentences of the paper; a sentence's score is the sum of 1/rank over
    citances. Neither paper has it. Ambiguity: contextualization returns a few spans per citance
    and stops; we let all ranks count, so that any length of summary can be had and the first ranks
    weigh most.
    """
    analyzer = DEFAULT.analyzer

    def order(paper: ImpactPaper) -> Ints:
        index = SpanIndex(Candidates.of(paper.sentences, 1), analyzer)
        queries = [Query.of_citance(citance, analyzer) for citance in paper.topic.citances]
        model = tuned.of(paper.topic.topic_id)
        return by_score(reciprocal_ranks(model.fit(index).score(queries)))

    return order


def reciprocal_ranks(scores: Floats) -> Floats:
    """Add up 1/rank over the rows, shape (columns,); a row in which all are equal says nothing.

    >>> reciprocal_ranks(np.array([[0.2, 0.9], [0.3, 0.4], [0.0, 0.0]])).tolist()
    [1.0, 2.0]
    """
    scores = scores.round(9)
    differ = np.ptp(scores, axis=1) > 0  # (citances,)
    ranks = stats.rankdata(-scores[differ], "ordinal", axis=1)
    return (1 / ranks).sum(axis=0)


FIXED: dict[str, Summarizer] = {
    "LEAD": lead,
    "MEAD-Doc": mead_doc,
    "MEAD-Doc+Cite": mead_doc_cite,
    OURS: impact(ImpactModel()),
    "Longest": longest,
}
"""Methods without anything to tune or to draw."""


def column(score: str, budget: Budget) -> str:
    """Name the column of a score at a length.

    >>> column("ROUGE-L", Budget(sentences=15)), column("ROUGE-L", Budget(words=100))
    ('ROUGE-L @15', 'ROUGE-L @100 words')
    """
    length = budget.sentences or f"{budget.words} words"
    return f"{score} @{length}"


def measure(paper: ImpactPaper, order: Summarizer, budgets: Sequence[Budget]) -> dict[str, float]:
    """Score the summaries that an order leads to, in each budget: values by `column`."""
    values: dict[str, float] = {}
    copies = tee(order(paper), len(budgets))  # as lazy as the order is
    for budget, sentences in zip(budgets, copies, strict=True):
        for name, value in paper.score(sentences, budget).items():
            values[column(name, budget)] = value
    return values


def score(papers: ImpactSet, rows: Iterable[Row], budgets: Sequence[Budget]) -> pd.DataFrame:
    """Score named methods on every paper; of several orders with one name, take the mean."""
    rows = list(rows)
    values = []
    for paper in papers.papers:
        for method, order in rows:
            key = {"topic": paper.topic.topic_id, "citance": "", "method": method}
            values.append(key | measure(paper, order, budgets))
    return average(pd.DataFrame(values))


def score_models(
    papers: ImpactSet, models: Mapping[str, ImpactModel], budgets: Sequence[Budget] = LENGTHS
) -> pd.DataFrame:
    """Score impact models in summaries of some lengths."""
    return score(papers, [(name, impact(model)) for name, model in models.items()], budgets)


def params_of(models: Mapping[str, ImpactModel]) -> dict[str, dict[str, Any]]:
    """Return the parameters of each row's model."""
    return {name: model.params() for name, model in models.items()}


def report(
    experiment: str,
    papers: ImpactSet,
    scores: pd.DataFrame,
    params: Mapping[str, Mapping[str, Any]],
    rivals: Sequence[str],
    seed: int,
) -> Result:
    """Report on the papers of a corpus, each of which counts alike.

    Methods are tested against the best of the `rivals` in the recall columns, unless there is one
    paper. `params` are those of single methods.
    """
    # "ROUGE-L @15", but neither "ROUGE-L F @15" nor "picked @15"
    recall = [name for name in scores.columns if name.rpartition(" @")[0] in ROUGE]
    rivals = rivals if len(papers.papers) > 1 else ()
    tests = compare(scores[[*KEYS, *recall]], rivals)
    return part(
        experiment,
        papers.corpus,
        scores,
        seed,
        params=papers.params,
        by_method=params,
        tests=tests,
    )
