"""BM25 of all windows of one to five sentences of a made-up article, beside bm25s."""

from functools import partial
from itertools import chain

import bm25s
import numpy as np

from benchmarks.race import Race, race, sentences
from citectx.corpora import Document
from citectx.language.spans import Candidates
from citectx.language.text import SentenceSplitter
from citectx.retrieval import BM25, Query, SpanIndex
from citectx.types import Span


def candidates_of(texts: list[list[str]]) -> Candidates:
    lines = [" ".join(text) for text in texts]
    ends = np.cumsum([len(line) + 1 for line in lines]).tolist()
    spans = tuple(Span(end - len(line) - 1, end - 1) for line, end in zip(lines, ends, strict=True))
    article = Document("benchmark", "\n".join(lines), sentences=spans)
    return Candidates.of(SentenceSplitter().sentences(article), max_sentences=5)


def fitted(candidates: Candidates) -> BM25:
    return BM25(k1=1.2, b=0.75).fit(SpanIndex(candidates, str.split))


def ours(model: BM25, queries: list[list[str]]) -> np.ndarray:
    return model.score([Query(dict.fromkeys(query, 1)) for query in queries])


def peer_of(windows: list[list[str]]) -> bm25s.BM25:
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    peer.index(windows, show_progress=False)
    return peer


def theirs(peer: bm25s.BM25, queries: list[list[str]]) -> np.ndarray:
    return np.array([peer.get_scores(query) for query in queries])


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    texts = sentences(rng, 300)
    candidates = candidates_of(texts)
    both = zip(candidates.first, candidates.last, strict=True)
    windows = [list(chain(*texts[first : last + 1])) for first, last in both]
    queries = [sorted(set(text)) for text in sentences(rng, 25)]
    same = partial(np.allclose, rtol=1e-5, atol=1e-5)  # bm25s keeps 32-bit floats
    model, peer = fitted(candidates), peer_of(windows)
    whole = lambda: ours(fitted(candidates), queries), lambda: theirs(peer_of(windows), queries)
    alone = partial(ours, model, queries), partial(theirs, peer, queries)
    return [
        race("BM25 with indexing", "bm25s", *whole, (5, 1), same),
        race("BM25, queries alone", "bm25s", *alone, (20, 10), same),
    ]
