"""Training one class's weights, against the real Lucene running the same queries for each trial.

Needs Lucene 4.10 (Debian's ``liblucene4.10-java``, or its jars in the folder CITECTX_LUCENE), and
takes the open collection where it is labelled, else the planted one. Lucene's time is that of a
sample of the class's queries under equal weights, in proportion for all of them, times the trials
of one hill climbing on all citations, which are counted. Ours is measured in full: gathering
candidates, setting weights, every trial. Both start from an index in memory, and both are processor
time.
"""

import time
from dataclasses import replace

import numpy as np

from benchmarks.race import RUNS, Race, measured
from citectx.corpora import citation_integrity
from citectx.errors import MissingDataError
from citectx.papers.lrec2016 import training as recommendation
from citectx.recommendation.collection import Citation
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.training import Query, Rescorer, climb
from tests.recommendation.oracle import ask, class_path, document_lines, query_line

KINDS = ("Met", "Bac")
PROMISED = 300
DEPTH = 200
SAMPLE = 50
WARM_UP = 3  # rounds until Java has compiled what it runs


def races() -> list[Race]:
    class_path()
    try:
        task = recommendation.load(citation_integrity.FULL_TEXTS)
    except MissingDataError:
        task = recommendation.load("planted")
    index = FieldedIndex.of(task.collection)
    selected = recommendation.Setup().selected(task)
    found = []
    for kind, lucenes in zip(KINDS, lucene(task, [selected[kind] for kind in KINDS]), strict=True):
        queries = [Query.of(c, task.collection) for c in selected[kind]]
        times, trials = np.array([ours(index, queries) for _ in range(RUNS)]).T
        work = f"weights, class {kind} of {task.name}"
        promised = PROMISED if task.name == citation_integrity.FULL_TEXTS else 1
        found.append(
            measured(work, "Lucene 4.10", times, lucenes * len(queries) * trials, promised)
        )
    return found


def lucene(
    task: recommendation.RecommendationTask, classes: list[tuple[Citation, ...]]
) -> np.ndarray:
    """Return Lucene's seconds for a query of each class; shape (classes, rounds)."""
    boosts = [1.0] * len(task.collection.classes)
    lines, rng = document_lines(task.collection), np.random.default_rng(0)
    sizes = [min(SAMPLE, len(asked)) for asked in classes]
    for asked, size in zip(classes, sizes, strict=True):
        drawn = rng.choice(len(asked), size, replace=False)
        lines += [query_line(0.0, asked[i].terms, boosts) for i in drawn]
        lines.append(f"B\t{WARM_UP + RUNS}")
    printed = ask(lines, str(DEPTH), "quiet", options=())
    rounds = np.array([[float(x) for x in line.split()[1:]] for line in printed])
    seconds: np.ndarray = rounds[:, WARM_UP:] / np.array(sizes)[:, None]
    return seconds


def ours(index: FieldedIndex, queries: list[Query]) -> tuple[float, int]:
    """Return the seconds of building and one hill climbing, and how many weights it tried."""
    fresh = replace(index)  # without what it remembers from the run before
    begun = time.process_time()
    rescorer = Rescorer.of(fresh, queries, DEPTH)
    climb(rescorer, np.ones(len(queries), dtype=bool))
    return time.process_time() - begun, len(rescorer.remembered)
