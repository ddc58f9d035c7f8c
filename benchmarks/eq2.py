"""Eq. 2 for all citances of an article: ours against the double loop over gensim's ``similarity``.

The article and its citances are a topic of the teaching corpus, all one-to-five-sentence windows
are spans, the vectors are the small biomedical ones. Both compute Σ_j s(q_i, d_j) for each query
word and span and end with the scores of all spans for all citances.
"""

import math
from functools import partial

import numpy as np
from gensim.models import KeyedVectors

from benchmarks.race import Race, race
from citectx import profiles
from citectx.embeddings import open_vectors
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.retrieval import EmbeddingLM, SpanIndex

NAME, MU = "biomedical-small", 100.0


def ours(topic: Prepared) -> np.ndarray:
    index = SpanIndex(topic.candidates, topic.index.analyzer)  # nothing is left from the run before
    model = EmbeddingLM(vectors=NAME, mu=MU, denominator="length", unseen="half")
    return model.fit(index).score(topic.queries)


def plain(topic: Prepared, vectors: KeyedVectors, tau: float) -> np.ndarray:
    """Write Eq. 2 down as one reads it, with |d| as denominator: span by span, word by word."""
    spans = [
        list(topic.index.analyzer(topic.candidates.text(i))) for i in range(len(topic.candidates))
    ]
    counts = topic.index.collection_counts
    total, row = counts.sum(), topic.index.vocabulary
    cut = math.log(19)

    def related(q: str, d: str) -> float:
        if q == d:
            return 1.0
        if q not in vectors or d not in vectors:
            return 0.0
        cosine = float(vectors.similarity(q, d))
        if cosine <= tau:
            return 0.0
        x = min(max(cosine, 0.5), 0.95)
        return math.log(x / (1 - x)) / cut

    scores = np.zeros((len(topic.queries), len(spans)))
    for i, query in enumerate(topic.queries):
        for term, weight in query.weights.items():
            frequency = np.array([sum(related(term, d) for d in span) for span in spans])
            if not frequency.any():
                continue
            prior = MU * (counts[row[term]] if term in row else 0.5) / total
            scores[i] += weight * np.log((frequency + prior) / (topic.index.lengths + MU))
    return scores


def races() -> list[Race]:
    topic = prepare(profiles.load("teaching"), Protocol(max_sentences=5))[0]
    vectors = open_vectors(NAME)
    keyed = KeyedVectors(vectors.dimensions)
    keyed.add_vectors(list(vectors.words), vectors.matrix)
    tau = vectors.threshold(2.0).tau
    own, loop = partial(ours, topic), partial(plain, topic, keyed, tau)
    own()  # τ is computed once for a set of vectors
    same = partial(np.allclose, atol=1e-6)
    return [race("Eq. 2", "loop over gensim's similarity", own, loop, 50, same=same, repeats=3)]
