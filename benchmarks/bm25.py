"""BM25 over all windows of an article, beside bm25s.

The article has 300 made-up sentences, the queries are 25 citances; every window of one to five
sentences is a document, some 1,500 of them.
"""

from functools import partial
from typing import NamedTuple

import bm25s
import numpy as np

from benchmarks.race import Race, race, zipf_words
from citectx.corpora import Document
from citectx.language.spans import Candidates
from citectx.language.text import SentenceSplitter
from citectx.retrieval import BM25, Query, SpanIndex
from citectx.types import Span

SENTENCES, QUERIES, LONGEST = 300, 25, 5


class Work(NamedTuple):
    """Windows as candidates for us, as lists of tokens for the peer."""

    candidates: Candidates
    windows: list[list[str]]
    queries: list[list[str]]


def make_work() -> Work:
    rng = np.random.default_rng(0)
    words, shares = zipf_words(6000)
    sentences = [
        rng.choice(words, rng.integers(8, 24), p=shares).tolist() for _ in range(SENTENCES)
    ]
    lines = [" ".join(sentence) for sentence in sentences]
    ends = np.cumsum([len(line) + 1 for line in lines]).tolist()
    spans = tuple(Span(end - len(line) - 1, end - 1) for line, end in zip(lines, ends, strict=True))
    article = Document("benchmark", "\n".join(lines), sentences=spans)
    candidates = Candidates.of(SentenceSplitter().sentences(article), LONGEST)
    windows = [
        [word for sentence in sentences[first : last + 1] for word in sentence]
        for first, last in zip(candidates.first, candidates.last, strict=True)
    ]
    queries = [sorted({*rng.choice(words, 18, p=shares).tolist()}) for _ in range(QUERIES)]
    return Work(candidates, windows, queries)


def model_of(work: Work) -> BM25:
    index = SpanIndex(work.candidates, str.split)
    return BM25(k1=1.2, b=0.75, idf="lucene").fit(index)


def asked(model: BM25, work: Work) -> np.ndarray:
    return model.score([Query(dict.fromkeys(query, 1)) for query in work.queries])


def peer_of(work: Work) -> bm25s.BM25:
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    peer.index(work.windows, show_progress=False)
    return peer


def asked_peer(peer: bm25s.BM25, work: Work) -> np.ndarray:
    return np.array([peer.get_scores(query) for query in work.queries])


def same(own: np.ndarray, peer: np.ndarray) -> bool:
    """Compare scores and ranking; bm25s keeps 32-bit floats, which may swap windows that tie."""
    order = np.argsort(-own, axis=1, kind="stable")
    fall = np.diff(np.take_along_axis(peer, order, axis=1), axis=1)
    return np.allclose(own, peer, rtol=1e-5, atol=1e-5) and fall.max() < 1e-5


def races() -> list[Race]:
    work = make_work()
    model, peer = model_of(work), peer_of(work)
    return [
        race(
            "BM25 with indexing",
            "bm25s",
            "from the same tokens, through an index, to the scores of all 1,490 windows for 25 "
            "citances",
            lambda: asked(model_of(work), work),
            lambda: asked_peer(peer_of(work), work),
            same=same,
            repeats=(5, 1),
        ),
        race(
            "BM25, queries alone",
            "bm25s",
            "each from its own index in memory to the scores of all 1,490 windows for 25 citances",
            partial(asked, model, work),
            partial(asked_peer, peer, work),
            same=same,
            repeats=(20, 10),
        ),
    ]
