"""The pictures on the page on verdicts: ``python -m docs.forest`` draws them anew."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from citectx.ledger import papers, report
from citectx.paths import ROOT
from citectx.show import forest
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.storage import write_atomically

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


if __name__ == "__main__":
    for name in papers():
        write_atomically(file(name), forest.picture(name))
    write_atomically(CALIBRATION, calibration())
    print(*map(line, papers()), calibration_line(), sep="\n")
