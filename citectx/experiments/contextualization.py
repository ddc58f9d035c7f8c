"""Finding contexts for all citances of a corpus: prepare once, score many models, measure.

Everything that the methods share is fixed in a `Protocol`, so that a difference between two rows of
a table is a difference between two methods.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError, unknown
from citectx.evaluation import (
    merge,
    ndcg,
    precision_at,
    relevance,
    rouge,
    union_scores,
    weighted_scores,
)
from citectx.language.spans import Candidates, best_first, select, select_all
from citectx.language.text import Analyzer, SentenceSplitter, StopWords
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import digest
from citectx.types import Floats, Ints, Parameters, Span

CHARACTERS = ("c-P", "c-R", "c-F")
WEIGHTED = ("wc-P", "wc-R", "wc-F")
ROUGE = {"RG-1": "rouge1", "RG-2": "rouge2", "RG-3": "rouge3"}
METRICS = (*CHARACTERS, "nDCG", *ROUGE, "c-P@1", "c-P@5", *WEIGHTED)
"""Columns of sigir2017 Table 1, then the reading weighted over annotators (naacl2015 Eq. 1)."""


@dataclass(frozen=True)
class Protocol(Parameters):
    """What all methods of a table share.

    Parameters
    ----------
    k : int
        Spans returned for each citance. Ambiguity: naacl2015 returns three (annotators marked at
        most three); sigir2017 does not say.
    max_sentences : int
        Longest candidate span. Ambiguity: naacl2015 indexes one to five sentences; sigir2017 speaks
        of reference sentences as its documents, hence 1.
    depth : int
        Spans that count as retrieved before those that overlap are merged
        (`citectx.language.spans.select`); single sentences never overlap.
    stem, stop_words, split_hyphens, numbers
        See `citectx.language.text.Analyzer`.
    """

    k: int = 3
    max_sentences: int = 1
    depth: int = 20
    stem: bool = False
    stop_words: StopWords = "english"
    split_hyphens: bool = True
    numbers: bool = False

    allowed: ClassVar = {
        **dict.fromkeys(["k", "max_sentences", "depth"], "[1, inf)"),
        "stop_words": get_args(StopWords),
    }

    def params(self) -> dict[str, Any]:
        """Return the parameters as tables name them, with what is the same for all."""
        return super().params() | {"overlap": "merge", "ndcg_k": None}

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of articles and citances."""
        return Analyzer(self.stem, self.stop_words, self.split_hyphens, self.numbers)


DEFAULT = Protocol()


class Prepared:
    """A topic made ready: candidates, index, queries.

    Parameters
    ----------
    topic : Topic
    splitter : SentenceSplitter
    protocol : Protocol
    only_annotated : bool
        Leave out citances without evidence, which nothing can be scored against.
    """

    def __init__(
        self,
        topic: Topic,
        splitter: SentenceSplitter,
        protocol: Protocol,
        *,
        only_annotated: bool = True,
    ) -> None:
        self.topic, self.protocol = topic, protocol
        analyzer, sentences = protocol.analyzer, splitter.sentences(topic.reference)
        self.candidates = Candidates.of(sentences, protocol.max_sentences)
        self.index = SpanIndex(self.candidates, analyzer)
        self.citances = [c for c in topic.citances if c.gold or not only_annotated]
        self.queries = [Query.of_citance(c, analyzer) for c in self.citances]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for all citances, shape (citances, spans)."""
        return model.fit(self.index).score(self.queries)

    def retrieve(self, scores: Floats, k: int) -> list[Span]:
        """Return the k spans returned for one citance, best first."""
        chosen = select(self.candidates, scores, k, self.protocol.depth)
        return self.candidates.spans(chosen)

    def objective(self, model: RetrievalModel) -> Floats:
        """Return character F for each citance, as a fraction: what tuning maximises.

        The same as in `measure`, for all citances in one go: tuning tries hundreds of variants.
        """
        scores, protocol = self.scores(model), self.protocol
        order = best_first(scores)
        if protocol.max_sentences > 1:
            chosen = select_all(self.candidates, scores, order, protocol.k, protocol.depth)
        else:
            chosen = order[:, : protocol.k]  # single sentences never overlap
        chosen = np.where(chosen < 0, chosen[:, :1], chosen)
        chosen.sort(axis=1)
        left, marked = self._gold_characters
        hits = covered(np.take_along_axis(left, chosen[:, :, None], axis=1))
        returned = covered(self.candidates.chars[chosen])
        return np.asarray(2 * hits / (returned + marked))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that scores depend on beside the model."""
        topic, chars = self.topic, self.candidates.chars.tolist()
        return digest(topic.topic_id, topic.reference, chars, self.citances, self.protocol)

    @cached_property
    def relevant(self) -> Ints:
        """1 where a candidate holds a marked character, else 0, shape (citances, spans)."""
        left, _ = self._gold_characters
        return np.asarray(left[:, :, 1] > left[:, :, 0], dtype=np.int64)

    @cached_property
    def _gold_characters(self) -> tuple[Ints, Ints]:
        """Count marked characters.

        Returns
        -------
        left : int array, shape (citances, spans, 2)
            Those left of each candidate's start and end.
        marked : int array, shape (citances,)
            All of them.
        """
        ends, left, marked = self.candidates.chars[:, :, None], [], []
        for citance in self.citances:
            union = merge([span for spans in citance.gold.values() for span in spans])
            starts, stops = np.array(union, dtype=np.int64).reshape(-1, 2).T
            left.append(np.clip(ends - starts, 0, stops - starts).sum(axis=2))
            marked.append((stops - starts).sum())
        return np.array(left), np.array(marked)

    @cached_property
    def _gold_texts(self) -> list[list[str]]:
        return [[self._joined(spans) for spans in c.gold.values()] for c in self.citances]

    def _joined(self, spans: Iterable[Span]) -> str:
        text = self.topic.reference.text
        return "\n".join(text[start:end] for start, end in spans)

    def measure(self, model: RetrievalModel, metrics: Sequence[str] = METRICS) -> pd.DataFrame:
        """Measure a model on every citance: columns citance and `metrics`, in percent.

        Raises
        ------
        ParameterError
            For a metric that is not in `METRICS`.
        """
        check_metrics(metrics)
        most, rows = max(self.protocol.k, 5), []
        for i, scores in enumerate(self.scores(model)):
            gained = self.relevant[i, best_first(scores)]
            returned = self.retrieve(scores, most)
            rows.append(self._values(i, gained, self.relevant[i], returned, metrics))
        return pd.DataFrame(rows, columns=["citance", *metrics])

    def judged(self, i: int, ranking: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
        """Judge any spans for one citance: 1 where they overlap its evidence, else 0.

        Returns
        -------
        ranked : int array
            Of the spans, in their order.
        every : int array
            Of all that could be ranked: as many spans, relevant and others, as there are
            candidates; or as the ranking has itself if those are more (it may cut the article finer
            than the candidates do).
        """
        ranked = relevance(np.array(ranking, dtype=np.int64).reshape(-1, 2), self.citances[i].gold)
        hits, found = int(self.relevant[i].sum()), int(ranked.sum())
        relevant = max(hits, found)
        others = max(len(self.candidates) - hits, len(ranked) - found)
        return ranked, np.repeat([1, 0], [relevant, others])

    def measure_spans(
        self, i: int, ranking: Sequence[tuple[int, int]], metrics: Sequence[str]
    ) -> dict[str, Any]:
        """Measure any ranking of spans for one citance, in percent; the first k are returned."""
        spans = [Span(*span) for span in ranking[: max(self.protocol.k, 5)]]
        return self._values(i, *self.judged(i, ranking), spans, metrics)

    def _values(
        self, i: int, gained: Ints, ideal: Ints, ranked: list[Span], metrics: Sequence[str]
    ) -> dict[str, Any]:
        gold, returned = self.citances[i].gold, ranked[: self.protocol.k]
        values = dict(zip(CHARACTERS, union_scores(returned, gold), strict=True))
        values |= zip(WEIGHTED, weighted_scores(returned, gold), strict=True)
        values |= {f"c-P@{k}": precision_at(ranked, gold, k) for k in (1, 5)}
        values["nDCG"] = ndcg(gained, ideal=ideal)
        if not ROUGE.keys().isdisjoint(metrics):  # by far the slowest of them
            content = rouge(self._joined(outermost(returned)), self._gold_texts[i])
            values |= {name: content[kind].f1 for name, kind in ROUGE.items()}
        percent = {name: 100 * value for name, value in values.items()}
        return {"citance": self.citances[i].citance_id, **percent}


def outermost(spans: Sequence[Span]) -> list[Span]:
    """Leave out spans that lie in another one, so that their text counts once.

    >>> outermost([Span(0, 9), Span(0, 20), Span(15, 30)])
    [Span(start=0, end=20), Span(start=15, end=30)]
    """
    return [one for one in spans if not any(one.inside(other) for other in spans)]


def covered(ranges: Ints) -> Ints:
    """Add up what ranges cover together, in rows that are sorted by their starts.

    Parameters
    ----------
    ranges : int array, shape (rows, ranges, 2)

    Returns
    -------
    int array, shape (rows,)

    Examples
    --------
    >>> covered(np.array([[[0, 10], [5, 8], [8, 12]]]))
    array([12])
    """
    begin, end = ranges[:, :, 0].copy(), ranges[:, :, 1]
    reached = np.maximum.accumulate(end, axis=1)
    begin[:, 1:] = np.maximum(begin[:, 1:], reached[:, :-1])
    return np.asarray(np.maximum(end - begin, 0).sum(axis=1))


def check_metrics(metrics: Iterable[str]) -> None:
    """Raise an error for the first name that is not in `METRICS`."""
    for metric in metrics:
        if metric not in METRICS:
            raise unknown("metric", metric, METRICS)


def splitter_of(corpus: Corpus) -> SentenceSplitter:
    """Train Punkt on a corpus's articles, except those whose sentences the release prescribes."""
    return SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)


def prepare(corpus: Corpus, protocol: Protocol = DEFAULT) -> list[Prepared]:
    """Make all topics of a corpus ready, with sentences as Punkt learns them from its articles.

    Raises
    ------
    DataError
        If no citance of the corpus has evidence to be scored against.
    """
    splitter = splitter_of(corpus)
    everything = [Prepared(topic, splitter, protocol) for topic in corpus]
    prepared = [each for each in everything if each.citances]
    if not prepared:
        raise DataError("no citance has annotated evidence", file=corpus.name)
    return prepared


def example(
    prepared: Prepared, citance: Citance, models: Mapping[str, RetrievalModel]
) -> dict[str, list[Span]]:
    """Return the spans that each model returns for one citance, to be shown side by side."""
    i = [c.citance_id for c in prepared.citances].index(citance.citance_id)
    rows = {name: prepared.scores(model)[i] for name, model in models.items()}
    return {name: prepared.retrieve(row, prepared.protocol.k) for name, row in rows.items()}
