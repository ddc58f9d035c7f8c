"""Tuning: which variants of a method apply to a corpus, and which of them cross-validation chooses.

The score of each variant on each topic is computed once, then kept on disk: several notebooks and
the viewer choose among the same variants on the same topics. Kept scores are used only if
everything they depend on is unchanged: code, data, libraries, topics and how they were prepared,
variants, and the vectors that these read (`citectx.retrieval.RetrievalModel.fingerprint`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.cache import cached
from citectx.corpora.model import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import METRICS, Prepared, Protocol, prepare
from citectx.profiles import resources_of
from citectx.retrieval import MODELS, RetrievalModel, model
from citectx.types import Floats


def applicable(corpus: str, methods: Sequence[str] = tuple(MODELS)) -> list[str]:
    """Keep the methods that make sense on a corpus.

    WE_Bio is the row of biomedical corpora, WE_Dom that of others; +rtrft and +dmn need an
    ontology.

    >>> applicable("scisumm-train", ["LMD", "WE_Wiki", "WE_Bio", "WE_Bio+dmn", "WE_Dom"])
    ['LMD', 'WE_Wiki', 'WE_Dom']
    """
    resources = resources_of(corpus)
    other = "WE_Dom" if resources.domain == "biomedical" else "WE_Bio"
    own = [name for name in methods if name.partition("+")[0] != other]
    return [name for name in own if resources.vocabulary or not model(name).needs_vocabulary]


def variants(method: str, corpus: str, **given: Sequence[Any]) -> list[RetrievalModel]:
    """Build all variants of a method among which cross-validation chooses on a corpus.

    Parameters
    ----------
    method, corpus : str
    **given : sequence
        Further parameters with the values to try, or other values than the grid's.

    Raises
    ------
    ParameterError
        For an unknown method, or one that does not apply to the corpus.
    """
    cls, resources = model(method), resources_of(corpus)
    if method not in applicable(corpus, [method]):
        raise ParameterError(f"{method} does not apply to {corpus}: see citectx.experiments.tuning")
    own: dict[str, Sequence[Any]] = {}
    if cls.trained_on:
        text = resources.domain if cls.trained_on == "domain" else cls.trained_on
        own["vectors"] = [f"{text}-{resources.kinds[0]}"]
    for name in ("domain", "vocabulary", "concepts"):
        if name in cls.__dataclass_fields__:
            own[name] = [getattr(resources, name)]
    return list(cls.variants(**(own | given)))


def folds_of(units: Sequence[object], folds: int) -> list[list[int]]:
    """Assign topics to folds round-robin; with fewer topics than folds, each topic is a fold.

    >>> folds_of("abcde", folds=2)
    [[0, 2, 4], [1, 3]]
    """
    if folds < 2 or len(units) < 2:
        raise ParameterError(f"tuning needs two folds and two topics, not {folds} and {len(units)}")
    topics = range(len(units))
    count = min(folds, len(units))
    return [[*topics[i::count]] for i in range(count)]


def best_variant(sums: Floats, counts: Floats) -> int:
    """Return the variant with the highest mean; among equals the first.

    Means are rounded to nine digits, so that the last bit of a sum does not decide between variants
    that tie.

    Parameters
    ----------
    sums : float array, shape (variants, topics)
        What is maximised, summed over each topic.
    counts : float array, shape (topics,)
        What the sums are divided by: a topic's number of citances, as a rule.

    Examples
    --------
    >>> best_variant(np.array([[1.0, 9.0], [4.0, 5.0]]), np.array([1, 10]))
    0
    """
    means = sums.sum(axis=1) / counts.sum()
    return int(np.argmax(means.round(9)))


def cross_validated(sums: Floats, counts: Floats, folds: int) -> list[int]:
    """Choose for each topic the `best_variant` on the topics of the other folds.

    >>> cross_validated(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 1]), folds=2)
    [1, 0]
    """
    chosen = np.zeros(len(counts), dtype=np.int64)
    for held_out in folds_of(range(len(counts)), folds):
        others = np.delete(np.arange(len(counts)), held_out)
        chosen[held_out] = best_variant(sums[:, others], counts[others])
    return chosen.tolist()


@dataclass(frozen=True)
class Tuned:
    """The variants of a method, and how they do on each topic.

    Parameters
    ----------
    topics : sequence of str
        Ids.
    variants : sequence of RetrievalModel
    sums : float array, shape (variants, topics)
        Character F, summed over the citances of each topic.
    sizes : float array, shape (topics,)
        Citances of each topic.
    folds : int
    """

    topics: Sequence[str]
    variants: Sequence[RetrievalModel]
    sums: Floats
    sizes: Floats
    folds: int

    @cached_property
    def chosen(self) -> list[RetrievalModel]:
        """For each topic, the variant that was best on the other folds."""
        best = cross_validated(self.sums, self.sizes, self.folds)
        return [self.variants[i] for i in best]

    def of(self, topic: str) -> RetrievalModel:
        """Return the variant for a topic; for one of another corpus, the best on all topics."""
        if topic in self.topics:
            return self.chosen[self.topics.index(topic)]
        return self.variants[best_variant(self.sums, self.sizes)]

    def counts(self) -> dict[str, dict[Any, int]]:
        """For each parameter, how many topics got which value."""
        chosen = pd.DataFrame([model.params() for model in self.chosen]).astype(str)
        found = {}
        for name, values in chosen.items():
            found[str(name)] = values.value_counts().sort_index().to_dict()
        return found


def tune(topics: Sequence[Prepared], variants: Sequence[RetrievalModel], folds: int) -> Tuned:
    """Choose parameters by cross-validation over topics, never on the topic that is scored.

    What is maximised is the mean character F over all citances of the other folds.

    Raises
    ------
    ParameterError
        If there are too few topics or folds.
    """
    folds_of(topics, folds)  # fails before anything is computed
    names = [t.topic.topic_id for t in topics]
    sizes = np.array([len(t.citances) for t in topics])
    return Tuned(names, variants, sums_of(topics, variants), sizes, folds)


def choose(
    source: Corpus, methods: Sequence[str], protocol: Protocol, folds: int
) -> dict[str, Tuned]:
    """Tune methods on a corpus with annotated evidence, as Table 1 of sigir2017 does."""
    topics = prepare(source, protocol)
    tuned: dict[str, Tuned] = {}
    for name in methods:
        tuned[name] = tune(topics, variants(name, source.name), folds)
    return tuned


def tuned_scores(
    topics: Sequence[Prepared],
    methods: Mapping[str, Sequence[RetrievalModel]],
    folds: int,
    metrics: Sequence[str] = METRICS,
    *,
    progress: bool = False,
) -> tuple[dict[str, Tuned], pd.DataFrame]:
    """Tune methods, given by their variants, and measure each topic with what was chosen for it.

    Returns
    -------
    dict of str to Tuned
    DataFrame
        Columns topic, citance, method and the metrics.
    """
    tuned, frames = {}, []
    for name, candidates in tqdm(methods.items(), disable=not progress, unit="method"):
        tuned[name] = tune(topics, candidates, folds)
        frames.append(measured(topics, name, tuned[name].chosen, metrics))
    return tuned, pd.concat(frames, ignore_index=True)


def measured(
    topics: Sequence[Prepared],
    method: str,
    models: Sequence[RetrievalModel],
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Measure a method with a model for each topic: columns topic, citance, method, metrics."""
    frames = [t.measure(model, metrics) for t, model in zip(topics, models, strict=True)]
    frame = pd.concat(frames, ignore_index=True)
    frame.insert(2, "method", method)
    return frame


def chosen(tuned: Mapping[str, Tuned]) -> dict[str, dict[str, Any]]:
    """Report for the ``params`` of each method how many topics got which value."""
    return {name: {"chosen": choice.counts()} for name, choice in tuned.items()}


def sums_of(topics: Sequence[Prepared], variants: Sequence[RetrievalModel]) -> Floats:
    """Add up character F over the citances of each topic, for each variant.

    Returns
    -------
    float array, shape (variants, topics)
    """

    def compute() -> dict[str, Any]:
        return {"sums": [[topic.objective(v).sum() for topic in topics] for v in variants]}

    described = [variant.fingerprint() for variant in variants]
    if None in described:  # of a reader's own model it is not known what its scores depend on
        return np.array(compute()["sums"])
    key = [topic.fingerprint for topic in topics], described
    return cached("tuning", __name__, key, compute)["sums"]
