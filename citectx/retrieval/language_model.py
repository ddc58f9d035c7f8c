"""Query likelihood with Dirichlet prior (sigir2017 Eq. 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.retrieval.base import SparseModel
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats


@dataclass
class LMD(SparseModel):
    """Log likelihood of the query under the span's language model, smoothed by a Dirichlet prior.

    log p(q|d) = Σ_i log [ (f(q_i,d) + μ·p(q_i|C)) / (|d| + μ) ]

    computed as Σ_i log(1 + f(q_i,d) / (μ·p(q_i|C))) + Σ_i log(μ·p(q_i|C)) − |q|·log(|d| + μ), whose first sum
    runs over matching terms only.

    Source: sigir2017 Eq. 1. Ambiguity: μ is not given. Query terms that the article lacks have p(w|C) = 0 and
    are left out of q (see `SpanIndex`).

    Parameters
    ----------
    mu : float
        μ, in terms; above 0.

    Raises
    ------
    ParameterError
        If μ is not above 0.
    """

    mu: float = 100.0

    grid: ClassVar = {"mu": (5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0)}

    def __post_init__(self) -> None:
        self._check("mu", 0, open_low=True)

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        prior = self.mu * index.collection_probability
        self.log_prior = np.log(prior)  # every term of the vocabulary occurs, so none is log(0)
        self.log_length = np.log(index.lengths + self.mu)
        return index.reweighted(np.log1p(index.postings.data / prior[index.term_of_entry]))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        q = self.index.query_matrix(queries)
        unseen: Floats = q @ self.log_prior
        length = np.asarray(q.sum(axis=1))
        scores: Floats = super().score(queries) + unseen[:, None] - length[:, None] * self.log_length
        return scores
