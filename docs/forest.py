"""The pictures on the page on verdicts: ``python -m docs.forest`` draws them anew."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from citectx.ledger import papers, report
from citectx.paths import ROOT
from citectx.show import forest
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.storage import write_atomically

Record = Mapping[Any, Any]
"""A row of verdicts.csv."""

EXAMPLE = "context-helps-summaries"
"""The claim that shows how a verdict is read: its picture has all parts."""

INTERVAL = ROOT / "docs" / "images" / "interval.svg"
CALIBRATION = ROOT / "docs" / "images" / "calibration.svg"


def file(paper: str) -> Path:
    """Return where the picture of a paper's claims lies."""
    return ROOT / "docs" / "images" / f"claims-{paper}.svg"


def line(paper: str) -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    return f"![{forest.in_words(paper)}](images/{file(paper).name})"


def draw_calibration(bins: pd.DataFrame) -> Figure:
    """Draw the share of claims that hold over their mean *seen*, and how many claims there are."""
    blue, orange, *_ = PALETTE
    figure, ax = plt.subplots(figsize=(5.4, 4))
    ax.plot([0, 100], [0, 100], color=orange, ls="--", label="as often as if the papers were right")
    ax.plot(100 * bins["seen"], 100 * bins["hold"], "o-", color=blue, ms=9, label="ours")
    for seen, hold, count in zip(bins["seen"], bins["hold"], bins["comparisons"], strict=True):
        ax.text(100 * seen, 100 * hold + 4, f"n = {count}", ha="center", va="bottom")
    ax.set(xlim=(-4, 108), ylim=(-4, 108))
    ax.set(xlabel="should hold: mean of seen (%)", ylabel="hold in any way (%)")
    ax.legend(loc="upper left")
    figure.tight_layout()
    return figure


def calibration() -> str:
    """Return the picture of what should hold and what does."""
    bins = report.calibration(forest.open_verdicts())
    use_style()
    return svg(lambda: draw_calibration(bins))


def calibration_line() -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    bins = report.calibration(forest.open_verdicts())
    numbers = zip(100 * bins["hold"], bins["comparisons"], 100 * bins["seen"], strict=True)
    texts = [f"{hold:.0f} % of {n} hold where {seen:.0f} % should" for hold, n, seen in numbers]
    return f"![What should hold and what does: {'; '.join(texts)}](images/{CALIBRATION.name})"


def example() -> Record:
    """Return the verdict that shows how one is read, with its lead over the control."""
    table = forest.open_verdicts()
    wanted = (table["id"] == EXAMPLE) & (table["stage"] == "confirmed")
    (row,) = table[wanted].to_dict("records")
    lead = forest.smallest_lead(row["control"])
    return row | dict(zip(("lead", "lead_low", "lead_high"), lead, strict=True))


def in_words(row: Record) -> tuple[str, str, str]:
    """Write our gain, the lead over the control, and the paper's gain."""
    ours = "our gain {effect:+.1f} [{rule_low:.1f}, {rule_high:.1f}]".format_map(row)
    lead = "lead over the control {lead:+.1f} [{lead_low:.1f}, {lead_high:.1f}]".format_map(row)
    return ours, lead, f"the paper's gain {row['published']:+.1f}"


def draw_interval(row: Record) -> Figure:
    """Draw our gain and the lead over the control, beside no gain and the paper's."""
    blue, _, _, _, yellow, *_ = PALETTE
    ours, lead, paper = in_words(row)
    figure, ax = plt.subplots(figsize=(5.8, 2.3))
    ax.axvspan(0, 10, color=forest.GROUND, lw=0)
    ax.axvline(0, color="black", lw=1)
    ax.axvline(row["published"], color="black", lw=1, ls=(0, (4, 3)))
    ax.plot([row["rule_low"], row["rule_high"]], [0, 0], color=yellow, lw=5)
    ax.plot(row["effect"], 0, "o", color=yellow, ms=10)
    ax.plot([row["lead_low"], row["lead_high"]], [1, 1], color=blue, lw=1.5)
    ax.plot(row["lead"], 1, "D", color=blue, mfc="white", ms=7)
    ax.text(row["rule_low"], -0.22, ours, va="bottom", fontsize=11.5)
    ax.text(row["lead_high"] + 0.2, 1, lead, va="center", fontsize=11.5)
    ax.text(row["published"] + 0.1, 1.75, paper, va="center", fontsize=11.5)
    ax.text(0.1, 1.75, "no gain", va="center", fontsize=11.5)
    ax.set(xlim=(-2, 10), ylim=(2.1, -0.8), yticks=[], xlabel="points of ROUGE-1")
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    figure.tight_layout()
    return figure


def interval() -> str:
    """Return the picture of one verdict."""
    row = example()
    use_style()
    return svg(lambda: draw_interval(row))


def interval_line() -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    return f"![{'; '.join(in_words(example()))}](images/{INTERVAL.name})"


if __name__ == "__main__":
    for name in papers():
        write_atomically(file(name), forest.picture(name))
    write_atomically(CALIBRATION, calibration())
    write_atomically(INTERVAL, interval())
    print(*map(line, papers()), calibration_line(), interval_line(), sep="\n")
