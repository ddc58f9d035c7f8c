"""Beyond the papers: contexts found by a model that learns from other topics' annotations.

python -m citectx.papers.beyond.contexts

Features (`features.py`) and the grid (`nested.GRID`) were written down before the first nested run; every
choice among them is made on other topics than those scored.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import CitectxError
from citectx.experiments.contextualization import Prepared, Protocol, prepare, settings
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen as counts_of
from citectx.experiments.tuning import measured, tuned_scores, variants
from citectx.papers.beyond import controls
from citectx.papers.beyond.features import FEATURES, GROUPS, LEXICAL, STATIC, names_of
from citectx.papers.beyond.ltr import LTR, Examples, Settings
from citectx.papers.beyond.nested import GRID, Given, Nested, nested
from citectx.papers.beyond.pairs import reciprocal_ranks
from citectx.types import Floats

NAME = "beyond_contexts"
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
    Runs made on Citation-Integrity, with nDCG / c-P@1 / c-F of LTR: one, with features and grid as they are,
    68.7 / 58.9 / 35.5 (words only 63.6 / 47.5 / 29.9; no query 53.6 / 36.4 / 23.5); it was repeated to make
    the other rows, with the same result. No group of features was chosen after a look at ``groups``.
    """
    protocol = protocol or Protocol()
    ready = {corpus.name: prepare(corpus, protocol) for corpus in corpora}
    known = {name: [Examples.of(t, ROWS["LTR"]) for t in topics] for name, topics in ready.items()}
    tables = {}
    for corpus in corpora:
        label = f"{NAME}: {corpus.name}"
        bar: tqdm[Any]
        with tqdm(desc=label, disable=not progress, unit="row") as bar:
            table = _Table(corpus, ready[corpus.name], known[corpus.name], folds, grid, seed, bar)
            if len(ready[corpus.name]) >= LEAST:
                table.learned()
                if encoder:
                    names = [*ROWS["LTR"], *names_of("meaning")]
                    table.learn("LTR+Dense", names, [Examples.of(t, names) for t in table.topics])
            tables[corpus.name] = table
    for name, table in tables.items():
        table.elsewhere(tables.get(ELSEWHERE.get(name, "")))
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    return Result.of(NAME, [table.result(shared) for table in tables.values()])


OTHER = "LTR (other corpus)"
LEAST = 5
"""Topics without which nothing is learned from a corpus."""


class _Table:
    """The rows of one corpus, one after the other."""

    def __init__(
        self,
        corpus: Corpus,
        topics: Sequence[Prepared],
        examples: Sequence[Examples],
        folds: int,
        grid: Sequence[Settings],
        seed: int,
        bar: "tqdm[Any]",
    ) -> None:
        self.corpus, self.topics, self.examples = corpus, topics, examples
        self.folds, self.grid, self.seed, self.bar = folds, grid, seed, bar
        self.nested: dict[str, Nested] = {}
        self.extra: dict[str, pd.DataFrame] = {}
        tuned, scores = tuned_scores(topics, {BASELINE: variants(BASELINE, corpus.name)}, folds, METRICS)
        self.frames, self.by_method = [scores], dict(counts_of(tuned))
        self.add("Fusion", [fused(e, ROWS["LTR"]) for e in examples])

    def add(self, row: str, scores: Sequence[Floats]) -> None:
        """Measure a row."""
        self.frames.append(measured(self.topics, row, [Given(s) for s in scores], METRICS))
        self.bar.update()

    def learn(self, row: str, names: Sequence[str], examples: Sequence[Examples]) -> None:
        """Add a row that learns from this corpus."""
        self.nested[row] = nested(self.topics, examples, names, self.folds, self.grid)
        self.by_method[row] = {"chosen": self.nested[row].counts(), "features": len(names)}
        self.add(row, self.nested[row].scores)

    def learned(self) -> None:
        """Add the rows that learn from this corpus, and what is known of the last of them."""
        for row, names in ROWS.items():
            self.learn(row, names, [e.only(ROWS["LTR"], names) for e in self.examples])
        data = controls.Data(self.corpus, self.topics, self.examples, ROWS["LTR"], self.nested["LTR"])
        for row, scores in controls.rows(data, self.folds, self.seed):
            self.add(row, scores)
        self.frames += controls.outside_abstract(data, self.folds, METRICS)
        self.extra["groups"] = controls.groups(data, self.folds, self.seed)
        self.extra["curve"] = controls.curve(data, self.folds, self.seed)
        self.extra["weights"] = weights(self.examples, ROWS["LTR"], self.nested["LTR"].best, self.seed)
        people = controls.people(self.topics, self.nested["LTR"].scores)
        if len(people):
            self.extra["people"] = compare(people, self.seed, ["people"], permute=False)
            self.frames.append(people.assign(method=people["method"] + " (against others)"))

    def elsewhere(self, other: "_Table | None") -> None:
        """Add what learned from another corpus: one row, or all of them where nothing is learned here."""
        if other and other.nested:
            about, best = other.corpus.name, other.nested["LTR"].best
            wanted = {OTHER: ROWS["LTR"]} if self.nested else ROWS
            learned = {
                row: LTR.learn([e.only(ROWS["LTR"], names) for e in other.examples], names, [best])[0]
                for row, names in wanted.items()
            }
        else:
            about, learned = "the package's weights", {OTHER: LTR.load()}
            if self.corpus.name in [each["corpus"] for each in learned[OTHER].card["trained_on"]]:
                return
        for row, model in learned.items():
            self.by_method[row] = {"trained on": about, **model.params()}
            own = [e.only(ROWS["LTR"], list(model.weights)) for e in self.examples]
            self.add(row, [model.of_values(e.values) for e in own])

    def result(self, params: Mapping[str, object]) -> Result:
        """Report on the corpus."""
        scores = pd.concat(self.frames, ignore_index=True)
        aside = scores["method"].str.contains("against others|outside the abstract")
        tests = [compare(scores[~aside], self.seed, [row]) for row in (BASELINE, "LTR")]
        outside = scores[scores["method"].str.contains("outside the abstract")]
        tests.append(compare(outside, self.seed, [f"{BASELINE} (outside the abstract)"]))
        return part(
            NAME,
            self.corpus,
            scores,
            self.seed,
            params=params,
            by_method=self.by_method,
            extra={"tests": pd.concat(tests, ignore_index=True), **self.extra},
        )


def fused(examples: Examples, names: Sequence[str]) -> Floats:
    """Fuse six rankings: the sum of 1/(60 + rank)."""
    columns = [np.asarray(examples.values[:, :, names.index(f)], dtype=np.float64) for f in FUSED]  # noqa: PD011
    ranks = [1 / reciprocal_ranks(column) for column in columns]
    total: Floats = np.sum([1 / (FUSION_K + r) for r in ranks], axis=0)
    return total


def weights(examples: Sequence[Examples], names: Sequence[str], best: Settings, seed: int) -> pd.DataFrame:
    """Tabulate the weights, trained on all topics, with intervals from a bootstrap over topics."""
    rng = np.random.default_rng(seed)
    draws = [rng.integers(0, len(examples), len(examples)) for _ in range(RESAMPLES)]
    samples = [LTR.learn([examples[i] for i in draw], names, [best])[0] for draw in draws]
    values = [[model.weights[name].weight for name in names] for model in samples]
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    own = LTR.learn(examples, names, [best])[0].weights
    about = [(name, FEATURES[name].group, FEATURES[name].about, own[name].weight) for name in names]
    table = pd.DataFrame(about, columns=["feature", "group", "about", "weight"])
    return table.assign(ci_low=low, ci_high=high)


if __name__ == "__main__":
    try:
        opened = [profiles.load(name) for name in (*profiles.profile("open").corpora, "scisumm-gold")]
        print(run(opened).write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
