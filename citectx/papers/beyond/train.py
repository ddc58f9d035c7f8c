"""Train the weights that come with the package: ``python -m citectx.papers.beyond.train``.

Both open corpora with annotated contexts are used whole. How good such a model is on topics that it has not
seen is in the card, from nested cross-validation over the topics of both.
"""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.corpora.registry import source
from citectx.errors import CitectxError
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.papers.beyond.features import GROUPS, names_of
from citectx.papers.beyond.ltr import LTR, WEIGHTS, Examples, Given
from citectx.papers.beyond.nested import nested
from citectx.types import Floats

SOURCES = {"citation-integrity": "citation-integrity-annotations", "scisumm-train": "scisumm-corpus"}
"""Corpora that the weights are trained on, with the source each is read from."""

METRICS = ("nDCG", "c-P@1", "c-F")
FOLDS = 5


def train(corpora: Sequence[Corpus], path: Path = WEIGHTS, folds: int = FOLDS) -> LTR:
    """Choose settings, train on all topics, and write weights and card.

    Parameters
    ----------
    corpora : sequence of Corpus
        With annotated evidence.
    path : Path
    folds : int
        Of the nested cross-validation over all topics together.
    """
    names = names_of(*GROUPS)
    prepared = {corpus.name: prepare(corpus, Protocol()) for corpus in corpora}
    topics = [topic for own in prepared.values() for topic in own]
    examples = [Examples.of(topic, names) for topic in topics]
    held_out = nested(topics, examples, names, folds)
    ltr = LTR.learn(examples, names, [held_out.best])[0]
    scores = dict(zip(map(id, topics), held_out.scores, strict=True))
    card = {
        "what": "Log-odds that a sentence of an article is what a citing sentence is about",
        "model": "scikit-learn's LogisticRegression on standardised features",
        "trained_on": [_described(name, own, scores) for name, own in prepared.items()],
        "scores_are": f"percent, means over citances, nested cross-validation with {folds} folds over topics",
        "weights": "weight * (value - mean) / scale, summed over features, plus the intercept",
        "holds": "weights only, no text of the corpora",
        "date": datetime.now(UTC).date().isoformat(),
        "licence": "CC0 1.0",
    }
    ltr.save(path, card)
    return ltr


def _described(name: str, topics: Sequence[Prepared], scores: dict[int, Floats]) -> dict[str, Any]:
    measured = pd.concat([t.measure(Given(scores[id(t)]), METRICS) for t in topics])
    return {
        "corpus": name,
        "licence": source(SOURCES[name]).licence if name in SOURCES else "not stated",
        "topics": len(topics),
        "citances": len(measured),
        "held_out": {metric: round(float(measured[metric].mean()), 1) for metric in METRICS},
    }


if __name__ == "__main__":
    try:
        print(train([profiles.load(name) for name in SOURCES]).settings, WEIGHTS)
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
