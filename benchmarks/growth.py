"""How time and memory grow: ``python -m benchmarks.growth`` writes ``growth.csv``.

Each work is done at 1, 4 and 16 times a size. An exponent of 1 is linear, of 2 is quadratic. Texts
are made up; every work begins with articles in memory.
"""

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.__main__ import write
from benchmarks.larger import exact, planted
from benchmarks.race import seconds, sentences
from citectx.corpora import Annotation, Citance, Corpus, Document, Topic
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.paths import ROOT
from citectx.recommendation.lucene import best
from citectx.retrieval import BM25, LMD, RetrievalModel
from citectx.types import Span

TIMES = (1, 4, 16)
WINDOWS = Protocol(max_sentences=5)
Work = Callable[[], object]


def corpus_of(topics: int, size: int, citances: int) -> Corpus:
    """Make up topics with articles of `size` sentences, of which one is the evidence."""
    rng = np.random.default_rng(0)
    made_up = (topic_of(f"T{i}", rng, size, citances) for i in range(topics))
    return Corpus("made up", tuple(made_up))


def topic_of(name: str, rng: np.random.Generator, size: int, citances: int) -> Topic:
    lines = [" ".join(words) for words in sentences(rng, size)]
    ends = np.cumsum([len(line) + 1 for line in lines]).tolist()
    spans = tuple(Span(end - len(line) - 1, end - 1) for line, end in zip(lines, ends, strict=True))
    article = Document(name, "\n".join(lines), sentences=spans)
    cited = []
    for i, words in enumerate(sentences(rng, citances)):
        marked = Annotation("A", (spans[rng.integers(size)],))
        text = " ".join(words)
        cited.append(Citance(str(i), f"citing {i}", text, annotations=(marked,)))
    return Topic(name, article, tuple(cited))


def prepare_and_score(corpus: Corpus, model: RetrievalModel) -> object:
    """Do what a row of Table 1 asks of each topic, without tuning."""
    return [topic.objective(model) for topic in prepare(corpus, WINDOWS)]


def score(topics: list[Prepared], model: RetrievalModel) -> object:
    return [topic.objective(model) for topic in topics]


def tune(topics: list[Prepared]) -> object:
    """Score all 30 variants of BM25, as tuning does when nothing is kept."""
    return [score(topics, variant) for variant in BM25.variants()]


def works(times: int) -> dict[tuple[str, str], tuple[int, Work]]:
    """Return each work at `times` its size: what grows, what is done, and its size."""
    size = 500 * times
    long = corpus_of(1, size, 25)
    cited = prepare(corpus_of(1, 250, 100 * times), WINDOWS)
    many = prepare(corpus_of(5 * times, 100, 10), WINDOWS)
    documents, labels, asked = planted(1_000 * times)
    collection, index = exact(documents, labels)
    numbers = [[collection.term_number.get(t, -1) for t in c.terms] for c in asked[:50]]

    def search() -> object:
        return [best(index.scores(query), 10) for query in numbers]

    return {
        ("sentences", "BM25 with indexing"): (size, partial(prepare_and_score, long, BM25())),
        ("sentences", "LMD with indexing"): (size, partial(prepare_and_score, long, LMD())),
        ("citances", "BM25, indexed before"): (100 * times, partial(score, cited, BM25())),
        ("topics", "tuning BM25"): (5 * times, partial(tune, many)),
        ("articles", "index of 11 fields"): (1_000 * times, partial(exact, documents, labels)),
        ("articles", "50 queries, indexed before"): (1_000 * times, search),
    }


def peak(work: Work) -> float:
    """Return the most memory that is held at a time, in MB."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def exponent(sizes: "pd.Series[float]", values: "pd.Series[float]") -> float:
    """Return the slope of values over sizes, both as logarithms.

    >>> exponent(pd.Series([1.0, 4.0, 16.0]), pd.Series([2.0, 32.0, 512.0])).round(3)
    np.float64(2.0)
    """
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def main() -> None:
    rows = []
    for times in TIMES:
        for (grows, work), (size, do) in works(times).items():
            do()  # fills caches of what does not grow
            spent, _ = seconds(do, 3)
            rows.append({"grows": grows, "work": work, "size": size, "seconds": spent})
            rows[-1]["megabytes"] = peak(do)
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    for name in ("seconds", "megabytes"):
        slopes = {of: exponent(rows["size"], rows[name]) for of, rows in table.groupby("work")}
        table[f"{name}_exponent"] = table["work"].map(slopes)
    write(ROOT / "benchmarks" / "growth.csv", table.sort_values(["grows", "work", "size"]).round(3))


if __name__ == "__main__":
    main()
