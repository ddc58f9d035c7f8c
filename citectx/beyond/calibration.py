"""How often a passage that `citectx contexts` shows is right, in three bands.

*Right* means: one annotator, drawn at random, marked the sentence. The corpora were marked
differently, by four people and by one, so the model's log-odds, which learned from what anybody
marked, are no chances of that. A scale of two numbers (Platt) makes them so, fitted on the first
three passages of each citing sentence.

Declared before `EXPLORED` was scored: the bands; that the scale is tried in both directions, fitted
where a model learned and tested on the other corpus; that the words of a band are the mean of what
both directions saw; and that the rank alone is shown if any band is right in two directions so
differently that there is a band between them. A table of the explored corpora has been seen with
another scale: what they say is no confirmation.

``python -m citectx.beyond.calibration`` fits the scale that comes with the package, and writes the
table and the figure of docs/your-paper.md.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from citectx import profiles
from citectx.beyond.ltr import LTR, SOURCES, examples, held_out, learn, values_of
from citectx.evaluation import mean_over, relevance
from citectx.experiments.contextualization import Prepared, prepare
from citectx.language.spans import best_first
from citectx.paths import ROOT
from citectx.storage import read_json, write_atomically, write_json
from citectx.types import Floats, Ints

FILE = Path(__file__).with_name("scale.json")
"""The scale that comes with the package; `train` computes it."""
TABLE = ROOT / "docs" / "your-paper" / "reliability.csv"
"""How often passages are right, in both directions and on the explored corpora."""
PICTURE = ROOT / "docs" / "images" / "reliability.svg"
EDGES = (0.1, 0.25)
"""Chances that divide the bands."""
EXPLORED = ("citation-integrity-31", "scisumm-gold")
"""Scored once, after the scale was fitted."""
SHOWN = 3
"""Passages of a citing sentence on which the scale is fitted."""
FOLDS = 10
"""Folds of whole topics in which the scale meets articles that its model has not seen."""
NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
COLUMNS = "learned_on tested_on band passages topics said right ci_low ci_high".split()


class Scale(NamedTuple):
    """From log-odds of the model to the chance that a passage is right."""

    slope: float
    intercept: float
    shares: tuple[float, ...] = ()
    """How often the passages of each band were right, none if the directions disagree."""

    @classmethod
    def load(cls) -> "Scale":
        """Read the scale that comes with the package."""
        stored = read_json(FILE)
        return cls(stored["slope"], stored["intercept"], tuple(stored["shares"]))

    def chances(self, log_odds: Floats) -> Floats:
        """Return the chance of each passage, whatever the shape."""
        return np.asarray(expit(self.slope * log_odds + self.intercept))

    def words(self, chance: float) -> str:
        """Say how often passages of the same band are right; "" if that is not known.

        >>> Scale(1, 0, (0.08, 0.14, 0.3)).words(0.9)
        'about one in three'
        """
        if not self.shares:
            return ""
        share = self.shares[int(np.digitize(chance, EDGES))]
        many = round(1 / share)
        return f"about one in {NUMBERS[many] if many < len(NUMBERS) else many}"


def shown(topics: Sequence[Prepared], scores: Sequence[Floats]) -> pd.DataFrame:
    """Tabulate what is shown: columns topic, log_odds, and right, the share of annotators."""
    rows = []
    for topic, log_odds in zip(topics, scores, strict=True):
        chars = topic.candidates.chars
        for citance, row in zip(topic.citances, log_odds, strict=True):
            best = best_first(row)[:SHOWN]
            # (annotators, sentences): whoever marked nothing counts, too
            marks = [relevance(chars, {a.annotator: a.spans}) for a in citance.annotations]
            right = np.mean(np.array(marks) > 0, axis=0)
            rows += [(topic.topic.topic_id, row[i], right[i]) for i in best]
    return pd.DataFrame(rows, columns=["topic", "log_odds", "right"])


def fit(passages: pd.DataFrame) -> Scale:
    """Fit a scale; each passage is right in part, as often as its annotators marked it.

    A column "weight", if there is one, weighs the passages.
    """
    weight = passages.get("weight", pd.Series(1.0, passages.index))
    log_odds = np.tile(passages["log_odds"], 2)[:, np.newaxis]
    is_right = np.repeat([1, 0], len(passages))
    parts = np.concatenate([passages["right"] * weight, (1 - passages["right"]) * weight])
    logit = LogisticRegression(C=np.inf, tol=1e-8).fit(log_odds, is_right, sample_weight=parts)
    return Scale(float(logit.coef_[0, 0].round(4)), float(logit.intercept_[0].round(4)))


def reliability(scale: Scale, passages: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Tabulate for each band what a scale says and how often it is right: columns `COLUMNS`."""
    chances = scale.chances(passages["log_odds"].to_numpy())
    bands = np.digitize(chances, EDGES)
    rows = []
    for band in range(len(EDGES) + 1):
        inside = passages[bands == band]
        if len(inside):
            said = chances[bands == band].mean()
            seen = mean_over(inside["right"].to_numpy(), inside["topic"].to_numpy()).numbers
            counts = len(inside), inside["topic"].nunique()
            rows.append((*names, band + 1, *counts, said, *map(float, seen)))
    return pd.DataFrame(rows, columns=COLUMNS).round(3)


@cache
def prepared(name: str) -> tuple[list[Prepared], list[Floats], list[Ints]]:
    """Make a corpus ready, with its features and marks by topic."""
    topics = prepare(profiles.load(name))
    return topics, values_of(topics), [topic.relevant for topic in topics]


def crossed() -> pd.DataFrame:
    """Fit model and scale on one corpus, and test them on the other, both ways."""
    tables = []
    for here, there in (SOURCES, SOURCES[::-1]):
        topics, values, marked = prepared(here)
        scale = fit(shown(topics, held_out(values, marked, FOLDS)[0]))
        model = learn(*examples(values, marked))
        others, features, _ = prepared(there)
        # each of shape (citances, sentences)
        scores = [
            model.decision_function(x.reshape(-1, x.shape[-1])).reshape(x.shape[:2])
            for x in features
        ]
        tables.append(reliability(scale, shown(others, scores), here, there))
    return pd.concat(tables, ignore_index=True)


def shares_of(directions: pd.DataFrame) -> tuple[float, ...]:
    """Return how often the passages of each band are right; none if the directions disagree.

    >>> both = pd.DataFrame({"band": [1, 1, 2, 2], "right": [0.05, 0.07, 0.09, 0.19]})
    >>> shares_of(both)
    (0.06, 0.14)
    >>> shares_of(both.assign(right=[0.05, 0.07, 0.09, 0.3]))
    ()
    """
    by_band = directions.groupby("band")["right"]
    apart = by_band.agg(lambda right: int(np.ptp(np.digitize(right.to_numpy(), EDGES))))
    return () if (apart > 1).any() else tuple(by_band.mean().round(3))


def train(shares: tuple[float, ...]) -> Scale:
    """Fit the scale of the package's model, on articles that it has not seen in each fold."""
    parts = [prepared(name) for name in SOURCES]
    topics = [topic for part in parts for topic in part[0]]
    values = [features for part in parts for features in part[1]]
    marked = [marks for part in parts for marks in part[2]]
    passages = shown(topics, held_out(values, marked, FOLDS)[0])
    first = {topic.topic.topic_id for topic in parts[0][0]}
    source = passages["topic"].isin(first)
    # both corpora weigh the same
    passages["weight"] = 1 / passages.groupby(source)["topic"].transform("size")
    passages["weight"] *= len(passages) / 2
    return fit(passages)._replace(shares=shares)


def explored(scale: Scale) -> pd.DataFrame:
    """Test the scale and the model of the package on the explored corpora."""
    tables = []
    for name in EXPLORED:
        topics = prepare(profiles.load(name))
        scores = [topic.scores(LTR.load()) for topic in topics]
        tables.append(reliability(scale, shown(topics, scores), "both", name))
    return pd.concat(tables, ignore_index=True)


def draw(table: pd.DataFrame) -> Figure:
    """Draw what the scale says against how often it is right, with intervals over topics."""
    figure = Figure(figsize=(6, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 0.6], [0, 0.6], color="#999999", linewidth=1)
    for edge in EDGES:
        axes.axvline(edge, color="#dddddd", linewidth=1, zorder=0)
    for (learned, tested), rows in table.groupby(["learned_on", "tested_on"], sort=False):
        is_crossed = tested not in EXPLORED
        around = [rows["right"] - rows["ci_low"], rows["ci_high"] - rows["right"]]
        axes.errorbar(
            rows["said"],
            rows["right"],
            around,
            fmt="o-" if is_crossed else "s:",
            markerfacecolor=None if is_crossed else "white",
            label=f"{learned} → {tested}" if is_crossed else f"{tested} (explored)",
        )
    axes.set(xlabel="what the scale says", ylabel="right for an annotator drawn at random")
    axes.set(xlim=(0, 0.6), ylim=(0, 0.65))
    axes.legend(frameon=False, loc="upper left", fontsize="small")
    return figure


if __name__ == "__main__":
    both = crossed()
    scale = train(shares_of(both))
    write_json(FILE, scale._asdict())
    tables = pd.concat([both, explored(scale)], ignore_index=True)
    write_atomically(TABLE, tables.to_csv(index=False, lineterminator="\n"))
    with rc_context({"svg.hashsalt": "citectx"}):  # the same bytes each time
        draw(tables).savefig(PICTURE, metadata={"Date": None})
