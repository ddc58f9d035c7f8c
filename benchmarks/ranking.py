"""The learned contextualizer beside LightGBM's LambdaMART, neither tuned.

Both learn on four fifths of the topics of CL-SciSumm from the same features, made before, and score
the rest, five times over. They are different models, so nDCG is printed, too.
"""

from functools import partial

import lightgbm
import numpy as np
from sklearn.model_selection import GroupKFold

from benchmarks.race import Race, seconds
from citectx import profiles
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
    scores = [np.empty(0)] * len(values)
    for rest, left in GroupKFold(FOLDS).split(x, groups=topics):
        groups = [marked[i].shape[1] for i in np.unique(topics[rest]) for _ in marked[i]]
        model = lightgbm.train(PEER, lightgbm.Dataset(x[rest], y[rest], group=groups))
        for i in np.unique(topics[left]):
            scores[i] = np.asarray(model.predict(x[topics == i])).reshape(marked[i].shape)
    return scores


def quality(marked: list[Ints], scored: list[Floats]) -> float:
    """Mean nDCG over the citances with evidence."""
    gains = []
    for relevant, scores in zip(marked, scored, strict=True):
        ranked = np.take_along_axis(relevant, np.argsort(-scores, axis=1, kind="stable"), axis=1)
        gains += [ndcg(row) for row in ranked if row.any()]
    return float(np.mean(gains))


def races() -> list[Race]:
    topics = prepare(profiles.load("scisumm-train"))
    values, marked = values_of(topics), [topic.relevant for topic in topics]
    spent = []
    for work in (ours, with_lightgbm):
        runs = [seconds(partial(work, values, marked)) for _ in range(RUNS)]
        spent.append([time for time, _ in runs])
        print(f"nDCG {quality(marked, runs[-1][1]):.3f}:", end=" ")
    return [Race.of("ranking sentences", "LightGBM's LambdaMART", *spent)]
