"""The learned contextualizer: logistic regression over features of a citance and a sentence.

``python -m citectx.apps.contexts.ltr`` trains the weights that come with the package, on both open
corpora with annotated contexts. How good such a model is on topics that it has not seen is in
``results/open/09_beyond_the_papers``.

>>> LTR.load().card["licence"]
'CC0 1.0'
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from citectx import profiles
from citectx.apps.contexts.features import FEATURES, matrix
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, prepare
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import read_json, write_atomically
from citectx.types import Floats, Ints

WEIGHTS = Path(__file__).with_name("weights.json")
"""What comes with the package; `train` makes it."""
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


class Examples(NamedTuple):
    """Pairs of citance and sentence to learn from.

    Parameters
    ----------
    x : float array, shape (pairs, features)
    y : int array, shape (pairs,)
        1 where any annotator marked some of the sentence, else 0.
    topics : int array, shape (pairs,)
        The number of each pair's topic.
    """

    x: Floats
    y: Ints
    topics: Ints

    @classmethod
    def of(cls, values: Sequence[Floats], marked: Sequence[Ints]) -> Self:
        """Put the pairs of topics below each other.

        Parameters
        ----------
        values : sequence of float array, shapes (citances, sentences, features)
        marked : sequence of int array, shapes (citances, sentences)
        """
        x = np.concatenate([topic.reshape(-1, topic.shape[-1]) for topic in values])
        y = np.concatenate([topic.ravel() for topic in marked])
        return cls(x, y, np.repeat(np.arange(len(marked)), [topic.size for topic in marked]))

    def learn(self, c: float | None = None, folds: int = 10) -> Pipeline:
        """Learn from all pairs; without C, choose it by cross-validation over whole topics."""
        if c is not None:
            return regression(c).fit(self.x, self.y)
        topics = np.unique(self.topics)
        parts = GroupKFold(min(folds, len(topics)))
        grid = {"logisticregression__C": GRID}
        search = GridSearchCV(regression(), grid, cv=parts, scoring="average_precision")
        best: Pipeline = search.fit(self.x, self.y, groups=self.topics).best_estimator_
        return best


def held_out(
    values: Sequence[Floats],
    marked: Sequence[Ints],
    folds: int,
    cs: Sequence[float] | None = None,
    blocks: Ints | None = None,
) -> tuple[list[Floats], list[float]]:
    """Score each topic by a model that learned, and chose C, on the topics of other folds.

    Parameters
    ----------
    values, marked
        See `Examples.of`.
    folds : int
        At most; as many as topics leave one topic out. C is chosen on as many.
    cs : sequence of float, optional
        C of each fold, if it was chosen before.
    blocks : int array, shape (topics,), optional
        Topics of one block are in the same fold.

    Returns
    -------
    list of float array, shapes (citances, sentences)
        Log-odds.
    list of float
        C of each fold.
    """
    examples = Examples.of(values, marked)
    chosen: list[float] = []
    scores = np.empty(len(examples.y))
    blocks = np.arange(len(values)) if blocks is None else blocks
    splitter = GroupKFold(min(folds, len(np.unique(blocks))))
    parts = splitter.split(examples.x, groups=blocks[examples.topics])
    for number, (rest, left) in enumerate(parts):
        others = Examples(*(column[rest] for column in examples))
        model = others.learn(cs[number] if cs else None, folds)
        scores[left] = model.decision_function(examples.x[left]).round(9)
        chosen.append(model[-1].C)
    ends = np.cumsum([topic.size for topic in marked])
    pieces = np.split(scores, ends[:-1])
    by_topic = zip(pieces, marked, strict=True)
    return [own.reshape(topic.shape) for own, topic in by_topic], chosen


class Weight(NamedTuple):
    """What a feature adds to the log-odds: weight · (value - mean) / scale."""

    weight: float
    mean: float
    scale: float


@dataclass
class LTR(RetrievalModel):
    """Log-odds that a sentence is evidence for a citance: a weighted sum of features.

    It is used like any retrieval model: ``LTR.load().fit(index).score(queries)``.

    Parameters
    ----------
    weights : mapping of str to Weight
        By feature.
    intercept : float
    card : mapping
        What it was trained on.
    """

    weights: Mapping[str, Weight]
    intercept: float
    card: Mapping[str, Any]

    @classmethod
    def of(cls, model: Pipeline, card: Mapping[str, Any]) -> Self:
        """Take the weights of a fitted `regression`."""
        scaler, logit = model
        columns = np.array([logit.coef_[0], scaler.mean_, scaler.scale_]).round(6) + 0.0
        weights = map(Weight, *columns.tolist())
        by_name = dict(zip(FEATURES, weights, strict=True))
        return cls(by_name, float(logit.intercept_[0].round(6)), card)

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Self:
        """Read weights, by default those that come with the package.

        Raises
        ------
        DataError
            If the file does not hold the weights of just the known features.
        """
        content = read_json(path)
        if not isinstance(content, dict) or [*content.get("weights", ())] != [*FEATURES]:
            raise DataError(
                "expected the weights of this version's features; make them with: "
                "python -m citectx.apps.contexts.ltr",
                file=path,
            )
        weights = {name: Weight(**entry) for name, entry in content["weights"].items()}
        return cls(weights, content["intercept"], content["card"])

    def save(self, path: Path) -> None:
        """Write the weights as readable JSON."""
        weights = {name: weight._asdict() for name, weight in self.weights.items()}
        content = {"card": self.card, "intercept": self.intercept, "weights": weights}
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all sentences for each query, shape (queries, sentences)."""
        weight, mean, scale = np.array([*self.weights.values()]).T
        standard = (matrix(self.index, queries) - mean) / scale
        scores: Floats = standard @ weight + self.intercept
        return scores.round(9)


def train() -> LTR:
    """Train on all topics of the corpora of `SOURCES`."""
    topics = [topic for name in SOURCES for topic in prepare(profiles.load(name))]
    marked = [topic.relevant for topic in topics]
    model = Examples.of(values_of(topics), marked).learn()
    card = {
        "what": "Log-odds that a sentence of an article is what a citing sentence is about: "
        "weight * (value - mean) / scale, summed over features, plus the intercept",
        "trained_on": SOURCES,
        "C": model[-1].C,
        "licence": "CC0 1.0",
    }
    return LTR.of(model, card)


if __name__ == "__main__":
    train().save(WEIGHTS)
