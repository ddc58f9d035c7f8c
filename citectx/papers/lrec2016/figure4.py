"""lrec2016 Figure 4: which classes of sentences get which weight, fold by fold (§6)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016.training import Settings, Task, Trained, train

NAME = "lrec2016_figure4"


@timed
def run(tasks: Sequence[Task], *, seed: int = 0, shuffles: int = 3, **how: Any) -> Result:
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
    tasks : sequence of Task
    seed : int
        Of the shuffled labels.
    shuffles : int
        How often to shuffle them.
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`.

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    settings = [
        Settings(draw=seed),
        *(Settings(shuffle=seed + i, draw=seed) for i in range(shuffles)),
    ]
    parts = []
    for task in tasks:
        trained, *controls = train(task, settings, **how)
        cells = [cell for own in trained for cell in _cells(own, task.collection.classes)]
        cells += _fields(trained, task.collection.classes)
        for row, runs in (("CoreSC", [trained]), ("shuffled labels", controls)):
            if runs:
                mean = float(np.mean([_agreement(one) for one in runs]))
                cells.append(Cell(row, "agreement", mean, len(runs) * len(trained)))
        table = tabulate(NAME, task.name, cells, seed, settings[0].params())
        parts.append(Result(NAME, table, data={task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def _cells(own: Trained, fields: Sequence[str]) -> list[Cell]:
    found: list[Cell] = []
    for i, (weights, test, improvement) in enumerate(
        zip(own.weights, own.fold_means(own.after), own.improvements(), strict=True)
    ):
        inside = own.fold == i
        values = dict(zip(fields, weights, strict=True)) | {
            "NDCG": test,
            "accuracy": (own.after[inside] == 1).mean(),
        }
        values |= {"improvement": improvement} if np.isfinite(improvement) else {}
        row, n = f"{own.kind} fold {i + 1}", int(inside.sum())
        found += [Cell(row, metric, float(value), n) for metric, value in values.items()]
    return found


def _fields(trained: Sequence[Trained], fields: Sequence[str]) -> list[Cell]:
    weights = np.concatenate([own.weights for own in trained])  # shape (classes · folds, fields)
    found = []
    for j, field in enumerate(fields):
        kept = {f"kept for {own.kind}": own.weights[:, j] > 0 for own in trained}
        values = {"kept": weights[:, j] > 0, "weight": weights[:, j]} | kept
        found += [
            Cell(f"field {field}", metric, float(each.mean()), len(each))
            for metric, each in values.items()
        ]
    return found


def _agreement(trained: Sequence[Trained]) -> float:
    """Share of fields that two folds of a class both keep or both drop; mean over pairs and
    classes.
    """
    shares = []
    for own in trained:
        kept = own.weights > 0
        shares += [(kept[a] == kept[b]).mean() for a in range(len(kept)) for b in range(a)]
    return float(np.mean(shares))
