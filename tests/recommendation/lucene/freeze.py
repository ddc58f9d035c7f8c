"""Write ``scores.json``: what the real Lucene gives for 40 random queries on 300 random documents.

Run as ``python -m tests.recommendation.lucene.freeze`` where Lucene 4.10 is installed.
"""

import json
from pathlib import Path

from citectx.storage import write_atomically
from tests.recommendation.oracle import (
    ask,
    document_lines,
    query_line,
    random_collection,
    random_queries,
)

SEED, QUERIES = 6, 40


def main() -> None:
    queries = random_queries(SEED, QUERIES)
    lines = document_lines(random_collection(SEED)) + [query_line(*query) for query in queries]
    docs: list[list[int]] = [[] for _ in queries]
    scores: list[list[float]] = [[] for _ in queries]
    for query, doc, score in map(str.split, ask(lines)):
        docs[int(query)].append(int(doc))
        scores[int(query)].append(float(score))
    rows = [[*row] for row in zip(*zip(*queries, strict=True), docs, scores, strict=True)]
    write_atomically(Path(__file__).with_name("scores.json"), (json.dumps(rows) + "\n").encode())


if __name__ == "__main__":
    main()
