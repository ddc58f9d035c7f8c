"""Figures. Colours are those of Okabe and Ito, and marks or dashes differ as well.

So figures survive colour blindness and print. Titles are the lesson's business.
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Image, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from citectx.corpora.model import Citance, Topic
from citectx.storage import write_atomically
from citectx.types import Span

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = ("o", "s", "D", "^", "v", "P", "X")
PAPER = (PALETTE[1], "D")
"""Colour and mark of what a paper prints, so that ours is the first colour in every figure."""
DPI = 150
"""Dots per inch of figures that are written; on screen they are as large as others."""
WIDTH = 5.5
"""The width of a figure in inches: its text can still be read on a phone, which shows all of it."""


def use_style() -> None:
    """Set fonts, grid and colours for all figures that follow."""
    plt.style.use(Path(__file__).with_name("citectx.mplstyle"))


def finish(figure: Figure, title: str) -> Figure:
    """Return a figure with its title."""
    figure.suptitle(fill(title, 54), x=0.01, ha="left")
    figure.tight_layout()
    return figure


def legend_below(figure: Figure, ax: Axes) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = ax.get_legend_handles_labels()
    columns = min(len(labels), 3)
    figure.legend(handles, labels, ncols=columns, loc="upper center", bbox_to_anchor=(0.5, 0))


def estimates(rows: pd.DataFrame, title: str, xlabel: str, hue: str = "corpus") -> Figure:
    """Draw values with their intervals: a row for each method, a series for each `hue`.

    `rows` has the columns method (from top to bottom), value, ci_low and ci_high (NaN for none),
    and `hue`. The label names the unit. The series "paper" has a colour of its own.
    """
    methods = list(rows["method"].unique())
    series = rows.groupby(hue, sort=False)
    lane = 0.7 / len(series)  # of the height of a row
    height = (0.16 * len(series) + 0.12) * len(methods) + 1.2
    figure, ax = plt.subplots(figsize=(WIDTH, height))
    ours = zip(PALETTE, MARKS, strict=True)
    for i, (name, part) in enumerate(series):
        color, mark = PAPER if name == "paper" else next(ours)
        heights = part["method"].map(methods.index) + lane * (i - (len(series) - 1) / 2)
        values = part["value"]
        ends = [values - part["ci_low"], part["ci_high"] - values]
        ax.errorbar(values, heights, xerr=ends, fmt=mark, color=color, label=name)
    ax.set_xlabel(xlabel)
    ax.set_yticks(range(len(methods)), methods)
    ax.set_ylim(len(methods) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    low, high = ax.get_xlim()
    if low < 0 < high:
        ax.axvline(0, color="black", lw=1, zorder=1)
    if len(series) > 1:
        legend_below(figure, ax)
    return finish(figure, title)


def lines(panels: Mapping[str, pd.DataFrame], title: str, xlabel: str, ylabel: str) -> Figure:
    """Draw a panel for each table, one below the other: its columns as lines over its index."""
    import seaborn as sns  # takes more than a second

    size = (WIDTH, 2.3 * len(panels) + 1.2)
    figure, axes = plt.subplots(len(panels), figsize=size, sharex=True, sharey=True, squeeze=False)
    for (ax,), (panel, table) in zip(axes, panels.items(), strict=True):
        sns.lineplot(table, ax=ax, palette=PALETTE[: len(table.columns)], lw=2)
        ax.get_legend().set_visible(False)
        ax.set_title(panel, loc="left")
        ax.set(xlabel=xlabel, ylabel=ylabel)
    legend_below(figure, axes[0, 0])
    return finish(figure, title)


def slopes(
    paper: pd.Series, ours: pd.Series, title: str, highlight: Sequence[str] = (), unit: str = "%"
) -> Figure:
    """Draw the paper's order of methods on the left, ours on the right, a line for each method.

    Both sides have the same methods. Those to highlight are in colour, others grey.
    """
    both = pd.DataFrame({"paper": paper, "ours": ours})
    ranks = both.rank(ascending=False, method="first")
    digits = 1 if unit == "%" else 3
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(both) + 1.3))
    colours = dict(zip(highlight, PALETTE, strict=False))
    for method in both.index:
        places = ranks.loc[method]
        color = colours.get(method, "0.4")
        width = 2.4 if method in colours else 1.2
        ax.plot([0, 1], places, "o-", ms=5, color=color, lw=width)
        for x, side, align in ((-0.03, "paper", "right"), (1.03, "ours", "left")):
            label = f"{method}  {both.loc[method, side]:.{digits}f}"
            ax.text(x, places[side], label, ha=align, va="center", fontsize=10, color=color)
    ax.set(xlim=(-0.75, 1.75), ylim=(len(both) + 0.6, 0.4), yticks=[])
    ax.set_xticks([0, 1], [f"paper ({unit})", f"ours ({unit})"])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return finish(figure, title)


def article_map(
    topic: Topic, citance: Citance, retrieved: Mapping[str, Sequence[Span]], title: str
) -> Figure:
    """Draw the article from beginning to end: a strip for each annotator and each method."""
    gold = {f"annotator {name}": spans for name, spans in citance.gold.items()}
    rows = {**gold, **retrieved}
    size = len(topic.reference.text)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 1.5))
    for i, (name, spans) in enumerate(rows.items()):
        # A sentence is a hair's breadth of an article: never draw it thinner than can be seen.
        bars = [(start, max(end - start, size / 200)) for start, end in spans]
        ax.broken_barh(bars, (i - 0.36, 0.72), color=PALETTE[0 if name in gold else 1])
    for block in topic.reference.blocks:
        if block.kind == "heading":
            ax.axvline(block.start, color="#cccccc", lw=0.8, zorder=0)
    ax.set(xlim=(0, size), xlabel="place in the article (characters; grey: headings)")
    ax.set_yticks(range(len(rows)), list(rows))
    ax.grid(visible=False)
    ax.invert_yaxis()
    return finish(figure, title)


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as PNG to a folder, and show the same in a notebook."""
    path = folder / f"{name}.png"
    shown = picture(figure, filename=path.name)
    write_atomically(path, shown.data)
    display(shown)
    return path


def svg(draw: Callable[[], Figure]) -> str:
    """Return a figure as SVG whose words are text, the same bytes on every machine."""
    fonts: Any = {"svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 12.5}
    drawn = StringIO()
    with plt.rc_context(fonts):
        figure = draw()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)  # or a notebook would show it once more
    return drawn.getvalue()


def picture(figure: Figure, words: str = "", filename: str = "") -> Image:
    """Return a figure as a notebook shows it, with words for those who hear it.

    Its metadata hold these words, those of `in_words` by default, and the name of its file.
    """
    png = BytesIO()
    figure.savefig(png, dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)  # or the notebook would show it once more
    png.seek(0)
    width = plt.imread(png).shape[1] * figure.dpi / DPI
    about = {"filename": filename} if filename else None
    alt = words or in_words(figure)
    return Image(png.getvalue(), width=round(width), alt=alt, metadata=about)


def in_words(figure: Figure) -> str:
    """Say what a figure shows, for those who hear it: its title, axes, rows and series.

    >>> figure, ax = plt.subplots()
    >>> _ = finish(figure, "It rises"), ax.set(xlabel="rank", ylabel="c-F (%)")
    >>> in_words(figure)
    'It rises (across: rank; upwards: c-F (%))'
    """
    ax = figure.axes[0]
    rows = [*ax.get_yticklabels()] if ax.yaxis_inverted() else []
    _, series = ax.get_legend_handles_labels()
    labels = {
        "across": ax.get_xlabel(),
        "upwards": ax.get_ylabel(),
        "downwards": ", ".join(row.get_text() for row in rows or ax.texts),
        "series": ", ".join(series),
    }
    axes = "; ".join(f"{way}: {label}" for way, label in labels.items() if label)
    title = figure.get_suptitle().replace("\n", " ")
    return f"{title} ({axes})"
