"""BM25 of all windows of one to five sentences of a made-up article, beside four libraries.

bm25s has our formula. rank_bm25 has another idf, and tantivy keeps lengths in a byte: their scores
are not compared.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import bm25s
import numpy as np
import rank_bm25
import tantivy

from benchmarks.race import Race, race, sentences
from citectx.corpora import Document
from citectx.language.spans import Candidates
from citectx.language.text import SentenceSplitter
from citectx.recommendation.lucene import best
from citectx.retrieval import BM25, Query, SpanIndex
from citectx.types import Span

K1, B = 1.2, 0.75
RUNS = 9
TOP = 10
Words = Sequence[Sequence[str]]


def candidates_of(texts: list[list[str]]) -> Candidates:
    lines = [" ".join(text) for text in texts]
    ends = np.cumsum([len(line) + 1 for line in lines]).tolist()
    spans = tuple(Span(end - len(line) - 1, end - 1) for line, end in zip(lines, ends, strict=True))
    article = Document("benchmark", "\n".join(lines), sentences=spans)
    return Candidates.of(SentenceSplitter().sentences(article), max_sentences=5)


def fitted(candidates: Candidates) -> BM25:
    return BM25(k1=K1, b=B).fit(SpanIndex(candidates, str.split))


def ours(model: BM25, queries: Words) -> np.ndarray:
    return model.score([Query(dict.fromkeys(query, 1)) for query in queries])


def bm25s_of(windows: Words, backend: str) -> bm25s.BM25:
    peer = bm25s.BM25(k1=K1, b=B, method="lucene", backend=backend)
    peer.index(windows, show_progress=False)
    return peer


def scores(peer: Any, queries: Words) -> np.ndarray:
    return np.array([peer.get_scores(query) for query in queries])


def tantivy_of(windows: Words) -> tantivy.Index:
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace").build()
    index = tantivy.Index(schema)
    writer = index.writer(num_threads=1)
    for window in windows:
        writer.add_document(tantivy.Document(text=" ".join(window)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def hits(index: tantivy.Index, queries: Words) -> object:
    searcher = index.searcher()
    parsed = [index.parse_query(" ".join(query), ["text"]) for query in queries]
    return [searcher.search(query, limit=searcher.num_docs).hits for query in parsed]


class Peer(NamedTuple):
    """How a library indexes windows, how it scores queries, and whether its formula is ours."""

    build: Callable[[Words], Any]
    score: Callable[[Any, Words], Any]
    is_equal: bool


PEERS = {
    "bm25s": Peer(partial(bm25s_of, backend="numpy"), scores, True),
    "bm25s with numba": Peer(partial(bm25s_of, backend="numba"), scores, True),
    "rank_bm25": Peer(partial(rank_bm25.BM25Okapi, k1=K1, b=B), scores, False),
    "tantivy": Peer(tantivy_of, hits, False),
}


WHY = {
    "BM25, queries alone": "the same sparse product; ours has 64 bits, bm25s 32",
    "BM25, ten best": "ours finds the best of each query in Python; numba compiles that, too",
}


def ten_best(model: BM25, queries: Words) -> np.ndarray:
    """Return the ten highest scores of each query, as the libraries do beside their places."""
    scored = ours(model, queries)
    places = np.array([best(row, TOP) for row in scored])
    return np.take_along_axis(scored, places, axis=1)


def ten_best_of(peer: bm25s.BM25, queries: Words) -> np.ndarray:
    return peer.retrieve(queries, k=TOP, show_progress=False).scores


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    texts = sentences(rng, 300)
    candidates = candidates_of(texts)
    both = zip(candidates.first, candidates.last, strict=True)
    windows = [list(chain(*texts[first : last + 1])) for first, last in both]
    queries = [sorted(set(text)) for text in sentences(rng, 25)]
    model = fitted(candidates)
    score, rank = partial(ours, model, queries), partial(ten_best, model, queries)
    close = partial(np.allclose, rtol=1e-5, atol=1e-5)  # bm25s keeps 32-bit floats

    def index_and_score() -> np.ndarray:
        return ours(fitted(candidates), queries)

    found = []
    for name, peer in PEERS.items():
        index = peer.build(windows)
        same = close if peer.is_equal else None
        theirs = partial(peer.score, index, queries)
        theirs()  # numba compiles when it is first asked

        def whole(peer: Peer = peer) -> Any:
            return peer.score(peer.build(windows), queries)

        found += [
            race("BM25 with indexing", name, index_and_score, whole, (5, 1), same, RUNS),
            race("BM25, queries alone", name, score, theirs, (20, 5), same, RUNS),
        ]
        if peer.is_equal:
            theirs = partial(ten_best_of, index, queries)
            theirs()
            found.append(race("BM25, ten best", name, rank, theirs, (20, 5), close, RUNS))
    return [each._replace(why=WHY.get(each.work, "") * (each.ratio < 1)) for each in found]
