"""What an article costs to index, and a query to answer, as the collection grows.

Run as ``python -m benchmarks.lrec2016_scaling``: needs the open full texts and their labels. CPU
time of one core, so that a busy machine does not change them much; ``docs/scaling.md`` explains
what follows.
"""

import sys
import time

import numpy as np
import pandas as pd

from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.collection import Citation, Collection
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.training import Query, Rescorer

SIZES = (300, 1000, 2995)
QUERIES = 50


def first(collection: Collection, n: int) -> Collection:
    """Return the collection of the first n articles, with the vocabulary of all."""
    sentences = int(np.searchsorted(collection.sentence_doc, n))
    end = int(collection.sentence_end[sentences - 1])
    return Collection(
        collection.classes,
        collection.doc_ids[:n],
        collection.vocabulary,
        collection.tokens[:end],
        collection.sentence_end[:sentences],
        collection.sentence_doc[:sentences],
        collection.sentence_class[:sentences],
    )


def measure(collection: Collection, asked: list[Citation]) -> dict[str, float]:
    """CPU milliseconds and megabytes for one size."""
    n = len(collection)
    begun = time.process_time()
    index = FieldedIndex.of(collection)
    index.scores([0])  # norms and pairs are looked up once
    built = time.process_time() - begun
    targets = [c._replace(target_id=collection.doc_ids[i % n]) for i, c in enumerate(asked)]
    queries = [Query.of(c, collection) for c in targets]
    begun = time.process_time()
    for query in queries:
        index.scores(query.terms)
    scored = time.process_time() - begun
    rescorer = Rescorer.of(index, queries)
    begun = time.process_time()
    for field in range(len(index.fields)):
        rescorer.ranks(rescorer.with_weight(field, 7.0))
    swept = (time.process_time() - begun) / len(index.fields)
    size = sum(a.nbytes for a in (index.start, index.docs, index.field, index.tf, index.norm))
    return {
        "articles": n,
        "terms": int(collection.sentence_end[-1]),
        "index, ms an article": 1000 * built / n,
        "index, kB an article": size / n / 1000,
        "score, ms a query": 1000 * scored / len(queries),
        "one weight, ms a query": 1000 * swept / len(queries),
    }


def main(name: str = "citation-integrity-fulltext") -> None:
    task = recommendation.load(name)
    asked = [c for own in task.kinds.values() for c in own][:QUERIES]
    sizes = sorted({min(n, len(task.collection)) for n in SIZES})
    rows = [measure(first(task.collection, n), asked) for n in sizes]
    print(pd.DataFrame(rows).round(2).to_string(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
