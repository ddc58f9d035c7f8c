"""Beyond the papers: contexts found by a model that learns from other topics' annotations.

Features (`features.py`) and the grid (`ltr.GRID`) were written down before the first nested run;
every choice among them is made on other topics than those scored. Controls tell what the model owes
to citance, article, abstract and sample. None of them chooses anything: each fold of a control is
trained with the settings that nested cross-validation chose for that fold, on other topics than
those scored; where topics are dealt out anew, with `Settings()`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NoReturn

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

from citectx.apps.contexts.features import (
    FEATURES,
    GROUPS,
    LEXICAL,
    STATIC,
    names_of,
    reciprocal_ranks,
)
from citectx.apps.contexts.ltr import (
    GRID,
    LTR,
    Examples,
    Given,
    Grid,
    Nested,
    Settings,
    nested,
    without,
)
from citectx.corpora.model import Annotation, Corpus, Topic
from citectx.evaluation import ndcg, overlap_matrix, precision_at, relevance, union_scores
from citectx.experiments.contextualization import Prepared, Protocol, prepare, settings
from citectx.experiments.report import KEYS, compare, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, folds_of, measured, tuned_scores, variants
from citectx.language.spans import best_first
from citectx.retrieval import BM25
from citectx.show.plotting import PALETTE
from citectx.types import Floats, Ints

NAME = "beyond_contexts"
RUNS = Path(__file__).with_name("runs.csv")
"""All runs of LTR whose scores on held-out topics were looked at, in percent."""
METRICS = ("c-P", "c-R", "c-F", "nDCG", "c-P@1", "c-P@5", "wc-P", "wc-R", "wc-F")
SHOWN = ["nDCG", "c-P@1", "c-F"]
BASELINE = "BM25"
ROWS: dict[str, list[str]] = {
    "Section prior": ["bm25_rare.z", *names_of("section")],
    "No query": names_of(*STATIC),
    "LTR (words only)": names_of(*LEXICAL),
    "LTR": names_of(*GROUPS),
}
"""Rows that learn, with their features. ``No query`` never looks at the citance: a control."""
NAMES = ROWS["LTR"]
FUSED = ("bm25_usual.z", "bm25_grams.z", "bm25_rare.z", "lmd.z", "dfr.z", "vsm.z")
FUSION_K = 60
RESAMPLES = 50
DRAWS = 2
SIZES = (1, 2, 3, 5, 7, 9, 18, 36)
ELSEWHERE = {
    "citation-integrity": "scisumm-train",
    "scisumm-train": "citation-integrity",
    "scisumm-gold": "scisumm-train",
}
"""Where ``LTR (other corpus)`` learns, if that corpus is at hand; else it has the package's
weights."""
OTHER = "LTR (other corpus)"
LEAST = 5
"""Topics without which nothing is learned from a corpus."""


@timed
def run(
    corpora: Sequence[Corpus],
    *,
    folds: int = 10,
    grid: Grid = GRID,
    encoder: bool = False,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure learned contextualizers and their controls as `citectx.papers.sigir2017.table1` does.

    ``BM25`` is tuned as there. ``Fusion`` adds up 1/(60 + rank) over six scores of words (Cormack
    et al. 2009) and learns nothing. The rows of `ROWS` are logistic regressions, scored by nested
    cross-validation over topics. ``LTR (evidence permuted)`` learned from topics where each citance
    has the evidence of another one of the same article; it can learn what is cited at all, hardly
    what for. ``LTR (another citance's scores)`` has the scores of the next citance of the article.
    ``LTR (two folds)`` learned from half of the topics only. Outside the abstract, abstracts are
    neither candidates nor evidence.

    Parameters
    ----------
    corpora : sequence of Corpus
        One with fewer than five topics is only scored by models that learned elsewhere.
    folds : int
        Of the cross-validation over topics; as many as topics leave one topic out.
    grid : sequence of Settings
        Settings to choose among.
    encoder : bool
        Add the row ``LTR+Dense``, with a sentence encoder among the features: needs the extra
        ``dense``.
    seed : int
        For bootstrap, permutations and splits.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (differences from BM25, and of LTR from the others),
        ``groups`` (one group of features after the other), ``weights`` (with 95 % bootstrap
        intervals over topics), ``curve`` (by number of topics learned from) and ``people`` (LTR
        against people, both judged by the same annotators).

    Notes
    -----
    `RUNS` lists all runs that read the scores of held-out topics. No group of features was chosen
    after a look at ``groups``.
    """
    with tqdm(desc=NAME, disable=not progress, unit="row") as bar:
        tables = {corpus.name: _Table(corpus, folds, seed, bar) for corpus in corpora}
        for table in tables.values():
            if len(table.topics) >= LEAST:
                table.learn_all(grid)
                if encoder:
                    names = [*NAMES, *names_of("meaning")]
                    table.learn(
                        "LTR+Dense", names, [Examples.of(t, names) for t in table.topics], grid
                    )
        for name, table in tables.items():
            table.elsewhere(tables.get(ELSEWHERE.get(name, "")))
    return Result.of(NAME, [table.result() for table in tables.values()])


class _Table:
    """The rows of one corpus, one after the other."""

    def __init__(self, corpus: Corpus, folds: int, seed: int, bar: "tqdm[NoReturn]") -> None:
        self.corpus, self.folds, self.seed, self.bar = corpus, folds, seed, bar
        self.topics = prepare(corpus, Protocol())
        self.examples = [Examples.of(topic, NAMES) for topic in self.topics]
        self.parts = folds_of(self.topics, folds)
        self.best: Settings | None = None
        self.extra: dict[str, pd.DataFrame] = {}
        baseline = {BASELINE: variants(BASELINE, corpus.name)}
        tuned, scores = tuned_scores(self.topics, baseline, folds, METRICS)
        self.frames, self.by_method = [scores], dict(chosen(tuned))
        self.add("Fusion", [fused(e) for e in self.examples])

    def add(
        self, row: str, scores: Sequence[Floats], topics: Sequence[Prepared] | None = None
    ) -> None:
        """Measure a row."""
        self.frames.append(measured(topics or self.topics, row, list(map(Given, scores)), METRICS))
        self.bar.update()

    def learn(
        self, row: str, names: Sequence[str], examples: Sequence[Examples], grid: Grid
    ) -> Nested:
        """Add a row that learns from this corpus."""
        found = nested(self.topics, examples, names, self.folds, grid)
        self.by_method[row] = {"chosen": found.counts(), "features": len(names)}
        self.add(row, found.scores)
        return found

    def learn_all(self, grid: Grid) -> None:
        """Add the rows that learn from this corpus, and what is known of the last of them."""
        learned = {
            row: self.learn(row, own, [e.only(NAMES, own) for e in self.examples], grid)
            for row, own in ROWS.items()
        }
        ltr = learned["LTR"]
        self.best = ltr.best
        rng, usual = np.random.default_rng(self.seed), [Settings()] * len(self.topics)
        permuted = [
            replace(e, shares=e.shares[_derangement(len(e.shares), rng)]) for e in self.examples
        ]
        self.add(
            "LTR (evidence permuted)",
            without(permuted, self.examples, NAMES, self.parts, ltr.settings),
        )
        self.add("LTR (another citance's scores)", [np.roll(s, 1, axis=0) for s in ltr.scores])
        halves = folds_of(self.topics, 2)
        self.add("LTR (two folds)", without(self.examples, self.examples, NAMES, halves, usual))
        self.add_outside_abstract(ltr)
        self.extra = {
            "groups": self.groups(ltr),
            "curve": self.curve(),
            "weights": self.weights(ltr.best),
        }
        people = judged(self.topics, ltr.scores)
        if len(people):
            self.extra["people"] = compare(people, self.seed, ["people"], permute=False)
            self.frames.append(people.assign(method=people["method"] + " (against others)"))

    def add_outside_abstract(self, ltr: Nested) -> None:
        """Measure LTR and BM25, as it is by default, where abstracts are neither candidates nor
        evidence.
        """
        corpus = Corpus(self.corpus.name, tuple(map(_without_abstract, self.corpus)))
        known = {t.topic.topic_id: s for t, s in zip(self.topics, ltr.settings, strict=True)}
        topics = [t for t in prepare(corpus, Protocol()) if t.topic.topic_id in known]
        examples, own = (
            [Examples.of(t, NAMES) for t in topics],
            [known[t.topic.topic_id] for t in topics],
        )
        scores = without(examples, examples, NAMES, folds_of(topics, self.folds), own)
        self.add("LTR (outside the abstract)", scores, topics)
        self.add("BM25 (outside the abstract)", [t.scores(BM25()) for t in topics], topics)

    def groups(self, ltr: Nested) -> pd.DataFrame:
        """Add one group of features after the other: what each brings, with its paired interval.

        Returns
        -------
        DataFrame
            Columns added, features, then for each metric of `SHOWN` its value, its difference from
            the line above, and the difference's interval.
        """
        frames: list[pd.DataFrame] = []
        lines = []
        for i, group in enumerate(GROUPS):
            names = [name for name in NAMES if FEATURES[name].group in GROUPS[: i + 1]]
            examples = [e.only(NAMES, names) for e in self.examples]
            last = group == GROUPS[-1]  # with all features it is LTR itself
            scores = (
                ltr.scores if last else without(examples, examples, names, self.parts, ltr.settings)
            )
            frames.append(measured(self.topics, group, list(map(Given, scores)), SHOWN))
            line: dict[str, Any] = {
                "added": group,
                "features": len(names),
                **frames[i][SHOWN].mean(),
            }
            if i:
                both = pd.concat(frames[-2:])
                tests = compare(both, self.seed, [GROUPS[i - 1]], SHOWN, permute=False).set_index(
                    "metric"
                )
                ends = product(SHOWN, ("difference", "ci_low", "ci_high"))
                line |= {f"{metric} {end}": tests.loc[metric, end] for metric, end in ends}
            lines.append(line)
        return pd.DataFrame(lines)

    def curve(self) -> pd.DataFrame:
        """Learn from fewer topics: columns topics and `SHOWN`, means over citances and `DRAWS`
        draws.
        """
        rng, lines = np.random.default_rng(self.seed), []
        most = len(self.topics) - max(map(len, self.parts))
        for size in [s for s in SIZES if s <= most]:
            frames = []
            for _, held_out in product(range(DRAWS), self.parts):
                rest = np.setdiff1d(np.arange(len(self.topics)), held_out)
                drawn = [self.examples[i] for i in rng.choice(rest, size, replace=False)]
                model = LTR.learn(drawn, NAMES, [Settings()])[0]
                scores = [Given(model.of_values(self.examples[i].values)) for i in held_out]
                frames.append(measured([self.topics[i] for i in held_out], "LTR", scores, SHOWN))
            lines.append({"topics": size, **pd.concat(frames)[SHOWN].mean()})
        return pd.DataFrame(lines)

    def weights(self, best: Settings) -> pd.DataFrame:
        """Tabulate the weights, trained on all topics, with intervals from a bootstrap over
        topics.
        """
        rng, topics = np.random.default_rng(self.seed), len(self.topics)
        draws = [np.arange(topics), *(rng.integers(0, topics, topics) for _ in range(RESAMPLES))]
        models = [LTR.learn([self.examples[i] for i in draw], NAMES, [best])[0] for draw in draws]
        values = np.array([[model.weights[name].weight for name in NAMES] for model in models])
        low, high = np.quantile(values[1:], [0.025, 0.975], axis=0)
        about = [(name, FEATURES[name].group, FEATURES[name].about) for name in NAMES]
        table = pd.DataFrame(about, columns=["feature", "group", "about"])
        return table.assign(weight=values[0], ci_low=low, ci_high=high)

    def elsewhere(self, other: "_Table | None") -> None:
        """Add what learned from another corpus: one row, or all of them where nothing is learned
        here.
        """
        if other and other.best:
            about, rows = other.corpus.name, {OTHER: NAMES} if self.best else ROWS
            learned = {
                row: LTR.learn([e.only(NAMES, own) for e in other.examples], own, [other.best])[0]
                for row, own in rows.items()
            }
        else:
            about, learned = "the package's weights", {OTHER: LTR.load()}
            if self.corpus.name in [each["corpus"] for each in learned[OTHER].card["trained_on"]]:
                return
        for row, model in learned.items():
            self.by_method[row] = {"trained on": about, **model.params()}
            own = [e.only(NAMES, list(model.weights)) for e in self.examples]
            self.add(row, [model.of_values(e.values) for e in own])

    def result(self) -> Result:
        """Report on the corpus."""
        scores, seed = pd.concat(self.frames, ignore_index=True), self.seed
        outside = scores["method"].str.contains("outside the abstract")
        inside = ~outside & ~scores["method"].str.contains("against others")
        tests = [compare(scores[inside], seed, [row]) for row in (BASELINE, "LTR")]
        tests.append(compare(scores[outside], seed, [f"{BASELINE} (outside the abstract)"]))
        extra = {"tests": pd.concat(tests, ignore_index=True), **self.extra}
        shared = settings(Protocol(), folds=self.folds, tuned_for="c-F")
        return part(
            NAME, self.corpus, scores, seed, params=shared, by_method=self.by_method, extra=extra
        )


def fused(examples: Examples) -> Floats:
    """Fuse six rankings: the sum of 1/(60 + rank)."""
    columns = examples.only(NAMES, FUSED).values.astype(np.float64).transpose(2, 0, 1)  # noqa: PD011
    total: Floats = np.sum(
        [1 / (FUSION_K + 1 / reciprocal_ranks(column)) for column in columns], axis=0
    )
    return total


def _derangement(n: int, rng: np.random.Generator) -> Ints:
    """Permute 0 … n−1 so that nothing stays in place (but for n = 1)."""
    order = rng.permutation(n)
    moved = np.empty(n, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def _without_abstract(topic: Topic) -> Topic:
    blocks = topic.reference.blocks
    inside = [(b.start, b.end) for b in blocks if b.kind == "abstract"]
    hidden = tuple(replace(b, kind="back") if b.kind == "abstract" else b for b in blocks)

    def outside(annotation: Annotation) -> Annotation:
        kept = tuple(
            s for s in annotation.spans if not any(s.start < b and a < s.end for a, b in inside)
        )
        return replace(annotation, spans=kept)

    citances = tuple(
        replace(c, annotations=tuple(map(outside, c.annotations))) for c in topic.citances
    )
    return replace(topic, reference=replace(topic.reference, blocks=hidden), citances=citances)


def judged(topics: Sequence[Prepared], scores: Sequence[Floats]) -> pd.DataFrame:
    """Judge people and LTR alike: by all annotators of a citance but one, each in turn.

    A person is the one left out. His or her nDCG ranks the marked sentences first, both parts in
    reading order; c-P@1 is the precision of all that he or she marked (as `human_precision`), c-F
    its F.

    Returns
    -------
    DataFrame
        Columns topic, citance, method ("people", "LTR") and `SHOWN`; only citances with two
        annotators.
    """
    rows: list[tuple[Any, ...]] = []
    for topic, own in zip(topics, scores, strict=True):
        chars = topic.candidates.chars
        for citance, row in zip(topic.citances, own, strict=True):
            found = topic.retrieve(row, topic.protocol.k)
            for name, spans in citance.gold.items() if len(citance.gold) > 1 else ():
                others = {other: marked for other, marked in citance.gold.items() if other != name}
                gains = relevance(chars, others)
                marks = (overlap_matrix(chars, spans) > 0).astype(np.float64)
                person, model = union_scores(spans, others), union_scores(found, others)
                first = precision_at(found, others, 1)
                for method, ranked, precision, f1 in (
                    ("people", marks, person.precision, person.f1),
                    ("LTR", row, first, model.f1),
                ):
                    values = 100 * ndcg(gains[best_first(ranked)]), 100 * precision, 100 * f1
                    rows.append((topic.topic.topic_id, citance.citance_id, method, *values))
    frame = pd.DataFrame(rows, columns=[*KEYS, *SHOWN])
    return frame.groupby(KEYS, sort=False, as_index=False).mean()


def waterfall(
    groups: pd.DataFrame,
    metric: str,
    title: str,
    references: Mapping[tuple[str, str], float] | None = None,
) -> Figure:
    """Draw what each group of features adds to those above it, a panel for each corpus.

    A bar runs from the value without a group to the value with it; its whisker is the 95 % interval
    of the difference.

    Parameters
    ----------
    groups : DataFrame
        Columns corpus, added, features, and a metric with its difference, ci_low and ci_high, as
        ``beyond_contexts.groups`` has them.
    metric : str
    title : str
    references : mapping of (corpus, method) to float, optional
        Values to draw as dashed lines, such as those of a baseline.
    """
    corpora = list(dict.fromkeys(groups["corpus"]))
    size = (4.2 * len(corpora) + 3, 4.4)
    figure, axes = plt.subplots(1, len(corpora), figsize=size, squeeze=False)
    for ax, corpus in zip(axes[0], corpora, strict=True):
        rows = groups[groups["corpus"] == corpus].reset_index(drop=True)
        now = rows[metric].to_numpy()
        before = np.concatenate([now[:1], now[:-1]])
        colors = [PALETTE[2] if gained > 0 else PALETTE[1] for gained in now - before]
        height = np.arange(1, len(rows))
        ax.barh(height, (now - before)[1:], left=before[1:], color=colors[1:], height=0.55)
        ax.plot(now[0], 0, "o", color="black", ms=7)
        ends = (
            rows[f"{metric} {end}"].to_numpy()[1:] + before[1:] for end in ("ci_low", "ci_high")
        )
        ax.hlines(height, *ends, color="black", lw=1.2)
        for i, value in enumerate(now[:-1]):
            ax.plot([value, value], [i, i + 1], color="0.6", lw=0.8, zorder=0)
        for (where, method), value in (references or {}).items():
            if where == corpus:
                ax.axvline(value, color=PALETTE[0], ls="--", lw=1.2)
                ax.text(value, len(rows) - 0.4, f" {method}", color=PALETTE[0], fontsize=10)
        added = zip(rows["added"], rows["features"].diff().fillna(rows["features"]), strict=True)
        ax.set(
            yticks=range(len(rows)), yticklabels=[f"{name} ({count:.0f})" for name, count in added]
        )
        ax.set(xlabel=f"{metric} (%)", title=corpus, ylim=(len(rows) - 0.2, -0.6))
        ax.grid(axis="y", visible=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure
