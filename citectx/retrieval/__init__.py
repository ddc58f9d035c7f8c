"""Retrieval models: one file for each family, one line each in `MODELS`."""

from citectx.errors import look_up
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
    "model",
]
