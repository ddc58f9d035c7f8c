"""Models that match words: VSM (alone and with feedback), BM25, DFR, LMD, and LMD with topics.

Two rows of ours beside sigir2017's Table 1 say what a ranking gains from knowing an article's
abstract: most citances have evidence in it, and no paper's method knows of it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from citectx.embeddings.vectors import unit_rows
from citectx.retrieval.base import Query, RetrievalModel, SpanIndex, SparseModel
from citectx.retrieval.topics import topic_model
from citectx.types import Floats

TERM_FREQUENCY: dict[str, Callable[[Floats], Floats]] = {
    "raw": lambda f: f,
    "log": lambda f: 1 + np.log(f),
    "sqrt": np.sqrt,
}
"""tf as a function of a term's count in a span."""


@dataclass
class VSM(SparseModel):
    """Cosine of tf·idf vectors.

    score(q, d) = Σ_w q_w·d_w / (|q|·|d|),  q_w = f(w,q)·idf(w),  d_w = tf(f(w,d))·idf(w)

    Source: naacl2015 §2.2 (Salton et al. 1975), the row "VSM" of sigir2017 Table 1.
    Ambiguity: neither paper states the weighting, nor has it a symbol for one to tune. It is one
    choice for all rows: cosine normalisation and tf = 1 + ln f, the usual weight of a document's
    terms (Salton & Buckley 1988; Manning et al. 2008, §6.4.3), and the idf of Lucene's vector
    space model.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, VSM())
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(29.4)
    """

    tf: str = "log"

    allowed: ClassVar = {"tf": TERM_FREQUENCY}

    def _fit(self, index: SpanIndex) -> None:
        # 1 + ln(N / (df + 1)), N spans, df of them with the term
        self.idf = 1 + np.log(index.shape[1] / (index.document_frequency + 1))
        tf = TERM_FREQUENCY[self.tf](index.postings.data)
        data = tf * self.idf[index.term_of_entry]
        squares = np.bincount(index.span_of_entry, data**2, minlength=index.shape[1])
        lengths = np.sqrt(squares)  # |d|, shape (spans,)
        self.weights = index.reweight(data / lengths[index.span_of_entry])

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each query with all spans, shape (queries, spans); 0 for an empty query."""
        return self.unit_queries(queries) @ self.weights

    def unit_queries(self, queries: Sequence[Query]) -> Floats:
        """q/|q|, vectors of tf·idf of length 1, shape (queries, terms)."""
        return unit_rows(self.index.query_matrix(queries).toarray() * self.idf)


@dataclass
class Rocchio(VSM):
    """The vector space model, asked a second time with words of the spans that it found first.

    q' = q/|q| + β · mean of d/|d| over the first spans, of which the heaviest new terms are kept

    Source: naacl2015 §2.4 (Buckley et al. 1995). Ambiguity: the paper says no more than that. We
    take the textbook's setting (Manning et al. 2008, §9.1: β = 0.75, no negative term) with ten
    spans and twenty terms; nothing is tuned.
    """

    beta: float = 0.75
    spans: int = 10
    terms: int = 20

    allowed: ClassVar = VSM.allowed | {"beta": "[0, inf]", "spans": "[1, inf]", "terms": "[1, inf]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each expanded query with all spans, shape (queries, spans)."""
        asked = self.unit_queries(queries)
        order = np.argsort(-(asked @ self.weights), axis=1, kind="stable")
        found = order[:, : self.spans]
        columns = self.weights.tocsc()  # d/|d|, shape (terms, spans)
        for query, spans in zip(asked, found, strict=True):
            centroid = self.beta * columns[:, spans].mean(axis=1)
            heaviest = np.argsort(-centroid, kind="stable")[: self.terms]
            query[heaviest] += centroid[heaviest]
        return unit_rows(asked) @ self.weights


@dataclass
class BM25(SparseModel):
    """Sum over query terms of idf(w) · f(w,d) / (f(w,d) + k1·(1 − b + b·|d|/avgdl)).

    Source: naacl2015 §2.2 (Robertson & Zaragoza 2009), the row "BM25" of sigir2017 Table 1.
    The constant factor k1 + 1 is left out: it changes no ranking. Query weights multiply (k3 → ∞).
    Ambiguity: the papers give neither k1 nor b, which are tuned ("all the baseline parameters",
    sigir2017 §3), nor the idf, which is one choice for all rows: Lucene's, never negative.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, BM25(k1=0.4))
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(29.0)
    """

    k1: float = 1.2
    b: float = 0.75

    grid: ClassVar = {"k1": (0.1, 0.2, 0.4, 0.8, 1.2, 2.0), "b": (0.0, 0.25, 0.5, 0.75, 1.0)}
    allowed: ClassVar = {"k1": "[0, inf]", "b": "[0, 1]"}

    def _fit(self, index: SpanIndex) -> None:
        frequency = index.postings.data
        relative = self.b * index.lengths / index.lengths.mean()  # |d| / avgdl, (spans,)
        norm = self.k1 * (1 - self.b + relative)
        df = index.document_frequency
        others = index.shape[1] - df  # spans without the term
        idf = np.log(1 + (others + 0.5) / (df + 0.5))
        saturated = frequency / (frequency + norm[index.span_of_entry])
        self.weights = index.reweight(idf[index.term_of_entry] * saturated)


@dataclass
class DFR(SparseModel):
    """Sum over query terms of after-effect × basic model, on length-normalised frequencies.

    tfn = f(w,d) · log2(1 + c·avgdl/|d|)  (normalisation 2)

    Source: naacl2015 §2.2 (Amati & van Rijsbergen 2002, models I(n) and I(F), L, H2).
    Ambiguity: naacl2015 does not say which of the family it ran. Our one choice for all rows is
    I(n)L2, the default of Terrier, the system of the family's authors: −log2 of the chance to see
    so many occurrences, times Laplace's law of succession, 1 / (tfn + 1). Only c > 0 is tuned;
    small values punish long spans.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, DFR())
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(28.7)
    """

    c: float = 1.0

    grid: ClassVar = {"c": (0.5, 1.0, 2.0, 5.0, 10.0)}
    allowed: ClassVar = {"c": "(0, inf]"}

    def _fit(self, index: SpanIndex) -> None:
        relative = index.lengths.mean() / np.maximum(index.lengths, 1)
        stretch = np.log2(1 + self.c * relative)
        tfn = index.postings.data * stretch[index.span_of_entry]
        df = index.document_frequency[index.term_of_entry]
        gain = tfn * np.log2((index.shape[1] + 1) / (df + 0.5))
        self.weights = index.reweight(1 / (tfn + 1) * gain)


def dirichlet(index: SpanIndex, used: NDArray[np.integer], mu: float) -> Floats:
    """p(w|d) = (f(w,d) + μ·p(w|C)) / (|d| + μ) of some rows w, shape (used terms, spans)."""
    frequency = index.postings[used].toarray()  # of the query's terms alone
    prior = mu * index.collection_probability[used, None]
    return (frequency + prior) / (index.lengths + mu)


@dataclass
class LMD(RetrievalModel):
    """Log likelihood of the query under the span's language model, smoothed by a Dirichlet prior.

    log p(q|d) = Σ_i log [ (f(q_i,d) + μ·p(q_i|C)) / (|d| + μ) ]

    Source: sigir2017 Eq. 1. Ambiguity: μ is not given; it is a parameter, and tuned. Query terms
    that the article lacks have p(w|C) = 0 and are left out of q (see `SpanIndex`).

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, LMD(mu=20))
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(28.4)
    """

    mu: float = 100.0

    grid: ClassVar = {"mu": (5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0)}
    allowed: ClassVar = {"mu": "(0, inf]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        q = self.index.query_matrix(queries)
        used = np.unique(q.indices)  # terms that any query has; the others would add nothing
        p = dirichlet(self.index, used, self.mu)
        return q[:, used] @ np.log(p)


@dataclass
class LMDLDA(RetrievalModel):
    """Query likelihood under a mixture of the Dirichlet estimate with a topic model.

    p(w|d) = λ·p_LMD(w|d) + (1 − λ)·Σ_k p(w|k)·p(k|d)

    Source: Jian et al. 2016, the row "LMD-LDA" of sigir2017 Table 1.
    Ambiguity: sigir2017 states neither λ (`weight`; 1 is plain LMD), μ nor the number of topics, K:
    all tuned. Nor does it say what LDA was trained on: here the sentences of the reference article,
    by variational Bayes with both priors 1 / K (`citectx.retrieval.topics`). Scores are means over
    `seeds` models, since LDA finds another optimum from another start.
    """

    mu: float = 100.0
    weight: float = 0.7
    topics: int = 20
    seeds: int = 3

    grid: ClassVar = {**LMD.grid, "weight": (0.3, 0.5, 0.7, 0.9, 1.0), "topics": (10, 30)}
    allowed: ClassVar = {
        **LMD.allowed,
        "weight": "[0, 1]",
        **dict.fromkeys(["topics", "seeds"], "[1, inf]"),
    }

    def _fit(self, index: SpanIndex) -> None:
        spans = index.postings.T.tocsr()
        train = partial(topic_model, index.sentence_counts, spans, self.topics)
        self.models = [
            index.remember(("lda", self.topics, seed), partial(train, seed))
            for seed in range(self.seeds)
        ]

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans); mean over seeds."""
        q = self.index.query_matrix(queries)
        used = np.unique(q.indices)
        of_words = dirichlet(self.index, used, self.mu)
        scores = []
        for words, spans in self.models:
            of_topics = words[:, used].T @ spans.T  # Σ_k p(w|k)·p(k|d), (used terms, spans)
            mixed = self.weight * of_words + (1 - self.weight) * of_topics
            scores.append(q[:, used] @ np.log(mixed))
        return np.mean(scores, axis=0)


def standardise(scores: Floats) -> Floats:
    """Bring each row to mean 0 and standard deviation 1; a row of equal scores to 0.

    >>> standardise(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = scores.std(axis=1, keepdims=True)
    # What is left of equal scores is rounding, which must not be blown up.
    largest = np.abs(scores).max(axis=1, keepdims=True)
    least = 1e-9 * np.maximum(largest, 1)
    return np.where(spread > least, centred / np.maximum(spread, least), 0.0)


def in_abstract(index: SpanIndex) -> NDArray[np.bool_]:
    """Which spans begin in the abstract, shape (spans,)."""
    blocks = index.candidates.sentences.blocks
    return np.array([blocks[i].kind == "abstract" for i in index.candidates.first])


@dataclass
class NoQuery(RetrievalModel):
    """A ranking without a query: the abstract first, then by cosine (as in VSM) to the title."""

    def _fit(self, index: SpanIndex) -> None:
        document = index.candidates.sentences.document
        titles = [b for b in document.blocks if b.kind == "title"]
        text = " ".join(title.span.of(document.text) for title in titles)
        query = Query(Counter(index.analyzer(text)))
        (similarity,) = VSM().fit(index).score([query])
        self.prior = 2.0 * in_abstract(index) + similarity

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans)."""
        return np.tile(self.prior, (len(queries), 1))


@dataclass
class AbstractBM25(BM25):
    """BM25, standardised over spans, plus a weight (a parameter) for spans in the abstract."""

    weight: float = 1.0

    grid: ClassVar = {**BM25.grid, "weight": (0.0, 0.5, 1.0, 2.0, 4.0)}
    allowed: ClassVar = {**BM25.allowed, "weight": "[0, inf]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans)."""
        scores = standardise(super().score(queries))
        return scores + self.weight * in_abstract(self.index)
