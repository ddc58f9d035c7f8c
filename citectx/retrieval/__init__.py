"""Retrieval models: one file for each family, one line each in `MODELS`."""

from collections.abc import Sequence
from typing import Any

from citectx.catalogue import resources_of
from citectx.errors import ParameterError, look_up
from citectx.retrieval.base import Query, RetrievalModel, SpanIndex
from citectx.retrieval.dense import BM25Dense, Dense
from citectx.retrieval.embedding_lm import DESM, EmbeddingLM, WEBioInterpolated, WEBioRetrofitted
from citectx.retrieval.lexical import BM25, DFR, LMD, LMDLDA, VSM, AbstractBM25, NoQuery, Rocchio
from citectx.retrieval.reformulation import QR

MODELS: dict[str, type[RetrievalModel]] = {
    "VSM": VSM,
    "BM25": BM25,
    "DFR": DFR,
    "LMD": LMD,
    "DESM": DESM,
    "LMD-LDA": LMDLDA,
    "QR": QR,
    "WE_Wiki": EmbeddingLM,
    "WE_Bio": EmbeddingLM,
    "WE_Dom": EmbeddingLM,
    "WE_Bio+rtrft": WEBioRetrofitted,
    "WE_Bio+dmn": WEBioInterpolated,
}
"""Every method by the name it has in the tables, in the tables' order."""

OURS: dict[str, type[RetrievalModel]] = {"No query": NoQuery, "BM25+abstract": AbstractBM25}
"""Rows of ours, in no paper: what the place of a span says without or beside its words."""

OPTIONAL: dict[str, type[RetrievalModel]] = {"Dense": Dense, "BM25+Dense": BM25Dense}
"""Methods beyond the papers that need the extra ``dense``: in a table only on request."""

EXTENDS: dict[str, tuple[str, dict[str, object]]] = {
    "LMD-LDA": ("LMD", {"weight": 1.0}),
    "QR": ("VSM", {}),
    "WE_Wiki": ("LMD", {}),
    "WE_Bio": ("LMD", {}),
    "WE_Dom": ("LMD", {}),
    "WE_Bio+rtrft": ("WE_Bio", {}),
    "WE_Bio+dmn": ("WE_Bio", {"weight": 1.0}),
    "BM25+abstract": ("BM25", {"weight": 0.0}),
    "BM25+Dense": ("BM25", {"weight": 0.0}),
}
"""Which method each one extends, and the values of its own parameters that leave just that method.

Tuning has equal freedom: the grid of the extended method is inside that of the one that extends it.
"""


def model(name: str) -> type[RetrievalModel]:
    """Look a model up by its name in the tables."""
    return look_up("method", name, MODELS | OURS | OPTIONAL)


def applicable(corpus: str, methods: Sequence[str] = tuple(MODELS)) -> list[str]:
    """Keep the methods that make sense on a corpus.

    WE_Bio is the row of biomedical corpora, WE_Dom that of others; +rtrft and +dmn need an
    ontology.

    >>> applicable("scisumm-train", ["LMD", "WE_Wiki", "WE_Bio", "WE_Bio+dmn", "WE_Dom"])
    ['LMD', 'WE_Wiki', 'WE_Dom']
    """
    resources = resources_of(corpus)
    other = "WE_Dom" if resources.domain == "biomedical" else "WE_Bio"
    methods = [name for name in methods if name.partition("+")[0] != other]
    if resources.vocabulary:
        return methods
    return [name for name in methods if "vocabulary" not in model(name).__dataclass_fields__]


def variants(method: str, corpus: str, **given: Sequence[Any]) -> list[RetrievalModel]:
    """Build all variants of a method among which cross-validation chooses on a corpus.

    `given` are values that take the place of the method's grid, by the name of the parameter.

    >>> [model.k1 for model in variants("BM25", "teaching", k1=[0.4, 1.2], b=[0.5])]
    [0.4, 1.2]
    """
    cls = model(method)
    resources = resources_of(corpus)
    if method not in applicable(corpus, [method]):
        raise ParameterError(f"{method} does not apply to {corpus}: see citectx.retrieval")
    text = "general" if method == "WE_Wiki" else resources.domain
    listed = vars(resources) | {"vectors": f"{text}-{resources.kinds[0]}"}
    wanted = cls.__dataclass_fields__
    fixed = {name: [value] for name, value in listed.items() if name in wanted}
    return list(cls.variants(**(fixed | given)))


def untuned(method: str, corpus: str) -> RetrievalModel:
    """Build a method with the vectors and lists of a corpus; parameters stay as its class has them.

    >>> untuned("WE_Bio", "teaching").mu
    100.0
    """
    fields = model(method).__dataclass_fields__
    usual = {name: [fields[name].default] for name in model(method).grid}
    (built,) = variants(method, corpus, **usual)
    return built


__all__ = [
    "BM25",
    "DESM",
    "DFR",
    "EXTENDS",
    "LMD",
    "LMDLDA",
    "MODELS",
    "OPTIONAL",
    "OURS",
    "QR",
    "VSM",
    "BM25Dense",
    "Dense",
    "EmbeddingLM",
    "Query",
    "RetrievalModel",
    "Rocchio",
    "SpanIndex",
    "applicable",
    "model",
    "untuned",
    "variants",
]
