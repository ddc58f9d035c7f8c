"""Language models in which related words also count (sigir2017 Eq. 2): WE_Wiki, WE_Bio, WE_Dom.

Domain knowledge comes in by retrofitted vectors and by synonyms. The baseline DESM compares words
of the query with centroids of spans.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np

from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import retrofit, unit_rows
from citectx.ontology import ANALYZER, SynonymGraph, open_vocabulary
from citectx.retrieval.base import Query, RetrievalModel, SpanIndex, weights_of
from citectx.retrieval.lexical import LMD
from citectx.types import Floats, Ints

CAP = 0.95
"""The highest cosine that goes into logit: an exact match has 1, and logit(1) is infinite."""


def _logit(cosine: Floats, cap: float = CAP) -> Floats:
    x = np.clip(cosine, 0.5, cap)
    return np.log(x / (1 - x)) / np.log(cap / (1 - cap))


TRANSFER: dict[str, Callable[..., Floats]] = {
    "logit": _logit,
    "normalized": lambda x, cap=CAP: _logit((1 + x) / 2, cap),
    "identity": lambda x, _cap=CAP: x,
    "one": lambda x, _cap=CAP: np.ones_like(x),
}
"""φ by name. ``logit`` is divided by logit(cap), so that an exact match counts 1 as in Eq. 1; a
common factor does no more than another μ would. ``normalized`` is the logit of the dot product
between 0 and 1 of the paper's Figure 1. ``one`` counts whatever is above τ in full."""

CHUNK = 4096
"""How many words' cosines with those of the article are held in memory at once."""

DENOMINATORS = ("article", "length", "query", "embedding")
UNSEEN = ("related", "half", "out")
"""What sigir2017 leaves open in Eq. 2, beside the cut of the cosine. The first of each is declared,
for all rows; `citectx.papers.sigir2017.readings` measures what the others change."""


@dataclass
class EmbeddingLM(RetrievalModel):
    """Query likelihood as in Eq. 1, with the frequency of a word and its relatives for its own.

    p(q_i|d) = (f_sem(q_i,d) + μ·p(q_i|C)) / (Σ_{w∈V} f_sem(w,d) + μ), f_sem(q_i,d) = Σ_{d_j∈d}
    s(q_i,d_j),  s = φ(cosine) where cosine > τ, else 0

    Source: sigir2017 §2, Eq. 2.
    Ambiguity: what V is, over which the denominator sums. It can be the words of the article
    ("article", the default: Eq. 1 calls V the vocabulary, and its collection is the article), or of
    the embedding ("embedding"). The words of the query alone ("query") leave no distribution over
    words, but are easily written by mistake. "length" keeps |d| of Eq. 1.
    Ambiguity: what φ is the logit of. Eq. 2 speaks of the dot product of unit vectors, the cosine,
    our default; Figure 1 shows "the normalized dot product", perhaps (1 + cosine)/2.
    Ambiguity: logit(1) is infinite, and logit is negative below 0.5. Cosines are cut at `cap` and
    at 0.5, so that nothing counts infinitely, or against a span. At a cosine of 0.7, a related word
    is 0.29 of a match if cut at 0.95, 0.12 if cut at 0.999, and nothing without a cut. The paper
    wants related words to count, and similarity to drop quickly below the closest. Hence 0.95: of
    the 10,000 most frequent words in our vectors, at most 4 in 1,000 have a neighbour above it.
    Ambiguity: p(q_i|C) of a query word that the article lacks would be 0, and with it the
    likelihood of every span without a relative of it. It can be the share of occurrences that are
    related to it ("related", the default: f_sem for the frequency, as in the span), half an
    occurrence ("half"), or left out, as in Eq. 1 ("out"), although the paper built Eq. 2 for such
    words. A word without any relative in the article is always left out. A word that the embedding
    lacks is related to itself only.
    Ambiguity: τ is the mean + 2 standard deviations of the absolute cosine of random words, but
    drawn from which? Rare words resemble each other: with the biomedical CBOW vectors τ is 0.46
    from all words, and 0.25 from the 10,000 most frequent. An exact match counts whatever τ is.

    Only μ is tuned, over the grid of LMD; all else is one choice for all rows, and so is the
    architecture of `vectors` (`citectx.embeddings.train.Word2VecSettings`). τ is taken among the
    `among` most frequent words, or all if None; with `deviations` of -inf all pairs pass.
    """

    vectors: str = "biomedical-small"
    mu: float = 100.0
    deviations: float = 2.0
    among: int | None = None
    phi: str = "logit"
    denominator: str = "article"
    unseen: str = "related"
    cap: float = CAP

    grid: ClassVar = {"mu": LMD.grid["mu"]}
    allowed: ClassVar = {
        "mu": "(0, inf]",
        "deviations": "[-inf, inf]",
        "phi": TRANSFER,
        "denominator": DENOMINATORS,
        "unseen": UNSEEN,
        "cap": "(0.5, 1)",
    }

    def _open(self) -> Vectors:
        return open_vectors(self.vectors)

    def _fit(self, index: SpanIndex) -> None:
        self.embedding = self._open()
        self.tau = self.embedding.threshold(self.deviations, among=self.among).tau
        self.words = list(index.vocabulary)
        # what s depends on, to remember what was computed with it
        self.similarity = (self.embedding.name, self.tau, self.phi, self.cap)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        terms, weights = self._weights_of(queries)
        frequency = self.frequency(terms)  # (terms, spans)
        prior = self.prior(terms, frequency.sum(axis=1))
        used = prior > 0
        weights = weights * used
        total = (weights != 0) @ frequency if self.denominator == "query" else self.total()
        smoothed = frequency[used] + self.mu * prior[used, None]
        lengths = weights.sum(axis=1, keepdims=True)
        return weights[:, used] @ np.log(smoothed) - lengths * np.log(total + self.mu)

    def _weights_of(self, queries: Sequence[Query]) -> tuple[list[str], Floats]:
        return self.index.remember(("weights", *queries), lambda: weights_of(queries))

    def related(self, terms: Sequence[str]) -> Floats:
        """s(q_i, d_j) of words with the article's, shape (terms, article's terms)."""
        ours = self.embedding.rows(terms)[0]  # zeros for a word without a vector
        cosine = ours @ self.embedding.rows(self.words)[0].T
        transferred = TRANSFER[self.phi](cosine.astype(float), self.cap)
        related = np.where(cosine > self.tau, np.maximum(transferred, 0.0), 0.0)
        # An exact match counts 1 at least, whatever τ is, and without a vector, too.
        places = self.index.places(terms)
        same = np.flatnonzero(places >= 0), places[places >= 0]
        related[same] = np.maximum(related[same], 1.0)
        return related

    def frequency(self, terms: Sequence[str]) -> Floats:
        """f_sem(q_i, d), shape (terms, spans)."""
        key = (*self.similarity, *terms)
        return self.index.remember(key, lambda: self.related(terms) @ self.index.postings)

    def prior(self, terms: Sequence[str], related: Floats) -> Floats:
        """p(q_i|C) by occurrences of terms, else of relatives, shape (terms,); 0 if left out."""
        if self.unseen == "half":
            related = np.where(related > 0, 0.5, 0.0)
        elif self.unseen == "out":
            related = np.zeros_like(related)
        places = self.index.places(terms)
        counts = self.index.collection_counts
        occurrences = np.where(places >= 0, counts[places], related)
        return occurrences / counts.sum()

    def total(self) -> Floats:
        """Σ_{w∈V} f_sem(w, d), shape (spans,); |d| where that is the denominator."""
        if self.denominator == "length":
            return self.index.lengths
        key = ("total", *self.similarity, self.denominator)
        return self.index.remember(key, lambda: self._degrees() @ self.index.postings)

    def _degrees(self) -> Floats:
        """Σ_w s(w, t) over V for each word t of the article, shape (article's terms,)."""
        if self.denominator == "article":
            every: Sequence[str] = self.words
            degrees = np.zeros(len(self.words))
        else:
            every = self.embedding.words
            # Words without a vector are related to themselves only.
            degrees = np.array([word not in self.embedding for word in self.words], float)
        for start in range(0, len(every), CHUNK):
            degrees += self.related(every[start : start + CHUNK]).sum(axis=0)
        return degrees


MESH_AND_PRO = ("mesh", "pro")
"""The two ontologies that sigir2017 names."""


@lru_cache(maxsize=4)
def synonyms_in(vectors: Vectors, graph: SynonymGraph) -> Ints:
    """Return the rows of each pair of words that an ontology calls synonyms, shape (pairs, 2)."""
    pairs = graph.edges(vectors.words)
    rows = [vectors.index[word] for pair in pairs for word in pair]
    return np.array(rows, int).reshape(-1, 2)


@lru_cache(maxsize=4)
def open_retrofitted(name: str, vocabulary: tuple[str, ...]) -> Vectors:
    """Pull the vectors of synonyms together, and give them a name of their own.

    Source: sigir2017 §2, Domain knowledge 1; see `citectx.embeddings.vectors.retrofit`.
    """
    vectors = open_vectors(name)
    edges = synonyms_in(vectors, open_vocabulary(vocabulary))
    matrix = retrofit(vectors.matrix, edges)
    return replace(vectors, matrix=matrix, name=f"{name}+rtrft({'+'.join(vocabulary)})")


@dataclass
class WEBioRetrofitted(EmbeddingLM):
    """Row "WE_Bio+rtrft": Eq. 2 with biomedical vectors retrofitted to an ontology.

    Ambiguity: sigir2017 does not say whether τ is computed before or after retrofitting; we take
    the vectors that are used.
    """

    vocabulary: tuple[str, ...] = MESH_AND_PRO

    def _open(self) -> Vectors:
        return open_retrofitted(self.vectors, self.vocabulary)


Meaning = tuple[str, frozenset[str], int]
"""A term, the concepts that it may mean, and the number of its query, −1 where queries share it."""


@dataclass
class WEBioInterpolated(EmbeddingLM):
    """Row "WE_Bio+dmn": Eq. 2 interpolated with the same model over an ontology's synonyms.

    p(q_i|d) = λ·p_1(q_i|d) + (1 − λ)·p_2(q_i|d); p_1 is Eq. 2, and p_2 has f_ont for f_sem:
    f_ont(q_i,d) = Σ_{d_j∈d} s_2(q_i,d_j),  s_2 = 1 for the same word, γ for a synonym, else 0

    Source: sigir2017 §2, Domain knowledge 2.
    Ambiguity: q_i and d_j are words, but most names of an ontology are phrases. A word of the query
    means the names that it is part of, found by greedy longest match in the citance. Each mention
    of such a concept in the span by a name without that word counts γ.
    Ambiguity: the sum over V in p_2's denominator runs over the words of the article, each on its
    own.
    Ambiguity: p(q_i|C) of a query word that neither the article has nor any relative of it, but
    whose synonym it names, is the share of these mentions, with γ.

    μ has the grid of Eq. 2, which is λ = 1. λ = 0 is the ontology alone, γ = 0 leaves exact matches
    in it.
    """

    weight: float = 0.5
    gamma: float = 0.5
    vocabulary: tuple[str, ...] = MESH_AND_PRO

    grid: ClassVar = {**EmbeddingLM.grid, "weight": (0.0, 0.3, 0.7, 1.0), "gamma": (0.0, 0.5, 1.0)}
    allowed: ClassVar = EmbeddingLM.allowed | {"weight": "[0, 1]", "gamma": "[0, 1]"}

    def _ontology(self) -> SynonymGraph:
        return open_vocabulary(self.vocabulary)

    def _fit(self, index: SpanIndex) -> None:
        super()._fit(index)
        self.synonyms = self._ontology()
        read = partial(mentions, index, self.synonyms)
        self.names, self.places, self.bearers = index.remember(("mentions", self.synonyms), read)
        self.mentioned = index.remember(("mentioned", self.synonyms), self._count_mentions)

    def _count_mentions(self) -> Floats:
        """Σ_w of mentions by other names over the words w of the article, shape (spans,)."""
        rows: list[int] = []
        for word in self.words:
            rows += self._other_names(word, self.synonyms.concepts(word))
        return self._in_spans(rows)

    def _other_names(self, term: str, concepts: Iterable[str]) -> list[int]:
        """Return the rows of mentions of a term's concepts by names without it."""
        rows = {i for concept in concepts for i in self.bearers.get(concept, ())}
        return [i for i in rows if term not in self.names[i][0]]

    def _in_spans(self, rows: Sequence[int]) -> Floats:
        """Count mentions by the spans that hold them, shape (spans,)."""
        candidates = self.index.candidates
        counts = np.bincount(self.places[rows], minlength=len(candidates.sentences))
        return candidates.add_up(counts)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        key = (*self.similarity, self.synonyms, self.denominator, *queries)
        asked = self.index.remember(key, lambda: self._look_up(queries))
        shares = self._shares(asked)
        prior = self.mu * shares[:, None]
        first = (asked.f_sem + prior) / (asked.total + self.mu)
        f_ont = asked.exact + self.gamma * asked.named
        length = self.index.lengths + self.gamma * self.mentioned
        second = (f_ont + prior) / (length + self.mu)
        mixed = self.weight * first + (1 - self.weight) * second
        used = shares > 0
        return asked.weights[:, used] @ np.log(mixed[used])

    def _shares(self, asked: "Asked") -> Floats:
        """p(q_i|C) of each row of what is asked, 0 for one that is left out."""
        related = asked.f_sem.sum(axis=1)
        if self.weight < 1:  # else there is no p_2
            by_synonym = self.gamma * asked.named.sum(axis=1)
            related = np.where(related > 0, related, by_synonym)
        return self.prior(asked.terms, related)

    def _look_up(self, queries: Sequence[Query]) -> "Asked":
        """Count what some queries ask for, a row for each term with what it means there."""
        by_query = [[*self._meanings(i, query)] for i, query in enumerate(queries)]
        rows = list(dict.fromkeys(chain(*by_query)))
        number = {row: i for i, row in enumerate(rows)}
        weights = np.zeros((len(queries), len(rows)))
        for of_query, query, asked in zip(weights, queries, by_query, strict=True):
            of_query[[number[row] for row in asked]] = [*query.weights.values()]

        terms = [term for term, _, _ in rows]
        places = self.index.places(terms)
        is_held = places[:, None] >= 0
        exact = np.where(is_held, self.index.postings[places].toarray(), 0.0)
        # The rows of plain Eq. 2, so that it is this model with λ = 1 to the last digit.
        everything, _ = self._weights_of(queries)
        place = {term: i for i, term in enumerate(everything)}
        f_sem = self.frequency(everything)[[place[term] for term in terms]]
        named = np.zeros_like(f_sem)
        for of_row, (term, meant, _) in zip(named, rows, strict=True):
            of_row[:] = self._in_spans(self._other_names(term, meant))
        total = self.total()
        if self.denominator == "query":
            asking = (weights != 0).astype(float)  # which query has which row
            total = asking.T @ (asking @ f_sem)  # of the row's query, (rows, spans)
        return Asked(weights, terms, f_sem, exact, named, total)

    def _meanings(self, number: int, query: Query) -> Iterator[Meaning]:
        """Yield each term of a query with the concepts that it may mean in the citance."""
        # Queries share rows, unless the denominator sums over the words of each.
        own = number if self.denominator == "query" else -1
        names = names_in(query.text, self.synonyms)
        for term in query.weights:
            meant = {concept for words, bearers in names if term in words for concept in bearers}
            yield term, frozenset(meant), own


class Asked(NamedTuple):
    """What queries ask for: a row for each term, with what it means in the citance."""

    weights: Floats
    """The weight of each row in each query, shape (queries, rows)."""
    terms: list[str]
    """The term of each row."""
    f_sem: Floats
    """Frequency with related words, shape (rows, spans)."""
    exact: Floats
    """Frequency of the term itself, shape (rows, spans)."""
    named: Floats
    """Mentions of what it means by other names, shape (rows, spans)."""
    total: Floats
    """Σ_w f_sem(w, d), shape (spans,) or (rows, spans)."""


Name = tuple[set[str], tuple[str, ...]]
"""The words of a name, and the concepts that it may mean."""


def mentions(
    index: SpanIndex, graph: SynonymGraph
) -> tuple[list[Name], Ints, dict[str, list[int]]]:
    """Find the names of concepts in an article, the sentence of each, and those of a concept.

    The second has the shape (names,); the third has the rows of a concept's names.
    """
    names: list[Name] = []
    sentences: list[int] = []
    for sentence, text in enumerate(index.candidates.sentences.texts()):
        here = names_in(text, graph)
        names += here
        sentences += [sentence] * len(here)
    bearers: dict[str, list[int]] = defaultdict(list)
    for row, (_, concepts) in enumerate(names):
        for concept in concepts:
            bearers[concept].append(row)
    return names, np.array(sentences, int), bearers


def names_in(text: str, graph: SynonymGraph) -> list[Name]:
    """Find the names of concepts in a text."""
    tokens = list(ANALYZER(text))
    return [(set(tokens[start:end]), concepts) for start, end, concepts in graph.match(tokens)]


@dataclass
class DESM(RetrievalModel):
    """Mean cosine of the query's words with the span's centroid.

    score(q, d) = 1/|q| Σ_i cos(e(q_i), D),  D = 1/|d| Σ_j e(d_j)/|e(d_j)|

    Source: Mitra et al. 2016, the row "DESM" of sigir2017 Table 1. The query is in the IN space of
    word2vec, the span in its IN or its OUT space (``syn1neg``).
    Ambiguity: sigir2017 states neither the space nor which vectors were used. The span is in the
    OUT space: a query and a document in two spaces are what the model is named after and proposed
    for; one space for both is what Mitra et al. compare it with. Vectors are those of the domain.
    Nothing is tuned. Words that the embedding lacks count in neither mean.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, DESM("biomedical-small"))
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(17.9)
    """

    vectors: str = "biomedical-small"
    space: str = "out"

    allowed: ClassVar = {"space": ("out", "in")}

    def _fit(self, index: SpanIndex) -> None:
        self.embedding = open_vectors(self.vectors)
        rows, _ = self.embedding.rows(index.vocabulary, output=self.space == "out")
        self.centroids = unit_rows(index.postings.T @ rows)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Mean cosine with all spans, shape (queries, spans); 0 for a query without known words."""
        terms, weights = weights_of(queries)
        rows, known = self.embedding.rows(terms)
        weights = weights * known
        total = weights.sum(axis=1, keepdims=True)
        mean = weights @ rows / np.where(total > 0, total, 1.0)
        return mean @ self.centroids.T
