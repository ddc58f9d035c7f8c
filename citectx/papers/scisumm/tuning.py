"""Choosing a method's parameters for CL-SciSumm's Task 1a on the training topics alone."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError
from citectx.experiments.tuning import variants
from citectx.language.spans import Candidates, best_first
from citectx.language.text import Analyzer, SentenceSplitter, StopWords
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.retrieval.field import FieldKnowledge, Informed
from citectx.types import Floats

INFORMED = {"+rarity": (0.0,), "+field": (0.5, 0.75, 1.0, 1.5)}
"""Endings of methods that know the field (see `citectx.retrieval.field`), with the weights of place to choose
among. With ``+rarity`` a method learns how rare words are, but nothing from annotations."""

METHODS = tuple(f"{name}{ending}" for ending in ("", *INFORMED) for name in ("VSM", "BM25", "DFR", "LMD"))
"""Methods without embeddings. Others work by their names in the tables, too, where their vectors are."""

MOST = 5
"""Sentences returned at most: the task allows no more."""
STOP_WORDS: tuple[StopWords, ...] = ("english", "function")
ANALYZERS = tuple(Analyzer(stem, stop) for stem, stop in product((False, True), STOP_WORDS))


class Ready:
    """A topic made ready: each sentence is a candidate, each citance a query.

    Parameters
    ----------
    topic : Topic
    analyzer : Analyzer
    citances : sequence of Citance
        Those of the topic that are asked for.
    """

    def __init__(self, topic: Topic, analyzer: Analyzer, citances: Sequence[Citance]) -> None:
        self.topic, self.citances = topic, citances
        self.candidates = Candidates.of(SentenceSplitter().sentences(topic.reference), max_sentences=1)
        self.index = SpanIndex(self.candidates, analyzer)
        self.queries = [Query.of_citance(citance, analyzer) for citance in citances]

    @cached_property
    def gold(self) -> list[set[tuple[int, int]]]:
        """Sentences that each citance is about; those that are no candidate (a title) are among them."""
        return [{span for spans in c.gold.values() for span in spans} for c in self.citances]

    @cached_property
    def hits(self) -> NDArray[np.bool_]:
        """Which candidates they are, shape (citances, sentences)."""
        spans = self.candidates.sentences.spans
        return np.array([[span in wanted for span in spans] for wanted in self.gold]).reshape(-1, len(spans))

    def right(self, scores: Floats) -> NDArray[np.int64]:
        """Count the right ones among the first 1, 2 … `MOST` sentences of all citances."""
        found = np.zeros(MOST, dtype=np.int64)
        for row, marks in zip(scores, self.hits, strict=True):
            found[: len(row)] += marks[best_first(row, MOST)]
        return found.cumsum()

    def returned(self) -> NDArray[np.int64]:
        """Count the sentences returned to all citances if 1, 2 … `MOST` are asked for."""
        return len(self.citances) * np.minimum(np.arange(1, MOST + 1), len(self.candidates))


@dataclass(frozen=True)
class Choice:
    """A method with its parameters.

    Parameters
    ----------
    method : str
    analyzer : Analyzer
    model : RetrievalModel
    k : int
        Sentences returned for each citance.
    training : float
        F of exact sentences on the training topics, counts summed over citances. What is learnt of a field
        comes from other topics than those scored, but the parameters are those with the highest such F, so
        it flatters a little.
    topics : int
        Training topics that this was chosen on.
    """

    method: str
    analyzer: Analyzer
    model: RetrievalModel
    k: int
    training: float
    topics: int

    def params(self) -> dict[str, Any]:
        """Everything that was chosen."""
        return {"k": self.k, **asdict(self.analyzer), **self.model.params()}

    def sentences(self, topic: Topic) -> list[list[str]]:
        """Return the ids of the sentences returned for each citance of a topic, in reading order."""
        ready = Ready(topic, self.analyzer, topic.citances)
        ids = {span: sid for sid, span in topic.reference.sentence_spans.items()}
        names = [ids[span] for span in ready.candidates.sentences.spans]
        scores = self.model.fit(ready.index).score(ready.queries)
        return [[names[i] for i in sorted(best_first(row, self.k))] for row in scores]


class Training:
    """The training topics, made ready once for all methods.

    Parameters
    ----------
    corpus : Corpus
        Citances without evidence are left out.
    folds : int
        Topics are dealt out to so many folds in turn; what a method learns comes from the other folds.
    analyzers : iterable of Analyzer
        Those to choose among.

    Raises
    ------
    DataError
        If fewer than two topics have evidence.
    """

    def __init__(self, corpus: Corpus, folds: int = 10, analyzers: Iterable[Analyzer] = ANALYZERS) -> None:
        annotated = [(t, [c for c in t.citances if c.gold]) for t in corpus]
        annotated = [(topic, citances) for topic, citances in annotated if citances]
        if len(annotated) < 2:
            raise DataError("tuning needs two topics with evidence", file=corpus.name)
        self.ready = {a: [Ready(topic, a, citances) for topic, citances in annotated] for a in analyzers}
        self.folds = [range(i, len(annotated), folds) for i in range(min(folds, len(annotated)))]

    def tune(self, method: str) -> Choice:
        """Choose what has the highest F of exact sentences; among equals the first.

        Raises
        ------
        ParameterError
            For an unknown method.
        MissingDataError
            If its vectors are not on this machine.
        """
        best: tuple[float, Analyzer, int, int] | None = None
        for analyzer, topics in self.ready.items():
            scores = self._scores(method, topics)
            variant, k = (int(i) for i in np.unravel_index(np.argmax(scores), scores.shape))
            if best is None or scores[variant, k] > best[0]:
                best = float(scores[variant, k]), analyzer, variant, k + 1
        assert best is not None
        score, analyzer, variant, k = best
        model = _models(method, _learn(self.ready[analyzer]))[variant]
        return Choice(method, analyzer, model, k, score, len(self.ready[analyzer]))

    def _scores(self, method: str, topics: Sequence[Ready]) -> Floats:
        """Score all variants for 1, 2 … `MOST` sentences, shape (variants, MOST)."""
        right: dict[int, NDArray[np.int64]] = {}  # by variant
        for fold in self.folds:
            knowledge = _learn([t for i, t in enumerate(topics) if i not in fold])
            for variant, model in enumerate(_models(method, knowledge)):
                for topic in (topics[i] for i in fold):
                    found = topic.right(model.fit(topic.index).score(topic.queries))
                    right[variant] = right.get(variant, 0) + found
        returned = sum(topic.returned() for topic in topics)
        wanted = sum(len(spans) for topic in topics for spans in topic.gold)
        # Rounded, so that the last bit does not decide between variants that tie.
        return (2 * np.array(list(right.values())) / (returned + wanted)).round(9)


def _learn(topics: Sequence[Ready]) -> FieldKnowledge:
    return FieldKnowledge.learn([t.index for t in topics], [t.hits for t in topics])


def _models(method: str, knowledge: FieldKnowledge) -> list[RetrievalModel]:
    """Build the variants of a method, with or without knowledge of the field."""
    bases, positions = bases_of(method)
    if not positions:
        return bases
    return [Informed(base, knowledge, position) for base in bases for position in positions]


def bases_of(method: str) -> tuple[list[RetrievalModel], tuple[float, ...]]:
    """Take a method's name apart: the variants of its model, and weights of place if it knows the field.

    >>> len(bases_of("LMD+field")[0]), bases_of("LMD+rarity")[1], bases_of("LMD")[1]
    (9, (0.0,), ())

    Raises
    ------
    ParameterError
        For an unknown method.
    """
    ending = next((known for known in INFORMED if method.endswith(known)), "")
    return variants(method.removesuffix(ending), "scisumm-train"), INFORMED.get(ending, ())
