"""The figures of lrec2016; style and saving are those of `citectx.show.plotting`."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import FuncNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from citectx.corpora.coresc import CLASSES
from citectx.show.plotting import finished

Published = Mapping[tuple[str, str], float]
"""The paper's numbers by row and column."""


def weights_by_fold(
    table: pd.DataFrame, fields: Sequence[str], title: str, published: Published | None = None
) -> Figure:
    """Draw trained weights as the paper does, its own beside ours: a row a class and fold, a column a field.

    Parameters
    ----------
    table : DataFrame
        One corpus of ``lrec2016_figure4``.
    fields : sequence of str
    title : str
    published : mapping of (row, field) to float, optional
        The paper's weights; its rows are then drawn, and ours in the same order below each other.
    """
    rows = table[table["method"].str.contains(" fold ")]
    ours = rows.pivot_table(index="method", columns="metric", values="value", sort=False)[list(fields)]
    panels = _panels(published, ours, fields)
    scale: dict[str, Any] = {"cmap": "Blues", "norm": FuncNorm((np.log1p, np.expm1), 0, 14)}
    labels = "class of the sentences in the cited article", "class of the citing sentence, fold"
    figure = _heat_maps(panels, (6.4, 0.27), title, labels, "{:g}", **scale)
    for ax, frame in zip(figure.axes, panels.values(), strict=True):
        kinds = frame.index.str.partition(" fold ").get_level_values(0)
        for i in np.flatnonzero(kinds[1:] != kinds[:-1]):
            ax.axhline(i + 0.5, color="black", linewidth=0.8)
    return figure


def improvements_by_fold(table: pd.DataFrame, published: Published, title: str) -> Figure:
    """Draw Figure 3, the paper's beside ours: a row a class in the paper's order, a column a fold.

    Parameters
    ----------
    table : DataFrame
        One corpus of ``lrec2016_figure3``.
    published : mapping of (class, column) to float
    title : str
    """
    columns = [*(f"fold {i}" for i in range(1, 5)), "mean"]
    wide = table.pivot_table(index="method", columns="metric", values="value", sort=False)
    panels = _panels(published, wide.reindex(columns=columns), columns)
    kinds = list(panels["paper"].index) if "paper" in panels else sorted(set(wide.index) & set(CLASSES))
    panels = {name: frame.reindex(kinds) for name, frame in panels.items()}
    scale = {"cmap": "RdBu", "vmin": -100, "vmax": 100}
    bar = "improvement over equal weights (%)"
    return _heat_maps(panels, (5, 0.36), title, ("", "class of the citing sentence"), "{:.0f}", bar, **scale)


def _panels(published: Published | None, ours: pd.DataFrame, columns: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the paper's numbers, if there are any, and ours under the same columns."""
    if not published:
        return {"ours": ours}
    names = list(dict.fromkeys(row for row, column in published if column in columns))
    paper = pd.DataFrame({c: {n: published.get((n, c), np.nan) for n in names} for c in columns})
    return {"paper": paper, "ours": ours}


def _heat_maps(
    panels: Mapping[str, pd.DataFrame],
    size: tuple[float, float],
    title: str,
    labels: tuple[str, str],
    form: str,
    bar: str = "",
    **scale: Any,
) -> Figure:
    """Draw tables of numbers side by side in one scale of colours; `size` is that of a panel and of a row."""
    width, height = size[0] * len(panels), size[1] * max(map(len, panels.values())) + 1.8
    figure, grid = plt.subplots(1, len(panels), figsize=(width, height), squeeze=False, layout="constrained")
    for ax, (name, frame) in zip(grid[0], panels.items(), strict=True):
        numbers = frame.to_numpy(dtype=float)
        image = ax.imshow(numbers, aspect="auto", **scale)
        ax.set(title=name, xlabel=labels[0], ylabel="" if ax is not grid[0, 0] else labels[1])
        ax.set_xticks(range(frame.shape[1]), list(frame.columns), fontsize=9)
        ax.set_yticks(range(len(frame)), list(frame.index), fontsize=8)
        ax.grid(visible=False)
        dark = image.to_rgba(numbers)[:, :, :3].sum(axis=2) < 1.7
        for i, j in np.argwhere(np.isfinite(numbers)):
            look = {"ha": "center", "va": "center", "fontsize": 8, "color": "white" if dark[i, j] else "black"}
            # Inside its cell it takes no room, and to measure hundreds of them takes as long as to draw them.
            ax.text(j, i, form.format(numbers[i, j]), **look).set_in_layout(False)
    if bar:
        figure.colorbar(image, ax=grid[0], label=bar)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure


def mechanism(fields: pd.DataFrame, title: str) -> Figure:
    """Draw each field's norm and trained weight over its length.

    Parameters
    ----------
    fields : DataFrame
        One corpus of the extra table ``mechanism`` of ``lrec2016_figure3``.
    title : str
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
    for ax, column, label in zip(axes, ("norm", "kept"), ("mean norm", "weight above 0 (% of trainings)"), strict=True):
        ax.scatter(fields["length"], fields[column], color="#08519c")
        for name, x, y in fields[["field", "length", column]].itertuples(index=False):
            ax.annotate(name, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=9)
        ax.set(xscale="log", xlabel="mean length of the field (terms)", ylabel=label)
        ax.xaxis.set_major_formatter(LogFormatter())
        ax.xaxis.set_minor_formatter(LogFormatter())
    return finished(figure, title)


def confusion_matrix(confusion: pd.DataFrame, title: str) -> Figure:
    """Draw a panel for each corpus: of the sentences of each class, the share that was given each class.

    Parameters
    ----------
    confusion : DataFrame
        Columns corpus, true, predicted, n, as ``lrec2016_coresc.confusion`` has them.
    title : str
    """
    panels = {}
    for corpus, rows in confusion.groupby("corpus", sort=False):
        counts = rows.pivot_table(index="true", columns="predicted", values="n", aggfunc="sum")
        counts = counts.reindex(index=list(CLASSES), columns=list(CLASSES), fill_value=0)
        totals = counts.sum(axis=1)
        shares = 100 * counts.div(totals.clip(lower=1), axis=0)
        named = shares.set_axis([f"{name} ({total:,})" for name, total in totals.items()])
        panels[str(corpus)] = named.where(named >= 0.5)
    colours = plt.get_cmap("cividis")
    scale = {"cmap": colours.with_extremes(bad=colours(0)), "vmin": 0, "vmax": 100}
    labels, bar = ("predicted class", "annotated class (sentences)"), "share of the annotated class (%)"
    return _heat_maps(panels, (5.6, 0.36), title, labels, "{:.0f}", bar, **scale)
