"""Nested cross-validation over topics: nothing is learned or chosen on the topic that is scored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from citectx.experiments.contextualization import Prepared
from citectx.experiments.tuning import folds_of
from citectx.papers.beyond.ltr import LTR, Examples, Given, Settings
from citectx.types import Floats

GRID = tuple(Settings(C, target) for target in ("any", "share") for C in (0.0003, 0.003, 0.03, 0.3))
"""Settings among which the inner folds choose."""


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

    @property
    def settings(self) -> list[Settings]:
        """What was chosen for each topic."""
        return [model.settings for model in self.models]

    def counts(self) -> dict[str, int]:
        """For how many topics which settings were chosen."""
        return dict(sorted(Counter(f"C={s.C} {s.target}" for s in self.settings).items()))


def nested(
    topics: Sequence[Prepared],
    examples: Sequence[Examples],
    names: Sequence[str],
    folds: int,
    grid: Sequence[Settings] = GRID,
) -> Nested:
    """Score each topic with a model that was trained, and whose settings were chosen, on the other folds.

    Settings for a fold are those with the highest mean `character_f` when each of the other folds is scored
    by a model trained on all but the two; a model without folds a and b serves both.

    Parameters
    ----------
    topics : sequence of Prepared
    examples : sequence of Examples
        Of these topics.
    names : sequence of str
        Features, in the order of the examples' last axis.
    folds : int
    grid : sequence of Settings
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
                    character_f(topics[i], model.of_values(examples[i].values)) for i in parts[inner]
                )
    best = [grid[i] for i in gained.round(9).argmax(axis=1)]
    settings = {i: best[outer] for outer, part in enumerate(parts) for i in part}
    models = left_out(examples, names, parts, [settings[i] for i in range(len(topics))])
    return Nested(
        [m.of_values(e.values) for m, e in zip(models, examples, strict=True)],
        models,
        grid[int(gained.sum(axis=0).round(9).argmax())],
    )


def left_out(
    examples: Sequence[Examples], names: Sequence[str], parts: Sequence[Sequence[int]], settings: Sequence[Settings]
) -> list[LTR]:
    """Learn for each topic from the topics of the other parts.

    Parameters
    ----------
    examples : sequence of Examples
    names : sequence of str
    parts : sequence of sequence of int
        Topics that are left out together.
    settings : sequence of Settings
        For each topic; those of a part's first topic count.
    """
    models: dict[int, LTR] = {}
    for part in parts:
        rest = [e for i, e in enumerate(examples) if i not in part]
        models |= dict.fromkeys(part, LTR.learn(rest, names, [settings[part[0]]])[0])
    return [models[i] for i in range(len(examples))]


def without(
    learned: Sequence[Examples],
    scored: Sequence[Examples],
    names: Sequence[str],
    parts: Sequence[Sequence[int]],
    settings: Sequence[Settings],
) -> list[Floats]:
    """Score each topic (as it is in `scored`) with the model of `left_out` (as they are in `learned`)."""
    models = left_out(learned, names, parts, settings)
    return [model.of_values(e.values) for model, e in zip(models, scored, strict=True)]
