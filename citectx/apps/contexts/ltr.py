"""The learned contextualizer: logistic regression over features of a citance and a sentence.

``python -m citectx.apps.contexts.ltr`` trains the weights that come with the package, on both open
corpora with annotated contexts. How good such a model is on topics that it has not seen is in the
card, from nested cross-validation over the topics of both: nothing is learned or chosen on the
topic that is scored.

>>> ltr = LTR.load()
>>> ltr.card["licence"]
'CC0 1.0'
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.apps.contexts.features import FEATURES, GROUPS, matrix, names_of
from citectx.apps.contexts.logistic import Pairs
from citectx.corpora.model import Corpus
from citectx.corpora.sources import source
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.evaluation import overlap_matrix
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.tuning import folds_of
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import digest, read_json, write_atomically
from citectx.types import Floats, Matrix

WEIGHTS = Path(__file__).with_name("weights.json")
"""What comes with the package; `train` makes it."""

Target = Literal["any", "share"]


class Weight(NamedTuple):
    """What a feature adds to the log-odds: weight · (value − mean) / scale."""

    weight: float
    mean: float
    scale: float


@dataclass(frozen=True)
class Settings:
    """What cross-validation chooses.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty on squared weights, as scikit-learn has it.
    target : {"any", "share"}
        A sentence counts as marked if any annotator marked a character of it; or it counts as
        marked with the share of annotators who did, and as not marked with the rest.
    """

    C: float = 0.03
    target: Target = "any"


Grid = Sequence[Settings]
Parts = Sequence[Sequence[int]]
"""Topics by fold: those in one are left out together."""
GRID = tuple(Settings(C, target) for target in ("any", "share") for C in (0.0003, 0.003, 0.03, 0.3))
"""Settings among which the inner folds choose."""


@dataclass(frozen=True)
class Examples:
    """One topic to learn from.

    Parameters
    ----------
    values : float32 array, shape (citances, sentences, features)
    shares : float array, shape (citances, sentences)
        Share of the annotators with evidence who marked some of the sentence.
    """

    values: Matrix
    shares: Floats

    @classmethod
    def of(cls, prepared: Prepared, names: Sequence[str]) -> Self:
        """Compute the features of a topic and look up what its annotators marked."""
        values = matrix(prepared.index, prepared.queries, names)
        return cls(values.astype(np.float32), shares(prepared))

    @property
    def flat(self) -> Matrix:
        """The values with a row for each pair, shape (pairs, features)."""
        return self.values.reshape(self.shares.size, -1)

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of each feature, shapes (features,)."""
        return self.flat.mean(axis=0, dtype=np.float64), self.flat.var(axis=0, dtype=np.float64)

    def only(self, names: Sequence[str], wanted: Sequence[str]) -> Self:
        """Keep some of the features."""
        columns = [list(names).index(name) for name in wanted]
        return replace(self, values=self.values[:, :, columns])


@dataclass
class Given(RetrievalModel):
    """Scores that are known already, to be measured or shown like those of a model.

    Parameters
    ----------
    scores : float array, shape (queries, spans)
    """

    scores: Floats

    def params(self) -> dict[str, Any]:
        """Return no parameters: how the scores came about is not known here."""
        return {}

    def fingerprint(self) -> None:
        """Return None: there is nothing to identify them by."""
        return

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Return the scores of the first queries, shape (queries, spans)."""
        return self.scores[: len(queries)]


def shares(prepared: Prepared) -> Floats:
    """Return which share of the annotators marked some of a sentence, (citances, sentences)."""
    chars = prepared.candidates.chars
    found = np.zeros((len(prepared.citances), len(chars)))
    for row, citance in zip(found, prepared.citances, strict=True):
        if citance.gold:
            marked = [overlap_matrix(chars, spans) > 0 for spans in citance.gold.values()]
            row[:] = np.mean(marked, axis=0)
    return found


@dataclass
class LTR(RetrievalModel):
    """Log-odds that a sentence is evidence for a citance: a weighted sum of `features.FEATURES`.

    It learns from annotated topics (`learn`), or comes with the package (`load`); then it is used
    like any retrieval model: ``LTR.load().fit(index).score(queries)``, shape (queries, sentences).

    Parameters
    ----------
    weights : mapping of str to Weight
        By feature.
    intercept : float
    settings : Settings
        What it was trained with.
    card : mapping
        What it was trained on, and how good it is; empty unless it was loaded.
    """

    weights: Mapping[str, Weight]
    intercept: float = 0.0
    settings: Settings = Settings()
    card: Mapping[str, Any] = field(default_factory=dict, repr=False)

    grid: ClassVar = {}

    def params(self) -> dict[str, Any]:
        """Return what it was trained with."""
        return asdict(self.settings) | {"features": len(self.weights)}

    def fingerprint(self) -> str | None:
        """Return in one line what its scores depend on beside the index."""
        return f"LTR {digest(sorted(self.weights.items()), self.intercept)}"

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all sentences for each query, shape (queries, sentences).

        Raises
        ------
        ParameterError
            If the index holds windows of several sentences.
        """
        return self.of_values(matrix(self.index, queries, list(self.weights)))

    def of_values(self, values: Floats | Matrix) -> Floats:
        """Score from the values of its features, whose last axis is in the order of `weights`."""
        weight, mean, scale = np.array(list(self.weights.values()), dtype=np.float64).T
        scores: Floats = (values - mean) @ (weight / scale) + self.intercept
        return scores.round(9)

    @classmethod
    def learn(cls, examples: Sequence[Examples], names: Sequence[str], grid: Grid) -> list[Self]:
        """Learn weights from topics, once for each of some settings.

        Parameters
        ----------
        examples : sequence of Examples
        names : sequence of str
            Of the features, in the order of the examples' last axis.
        grid : sequence of Settings
            Each fit begins where one with the same penalty ended, or else the one before: put
            similar ones next to each other.

        Raises
        ------
        ParameterError
            If nothing is marked in these topics.
        """
        shares = np.concatenate([e.shares.ravel() for e in examples])
        if not shares.any():
            raise ParameterError("there is nothing to learn from: no sentence is marked")
        mean, scale = _mean_and_scale(examples)
        models, pairs = [], Pairs(_standardised(examples, mean, scale))
        fits: dict[float, tuple[Floats, float]] = {}
        for settings in grid:
            target = np.ceil(shares) if settings.target == "any" else shares
            marked, penalty = float(target.sum()), 1 / settings.C
            if fits:
                near, before = fits.get(settings.C) or next(reversed(fits.values()))
                start = np.append(near[:-1], near[-1] + np.log(marked / before))
            else:
                start = pairs.begin(target, penalty)
            coef = pairs.fit(target, penalty, start)
            fits[settings.C] = coef, marked
            columns = np.array([coef[:-1], mean, scale]).T.tolist()
            weights = [Weight(*column) for column in columns]
            by_name = dict(zip(names, weights, strict=True))
            models.append(cls(by_name, float(coef[-1]), settings))
        return models

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read trained weights, by default those that come with the package.

        Raises
        ------
        MissingDataError
            If the file is not there.
        DataError
            If it is not of the format that `save` writes, or names an unknown feature.
        """
        path = path or WEIGHTS
        if not path.is_file():
            raise MissingDataError(
                f"{path} is not there; make it with: python -m citectx.apps.contexts.ltr"
            )
        content = read_json(path)
        try:
            found = cls._parsed(content)
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            raise DataError(
                f"expected weights as `LTR.save` writes them ({error!r})", file=path
            ) from error
        unknown = sorted(set(found.weights) - set(FEATURES))
        values = np.array([*found.weights.values()]).reshape(-1, len(Weight._fields))
        usable = len(values) and np.isfinite(values).all() and (values[:, -1] > 0).all()
        if unknown or not usable or not np.isfinite(found.intercept):
            raise DataError(
                f"expected known features (not {unknown}), finite weights, scales > 0", file=path
            )
        return found

    @classmethod
    def _parsed(cls, read: Any) -> Self:
        weights = {}
        for name, entry in read["features"].items():
            weights[name] = Weight(*(_number(entry[part]) for part in Weight._fields))
        settings = Settings(_number(read["settings"]["C"]), read["settings"]["target"])
        if settings.target not in get_args(Target):
            raise ValueError(f"target: {settings.target!r}")
        return cls(weights, _number(read["intercept"]), settings, dict(read["card"]))

    def save(self, path: Path, card: Mapping[str, Any]) -> None:
        """Write the weights as readable JSON, with a card that says where they come from."""
        features = {}
        for name, weight in self.weights.items():
            numbers = {part: round(value, 6) for part, value in weight._asdict().items()}
            known = FEATURES[name]
            features[name] = numbers | {"about": known.about, "group": known.group}
        content = {
            "card": card,
            "settings": asdict(self.settings),
            "intercept": self.intercept,
            "features": features,
        }
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _number(found: Any) -> float:
    """Return a number of JSON, which has texts and truth values as well."""
    if type(found) not in (int, float):
        raise TypeError(f"{found!r} is no number")
    return float(found)


def _mean_and_scale(examples: Sequence[Examples]) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each feature over all pairs; 1 for a constant."""
    sizes = [e.shares.size for e in examples]
    means = np.array([e.moments[0] for e in examples])
    variances = np.array([e.moments[1] for e in examples])
    mean = np.average(means, axis=0, weights=sizes)
    scale = np.sqrt(np.average(variances + (means - mean) ** 2, axis=0, weights=sizes))
    scale[scale < 1e-9] = 1.0
    return mean, scale


def _standardised(examples: Sequence[Examples], mean: Floats, scale: Floats) -> Matrix:
    """Stack the topics, shape (pairs, features + 1); the last column is the intercept's."""
    mean, scale = mean.astype(np.float32), scale.astype(np.float32)
    ends = np.cumsum([e.shares.size for e in examples])
    values = np.ones((ends[-1], len(mean) + 1), dtype=np.float32)
    for rows, own in zip(np.split(values, ends[:-1]), examples, strict=True):
        rows[:, :-1] = (own.flat - mean) / scale
    return values


def character_f(topic: Prepared, scores: Floats) -> float:
    """Add up character F over citances, as the other methods of Table 1 are tuned."""
    return float(topic.objective(Given(scores)).sum())


class Nested(NamedTuple):
    """What came out for the topics of a corpus, each from a model that has not seen it.

    Parameters
    ----------
    scores : list of float array, shapes (citances, sentences)
    settings : list of Settings
        What was chosen for each topic.
    best : Settings
        What was best over all inner folds: for topics of another corpus.
    """

    scores: list[Floats]
    settings: list[Settings]
    best: Settings

    def counts(self) -> dict[str, int]:
        """Count the topics for which each of the settings was chosen."""
        return dict(sorted(Counter(f"C={s.C} {s.target}" for s in self.settings).items()))


def nested(
    topics: Sequence[Prepared],
    examples: Sequence[Examples],
    names: Sequence[str],
    folds: int,
    grid: Grid = GRID,
) -> Nested:
    """Score each topic with a model whose weights and settings come from the other folds.

    Settings for a fold are those with the highest mean `character_f` when each of the other folds
    is scored by a model trained on all but the two; a model without folds a and b serves both.

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
    if _unanimous(examples):  # then both targets are the same
        grid = [s for s in grid if s.target == "any"] or grid
    parts = folds_of(topics, folds)
    gained = _gained(topics, examples, names, parts, grid)
    best = gained.round(9).argmax(axis=1)
    chosen = {i: grid[best[outer]] for outer, part in enumerate(parts) for i in part}
    settings = [chosen[i] for i in range(len(topics))]
    overall = grid[int(gained.sum(axis=0).round(9).argmax())]
    return Nested(without(examples, examples, names, parts, settings), settings, overall)


def _unanimous(examples: Sequence[Examples]) -> bool:
    return all(np.isin(e.shares, (0.0, 1.0)).all() for e in examples)


def _gained(
    topics: Sequence[Prepared],
    examples: Sequence[Examples],
    names: Sequence[str],
    parts: Parts,
    grid: Grid,
) -> Floats:
    """Add up `character_f` of the inner folds, shape (outer folds, settings)."""
    gained = np.zeros((len(parts), len(grid)))
    if len(grid) == 1 or len(parts) == 2:
        return gained
    for a, b in combinations(range(len(parts)), 2):
        both = {*parts[a], *parts[b]}
        rest = [i for part in parts for i in part if i not in both]
        models = LTR.learn([examples[i] for i in rest], names, grid)
        for outer, inner in ((a, b), (b, a)):
            for g, model in enumerate(models):
                scored = [(topics[i], model.of_values(examples[i].values)) for i in parts[inner]]
                gained[outer, g] += sum(character_f(*each) for each in scored)
    return gained


def left_out(
    examples: Sequence[Examples], names: Sequence[str], parts: Parts, settings: Grid
) -> list[LTR]:
    """Learn for each topic from the topics of the other parts.

    Parameters
    ----------
    examples : sequence of Examples
    names : sequence of str
    parts : sequence of sequence of int
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
    parts: Parts,
    settings: Grid,
) -> list[Floats]:
    """Score each topic of `scored` with the model that `left_out` learned without it."""
    models = left_out(learned, names, parts, settings)
    return [model.of_values(e.values) for model, e in zip(models, scored, strict=True)]


SOURCES = {
    "citation-integrity": "citation-integrity-annotations",
    "scisumm-train": "scisumm-corpus",
}
"""Corpora that the weights of the package are trained on, with the source each is read from."""
METRICS = ("nDCG", "c-P@1", "c-F")
FOLDS = 5


def train(corpora: Sequence[Corpus], path: Path = WEIGHTS) -> LTR:
    """Choose settings, train on all topics of the corpora of `SOURCES`, and write the weights."""
    names = names_of(*GROUPS)
    topics: list[Prepared] = []
    owners: list[str] = []
    for corpus in corpora:
        topics += prepare(corpus, Protocol())
        owners += [corpus.name] * (len(topics) - len(owners))
    examples = [Examples.of(topic, names) for topic in topics]
    held_out = nested(topics, examples, names, FOLDS)
    measured: dict[str, list[pd.DataFrame]] = {}
    for owner, topic, scores in zip(owners, topics, held_out.scores, strict=True):
        measured.setdefault(owner, []).append(topic.measure(Given(scores), METRICS))
    card = {
        "what": "Log-odds that a sentence of an article is what a citing sentence is about",
        "model": "logistic regression on standardised features",
        "trained_on": [_trained_on(name, own) for name, own in measured.items()],
        "scores_are": "percent, means over citances, nested cross-validation "
        f"with {FOLDS} folds over topics",
        "weights": "weight * (value - mean) / scale, summed over features, plus the intercept",
        "holds": "weights only, no text of the corpora",
        "date": datetime.now(UTC).date().isoformat(),
        "licence": "CC0 1.0",
    }
    ltr = LTR.learn(examples, names, [held_out.best])[0]
    ltr.save(path, card)
    return ltr


def _trained_on(corpus: str, measured: Sequence[pd.DataFrame]) -> dict[str, Any]:
    """Say what was learned from a corpus, and how good the model is on its held-out topics."""
    return {
        "corpus": corpus,
        "licence": source(SOURCES[corpus]).licence,
        "topics": len(measured),
        "citances": sum(map(len, measured)),
        "held_out": pd.concat(measured)[list(METRICS)].mean().round(1).to_dict(),
    }


if __name__ == "__main__":
    try:
        print(train([profiles.load(name) for name in SOURCES]).settings, WEIGHTS)
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
