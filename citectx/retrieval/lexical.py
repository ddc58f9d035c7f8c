"""Models that match words: VSM, BM25, DFR, query likelihood (LMD), and VSM with feedback."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

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
    Ambiguity: neither paper states the weighting. We take cosine normalisation and let cross-validation
    choose among three common tf; idf is the one that Lucene used in its vector space model.

    Parameters
    ----------
    tf : {"raw", "log", "sqrt"}

    Raises
    ------
    ParameterError
        If `tf` is unknown.
    """

    tf: str = "log"

    grid: ClassVar = {"tf": tuple(TERM_FREQUENCY)}
    allowed: ClassVar = {"tf": TERM_FREQUENCY}

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

    allowed: ClassVar = VSM.allowed | {"beta": "[0, inf]", "spans": "[1, inf]", "terms": "[1, inf]"}

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
    allowed: ClassVar = {"k1": "[0, inf]", "b": "[0, 1]", "idf": IDF}

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        frequency = index.postings.data
        norm = self.k1 * (1 - self.b + self.b * index.lengths / index.lengths.mean())
        idf = IDF[self.idf](index.document_frequency, index.shape[1])
        saturated = frequency / (frequency + norm[index.span_of_entry])
        return index.reweighted(idf[index.term_of_entry] * saturated)


def _poisson(tfn: Floats, _df: Floats, total: Floats, n: int) -> Floats:
    mean = total / n
    stirling = tfn * np.log2(tfn / mean) + (mean - tfn) * math.log2(math.e) + 0.5 * np.log2(2 * np.pi * tfn)
    return np.asarray(np.maximum(stirling, 0.0))  # Stirling's formula dips below zero where tfn < 1


BASIC_MODEL: dict[str, Callable[[Floats, Floats, Floats, int], Floats]] = {
    "In": lambda tfn, df, _total, n: tfn * np.log2((n + 1) / (df + 0.5)),
    "IF": lambda tfn, _df, total, n: tfn * np.log2((n + 1) / (total + 0.5)).clip(min=0.0),
    "P": _poisson,
}
"""−log2 of the chance to see tfn occurrences, from tfn, df, total occurrences and number of spans."""

AFTER_EFFECT: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "L": lambda tfn, _df, _total: 1 / (tfn + 1),
    "B": lambda tfn, df, total: (total + 1) / (df * (tfn + 1)),
}
"""First normalisation: Laplace's law of succession, or a ratio of two Bernoulli processes."""


@dataclass
class DFR(SparseModel):
    """Sum over query terms of after-effect × basic model, on length-normalised frequencies.

    tfn = f(w,d) · log2(1 + c·avgdl/|d|)  (normalisation 2)

    Source: naacl2015 §2.2 (Amati & van Rijsbergen 2002, their models I(n), I(F), P with L or B and H2).
    Ambiguity: naacl2015 does not say which of the family it ran.

    Parameters
    ----------
    basic : {"In", "IF", "P"}
        Inverse document frequency, inverse term frequency (cut at zero), Poisson by Stirling's formula (cut
        at zero).
    after : {"L", "B"}
    c : float
        Above 0; small values punish long spans.

    Raises
    ------
    ParameterError
        If a name is unknown or c not above 0.
    """

    basic: str = "In"
    after: str = "L"
    c: float = 1.0

    grid: ClassVar = {"basic": ("In", "IF", "P"), "after": ("L", "B"), "c": (0.5, 1.0, 2.0, 5.0, 10.0)}
    allowed: ClassVar = {"basic": BASIC_MODEL, "after": AFTER_EFFECT, "c": "(0, inf]"}

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        stretch = np.log2(1 + self.c * index.lengths.mean() / np.maximum(index.lengths, 1))
        tfn = index.postings.data * stretch[index.span_of_entry]
        df = index.document_frequency[index.term_of_entry]
        total = index.collection_counts[index.term_of_entry]
        gain = BASIC_MODEL[self.basic](tfn, df, total, index.shape[1])
        return index.reweighted(AFTER_EFFECT[self.after](tfn, df, total) * gain)


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
    allowed: ClassVar = {"mu": "(0, inf]"}

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
        return np.asarray(super().score(queries) + unseen[:, None] - length[:, None] * self.log_length)
