"""The learned contextualizer: logistic regression over features of a citance and a sentence.

``python -m citectx.beyond.ltr`` trains the weights that come with the package, on both open corpora
with annotated contexts; ``results/open/09_beyond_the_papers`` tells how good such a model is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from citectx import profiles
from citectx.beyond.features import FEATURES, matrix
from citectx.experiments.contextualization import Prepared, prepare
from citectx.retrieval import Query, RetrievalModel
from citectx.storage import read_json, write_json
from citectx.types import Floats, Ints

WEIGHTS = Path(__file__).with_name("weights.json")
"""The weights that come with the package; `train` computes them."""
GRID = (0.0003, 0.003, 0.03, 0.3)
"""Values of C among which cross-validation chooses, by average precision."""
SOURCES = ("citation-integrity", "scisumm-train")
"""Corpora that the weights of the package are trained on."""


def regression(c: float = 0.03) -> Pipeline:
    """Return a logistic regression on standardised features, not yet fitted.

    C is the inverse strength of the penalty on squared weights.
    """
    logit = LogisticRegression(C=c, solver="newton-cholesky", tol=1e-8)
    return make_pipeline(StandardScaler(), logit)


def values_of(topics: Sequence[Prepared]) -> list[Floats]:
    """Compute all features of topics, shapes (citances, sentences, features)."""
    return [matrix(topic.index, topic.queries) for topic in topics]


def examples(values: Sequence[Floats], marked: Sequence[Ints]) -> tuple[Floats, Ints, Ints]:
    """Stack the pairs of citance and sentence of all topics.

    Features and marks come as arrays of shapes (citances, sentences, features) and (citances,
    sentences) by topic, and go as (pairs, features) and (pairs,), with the number of the topic.
    """
    # first the citances of a topic, then the topics
    x, y = (np.concatenate([*map(np.concatenate, topics)]) for topics in (values, marked))
    return x, y, np.repeat(np.arange(len(marked)), [topic.size for topic in marked])


def deal(groups: Ints, folds: int) -> Iterator[tuple[Ints, Ints]]:
    """Return for each fold the pairs of the others and its own; a group is in one fold."""
    splitter = GroupKFold(min(folds, len(np.unique(groups))))
    return splitter.split(groups, groups=groups)


def learn(x: Floats, y: Ints, topics: Ints, folds: int = 10) -> Pipeline:
    """Fit a `regression` whose C is best, by average precision, in folds of whole topics.

    A fold's fits each begin with the weights of the one before, which halves their time.
    """
    precision = dict.fromkeys(GRID, 0.0)
    for rest, left in deal(topics, folds):
        # the parts are fitted one by one, so that the weights can be kept
        scaler, logit = regression()
        learned = scaler.fit_transform(x[rest])
        held = scaler.transform(x[left])
        for c in GRID:
            logit.set_params(C=c, warm_start=True).fit(learned, y[rest])
            precision[c] += average_precision_score(y[left], logit.decision_function(held))
    best = max(GRID, key=precision.__getitem__)
    return regression(best).fit(x, y)


def held_out(
    values: Sequence[Floats],
    marked: Sequence[Ints],
    folds: int,
    cs: Sequence[float] | None = None,
    blocks: Ints | None = None,
) -> tuple[list[Floats], list[float]]:
    """Score each topic by a model that learned, and chose C, on the topics of other folds.

    `cs` are the C of the folds, if chosen before. Topics of one block are in the same fold. Returns
    log-odds by topic, shape (citances, sentences), and the C of each fold.
    """
    x, y, topics = examples(values, marked)
    # (pairs,): each pair is scored once, by the fold that left it out
    scores = np.empty(len(y))
    chosen: list[float] = []
    for rest, left in deal(topics if blocks is None else blocks[topics], folds):
        known = x[rest], y[rest]
        if cs:
            model = regression(cs[len(chosen)]).fit(*known)
        else:
            model = learn(*known, topics[rest], folds)
        scores[left] = model.decision_function(x[left]).round(9)
        chosen.append(model[-1].C)
    return [scores[topics == i].reshape(topic.shape) for i, topic in enumerate(marked)], chosen


@dataclass
class LTR(RetrievalModel):
    """Log-odds that a sentence is evidence: the sum of weight · (value - mean) / scale.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, LTR.load())
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(24.9)
    """

    card: Mapping[str, Any]
    intercept: float
    weights: Mapping[str, Mapping[str, float]]

    @classmethod
    def load(cls) -> Self:
        """Read the weights that come with the package."""
        return cls(**read_json(WEIGHTS))

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all sentences for each query, shape (queries, sentences)."""
        # three rows, (features,) each
        weight, mean, scale = pd.DataFrame(self.weights).to_numpy()
        standard = (matrix(self.index, queries) - mean) / scale
        return np.round(standard @ weight + self.intercept, 9)


def train(sources: Sequence[str] = SOURCES) -> LTR:
    """Train on all topics of some corpora.

    ``rankings.retrieve(profiles.load("scisumm-gold"), train(["scisumm-train"]))`` ranks the
    sentences of another corpus.
    """
    topics = [topic for name in sources for topic in prepare(profiles.load(name))]
    marked = [topic.relevant for topic in topics]
    scaler, logit = learn(*examples(values_of(topics), marked))
    columns = {"weight": logit.coef_[0], "mean": scaler.mean_, "scale": scaler.scale_}
    weights: Any = (pd.DataFrame(columns, index=[*FEATURES]).round(6) + 0.0).to_dict("index")
    card = {
        "what": "Log-odds that a sentence of an article is what a citing sentence is about: "
        "weight * (value - mean) / scale, summed over features, plus the intercept",
        "trained_on": sources,
        "C": logit.C,
        "licence": "CC0 1.0",
    }
    return LTR(card, float(logit.intercept_[0].round(6)), weights)


if __name__ == "__main__":
    write_json(WEIGHTS, asdict(train()))
