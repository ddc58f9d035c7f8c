"""The figures of lrec2016; style and saving are those of `citectx.show.plotting`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import FuncNorm
from matplotlib.figure import Figure

from citectx.corpora.coresc import CLASSES
from citectx.show.plotting import finished

Published = Mapping[tuple[str, str], float]
"""The paper's numbers by row and column."""


def weights_by_fold(
    table: pd.DataFrame, fields: Sequence[str], title: str, published: Published | None = None
) -> Figure:
    """Draw trained weights as the paper does, its own beside ours: a row a class and fold.

    Parameters
    ----------
    table : DataFrame
        One corpus of ``lrec2016_figure4``.
    fields : sequence of str
    title : str
    published : mapping of (row, field) to float, optional
        The paper's weights. Both panels then have the rows of both; those that one lacks are empty
        there.
    """
    rows = table[table["method"].str.contains(" fold ")]
    panels = panels_of(rows, published or {}, list(fields))
    names = sorted(set().union(*(frame.index for frame in panels.values())))
    panels = {name: frame.reindex(names) for name, frame in panels.items()}
    scale = {"cmap": "Blues", "norm": FuncNorm((np.log1p, np.expm1), 0, 14), "fmt": "g"}
    labels = "class of the sentences in the cited article", "class of the citing sentence, fold"
    figure = heat_maps(panels, (4.1, 0.27), title, labels, **scale)
    classes = [name.partition(" ")[0] for name in names]
    for ax in figure.axes:
        for i, (above, below) in enumerate(pairwise(classes), start=1):
            if above != below:
                ax.axhline(i, color="black", linewidth=0.8)
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
    panels = panels_of(table, published, [*(f"fold {i}" for i in range(1, 5)), "mean"])
    kinds = panels.get("paper", panels["ours"].sort_index()).index.intersection(
        [*CLASSES], sort=False
    )
    panels = {name: frame.reindex(kinds).round() + 0.0 for name, frame in panels.items()}  # no "-0"
    scale = {"cmap": "RdBu", "vmin": -100, "vmax": 100, "fmt": ".0f"}
    labels = "improvement over equal weights (%)", "class of the citing sentence"
    return heat_maps(panels, (3.9, 0.36), title, labels, **scale)


def panels_of(
    table: pd.DataFrame, published: Published, columns: list[str]
) -> dict[str, pd.DataFrame]:
    """Return the paper's numbers, if there are any, and ours under the same columns."""
    cells = [(*cell, value) for cell, value in published.items() if cell[1] in columns]
    tables = {"ours": table}
    if cells:
        tables = {"paper": pd.DataFrame(cells, columns=["method", "metric", "value"]), **tables}
    panels = {}
    for name, rows in tables.items():
        wide = rows.pivot_table("value", "method", "metric", sort=False)
        panels[name] = wide.reindex(columns=columns)
    return panels


def heat_maps(
    panels: Mapping[str, pd.DataFrame],
    size: tuple[float, float],
    title: str,
    labels: tuple[str, str],
    **scale: Any,
) -> Figure:
    """Draw tables of numbers side by side in one scale of colours.

    `size` is the width of a panel and the height of a row; names of rows that all tables share are
    written once.
    """
    import seaborn as sns

    rows = [tuple(frame.index) for frame in panels.values()]
    n, same = len(panels), len({*rows}) == 1
    width, height = size[0] * n + 0.8, size[1] * len(rows[0]) + 1.4
    figure, axes = plt.subplots(1, n, figsize=(width, height), sharey=same, squeeze=False)
    look = {"annot": True, "annot_kws": {"fontsize": 9}, "cbar": False}
    look |= {"xticklabels": True, "yticklabels": True, **scale}
    for ax, (name, frame) in zip(axes[0], panels.items(), strict=True):
        sns.heatmap(frame, ax=ax, **look)
        ax.set(title=name, xlabel=labels[0], ylabel="")
        ax.tick_params(labelsize=9, rotation=0)
        ax.grid(visible=False)
        ax.set_facecolor("0.92")  # of cells without a number
    axes[0, 0].set_ylabel(labels[1])
    return finished(figure, title)


def confusion_matrix(confusion: pd.DataFrame, title: str) -> Figure:
    """Draw the share of each class's sentences that was given each class, a panel a corpus.

    Parameters
    ----------
    confusion : DataFrame
        Columns corpus, true, predicted, n, as ``lrec2016_coresc.confusion`` has them.
    title : str
    """
    panels = {}
    for corpus, rows in confusion.groupby("corpus", sort=False):
        counts = pd.crosstab(rows["true"], rows["predicted"], rows["n"], aggfunc="sum")
        counts = counts.reindex(index=CLASSES, columns=CLASSES).fillna(0)
        totals = counts.sum(axis=1)
        shares = 100 * counts.div(totals.clip(lower=1), axis=0)
        shares.index = pd.Index([f"{name} ({total:,.0f})" for name, total in totals.items()])
        panels[str(corpus)] = shares.where(shares >= 0.5)
    colours = plt.get_cmap("cividis")
    scale = {"cmap": colours.with_extremes(bad=colours(0)), "vmin": 0, "vmax": 100, "fmt": ".0f"}
    labels = "predicted class (% of the annotated)", "annotated class (sentences)"
    return heat_maps(panels, (4.4, 0.36), title, labels, **scale)
