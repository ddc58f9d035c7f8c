"""Eq. 2 for all citances of an article, beside numpy by hand.

Once for an article of the teaching corpus, and once for all five of it as one article, which is as
long as real ones are.
"""

from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from benchmarks.race import Race, race
from citectx import profiles
from citectx.corpora import Corpus, Document
from citectx.embeddings import Vectors, open_vectors
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.retrieval import EmbeddingLM, Query, SpanIndex

NAME, MU, CAP = "biomedical-small", 100.0, 0.95
ANALYZER = Analyzer()
WHY = "in so short an article, finding vectors and τ by name and making sparse matrices weigh most"


class Task(NamedTuple):
    """The spans of an article, and what is asked of it."""

    spans: Candidates
    queries: list[Query]


def task_of(corpus: Corpus) -> Task:
    """Take the articles of a corpus as one, and ask it what all their citances say."""
    text = "\n".join(topic.reference.text for topic in corpus.topics)
    sentences = SentenceSplitter().sentences(Document("joined", text))
    citances = chain.from_iterable(topic.citances for topic in corpus.topics)
    queries = [Query.of_citance(citance, ANALYZER) for citance in citances]
    return Task(Candidates.of(sentences, max_sentences=5), queries)


def ours(task: Task) -> np.ndarray:
    index = SpanIndex(task.spans, ANALYZER)  # nothing is left from the run before
    model = EmbeddingLM(vectors=NAME, mu=MU, denominator="length", unseen="half")
    return model.fit(index).score(task.queries)


def by_hand(task: Task, vectors: Vectors, tau: float) -> np.ndarray:
    """Count sentences, add them up to spans, multiply; the denominator is |d| + μ."""
    spans, queries = task
    sentences = [list(ANALYZER(text)) for text in spans.sentences.texts()]
    words = sorted({word for sentence in sentences for word in sentence})
    asked = sorted({term for query in queries for term in query.weights})
    column = {word: i for i, word in enumerate(words)}
    sums = np.zeros((len(sentences) + 1, len(words)))
    for row, sentence in zip(sums[1:], sentences, strict=True):
        np.add.at(row, [column[word] for word in sentence], 1)
    sums = sums.cumsum(axis=0)
    counts = sums[np.asarray(spans.last) + 1] - sums[np.asarray(spans.first)]

    cosine = vectors.rows(asked)[0] @ vectors.rows(words)[0].T
    x = np.clip(cosine.astype(np.float64), 0.5, CAP)
    related = np.where(cosine > tau, np.log(x / (1 - x)) / np.log(CAP / (1 - CAP)), 0.0)
    known = np.array([term in column for term in asked])
    places = [column[term] for term in asked if term in column]
    related[known, places] = 1.0
    frequency = related @ counts.T

    seen = np.full(len(asked), 0.5)
    seen[known] = counts.sum(axis=0)[places]
    prior = MU * seen / counts.sum()
    weights = np.array([[query.weights.get(t, 0.0) for t in asked] for query in queries])
    weights[:, ~frequency.any(axis=1)] = 0.0
    likelihood: np.ndarray = weights @ np.log(np.maximum(frequency + prior[:, None], 1e-300))
    likelihood -= weights.sum(axis=1)[:, None] * np.log(counts.sum(axis=1) + MU)
    return likelihood


def races() -> list[Race]:
    teaching = profiles.load("teaching")
    vectors = open_vectors(NAME)
    tau = vectors.threshold(2.0).tau  # once for a set of vectors
    same = partial(np.allclose, atol=1e-6)
    found = []
    for corpus in (Corpus("one", teaching.topics[:1]), teaching):
        task = task_of(corpus)
        work = f"Eq. 2, {len(task.queries)} citances of {len(task.spans.sentences)} sentences"
        theirs = partial(by_hand, task, vectors, tau)
        found.append(race(work, "numpy by hand", partial(ours, task), theirs, (10, 10), same))
    short, long = found
    return [short._replace(why=WHY), long]
