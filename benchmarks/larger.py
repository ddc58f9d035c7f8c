"""Our exact search beside tantivy: ``python -m benchmarks.larger`` writes ``search.csv``.

Work begins with labelled sentences in memory and ends with an index, or with the ten best articles
of a query. On real articles both also rank the targets of all citations of lrec2016 Figure 3, with
weights of 1 and with those trained for our search on the other folds.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.__main__ import write
from benchmarks.race import seconds
from citectx.beyond import search
from citectx.corpora import Document, full_texts, sources
from citectx.corpora.citation_integrity_files import FULL_TEXTS
from citectx.corpora.coresc import CLASSES
from citectx.papers.lrec2016 import training
from citectx.paths import ROOT
from citectx.recommendation.collection import Citation, Collection, Labels, citations
from citectx.recommendation.labelling import label_collection
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.planted import plant
from citectx.recommendation.training import DEPTH, Query, gains

SIZES, PLANTED, QUERIES, K = (3_000, 30_000, 100_000), 133, 100, 10  # 133 for each seed
ONES = dict.fromkeys(CLASSES, 1.0)
LabelsOf = Mapping[str, Labels]


def planted(size: int) -> tuple[list[Document], LabelsOf, list[Citation]]:
    documents, labels, asked = list[Document](), dict[str, Labels](), list[Citation]()
    for seed in range(-(-size // PLANTED)):
        (references, citing, marks, _), classes = plant(seed=seed, articles=PLANTED, citations=4)
        for document in references:
            name = f"{seed}-{document.doc_id}"
            documents.append(replace(document, doc_id=name))
            labels[name] = classes[document.doc_id]
        asked += citations(marks, citing, classes, classes)
    return documents[:size], labels, asked


def exact(documents: Sequence[Document], labels: LabelsOf) -> tuple[Collection, FieldedIndex]:
    collection = Collection.build(documents, labels)
    return collection, FieldedIndex.of(collection)


def tantivy(documents: Sequence[Document], labels: LabelsOf, folder: str) -> Any:
    fields = ((d.doc_id, search.fields_of(d, labels[d.doc_id])) for d in documents)
    return search.index(fields, CLASSES, folder)


def bytes_of(index: FieldedIndex) -> int:
    matrices = index.pairs, index.leaves
    parts = [part for m in matrices for part in (m.data, m.indices, m.indptr)]
    return sum(part.nbytes for part in (index.highest_leaves, index.idf, *parts))


def median(work: Callable[[Any], object], queries: Sequence[Any]) -> float:
    """Median milliseconds of processor time; the first query is asked once before."""
    spent = []
    for query in (queries[0], *queries):
        begun = time.process_time()
        work(query)
        spent.append(time.process_time() - begun)
    return 1000 * float(np.median(spent[1:]))


def measured(
    documents: Sequence[Document], labels: LabelsOf, asked: Sequence[Citation], folder: str
) -> tuple[pd.DataFrame, FieldedIndex, Any]:
    """Index and search with both; a row for each, and the indexes."""
    ours, (collection, index) = seconds(partial(exact, documents, labels))
    theirs, engine = seconds(partial(tantivy, documents, labels, folder))
    terms = [citation.terms for citation in asked[:QUERIES]]
    numbers = [[collection.term_number.get(t, -1) for t in query] for query in terms]
    exact_ms = median(lambda query: best(index.scores(query), K), numbers)
    tantivy_ms = median(lambda query: search.search(engine, query, ONES, K), terms)
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    rows = {
        "articles": len(documents),
        "engine": ["exact", "tantivy"],
        "weights": "1",
        "index_ms": 1000 * np.array([ours, theirs]) / len(documents),
        "kilobytes": np.array([bytes_of(index), size]) / len(documents) / 1000,
        "query_ms": [exact_ms, tantivy_ms],
    }
    return pd.DataFrame(rows), index, engine


def ranks(
    task: training.RecommendationTask, index: FieldedIndex, engine: Any, *, trained: bool
) -> Iterator[tuple[float, float]]:
    """Rank the target of each citation by our search and by tantivy."""
    ((tested, learnt),) = training.train(task).values()
    groups: Any = tested.groupby(["kind", "fold"])
    for number, rows in groups:
        weights = learnt.loc[number].to_numpy() if trained else np.ones(len(CLASSES))
        leaves = index.leaves.copy()
        leaves.data *= weights[leaves.indices]
        weighted = replace(index, leaves=leaves)
        boosts = dict(zip(CLASSES, weights.tolist(), strict=True))
        for citation in rows.itertuples():
            hits = search.search(engine, citation.terms, boosts, DEPTH + 1)
            names = [name for name, _ in hits if name != citation.citing_id]
            places = [i for i, name in enumerate(names, 1) if name == citation.target_id]
            ours = Query.of(citation, task.collection).rank(weighted)
            yield ours, min(places, default=np.inf)


def real(folder: str) -> pd.DataFrame:
    name = FULL_TEXTS
    texts = full_texts.read_full_texts(sources.folder(name))
    references, citing, *_ = texts
    labels = label_collection("references", references)
    task = training.task_of(name, texts, labels, label_collection("citing", citing))
    rows, index, engine = measured(references, labels, task.kinds["Met"], folder)
    tables = []
    for trained in (False, True):
        places = np.array(list(ranks(task, index, engine, trained=trained))).T  # (2, citations)
        mrr = np.where(places <= DEPTH, 1 / places, 0.0).mean(axis=1)
        ndcg = gains(places, normalised=True).mean(axis=1)
        weights = "trained" if trained else "1"
        tables.append(rows.assign(weights=weights, queries=places.shape[1], MRR=mrr, NDCG=ndcg))
    return pd.concat(tables)


def main() -> None:
    with TemporaryDirectory() as folder:
        tables = [real(folder).assign(collection="real", load=os.getloadavg()[1])]
    documents, labels, asked = planted(max(SIZES))
    for size in SIZES:
        with TemporaryDirectory() as folder:
            rows, *_ = measured(documents[:size], labels, asked, folder)
        tables.append(rows.assign(collection="planted", load=os.getloadavg()[1]))
    write(ROOT / "benchmarks" / "search.csv", pd.concat(tables).round(4))


if __name__ == "__main__":
    main()
