"""Okapi BM25."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.errors import unknown
from citectx.retrieval.base import SparseModel
from citectx.retrieval.index import SpanIndex
from citectx.types import Floats

IDF: dict[str, Callable[[Floats, int], Floats]] = {
    "lucene": lambda df, n: np.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda df, n: np.maximum(np.log((n - df + 0.5) / (df + 0.5)), 0.0),
}
"""idf from document frequency and number of documents; ``robertson`` is cut at zero, for a term that most
spans hold would else count against them."""


@dataclass
class BM25(SparseModel):
    """Sum over query terms of idf(w) · f(w,d) / (f(w,d) + k1·(1 − b + b·|d|/avgdl)).

    Source: naacl2015 §2.2 (Robertson & Zaragoza 2009), the row "BM25" of sigir2017 Table 1.
    The constant factor k1 + 1 is left out: it changes no ranking. Query weights multiply (k3 → ∞).
    Ambiguity: the papers give neither k1, b nor the idf.

    Parameters
    ----------
    k1 : float
        Saturation of term frequency, at least 0.
    b : float
        Length normalisation, in [0, 1].
    idf : {"lucene", "robertson"}

    Raises
    ------
    ParameterError
        If a parameter is out of its range or `idf` unknown.
    """

    k1: float = 1.2
    b: float = 0.75
    idf: str = "lucene"

    grid: ClassVar = {"k1": (0.1, 0.2, 0.4, 0.8, 1.2, 2.0), "b": (0.0, 0.25, 0.5, 0.75, 1.0)}

    def __post_init__(self) -> None:
        self._check("k1", 0)
        self._check("b", 0, 1)
        if self.idf not in IDF:
            raise unknown("idf", self.idf, IDF)

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        frequency = index.postings.data
        norm = self.k1 * (1 - self.b + self.b * index.lengths / index.lengths.mean())
        idf = IDF[self.idf](index.document_frequency, index.shape[1])
        saturated = frequency / (frequency + norm[index.span_of_entry])
        return index.reweighted(idf[index.term_of_entry] * saturated)
