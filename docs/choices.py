"""The picture of what choices change: ``python -m docs.choices`` draws it anew."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.experiments.results import find
from citectx.paths import ROOT
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.show.tables import OPEN
from citectx.storage import write_atomically

PICTURE = ROOT / "docs" / "images" / "choices.svg"
CURVES = {
    "sigir2017": ("WE_Bio+dmn over the best baseline in c-F", 1),
    "sigir2017_summaries": ("WE_Bio over No Context in LexRank RG-1", 1),
    "naacl2015": ("NP over baseline in F-1", 100),
    "acl2008": ("KL-Divergence over the best baseline in ROUGE-L @15", 100),
}
"""By curve: the headline of docs/choices.md, and what makes its unit a point of 100."""
LABELS = {
    "sigir2017": "contexts (sigir2017)",
    "sigir2017_summaries": "summaries (sigir2017)",
    "naacl2015": "queries (naacl2015)",
    "acl2008": "impact (acl2008)",
}
MARKS = "osD^"
FAR = 2.6
"""From how many points on a choice has its name in the picture."""


def alone(curve: str, headline: str) -> dict[str, float]:
    """Return by how much each choice alone moves a headline, by its name."""
    table = pd.read_csv(find(OPEN, f"{curve}.readings.csv"), dtype=str, keep_default_na=False)
    table = table[(table["headline"] == headline) & (table["role"] == "claim")]
    table = table[table["corpus"] == table["corpus"].iloc[0]]
    columns = [*table.columns]
    switches = columns[columns.index("verdict") + 1 :]
    ours, *others = table.to_dict("records")
    moved = {}
    for row in others:
        changed = [name for name in switches if row[name] != ours[name]]
        if len(changed) == 1:
            [name] = changed
            moved[f"{name}: {row[name]}"] = float(row["effect"]) - float(ours["effect"])
    return moved


def changes() -> pd.DataFrame:
    """Return what each choice changes on explored data and on the confirmation, in points."""
    parts = []
    for curve, (headline, scale) in CURVES.items():
        explored, confirmed = (alone(f"{curve}{end}_curve", headline) for end in ("", "_confirmed"))
        both = pd.DataFrame({"explored": explored, "confirmed": confirmed}).dropna()
        parts.append((scale * both).round(6).assign(curve=curve))
    return pd.concat(parts).rename_axis("choice").reset_index()


def draw() -> Figure:
    """Draw a mark per choice: what it changes on the confirmation over explored data."""
    table = changes()
    figure, ax = plt.subplots(figsize=(5.2, 5.4), layout="constrained")
    ax.axhline(0, color="black", lw=1)
    ax.axvline(0, color="black", lw=1)
    ends = [table["explored"].min(), table["explored"].max()]
    ax.plot(ends, ends, color="0.6", ls="--", lw=1, label="the same change twice")
    for (curve, rows), mark, colour in zip(table.groupby("curve"), MARKS, PALETTE, strict=False):
        ax.plot(
            rows["explored"], rows["confirmed"], mark, color=colour, ms=7, label=LABELS[str(curve)]
        )
    is_far = np.hypot(table["explored"], table["confirmed"]) >= FAR
    for row in table[is_far].to_dict("records"):
        place = row["explored"], row["confirmed"]
        # so that names do not meet each other
        aside = 7 if row["explored"] > -2 else -7
        up = -9 if row["confirmed"] < -1.2 else 2
        name = row["choice"].replace("_", " ")
        side = "left" if aside > 0 else "right"
        ax.annotate(name, place, (aside, up), textcoords="offset points", ha=side, fontsize=10.5)
    ax.set(xlabel="change on explored data, points of 100", ylabel="change on the confirmation")
    ax.set(xlim=(-9.6, 10.6), ylim=(-6.7, 8), xticks=range(-8, 11, 4))
    ax.legend(loc="upper left", fontsize=10.5)
    return figure


def picture() -> str:
    """Return the picture as SVG."""
    use_style()
    return svg(draw)


def counts() -> tuple[int, int, int]:
    """Count all choices, those that change a point or more, and of these those that do so again."""
    table = changes()
    large = table[table["explored"].abs() >= 1]
    is_again = (large["confirmed"].abs() >= 1) & (large["confirmed"] * large["explored"] > 0)
    return len(table), len(large), int(is_again.sum())


def line() -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    choices, large, again = counts()
    told = f"{choices} choices: {large} change a headline by a point or more on explored data"
    return f"![{told}, {again} of them do so again](images/{PICTURE.name})"


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
    print(line())
