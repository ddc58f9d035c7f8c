"""Full search in fielded articles, and hill climbing on its weights, beside Lucene and tantivy.

Needs the open collection and Lucene 4.10 (Debian's ``liblucene4.10-java``, or its jars in
CITECTX_LUCENE). All start from an index in memory. Times are processor time, Lucene's that of its
searching thread once Java has compiled what it runs. It runs in a process of its own, so not in
turn with ours.
"""

import time
from dataclasses import replace
from functools import partial

import numpy as np
import tantivy

from benchmarks.race import RUNS, Race, measured, race, seconds
from citectx.corpora import citation_integrity
from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.collection import Citation, Collection
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.training import Query, Rescorer, climb
from tests.recommendation.oracle import ask, class_path, document_lines, query_line

KIND = "Met"
DEPTH = 200
SAMPLE = 50
WARM_UP = 5  # rounds until Java has compiled what it runs


def sampled(citations: tuple[Citation, ...]) -> list[Citation]:
    drawn = np.random.default_rng(0).choice(len(citations), SAMPLE, replace=False)
    return [citations[i] for i in drawn]


def with_lucene(collection: Collection, asked: list[Citation]) -> list[float]:
    """Return Lucene's seconds for all queries, round by round."""
    boosts = [1.0] * len(collection.classes)
    lines = document_lines(collection)
    lines += [query_line(0.0, c.terms, boosts) for c in asked]
    lines.append(f"B\t{WARM_UP + RUNS}")
    printed = ask(lines, str(DEPTH), "quiet", options=())
    return [float(x) for x in printed[0].split()[1 + WARM_UP :]]


def searched(index: FieldedIndex, queries: list[Query]) -> list[np.ndarray]:
    return [best(index.scores(query.terms), DEPTH) for query in queries]


def tantivy_of(collection: Collection) -> tantivy.Index:
    builder = tantivy.SchemaBuilder()
    for name in collection.classes:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for line in document_lines(collection):
        parts = (part.partition("=") for part in line.split("\t")[1:])
        writer.add_document(tantivy.Document(**{name: [text] for name, _, text in parts}))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def tantivy_query(
    index: tantivy.Index, citation: Citation, fields: tuple[str, ...]
) -> tantivy.Query:
    """Make one DisjunctionMax over the fields for each term, as Lucene has it."""
    clauses = []
    for term in citation.terms:
        ways = [tantivy.Query.term_query(index.schema, f, term, "freq") for f in fields]
        clauses.append((tantivy.Occur.Should, tantivy.Query.disjunction_max_query(ways)))
    return tantivy.Query.boolean_query(clauses)


def with_tantivy(index: tantivy.Index, queries: list[tantivy.Query]) -> list[object]:
    searcher = index.searcher()
    return [searcher.search(query, DEPTH, count=False) for query in queries]


def climbed(index: FieldedIndex, queries: list[Query]) -> tuple[float, int]:
    """Return the seconds of building and one hill climbing, and how many weights it tried."""
    fresh = replace(index)  # without what it remembers from the run before
    begun = time.process_time()
    rescorer = Rescorer.of(fresh, queries, DEPTH)
    climb(rescorer, np.ones(len(queries), dtype=bool))
    return time.process_time() - begun, len(rescorer.remembered)


def races() -> list[Race]:
    class_path()
    task = recommendation.load(citation_integrity.FULL_TEXTS)
    collection, index = task.collection, FieldedIndex.of(task.collection)
    asked = sampled(task.kinds[KIND])
    queries = [Query.of(citation, collection) for citation in asked]

    def own() -> list[object]:
        return [*searched(index, queries)]

    own()  # norms and pairs belong to the index
    work = f"search, {SAMPLE} queries in {len(collection):,} articles"
    to_best = f"each from its own index in memory to the {DEPTH} best of {SAMPLE} queries"
    lucenes = with_lucene(collection, asked)
    engine = tantivy_of(collection)
    its_queries = [tantivy_query(engine, c, collection.classes) for c in asked]
    found = [
        measured(
            work,
            "Lucene 4.10",
            f"{to_best}, all {len(collection.classes)} fields; tests hold the scores of both "
            "against each other",
            [seconds(own)[0] for _ in range(RUNS)],
            lucenes,
        ),
        race(
            work,
            "tantivy",
            f"{to_best}, all {len(collection.classes)} fields; tantivy's score is BM25, ours is "
            "Lucene's classic one, so what is found is not compared",
            own,
            partial(with_tantivy, engine, its_queries),
            repeats=(2, 2),
        ),
    ]
    every = [Query.of(citation, collection) for citation in task.kinds[KIND]]
    times, trials = zip(*(climbed(index, every) for _ in range(RUNS)), strict=True)
    share = len(every) / SAMPLE
    found.append(
        measured(
            f"hill climbing, class {KIND}",
            "Lucene 4.10, a search for each trial",
            f"not the same work: ours searches once and scores {DEPTH} candidates of a query again "
            f"for each of {trials[0]} trials of weights; the peer's time is that of searching "
            f"for each trial, counted up from {SAMPLE} of {len(every)} queries",
            times,
            [share * trials[0] * spent for spent in lucenes],
        )
    )
    return found
