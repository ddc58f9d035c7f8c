"""Finding contexts for all citances of a corpus: prepare once, score many models, measure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError
from citectx.evaluation import ndcg, precision_at, relevance, rouge, union_scores, weighted_scores
from citectx.evaluation.offsets import Spans, cut_overlaps, union_f1_by_row
from citectx.experiments.report import KEYS
from citectx.language.spans import Candidates, best_first, select, select_by_row
from citectx.language.text import Analyzer, SentenceSplitter, StopWords
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import digest
from citectx.types import Floats, Ints, Parameters, Span, merge

CHARACTERS = ("c-P", "c-R", "c-F")
WEIGHTED = ("wc-P", "wc-R", "wc-F")
ROUGE = {"RG-1": "rouge1", "RG-2": "rouge2", "RG-3": "rouge3"}
METRICS = (*CHARACTERS, "nDCG", *ROUGE, "c-P@1", "c-P@5", *WEIGHTED)
"""Columns of sigir2017 Table 1, then the reading weighted over annotators (naacl2015 Eq. 1)."""


@dataclass(frozen=True)
class Protocol(Parameters):
    """What all methods of a table share; the last four fields are those of `Analyzer`.

    `k` spans are returned for each citance, of at most `max_sentences` sentences; the `depth` best
    count as retrieved before those that overlap are merged (`citectx.language.spans.select`).

    Ambiguity: naacl2015 returns three spans, sigir2017 does not say how many.
    Ambiguity: naacl2015 indexes one to five sentences; sigir2017's documents are reference
    sentences, hence 1.
    """

    k: int = 3
    max_sentences: int = 1
    depth: int = 20
    stem: bool = False
    stop_words: StopWords = "english"
    split_hyphens: bool = True
    numbers: bool = False

    allowed: ClassVar = dict.fromkeys(["k", "max_sentences", "depth"], "[1, inf)")

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of articles and citances."""
        return Analyzer(self.stem, self.stop_words, self.split_hyphens, self.numbers)


DEFAULT = Protocol()


class Prepared:
    """A topic made ready: candidates, index, and a query for each of some citances."""

    def __init__(
        self,
        topic: Topic,
        citances: Sequence[Citance],
        splitter: SentenceSplitter,
        protocol: Protocol,
    ) -> None:
        self.topic, self.citances, self.protocol = topic, citances, protocol
        analyzer = protocol.analyzer
        sentences = splitter.sentences(topic.reference)
        self.candidates = Candidates.of(sentences, protocol.max_sentences)
        self.index = SpanIndex(self.candidates, analyzer)
        self.queries = [Query.of_citance(c, analyzer) for c in citances]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for all citances, shape (citances, spans)."""
        return model.fit(self.index).score(self.queries)

    def retrieve(self, scores: Floats, k: int) -> list[Span]:
        """Return the k spans returned for one citance, best first."""
        chosen = select(self.candidates, scores, k, self.protocol.depth)
        return self.candidates.spans(chosen)

    def measure(self, scores: Floats, metrics: Sequence[str] = METRICS) -> Iterator[dict[str, Any]]:
        """Measure scores, shape (citances, spans): topic, citance and `metrics`, in percent."""
        k = max(self.protocol.k, 5)  # c-P@5 looks at five spans
        # (citances, k), best first; -1 where fewer are left after merging
        chosen = select_by_row(self.candidates, scores, k, self.protocol.depth)
        # relevance by rank, (citances, spans)
        gains = np.take_along_axis(self.relevant, best_first(scores), axis=1)
        for i, which in enumerate(chosen):
            spans = self.candidates.spans(which[which >= 0])
            yield self.measures(i, spans, gains[i], metrics)

    def measures(self, i: int, spans: Spans, gains: Ints, metrics: Sequence[str]) -> dict[str, Any]:
        """Measure what any system ranks for citance i, in percent.

        `spans` are at least the first max(k, 5), best first; `gains` the relevance of all that it
        ranks, best first. ROUGE, by far the slowest, is computed only if a metric asks for it.
        """
        gold = self.citances[i].gold
        returned = spans[: self.protocol.k]
        # A ranking that cuts the article finer may hold more relevant spans than there are here.
        ideal = max(self.relevant[i], gains, key=np.sum)
        overlaps = union_scores(returned, gold) + weighted_scores(returned, gold)
        values = dict(zip(CHARACTERS + WEIGHTED, overlaps, strict=True))
        values["nDCG"] = ndcg(gains, ideal)
        values |= {f"c-P@{k}": precision_at(spans, gold, k) for k in (1, 5)}
        if not ROUGE.keys().isdisjoint(metrics):
            article = self.topic.reference.text
            sides = returned, *gold.values()
            ours, *theirs = ["\n".join(article[a:b] for a, b in spans) for spans in sides]
            content = rouge(ours, theirs)
            values |= {name: content[kind].f1 for name, kind in ROUGE.items()}
        ids = {"topic": self.topic.topic_id, "citance": self.citances[i].citance_id}
        return ids | {name: 100 * value for name, value in values.items()}

    def objective(self, model: RetrievalModel) -> Floats:
        """Return character F for each citance, as a fraction: what tuning maximises.

        This is the ``c-F`` of `measure`, for all citances at once and without the other metrics.
        """
        scores = self.scores(model)
        chosen = select_by_row(self.candidates, scores, self.protocol.k, self.protocol.depth)
        is_span = chosen[..., None] >= 0  # fewer than k may be left after merging
        chars = np.where(is_span, self.candidates.chars[chosen], 0)  # (citances, k, 2)
        return union_f1_by_row(cut_overlaps(chars), self.marked)

    @cached_property
    def relevant(self) -> Ints:
        """1 where a candidate holds a marked character, else 0, shape (citances, spans)."""
        chars = self.candidates.chars
        return np.array([relevance(chars, citance.gold) for citance in self.citances])

    @cached_property
    def marked(self) -> Ints:
        """The stretches of text that any annotator marked, shape (citances, stretches, 2).

        They do not overlap. Empty ones, (0, 0), fill up the rows of citances with fewer.
        """
        stretches = [merge(chain(*citance.gold.values())) for citance in self.citances]
        by_place = zip_longest(*stretches, fillvalue=(0, 0))
        return np.array([*by_place]).swapaxes(0, 1)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that scores depend on beside the model."""
        topic = self.topic
        chars = self.candidates.chars.tolist()
        return digest((topic.topic_id, topic.reference, chars, self.citances, self.protocol))


def by_citance(
    topics: Sequence[Prepared], rows: Iterable[tuple[str, Iterable[Floats]]]
) -> Iterator[tuple[str, Prepared, Citance, Floats]]:
    """Yield the row, the topic, the citance and its scores, (spans,), for one after the other."""
    for row, scores in rows:
        for topic, of_topic in zip(topics, scores, strict=True):
            for citance, of_citance in zip(topic.citances, of_topic, strict=True):
                yield row, topic, citance, of_citance


def measure_rows(
    topics: Sequence[Prepared],
    rows: Mapping[str, Iterable[Floats]],
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Measure rows of a table by their scores for each topic: columns `KEYS` and metrics."""
    measures = [
        {"method": method, **values}
        for method, scores in rows.items()
        for topic, of_topic in zip(topics, scores, strict=True)
        for values in topic.measure(of_topic, metrics)
    ]
    return pd.DataFrame(measures)[[*KEYS, *metrics]]


def splitter_of(corpus: Corpus) -> SentenceSplitter:
    """Train Punkt on a corpus's articles, except those whose sentences the release prescribes."""
    return SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)


def prepare(corpus: Corpus, protocol: Protocol = DEFAULT) -> list[Prepared]:
    """Make the citances of a corpus ready that have evidence to be scored against."""
    splitter = splitter_of(corpus)
    topics: list[Prepared] = []
    for topic in corpus:
        if annotated := [citance for citance in topic.citances if citance.gold]:
            topics.append(Prepared(topic, annotated, splitter, protocol))
    if not topics:
        raise DataError("no citance has annotated evidence", file=corpus.name)
    return topics
