"""README's main claims and its figure of them: ``python -m docs.headlines`` draws it anew."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from citectx.ledger import report
from citectx.paths import ROOT
from citectx.show.forest import COLOURS, GREY, GROUND, LEAD, open_verdicts
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.storage import write_atomically

PICTURE = ROOT / "docs" / "images" / "headlines.svg"
SAID = {
    "models-beat-baselines": "Models with related words win in most measures",
    "context-helps-summaries": "Passages that a model finds make better summaries",
    "reformulations-help": "Most rewritten queries find better passages",
    "combinations-beat-singles": "Combined queries beat each single one",
    "weights-help": "Trained weights recommend better citations",
    "weights-depend-on-the-citing-class": "Each class of sentences needs weights of its own",
    "impact-model-beats-baselines": "A model of impact writes the best impact summaries",
    "paper-and-contexts-both-matter": "It needs both the paper and its citations",
}
"""The headline claims of the ledgers, all of them, for people who have not read the papers."""

PAPERS = {
    "sigir2017": "Cohan & Goharian 2017: find what is cited, summarise with it",
    "naacl2015": "Cohan, Soldaini & Goharian 2015: search with citing sentences",
    "lrec2016": "Duma et al. 2016: recommend what to cite",
    "acl2008": "Mei & Zhai 2008: summarise what a paper is cited for",
}
"""The papers by their authors, with what they are about."""

CONTROLS = {
    "context-helps-summaries": ("WE_Wiki over Random Context", "random sentences"),
    "weights-help": ("all over one field", "an index without classes"),
}
"""The control of each main claim that holds: the comparison, and the control in words."""

CONFIRMED, SECOND = "confirmed", "second domain"
HUNDREDTHS = ("naacl2015", "lrec2016", "acl2008")
"""Papers whose measures run from 0 to 1; those of sigir2017 are in percent."""

LINE = 0.21
"""The height of a line of the figure in inches."""

LEFT, RIGHT = -7.5, 15.0
"""Where the axis ends, in points."""


def main_claims(stage: str = CONFIRMED) -> pd.DataFrame:
    """Read the verdicts on the main claims at a stage, in points of 100.

    The interval is the one that decided.
    """
    verdicts = open_verdicts().rename(columns={"published": "paper_says"})
    rows = verdicts[(verdicts["stage"] == stage) & verdicts["id"].isin([*SAID])]
    rows = rows.set_index("id", drop=False).reindex([*SAID]).dropna(subset="id")
    effects = ["paper_says", "effect", "rule_low", "rule_high"]
    scale = rows["paper"].isin(HUNDREDTHS).map({True: 100, False: 1})
    rows[effects] = rows[effects].mul(scale, axis=0).round(1) + 0.0  # nothing is -0.0
    return rows.assign(said=rows["id"].map(SAID)).reset_index(drop=True)


def second_domain() -> dict[str, dict[Any, Any]]:
    """Return the main claims that were tested in a second domain, by their ids."""
    rows = main_claims(SECOND)
    return {str(row["id"]): row for row in rows.to_dict("records") if pd.notna(row["effect"])}


def in_numbers(row: Mapping[Any, Any]) -> tuple[str, str]:
    """Write the paper's effect, and ours with its interval."""
    paper = "not printed" if pd.isna(row["paper_says"]) else f"{row['paper_says']:+.1f}"
    return paper, f"{row['effect']:+.1f} [{row['rule_low']:.1f}, {row['rule_high']:.1f}]"


def in_second_domain(row: Mapping[Any, Any] | None) -> str:
    """Write what was compared in the second domain and what came of it; a dash if nothing was."""
    if row is None:
        return "–"
    rows, _, _ = row["pair"].replace("|", r"\|").partition(" in ")  # the measure is the same
    return f"{rows}: {in_numbers(row)[1]}, {row['verdict']}"


def lead(row: Mapping[Any, Any]) -> tuple[float, float, float]:
    """Return how far a claim's row is ahead of its control in words, in points of 100."""
    comparison, _ = CONTROLS[str(row["id"])]
    told = next(text for text in row["control"].split("; ") if text.startswith(comparison))
    scale = 100 if row["paper"] in HUNDREDTHS else 1
    [numbers] = LEAD.findall(told)
    value, low, high = (round(scale * float(number), 1) for number in numbers)
    return value, low, high


COLUMNS = (
    ["holds"],
    ["holds, no control"],
    ["holds, not beyond its control"],
    ["holds, below its control"],
    ["contradicted"],
    ["absent", "smaller"],
    ["inconclusive", "not testable here"],
)
"""The columns of README's table of counts. What is inconsistent in the paper is counted apart."""


def counts(stage: str) -> list[int]:
    """Count the verdicts of README's columns, each comparison once."""
    table = report.summary(open_verdicts()).loc[stage].to_dict()
    return [sum(table[name] for name in names) for names in COLUMNS]


def draw() -> Figure:
    """Draw the main claims under the names of their papers: words and verdicts above the bars."""
    figure, ax = plt.subplots()
    second = second_domain()
    line, paper = 0.0, ""
    for row in main_claims().to_dict("records"):
        if row["paper"] != paper:
            paper = row["paper"]
            ax.text(LEFT, line, PAPERS[paper], va="top", weight="bold", fontsize=10.5)
            line += 1.4
        line = draw_claim(ax, row, second.get(row["id"]), line)
    height = line + 5.2
    figure.set_size_inches(5.8, height * LINE)
    ax.set_position((0.03, 2.4 / height, 0.94, line / height))
    ax.axvspan(0, RIGHT, color=GROUND, zorder=0, lw=0)
    ax.axvline(0, color="black", lw=1, zorder=1)
    ax.set(xlim=(LEFT, RIGHT), ylim=(line, -0.4), yticks=[], xticks=[-5, 0, 5, 10, 15])
    ax.set_xlabel("gain in points of 100; green: the side of the paper", fontsize=10)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    figure.legend(handles=legend(), loc="upper left", ncols=2, fontsize=10, frameon=False)
    return figure


def draw_claim(
    ax: Axes, row: Mapping[Any, Any], second: Mapping[Any, Any] | None, line: float
) -> float:
    """Draw a claim from a line on; returns where the next one begins."""
    ax.text(LEFT, line, row["said"], va="top", fontsize=10.5)
    ax.text(LEFT, line + 1, row["verdict"], va="top", fontsize=10, style="italic")
    line += 2.5
    ax.plot(row["paper_says"], line, "D", mfc="white", mec="black", ms=7, mew=1.5, zorder=4)
    bar(ax, (row["effect"], row["rule_low"], row["rule_high"]), line, "o", COLOURS[row["verdict"]])
    if row["id"] in CONTROLS:
        line += 0.9
        bar(ax, lead(row), line, "s", GREY, is_hollow=True)
        beside(ax, f"{lead(row)[0]:+.1f} over {CONTROLS[str(row['id'])][1]}", line)
    if second:
        line += 0.9
        numbers = (second["effect"], second["rule_low"], second["rule_high"])
        bar(ax, numbers, line, "^", COLOURS[second["verdict"]])
        beside(ax, f"second domain: {second['verdict']}", line)
    return line + 1.1


def beside(ax: Axes, words: str, y: float) -> None:
    """Write what a bar shows at its right."""
    ax.text(RIGHT, y, words, va="center", ha="right", fontsize=9.5, color="0.25", zorder=5)


def bar(
    ax: Axes,
    numbers: tuple[float, float, float],
    y: float,
    mark: str,
    colour: str,
    *,
    is_hollow: bool = False,
) -> None:
    """Draw an effect with its interval."""
    value, low, high = numbers
    ax.plot([low, high], [y, y], color=colour, lw=1.5 if is_hollow else 3, zorder=3)
    face = "white" if is_hollow else colour
    ax.plot(value, y, mark, ms=7, mfc=face, mec=colour, mew=1.5, zorder=4)


def legend() -> list[Line2D]:
    """Return what the marks are."""
    blue = PALETTE[0]
    return [
        Line2D([], [], ls="", marker="D", mfc="white", mec="black", mew=1.5, label="the paper"),
        Line2D([], [], color=blue, marker="o", lw=3, label="ours, confirmed, with interval"),
        Line2D([], [], color=GREY, marker="s", mfc="white", label="our lead over a control"),
        Line2D([], [], color=blue, marker="^", lw=3, label="ours, second domain"),
    ]


def picture() -> str:
    """Return the figure of README."""
    use_style()
    return svg(draw)


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
