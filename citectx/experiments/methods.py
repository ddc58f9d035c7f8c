"""Which methods apply to a corpus, and with what: embeddings and ontologies differ from field to field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from citectx.corpora.model import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Protocol, prepare, tune
from citectx.retrieval import MODELS, RetrievalModel, model
from citectx.retrieval.reformulation import CONCEPTS

ARCHITECTURES = ("cbow", "skip-gram")
"""Ambiguity: sigir2017 trained word2vec without saying in which architecture. Both are trained, and
cross-validation chooses between them as it does for any other parameter."""


@dataclass(frozen=True)
class Means:
    """What there is for the field of a corpus.

    Parameters
    ----------
    domain : str
        Its field: what the embedding and the list of idf are called that were made of its texts.
    vocabulary : tuple of str
        The ontologies of sigir2017; empty if there are none.
    concepts : tuple of str
        What stands in for the ontologies of naacl2015, likewise.
    kinds : tuple of str
        Endings of the embeddings' names: architectures, or "small" for the vectors in the repository.
    """

    domain: str
    vocabulary: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ARCHITECTURES


MEANS = {
    "teaching": Means("biomedical", ("teaching",), ("teaching",), ("small",)),
    "citation-integrity": Means("biomedical", ("mesh", "pro"), CONCEPTS),
    "scisumm-train": Means("computational-linguistics"),
    "scisumm-gold": Means("computational-linguistics"),
    "scisummnet": Means("computational-linguistics"),
    "tac2014": Means("biomedical", ("mesh", "pro"), CONCEPTS),
}


def means_of(corpus: str) -> Means:
    """Give what there is for a corpus; one that is not listed counts as biomedical, like the papers' own."""
    return MEANS.get(corpus, MEANS["tac2014"])


def applicable(corpus: str, methods: Sequence[str] = tuple(MODELS)) -> list[str]:
    """Keep the methods that make sense on a corpus.

    WE_Bio is the row of biomedical corpora, WE_Dom that of others; ontologies are needed for +rtrft and +dmn.

    >>> applicable("scisumm-train", ["LMD", "WE_Wiki", "WE_Bio", "WE_Bio+dmn", "WE_Dom"])
    ['LMD', 'WE_Wiki', 'WE_Dom']
    """
    means = means_of(corpus)
    other = "WE_Dom" if means.domain == "biomedical" else "WE_Bio"
    return [
        name
        for name in methods
        if name.partition("+")[0] != other and (means.vocabulary or not model(name).needs_vocabulary)
    ]


def variants(method: str, corpus: str) -> list[RetrievalModel]:
    """Build all variants of a method among which cross-validation chooses on a corpus.

    Raises
    ------
    ParameterError
        For an unknown method, or one that does not apply to the corpus.
    """
    cls, means = model(method), means_of(corpus)
    if method not in applicable(corpus, [method]):
        raise ParameterError(f"{method} does not apply to {corpus}: see citectx.experiments.methods")
    given: dict[str, Sequence[object]] = {}
    if cls.trained_on:
        stem = means.domain if cls.trained_on == "domain" else cls.trained_on
        given["vectors"] = [f"{stem}-{kind}" for kind in means.kinds]
    parameters = {f.name for f in fields(cls)}
    for name in ("domain", "vocabulary", "concepts"):
        if name in parameters:
            given[name] = [getattr(means, name)]
    return list(cls.variants(**given))


@dataclass(frozen=True)
class Chosen:
    """The variants of a method that a corpus chose.

    Parameters
    ----------
    by_topic : mapping of str to RetrievalModel
        For each topic, what was best on the topics of the other folds.
    best : RetrievalModel
        What was best on all topics: for topics of another corpus.
    """

    by_topic: Mapping[str, RetrievalModel]
    best: RetrievalModel

    def of(self, topic_id: str) -> RetrievalModel:
        """Give the variant for a topic."""
        return self.by_topic.get(topic_id, self.best)


def choose(source: Corpus, methods: Sequence[str], protocol: Protocol, folds: int) -> dict[str, Chosen]:
    """Choose the parameters of methods on a corpus, as Table 1 of sigir2017 does.

    Parameters
    ----------
    source : Corpus
        With annotated evidence.
    methods : sequence of str
    protocol : Protocol
    folds : int
        Of the cross-validation over topics.
    """
    topics = prepare(source, protocol)
    chosen = {}
    for name in methods:
        tuned = tune(topics, variants(name, source.name), folds)
        # Copies, which do not carry the index they were fitted on from process to process.
        by_topic = {t.topic.topic_id: replace(m) for t, m in zip(topics, tuned.chosen, strict=True)}
        chosen[name] = Chosen(by_topic, replace(tuned.best))
    return chosen
