"""Full search in fielded articles, beside Lucene 4.10; tests hold both scores together.

Needs the open collection and Lucene 4.10 (Debian's ``liblucene4.10-java``, or its jars in
CITECTX_LUCENE). Both start from an index in memory. Lucene's time is that of its searching thread,
in a process of its own, once Java has compiled what it runs.
"""

from functools import partial

import numpy as np

from benchmarks.race import RUNS, Race, seconds
from citectx.corpora.citation_integrity_files import FULL_TEXTS
from citectx.papers.lrec2016 import training
from citectx.recommendation.collection import Citation, Collection
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.training import DEPTH, Query
from tests.recommendation.oracle import ask, class_path, document_lines, query_line

SAMPLE, WARM_UP = 50, 5  # queries, and rounds until Java has compiled what it runs


def with_lucene(collection: Collection, asked: list[Citation]) -> list[float]:
    """Return Lucene's seconds for all queries, round by round."""
    boosts = [1.0] * len(collection.classes)
    lines = document_lines(collection)
    lines += [query_line(citation.terms, boosts) for citation in asked]
    lines.append(f"B\t{WARM_UP + RUNS}")
    printed = ask(lines, str(DEPTH), "quiet", options=())
    return [float(spent) for spent in printed[0].split()[1 + WARM_UP :]]


def with_ours(index: FieldedIndex, queries: list[Query]) -> object:
    return [best(index.scores(query.terms), DEPTH) for query in queries]


def races() -> list[Race]:
    class_path()
    task = training.load(FULL_TEXTS)
    collection, citations = task.collection, task.kinds["Met"]
    drawn = np.random.default_rng(0).choice(len(citations), SAMPLE, replace=False)
    asked = [citations[i] for i in drawn]
    queries = [Query.of(citation, collection) for citation in asked]
    ours = partial(with_ours, FieldedIndex.of(collection), queries)
    ours()  # the highest leaves belong to the index
    work = f"search, {SAMPLE} queries in {len(collection):,} articles"
    spent = [seconds(ours)[0] for _ in range(RUNS)]
    return [Race.of(work, "Lucene 4.10", spent, with_lucene(collection, asked))]
