"""How far shares of passages can be trusted: ``python -m docs.reliability`` draws the figure."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from citectx.beyond.calibration import EDGES, EXPLORED, TABLE
from citectx.paths import ROOT
from citectx.show.plotting import svg, use_style
from citectx.storage import write_atomically

PICTURE = ROOT / "docs" / "images" / "reliability.svg"
MOST = 0.65
"""The largest chance that is drawn."""


def draw() -> Figure:
    """Draw what the scale says against how often it is right, with intervals over topics."""
    table = pd.read_csv(TABLE)
    explored = {tested for _, tested in EXPLORED}
    use_style()
    figure, ax = plt.subplots(figsize=(5.5, 4.6), layout="constrained")
    ax.plot([0, MOST], [0, MOST], color="#999999", linewidth=1)
    for edge in EDGES:  # between bands
        ax.axvline(edge, color="#dddddd", linewidth=1, zorder=0)
    for (learned, tested), rows in table.groupby(["learned_on", "tested_on"], sort=False):
        around = [rows["right"] - rows["ci_low"], rows["ci_high"] - rows["right"]]
        label = f"{tested} (explored)" if tested in explored else f"{learned} → {tested}"
        marks = "s:" if tested in explored else "o-"
        ax.errorbar(rows["said"], rows["right"], around, fmt=marks, label=label)
    ax.set(xlabel="what the scale says", ylabel="right for an annotator drawn at random")
    ax.set(xlim=(0, MOST), ylim=(0, MOST))
    ax.legend(frameon=False, loc="upper left", fontsize="small")
    return figure


def picture() -> str:
    """Return the figure as SVG, the same bytes each time."""
    with plt.rc_context({"svg.hashsalt": "citectx"}):
        return svg(draw)


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
