"""Figures: takeaway titles are the notebook's business, axes and colours are ours.

Colours are those of Okabe and Ito, which survive colour blindness; marks differ in shape as well,
so that they survive print. Seaborn takes more than a second to import, so only functions that draw
with it do.
"""

import io
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from citectx.corpora.model import Citance, Topic
from citectx.storage import write_atomically
from citectx.types import Span

if TYPE_CHECKING:
    from seaborn import FacetGrid

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = ("o", "s", "D", "^", "v", "P", "X")
PAPER = "paper (TAC 2014)"
"""The series of published values: black crosses, where others have colours and shapes."""

DPI = 150
"""Of figures that are written; on screen they are as large as others."""


def use_style() -> None:
    """Set fonts, grid and colours for all figures that follow."""
    plt.style.use(Path(__file__).with_name("citectx.mplstyle"))


def mark(i: int) -> dict[str, Any]:
    """Return the i-th series colour, shape and line; the second seven differ in shape and line."""
    again = i // len(PALETTE)
    shape = MARKS[(i + 3 * again) % len(MARKS)]
    return {"color": PALETTE[i % len(PALETTE)], "marker": shape, "ls": "--" if again else "-"}


FIXED = (
    *("WE_Wiki", "WE_Bio", "WE_Bio+rtrft", "WE_Bio+dmn", "BM25", "LMD", "VSM"),
    *("QR", "DFR", "LMD-LDA", "DESM", "WE_Dom", "BM25+abstract", "No query"),
)
"""Methods that look the same in all figures."""


def look_of(name: str, i: int) -> dict[str, Any]:
    """Return how a series is drawn: a method of `FIXED` as always, another as the i-th.

    >>> look_of("BM25", 0) == mark(4), look_of("teaching", 0) == mark(0)
    (True, True)
    """
    return mark(FIXED.index(name) if name in FIXED else i)


def panels(
    names: Sequence[str], width: float, more: float, height: float, columns: int | None = None
) -> tuple[Figure, list[Axes]]:
    """Return titled axes, one for each name, in rows of up to so many (all in one by default).

    Sizes are in inches and those of an axis; `more` is the width for a legend.
    """
    columns = min(columns or len(names), len(names))
    rows = -(-len(names) // columns)
    size = (width * columns + more, height * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    axes, unused = list(grid.flat[: len(names)]), grid.flat[len(names) :]
    for ax, name in zip(axes, names, strict=True):
        ax.set_title(name)
    for ax in unused:
        ax.remove()
    return figure, axes


def finished(figure: Figure, title: str) -> Figure:
    """Return a figure of several panels with its title."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def single(ax: Axes, title: str) -> Figure:
    """Return the figure of one panel with its title."""
    ax.set_title(title, fontsize=12)
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.tight_layout()
    return figure


ON_THE_RIGHT: dict[str, Any] = {
    "frameon": False,
    "loc": "center left",
    "bbox_to_anchor": (1.0, 0.5),
}
"""Where a legend is beside the axes."""
BELOW: dict[str, Any] = {"frameon": False, "loc": "upper center", "bbox_to_anchor": (0.5, 0)}
"""Where it is below all of them."""


POINTS: dict[str, Any] = {
    "kind": "point",
    "estimator": "median",
    "errorbar": ("pi", 100),
    "linestyle": "none",
    "markersize": 6,
    "err_kws": {"linewidth": 1.4},
    "sharex": False,
    "facet_kws": {"despine": False},
}
"""How seaborn draws what `with_ends` returns: as points with their intervals."""


def with_ends(rows: pd.DataFrame) -> pd.DataFrame:
    """Return three rows for each: its value and the ends of its interval, in a column ``at``.

    That is how seaborn draws a given interval: the median of the three is the value, and their
    range the interval.
    """
    numbers = ["value", "ci_low", "ci_high"]
    others = [name for name in rows if name not in numbers]
    return rows.melt(others, numbers, value_name="at").dropna(subset="at")


def estimates(
    rows: pd.DataFrame,
    hue: str,
    col: str | None = None,
    *,
    width: float,
    more: float,
    height: float,
) -> "FacetGrid":
    """Draw values with their intervals in rows with names, a panel for each value of a column.

    Parameters
    ----------
    rows : DataFrame
        Columns method (the names, from top to bottom), value, ci_low and ci_high (NaN for none),
        and those of `hue` and `col`.
    hue : str
        The column of the series: one below the other in each row, different in colour and shape,
        named in a legend if they are several.
    col : str, optional
        The column of the panels.
    width, more, height : float
        Of a panel, of the names, and of a series in a row; in inches.

    Returns
    -------
    FacetGrid
        The axes, still without labels.
    """
    import seaborn as sns

    names, series = (list(dict.fromkeys(rows[column])) for column in ("method", hue))
    lane = 0.7 / len(series)  # of the height of a row
    looks = [look_of(str(name), i) for i, name in enumerate(series)]
    if PAPER in series:
        looks[series.index(PAPER)] = {"color": "black", "marker": "x"}
    kept = ["method", "value", "ci_low", "ci_high", hue, *([col] if col else [])]
    grid = sns.catplot(
        with_ends(rows[kept]),
        x="at",
        y="method",
        hue=hue,
        col=col,
        order=names,
        hue_order=series,
        palette=[look["color"] for look in looks],
        markers=[look["marker"] for look in looks],
        dodge=lane * (len(series) - 1),
        capsize=lane / 2,
        legend="auto" if len(series) > 1 else False,
        **POINTS,
    )
    across = width * grid.axes.size + more
    grid.figure.set_size_inches(across, (height * len(series) + 0.1) * len(names) + 1.8)
    grid.set(ylabel="")
    grid.set_titles("{col_name}" if col else "")
    between = np.arange(0.5, len(names) - 1)  # lines between the rows, not through them
    for ax in grid.axes.flat:
        ax.set_yticks(between, minor=True)
        ax.grid(axis="y", visible=False)
        ax.grid(axis="y", which="minor", lw=0.6)
    if len(series) > 1:
        sns.move_legend(grid, title="", ncols=min(len(series), 4), **BELOW)
    return grid


def legend_below(figure: Figure, ax: Axes, columns: int = 4) -> None:
    """Put the legend of one panel below all of them, in up to so many columns."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, ncols=min(len(labels), columns), **BELOW)


def methods_against_paper(
    table: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    metrics: Sequence[str],
    title: str,
) -> Figure:
    """Draw a panel a metric: our values with 95 % intervals by corpus, the paper's as crosses.

    Parameters
    ----------
    table : DataFrame
        Tidy rows of an experiment.
    published : mapping of (method, metric) to float
        The paper's values; methods without one get no cross.
    metrics : sequence of str
    title : str
    """
    theirs = []
    for method, metric in product(dict.fromkeys(table["method"]), metrics):
        if (method, metric) in published:
            theirs.append((PAPER, method, metric, published[method, metric]))
    paper = pd.DataFrame(theirs, columns=["corpus", "method", "metric", "value"])
    rows = pd.concat([table[table["metric"].isin(metrics)], paper], ignore_index=True)
    rows["metric"] = pd.Categorical(rows["metric"], list(metrics))  # panels are in this order
    grid = estimates(rows, "corpus", "metric", width=2.4, more=1.4, height=0.16)
    grid.set_titles("")
    for metric, ax in grid.axes_dict.items():
        ax.set_xlabel(f"{metric} (%)")
    return finished(grid.figure, title)


def slopes(
    paper: pd.Series,
    ours: pd.Series,
    title: str,
    highlight: Sequence[str] = (),
    unit: str = "%",
    ax: Axes | None = None,
) -> Figure:
    """Draw the paper's order of methods on the left, ours on the right, and a line for each method.

    Parameters
    ----------
    paper, ours : Series
        Values by method; methods that only one side has are left out.
    title : str
    highlight : sequence of str
        Methods drawn in colour, such as those that the paper proposes; the others are grey.
    unit : str
        Behind the values in the labels.
    ax : Axes, optional
        Where to draw; a figure of its own by default.
    """
    methods = [method for method in paper.index if method in ours.index]
    ax = ax or plt.subplots(figsize=(6.5, 0.36 * len(methods) + 1.3))[1]
    both = pd.DataFrame({"paper": paper[methods], "ours": ours[methods]})
    ranks = both.rank(ascending=False, method="first")
    digits = 1 if both.to_numpy().max() >= 1 else 3
    for method in methods:
        line, text, width = "0.6", "0.3", 1.2
        if method in highlight:
            line = text = look_of(method, list(highlight).index(method))["color"]
            width = 2.4
        left, right = ranks.loc[method]
        ax.plot([0, 1], [left, right], marker="o", ms=5, color=line, lw=width)
        look: dict[str, Any] = {"va": "center", "fontsize": 9.5, "color": text}
        ax.text(-0.03, left, f"{method}  {paper[method]:.{digits}f}", ha="right", **look)
        ax.text(1.03, right, f"{method}  {ours[method]:.{digits}f}", ha="left", **look)
    ax.set(xlim=(-0.75, 1.75), ylim=(len(methods) + 0.6, 0.4), xticks=[0, 1], yticks=[])
    ax.set_xticklabels([f"paper ({unit})", f"ours ({unit})"])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return single(ax, title)


def tuning_curves(tuning: pd.DataFrame, title: str, highlight: Sequence[str] = ()) -> Figure:
    """Draw all variants of each method's grid, best to worst, as points lost against the best.

    A curve that stays near zero says that the parameters matter little.

    Parameters
    ----------
    tuning : DataFrame
        Columns corpus, method, objective, as ``sigir2017_table1.tuning`` has them.
    title : str
    highlight : sequence of str
        Methods drawn in colour, the others in grey without a name; without any, all are in colour.
    """
    corpora, methods = (list(dict.fromkeys(tuning[name])) for name in ("corpus", "method"))
    coloured = list(highlight) or methods
    figure, axes = panels(corpora, 5.2, 1.6, 4)
    drawn: dict[str, Any] = {}  # a corpus need not have every method
    for (corpus, method), rows in tuning.groupby(["corpus", "method"], sort=False):
        ordered = np.sort(rows["objective"].to_numpy())[::-1]
        look: dict[str, Any] = {"color": "0.8", "lw": 1, "zorder": 1}
        if method in coloured:
            look = {**look_of(str(method), coloured.index(str(method))), "ms": 4}
        ax, share = axes[corpora.index(corpus)], np.linspace(0, 100, len(ordered))
        [line] = ax.plot(share, ordered - ordered[0], **look)
        drawn[str(method)] = line
    for ax in axes:
        ax.set(xlabel="variants, best to worst (%)")
    axes[0].set_ylabel("c-F lost (points)")
    named = [method for method in methods if method in coloured]
    axes[-1].legend([drawn[method] for method in named], named, **ON_THE_RIGHT)
    return finished(figure, title)


def differences(against: pd.DataFrame, metric: str, title: str, base: str = "LMD") -> Figure:
    """Draw how far rows lie above or below a base, with 95 % intervals.

    Parameters
    ----------
    against : DataFrame
        Columns corpus, method, metric, difference, ci_low, ci_high, as ``against_lmd`` of the
        ablation.
    metric : str
    title : str
    base : str
        What rows are compared with, as the axis says it.
    """
    rows = against[against["metric"] == metric].assign(value=against["difference"], series="")
    grid = estimates(rows, "series", "corpus", width=3.4, more=3.0, height=0.2)
    grid.set(xlabel=f"{metric}, points above {base}")
    grid.refline(x=0, color="black", ls="-", lw=1)
    return finished(grid.figure, title)


VERDICT_COLOURS = {
    "holds": PALETTE[2],
    "contradicted": PALETTE[1],
    "absent": PALETTE[3],
    "smaller": PALETTE[4],
    "inconclusive": "0.6",
}
"""Of the intervals in a specification curve."""


def specification_curve(table: pd.DataFrame, readings: Sequence[str], title: str) -> Figure:
    """Draw the effect of a comparison under every reading, in order, and which choices made it.

    Parameters
    ----------
    table : DataFrame
        A row a reading: effect, ci_low, ci_high, published, verdict, and a column for each of
        `readings`. The first row is the declared reading, which is marked.
    readings : sequence of str
        Those that are drawn below the curve; a choice that is taken is a dot.
    title : str

    Returns
    -------
    Figure
        Effects and 95 % intervals above, coloured by verdict; a line for each choice below.
    """
    declared = table["effect"].iloc[0], int((table["effect"] < table["effect"].iloc[0]).sum())
    rows = table.sort_values("effect", kind="stable", ignore_index=True)
    lines = [(name, c) for name in readings for c in dict.fromkeys(table[name].astype(str))]
    below = 0.21 * len(lines)
    figure, (curve, dots) = plt.subplots(
        2, 1, figsize=(7.2, 3.2 + below), sharex=True, height_ratios=[2.4, below]
    )
    _curve(curve, rows, declared)
    _dots(dots, rows, lines)
    figure.subplots_adjust(hspace=0.06)
    return finished(figure, title)


def _curve(ax: Axes, rows: pd.DataFrame, declared: tuple[float, int]) -> None:
    for verdict, own in rows.groupby("verdict", sort=False):
        colour = VERDICT_COLOURS.get(str(verdict), "0.6")
        ends = [own["effect"] - own["ci_low"], own["ci_high"] - own["effect"]]
        about: dict[str, Any] = {"fmt": "o", "ms": 2.5, "lw": 0.8, "color": colour}
        ax.errorbar(own.index, own["effect"], yerr=ends, label=str(verdict), **about)
    ax.axhline(0, color="black", lw=1)
    if np.isfinite(published := rows["published"].median()):
        ax.axhline(published, color="black", ls=":", lw=1, label="published")
    ax.plot(declared[1], declared[0], "D", ms=7, mfc="none", color="black", label="our tables")
    ax.set(ylabel="effect")
    ax.grid(visible=False, axis="x")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, fontsize=9, frameon=False)


def _dots(ax: Axes, rows: pd.DataFrame, lines: Sequence[tuple[str, str]]) -> None:
    names = []
    for y, (name, choice) in enumerate(lines):
        taken = np.flatnonzero(rows[name].astype(str) == choice)
        colour = PALETTE[list(dict.fromkeys(n for n, _ in lines)).index(name) % len(PALETTE)]
        ax.plot(taken, np.full(len(taken), y), "s", ms=min(5, 250 / len(rows)), color=colour)
        names.append(f"{name}: {choice}")
    ax.set_yticks(range(len(lines)), names, fontsize=9)
    ax.set(xlabel="readings, by effect", xticks=[], ylim=(len(lines) - 0.5, -0.5))
    ax.grid(visible=False)


def neighbour_ranks(
    found: Mapping[str, Mapping[str, int]], words: Sequence[str], title: str
) -> Figure:
    """Draw the rank of words among a word's neighbours, one mark for each embedding.

    Parameters
    ----------
    found : mapping of embedding to (word to rank)
    words : sequence of str
        From top to bottom.
    title : str
    """
    cells = [(word, name, found[name].get(word, np.nan)) for word, name in product(words, found)]
    rows = pd.DataFrame(cells, columns=["method", "series", "value"])
    rows = rows.assign(ci_low=np.nan, ci_high=np.nan)
    grid = estimates(rows, "series", width=6.0, more=1.5, height=0.1)
    grid.set(xscale="log", xlabel="rank among the neighbours (logarithmic)")
    return single(grid.ax, title)


def similarity_curve(curve: pd.DataFrame, title: str) -> Figure:
    """Draw similarity and its logit over the ranks of neighbours: sigir2017 Figure 1.

    Parameters
    ----------
    curve : DataFrame
        Columns corpus, rank, and one for each curve, as ``sigir2017_figure1.curve`` has them.
    title : str
    """
    corpora = list(dict.fromkeys(curve["corpus"]))
    figure, axes = panels(corpora, 4.6, 0.6, 3.4)
    for ax, corpus in zip(axes, corpora, strict=True):
        own = curve[curve["corpus"] == corpus].set_index("rank").drop(columns="corpus")
        for i, name in enumerate(own.columns):
            ax.plot(own.index, own[name], color=PALETTE[i], ls=("-", "--")[i % 2], lw=2, label=name)
        ax.set(xlabel="rank of the neighbour")
    axes[0].set_ylabel("similarity")
    axes[-1].legend(frameon=False)
    return finished(figure, title)


def article_map(
    topic: Topic, citance: Citance, retrieved: Mapping[str, Sequence[Span]], title: str
) -> Figure:
    """Draw the article from beginning to end: a strip for each annotator and each method.

    Parameters
    ----------
    topic : Topic
    citance : Citance
    retrieved : mapping of method to spans
    title : str
    """
    gold = {f"annotator {name}": spans for name, spans in sorted(citance.gold.items())}
    rows, size = {**gold, **retrieved}, len(topic.reference.text)
    _, ax = plt.subplots(figsize=(9.5, 0.36 * len(rows) + 1.5))
    for i, (name, spans) in enumerate(rows.items()):
        # A sentence is a hair's breadth of an article: never draw it thinner than can be seen.
        bars = [(span.start, max(span.end - span.start, size / 200)) for span in spans]
        ax.broken_barh(bars, (i - 0.36, 0.72), color=PALETTE[0 if name in gold else 1])
    headings = [block.start for block in topic.reference.blocks if block.kind == "heading"]
    for start in headings:
        ax.axvline(start, color="#cccccc", lw=0.8, zorder=0)
    what = "characters; grey: headings" if headings else "characters"
    ax.set(xlim=(0, size), xlabel=f"place in the article ({what})")
    ax.set(yticks=range(len(rows)), yticklabels=list(rows))
    ax.grid(visible=False)
    ax.invert_yaxis()
    return single(ax, title)


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as PNG to a folder, whole or not at all, without a time stamp.

    A notebook shows what was written: shown by itself, the figure would be drawn once more.
    """
    path = folder / f"{name}.png"
    folder.mkdir(parents=True, exist_ok=True)
    words = in_words(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    write_atomically(path, png := buffer.getvalue())
    plt.close(figure)
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        width = round(int.from_bytes(png[16:20], "big") * figure.dpi / DPI)  # PNG's header has it
        ipython.display.display(ipython.display.Image(png, width=width, alt=words))
    return path


def in_words(figure: Figure) -> str:
    """Say what a figure shows, for who hears it: its titles, and what its axes are.

    >>> figure, ax = plt.subplots()
    >>> _ = ax.set(title="It rises", xlabel="rank", ylabel="c-F (%)")
    >>> in_words(figure)
    'It rises. Across: rank. Upwards: c-F (%).'
    """
    axes = figure.axes
    titles = [ax.get_title(place) for ax in axes for place in ("left", "center")]
    told = {
        "": [figure.get_suptitle(), *titles],
        "Across: ": [ax.get_xlabel() for ax in axes],
        "Upwards: ": [ax.get_ylabel() for ax in axes],
    }
    sentences = []
    for start, texts in told.items():
        if named := list(dict.fromkeys(filter(None, texts))):
            sentence = start + ", ".join(named)
            sentences.append(sentence if sentence.endswith(("?", ".")) else f"{sentence}.")
    return " ".join(" ".join(sentences).split())
