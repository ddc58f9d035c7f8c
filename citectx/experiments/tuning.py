"""Tuning: which variant of a method cross-validation chooses for each topic.

The score of each variant on each topic is computed once, then kept on disk (`citectx.cache`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from citectx.cache import cached
from citectx.corpora.model import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.retrieval import RetrievalModel, variants
from citectx.types import Floats


def best_variant(sums: Floats, counts: Floats) -> int:
    """Return the variant with the highest mean; among equals (to nine digits) the first.

    `sums`, shape (variants, topics), are divided by `counts`, shape (topics,), usually of citances.

    >>> best_variant(np.array([[1.0, 9.0], [4.0, 5.0]]), np.array([1, 10]))
    0
    """
    means = sums.sum(axis=1) / counts.sum()
    return int(np.argmax(means.round(9)))


def cross_validated(sums: Floats, counts: Floats, folds: int) -> list[int]:
    """Choose for each topic the `best_variant` on the topics of the other folds.

    Topics are dealt to folds in turn; with fewer topics than folds, each topic is a fold.

    >>> cross_validated(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 1]), folds=2)
    [1, 0]
    """
    folds = min(folds, len(counts))
    if folds < 2:
        raise ParameterError("tuning needs two folds and two topics")
    fold_of = np.arange(len(counts)) % folds
    others = [fold_of != fold for fold in fold_of]  # for each topic those of the other folds
    return [best_variant(sums[:, rest], counts[rest]) for rest in others]


@dataclass(frozen=True)
class Tuned:
    """What tuning chose: for each topic the best on the other folds, and the best on all topics."""

    chosen: Mapping[str, RetrievalModel]
    best: RetrievalModel

    def of(self, topic: str) -> RetrievalModel:
        """Return the variant for a topic; for one of another corpus, the best on all topics."""
        return self.chosen.get(topic, self.best)

    def scores(self, topics: Iterable[Prepared]) -> list[Floats]:
        """Score the candidates of each topic by its variant, shape (citances, spans) each."""
        return [topic.scores(self.of(topic.topic.topic_id)) for topic in topics]

    def counts(self) -> dict[str, dict[Any, int]]:
        """Count for each parameter how many topics got which value."""
        params = [model.params() for model in self.chosen.values()]
        columns = pd.DataFrame(params).astype(str).items()
        return {str(name): values.value_counts().sort_index().to_dict() for name, values in columns}


def tune(topics: Sequence[Prepared], variants: Sequence[RetrievalModel], folds: int) -> Tuned:
    """Choose parameters by cross-validation over topics, never on the topic that is scored.

    What is maximised is the mean character F over all citances of the other folds.
    """
    sizes = np.array([len(t.citances) for t in topics])
    sums = sums_of(topics, variants)  # (variants, topics)
    places = zip(topics, cross_validated(sums, sizes, folds), strict=True)
    chosen = {topic.topic.topic_id: variants[i] for topic, i in places}
    return Tuned(chosen, variants[best_variant(sums, sizes)])


def chosen_by(tuned: Mapping[str, Tuned]) -> dict[str, dict[str, Any]]:
    """Say what was chosen for each row, as tables name it."""
    return {row: {"chosen": choice.counts()} for row, choice in tuned.items()}


def tune_methods(
    topics: Sequence[Prepared], methods: Sequence[str], folds: int, corpus: str, **given: Any
) -> dict[str, Tuned]:
    """Tune methods with the vectors and lists of a corpus; ``given`` are for `variants`."""
    return {name: tune(topics, variants(name, corpus, **given), folds) for name in methods}


def choose(
    source: Corpus,
    methods: Sequence[str],
    protocol: Protocol,
    folds: int,
    like: str = "",
    **given: Sequence[Any],
) -> dict[str, Tuned]:
    """Tune methods on a corpus with annotated evidence, as Table 1 of sigir2017 does.

    Vectors and lists are those of the corpus that ``like`` names, by default the source itself:
    what is scored elsewhere must not be tuned with vectors that have read it. ``given`` are for
    `variants`.
    """
    return tune_methods(prepare(source, protocol), methods, folds, like or source.name, **given)


def sums_of(topics: Sequence[Prepared], variants: Sequence[RetrievalModel]) -> Floats:
    """Add up character F over the citances of each topic, shape (variants, topics).

    Kept unless a variant is a reader's own, of which nobody knows what its scores depend on.
    """
    # Lazy, so that nothing is scored if the cache has it.
    sums = ([topic.objective(variant).sum() for topic in topics] for variant in variants)
    described = [variant.fingerprint() for variant in variants]
    if None in described:
        return np.array([*sums])
    key = [topic.fingerprint for topic in topics], described
    return cached("tuning", __name__, key, lambda: {"sums": [*sums]})["sums"]
