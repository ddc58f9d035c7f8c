"""Domain knowledge in Eq. 2 (sigir2017 §2): retrofitted vectors, and synonyms in an interpolated model."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.retrofit import retrofit
from citectx.ontology import ANALYZER, SynonymGraph, open_vocabulary
from citectx.retrieval.embedding_lm import EmbeddingLM
from citectx.retrieval.index import Query, SpanIndex
from citectx.types import Floats

MESH_AND_PRO = ("mesh", "pro")
"""The two ontologies that sigir2017 names."""


_graph = lru_cache(maxsize=4)(open_vocabulary)


@lru_cache(maxsize=4)
def retrofitted(name: str, vocabulary: tuple[str, ...]) -> Vectors:
    """Pull the vectors of synonyms together, and give them a name of their own.

    Source: sigir2017 §2, Domain knowledge 1; see `citectx.embeddings.retrofit`.
    """
    vectors = open_vectors(name)
    pairs = _graph(vocabulary).edges(vectors.words)
    edges = np.array([[vectors.index[a], vectors.index[b]] for a, b in pairs], dtype=np.int64).reshape(-1, 2)
    card = {**vectors.card, "name": f"{vectors.card['name']}+rtrft({'+'.join(vocabulary)})"}
    return replace(vectors, matrix=retrofit(vectors.matrix, edges), output=None, card=card)


@dataclass
class WEBioRetrofitted(EmbeddingLM):
    """Row "WE_Bio+rtrft": Eq. 2 with biomedical vectors retrofitted to an ontology.

    Ambiguity: sigir2017 does not say whether τ is computed before or after retrofitting; we take the vectors
    that are used.

    Parameters
    ----------
    vocabulary : tuple of str
        Names of vocabularies, for `citectx.ontology.open_vocabulary`.
    """

    vocabulary: tuple[str, ...] = MESH_AND_PRO
    needs_vocabulary: ClassVar = True

    def _open(self) -> Vectors:
        return retrofitted(self.vectors, self.vocabulary)


@dataclass
class WEBioInterpolated(EmbeddingLM):
    """Row "WE_Bio+dmn": Eq. 2 interpolated with the same model over an ontology's synonyms.

    p(q_i|d) = λ·p_1(q_i|d) + (1 − λ)·p_2(q_i|d); p_1 is Eq. 2, and p_2 has f_ont for f_sem:
    f_ont(q_i,d) = Σ_{d_j∈d} s_2(q_i,d_j),  s_2 = 1 for the same word, γ for a synonym, else 0

    Source: sigir2017 §2, Domain knowledge 2.

    Ambiguity: q_i and d_j are words, but most names of an ontology are phrases. A word of the query stands
    for the names that it is part of, found by greedy longest match in the citance; each mention of such a
    concept in the span by a name without that word counts γ.

    Ambiguity: the sum over V in p_2's denominator runs over the words of the article, each on its own.

    Ambiguity: p(q_i|C) of a query word that neither the article has nor any relative of it, but whose synonym
    it names: the share of these mentions, with γ, takes the place of the relatives' share.

    Notes
    -----
    The grid was fixed before it was run; with two kinds of vectors it has 144 variants. λ = 1 is Eq. 2 alone,
    λ = 0 the ontology alone, and γ = 0 leaves exact matches in it. What Eq. 2 itself leaves open is at its
    default here.

    Parameters
    ----------
    weight : float
        λ, in [0, 1].
    gamma : float
        γ, in [0, 1].
    vocabulary : tuple of str
        Names of vocabularies, for `citectx.ontology.open_vocabulary`.

    Raises
    ------
    ParameterError
        If λ or γ is outside [0, 1].
    """

    weight: float = 0.5
    gamma: float = 0.5
    vocabulary: tuple[str, ...] = MESH_AND_PRO

    grid: ClassVar = {
        "mu": (10.0, 50.0, 250.0),
        "weight": (0.0, 0.3, 0.7, 1.0),
        "gamma": (0.0, 0.5, 1.0),
        "unseen": ("related", "out"),
    }
    allowed: ClassVar = EmbeddingLM.allowed | {"weight": "[0, 1]", "gamma": "[0, 1]"}
    needs_vocabulary: ClassVar = True

    def _fit(self, index: SpanIndex) -> None:
        super()._fit(index)
        graph = _graph(self.vocabulary)
        self.mentions = index.remember(("mentions", self.vocabulary), lambda: Mentions(index, graph))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Log likelihood of each query under all spans, shape (queries, spans)."""
        scores = np.zeros((len(queries), self.index.shape[1]))
        if queries:
            terms = sorted({term for query in queries for term in query.weights})
            frequency, column = self._frequency(terms), {term: i for i, term in enumerate(terms)}
            for i, query in enumerate(queries):
                rows = np.array([column[term] for term in query.weights], dtype=np.int64)
                scores[i] = self._likelihood(frequency[rows], query)
        return scores

    def _likelihood(self, frequency: Floats, query: Query) -> Floats:
        terms = list(query.weights)
        key = ("synonyms", self.vocabulary, query.text, tuple(terms))
        synonyms = self.gamma * self.index.remember(key, lambda: self.mentions.of_terms(terms, query.text))
        places = np.array([self.index.vocabulary.get(t, -1) for t in terms], dtype=np.int64)
        exact = np.where(places[:, None] >= 0, self.index.dense[places], 0.0)
        found = frequency.sum(axis=1)
        prior = self.mu * self._prior(terms, np.where(found > 0, found, synonyms.sum(axis=1)))
        total = frequency.sum(axis=0) if self.denominator == "query" else self._total()
        first = (frequency + prior[:, None]) / (total + self.mu)
        lengths = self.index.lengths + self.gamma * self.mentions.total
        second = (exact + synonyms + prior[:, None]) / (lengths + self.mu)
        used = (found + (1 - self.weight) * synonyms.sum(axis=1) > 0) & self._usable(terms)
        weights = np.array(list(query.weights.values()), dtype=np.float64)[used]
        mixed: Floats = self.weight * first[used] + (1 - self.weight) * second[used]
        return np.asarray(weights @ np.log(mixed))


class Mentions:
    """Where an article names the concepts of an ontology.

    Parameters
    ----------
    index : SpanIndex
    graph : SynonymGraph

    Attributes
    ----------
    total : float array, shape (spans,)
        Σ_w over the words w of the article: mentions in a span of w's concepts by another name.
    """

    def __init__(self, index: SpanIndex, graph: SynonymGraph) -> None:
        self.graph, self.index = graph, index
        self.words: list[frozenset[str]] = []  # of each mention
        self.by_concept: dict[str, list[int]] = defaultdict(list)
        sentence_of = []
        for sentence, text in enumerate(index.candidates.sentences.texts()):
            tokens = list(ANALYZER(text))
            for match in graph.match(tokens):
                for concept in match.concepts:
                    self.by_concept[concept].append(len(self.words))
                self.words.append(frozenset(tokens[match.start : match.end]))
                sentence_of.append(sentence)
        here = sp.csr_array(
            (np.ones(len(sentence_of)), (np.arange(len(sentence_of)), sentence_of)),
            shape=(len(sentence_of), len(index.candidates.sentences)),
        )
        self.spans = sp.csr_array(here @ index.candidates.membership().T.tocsr())
        alone = [self._elsewhere(word, graph.concepts(word)) for word in index.vocabulary]
        self.total: Floats = self._sum(alone).sum(axis=0)

    def of_terms(self, terms: Sequence[str], text: str) -> Floats:
        """Count, for each term of a query, mentions of its concepts by other names, shape (terms, spans)."""
        concepts: dict[str, set[str]] = defaultdict(set)
        tokens = list(ANALYZER(text))
        for match in self.graph.match(tokens):
            for token in tokens[match.start : match.end]:
                concepts[token].update(match.concepts)
        return self._sum([self._elsewhere(term, concepts[term]) for term in terms])

    def _elsewhere(self, term: str, concepts: Iterable[str]) -> list[int]:
        found = {mention for concept in concepts for mention in self.by_concept.get(concept, ())}
        return sorted(mention for mention in found if term not in self.words[mention])

    def _sum(self, mentions: list[list[int]]) -> Floats:
        columns = [m for row in mentions for m in row]
        indptr = np.cumsum([0, *map(len, mentions)])
        shape = (len(mentions), len(self.words))
        counts: Floats = (sp.csr_array((np.ones(len(columns)), columns, indptr), shape=shape) @ self.spans).toarray()
        return counts
