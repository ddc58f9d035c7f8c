"""lrec2016 Figure 4: which classes of sentences get which weight, fold by fold (§6)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016.training import RecommendationTask, Setup, Trained, train

NAME = "lrec2016_figure4"


@timed
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
        cells = [cell for own in trained for cell in _cells(own, fields)]
        cells += _fields(trained, fields)
        for row, runs in (("CoreSC", [trained]), ("shuffled labels", controls)):
            if runs:
                mean = float(np.mean([_agreement(one) for one in runs]))
                cells.append(Cell(row, "agreement", mean, len(runs) * len(trained)))
        table = tabulate(NAME, task.name, cells, seed, paper.params())
        parts.append(Result(NAME, table, data={task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def _cells(own: Trained, fields: Sequence[str]) -> list[Cell]:
    cells: list[Cell] = []
    means, improvements = own.fold_means(own.after), own.improvements()
    for i, weights in enumerate(own.weights):
        inside = own.fold == i
        values = dict(zip(fields, weights, strict=True))
        values |= {"NDCG": means[i], "accuracy": (own.after[inside] == 1).mean()}
        if np.isfinite(improvements[i]):
            values["improvement"] = improvements[i]
        row, n = f"{own.kind} fold {i + 1}", int(inside.sum())
        cells += [Cell(row, metric, float(value), n) for metric, value in values.items()]
    return cells


def _fields(trained: Sequence[Trained], fields: Sequence[str]) -> list[Cell]:
    weights = np.concatenate([own.weights for own in trained])  # shape (classes · folds, fields)
    cells = []
    for j, field in enumerate(fields):
        values = {"kept": weights[:, j] > 0, "weight": weights[:, j]}
        values |= {f"kept for {own.kind}": own.weights[:, j] > 0 for own in trained}
        for metric, each in values.items():
            cells.append(Cell(f"field {field}", metric, float(each.mean()), len(each)))
    return cells


def _agreement(trained: Sequence[Trained]) -> float:
    """Mean share of fields that two folds of a class both keep or both drop."""
    shares = []
    for own in trained:
        kept = own.weights > 0
        shares += [(kept[a] == kept[b]).mean() for a in range(len(kept)) for b in range(a)]
    return float(np.mean(shares))
