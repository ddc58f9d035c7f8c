"""The learned contextualizer beside LightGBM's LambdaMART, neither tuned.

Both learn on four fifths of the topics of CL-SciSumm from the same features, made before, and score
the rest, five times over.
"""

from functools import partial

import lightgbm
import numpy as np

from benchmarks.race import Race, measured, seconds
from citectx import profiles
from citectx.apps.contexts.features import GROUPS, names_of
from citectx.apps.contexts.ltr import LTR, Examples, Settings
from citectx.evaluation import ndcg
from citectx.experiments.contextualization import Protocol, prepare
from citectx.types import Floats

FOLDS, RUNS = 5, 2
PEER = {"objective": "lambdarank", "num_threads": 1, "seed": 0, "verbosity": -1}


def ours(folds: list[list[Examples]], names: list[str]) -> list[list[Floats]]:
    """Return the scores of each topic, from a model that has not seen its fold."""
    found = []
    for fold in folds:
        seen = [e for other in folds if other is not fold for e in other]
        model = LTR.learn(seen, names, [Settings()])[0]
        found.append([model.of_values(e.values) for e in fold])
    return found


def with_lightgbm(folds: list[list[Examples]]) -> list[list[Floats]]:
    found = []
    for fold in folds:
        seen = [e for other in folds if other is not fold for e in other]
        rows = np.concatenate([e.flat for e in seen])
        marked = np.concatenate([e.shares.ravel() > 0 for e in seen]).astype(np.int64)
        groups = [n for e in seen for n in [e.shares.shape[1]] * e.shares.shape[0]]
        model = lightgbm.train(PEER, lightgbm.Dataset(rows, marked, group=groups))
        found.append([np.asarray(model.predict(e.flat)).reshape(e.shares.shape) for e in fold])
    return found


def quality(folds: list[list[Examples]], scored: list[list[Floats]]) -> float:
    """Mean nDCG@10 over the citances with evidence."""
    found = []
    for examples, scores in zip(folds, scored, strict=True):
        for example, values in zip(examples, scores, strict=True):
            for marked, row in zip(example.shares > 0, values, strict=True):
                if marked.any():
                    ranked = marked[np.argsort(-row, kind="stable")].astype(np.float64)
                    found.append(ndcg(ranked, 10))
    return float(np.mean(found))


def races() -> list[Race]:
    names = names_of(*GROUPS)
    topics = prepare(profiles.load("scisumm-train"), Protocol())
    examples = [Examples.of(topic, names) for topic in topics]
    folds = [examples[i::FOLDS] for i in range(FOLDS)]
    spent, scored = [], []
    for work in (partial(ours, folds, names), partial(with_lightgbm, folds)):
        runs = [seconds(work) for _ in range(RUNS)]
        spent.append([time for time, _ in runs])
        scored.append(quality(folds, runs[-1][1]))
    compares = (
        f"five fits on {len(topics)} topics of CL-SciSumm and scoring the topics left out, from "
        f"the same {len(names)} features; another model, so what counts is also nDCG@10: ours "
        f"{scored[0]:.3f}, LambdaMART {scored[1]:.3f}, neither tuned"
    )
    return [measured("ranking sentences", "LightGBM's LambdaMART", compares, spent[0], spent[1])]
