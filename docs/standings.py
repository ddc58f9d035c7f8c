"""The picture of the leaderboard: ``python -m docs.standings`` draws it anew."""

import json
from textwrap import shorten

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from citectx.experiments.results import read
from citectx.paths import ROOT
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.show.tables import OPEN
from citectx.storage import write_atomically

PICTURE = ROOT / "docs" / "images" / "standings.svg"
OURS, THEIRS = PALETTE[0], "0.45"
WIDEST = 24
"""How many letters of a team's name are drawn."""


def rows() -> pd.DataFrame:
    """Read the rows of CL-SciSumm's leaderboard, the best first, and which of them are ours."""
    cells = read(OPEN, "leaderboard")
    scores = cells[cells["metric"] == "official F1"]
    params = scores["params"].map(json.loads)
    is_shown = [about.get("chosen", True) for about in params]
    is_ours = ["sentences" in about for about in params]
    # "LTR, 3" has three sentences, "15-CIST/run22" is a run of a team
    names = scores["method"].str.split(r", \d$|/", regex=True).str[0]
    kept = scores.assign(name=names, ours=is_ours)[is_shown]
    return kept.sort_values("value", ascending=False, ignore_index=True)


def draw() -> Figure:
    """Draw a line per row: its official F1 with the interval over topics."""
    table = rows()
    figure, ax = plt.subplots(figsize=(5.2, 0.27 * len(table) + 1.1), layout="constrained")
    for line, row in enumerate(table.to_dict("records")):
        colour = OURS if row["ours"] else THEIRS
        mark = "o" if row["ours"] else "s"
        ax.plot([row["ci_low"], row["ci_high"]], [line, line], color=colour, lw=2.5)
        ax.plot(row["value"], line, mark, color=colour, ms=7)
    names = [shorten(name, WIDEST, placeholder=" …") for name in table["name"]]
    ax.set_yticks(range(len(table)), names)
    ax.tick_params(axis="y", labelsize=10.5, length=0)
    ax.set(xlabel="official F1 in percent", ylim=(len(table) - 0.4, -0.6))
    ax.grid(visible=False, axis="y")
    marks = [
        Line2D([], [], color=OURS, marker="o", lw=2.5, label="ours"),
        Line2D([], [], color=THEIRS, marker="s", lw=2.5, label="best run of a team, 2020"),
    ]
    ax.legend(handles=marks, loc="lower right", frameon=False)
    return figure


def picture() -> str:
    """Return the picture as SVG."""
    use_style()
    return svg(draw)


def line() -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    told = [
        f"{row['name']} {row['value']:.1f}{' (ours)' * row['ours']}"
        for row in rows().to_dict("records")
    ]
    return f"![Official F1, the best first: {', '.join(told)}](images/{PICTURE.name})"


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
    print(line())
