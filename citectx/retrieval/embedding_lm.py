"""Language models in which related words count, too (sigir2017 Eq. 2): WE_Wiki, WE_Bio, WE_Dom.

For an article, the cosines of query words and article words are computed once; every variant of the model
(μ, τ, φ, denominator) thresholds and transforms them, and sums them over spans by a sparse product.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.embeddings import Vectors, check_overlap, open_vectors
from citectx.retrieval.base import RetrievalModel
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats

CAP = 0.95
"""Where the cosine is cut before logit: that of an exact match is 1, and logit(1) is infinite."""


def _logit(cosine: Floats, cap: float = CAP) -> Floats:
    x = np.clip(cosine, 0.5, cap)
    return np.asarray(np.log(x / (1 - x)) / np.log(cap / (1 - cap)))


TRANSFER: dict[str, Callable[..., Floats]] = {
    "logit": _logit,
    "identity": lambda x, _cap=CAP: x,
    "one": lambda x, _cap=CAP: np.ones_like(x),
}
"""φ by name. ``logit`` is divided by logit(cap), so that an exact match counts 1 as in Eq. 1; a factor
common to all similarities does no more than another μ would. ``one`` counts whatever is above τ in full."""

CHUNK = 4096
"""Words of the embedding whose cosines with the article are held in memory at once."""

UNSEEN = ("half", "related", "out")


@dataclass
class EmbeddingLM(RetrievalModel):
    """Query likelihood as in Eq. 1, with the frequency of a word and its relatives for its own.

    p(q_i|d) = (f_sem(q_i,d) + μ·p(q_i|C)) / (Σ_{w∈V} f_sem(w,d) + μ),
    f_sem(q_i,d) = Σ_{d_j∈d} s(q_i,d_j),  s = φ(cosine) where cosine > τ, else 0

    Source: sigir2017 §2, Eq. 2.

    Ambiguity: what V is, over which the denominator sums. Since Σ_w f_sem(w,d) = Σ_j degree(d_j), it can be
    the words of the article ("article", the default, which is what V means in Eq. 1), or all words of the
    embedding ("embedding"). A third reading, the words of the query alone ("query"), leaves no distribution
    over words, but is easily written by mistake. "length" keeps |d| of Eq. 1.

    Ambiguity: logit(1) is infinite, and logit is negative below 0.5. Cosines are cut at `cap` and at 0.5, so
    that nothing counts infinitely, or against a span.

    Ambiguity: p(q_i|C) of a query word that the article lacks would be 0, and with it the likelihood of every
    span without a relative of it. It can be given half an occurrence ("half"), the share of occurrences that
    are related to it ("related"), or be left out, as in Eq. 1 ("out"). Cross-validation chooses. A word that
    has no relative in the article, either, is left out in any case. A word that the embedding lacks is
    related to itself only.

    Ambiguity: τ is given as mean + 2 standard deviations of the absolute cosine of random words, but not
    which words may be drawn. Rare ones resemble each other: with the biomedical CBOW vectors τ is 0.46 when
    drawn from all words, and 0.25 from the 10,000 most frequent. An exact match counts whatever τ is.

    Notes
    -----
    The grid was fixed before it was run: with two kinds of vectors it has 144 variants, of readings that the
    paper leaves open (three denominators, two caps, three treatments of unseen words) and of μ.

    Parameters
    ----------
    vectors : str
        Name of an embedding, for `citectx.embeddings.open_vectors`.
    mu : float
        μ, in terms; above 0.
    deviations : float
        τ in standard deviations above the mean; minus infinity lets all pairs of words pass.
    among : int, optional
        τ comes from pairs of so many most frequent words; None takes all words.
    phi : {"logit", "identity", "one"}
    denominator : {"article", "embedding", "query", "length"}
    unseen : {"half", "related", "out"}
        What is done with query words that the article lacks.
    cap : float
        Where logit cuts the cosine, in (0.5, 1).

    Raises
    ------
    ParameterError
        If a parameter is out of its range or a name is unknown.
    DataError
        When fitted, if the embedding knows no word of the article.
    """

    vectors: str = "biomedical"
    mu: float = 100.0
    deviations: float = 2.0
    among: int | None = None
    phi: str = "logit"
    denominator: str = "article"
    unseen: str = "related"
    cap: float = CAP

    grid: ClassVar = {
        "mu": (10.0, 50.0, 250.0, 1000.0),
        "denominator": ("article", "length", "query"),
        "cap": (0.95, 0.999),
        "unseen": UNSEEN,
    }
    allowed: ClassVar = {
        "mu": "(0, inf]",
        "deviations": "[-inf, inf]",
        "phi": TRANSFER,
        "denominator": ("article", "embedding", "query", "length"),
        "unseen": UNSEEN,
        "cap": "(0.5, 1)",
    }
    trained_on: ClassVar[Literal["", "general", "domain"]] = "domain"

    def _open(self) -> Vectors:
        return open_vectors(self.vectors)

    def _fit(self, index: SpanIndex) -> None:
        self.embedding = self._open()
        self.tau = self.embedding.threshold(self.deviations, among=self.among).tau
        self.words = list(index.vocabulary)
        check_overlap(self.embedding, self.words, index.candidates.sentences.document.doc_id)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        terms = sorted({term for query in queries for term in query.weights})
        frequency = self._frequency(terms)
        known = np.asarray(frequency.any(axis=1)) & self._usable(terms)
        prior = self._prior(terms, frequency.sum(axis=1))
        weights = np.zeros((len(queries), len(terms)))
        column = {term: i for i, term in enumerate(terms)}
        for row, query in zip(weights, queries, strict=True):
            row[[column[term] for term in query.weights]] = list(query.weights.values())
        weights[:, ~known] = 0.0
        smoothed = np.log(frequency[known] + self.mu * prior[known, None])
        likelihood: Floats = weights[:, known] @ smoothed
        if self.denominator == "query":
            total = (weights != 0).astype(np.float64) @ frequency
        else:
            total = np.broadcast_to(self._total(), likelihood.shape)
        return np.asarray(likelihood - weights.sum(axis=1, keepdims=True) * np.log(total + self.mu))

    def absent(self, queries: Sequence[Query]) -> tuple[int, int, int]:
        """Count the terms of queries, those that the article lacks, and how many of these have a relative."""
        terms = [term for query in queries for term in query.weights]
        missing = [term for term in terms if term not in self.index.vocabulary]
        distinct = sorted({*missing})
        related = {term for term, found in zip(distinct, self._summed(distinct), strict=True) if found.any()}
        return len(terms), len(missing), sum(term in related for term in missing)

    def _usable(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        """Which terms may be asked for: with ``unseen="out"`` only those of the article."""
        return np.array([self.unseen != "out" or term in self.index.vocabulary for term in terms], dtype=bool)

    def _prior(self, terms: Sequence[str], related: Floats) -> Floats:
        """p(q_i|C), shape (terms,): of occurrences, or those of relatives (`related`) if there are none."""
        row, counts = self.index.vocabulary, self.index.collection_counts
        unseen = np.full(len(terms), 0.5) if self.unseen == "half" else related
        occurrences = [counts[row[t]] if t in row else unseen[i] for i, t in enumerate(terms)]
        return np.asarray(np.array(occurrences) / counts.sum())

    def _frequency(self, terms: list[str]) -> Floats:
        """f_sem, shape (terms, spans)."""
        key = ("frequency", self.embedding.name, self.tau, self.phi, self.cap, tuple(terms))
        return self.index.remember(key, lambda: self._summed(terms))

    def _summed(self, terms: list[str]) -> Floats:
        return np.asarray((self._related(terms) @ self.index.postings).toarray())

    def _related(self, terms: list[str]) -> sp.csr_array:
        """s(q_i, d_j) for words against the article's, shape (terms, article's terms)."""
        key = ("cosine", self.embedding.name, tuple(terms))
        cosines = self.index.remember(key, lambda: self._cosines(terms))
        return self._transferred(cosines, terms)

    def _cosines(self, terms: list[str]) -> NDArray[np.float32]:
        a, _ = self.embedding.rows(terms)
        b, _ = self.embedding.rows(self.words)
        return a @ b.T

    def _transferred(self, cosines: NDArray[np.float32], terms: list[str]) -> sp.csr_array:
        rows, columns = np.nonzero(cosines > self.tau)
        values = TRANSFER[self.phi](cosines[rows, columns].astype(np.float64), self.cap)
        related = sp.csr_array((values, (rows, columns)), shape=cosines.shape)
        return sp.csr_array(related.maximum(self._same(terms)))

    def _same(self, terms: list[str]) -> sp.csr_array:
        known = [(i, self.index.vocabulary[t]) for i, t in enumerate(terms) if t in self.index.vocabulary]
        rows, columns = np.array(known, dtype=np.int64).reshape(-1, 2).T
        return sp.csr_array((np.ones(len(known)), (rows, columns)), shape=(len(terms), len(self.words)))

    def _total(self) -> Floats:
        """Denominator without μ, shape (spans,)."""
        if self.denominator == "length":
            return self.index.lengths
        key = ("total", self.embedding.name, self.tau, self.phi, self.cap, self.denominator)
        return np.asarray(self.index.remember(key, lambda: self._degrees() @ self.index.postings))

    def _degrees(self) -> Floats:
        """Σ_w s(w, t) over V for each word t of the article, shape (article's terms,)."""
        if self.denominator == "article":
            return np.asarray(self._related(self.words).sum(axis=0), dtype=np.float64)
        absent = [word for word in self.words if word not in self.embedding]
        degrees = np.asarray(self._same(absent).sum(axis=0), dtype=np.float64)  # they know only themselves
        for start in range(0, len(self.embedding), CHUNK):
            part = list(self.embedding.words[start : start + CHUNK])
            degrees += self._transferred(self._cosines(part), part).sum(axis=0)
        return degrees


@dataclass
class WEWiki(EmbeddingLM):
    """Row "WE_Wiki": Eq. 2 with vectors trained on general text."""

    vectors: str = "general"
    trained_on: ClassVar[Literal["", "general", "domain"]] = "general"


@dataclass
class WEBio(EmbeddingLM):
    """Row "WE_Bio": Eq. 2 with vectors trained on biomedical text."""


@dataclass
class WEDom(EmbeddingLM):
    """Row "WE_Dom": Eq. 2 with vectors trained on text of another domain than biomedicine."""

    vectors: str = "computational-linguistics"
