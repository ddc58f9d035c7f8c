"""Write ``scores.json``: what the real Lucene gives for 40 random queries on 300 random documents.

Run as ``python -m tests.recommendation.lucene.freeze`` where Lucene 4.10 is installed.
"""

import json
from itertools import groupby
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
    lines = document_lines(random_collection(SEED))
    lines += [query_line(*query) for query in random_queries(SEED, QUERIES)]
    printed = [line.split() for line in ask(lines)]
    found = {int(q): list(rows) for q, rows in groupby(printed, key=lambda row: row[0])}
    rows = [
        [q, [int(d) for _, d, _ in found.get(q, [])], [float(s) for *_, s in found.get(q, [])]]
        for q in range(QUERIES)
    ]
    write_atomically(Path(__file__).with_name("scores.json"), (json.dumps(rows) + "\n").encode())


if __name__ == "__main__":
    main()
