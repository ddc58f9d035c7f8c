"""Finding contexts for all citances of a corpus: prepare once, score many models, tune, measure.

Everything that the methods share is fixed in a `Protocol`, so that a difference between two rows of
a table is a difference between two methods.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
from citectx.language.spans import Candidates, Overlap, best_first, select, select_all
from citectx.language.text import Analyzer, SentenceSplitter, StopWords
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import digest
from citectx.types import Floats, Ints, Span

METRICS = (
    "c-P",
    "c-R",
    "c-F",
    "nDCG",
    "RG-1",
    "RG-2",
    "RG-3",
    "c-P@1",
    "c-P@5",
    "wc-P",
    "wc-R",
    "wc-F",
)
"""Columns of sigir2017 Table 1, then the reading weighted over annotators (naacl2015 Eq. 1)."""
ROUGE = {"RG-1": "rouge1", "RG-2": "rouge2", "RG-3": "rouge3"}
OBJECTIVES = ("c-F", "nDCG", "c-P@1")
"""What parameters can be tuned for."""
KEPT_BYTES = 1 << 22
"""Size of the scores that a topic keeps."""


@dataclass(frozen=True)
class Protocol:
    """What all methods of a table share.

    Parameters
    ----------
    k : int
        Spans returned for each citance. Ambiguity: naacl2015 returns three (annotators marked at
        most three); sigir2017 does not say.
    max_sentences : int
        Longest candidate span. Ambiguity: naacl2015 indexes one to five sentences; sigir2017 speaks
        of reference sentences as its documents, hence 1.
    overlap : {"merge", "skip", "keep"}
        See `citectx.language.spans.select`; without windows longer than a sentence nothing can
        overlap.
    depth : int
        Spans that count as retrieved before merging.
    stem, stop_words, split_hyphens, numbers
        See `citectx.language.text.Analyzer`.
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
        self.candidates = Candidates.of(splitter.sentences(topic.reference), protocol.max_sentences)
        self.index = SpanIndex(self.candidates, protocol.analyzer)
        self.citances = [c for c in topic.citances if c.gold or not only_annotated]
        self._kept: dict[str | None, Floats] = {}
        self._kept_bytes = 0
        self.queries = [Query.of_citance(c, protocol.analyzer) for c in self.citances]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for all citances, shape (citances, spans).

        The latest scores are kept (up to `KEPT_BYTES`), so that what tuning has chosen is not
        scored again.
        """
        key = model.fingerprint()
        found = self._kept.pop(key, None)
        if found is None:
            found = model.fit(self.index).score(self.queries)
        else:
            self._kept_bytes -= found.nbytes
        if key is not None:
            self._kept[key] = found  # the latest comes last
            self._kept_bytes += found.nbytes
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= self._kept.pop(next(iter(self._kept))).nbytes
        return found

    def retrieve(self, scores: Floats, k: int) -> list[Span]:
        """Return the k spans returned for one citance, best first."""
        chosen = select(self.candidates, scores, k, self.protocol.overlap, self.protocol.depth)
        return self.candidates.spans(chosen)

    def objectives(self, model: RetrievalModel) -> Floats:
        """Return `OBJECTIVES` for each citance, as fractions, shape (3, citances): what tuning
        maximises.

        The same as `measure` gives, for all citances at once.
        """
        scores, protocol = self.scores(model), self.protocol
        chars, (left, marked) = self.candidates.chars, self._gold_characters
        order = best_first(scores)
        chosen = order[:, : protocol.k]  # single sentences cannot overlap
        if protocol.max_sentences > 1:
            chosen = select_all(
                self.candidates, scores, order, protocol.k, protocol.overlap, protocol.depth
            )
        first, rows = chosen[:, :1], np.arange(len(order))[:, None]
        chosen = np.sort(np.where(chosen < 0, first, chosen), axis=1)
        f1 = 2 * covered(left[rows, chosen]) / (covered(chars[chosen]) + marked)
        relevant, discounts, ideal = self._gains
        gained = np.take_along_axis(relevant, order, axis=1)[:, : len(discounts)] @ discounts
        precision = covered(left[rows, first]) / covered(chars[first])
        return np.array([f1, gained / ideal, precision])

    def objective(self, model: RetrievalModel) -> Floats:
        """Return character F for each citance, the first of `objectives`."""
        return np.asarray(self.objectives(model)[0])

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that scores depend on beside the model: text, candidates, citances,
        protocol.
        """
        parts = (
            self.topic.topic_id,
            self.topic.reference,
            self.candidates.chars.tolist(),
            self.citances,
        )
        return digest(*parts, self.protocol)

    @cached_property
    def hits(self) -> Ints:
        """How many marked characters each candidate has, shape (citances, spans)."""
        left, _ = self._gold_characters
        return np.asarray(left[:, :, 1] - left[:, :, 0])

    @cached_property
    def _gains(self) -> tuple[NDArray[np.bool_], Floats, Floats]:
        """What nDCG needs beside a ranking: relevant candidates, discounts, and what an ideal
        ranking gains (or 1).
        """
        relevant, cut = self.hits > 0, self.protocol.ndcg_k or None
        discounts = (1 / np.log2(np.arange(2, relevant.shape[1] + 2)))[:cut]
        ideal = np.concatenate([[0.0], discounts.cumsum()])[
            np.minimum(relevant.sum(axis=1), len(discounts))
        ]
        return relevant, discounts, np.where(ideal > 0, ideal, 1.0)

    @cached_property
    def _gold_characters(self) -> tuple[Ints, Ints]:
        """Marked characters left of each candidate's ends, (citances, spans, 2), and in all,
        (citances,).
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
        text = self.topic.reference.text
        return [[_joined(text, spans) for spans in c.gold.values()] for c in self.citances]

    def measure(self, model: RetrievalModel, metrics: Sequence[str] = METRICS) -> pd.DataFrame:
        """Measure a model on every citance: columns citance and `metrics`, in percent.

        Raises
        ------
        ParameterError
            For a metric that is not in `METRICS`.
        """
        check_metrics(metrics)
        rows = []
        for i, scores in enumerate(self.scores(model)):
            gains, returned = self.gains(i), self.retrieve(scores, max(self.protocol.k, 5))
            rows.append(self._values(i, gains[best_first(scores)], gains, returned, {*metrics}))
        return pd.DataFrame(rows, columns=["citance", *metrics])

    def gains(self, i: int) -> Ints:
        """Relevance of each candidate to one citance, see `citectx.evaluation.relevance`."""
        return np.asarray(self.hits[i] > 0, dtype=np.int64)

    def measure_spans(
        self,
        i: int,
        ranking: Sequence[tuple[int, int]],
        returned: Sequence[tuple[int, int]],
        metrics: set[str],
    ) -> dict[str, Any]:
        """Measure a ranking of any spans for one citance, in percent, with the spans that count as
        returned.

        The ideal ranking holds as many relevant spans as there are relevant candidates, or as the
        ranking has itself if those are more (it may cut the article finer than the candidates do).
        """
        gained = (
            relevance(ranking, self.citances[i].gold) if ranking else np.zeros(0, dtype=np.int64)
        )
        ideal = np.ones(max(self.gains(i).sum(), gained.sum()), dtype=np.int64)
        return self._values(i, gained, ideal, [Span(*span) for span in returned], metrics)

    def _values(
        self, i: int, gained: Ints, ideal: Ints, ranked: list[Span], metrics: set[str]
    ) -> dict[str, Any]:
        citance, protocol = self.citances[i], self.protocol
        returned, gold = ranked[: protocol.k], citance.gold
        values = dict(zip(("c-P", "c-R", "c-F"), union_scores(returned, gold), strict=True))
        values |= zip(("wc-P", "wc-R", "wc-F"), weighted_scores(returned, gold), strict=True)
        values |= {f"c-P@{k}": precision_at(ranked, gold, k) for k in (1, 5)}
        values["nDCG"] = ndcg(gained, k=protocol.ndcg_k, ideal=ideal)
        if not metrics.isdisjoint(ROUGE):  # by far the slowest of them
            content = rouge(_joined(self.topic.reference.text, returned), self._gold_texts[i])
            values |= {name: content[kind].f1 for name, kind in ROUGE.items()}
        return {"citance": citance.citance_id} | {
            name: 100 * value for name, value in values.items()
        }


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
    begin[:, 1:] = np.maximum(begin[:, 1:], np.maximum.accumulate(end, axis=1)[:, :-1])
    return np.asarray(np.maximum(end - begin, 0).sum(axis=1))


def check_metrics(metrics: Iterable[str]) -> None:
    """Raise an error for the first name that is not in `METRICS`."""
    for metric in metrics:
        if metric not in METRICS:
            raise unknown("metric", metric, METRICS)


def _joined(text: str, spans: Iterable[Span]) -> str:
    return "\n".join(text[s.start : s.end] for s in spans)


def splitter_of(corpus: Corpus) -> SentenceSplitter:
    """Train Punkt on the articles of a corpus, except those whose sentences the release
    prescribes.
    """
    return SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)


def prepare(corpus: Corpus, protocol: Protocol) -> list[Prepared]:
    """Make all topics of a corpus ready, with sentences as Punkt learns them from its articles.

    Raises
    ------
    DataError
        If no citance of the corpus has evidence to be scored against.
    """
    splitter = splitter_of(corpus)
    prepared = [p for topic in corpus if (p := Prepared(topic, splitter, protocol)).citances]
    if not prepared:
        raise DataError("no citance has annotated evidence", file=corpus.name)
    return prepared


def settings(protocol: Protocol, **more: Any) -> dict[str, Any]:
    """Everything that a row's ``params`` say of how it came about."""
    return asdict(protocol) | more


def example(
    prepared: Prepared, citance: Citance, models: Mapping[str, RetrievalModel]
) -> dict[str, list[Span]]:
    """Spans that each model returns for one citance, to be shown side by side."""
    i = [c.citance_id for c in prepared.citances].index(citance.citance_id)
    return {
        name: prepared.retrieve(prepared.scores(m)[i], prepared.protocol.k)
        for name, m in models.items()
    }
