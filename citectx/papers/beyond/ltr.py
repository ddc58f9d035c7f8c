"""The learned contextualizer: logistic regression over features of a citance and a sentence.

>>> ltr = LTR.load()
>>> ltr.card["licence"]
'CC0 1.0'
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.evaluation import overlap_matrix
from citectx.experiments.contextualization import Prepared
from citectx.papers.beyond.features import FEATURES, matrix
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.storage import digest, write_atomically
from citectx.types import Floats, Matrix

WEIGHTS = Path(__file__).with_name("weights.json")
"""What comes with the package; `citectx.papers.beyond.train` makes it."""

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
        A sentence counts as marked if any annotator marked a character of it; or it counts as marked with
        the share of annotators who did, and as not marked with the rest.
    """

    C: float = 0.03
    target: Target = "any"


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
        return cls(matrix(prepared.index, prepared.queries, names).astype(np.float32), shares(prepared))

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
        return replace(self, values=self.values[:, :, [list(names).index(name) for name in wanted]])


@dataclass
class Given(RetrievalModel):
    """Scores that are known already, shape (queries, spans), to be measured or shown as those of a model."""

    scores: Floats

    def params(self) -> dict[str, Any]:
        """Return nothing: how the scores came about is not known here."""
        return {}

    def fingerprint(self) -> None:
        """Return None: there is nothing to look up."""
        return

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Return the scores of the first queries, shape (queries, spans)."""
        return self.scores[: len(queries)]


def shares(prepared: Prepared) -> Floats:
    """Return the share of annotators who marked some of each sentence, shape (citances, sentences)."""
    chars = prepared.candidates.chars
    marked = [
        np.mean([overlap_matrix(chars, spans) > 0 for spans in citance.gold.values()], axis=0)
        if citance.gold
        else np.zeros(len(chars))
        for citance in prepared.citances
    ]
    return np.array(marked).reshape(-1, len(chars))


@dataclass
class LTR(RetrievalModel):
    """Log-odds that a sentence is evidence for a citance: a weighted sum of `features.FEATURES`.

    It learns from annotated topics (`learn`), or comes with the package (`load`); then it is used like any
    retrieval model: ``LTR.load().fit(index).score(queries)``, shape (queries, sentences).

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
    def learn(cls, examples: Sequence[Examples], names: Sequence[str], grid: Sequence[Settings]) -> list[Self]:
        """Learn weights from topics, once for each of some settings.

        Parameters
        ----------
        examples : sequence of Examples
        names : sequence of str
            Of the features, in the order of the examples' last axis.
        grid : sequence of Settings
            Each fit begins where the one before ended: list those next to one another that are alike.

        Raises
        ------
        ParameterError
            If nothing is marked in these topics.
        """
        from sklearn.linear_model import LogisticRegression  # scoring does without

        shares = np.concatenate([e.shares.ravel() for e in examples])
        some = np.flatnonzero(shares)
        if not len(some):
            raise ParameterError("there is nothing to learn from: no sentence is marked")
        sizes = [e.shares.size for e in examples]
        means, variances = (np.array(parts) for parts in zip(*(e.moments for e in examples), strict=True))
        mean = np.average(means, axis=0, weights=sizes)
        scale = np.sqrt(np.average(variances + (means - mean) ** 2, axis=0, weights=sizes))
        scale[scale < 1e-9] = 1.0  # a constant
        values = np.empty((len(shares) + len(some), len(names)), dtype=np.float32)
        for own, end in zip(examples, np.cumsum(sizes).tolist(), strict=True):
            values[end - own.shares.size : end] = (own.flat - mean) / scale
        # What is marked is in both classes, with weights that add up to 1.
        values[len(shares) :] = values[some]
        marked = np.arange(len(values)) >= len(shares)
        logit = LogisticRegression(solver="newton-cholesky", warm_start=True)
        models = []
        for settings in grid:
            positive = np.ceil(shares) if settings.target == "any" else shares
            weights = np.concatenate([1 - positive, positive[some]]).astype(np.float32)
            logit.set_params(C=settings.C).fit(values, marked, weights)
            columns = np.array([logit.coef_[0], mean, scale], dtype=np.float64).T.tolist()
            by_name = {name: Weight(*column) for name, column in zip(names, columns, strict=True)}
            models.append(cls(by_name, float(logit.intercept_[0]), settings))
        return models

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read trained weights, by default those that come with the package.

        Raises
        ------
        MissingDataError
            If the file is not there.
        DataError
            If it is not of the format that `save` writes, or names a feature that there is no longer.
        """
        path = path or WEIGHTS
        if not path.is_file():
            raise MissingDataError(f"{path} is not there; make it with: python -m citectx.papers.beyond.train")
        try:
            read = json.loads(path.read_text("utf-8"))
            weights = {
                name: Weight(*(float(entry[part]) for part in Weight._fields))
                for name, entry in read["features"].items()
            }
            found = cls(weights, float(read["intercept"]), Settings(**read["settings"]), read["card"])
            scales = np.array([*weights.values()])[:, 2]
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise DataError(f"expected weights as `LTR.save` writes them ({error!r})", file=path) from error
        unknown = sorted(set(weights) - set(FEATURES))
        if unknown or not np.isfinite([*weights.values()]).all() or not (scales > 0).all():
            raise DataError(f"expected known features (not {unknown}), finite weights, scales > 0", file=path)
        return found

    def save(self, path: Path, card: Mapping[str, Any]) -> None:
        """Write the weights as readable JSON, with a card that says where they come from."""
        features = {
            name: {part: round(value, 6) for part, value in weight._asdict().items()}
            | {"about": FEATURES[name].about, "group": FEATURES[name].group}
            for name, weight in self.weights.items()
        }
        settings = asdict(self.settings)
        content = {"card": card, "settings": settings, "intercept": self.intercept, "features": features}
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
