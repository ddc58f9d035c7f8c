"""Beyond the papers: contexts found by a model that learns from other topics' annotations.

python -m citectx.papers.beyond.contexts

Features (`features.py`) and the grid (`nested.GRID`) were written down before the first nested run; every
choice among them is made on other topics than those scored.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import CitectxError
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen as counts_of
from citectx.experiments.tuning import measured, tuned_scores, variants
from citectx.papers.beyond import controls
from citectx.papers.beyond.controls import Data
from citectx.papers.beyond.features import FEATURES, GROUPS, LEXICAL, STATIC, names_of, reciprocal_ranks
from citectx.papers.beyond.ltr import LTR, Examples, Given, Settings
from citectx.papers.beyond.nested import GRID, Nested, nested
from citectx.types import Floats

NAME = "beyond_contexts"
RUNS = Path(__file__).with_name("runs.csv")
"""All runs of LTR whose scores on held-out topics were looked at, in percent."""
METRICS = ("c-P", "c-R", "c-F", "nDCG", "c-P@1", "c-P@5", "wc-P", "wc-R", "wc-F")
BASELINE = "BM25"
ROWS: dict[str, list[str]] = {
    "Section prior": ["bm25_rare.z", *names_of("section")],
    "No query": names_of(*STATIC),
    "LTR (words only)": names_of(*LEXICAL),
    "LTR": names_of(*GROUPS),
}
"""Rows that learn, with their features. ``No query`` never looks at the citance: a control."""
FUSED = ("bm25_usual.z", "bm25_grams.z", "bm25_rare.z", "lmd.z", "dfr.z", "vsm.z")
FUSION_K = 60
RESAMPLES = 50
ELSEWHERE = {
    "citation-integrity": "scisumm-train",
    "scisumm-train": "citation-integrity",
    "scisumm-gold": "scisumm-train",
}
"""Where ``LTR (other corpus)`` learns, if that corpus is at hand; else it has the package's weights."""
OTHER = "LTR (other corpus)"
LEAST = 5
"""Topics without which nothing is learned from a corpus."""


@timed
def run(
    corpora: Sequence[Corpus],
    protocol: Protocol | None = None,
    *,
    folds: int = 10,
    grid: Sequence[Settings] = GRID,
    encoder: bool = False,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure learned contextualizers and their controls as `citectx.papers.sigir2017.table1` does.

    ``BM25`` is tuned as there. ``Fusion`` adds up 1/(60 + rank) over six scores of words (Cormack et al.
    2009) and learns nothing. The rows of `ROWS` are logistic regressions, scored by nested cross-validation
    over topics. For the other rows see `citectx.papers.beyond.controls`.

    Parameters
    ----------
    corpora : sequence of Corpus
        One with fewer than five topics is only scored by models that learned elsewhere.
    protocol : Protocol, optional
    folds : int
        Of the cross-validation over topics; as many as topics leave one topic out.
    grid : sequence of Settings
        Settings to choose among.
    encoder : bool
        Add the row ``LTR+Dense``, with a sentence encoder among the features: needs the extra ``dense``.
    seed : int
        For bootstrap, permutations and splits.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (differences from BM25, and of LTR from the others), ``groups`` (one
        group of features after the other), ``weights`` (with 95 % bootstrap intervals over topics),
        ``curve`` (by number of topics learned from) and ``people`` (LTR against people, both judged by the
        same annotators).

    Notes
    -----
    `RUNS` lists all runs that read the scores of held-out topics. No group of features was chosen after a
    look at ``groups``.
    """
    protocol = protocol or Protocol()
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    names = [*ROWS["LTR"], *(names_of("meaning") if encoder else ())]
    tables = {}
    for corpus in corpora:
        topics = prepare(corpus, protocol)
        examples = [Examples.of(t, names) for t in topics]
        known = [e.only(names, ROWS["LTR"]) for e in examples]
        bar: tqdm[Any]
        with tqdm(desc=f"{NAME}: {corpus.name}", disable=not progress, unit="row") as bar:
            table = _Table(Data(corpus, topics, known, ROWS["LTR"], folds, seed), bar)
            if len(topics) >= LEAST:
                table.learned(grid)
                if encoder:
                    table.learn("LTR+Dense", names, examples, grid)
        tables[corpus.name] = table
    for name, table in tables.items():
        table.elsewhere(tables.get(ELSEWHERE.get(name, "")))
    return Result.of(NAME, [table.result(shared) for table in tables.values()])


class _Table:
    """The rows of one corpus, one after the other."""

    def __init__(self, data: Data, bar: "tqdm[Any]") -> None:
        self.data, self.bar = data, bar
        self.nested: Nested | None = None
        self.extra: dict[str, pd.DataFrame] = {}
        baseline = {BASELINE: variants(BASELINE, data.corpus.name)}
        tuned, scores = tuned_scores(data.topics, baseline, data.folds, METRICS)
        self.frames, self.by_method = [scores], dict(counts_of(tuned))
        self.add("Fusion", [fused(e, data.names) for e in data.examples])

    def add(self, row: str, scores: Sequence[Floats]) -> None:
        """Measure a row."""
        self.frames.append(measured(self.data.topics, row, list(map(Given, scores)), METRICS))
        self.bar.update()

    def learn(self, row: str, names: Sequence[str], examples: Sequence[Examples], grid: Sequence[Settings]) -> Nested:
        """Add a row that learns from this corpus."""
        found = nested(self.data.topics, examples, names, self.data.folds, grid)
        self.by_method[row] = {"chosen": found.counts(), "features": len(names)}
        self.add(row, found.scores)
        return found

    def learned(self, grid: Sequence[Settings]) -> None:
        """Add the rows that learn from this corpus, and what is known of the last of them."""
        data = self.data
        for row, names in ROWS.items():
            self.nested = self.learn(row, names, [e.only(data.names, names) for e in data.examples], grid)
        assert self.nested is not None  # of the last row, LTR
        for row, scores in controls.rows(data, self.nested):
            self.add(row, scores)
        self.frames += controls.outside_abstract(data, self.nested, METRICS)
        self.extra["groups"] = controls.groups(data, self.nested)
        self.extra["curve"] = controls.curve(data)
        self.extra["weights"] = weights(data, self.nested.best)
        people = controls.people(data.topics, self.nested.scores)
        if len(people):
            self.extra["people"] = compare(people, data.seed, ["people"], permute=False)
            self.frames.append(people.assign(method=people["method"] + " (against others)"))

    def elsewhere(self, other: "_Table | None") -> None:
        """Add what learned from another corpus: one row, or all of them where nothing is learned here."""
        if other and other.nested:
            about, names = other.data.corpus.name, other.data.names
            learned = {
                row: LTR.learn([e.only(names, own) for e in other.data.examples], own, [other.nested.best])[0]
                for row, own in ({OTHER: names} if self.nested else ROWS).items()
            }
        else:
            about, learned = "the package's weights", {OTHER: LTR.load()}
            if self.data.corpus.name in [each["corpus"] for each in learned[OTHER].card["trained_on"]]:
                return
        for row, model in learned.items():
            self.by_method[row] = {"trained on": about, **model.params()}
            own = [e.only(self.data.names, list(model.weights)) for e in self.data.examples]
            self.add(row, [model.of_values(e.values) for e in own])

    def result(self, params: Mapping[str, object]) -> Result:
        """Report on the corpus."""
        scores, seed = pd.concat(self.frames, ignore_index=True), self.data.seed
        outside = scores["method"].str.contains("outside the abstract")
        inside = ~outside & ~scores["method"].str.contains("against others")
        tests = [compare(scores[inside], seed, [row]) for row in (BASELINE, "LTR")]
        tests.append(compare(scores[outside], seed, [f"{BASELINE} (outside the abstract)"]))
        return part(
            NAME,
            self.data.corpus,
            scores,
            seed,
            params=params,
            by_method=self.by_method,
            extra={"tests": pd.concat(tests, ignore_index=True), **self.extra},
        )


def fused(examples: Examples, names: Sequence[str]) -> Floats:
    """Fuse six rankings: the sum of 1/(60 + rank)."""
    columns = [examples.values[:, :, names.index(f)].astype(np.float64) for f in FUSED]  # noqa: PD011
    total: Floats = np.sum([1 / (FUSION_K + 1 / reciprocal_ranks(column)) for column in columns], axis=0)
    return total


def weights(data: Data, best: Settings) -> pd.DataFrame:
    """Tabulate the weights, trained on all topics, with intervals from a bootstrap over topics."""
    rng, topics = np.random.default_rng(data.seed), len(data.examples)
    draws = [np.arange(topics), *(rng.integers(0, topics, topics) for _ in range(RESAMPLES))]
    models = [LTR.learn([data.examples[i] for i in draw], data.names, [best])[0] for draw in draws]
    values = np.array([[model.weights[name].weight for name in data.names] for model in models])
    low, high = np.quantile(values[1:], [0.025, 0.975], axis=0)
    about = [(name, FEATURES[name].group, FEATURES[name].about) for name in data.names]
    table = pd.DataFrame(about, columns=["feature", "group", "about"])
    return table.assign(weight=values[0], ci_low=low, ci_high=high)


if __name__ == "__main__":
    try:
        opened = [profiles.load(name) for name in (*profiles.profile("open").corpora, "scisumm-gold")]
        print(run(opened).write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
