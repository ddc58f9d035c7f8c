"""BM25 over all windows of an article: ours against bm25s and rank_bm25.

The article has 300 sentences, the queries are 25 citances; every one-to-five-sentence window is a
document (some 1,500 of them). Each contender starts from the same tokenised text and ends with the
scores of all windows for all citances. Text is drawn from Zipf's law with a fixed seed, about as
long as that of real articles.
"""

from dataclasses import dataclass
from functools import partial

import bm25s
import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks.race import Race, race
from citectx.corpora import Document
from citectx.language.spans import Candidates
from citectx.language.text import SentenceSplitter
from citectx.retrieval import BM25, Query, SpanIndex
from citectx.types import Span

SENTENCES, QUERIES, LONGEST = 300, 25, 5


@dataclass
class Task:
    """The work: windows as token lists for the peers, as candidates for us."""

    candidates: Candidates
    windows: list[list[str]]
    queries: list[list[str]]


def make_task() -> Task:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(6000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    frequencies /= frequencies.sum()
    sentences = [
        rng.choice(words, rng.integers(8, 24), p=frequencies).tolist() for _ in range(SENTENCES)
    ]
    lines = [" ".join(s) for s in sentences]
    ends = np.cumsum([len(line) + 1 for line in lines])
    spans = tuple(
        Span(int(end) - len(line) - 1, int(end) - 1) for line, end in zip(lines, ends, strict=True)
    )
    article = Document("benchmark", "\n".join(lines), sentences=spans)
    candidates = Candidates.of(SentenceSplitter().sentences(article), LONGEST)
    windows = [
        [w for s in sentences[a : b + 1] for w in s]
        for a, b in zip(candidates.first, candidates.last, strict=True)
    ]
    queries = [sorted(set(rng.choice(words, 18, p=frequencies).tolist())) for _ in range(QUERIES)]
    return Task(candidates, windows, queries)


def ours(task: Task) -> np.ndarray:
    model = BM25(k1=1.2, b=0.75, idf="lucene").fit(SpanIndex(task.candidates, str.split))
    return model.score([Query(dict.fromkeys(q, 1)) for q in task.queries])


def with_bm25s(task: Task) -> np.ndarray:
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    peer.index(task.windows, show_progress=False)
    return np.array([peer.get_scores(q) for q in task.queries])


def with_rank_bm25(task: Task) -> np.ndarray:
    peer = BM25Okapi(task.windows, k1=1.2, b=0.75)
    return np.array([peer.get_scores(q) for q in task.queries])


def same_as_bm25s(own: np.ndarray, peer: np.ndarray) -> bool:
    """Compare scores and ranking; bm25s keeps 32-bit floats, which may swap windows that tie."""
    order = np.argsort(-own, axis=1, kind="stable")
    fall = np.diff(np.take_along_axis(peer, order, axis=1), axis=1)
    return np.allclose(own, peer, rtol=1e-5, atol=1e-5) and fall.max() < 1e-5


def races() -> list[Race]:
    task = make_task()
    own = partial(ours, task)
    return [
        race("BM25", "bm25s", own, partial(with_bm25s, task), 1, same=same_as_bm25s, repeats=5),
        race("BM25", "rank_bm25", own, partial(with_rank_bm25, task), 20, repeats=5),
    ]
