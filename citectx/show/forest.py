"""A paper's claims in one picture: our effect on each, in units of the paper's own.

A bar is the interval that decided the verdict. A claim holds if all of its bar lies on the pale
ground: to the right of 0 where a row is to be better, inside the margin where it is to be alike.
"""

import re
from collections.abc import Mapping
from math import inf, nan
from textwrap import wrap
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import SVG
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from citectx import ledger
from citectx.ledger.claim import Claim, Order
from citectx.show.plotting import PALETTE, svg, use_style
from citectx.show.tables import OPEN

WIDTH = 5.4
"""The width in inches; a phone shows its 390 points almost as large as they are."""

LINE = 16.5 / 72
"""The height of a line of words in inches. Heights are counted in such lines."""

LETTERS = 50
"""How many letters a line of words holds."""

FIRST, LAST = -2.6, 3.2
"""Where the axis ends. What reaches further ends in an arrow."""

BLUE, ORANGE, GREEN, PINK, YELLOW, *_ = PALETTE
GROUND, GREY = "#e6f0ea", "0.4"
COLOURS = {
    "holds": GREEN,
    "holds, no control": GREEN,
    "holds, not beyond its control": YELLOW,
    "holds, below its control": YELLOW,
    "contradicted": ORANGE,
    "absent": PINK,
    "smaller": PINK,
    "inconclusive": GREY,
}
"""The verdicts that are drawn. Others have no interval, or are no decision by data."""


LOOKS: dict[str, dict[str, Any]] = {
    "confirmed": {"lw": 4.5, "marker": "o", "ms": 9},
    "explored": {"lw": 1.3, "marker": "o", "ms": 4.5},
    "second domain": {"lw": 4.5, "marker": "s", "ms": 7, "alpha": 0.4},
}
"""How the bar and the mark of each stage look, in matplotlib's words."""

CONTROL: dict[str, Any] = {"lw": 1.3, "marker": "D", "ms": 6, "mfc": "white"}
AS_PRINTED: dict[str, Any] = {"color": "black", "lw": 1, "ls": (0, (4, 3))}
"""The line at the paper's effect."""

LEAD = re.compile(r": ([-+]\S+) \[(\S+), (\S+)\](?:;|$)")
"""The row minus a control in verdicts.csv, such as ``A over B in c-F: +1.2 [-0.2, 2.7]``."""


def smallest_lead(control: object) -> tuple[float, float, float]:
    """Return how far a row leads the control that it leads least clearly, with the interval.

    >>> smallest_lead("A over B in c-F: +1.2 [-0.2, 2.6]; A over C in c-F: +4 [3, 5]")
    (1.2, -0.2, 2.6)
    """
    texts = LEAD.findall(control) if isinstance(control, str) else []
    leads = [(float(lead), float(low), float(high)) for lead, low, high in texts]
    # a lead in half lengths of its interval
    return min(leads, key=lambda lead: lead[0] / (lead[2] - lead[1]), default=(nan, nan, nan))


def has_margin(claim: Claim) -> bool:
    """Return whether a claim is that a row is alike or no better, within a margin."""
    return isinstance(claim.check, Order) and claim.check.high < inf


def unit(claim: Claim, published: float) -> float:
    """Return what 1 is on a claim's axis: the paper's effect or the claim's margin; NaN if neither.

    >>> claims = ledger.load("sigir2017")
    >>> unit(claims["bio-beats-wiki"], 2.3), unit(claims["wiki-no-advantage"], -0.6)
    (2.3, 1.3)
    """
    if isinstance(claim.check, Order) and has_margin(claim):
        return claim.check.high
    return published if published > 0 else nan


def open_verdicts() -> pd.DataFrame:
    """Read the committed verdicts on real data."""
    return pd.read_csv(OPEN / "ledger" / "verdicts.csv")


def drawable(paper: str, verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts that can be drawn: ends and marks of their bars, in the claim's unit.

    Where a claim has no unit, its longest reach is 1 (``fitted``).
    """
    claims = ledger.load(paper)
    is_drawn = verdicts["verdict"].isin([*COLOURS]) & verdicts["stage"].isin([*LOOKS])
    # claims of the paper, not checks of ours
    is_drawn &= (verdicts["paper"] == paper) & ~verdicts["ours"] & verdicts["rule_low"].notna()
    rows = verdicts[is_drawn].copy()
    units = [
        unit(claims[claim_id], x) for claim_id, x in zip(rows["id"], rows["published"], strict=True)
    ]
    reach = rows[["rule_low", "rule_high"]].abs().max(axis=1)
    longest = reach.groupby(rows["id"]).transform("max")
    rows["fitted"] = pd.isna(units)
    rows["unit"] = longest.where(rows["fitted"], units)
    leads = [*map(smallest_lead, rows["control"])]
    rows[["lead", "lead_low", "lead_high"]] = pd.DataFrame(leads, rows.index)
    scaled = ["effect", "rule_low", "rule_high", "lead", "lead_low", "lead_high"]
    return rows.join(rows[scaled].div(rows["unit"], axis=0).add_suffix("_drawn"))


def draw(paper: str) -> Figure:
    """Draw the claims of a paper that have an interval on real data, in the order of the paper."""
    rows = drawable(paper, open_verdicts())
    figure = plt.figure()
    ax = figure.add_axes((0, 0, 1, 1))
    lines = 0.0
    for claim in ledger.load(paper):
        of_claim = rows[rows["id"] == claim.claim_id]
        if len(of_claim):
            lines = draw_claim(ax, claim, of_claim, lines)
    handles = explained(rows)
    # the title has 4 lines above, each entry of the legend 1.1; the axis has 2.5 below
    above = 4 + 1.1 * len(handles[0])
    height = lines + above + 2.5
    figure.set_size_inches(WIDTH, height * LINE)
    ax.set_position((0.02, 2.5 / height, 0.86, lines / height))
    draw_axis(ax, lines)
    figure.legend(*handles, loc="upper left", bbox_to_anchor=(0, 1 - 1.4 / height), fontsize=11)
    figure.suptitle(title(paper), x=0.02, y=1 - 0.3 / height, ha="left", va="top", fontsize=13)
    return figure


def draw_claim(ax: Axes, claim: Claim, rows: pd.DataFrame, line: float) -> float:
    """Draw the words and bars of a claim from a line on; returns where the next claim begins."""
    in_order = sorted(rows.to_dict("records"), key=lambda row: [*LOOKS].index(row["stage"]))
    for words in wrap(claim.says, LETTERS):
        ax.text(FIRST, line, words, va="top", fontsize=12.5)
        line += 1
    for words in wrap(in_numbers(claim, in_order[0]), LETTERS + 10):
        ax.text(FIRST, line, words, va="top", fontsize=11, color="0.3")
        line += 0.95
    begin = line = line + 0.25
    for row in in_order:
        line += 0.6
        verdict, stage = row["verdict"], row["stage"]
        draw_bar(ax, row, ("effect", "rule_low", "rule_high"), line, LOOKS[stage], COLOURS[verdict])
        if stage != "confirmed":
            continue
        seen = "" if pd.isna(row["seen"]) else f"{row['seen']:.2f}"
        ax.text(LAST + 0.12, line, seen, va="center", fontsize=11.5)
        if verdict.startswith("holds"):
            line += 0.7
            draw_bar(ax, row, ("lead", "lead_low", "lead_high"), line, CONTROL, BLUE)
    line += 0.6
    is_printed = not has_margin(claim) and not in_order[0]["fitted"]
    draw_ground(ax, claim, begin, line, is_printed=is_printed)
    return line + 0.8


def in_numbers(claim: Claim, row: Mapping[Any, Any]) -> str:
    """Write a verdict with our effect and the paper's, or the claim's margin."""
    stage = "" if row["stage"] == "confirmed" else f"{row['stage']} only, "
    ours = stage + "{verdict}: {effect:+.3g} [{rule_low:.3g}, {rule_high:.3g}]".format_map(row)
    if has_margin(claim):
        return f"{ours}, margin {row['unit']:.3g}"
    if pd.isna(row["published"]):
        return f"{ours}, none printed"
    return f"{ours}, paper {row['published']:+.3g}"


def draw_bar(
    ax: Axes,
    row: Mapping[Any, Any],
    names: tuple[str, str, str],
    y: float,
    look: Mapping[str, Any],
    colour: str,
) -> None:
    """Draw an effect with its interval; an arrow says that it reaches past the end of the axis."""
    x, low, high = (row[f"{name}_drawn"] for name in names)
    bar: dict[str, Any] = {"color": colour, "zorder": 3, "clip_on": False, **look}
    mark = bar | {"ls": ""}
    arrow = mark | {"ms": 7, "mfc": colour}
    ends = [max(low, FIRST), min(high, LAST)]
    if ends[0] < ends[1]:
        ax.plot(ends, [y, y], solid_capstyle="butt", **bar | {"marker": ""})
    if FIRST <= x <= LAST:
        ax.plot(x, y, mew=1.5, **mark)
    if low < FIRST:
        ax.plot(FIRST, y, **arrow | {"marker": "<"})
    if high > LAST:
        ax.plot(LAST, y, **arrow | {"marker": ">"})


def draw_ground(ax: Axes, claim: Claim, begin: float, end: float, *, is_printed: bool) -> None:
    """Draw where the claim holds, a line at 0, and one at the paper's effect if it is the unit."""
    # better: anywhere above 0; alike: within the margin, which is 1
    left, right = 0.0, LAST
    if isinstance(claim.check, Order) and has_margin(claim):
        left, right = (-1.0 if claim.check.low > -inf else FIRST), 1.0
    ax.fill_between([left, right], begin, end, color=GROUND, lw=0, zorder=0)
    ax.plot([0, 0], [begin, end], color="black", lw=1, zorder=1)
    if is_printed:
        ax.plot([1, 1], [begin, end], zorder=1, **AS_PRINTED)


def draw_axis(ax: Axes, lines: float) -> None:
    """Draw the axis above and below the claims, and the heading of *seen*."""
    ax.set(xlim=(FIRST, LAST), ylim=(lines, 0), yticks=[], xticks=[-2, -1, 0, 1, 2, 3])
    ax.set_xticklabels(["−2", "−1", "0\nnone", "1\nas printed", "2", "3"], fontsize=11.5)
    ax.tick_params(labeltop=True)
    ax.text(LAST + 0.12, -0.9, "seen", fontsize=11.5)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def explained(rows: pd.DataFrame) -> tuple[list[Line2D], list[str]]:
    """Return the handles and words of the legend."""
    words = {
        "confirmed": "confirmed: data declared before they were run",
        "explored": "explored: data that we developed on",
        "second domain": "second domain: papers that people summarized",
    }
    drawn = [stage for stage in words if stage in {*rows["stage"]}]
    looks = {words[stage]: {"color": GREY} | LOOKS[stage] for stage in drawn} | {
        "lead over the control, where the claim holds": {"color": BLUE} | CONTROL,
        "a claim holds if its bar lies on this ground": {"color": GROUND, "lw": 11},
        "the paper's effect, where it prints one": AS_PRINTED,
        "seen: its chance to hold, if the paper is right": {"lw": 0},
    }
    return [Line2D([], [], **look) for look in looks.values()], [*looks]


def title(paper: str) -> str:
    """Return the title of a paper's picture."""
    return f"Claims of {paper}: our gain, in units of the paper's"


def in_words(paper: str) -> str:
    """Say what the picture shows, for those who hear it: how many verdicts of each kind."""
    rows = drawable(paper, open_verdicts())
    texts = [title(paper)]
    for stage, of_stage in rows.groupby("stage"):
        counts = of_stage["verdict"].value_counts()
        kinds = [f"{counts[verdict]} {verdict}" for verdict in COLOURS if verdict in counts]
        texts.append(f"{stage}: {'; '.join(kinds)}")
    return ". ".join(texts)


def picture(paper: str) -> str:
    """Return the picture as SVG."""
    use_style()
    return svg(lambda: draw(paper))


def shown(paper: str) -> SVG:
    """Return the picture as a notebook shows it, with words for those who hear it."""
    return SVG(picture(paper), metadata={"alt": in_words(paper)})
