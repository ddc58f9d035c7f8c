"""Vector space model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.errors import unknown
from citectx.retrieval.base import SparseModel
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats

TERM_FREQUENCY: dict[str, Callable[[Floats], Floats]] = {
    "raw": lambda f: f,
    "log": lambda f: 1 + np.log(f),
    "sqrt": np.sqrt,
}
"""tf as a function of a term's count in a span."""


def idf(index: SpanIndex) -> Floats:
    """1 + ln(N / (df + 1)), N spans, df of them with the term."""
    return 1 + np.log(index.shape[1] / (index.document_frequency + 1))


@dataclass
class VSM(SparseModel):
    """Cosine of tf·idf vectors.

    score(q, d) = Σ_w q_w·d_w / (|q|·|d|),  q_w = f(w,q)·idf(w),  d_w = tf(f(w,d))·idf(w)

    Source: naacl2015 §2.2 (Salton et al. 1975), the row "VSM" of sigir2017 Table 1.
    Ambiguity: neither paper gives the weighting. We take cosine normalisation and let cross-validation choose
    among three common tf; idf is the one that Lucene used in its vector space model.

    Parameters
    ----------
    tf : {"raw", "log", "sqrt"}

    Raises
    ------
    ParameterError
        If `tf` is unknown.
    """

    tf: str = "log"

    grid: ClassVar = {"tf": ("raw", "log", "sqrt")}

    def __post_init__(self) -> None:
        if self.tf not in TERM_FREQUENCY:
            raise unknown("tf", self.tf, TERM_FREQUENCY)

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        self.idf = idf(index)
        data = TERM_FREQUENCY[self.tf](index.postings.data) * self.idf[index.term_of_entry]
        norms = np.sqrt(np.bincount(index.span_of_entry, weights=data**2, minlength=index.shape[1]))
        # Twice idf: once for the span, once for the query, whose own norm follows in `score`.
        return index.reweighted(data * self.idf[index.term_of_entry] / norms[index.span_of_entry])

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans); 0 for an empty query."""
        scores = super().score(queries)
        weighted = self.index.query_matrix(queries) * self.idf
        norms = np.sqrt(np.asarray((weighted * weighted).sum(axis=1)))
        return scores / np.where(norms > 0, norms, 1.0)[:, None]
