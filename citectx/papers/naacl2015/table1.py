"""naacl2015 Table 1: how far the annotators of a citance agree on its context."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from citectx.corpora.model import Citance, Corpus
from citectx.errors import DataError
from citectx.evaluation import Interval
from citectx.evaluation.agreement import LEVELS, agreement_level, coincidences, krippendorff_alpha
from citectx.experiments.report import KEYS, SPREAD, Cell, means, part
from citectx.experiments.results import Result, timed
from citectx.show.plotting import finished
from citectx.types import Span

NAME = "naacl2015_table1"
ROWS = {name: (name,) for name in LEVELS} | {
    "majority or more": LEVELS[:3],
    "below majority": LEVELS[3:],
    "total": LEVELS,
}
"""The levels that each row counts: the paper's five, and three sums."""

OVERLAPS = ("overlap", "overlap in group")
RESAMPLES = 10_000
SHADES: Mapping[str, str] = dict(
    zip(LEVELS, ("#08306b", "#2171b5", "#6baed6", "#c6dbef", "#e0e0e0"), strict=True)
)
"""The darker, the more agreement; grey is none. Distinguishable without colour, too."""


@timed
def run(corpora: Sequence[Corpus], *, seed: int = 0) -> Result:
    """Count the citances on each level of agreement, and compute Krippendorff's alpha.

    Source: naacl2015 §3, Table 1; `citectx.evaluation.agreement.agreement_level` says what the
    levels are. Rows are those of `ROWS`, with the metrics ``count`` (citances), ``share`` (percent
    of all), ``overlap`` (mean, percent), ``overlap sd`` (its standard deviation) and ``overlap in
    group`` (the other reading of overlap). Beyond the paper, the row ``alpha`` has Krippendorff's
    alpha over the characters of all articles. Intervals are 95 %, from a bootstrap over topics; a
    level without citances has no overlap. A corpus with no more than three annotators has no row
    ``minority``.

    Ambiguity: the paper does not say which standard deviation it prints; we take that of a sample.

    Parameters
    ----------
    corpora : sequence of Corpus
        One without any citance that two people annotated is skipped.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Result
        Its scores have ``share`` 100 or 0 for each citance and row, and the overlaps where it is
        100, so that the table's shares and overlaps are their means. The extra table ``topics``
        has, for each topic, the number of citances on each level, and alpha.

    Raises
    ------
    DataError
        If no corpus is left.
    """
    parts = []
    params = {"annotators": "all who looked", "units": "characters of the whole article"}
    for corpus in corpora:
        levels, counts = _compare(corpus)
        if len(levels):
            scores, extra = _scores(levels), {"topics": _topics(levels, counts)}
            cells = [*_cells(scores, seed), *_alpha(counts, len(levels), seed)]
            parts.append(part(NAME, corpus, scores, seed, cells=cells, params=params, extra=extra))
    if not parts:
        names = ", ".join(corpus.name for corpus in corpora) or "no corpus"
        problem = "no citance was annotated by two people, so agreement has no meaning"
        raise DataError(problem, file=names)
    return Result.of(NAME, parts)


def comparable(citance: Citance) -> bool:
    """Return whether two people or more looked for evidence, and at least one found some."""
    return len(citance.annotations) > 1 and bool(citance.gold)


def marks(citance: Citance) -> dict[str, tuple[Span, ...]]:
    """Return the evidence by annotator; unlike `Citance.gold`, empty for who found none."""
    return {a.annotator: a.spans for a in citance.annotations}


def _compare(corpus: Corpus) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the level of each citance, and by topic what alpha is computed from."""
    levels, counts = [], {}
    for topic in corpus:
        size, sums = len(topic.reference.text), np.zeros(3)
        for citance in filter(comparable, topic.citances):
            marked = marks(citance)
            found = agreement_level(marked)
            overlaps = 100 * found.overlap, 100 * found.group_overlap
            about = topic.topic_id, citance.citance_id, len(marked)
            levels.append((*about, found.name, *overlaps))
            sums += coincidences(marked, size)
        if sums.any():
            counts[topic.topic_id] = sums
    frame = pd.DataFrame(levels, columns=["topic", "citance", "annotators", "level", *OVERLAPS])
    return frame, pd.DataFrame.from_dict(counts, orient="index")


def _scores(levels: pd.DataFrame) -> pd.DataFrame:
    """Score each citance in each row: a row's shares and overlaps are means of its scores."""
    frames = []
    for row, members in ROWS.items():
        if row == "minority" and levels["annotators"].max() < 4:
            continue  # two of three are a majority: the level does not exist
        inside = levels["level"].isin(members)
        frame = levels[["topic", "citance"]].assign(method=row, share=100.0 * inside)
        frames.append(frame.join(levels[list(OVERLAPS)].where(inside)))
    return pd.concat(frames)[[*KEYS, "share", *OVERLAPS]]


def _cells(scores: pd.DataFrame, seed: int) -> list[Cell]:
    cells = []
    for row, own in scores.groupby("method", sort=False):
        inside = own.dropna()
        cells.append(Cell(str(row), "count", len(inside), len(own)))
        cells += means(own, seed)
        if len(inside) > 1:
            cells.append(Cell(str(row), f"overlap{SPREAD}", inside["overlap"].std(), len(inside)))
    return cells


def _alpha(counts: pd.DataFrame, citances: int, seed: int) -> list[Cell]:
    """Return Krippendorff's alpha over the characters of all articles, if it has a meaning."""
    alpha = float(krippendorff_alpha(counts.sum()))
    interval = alpha_interval(counts.to_numpy(), seed)
    return [Cell("alpha", "alpha", alpha, citances, interval)] if np.isfinite(alpha) else []


def alpha_interval(counts: NDArray[np.float64], seed: int) -> Interval:
    """Return a 95 % bootstrap interval of alpha, drawing topics with replacement.

    Parameters
    ----------
    counts : (topics, 3) array of float
        Sums over each topic of `citectx.evaluation.agreement.coincidences`.
    seed : int

    Returns
    -------
    Interval
        NaN at both ends where there is only one topic.

    Examples
    --------
    >>> low, high = alpha_interval(np.array([[1.0, 5, 15], [4, 6, 14], [0, 8, 12]]), seed=0)
    >>> low < float(krippendorff_alpha([5, 19, 41])) < high
    True
    """
    if len(counts) < 2:
        return Interval(np.nan, np.nan)
    draws = np.random.default_rng(seed).integers(0, len(counts), size=(RESAMPLES, len(counts)))
    low, high = np.quantile(krippendorff_alpha(counts[draws].sum(axis=1)), [0.025, 0.975])
    return Interval(float(low), float(high))


def _topics(levels: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Count the levels of each topic, in the corpus's order, with the topic's alpha beside them."""
    found = pd.crosstab(levels["topic"], levels["level"])
    table = found.reindex(index=counts.index, columns=LEVELS, fill_value=0)
    table.insert(0, "citances", table.sum(axis=1))
    table["alpha"] = krippendorff_alpha(counts)
    return table.rename_axis(index="topic", columns=None).reset_index()


def levels_by_topic(topics: pd.DataFrame, published: Mapping[str, float], title: str) -> Figure:
    """Draw a bar for each topic, cut into levels of agreement, with alpha at its end.

    Parameters
    ----------
    topics : DataFrame
        Columns corpus, topic, citances, the levels and alpha, as ``naacl2015_table1.topics`` has
        them.
    published : mapping of level to float
        The paper's counts, for a bar at the foot; empty for none.
    title : str
    """
    rows = topics
    if published:
        paper = {"corpus": "paper", "topic": "TAC 2014 (paper)", **published}
        rows = pd.concat([topics, pd.DataFrame([paper])], ignore_index=True)
    counts = rows[list(LEVELS)].to_numpy(dtype=np.float64)
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    # Half a bar of air between corpora.
    heights = np.arange(len(rows)) + 0.5 * (rows["corpus"] != rows["corpus"].shift()).cumsum()
    figure, ax = plt.subplots(figsize=(9, 0.33 * len(rows) + 2.2))
    for i, name in enumerate(LEVELS):
        left = shares[:, :i].sum(axis=1)
        ax.barh(heights, shares[:, i], left=left, color=SHADES[name], edgecolor="white", label=name)
    for height, alpha in zip(heights, rows["alpha"], strict=True):
        if np.isfinite(alpha):
            ax.text(101, height, f"α = {alpha:.2f}", va="center", fontsize=9)
    names = rows["topic"].where(rows["corpus"] == "paper", rows["corpus"] + "  " + rows["topic"])
    ax.set(xlim=(0, 100), xlabel="citances (%)", yticks=heights, yticklabels=names)
    ax.tick_params(axis="y", labelsize=9)
    ax.grid(axis="y", visible=False)
    ax.invert_yaxis()
    look: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False}
    ax.legend(ncols=len(LEVELS), fontsize=10, **look)
    return finished(figure, title)
