"""What every retrieval model is: parameters, `fit` on an index, `score` for queries."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from citectx.errors import CitectxError, ParameterError
from citectx.retrieval.index import Query, SpanIndex
from citectx.spans import Floats


@dataclass
class RetrievalModel(ABC):
    """A retrieval model; its dataclass fields are its parameters.

    A new method is a subclass with `grid`, `_fit` and `score`, and one line in
    `citectx.retrieval.MODELS`; it then appears in every table.

    Attributes
    ----------
    grid : mapping of str to tuple
        Values among which cross-validation chooses; the defaults stand for parameters left out.
    """

    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    def fit(self, index: SpanIndex) -> Self:
        """Prepare for the spans of one article; returns itself."""
        self._index = index
        self._fit(index)
        return self

    @property
    def index(self) -> SpanIndex:
        """The index fitted last."""
        if not hasattr(self, "_index"):
            raise CitectxError(f"{type(self).__name__} is not fitted: call fit(index) first")
        return self._index

    @abstractmethod
    def _fit(self, index: SpanIndex) -> None: ...

    @abstractmethod
    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans); higher is better."""

    def params(self) -> dict[str, Any]:
        """Give the parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def variants(cls) -> Iterator[Self]:
        """Build the model once for each point of its grid."""
        for values in product(*cls.grid.values()):
            yield cls(**dict(zip(cls.grid, values, strict=True)))

    def _check(self, name: str, low: float, high: float = np.inf, *, open_low: bool = False) -> None:
        value = getattr(self, name)
        if not (low < value if open_low else low <= value) or not value <= high:
            allowed = f"{'(' if open_low else '['}{low}, {high}]"
            raise ParameterError(f"{type(self).__name__}: {name}={value!r} is outside {allowed}")


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
