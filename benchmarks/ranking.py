"""The learned contextualizer beside LightGBM's LambdaMART, neither tuned.

Both learn on four fifths of the topics of CL-SciSumm from the same features, made before, and score
the rest, five times over.
"""

from functools import partial

import lightgbm
import numpy as np
from sklearn.model_selection import GroupKFold

from benchmarks.race import Race, measured, seconds
from citectx import profiles
from citectx.beyond.features import FEATURES
from citectx.beyond.ltr import examples, held_out, values_of
from citectx.evaluation import ndcg
from citectx.experiments.contextualization import prepare
from citectx.types import Floats, Ints

FOLDS, RUNS = 5, 2
PEER = {"objective": "lambdarank", "num_threads": 1, "seed": 0, "verbosity": -1}


def ours(values: list[Floats], marked: list[Ints]) -> list[Floats]:
    """Return the scores of each topic, from a model that has not seen its fold."""
    scores, _ = held_out(values, marked, FOLDS, cs=[0.03] * FOLDS)
    return scores


def with_lightgbm(values: list[Floats], marked: list[Ints]) -> list[Floats]:
    x, y, topics = examples(values, marked)
    found = [np.empty(0)] * len(values)
    for rest, left in GroupKFold(FOLDS).split(x, groups=topics):
        seen = np.unique(topics[rest])
        groups = [marked[i].shape[1] for i in seen for _ in marked[i]]
        model = lightgbm.train(PEER, lightgbm.Dataset(x[rest], y[rest], group=groups))
        for i in np.unique(topics[left]):
            scores = np.asarray(model.predict(x[topics == i]))
            found[i] = scores.reshape(marked[i].shape)
    return found


def quality(marked: list[Ints], scored: list[Floats]) -> float:
    """Mean nDCG over the citances with evidence."""
    found = []
    for relevant, scores in zip(marked, scored, strict=True):
        for own, row in zip(relevant, scores, strict=True):
            if own.any():
                found.append(ndcg(own[np.argsort(-row, kind="stable")]))
    return float(np.mean(found))


def races() -> list[Race]:
    topics = prepare(profiles.load("scisumm-train"))
    values, marked = values_of(topics), [topic.relevant for topic in topics]
    spent, scored = [], []
    for work in (ours, with_lightgbm):
        runs = [seconds(partial(work, values, marked)) for _ in range(RUNS)]
        spent.append([time for time, _ in runs])
        scored.append(quality(marked, runs[-1][1]))
    compares = (
        f"five fits on {len(topics)} topics of CL-SciSumm and scoring the topics left out, from "
        f"the same {len(FEATURES)} features; another model, so what counts is also nDCG: ours "
        f"{scored[0]:.3f}, LambdaMART {scored[1]:.3f}, neither tuned"
    )
    return [measured("ranking sentences", "LightGBM's LambdaMART", compares, spent[0], spent[1])]
