"""Summarizers of impact by name: the rows of acl2008's Table 1, and what came later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from citectx.corpora.model import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Protocol, prepare
from citectx.experiments.tuning import tune, variants
from citectx.language.spans import Candidates
from citectx.papers.acl2008.impact_set import ImpactPaper
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.summarization.base import by_score
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of
from citectx.summarization.mead import Mead
from citectx.types import Floats

Order = Callable[[ImpactPaper], Iterator[int]]
"""From a paper to positions in the order in which they go into its summary: see `ImpactPaper`."""

BASELINES = ("Random", "LEAD", "MEAD-Doc", "MEAD-Doc+Cite")
"""The paper's own, in its order."""

OURS = "KL-Divergence"
LATER = ("MEAD-Cite-to-Doc", "BM25", "LMD")
"""Not in the paper: what its footnote 5 suggests, and sigir2017's contextualization."""

ORACLE = "most cited"
"""The sentences with the most votes: how far one can get, not a method."""


def lead(paper: ImpactPaper) -> Iterator[int]:
    """Sentences as they come."""
    yield from range(len(paper.votes))


def most_cited(paper: ImpactPaper) -> Iterator[int]:
    """Sentences by their votes."""
    yield from by_score(paper.votes.astype(np.float64)).tolist()


def random_order(paper: ImpactPaper, seed: int) -> Iterator[int]:
    """Sentences in an order that the seed decides."""
    yield from np.random.default_rng(seed).permutation(len(paper.votes)).tolist()


def mead_doc(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper alone."""
    yield from Mead().order(paper.pool.take(range(len(paper.votes))))


def mead_doc_cite(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the paper and its citation documents; it may choose sentences of either.

    Ambiguity: acl2008 §5.1.3 makes "citation documents" out of contexts; we make one for each citing paper.
    """
    yield from Mead().order_of(paper.pool, paper.documents)


def mead_cite_to_doc(paper: ImpactPaper) -> Iterator[int]:
    """MEAD on the citation documents; for each sentence it chooses, the most similar one of the paper.

    Source: acl2008 footnote 5, which a reviewer suggested and the paper did not try. Ambiguity: it does not
    name a similarity; ours is MEAD's own, the cosine with idf. A sentence of the paper is taken once; what is
    like no sentence of the paper is passed over.
    """
    own = len(paper.votes)
    theirs = range(own, len(paper.pool))
    alike = paper.pool.similarity[own:, :own].copy()
    for i in Mead().order_of(paper.pool.take(theirs), paper.documents[own:]):
        best = int(np.argmax(alike[i].round(9)))
        if alike[i, best] > 0:
            alike[:, best] = 0.0
            yield best


def impact(model: ImpactModel | None = None) -> Order:
    """Summarize by an impact language model, with the setting of Table 1 if none is given."""
    chosen = model or ImpactModel()
    return lambda paper: chosen.order(paper.cited)


def contextualized(models: Mapping[str, RetrievalModel], protocol: Protocol) -> Order:
    """sigir2017 as a summarizer of impact: find the context of every citance, and let citances vote.

    Each citance ranks all sentences of the paper; a sentence's score is the sum of 1/rank over citances.
    Neither paper has it. Ambiguity: contextualization returns a few spans for each citance and stops; we let
    all ranks count, so that any length of summary can be had and the first ranks weigh most.

    Parameters
    ----------
    models : mapping of topic to RetrievalModel
        What cross-validation chose for each.
    protocol : Protocol
    """

    def order(paper: ImpactPaper) -> Iterator[int]:
        topic = paper.topic
        index = SpanIndex(Candidates.of(paper.sentences, 1), protocol.analyzer)
        queries = [Query.of_citance(citance, protocol.analyzer) for citance in topic.citances]
        scores = models[topic.topic_id].fit(index).score(queries)
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
    total: Floats = (1 / ranks).sum(axis=0)
    return total


def contextualizers(
    corpus: Corpus, names: Sequence[str], folds: int
) -> dict[str, tuple[Order, dict[str, Any]]]:
    """Tune retrieval models as for sigir2017 Table 1, by cross-validation over topics.

    Returns
    -------
    dict
        For each name the order, and for each parameter how many topics got which value.
    """
    protocol = Protocol()  # single sentences
    topics = prepare(corpus, protocol)
    found: dict[str, tuple[Order, dict[str, Any]]] = {}
    for name in names:
        tuned = tune(topics, variants(name, corpus.name), folds)
        chosen = {p.topic.topic_id: m for p, m in zip(topics, tuned.chosen, strict=True)}
        found[name] = (contextualized(chosen, protocol), tuned.counts())
    return found


FIXED: dict[str, Order] = {
    "LEAD": lead,
    "MEAD-Doc": mead_doc,
    "MEAD-Doc+Cite": mead_doc_cite,
    OURS: impact(),
    "MEAD-Cite-to-Doc": mead_cite_to_doc,
    ORACLE: most_cited,
}
"""Methods without anything to tune or to draw."""


def measure(paper: ImpactPaper, order: Order, lengths: Sequence[int]) -> dict[int, dict[str, float]]:
    """Score the summaries that an order gives, by their number of sentences.

    A summary longer than the order is all of it.

    Raises
    ------
    ParameterError
        If a length is below 1.
    """
    if min(lengths) < 1:
        raise ParameterError(f"a summary has at least one sentence, not {min(lengths)}")
    return measure_order(paper, list(islice(order(paper), max(lengths))), lengths)


def measure_order(
    paper: ImpactPaper, order: Sequence[int], lengths: Sequence[int]
) -> dict[int, dict[str, float]]:
    """Score the beginnings of one order, by their number of sentences."""
    return {n: paper.score(order[:n]) for n in lengths}


def measure_models(
    paper: ImpactPaper, models: Sequence[ImpactModel], lengths: Sequence[int], cited: CitedPaper | None = None
) -> list[dict[int, dict[str, float]]]:
    """Score the summaries of many impact models; counts are those of `cited`, the paper's own by default."""
    scores = scores_of(cited or paper.cited, models)
    return [measure_order(paper, by_score(own).tolist(), lengths) for own in scores.T]
