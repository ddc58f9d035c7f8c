"""README's main claims and its figure of them: ``python -m docs.headlines`` draws it anew."""

from collections.abc import Hashable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from citectx.ledger import report
from citectx.paths import RESULTS, ROOT
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

HUNDREDTHS = ("naacl2015", "lrec2016", "acl2008")
"""Papers whose measures run from 0 to 1; those of sigir2017 are in percent."""


def main_claims() -> pd.DataFrame:
    """Read the verdicts on the main claims where they are confirmed, in points of 100.

    The interval is the one that decided.
    """
    verdicts = pd.read_csv(RESULTS / "open" / "ledger" / "verdicts.csv")
    verdicts = verdicts.rename(columns={"published": "paper_says"})
    confirmed = verdicts[verdicts["stage"] == "confirmed"].set_index("id", drop=False)
    rows = confirmed.loc[list(SAID)].assign(said=list(SAID.values()))
    effects = ["paper_says", "effect", "rule_low", "rule_high"]
    scale = rows["paper"].isin(HUNDREDTHS).map({True: 100, False: 1})
    rows[effects] = rows[effects].mul(scale, axis=0).round(1) + 0.0  # nothing is -0.0
    return rows.reset_index(drop=True)


def in_numbers(row: Mapping[Hashable, Any]) -> tuple[str, str]:
    """Write the paper's effect, and ours with its interval."""
    paper = "not printed" if pd.isna(row["paper_says"]) else f"{row['paper_says']:+.1f}"
    return paper, f"{row['effect']:+.1f} [{row['rule_low']:.1f}, {row['rule_high']:.1f}]"


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
    verdicts = pd.read_csv(RESULTS / "open" / "ledger" / "verdicts.csv")
    table = report.summary(verdicts).loc[stage].to_dict()
    return [sum(table[name] for name in names) for names in COLUMNS]


def draw(rows: pd.DataFrame) -> Figure:
    """Draw the paper's effect and ours, a line for each claim, its words above it."""
    figure, ax = plt.subplots(figsize=(5.8, 0.52 * len(rows) + 1))
    blue, orange, *_ = PALETTE
    low, places = -6.3, range(len(rows))
    ends = [rows["effect"] - rows["rule_low"], rows["rule_high"] - rows["effect"]]
    ax.axvline(0, color="black", lw=1)
    ax.plot(rows["paper_says"], places, "D", mfc="white", mec=orange, mew=2, label="paper")
    bars = ax.errorbar(rows["effect"], places, xerr=ends, fmt="o", color=blue, ms=8, lw=3)
    bars.set_label("ours, with the interval that decides")
    for place, said in zip(places, rows["said"], strict=True):
        ax.text(low, place - 0.28, said, va="bottom", backgroundcolor="white")
    ax.set(xlim=(low, 15), ylim=(len(rows) - 0.5, -0.9), yticks=[], xticks=[-5, 0, 5, 10, 15])
    ax.set_xlabel("gain, in points of 100")
    ax.grid(axis="y", visible=False)
    ax.spines[:].set_visible(False)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=2)
    figure.tight_layout()
    return figure


def picture() -> str:
    """Return the figure of README."""
    use_style()
    return svg(lambda: draw(main_claims()))


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
