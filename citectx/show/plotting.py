"""Figures. Colours are those of Okabe and Ito, and marks differ in shape as well.

So figures survive colour blindness and print. Titles are the lesson's business.
"""

import io
import sys
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from citectx.corpora.model import Citance, Topic
from citectx.storage import write_atomically
from citectx.types import Span

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = ("o", "s", "D", "^", "v", "P", "X")
DPI = 150
"""Of figures that are written; on screen they are as large as others."""


def use_style() -> None:
    """Set fonts, grid and colours for all figures that follow."""
    plt.style.use(Path(__file__).with_name("citectx.mplstyle"))


def mark(i: int) -> dict[str, Any]:
    """Return colour, shape and line of the i-th series; from the eighth on, lines are dashed.

    >>> mark(0) == {"color": "#0072B2", "marker": "o", "ls": "-"}
    True
    """
    again, place = divmod(i, len(PALETTE))
    shape = MARKS[(i + 3 * again) % len(MARKS)]
    return {"color": PALETTE[place], "marker": shape, "ls": "--" if again else "-"}


def finished(figure: Figure, title: str) -> Figure:
    """Return a figure with its title."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def legend_below(figure: Figure, ax: Axes) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = ax.get_legend_handles_labels()
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "frameon": False}
    figure.legend(handles, labels, ncols=min(len(labels), 4), **below)


def estimates(rows: pd.DataFrame, title: str, xlabel: str, hue: str = "corpus") -> Figure:
    """Draw values with their intervals: a row for each method, a series for each `hue`.

    Parameters
    ----------
    rows : DataFrame
        Columns method (from top to bottom), value, ci_low and ci_high (NaN for none), and `hue`.
    title, xlabel : str
        The label names the unit.
    hue : str
        Column of the series, which differ in colour and shape.
    """
    names = list(rows["method"].unique())
    series = list(rows[hue].unique())
    lane = 0.7 / len(series)  # of the height of a row
    height = (0.16 * len(series) + 0.12) * len(names) + 1.2
    figure, ax = plt.subplots(figsize=(6.5, height))
    for i, name in enumerate(series):
        own = rows[rows[hue] == name]
        places = own["method"].map(names.index)
        heights = places + lane * (i - (len(series) - 1) / 2)
        values = own["value"]
        ends = [values - own["ci_low"], own["ci_high"] - values]
        look = mark(i) | {"ls": "none", "lw": 1.4, "ms": 6, "label": str(name)}
        ax.errorbar(values, heights, xerr=ends, **look)
    ax.set_xlabel(xlabel)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    low, high = ax.get_xlim()
    if low < 0 < high:
        ax.axvline(0, color="black", lw=1, zorder=1)
    if len(series) > 1:
        legend_below(figure, ax)
    return finished(figure, title)


def lines(panels: Mapping[str, pd.DataFrame], title: str, xlabel: str, ylabel: str) -> Figure:
    """Draw a panel for each table: a line for each of its columns, over its index."""
    import seaborn as sns  # takes more than a second

    names = list(next(iter(panels.values())))
    parts = []
    for panel, table in panels.items():
        part = table.rename_axis("at").reset_index().melt("at", var_name="series")
        parts.append(part.assign(panel=panel))
    look: dict[str, Any] = {"kind": "line", "x": "at", "y": "value", "col": "panel"}
    look |= {"height": 3.2, "aspect": 1.3, "lw": 2}
    look |= {"palette": PALETTE[: len(names)], "hue": "series", "style": "series"}
    wrap = min(len(panels), 2)
    grid = sns.relplot(pd.concat(parts), col_wrap=wrap, **look)
    grid.set_titles("{col_name}")
    grid.set_axis_labels(xlabel, ylabel)
    sns.move_legend(grid, "upper center", bbox_to_anchor=(0.5, 0), ncols=4, title="", frameon=False)
    return finished(grid.figure, title)


def slopes(
    paper: pd.Series, ours: pd.Series, title: str, highlight: Sequence[str] = (), unit: str = "%"
) -> Figure:
    """Draw the paper's order of methods on the left, ours on the right, a line for each method.

    Parameters
    ----------
    paper, ours : Series
        Values by method; methods that only one side has are left out.
    title : str
    highlight : sequence of str
        Methods in colour, such as those that the paper proposes; the others are grey.
    unit : str
    """
    methods = [method for method in paper.index if method in ours.index]
    both = pd.DataFrame({"paper": paper[methods], "ours": ours[methods]})
    ranks = both.rank(ascending=False, method="first")
    digits = 1 if both.to_numpy().max() >= 1 else 3
    height = 0.36 * len(methods) + 1.3
    figure, ax = plt.subplots(figsize=(6.5, height))
    colours = dict(zip(highlight, cycle(PALETTE)))
    for method, (left, right) in zip(methods, ranks.to_numpy(), strict=True):
        color = colours.get(method, "0.4")
        width = 2.4 if method in colours else 1.2
        ax.plot([0, 1], [left, right], "o-", ms=5, color=color, lw=width)
        look: dict[str, Any] = {"va": "center", "fontsize": 9.5, "color": color}
        printed = f"{method}  {paper[method]:.{digits}f}"
        computed = f"{method}  {ours[method]:.{digits}f}"
        ax.text(-0.03, left, printed, ha="right", **look)
        ax.text(1.03, right, computed, ha="left", **look)
    ax.set(xlim=(-0.75, 1.75), yticks=[])
    ax.set_ylim(len(methods) + 0.6, 0.4)
    ax.set_xticks([0, 1], [f"paper ({unit})", f"ours ({unit})"])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return finished(figure, title)


def article_map(
    topic: Topic, citance: Citance, retrieved: Mapping[str, Sequence[Span]], title: str
) -> Figure:
    """Draw the article from beginning to end: a strip for each annotator and each method."""
    annotators = sorted(citance.gold)
    gold = {f"annotator {name}": citance.gold[name] for name in annotators}
    rows, size = {**gold, **retrieved}, len(topic.reference.text)
    height = 0.36 * len(rows) + 1.5
    figure, ax = plt.subplots(figsize=(9.5, height))
    for i, (name, spans) in enumerate(rows.items()):
        # A sentence is a hair's breadth of an article: never draw it thinner than can be seen.
        bars = [(span.start, max(span.end - span.start, size / 200)) for span in spans]
        color = PALETTE[0 if name in gold else 1]
        ax.broken_barh(bars, (i - 0.36, 0.72), color=color)
    for block in topic.reference.blocks:
        if block.kind == "heading":
            ax.axvline(block.start, color="#cccccc", lw=0.8, zorder=0)
    ax.set(xlim=(0, size), xlabel="place in the article (characters; grey: headings)")
    ax.set_yticks(range(len(rows)), list(rows))
    ax.grid(visible=False)
    ax.invert_yaxis()
    return finished(figure, title)


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as PNG to a folder, whole or not at all; a notebook shows what was written."""
    path = folder / f"{name}.png"
    folder.mkdir(parents=True, exist_ok=True)
    words = in_words(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    write_atomically(path, png := buffer.getvalue())
    plt.close(figure)  # or the notebook would show it once more
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        pixels = int.from_bytes(png[16:20], "big")  # PNG's header has it
        width = round(pixels * figure.dpi / DPI)
        image = ipython.display.Image(png, width=width, alt=words)
        ipython.display.display(image)
    return path


def in_words(figure: Figure) -> str:
    """Say what a figure shows, for those who hear it: its titles, and what its axes are.

    >>> figure, ax = plt.subplots()
    >>> _ = ax.set(title="It rises", xlabel="rank", ylabel="c-F (%)")
    >>> in_words(figure)
    'It rises. Across: rank. Upwards: c-F (%).'
    """
    axes = figure.axes
    panels = [ax.get_title("left") or ax.get_title() for ax in axes]
    titles = [figure.get_suptitle(), *panels]
    across = [figure.get_supxlabel(), *map(Axes.get_xlabel, axes)]
    upwards = [figure.get_supylabel(), *map(Axes.get_ylabel, axes)]
    sentences = []
    for start, texts in (("", titles), ("Across: ", across), ("Upwards: ", upwards)):
        if named := ", ".join(dict.fromkeys(filter(None, texts))):
            end = "" if named.endswith("?") else "."
            sentences.append(f"{start}{named.rstrip('.')}{end}")
    return " ".join(" ".join(sentences).split())
