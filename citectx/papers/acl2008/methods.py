"""Summarizers of impact by name, the rows of acl2008's Table 1 and later ones, and their scores."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import Tuned
from citectx.language.spans import Candidates
from citectx.papers.acl2008.impact_set import ROUGE, ImpactPaper, ImpactSet
from citectx.retrieval import Query, SpanIndex
from citectx.summarization.base import Budget, by_score, within
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of
from citectx.summarization.summarizers import Mead
from citectx.types import Floats

Order = Callable[[ImpactPaper], Iterable[int]]
"""From a paper to positions in the order in which they go into its summary: see `ImpactPaper`."""

BASELINES = ("Random", "LEAD", "MEAD-Doc", "MEAD-Doc+Cite")
"""The paper's own, in its order."""

OURS = "KL-Divergence"
LATER = ("Longest", "MEAD-Cite-to-Doc", "BM25", "LMD")
"""Not in the paper: the longest sentences, which recall rewards whatever they say; what its
footnote 5 suggests; and sigir2017's contextualization."""

MOST_CITED = "most cited"
"""The sentences with the most votes. They are picked by what they are scored against, yet are no
upper bound: many say the same."""

ORACLE = "greedy oracle"
"""Sentences by what each adds to the score itself: close to the best that any extract can reach."""


def random_order(paper: ImpactPaper, seed: int) -> Iterator[int]:
    """Sentences in an order that the seed decides."""
    yield from np.random.default_rng(seed).permutation(len(paper.votes)).tolist()


def mead_doc(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper alone."""
    yield from Mead().order(paper.pool.take(range(len(paper.votes))))


def mead_doc_cite(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper and its citation documents; it may choose sentences of either.

    Ambiguity: acl2008 §5.1.3 makes "citation documents" out of contexts; we make one for each
    citing paper.
    """
    yield from Mead().order_of(paper.pool, paper.documents)


def mead_cite_to_doc(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the citation documents; for each sentence chosen, the most similar one of the paper.

    Source: acl2008 footnote 5, which a reviewer suggested and the paper did not try. Ambiguity: it
    does not name a similarity; ours is MEAD's own, the cosine with idf. A sentence of the paper is
    taken once; what is like no sentence of the paper is skipped.
    """
    own = len(paper.votes)
    theirs = range(own, len(paper.pool))
    alike = paper.pool.similarity[own:, :own].copy()
    for i in Mead().order_of(paper.pool.take(theirs), paper.documents[own:]):
        best = int(np.argmax(alike[i].round(9)))
        if alike[i, best] > 0:
            alike[:, best] = 0.0
            yield best


def contextualized(tuned: Tuned) -> Order:
    """Order sentences as sigir2017 might: find the context of every citance, and let citances vote.

    Each citance ranks all sentences of the paper; a sentence's score is the sum of 1/rank over
    citances. Neither paper has it. Ambiguity: contextualization returns a few spans for each
    citance and stops; we let all ranks count, so that any length of summary can be had and the
    first ranks weigh most.

    Parameters
    ----------
    tuned : Tuned
        With single sentences, as for sigir2017 Table 1.
    """
    analyzer = Protocol().analyzer

    def order(paper: ImpactPaper) -> Iterator[int]:
        topic = paper.topic
        index = SpanIndex(Candidates.of(paper.sentences, 1), analyzer)
        queries = [Query.of_citance(citance, analyzer) for citance in topic.citances]
        scores = tuned.of(topic.topic_id).fit(index).score(queries)
        yield from by_score(reciprocal_ranks(scores)).tolist()

    return order


def reciprocal_ranks(scores: Floats) -> Floats:
    """Add up 1/rank over the rows, shape (columns,); a row in which all are equal says nothing.

    >>> reciprocal_ranks(np.array([[0.2, 0.9], [0.3, 0.4], [0.0, 0.0]])).tolist()
    [1.0, 2.0]
    """
    kept = scores[np.ptp(scores.round(9), axis=1) > 0]
    order = np.argsort(-kept.round(9), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None, :], axis=1)
    return np.asarray((1 / ranks).sum(axis=0))


FIXED: dict[str, Order] = {
    "LEAD": lambda paper: range(len(paper.votes)),
    "MEAD-Doc": mead_doc,
    "MEAD-Doc+Cite": mead_doc_cite,
    OURS: lambda paper: ImpactModel().order(paper.cited),
    "MEAD-Cite-to-Doc": mead_cite_to_doc,
    "Longest": lambda paper: by_score(paper.pool.words[: len(paper.votes)] / 1.0).tolist(),
    MOST_CITED: lambda paper: by_score(paper.votes / 1.0).tolist(),
    ORACLE: ImpactPaper.best,
}
"""Methods without anything to tune or to draw."""


def column(score: str, budget: Budget) -> str:
    """Name the column of a score at a length.

    >>> column("ROUGE-L", Budget(sentences=15)), column("ROUGE-L", Budget(words=100))
    ('ROUGE-L @15', 'ROUGE-L @100 words')
    """
    return f"{score} @{budget.sentences}" if budget.sentences else f"{score} @{budget.words} words"


def measure(paper: ImpactPaper, order: Order, budgets: Sequence[Budget]) -> dict[str, float]:
    """Score the summaries that an order leads to, in each budget: values by `column`.

    A summary longer than the order is all of it.
    """
    taken, words = list[int](), 0
    for i in order(paper):
        taken.append(i)
        words += int(paper.pool.words[i])
        if all(budget.spent(len(taken), words) for budget in budgets):
            break
    return measure_order(paper, taken, budgets)


def measure_order(
    paper: ImpactPaper, order: Sequence[int], budgets: Sequence[Budget]
) -> dict[str, float]:
    """Score the beginnings of one order."""
    values = dict[str, float]()
    for budget in budgets:
        found = paper.score(within(paper.pool, order, budget), budget.words)
        values |= {column(score, budget): value for score, value in found.items()}
    return values


def measure_models(
    paper: ImpactPaper,
    models: Sequence[ImpactModel],
    budgets: Sequence[Budget],
    cited: CitedPaper | None = None,
) -> list[dict[str, float]]:
    """Score the summaries of many impact models, on the paper's counts or those of `cited`."""
    scores = scores_of(cited or paper.cited, models)
    return [measure_order(paper, by_score(own).tolist(), budgets) for own in scores.T]


def row(paper: ImpactPaper, method: str, measured: Mapping[str, float]) -> dict[str, Any]:
    """Lay out the scores of one summary method on one paper."""
    return {"topic": paper.topic.topic_id, "citance": "", "method": method} | dict(measured)


def rows_of_models(
    each: ImpactSet,
    models: Mapping[str, ImpactModel],
    lengths: Sequence[int],
    cited: Iterable[CitedPaper] = (),
) -> pd.DataFrame:
    """Score named impact models on every paper, one row a paper and model.

    `cited` are the papers as counted in another way; what is chosen is scored as ever.
    """
    rows, budgets = [], [Budget(sentences=n) for n in lengths]
    counted = cited or [paper.cited for paper in each.papers]
    for paper, own in zip(each.papers, counted, strict=True):
        measured = measure_models(paper, list(models.values()), budgets, own)
        rows += [row(paper, name, scores) for name, scores in zip(models, measured, strict=True)]
    return pd.DataFrame(rows)


def reported(
    experiment: str,
    of: ImpactSet,
    scores: pd.DataFrame,
    params: Mapping[str, Mapping[str, Any]],
    rivals: Sequence[str],
    seed: int,
) -> Result:
    """Report on the papers of a corpus, each of which counts alike.

    Parameters
    ----------
    experiment : str
    of : ImpactSet
    scores : DataFrame
        Columns topic, citance (empty), method and the measures.
    params : mapping of method to parameters
    rivals : sequence of str
        Others are tested against the best of these methods in the recall columns, unless there is
        one paper.
    seed : int
        Of bootstrap and permutations.
    """
    recall = [m for m in scores.columns if m.rpartition(" @")[0] in ROUGE]
    tests = compare(scores, seed, rivals if len(of.papers) > 1 else (), recall)
    about: dict[str, Any] = {"params": of.protocol.params(), "by_method": params}
    return part(experiment, of.corpus, scores, seed, **about, over="topics", tests=tests)
