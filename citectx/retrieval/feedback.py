"""Pseudo-relevance feedback, which naacl2015 tried and left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citectx.retrieval.index import Query
from citectx.retrieval.vsm import TERM_FREQUENCY, VSM
from citectx.types import Floats


@dataclass
class Rocchio(VSM):
    """The vector space model, asked a second time with words of the spans that it found first.

    q' = q/|q| + β · mean of d/|d| over the first spans, of which the heaviest new terms are kept

    Source: naacl2015 §2.4 (Buckley et al. 1995). Ambiguity: the paper says no more than that. We take the
    textbook's setting (Manning et al. 2008, §9.1: β = 0.75, no negative term) with ten spans and
    twenty terms; nothing is tuned.

    Parameters
    ----------
    tf : {"raw", "log", "sqrt"}
    beta : float
        At least 0; 0 leaves the ranking of VSM.
    spans, terms : int
        At least 1.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    """

    beta: float = 0.75
    spans: int = 10
    terms: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("beta", 0)
        self._check("spans", 1)
        self._check("terms", 1)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each expanded query with all spans, shape (queries, spans)."""
        found = np.argsort(-super().score(queries), axis=1, kind="stable")[:, : self.spans]
        frequency = self.index.reweighted(TERM_FREQUENCY[self.tf](self.index.postings.data))
        lengths = np.sqrt((frequency.multiply(self.idf[:, None]).power(2)).sum(axis=0))
        unit = (frequency / np.where(lengths > 0, lengths, 1.0)[None, :]).tocsc()
        terms = list(self.index.vocabulary)
        return super().score(
            [
                self._expanded(query, np.asarray(unit[:, rows].mean(axis=1)).ravel(), terms)
                for query, rows in zip(queries, found, strict=True)
            ]
        )

    def _expanded(self, query: Query, centroid: Floats, terms: Sequence[str]) -> Query:
        own = {t: w for t, w in query.weights.items() if t in self.index.vocabulary}
        idf = np.array([self.idf[self.index.vocabulary[t]] for t in own])
        length = float(np.linalg.norm(np.array(list(own.values())) * idf)) or 1.0
        weight = self.beta * centroid
        new = np.argsort(-(weight * self.idf), kind="stable")[: self.terms]
        added = {terms[i]: float(weight[i]) for i in new if weight[i] > 0}
        kept = dict.fromkeys([*own, *added], 0.0)
        return Query({t: own.get(t, 0.0) / length + added.get(t, 0.0) for t in kept}, query.text)
