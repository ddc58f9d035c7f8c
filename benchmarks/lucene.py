"""Full search in fielded articles, beside Lucene 4.10 and tantivy.

Needs the open collection and Lucene 4.10 (Debian's ``liblucene4.10-java``, or its jars in
CITECTX_LUCENE). All start from an index in memory. Lucene's time is that of its searching thread,
in a process of its own, once Java has compiled what it runs.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.race import RUNS, Race, measured, race, seconds
from citectx import search
from citectx.corpora import citation_integrity
from citectx.papers.lrec2016 import training
from citectx.recommendation.collection import Citation, Collection
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.training import Query
from tests.recommendation.oracle import ask, class_path, document_lines, query_line

DEPTH, SAMPLE = 200, 50
WARM_UP = 5  # rounds until Java has compiled what it runs


def with_lucene(collection: Collection, asked: list[Citation]) -> list[float]:
    """Return Lucene's seconds for all queries, round by round."""
    boosts = [1.0] * len(collection.classes)
    lines = document_lines(collection)
    lines += [query_line(citation.terms, boosts) for citation in asked]
    lines.append(f"B\t{WARM_UP + RUNS}")
    printed = ask(lines, str(DEPTH), "quiet", options=())
    return [float(spent) for spent in printed[0].split()[1 + WARM_UP :]]


def tantivy_of(collection: Collection) -> Any:
    articles = []
    for line in document_lines(collection):
        name, *fields = line.split("\t")
        articles.append((name, dict(field.split("=", 1) for field in fields)))
    return search.index(articles, collection.classes)


def with_tantivy(searcher: Any, queries: list[Any]) -> object:
    return [searcher.search(query, DEPTH, count=False) for query in queries]


def with_ours(index: FieldedIndex, queries: list[Query]) -> object:
    return [best(index.scores(query.terms), DEPTH) for query in queries]


def races() -> list[Race]:
    class_path()
    task = training.load(citation_integrity.FULL_TEXTS)
    collection, citations = task.collection, task.kinds["Met"]
    drawn = np.random.default_rng(0).choice(len(citations), SAMPLE, replace=False)
    asked = [citations[i] for i in drawn]
    queries = [Query.of(citation, collection) for citation in asked]
    ours = partial(with_ours, FieldedIndex.of(collection), queries)
    ours()  # the highest leaves belong to the index
    index, boosts = tantivy_of(collection), dict.fromkeys(collection.classes, 1.0)
    their_queries = [search.tantivy_query(index.schema, c.terms, boosts) for c in asked]
    theirs = partial(with_tantivy, index.searcher(), their_queries)
    work = f"search, {SAMPLE} queries in {len(collection):,} articles"
    own = [seconds(ours)[0] for _ in range(RUNS)]
    compares = f"each from its own index in memory to the {DEPTH} best of {SAMPLE} queries, all 11 "
    compares += "fields; "
    same = f"{compares}tests hold the scores of both against each other"
    other = f"{compares}tantivy ranks by BM25, we by Lucene's classic score, so hits may differ"
    return [
        measured(work, "Lucene 4.10", same, own, with_lucene(collection, asked)),
        race(work, "tantivy", other, ours, theirs, repeats=(2, 2)),
    ]
