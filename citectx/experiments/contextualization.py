"""Finding contexts for all citances of a corpus: prepare once, score many models, tune, measure.

Everything that the methods share is fixed in a `Protocol`, so that a difference between two rows of a table
is a difference between two methods.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import BlockKind, Citance, Corpus, Span, Topic
from citectx.errors import DataError, ParameterError, unknown
from citectx.evaluation import (
    merge,
    ndcg,
    overlap_matrix,
    precision_at,
    relevance,
    rouge,
    total,
    union_scores,
    weighted_scores,
)
from citectx.experiments.objectives import sums_of
from citectx.experiments.tables import digest
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.spans import Candidates, Floats, Ints, Overlap, best_first, select
from citectx.text import CANDIDATE_KINDS, Analyzer, SentenceSplitter, StopWords

METRICS = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5", "wc-P", "wc-R", "wc-F")
"""Columns of sigir2017 Table 1, then the reading weighted over annotators (naacl2015 Eq. 1)."""
ROUGE = {"RG-1": "rouge1", "RG-2": "rouge2", "RG-3": "rouge3"}


@dataclass(frozen=True)
class Protocol:
    """What all methods of a table share.

    Parameters
    ----------
    k : int
        Spans returned for each citance. Ambiguity: naacl2015 returns three (annotators marked at most three);
        sigir2017 does not say.
    max_sentences : int
        Longest candidate span. Ambiguity: naacl2015 indexes one to five sentences; sigir2017 speaks of
        reference sentences as its documents, hence 1.
    overlap : {"merge", "skip", "keep"}
        See `citectx.spans.select`; without windows longer than a sentence nothing can overlap.
    depth : int
        Spans that count as retrieved before merging.
    stem, stop_words, split_hyphens, numbers
        See `citectx.text.Analyzer`.
    ndcg_k : int, optional
        Cut of nDCG; None ranks all candidates. Ambiguity: sigir2017 gives no cut.
    """

    k: int = 3
    max_sentences: int = 1
    overlap: Overlap = "merge"
    depth: int = 20
    stem: bool = False
    stop_words: StopWords = "english"
    split_hyphens: bool = True
    numbers: bool = False
    ndcg_k: int | None = None

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of articles and citances."""
        return Analyzer(self.stem, self.stop_words, self.split_hyphens, self.numbers)


class Prepared:
    """A topic made ready: candidates, index, queries.

    Parameters
    ----------
    topic : Topic
    splitter : SentenceSplitter
    protocol : Protocol
    kinds : sequence of BlockKind
        Blocks whose sentences are candidates.
    only_annotated : bool
        Leave out citances without evidence, which nothing can be scored against.
    """

    def __init__(
        self,
        topic: Topic,
        splitter: SentenceSplitter,
        protocol: Protocol,
        kinds: Sequence[BlockKind] = CANDIDATE_KINDS,
        *,
        only_annotated: bool = True,
    ) -> None:
        self.topic, self.protocol = topic, protocol
        self.candidates = Candidates.of(splitter.sentences(topic.reference, kinds), protocol.max_sentences)
        self.index = SpanIndex(self.candidates, protocol.analyzer)
        self.citances = [c for c in topic.citances if c.gold or not only_annotated]
        self.queries = [Query.of_citance(c, protocol.analyzer) for c in self.citances]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for all citances, shape (citances, spans)."""
        return model.fit(self.index).score(self.queries)

    def retrieve(self, scores: Floats, k: int) -> list[Span]:
        """Give the k spans returned for one citance, best first."""
        chosen = select(self.candidates, scores, k, self.protocol.overlap, self.protocol.depth)
        return self.candidates.spans(chosen)

    def objective(self, model: RetrievalModel) -> Floats:
        """Character F against the union of annotators, for each citance: what tuning maximises.

        Single sentences cannot overlap, so their characters are counted once for all variants of all models.
        """
        if self.protocol.max_sentences > 1:
            scored = zip(self._gold_unions, self.scores(model), strict=True)
            found = [(self.retrieve(scores, self.protocol.k), union) for union, scores in scored]
            return np.array([union_scores(spans, {"union": union}).f1 for spans, union in found])
        lengths = self.candidates.chars[:, 1] - self.candidates.chars[:, 0]
        best = [best_first(row, self.protocol.k) for row in self.scores(model)]
        counts = [
            (hits[i].sum(), lengths[i].sum(), marked)
            for i, (hits, marked) in zip(best, self._gold_characters, strict=True)
        ]
        hits, returned, marked = np.array(counts, dtype=np.float64).reshape(-1, 3).T
        scores: Floats = 2 * hits / (returned + marked)
        return scores

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that scores depend on beside the model: text, candidates, citances, protocol."""
        parts = self.topic.topic_id, self.topic.reference, self.candidates.chars.tolist(), self.citances
        return digest(*parts, self.protocol)

    @cached_property
    def _gold_unions(self) -> list[tuple[Span, ...]]:
        return [merge([span for spans in c.gold.values() for span in spans]) for c in self.citances]

    @cached_property
    def _gold_characters(self) -> list[tuple[Ints, int]]:
        """For each citance, how many marked characters each candidate has, and how many there are."""
        return [(overlap_matrix(self.candidates.chars, union), total(union)) for union in self._gold_unions]

    @cached_property
    def _gold_texts(self) -> list[list[str]]:
        text = self.topic.reference.text
        return [[_joined(text, spans) for spans in c.gold.values()] for c in self.citances]

    def measure(self, model: RetrievalModel, metrics: Sequence[str] = METRICS) -> pd.DataFrame:
        """Measure a model on every citance: columns citance and `metrics`, in percent.

        Raises
        ------
        ParameterError
            For a metric that is not in `METRICS`.
        """
        for metric in metrics:
            if metric not in METRICS:
                raise unknown("metric", metric, METRICS)
        scored = enumerate(self.scores(model))
        rows = [self._measure(i, scores, set(metrics)) for i, scores in scored]
        return pd.DataFrame(rows, columns=["citance", *metrics])

    def _measure(self, i: int, scores: Floats, metrics: set[str]) -> dict[str, Any]:
        citance, protocol = self.citances[i], self.protocol
        ranked = self.retrieve(scores, max(protocol.k, 5))
        returned = ranked[: protocol.k]
        union, weighted = union_scores(returned, citance.gold), weighted_scores(returned, citance.gold)
        gains = relevance(self.candidates.chars, citance.gold)
        values = {
            "c-P": union.precision,
            "c-R": union.recall,
            "c-F": union.f1,
            "nDCG": ndcg(gains[best_first(scores)], k=protocol.ndcg_k, ideal=gains),
            "c-P@1": precision_at(ranked, citance.gold, 1),
            "c-P@5": precision_at(ranked, citance.gold, 5),
            "wc-P": weighted.precision,
            "wc-R": weighted.recall,
            "wc-F": weighted.f1,
        }
        if not metrics.isdisjoint(ROUGE):  # by far the slowest of them
            content = rouge(_joined(self.topic.reference.text, returned), self._gold_texts[i])
            values |= {name: content[kind].f1 for name, kind in ROUGE.items()}
        return {"citance": citance.citance_id} | {name: 100 * value for name, value in values.items()}


def _joined(text: str, spans: Iterable[Span]) -> str:
    return "\n".join(text[s.start : s.end] for s in spans)


def splitter_of(corpus: Corpus) -> SentenceSplitter:
    """Train Punkt on the articles of a corpus, except those whose sentences the release prescribes."""
    return SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)


def prepare(corpus: Corpus, protocol: Protocol) -> list[Prepared]:
    """Make all topics of a corpus ready, with sentences as Punkt learns them from its articles.

    Raises
    ------
    DataError
        If no citance of the corpus has evidence to be scored against.
    """
    splitter = splitter_of(corpus)
    prepared = [Prepared(topic, splitter, protocol) for topic in corpus]
    prepared = [p for p in prepared if p.citances]
    if not prepared:
        raise DataError("no citance has annotated evidence", file=corpus.name)
    return prepared


def folds_of(topics: Sequence[Prepared], folds: int) -> list[list[int]]:
    """Deal topics out to folds in turn; with fewer topics than folds, each topic is a fold.

    >>> folds_of([None] * 5, folds=2)
    [[0, 2, 4], [1, 3]]
    """
    if folds < 2 or len(topics) < 2:
        raise ParameterError(f"tuning needs two folds and two topics, not {folds} and {len(topics)}")
    count = min(folds, len(topics))
    return [list(range(len(topics)))[i::count] for i in range(count)]


@dataclass(frozen=True)
class Tuned:
    """What cross-validation chose for one method.

    Parameters
    ----------
    chosen : list of RetrievalModel
        For each topic, the variant that was best on the other folds.
    curve : DataFrame
        Every variant with its mean objective over all citances, columns params, objective.
    best : RetrievalModel
        The variant that was best on all topics: the one for topics of another corpus.
    """

    chosen: list[RetrievalModel]
    curve: pd.DataFrame
    best: RetrievalModel

    def counts(self) -> dict[str, dict[str, int]]:
        """For each parameter, how many topics got which value."""
        chosen = pd.DataFrame([m.params() for m in self.chosen])
        return {
            name: {
                str(v): int(n)
                for v, n in chosen[name].astype(str).value_counts(sort=False).sort_index().items()
            }
            for name in chosen.columns
        }


def tune(topics: Sequence[Prepared], variants: Sequence[RetrievalModel], folds: int) -> Tuned:
    """Choose parameters by cross-validation over topics, never on the topic that is scored.

    The variant with the highest mean character F over all citances of the other folds is taken; among equals
    the first.
    """
    sums = sums_of(topics, variants)
    counts = np.array([len(t.citances) for t in topics])
    chosen: list[RetrievalModel] = [variants[0]] * len(topics)
    for held_out in folds_of(topics, folds):
        rest = np.setdiff1d(np.arange(len(topics)), held_out)
        # Rounded, so that the last bit of a sum does not decide between variants that tie.
        best = int(np.argmax((sums[:, rest].sum(axis=1) / counts[rest].sum()).round(9)))
        for i in held_out:
            chosen[i] = variants[best]
    means = 100 * sums.sum(axis=1) / counts.sum()
    curve = pd.DataFrame({"params": [v.params() for v in variants], "objective": means})
    return Tuned(chosen, curve, variants[int(np.argmax(means.round(9)))])


def measured(
    topics: Sequence[Prepared], tuned: Mapping[str, Tuned], metrics: Sequence[str] = METRICS
) -> Iterator[pd.DataFrame]:
    """Measure every method on every topic with what was chosen for it."""
    for method, choice in tuned.items():
        for topic, model in zip(topics, choice.chosen, strict=True):
            frame = topic.measure(model, metrics)
            frame.insert(0, "topic", topic.topic.topic_id)
            frame.insert(2, "method", method)
            yield frame


def settings(protocol: Protocol, **more: Any) -> dict[str, Any]:
    """Everything that a row's ``params`` say of how it came about."""
    return asdict(protocol) | more


def example(
    prepared: Prepared, citance: Citance, models: Mapping[str, RetrievalModel]
) -> dict[str, list[Span]]:
    """Spans that each model returns for one citance, to be shown side by side."""
    i = [c.citance_id for c in prepared.citances].index(citance.citance_id)
    return {name: prepared.retrieve(prepared.scores(m)[i], prepared.protocol.k) for name, m in models.items()}
