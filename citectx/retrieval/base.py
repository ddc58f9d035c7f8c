"""What every retrieval model is: parameters, `fit` on an index, `score` for queries."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal, Self

import scipy.sparse as sp

from citectx.embeddings import fingerprint_of
from citectx.errors import CitectxError
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats, Parameters


@dataclass
class RetrievalModel(Parameters, ABC):
    """A retrieval model; its dataclass fields are its parameters.

    A new method is a subclass with `grid`, `_fit` and `score`, and one line in
    `citectx.retrieval.MODELS`; it then appears in every table. `allowed` says which values are valid.

    Attributes
    ----------
    grid : mapping of str to tuple
        Values among which cross-validation chooses; a parameter left out keeps its default.
    trained_on : str
        Kind of text that its embedding (parameter ``vectors``) wants: "general", that of the corpus's
        "domain", or "" for a model without one.
    needs_vocabulary : bool
        Whether it wants an ontology of the corpus's domain (parameter ``vocabulary``).
    """

    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    trained_on: ClassVar[Literal["", "general", "domain"]] = ""
    needs_vocabulary: ClassVar[bool] = False

    def fit(self, index: SpanIndex) -> Self:
        """Return a copy that is ready to score the spans of one article; the model itself stays as it is."""
        return copy(self)._fit_in_place(index)

    def _fit_in_place(self, index: SpanIndex) -> Self:
        self._index = index
        self._fit(index)
        return self

    @property
    def index(self) -> SpanIndex:
        """The index that it was fitted to."""
        if not hasattr(self, "_index"):
            raise CitectxError(f"{type(self).__name__} is not fitted: call fit(index) first")
        return self._index

    @abstractmethod
    def _fit(self, index: SpanIndex) -> None: ...

    @abstractmethod
    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans); higher is better."""

    def fingerprint(self) -> str | None:
        """Describe what its scores depend on besides the index, or return None if that is unknown.

        It is unknown for classes outside this package: their code may change from call to call.
        """
        if not type(self).__module__.startswith("citectx."):
            return None
        params = self.params()
        vectors = fingerprint_of(params["vectors"]) if "vectors" in params else ""
        return f"{type(self).__qualname__} {params} {vectors}"

    @classmethod
    def variants(cls, **given: Sequence[Any]) -> Iterator[Self]:
        """Build the model once for each point of its grid.

        Parameters
        ----------
        **given : sequence
            Further parameters with the values to try, or other values than the grid's.
        """
        grid = {**given, **{name: values for name, values in cls.grid.items() if name not in given}}
        for values in product(*grid.values()):
            yield cls(**dict(zip(grid, values, strict=True)))


class SparseModel(RetrievalModel):
    """A model whose score is a sum over matching terms of query weight × span weight."""

    def _fit(self, index: SpanIndex) -> None:
        self.weights = self._weights(index)

    @abstractmethod
    def _weights(self, index: SpanIndex) -> sp.csr_array:
        """Weight of each term in each span, shape (terms, spans)."""

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans); higher is better."""
        scores: Floats = (self.index.query_matrix(queries) @ self.weights).toarray()
        return scores
