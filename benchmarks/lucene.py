"""Training one class's weights, against the real Lucene running the same queries for each trial.

Needs Lucene 4.10 (Debian's ``liblucene4.10-java``, or its jars in the folder CITECTX_LUCENE), and takes the
open collection where it is labelled, else the planted one. Lucene's time is that of all queries of a class,
times the trials of one hill climbing on all citations; ours counts everything: gathering candidates, setting
weights, and every trial.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.race import RUNS, Race, measured
from citectx.corpora import fulltext
from citectx.errors import MissingDataError
from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.rescoring import Query, Rescorer
from citectx.recommendation.training import climb
from tests.recommendation.oracle import ask, class_path, document_lines, query_line

PROMISED = {"Met": 300, "Bac": 300}
DEPTH = 200


def races() -> list[Race]:
    class_path()
    try:
        task = recommendation.load(fulltext.NAME)
    except MissingDataError:
        task = recommendation.load("planted")
    index = FieldedIndex.of(task.collection)
    selected = recommendation.Settings().selected(task)
    found = []
    for kind, ratio in PROMISED.items():
        theirs = lucene(task, selected[kind])
        queries = [Query.of(c, task.collection) for c in selected[kind]]
        runs = [ours(index, queries) for _ in range(RUNS)]
        times, trials = np.array(runs).T
        work = f"weights, class {kind} of {task.name}"
        promised = ratio if task.name == fulltext.NAME else 1
        found.append(measured(work, "Lucene 4.10", times, theirs * trials, promised))
    return found


def lucene(task: recommendation.Task, asked: tuple[recommendation.Citation, ...]) -> np.ndarray:
    """Return Lucene's seconds for all queries, in several rounds, after one to warm up."""
    boosts = [1.0] * len(task.collection.classes)
    lines = document_lines(task.collection) + [query_line(0.0, c.terms, boosts) for c in asked]
    with tempfile.TemporaryDirectory() as work:
        printed = ask(lines + ["B\t1"] * (RUNS + 1), Path(work), str(DEPTH), "quiet")
    return np.array([float(line.split()[1]) for line in printed[-RUNS:]])


def ours(index: FieldedIndex, queries: list[Query]) -> tuple[float, int]:
    """Return the seconds of building and one hill climbing, and its trials."""
    begun = time.process_time()
    found = climb(Rescorer.of(index, queries, DEPTH), np.ones(len(queries), dtype=bool))
    return time.process_time() - begun, found.tried
