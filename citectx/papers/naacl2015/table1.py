"""naacl2015 Table 1: how far the annotators of a citance agree on its context (§3)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.corpora.model import Citance, Corpus
from citectx.errors import DataError
from citectx.evaluation import jackknife
from citectx.evaluation.agreement import LEVELS, agreement_level, coincidences, krippendorff_alpha
from citectx.experiments.report import KEYS, SPREAD, Cell, means, part
from citectx.experiments.results import Result
from citectx.show.plotting import WIDTH, finish
from citectx.types import Span

NAME = "naacl2015_table1"
ROWS = {name: (name,) for name in LEVELS} | {
    "majority or more": LEVELS[:3],
    "below majority": LEVELS[3:],
    "total": LEVELS,
}
"""The levels that each row counts: the paper's five, and three sums."""

OVERLAPS = ["overlap", "overlap in group"]
COINCIDENCES = ["unlike", "marked", "not marked"]
PARAMS = {"annotators": "all who looked", "units": "characters of the whole article"}
SHADES = ("#08306b", "#2171b5", "#6baed6", "#c6dbef", "#e0e0e0")
"""The colour of each level: the darker the more agreement; distinguishable without colour, too."""


def run(corpora: Sequence[Corpus], *, seed: int = 0) -> Result:
    """Count the citances on each level of agreement, and compute Krippendorff's alpha.

    Source: naacl2015 §3, Table 1; see `citectx.evaluation.agreement.agreement_level`. Metrics are
    ``count`` (citances), ``share`` (percent), ``overlap`` (mean, percent), ``overlap sd`` and
    ``overlap in group`` (the other reading of overlap). The row ``alpha`` is ours. Intervals are
    95 %, over topics. Corpora without two annotators per citance are skipped;
    those with three at most have no row ``minority``. The extra table ``topics`` has the levels
    and alpha of each topic.

    Ambiguity: the paper does not say which standard deviation it prints; ours is that of a sample.
    """
    parts = []
    for corpus in corpora:
        levels = levels_of(corpus)
        if len(levels):
            # (topics, 3): sums of what alpha is computed from
            counts = levels.groupby("topic", sort=False)[COINCIDENCES].sum()
            scores = scores_of(levels)
            cells = cells_of(scores) + alpha_of(counts, len(levels))
            topics = pd.crosstab(levels["topic"], levels["level"])
            # in the corpus's order, with levels that no citance is on
            topics = topics.reindex(index=counts.index, columns=LEVELS, fill_value=0)
            topics.insert(0, "citances", topics.sum(axis=1))
            topics = topics.assign(alpha=krippendorff_alpha(counts))
            extra = {"topics": topics.rename_axis(index="topic", columns=None).reset_index()}
            parts.append(part(NAME, corpus, scores, seed, cells=cells, params=PARAMS, extra=extra))
    if not parts:
        names = ", ".join(corpus.name for corpus in corpora) or "no corpus"
        problem = "no citance was annotated by two people, so agreement has no meaning"
        raise DataError(problem, file=names)
    return Result.of(NAME, parts)


def comparable(citance: Citance) -> bool:
    """Return whether two people or more looked for evidence, and at least one found some."""
    return len(citance.annotations) > 1 and bool(citance.gold)


def marks(citance: Citance) -> dict[str, tuple[Span, ...]]:
    """Return the evidence by annotator; empty for those who found none, unlike `Citance.gold`."""
    return {a.annotator: a.spans for a in citance.annotations}


def levels_of(corpus: Corpus) -> pd.DataFrame:
    """Return the level of each citance, its overlaps in percent, and its coincidences."""
    levels = []
    for topic in corpus:
        size = len(topic.reference.text)
        for citance in filter(comparable, topic.citances):
            marked = marks(citance)
            level, _, *overlaps = agreement_level(marked)
            keys = topic.topic_id, citance.citance_id, len(marked), level
            shares = (100 * share for share in overlaps)
            levels.append((*keys, *shares, *coincidences(marked, size)))
    columns = ["topic", "citance", "annotators", "level", *OVERLAPS, *COINCIDENCES]
    return pd.DataFrame(levels, columns=columns)


def scores_of(levels: pd.DataFrame) -> pd.DataFrame:
    """Score each citance in each row, so that shares and overlaps are means of its scores."""
    frames = []
    for row, members in ROWS.items():
        if row != "minority" or levels["annotators"].max() > 3:  # two of three are a majority
            inside = levels["level"].isin(members)
            # a share is the mean of 100s and 0s; overlaps count where the level is that of the row
            frame = levels[["topic", "citance"]].assign(method=row, share=100.0 * inside)
            frames.append(frame.join(levels[OVERLAPS].where(inside)))
    return pd.concat(frames)[[*KEYS, "share", *OVERLAPS]]


def cells_of(scores: pd.DataFrame) -> list[Cell]:
    """Count, average, and measure the spread in each row."""
    cells: list[Cell] = []
    for row, rows in scores.groupby("method", sort=False):
        name = str(row)
        inside = rows["overlap"].dropna()
        cells.append(Cell(name, "count", len(inside), len(rows)))
        cells += means(rows)
        if len(inside) > 1:
            cells.append(Cell(name, f"overlap{SPREAD}", inside.std(), len(inside)))
    return cells


def alpha_of(counts: pd.DataFrame, citances: int) -> list[Cell]:
    """Return Krippendorff's alpha over the characters of all articles, if it has a meaning.

    ``counts`` are sums of `citectx.evaluation.agreement.coincidences`, a row for each topic. The
    interval is that of a jackknife over topics.
    """
    total = counts.to_numpy().sum(axis=0)
    alpha = krippendorff_alpha(total)
    # (topics,): alpha of all topics but one
    without = krippendorff_alpha(total - counts.to_numpy())
    estimate = jackknife(alpha, without, np.ones(len(counts)))
    return [Cell.of("alpha", "alpha", estimate, citances)] if np.isfinite(alpha) else []


def levels_by_topic(topics: pd.DataFrame, published: Mapping[str, float], title: str) -> Figure:
    """Draw the shares of the levels in each topic, with its alpha, and the paper's at the foot.

    ``topics`` is the extra table of that name; ``published`` has the paper's counts by level.
    """
    counts = topics.set_index(topics["corpus"] + "  " + topics["topic"])[[*LEVELS, "alpha"]]
    if published:
        counts.loc["TAC 2014 (paper)"] = pd.Series(published, dtype=float)
    levels = counts[[*LEVELS]]
    shares = 100 * levels.div(levels.sum(axis=1), axis=0)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.33 * len(shares) + 2.2))
    shares.plot.barh(stacked=True, color=[*SHADES], edgecolor="white", width=0.8, ax=ax)
    for place, alpha in enumerate(counts["alpha"]):
        if np.isfinite(alpha):
            ax.text(101, place, f"α {alpha:.2f}", va="center", fontsize=9)
    ax.set(xlim=(0, 100), xlabel="citances (%)", ylabel="")
    ax.tick_params(axis="y", labelsize=9)
    ax.grid(axis="y", visible=False)
    ax.invert_yaxis()
    ax.legend(
        loc="lower right",
        bbox_to_anchor=(1.1, 1),
        ncols=len(LEVELS),
        frameon=False,
        fontsize=9,
        columnspacing=1,
        handlelength=1,
    )
    return finish(figure, title)
