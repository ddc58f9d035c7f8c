"""Nested cross-validation over topics: nothing is learned or chosen on the topic that is scored."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from citectx.experiments.contextualization import Prepared
from citectx.experiments.tuning import folds_of
from citectx.papers.beyond.ltr import LTR, Examples, Settings
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.types import Floats

GRID = tuple(Settings(C, target) for target in ("any", "share") for C in (0.0003, 0.003, 0.03, 0.3))
"""Settings among which the inner folds choose."""


@dataclass
class Given(RetrievalModel):
    """Scores that are there already, to be measured as those of a model."""

    scores: Floats

    def fingerprint(self) -> str | None:
        """None: there is nothing to look up."""
        return None

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Return the scores, shape (queries, spans)."""
        assert len(queries) == len(self.scores)
        return self.scores


Objective = Callable[[Prepared, Floats], float]
"""What the inner folds maximise, summed over topics: from a topic and the scores of its sentences."""


def character_f(topic: Prepared, scores: Floats) -> float:
    """Add up character F over citances, as the other methods of Table 1 are tuned."""
    return float(topic.objective(Given(scores)).sum())


@dataclass(frozen=True)
class Nested:
    """What came out for the topics of a corpus, each from a model that has not seen it.

    Parameters
    ----------
    scores : list of float array, shapes (citances, sentences)
    models : list of LTR
        By topic.
    best : Settings
        What was best over all inner folds: for topics of another corpus.
    """

    scores: list[Floats]
    models: list[LTR]
    best: Settings

    def counts(self) -> dict[str, int]:
        """For how many topics which settings were chosen."""
        return dict(sorted(Counter(f"C={m.settings.C} {m.settings.target}" for m in self.models).items()))


def nested(
    topics: Sequence[Prepared],
    examples: Sequence[Examples],
    names: Sequence[str],
    folds: int,
    grid: Sequence[Settings] = GRID,
    objective: Objective = character_f,
) -> Nested:
    """Score each topic with a model that was trained, and whose settings were chosen, on the other folds.

    Settings for a fold are those with the highest mean objective when each of the other folds is scored by
    a model trained on all but the two; a model without folds a and b serves both.

    Parameters
    ----------
    topics : sequence of Prepared
    examples : sequence of Examples
        Of these topics.
    names : sequence of str
        Features, in the order of the examples' last axis.
    folds : int
    grid : sequence of Settings
    objective : callable
    """
    if all(np.isin(e.shares, (0.0, 1.0)).all() for e in examples):  # one annotator: both targets are the same
        grid = [s for s in grid if s.target == "any"] or grid
    parts = folds_of(topics, folds)
    gained = np.zeros((len(parts), len(grid)))  # by outer fold
    for a, b in combinations(range(len(parts)), 2) if len(grid) > 1 and len(parts) > 2 else ():
        rest = [examples[i] for c, part in enumerate(parts) if c not in (a, b) for i in part]
        for g, model in enumerate(LTR.learn(rest, names, grid)):
            for outer, inner in ((a, b), (b, a)):
                gained[outer, g] += sum(
                    objective(topics[i], model.of_values(examples[i].values)) for i in parts[inner]
                )
    models: dict[int, LTR] = {}
    for outer, part in enumerate(parts):
        best = grid[int(np.argmax(gained[outer].round(9)))]
        rest = [e for i, e in enumerate(examples) if i not in part]
        models |= dict.fromkeys(part, LTR.learn(rest, names, [best])[0])
    ordered = [models[i] for i in range(len(topics))]
    scores = [m.of_values(e.values) for m, e in zip(ordered, examples, strict=True)]
    return Nested(scores, ordered, grid[int(np.argmax(gained.sum(axis=0).round(9)))])


def without(
    learned: Sequence[Examples],
    scored: Sequence[Examples],
    names: Sequence[str],
    parts: Sequence[Sequence[int]],
    settings: Sequence[Settings],
) -> list[Floats]:
    """Score each topic with a model that learned from the topics of the other parts.

    Parameters
    ----------
    learned, scored : sequence of Examples
        The same topics, to learn from and to score.
    names : sequence of str
    parts : sequence of sequence of int
        Topics that are left out together.
    settings : sequence of Settings
        For each topic; those of a part's first topic count.
    """
    scores: dict[int, Floats] = {}
    for part in parts:
        rest = [e for i, e in enumerate(learned) if i not in part]
        model = LTR.learn(rest, names, [settings[part[0]]])[0]
        scores |= {i: model.of_values(scored[i].values) for i in part}
    return [scores[i] for i in range(len(scored))]
