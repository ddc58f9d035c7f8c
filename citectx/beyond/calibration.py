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
table of docs/your-paper.md.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from citectx import profiles
from citectx.beyond import ltr
from citectx.evaluation import mean_over, relevance
from citectx.experiments.contextualization import Prepared, prepare
from citectx.language.spans import best_first
from citectx.paths import ROOT
from citectx.storage import read_json, write_atomically, write_json
from citectx.types import Floats

FILE = Path(__file__).with_name("scale.json")
"""The scale that comes with the package."""
TABLE = ROOT / "docs" / "your-paper" / "reliability.csv"
"""How often passages are right, in both directions and on the explored corpora."""
EDGES = (0.1, 0.25)
"""The chances that divide the bands."""
HERE, THERE = ltr.SOURCES
CROSSED = {(HERE, THERE): [HERE], (THERE, HERE): [THERE]}
"""Each row's names (learned on, tested on), and the corpora that it learns from."""
EXPLORED = {("both", name): [HERE, THERE] for name in ("citation-integrity-31", "scisumm-gold")}
"""The rows that were scored once, after the scale was fitted."""
SHOWN = 3
"""How many passages of each citing sentence the scale is fitted on."""
FOLDS = 10
"""How many folds of whole topics there are: the scale is fitted on articles new to its model."""
NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
NAMES = ["learned_on", "tested_on"]
COLUMNS = "band passages topics said right ci_low ci_high".split()


class Scale(NamedTuple):
    """From log-odds of the model to the chance that a passage is right."""

    slope: float
    intercept: float
    shares: Sequence[float] = ()
    """How often the passages of each band were right."""

    @classmethod
    def load(cls) -> "Scale":
        """Read the scale that comes with the package."""
        return cls(**read_json(FILE))

    def chances(self, log_odds: Floats) -> Floats:
        """Return the chance of each passage, whatever the shape."""
        return np.asarray(expit(self.slope * log_odds + self.intercept))

    def words(self, chance: float) -> str:
        """Say how often passages of the same band are right.

        >>> Scale(1, 0, (0.08, 0.14, 0.3)).words(0.9)
        'about one in three'
        """
        share = self.shares[int(np.digitize(chance, EDGES))]
        return f"about one in {NUMBERS[round(1 / share)]}"


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


def fit(passages: pd.DataFrame, weights: pd.Series) -> Scale:
    """Fit a scale; each passage is right in part, as often as its annotators marked it."""
    # each passage twice, as right and as wrong
    log_odds = np.tile(passages["log_odds"], 2)[:, np.newaxis]
    is_right = np.repeat([1, 0], len(passages))
    parts = np.concatenate([passages["right"] * weights, (1 - passages["right"]) * weights])
    logit = LogisticRegression(C=np.inf, tol=1e-8).fit(log_odds, is_right, sample_weight=parts)
    return Scale(float(logit.coef_[0, 0].round(4)), float(logit.intercept_[0].round(4)))


def train(sources: Sequence[str]) -> Scale:
    """Fit a scale on articles that its model has not seen in each fold; corpora weigh the same."""
    by_corpus = {name: prepare(profiles.load(name)) for name in sources}
    topics = [*chain(*by_corpus.values())]
    marked = [topic.relevant for topic in topics]
    scores, _ = ltr.held_out(ltr.values_of(topics), marked, FOLDS)
    passages = shown(topics, scores)
    corpora = {topic.topic.topic_id: name for name, part in by_corpus.items() for topic in part}
    sizes = passages.groupby(passages["topic"].map(corpora))["topic"].transform("size")
    return fit(passages, len(passages) / sizes)


def reliability(scale: Scale, passages: pd.DataFrame) -> pd.DataFrame:
    """Tabulate for each band what a scale says and how often it is right: columns `COLUMNS`."""
    chances = scale.chances(passages["log_odds"].to_numpy())
    bands = np.digitize(chances, EDGES) + 1
    rows = []
    for band, inside in passages.assign(said=chances).groupby(bands):
        seen = mean_over(inside["right"], inside["topic"]).numbers
        counts = len(inside), inside["topic"].nunique()
        rows.append((band, *counts, inside["said"].mean(), *seen))
    return pd.DataFrame(rows, columns=COLUMNS).round(3)


def measure(tests: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """Tabulate how often passages are right that a model shows on a corpus it has not seen."""
    tables = {}
    for names, sources in tests.items():
        model = ltr.train(sources)
        topics = prepare(profiles.load(names[1]))
        passages = shown(topics, [topic.scores(model) for topic in topics])
        tables[names] = reliability(train(sources), passages)
    return pd.concat(tables, names=NAMES).reset_index(NAMES)


if __name__ == "__main__":
    crossed = measure(CROSSED)
    shares = crossed.groupby("band")["right"].mean().round(3)
    write_json(FILE, train(ltr.SOURCES)._replace(shares=[*shares])._asdict())
    table = pd.concat([crossed, measure(EXPLORED)])
    write_atomically(TABLE, table.to_csv(index=False, lineterminator="\n"))
