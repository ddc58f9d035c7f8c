"""BM25 over all windows of an article: ours against bm25s, rank_bm25 and tantivy.

The article has 300 sentences, the queries are 25 citances; every one-to-five-sentence window is a
document (some 1,500 of them). With indexing, each contender starts from the same tokenised text and
ends with the scores of all windows for all citances; without it, from its own index. Text is drawn
from Zipf's law with a fixed seed, about as long as that of real articles.
"""

from dataclasses import dataclass
from functools import partial

import bm25s
import numpy as np
import tantivy
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


def index_of(task: Task) -> SpanIndex:
    return SpanIndex(task.candidates, str.split)


def model_of(task: Task) -> BM25:
    return BM25(k1=1.2, b=0.75, idf="lucene").fit(index_of(task))


def asked(model: BM25, task: Task) -> np.ndarray:
    model.index.latest("queries", None, lambda: None)  # forgets the queries asked last
    return model.score([Query(dict.fromkeys(q, 1)) for q in task.queries])


def bm25s_of(task: Task) -> bm25s.BM25:
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    peer.index(task.windows, show_progress=False)
    return peer


def rank_bm25_of(task: Task) -> BM25Okapi:
    return BM25Okapi(task.windows, k1=1.2, b=0.75)


def asked_peer(peer: bm25s.BM25 | BM25Okapi, task: Task) -> np.ndarray:
    return np.array([peer.get_scores(q) for q in task.queries])


def tantivy_of(task: Task) -> tantivy.Index:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for window in task.windows:
        writer.add_document(tantivy.Document(text=" ".join(window)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def tantivy_query(index: tantivy.Index, words: list[str]) -> tantivy.Query:
    terms = [tantivy.Query.term_query(index.schema, "text", word, "freq") for word in words]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])


def first_of_tantivy(index: tantivy.Index, queries: list[tantivy.Query]) -> list[list[float]]:
    """Return the ten highest scores for each citance."""
    searcher = index.searcher()
    found = (searcher.search(query, 10, count=False).hits for query in queries)
    return [[score for score, _ in hits] for hits in found]


def first_of_ours(model: BM25, task: Task) -> list[list[float]]:
    scores = asked(model, task)
    highest: list[list[float]] = np.sort(np.partition(scores, -10, axis=1)[:, -10:]).tolist()
    return highest


def same_as_bm25s(own: np.ndarray, peer: np.ndarray) -> bool:
    """Compare scores and ranking; bm25s keeps 32-bit floats, which may swap windows that tie."""
    order = np.argsort(-own, axis=1, kind="stable")
    fall = np.diff(np.take_along_axis(peer, order, axis=1), axis=1)
    return np.allclose(own, peer, rtol=1e-5, atol=1e-5) and fall.max() < 1e-5


WITH = "from the same tokens, through an index, to the scores of all 1,490 windows for 25 citances"
ALONE = "each from its own index in memory to the scores of all 1,490 windows for 25 citances"
OTHER_IDF = "the peer's idf is another, so scores are not compared"
TOP = "each from its own index in memory to the ten highest scores for 25 citances"


def races() -> list[Race]:
    task = make_task()
    model, fast, plain = model_of(task), bm25s_of(task), rank_bm25_of(task)
    alone = partial(asked, model, task)
    engine = tantivy_of(task)
    return [
        race(
            "BM25 with indexing",
            "bm25s",
            WITH,
            lambda: asked(model_of(task), task),
            lambda: asked_peer(bm25s_of(task), task),
            same=same_as_bm25s,
            repeats=(5, 1),
        ),
        race(
            "BM25 with indexing",
            "rank_bm25",
            f"{WITH}; {OTHER_IDF}",
            lambda: asked(model_of(task), task),
            lambda: asked_peer(rank_bm25_of(task), task),
            repeats=(5, 1),
        ),
        race(
            "BM25, queries alone",
            "bm25s",
            ALONE,
            alone,
            partial(asked_peer, fast, task),
            same=same_as_bm25s,
            repeats=(20, 10),
        ),
        race(
            "BM25, queries alone",
            "rank_bm25",
            f"{ALONE}; {OTHER_IDF}",
            alone,
            partial(asked_peer, plain, task),
            repeats=(20, 1),
        ),
        race(
            "BM25, ten best",
            "tantivy",
            f"{TOP}; tantivy keeps lengths in a byte, so scores differ a little, and need not "
            "look at windows that cannot be among the best",
            partial(first_of_ours, model, task),
            partial(first_of_tantivy, engine, [tantivy_query(engine, q) for q in task.queries]),
            repeats=(20, 10),
        ),
    ]
