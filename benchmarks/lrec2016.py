"""Training one class's weights, against the real Lucene running the same queries for each trial.

Run as ``python -m benchmarks.lrec2016 [COLLECTION [CLASS]]`` where Lucene 4.10 is installed (Debian's
``liblucene4.10-java``, or its jars in the folder CITECTX_LUCENE). Both work in one run on one core. Lucene's
time is its fastest of five rounds over all queries, times the trials of one hill climbing on all citations;
ours counts everything: gathering candidates, setting weights, and every trial.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from citectx.errors import MissingDataError
from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.rescoring import Query, Rescorer
from citectx.recommendation.training import climb
from tests.recommendation.oracle import ask, class_path, document_lines, query_line


def ours(index: FieldedIndex, queries: list[Query], depth: int | None) -> tuple[float, int]:
    """Return the seconds of building and one hill climbing, and its trials."""
    begun = time.process_time()
    found = climb(Rescorer.of(index, queries, depth), np.ones(len(queries), dtype=bool))
    return time.process_time() - begun, found.tried


def main() -> int:
    try:
        class_path()
    except MissingDataError as error:
        print(f"passed over: {error}")
        return 0
    name, kind = (sys.argv[1:] + ["planted", "Bac"][len(sys.argv) - 1 :])[:2]
    task = recommendation.load(name)
    asked = recommendation.Settings().selected(task)[kind]
    lines = document_lines(task.collection)
    boosts = [1.0] * len(task.collection.classes)
    lines += [query_line(0.0, c.terms, boosts) for c in asked] + ["B\t5"]
    with tempfile.TemporaryDirectory() as work:
        theirs = float(ask(lines, Path(work), "200", "quiet")[-1].split()[1])
    index = FieldedIndex.of(task.collection)
    queries = [Query.of(c, task.collection) for c in asked]
    print(f"{name}, {kind}: {len(asked)} queries on {len(task.collection):,} articles")
    print(f"Lucene 4.10, all queries         {1000 * theirs:10.1f} ms")
    for what, depth in (("200 re-ranked", 200), ("whole collection", None)):
        mine, trials = ours(index, queries, depth)
        ratio = theirs * trials / mine
        print(f"ours, {what:16} {trials:4} trials {mine:9.2f} s   {ratio:6.0f} times faster")
    return 0


if __name__ == "__main__":
    sys.exit(main())
