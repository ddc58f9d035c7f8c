"""lrec2016 Figure 4: which classes of sentences get which weight, fold by fold (§6)."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from citectx.experiments.recommendation import LIMIT, Settings, Task, Trained, check, train
from citectx.experiments.tables import COLUMNS, Result, params_json
from citectx.recommendation.training import gains

NAME = "lrec2016_figure4"


def run(
    tasks: Sequence[Task],
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> Result:
    """Train weights for each class of citing sentence; one row for each class and fold.

    Source: lrec2016 §6, Figure 4. Columns are the weights of the fields by name, and what the fold's test
    citations give: ``NDCG`` on the paper's scale (1 / ln(rank + 1): 1.44 at rank 1), ``accuracy`` as a
    fraction, ``improvement`` over all weights 1 in percent. Rows named ``<class>`` hold the
    mean weights over folds.

    Parameters
    ----------
    tasks : sequence of Task
    settings : Settings, optional
        The paper's by default.
    jobs, scheduler : int, str
        See `citectx.parallel.run`.
    progress : bool

    Returns
    -------
    Result
        With the extra table ``consistency``: by class, how far the folds agree on what is left out.

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    started = time.perf_counter()
    settings = settings or Settings()
    params = params_json(settings.params() | {"limit": LIMIT})
    rows: list[tuple[Any, ...]] = []
    consistency = []
    for task in tasks:
        check(task)
        for own in train(task, [settings], jobs=jobs, scheduler=scheduler, progress=progress)[0]:
            cells = _cells(own, task.collection.classes)
            rows += [(NAME, task.name, *cell, np.nan, np.nan, np.nan, n, params, 0) for *cell, n in cells]
            consistency.append({"corpus": task.name, "class": own.kind, "n": len(own.fold)} | agreement(own))
    data = {task.name: task.fingerprint() for task in tasks}
    seconds = time.perf_counter() - started
    table = pd.DataFrame(rows, columns=COLUMNS)
    return Result(NAME, table, None, {"consistency": pd.DataFrame(consistency)}, data, seconds)


def _cells(own: Trained, fields: Sequence[str]) -> list[tuple[str, str, float, int]]:
    found: list[tuple[str, str, float, int]] = []
    test, improvement = own.fold_means(own.after), own.improvements()
    for i, weights in enumerate(own.weights):
        row, inside = f"{own.kind} fold {i + 1}", own.fold == i
        n = int(inside.sum())
        found += [(row, field, float(weight), n) for field, weight in zip(fields, weights, strict=True)]
        found += [
            (row, "NDCG", float(test[i]), n),
            (row, "accuracy", float((own.after[inside] == 1).mean()), n),
        ]
        if np.isfinite(improvement[i]):
            found.append((row, "improvement", float(improvement[i]), n))
    means = own.weights.mean(axis=0)
    found += [
        (own.kind, field, float(mean), len(own.fold)) for field, mean in zip(fields, means, strict=True)
    ]
    found.append((own.kind, "NDCG", float(gains(own.after).mean()), len(own.fold)))
    return found


def agreement(own: Trained) -> dict[str, float]:
    """Say how far the folds agree on which fields have weight 0.

    Folds share half of their training citations or more, so that some agreement comes of itself; what it is
    worth shows beside the same number for shuffled labels.
    """
    kept = own.weights > 0
    pairs = [(a, b) for a in range(len(kept)) for b in range(a)]
    same = np.mean([(kept[a] == kept[b]).mean() for a, b in pairs])
    return {"kept": float(kept.mean()), "same": float(same), "in all folds": float(kept.all(axis=0).sum())}
