"""lrec2016 Figure 4: which classes of sentences get which weight, fold by fold (§6)."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.papers.lrec2016.figure3 import setups_of
from citectx.papers.lrec2016.training import (
    SHUFFLES,
    RecommendationTask,
    Setup,
    Trained,
    by_fold,
)

NAME = "lrec2016_figure4"


def run(
    tasks: Sequence[RecommendationTask],
    trained: Sequence[Mapping[Setup, Trained]],
    *,
    seed: int = 0,
    shuffles: int = SHUFFLES,
) -> Result:
    """Show the weights that were trained for each class of citing sentence, fold by fold.

    `trained` comes from `citectx.papers.lrec2016.figure3.train`, with the same seed and shuffles.

    Source: lrec2016 §6, Figure 4. Columns are the weights of the fields by name, and what the
    fold's test citations give: ``NDCG`` on the paper's scale (1 / ln(rank + 1): 1.44 at rank 1),
    ``accuracy`` as a fraction, ``improvement`` over all weights 1 in percent.

    Rows named ``field <class>`` turn this round: ``kept`` is the share of all folds and citing
    classes in which the field's weight is above 0, ``kept for <class>`` that of one citing class,
    ``weight`` the mean. Rows ``CoreSC`` and ``shuffled labels`` say in ``agreement`` how often two
    folds of a class agree on whether to keep a field, for the classifier's labels and for random
    ones. Folds share most of their training citations, so some agreement is to be expected.
    """
    setups = setups_of(seed, shuffles)
    (paper,) = setups["all"]
    agreeing = {"CoreSC": setups["all"], "shuffled labels": setups.get("shuffled labels", [])}
    parts = []
    for task, of_task in zip(tasks, trained, strict=True):
        ranks, weights = of_task[paper]
        cells = cells_of_folds(ranks, weights) + cells_of_fields(weights)
        for row, several in agreeing.items():
            shares = [share for setup in several for share in agreement(of_task[setup][1])]
            if shares:
                cells.append(Cell(row, "agreement", float(np.mean(shares)), len(shares)))
        table = tabulate(NAME, task.name, cells, seed, paper.params())
        parts.append(Result(NAME, table, data={task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def cells_of_folds(ranks: pd.DataFrame, weights: pd.DataFrame) -> list[Cell]:
    """Weights of each fold, and what its test citations give."""
    measured = by_fold(ranks).rename(columns={"after": "NDCG"})
    rows: Any = weights.join(measured[["NDCG", "accuracy", "improvement"]])
    cells = []
    for (kind, i, metric), value in rows.stack().dropna().items():  # noqa: PD013
        cells.append(Cell(f"{kind} fold {i + 1}", metric, value, measured["n"][kind, i]))
    return cells


def cells_of_fields(weights: pd.DataFrame) -> list[Cell]:
    """How often each field is kept, over all classes and for each of them, and its mean weight."""
    cells = []
    for field, column in weights.items():
        kept = column > 0
        metrics = {"kept": kept, "weight": column}
        for kind, folds in kept.groupby(level=0, sort=False):
            metrics[f"kept for {kind}"] = folds
        for metric, values in metrics.items():
            cells.append(Cell(f"field {field}", metric, float(values.mean()), len(values)))
    return cells


def agreement(weights: pd.DataFrame) -> list[float]:
    """Mean share of fields that two folds of a class both keep or both drop, class by class."""
    shares = []
    for _, folds in (weights > 0).groupby(level=0, sort=False):
        pairs = combinations(folds.to_numpy(), 2)
        shares.append(float(np.mean([(a == b).mean() for a, b in pairs])))
    return shares
