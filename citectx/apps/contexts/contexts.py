"""Beyond the papers: contexts found by a model that learns from other topics' annotations.

Features (`features.py`) and the grid (`ltr.GRID`) were written down before the first nested run;
every choice among them is made on other topics than those scored. Controls tell what the model owes
to citance, article, abstract and sample. None of them chooses anything: each fold of a control is
trained with the settings that nested cross-validation chose for that fold, on other topics than
those scored; where topics are dealt out anew, with `Settings()`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NoReturn

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
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
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.evaluation import ndcg, overlap_matrix, precision_at, relevance, union_scores
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.report import KEYS, compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen, folds_of, measured, tuned_scores, variants
from citectx.language.spans import best_first
from citectx.retrieval import BM25
from citectx.show.plotting import PALETTE
from citectx.types import Floats, Ints, Span

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
"""Where ``LTR (other corpus)`` learns; without that corpus it has the package's weights."""
OTHER = "LTR (other corpus)"
LEAST = 5
"""Topics without which nothing is learned from a corpus."""


def run(
    corpora: Sequence[Corpus],
    *,
    folds: int = 10,
    grid: Grid = GRID,
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
            if len(table.topics) < LEAST:
                continue
            table.learn_all(grid)
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

    def only(self, names: Sequence[str]) -> list[Examples]:
        """Return the examples with some of their features."""
        return [e.only(NAMES, names) for e in self.examples]

    def add(
        self, row: str, scores: Sequence[Floats], topics: Sequence[Prepared] | None = None
    ) -> None:
        """Measure a row."""
        self.frames.append(_measured(topics or self.topics, row, scores, METRICS))
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
        learned = {row: self.learn(row, own, self.only(own), grid) for row, own in ROWS.items()}
        ltr = learned["LTR"]
        self.best = ltr.best
        self.add_controls(ltr)
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

    def add_controls(self, ltr: Nested) -> None:
        """Add the rows that show what LTR owes to evidence, citance and sample."""
        rng = np.random.default_rng(self.seed)
        permuted = []
        for e in self.examples:
            permuted.append(replace(e, shares=e.shares[_derangement(len(e.shares), rng)]))
        scores = without(permuted, self.examples, NAMES, self.parts, ltr.settings)
        self.add("LTR (evidence permuted)", scores)
        self.add("LTR (another citance's scores)", [np.roll(s, 1, axis=0) for s in ltr.scores])
        halves, usual = folds_of(self.topics, 2), [Settings()] * len(self.topics)
        scores = without(self.examples, self.examples, NAMES, halves, usual)
        self.add("LTR (two folds)", scores)

    def add_outside_abstract(self, ltr: Nested) -> None:
        """Measure LTR and the default BM25 with abstracts neither candidates nor evidence."""
        corpus = Corpus(self.corpus.name, tuple(map(_without_abstract, self.corpus)))
        known = {t.topic.topic_id: s for t, s in zip(self.topics, ltr.settings, strict=True)}
        topics = [t for t in prepare(corpus, Protocol()) if t.topic.topic_id in known]
        examples = [Examples.of(topic, NAMES) for topic in topics]
        own = [known[topic.topic.topic_id] for topic in topics]
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
        for i, group in enumerate(GROUPS, 1):
            names = [name for name in NAMES if FEATURES[name].group in GROUPS[:i]]
            scores = ltr.scores  # with the last group all features are there
            if group != GROUPS[-1]:
                examples = self.only(names)
                scores = without(examples, examples, names, self.parts, ltr.settings)
            frame = _measured(self.topics, group, scores, SHOWN)
            line: dict[str, Any] = {"added": group, "features": len(names)} | dict(
                frame[SHOWN].mean()
            )
            if frames:
                line |= self.difference(frames[-1], frame)
            frames.append(frame)
            lines.append(line)
        return pd.DataFrame(lines)

    def difference(self, before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Any]:
        """Compare two rows: the difference of each metric, and its interval."""
        against = [before["method"].iloc[0]]
        tests = compare(pd.concat([before, after]), self.seed, against, SHOWN, permute=False)
        tests = tests.set_index("metric")
        ends = product(SHOWN, ("difference", "ci_low", "ci_high"))
        return {f"{metric} {end}": tests.loc[metric, end] for metric, end in ends}

    def curve(self) -> pd.DataFrame:
        """Learn from fewer topics.

        Returns
        -------
        DataFrame
            Columns topics and `SHOWN`: means over citances and `DRAWS` draws.
        """
        rng = np.random.default_rng(self.seed)
        everything = np.arange(len(self.topics))
        most = len(everything) - max(map(len, self.parts))
        lines = []
        for size in [s for s in SIZES if s <= most]:
            frames = []
            for _, held_out in product(range(DRAWS), self.parts):
                rest = np.setdiff1d(everything, held_out)
                drawn = [self.examples[i] for i in rng.choice(rest, size, replace=False)]
                model = LTR.learn(drawn, NAMES, [Settings()])[0]
                scores = [model.of_values(self.examples[i].values) for i in held_out]
                topics = [self.topics[i] for i in held_out]
                frames.append(_measured(topics, "LTR", scores, SHOWN))
            means = pd.concat(frames)[SHOWN].mean()
            lines.append({"topics": size, **means})
        return pd.DataFrame(lines)

    def weights(self, best: Settings) -> pd.DataFrame:
        """Tabulate the weights of all topics, with intervals from a bootstrap over topics."""
        rng, topics = np.random.default_rng(self.seed), len(self.topics)
        draws = [np.arange(topics), *(rng.integers(0, topics, topics) for _ in range(RESAMPLES))]
        rows = []
        for draw in draws:
            model = LTR.learn([self.examples[i] for i in draw], NAMES, [best])[0]
            rows.append([model.weights[name].weight for name in NAMES])
        low, high = np.quantile(rows[1:], [0.025, 0.975], axis=0)
        about = [(name, FEATURES[name].group, FEATURES[name].about) for name in NAMES]
        table = pd.DataFrame(about, columns=["feature", "group", "about"])
        return table.assign(weight=rows[0], ci_low=low, ci_high=high)

    def elsewhere(self, other: "_Table | None") -> None:
        """Add what learned from another corpus: one row, or all where nothing is learned here."""
        learned: dict[str, LTR] = {}
        if other and other.best:
            about = other.corpus.name
            rows = {OTHER: NAMES} if self.best else ROWS
            for row, own in rows.items():
                learned[row] = LTR.learn(other.only(own), own, [other.best])[0]
        else:
            about, package = "the package's weights", LTR.load()
            if self.corpus.name not in [each["corpus"] for each in package.card["trained_on"]]:
                learned[OTHER] = package
        for row, model in learned.items():
            self.by_method[row] = {"trained on": about, **model.params()}
            examples = self.only(list(model.weights))
            self.add(row, [model.of_values(e.values) for e in examples])

    def result(self) -> Result:
        """Report on the corpus."""
        scores, seed = pd.concat(self.frames, ignore_index=True), self.seed
        outside = scores["method"].str.contains("outside the abstract")
        inside = ~outside & ~scores["method"].str.contains("against others")
        tests = [compare(scores[inside], seed, [row]) for row in (BASELINE, "LTR")]
        tests.append(compare(scores[outside], seed, [f"{BASELINE} (outside the abstract)"]))
        extra = {"tests": pd.concat(tests, ignore_index=True), **self.extra}
        shared = Protocol().params() | {"folds": self.folds, "tuned_for": "c-F"}
        return part(
            NAME, self.corpus, scores, seed, params=shared, by_method=self.by_method, extra=extra
        )


def _measured(
    topics: Sequence[Prepared], row: str, scores: Sequence[Floats], metrics: Sequence[str]
) -> pd.DataFrame:
    return measured(topics, row, [Given(own) for own in scores], metrics)


def fused(examples: Examples) -> Floats:
    """Fuse six rankings: the sum of 1/(60 + rank)."""
    values = examples.only(NAMES, FUSED).values  # noqa: PD011
    columns = np.moveaxis(values.astype(np.float64), -1, 0)
    shares = [1 / (FUSION_K + 1 / reciprocal_ranks(column)) for column in columns]
    return np.asarray(np.sum(shares, axis=0))


def _derangement(n: int, rng: np.random.Generator) -> Ints:
    """Permute 0 … n−1 so that nothing stays in place (but for n = 1)."""
    order = rng.permutation(n)
    moved = np.empty(n, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def _without_abstract(topic: Topic) -> Topic:
    """Hide the abstract from the candidates, and drop the evidence in it."""
    blocks = topic.reference.blocks
    abstract = [block for block in blocks if block.kind == "abstract"]
    hidden = tuple(replace(b, kind="back") if b in abstract else b for b in blocks)

    def is_outside(span: Span) -> bool:
        return not any(span.start < b.end and b.start < span.end for b in abstract)

    citances = []
    for citance in topic.citances:
        annotations = []
        for annotation in citance.annotations:
            spans = tuple(filter(is_outside, annotation.spans))
            annotations.append(replace(annotation, spans=spans))
        citances.append(replace(citance, annotations=tuple(annotations)))
    reference = replace(topic.reference, blocks=hidden)
    return replace(topic, reference=reference, citances=tuple(citances))


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
        for citance, row in zip(topic.citances, own, strict=True):
            if len(citance.gold) < 2:
                continue
            ids = topic.topic.topic_id, citance.citance_id
            for name in citance.gold:
                rows += [(*ids, *values) for values in _judged_by_others(topic, citance, row, name)]
    frame = pd.DataFrame(rows, columns=[*KEYS, *SHOWN])
    return frame.groupby(KEYS, sort=False, as_index=False).mean()


def _judged_by_others(
    topic: Prepared, citance: Citance, row: Floats, name: str
) -> Iterator[tuple[str, float, float, float]]:
    """Yield the measures `SHOWN` of an annotator, then of LTR, by all other annotators."""
    chars, spans = topic.candidates.chars, citance.gold[name]
    others = {other: marked for other, marked in citance.gold.items() if other != name}
    gains = relevance(chars, others)
    marks = (overlap_matrix(chars, spans) > 0).astype(np.float64)
    person = union_scores(spans, others)
    yield "people", 100 * ndcg(gains[best_first(marks)]), 100 * person.precision, 100 * person.f1
    found = topic.retrieve(row, topic.protocol.k)
    first, model = precision_at(found, others, 1), union_scores(found, others)
    yield "LTR", 100 * ndcg(gains[best_first(row)]), 100 * first, 100 * model.f1


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
    corpora = groups["corpus"].unique()
    size = (4.2 * len(corpora) + 3, 4.4)
    figure, axes = plt.subplots(1, len(corpora), figsize=size, squeeze=False)
    for ax, corpus in zip(axes[0], corpora, strict=True):
        _steps(ax, groups[groups["corpus"] == corpus], metric)
        ax.set(xlabel=f"{metric} (%)", title=corpus)
        for (where, method), value in (references or {}).items():
            if where == corpus:
                ax.axvline(value, color=PALETTE[0], ls="--", lw=1.2)
                height = ax.get_ylim()[0] - 0.2
                ax.text(value, height, f" {method}", color=PALETTE[0], fontsize=10)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def _steps(ax: Axes, rows: pd.DataFrame, metric: str) -> None:
    """Draw the bars of one corpus, from the top down."""
    now = rows[metric].to_numpy()
    before, after = now[:-1], now[1:]
    gained = after - before
    colors = [PALETTE[2] if gain > 0 else PALETTE[1] for gain in gained]
    height = np.arange(1, len(rows))
    ax.barh(height, gained, left=before, color=colors, height=0.55)
    ax.plot(now[0], 0, "o", color="black", ms=7)
    low, high = (rows[f"{metric} {end}"].to_numpy()[1:] + before for end in ("ci_low", "ci_high"))
    ax.hlines(height, low, high, color="black", lw=1.2)
    for i, value in enumerate(before):
        ax.plot([value, value], [i, i + 1], color="0.6", lw=0.8, zorder=0)
    counts = rows["features"].diff().fillna(rows["features"])
    labels = [f"{name} ({n:.0f})" for name, n in zip(rows["added"], counts, strict=True)]
    ax.set_yticks(range(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.2, -0.6)
    ax.grid(axis="y", visible=False)
