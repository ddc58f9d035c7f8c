"""lrec2016 Figure 4: which classes of sentences get which weight, fold by fold (§6)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.papers.lrec2016.training import RecommendationTask, Setup, Trained, train
from citectx.types import Floats

NAME = "lrec2016_figure4"


def run(
    tasks: Sequence[RecommendationTask], *, seed: int = 0, shuffles: int = 3, **how: Any
) -> Result:
    """Train weights for each class of citing sentence; one row for each class and fold.

    Source: lrec2016 §6, Figure 4. Columns are the weights of the fields by name, and what the
    fold's test citations give: ``NDCG`` on the paper's scale (1 / ln(rank + 1): 1.44 at rank 1),
    ``accuracy`` as a fraction, ``improvement`` over all weights 1 in percent.

    Rows named ``field <class>`` turn this round: ``kept`` is the share of all folds and citing
    classes in which the field's weight is above 0, ``kept for <class>`` that of one citing class,
    ``weight`` the mean. Rows ``CoreSC`` and ``shuffled labels`` say in ``agreement`` how often two
    folds of a class agree on whether to keep a field, for the classifier's labels and for random
    ones. Folds share most of their training citations, so some agreement is to be expected.

    Parameters
    ----------
    tasks : sequence of RecommendationTask
    seed : int
        Of the shuffled labels.
    shuffles : int
        How often to shuffle them.
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    paper = Setup(draw=seed)
    shuffled = [replace(paper, shuffle=seed + i) for i in range(shuffles)]
    parts = []
    for task in tasks:
        trained, *controls = train(task, [paper, *shuffled], **how)
        fields = task.collection.classes
        cells = cells_of_folds(trained, fields) + cells_of_fields(trained, fields)
        for row, runs in (("CoreSC", [trained]), ("shuffled labels", controls)):
            shares = [agreement(own) for run in runs for own in run.weights.values()]
            if shares:
                cells.append(Cell(row, "agreement", float(np.mean(shares)), len(shares)))
        table = tabulate(NAME, task.name, cells, seed, paper.params())
        parts.append(Result(NAME, table, data={task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def cells_of_folds(trained: Trained, fields: Sequence[str]) -> list[Cell]:
    """Weights of each fold, and what its test citations give."""
    cells, by_fold = list[Cell](), trained.by_fold()
    for kind, own in trained.weights.items():
        for i, weights in enumerate(own):
            measured: Any = by_fold.loc[(kind, i)]
            values = dict(zip(fields, weights, strict=True)) | {"NDCG": measured["after"]}
            values |= measured[["accuracy", "improvement"]]
            row = f"{kind} fold {i + 1}"
            n = int(measured["n"])
            cells += [Cell(row, m, float(v), n) for m, v in values.items() if np.isfinite(v)]
    return cells


def cells_of_fields(trained: Trained, fields: Sequence[str]) -> list[Cell]:
    """How often each field is kept, over all classes and for each of them, and its mean weight."""
    weights = np.concatenate([*trained.weights.values()])  # (classes · folds, fields)
    columns = {"kept": weights > 0, "weight": weights}
    columns |= {f"kept for {kind}": own > 0 for kind, own in trained.weights.items()}
    cells = []
    for j, field in enumerate(fields):
        for metric, values in columns.items():
            cells.append(Cell(f"field {field}", metric, float(values[:, j].mean()), len(values)))
    return cells


def agreement(weights: Floats) -> float:
    """Mean share of fields that two folds of a class both keep or both drop."""
    return float(np.mean([(a == b).mean() for a, b in combinations(weights > 0, 2)]))
