"""Re-scoring a class's queries after one weight change, against the real Lucene running the same queries.

Run as ``python -m benchmarks.lrec2016 [COLLECTION [CLASS]]`` where Lucene 4.10 is installed (Debian's
``liblucene4.10-java``, or its jars in the folder CITECTX_LUCENE). Both work in one run on one core; Lucene's
time is its fastest of five rounds, ours the median over all fields.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from citectx.errors import MissingDataError
from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.rescoring import Query, Rescorer
from citectx.recommendation.training import gains
from tests.recommendation.oracle import ask, class_path, document_lines, query_line


def ours(rescorer: Rescorer) -> float:
    """Seconds from a new weight to the new mean gain."""
    times = []
    for field in range(rescorer.fields):
        begun = time.process_time()
        gains(rescorer.ranks(rescorer.with_weight(field, 7.0))).mean()
        times.append(time.process_time() - begun)
    return statistics.median(times)


def main() -> int:
    try:
        class_path()
    except MissingDataError as error:
        print(f"passed over: {error}")
        return 0
    name, kind = (sys.argv[1:] + ["planted", "Bac"][len(sys.argv) - 1 :])[:2]
    task = recommendation.load(name)
    asked = task.kinds[kind]
    lines = document_lines(task.collection)
    boosts = np.ones(len(task.collection.classes))
    lines += [query_line(0.0, c.terms, boosts) for c in asked] + ["B\t5"]
    with tempfile.TemporaryDirectory() as work:
        theirs = float(ask(lines, Path(work), "200", "quiet")[-1].split()[1])
    index = FieldedIndex.of(task.collection)
    queries = [Query.of(c, task.collection) for c in asked]
    print(f"{name}, {kind}: {len(asked)} queries on {len(task.collection):,} articles")
    print(f"Lucene 4.10, all queries         {1000 * theirs:10.1f} ms")
    for what, depth in (("200 re-ranked", 200), ("whole collection", None)):
        mine = ours(Rescorer.of(index, queries, depth))
        print(f"ours, one weight, {what:16} {1000 * mine:9.2f} ms   {theirs / mine:6.0f} times faster")
    return 0


if __name__ == "__main__":
    sys.exit(main())
