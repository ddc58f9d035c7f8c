"""Verdicts for notebooks and pages, and ``citectx claims``."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.claim import STAGES, load, papers
from citectx.ledger.rule import BELOW, NOT_BEYOND, NOT_HERE, VERDICTS
from citectx.ledger.verdicts import FILE, all_verdicts, keep
from citectx.paths import IN_CHECKOUT, RESULTS
from citectx.storage import check_output, write_atomically

UNITS = (
    "The main claims, each with our effect, the interval that decides, and the paper's effect. "
    "Scores of sigir2017 are in percent, those of the others run from 0 to 1. *seen* is how likely "
    "our data were to show the paper's effect, if it is right."
)
"""What stands over the main claims."""

BINS = (0, 0.2, 0.5, 0.8, 1.01)
"""The bounds of *seen* in which claims are counted, each bin without its upper bound."""

COLUMNS = 100
"""The longest line that is printed."""


NEXT = (
    "README.md says what that means. Next: make lab, and notebooks/00_start_here.ipynb"
    if IN_CHECKOUT
    else "Next: citectx lessons FOLDER copies the lessons; begin with 00_start_here.ipynb"
)
"""What to read after a first run: a wheel has neither README nor Makefile."""


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus.

    >>> verdicts = claims("naacl2015").set_index(["id", "corpus"])["verdict"]
    >>> verdicts["np-beats-baseline", "citation-integrity-31"]
    'smaller'
    """
    return all_verdicts(profiles.profile(profile).results, paper)


def claimed_once(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what the papers claim, each comparison once; checks of ours are left out.

    Claims that rest on one comparison are counted as the first of them.
    """
    # empty in memory, NaN once it was read from a file
    is_first = frame["same_as"].fillna("") == ""
    return frame[is_first & ~frame["ours"]]


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts on what the papers claim, each comparison once, by stage.

    Results of which no corpus was declared for a stage are counted by corpus.
    """
    counted = claimed_once(frame)
    stages = [stage for stage in STAGES if stage in {*counted["stage"]}]
    by = "stage" if stages else "corpus"
    order = stages or sorted({*counted["corpus"]})
    # (stages or corpora, verdicts); verdicts that do not occur are columns of zeros
    table = pd.crosstab(counted[by], counted["verdict"]).reindex(order)
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0)


def post_hoc(frame: pd.DataFrame) -> int:
    """Count confirmed claims that hold and fail a control which was added after they were seen."""
    confirmed = claimed_once(frame).query("stage == 'confirmed'")
    fails = confirmed["verdict"].isin([NOT_BEYOND, BELOW])
    return int((fails & confirmed["post_hoc"]).sum())


def yardstick(frame: pd.DataFrame) -> pd.DataFrame:
    """Compare how many claims should hold, if the papers were right, with how many do.

    That is over confirmed comparisons for which *seen* could be computed; its sum is the number
    that should hold. Every kind of *holds* counts, because *seen* does not know of controls.
    """
    tested = with_seen(frame)
    by_paper = tested.groupby("paper").agg(
        comparisons=("seen", "size"), should_hold=("seen", "sum"), hold=("holds", "sum")
    )
    # the last row adds up the papers
    by_paper.loc["all"] = by_paper.sum()
    return by_paper.astype({"comparisons": int, "hold": int}).round({"should_hold": 1})


def calibration(frame: pd.DataFrame) -> pd.DataFrame:
    """Compare the mean of *seen* with the share that held, for the claims of each bin."""
    tested = with_seen(frame)
    # [0, .2), [.2, .5) and so on; the last bin holds 1, too
    bins = pd.cut(tested["seen"], BINS, right=False)
    return tested.groupby(bins, observed=True).agg(
        comparisons=("seen", "size"), seen=("seen", "mean"), hold=("holds", "mean")
    )


def with_seen(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the confirmed comparisons that have *seen*, and whether they hold in any way."""
    tested = claimed_once(frame).query("stage == 'confirmed'").dropna(subset="seen")
    # neither of these is a decision by data
    tested = tested[~tested["verdict"].isin([NOT_HERE, "inconsistent in the paper"])]
    return tested.assign(holds=tested["verdict"].str.startswith("holds"))


def effect(row: Mapping[Any, Any]) -> str:
    """Write the effect of a row of verdicts with the interval that decided; "" if it has none.

    >>> effect({"effect": 0.0301, "rule_low": 0.0077, "rule_high": 0.0525})
    '+0.0301 [0.0077, 0.0525]'
    """
    if pd.isna(row["effect"]):
        return ""
    text = "{effect:+.3g} [{rule_low:.3g}, {rule_high:.3g}]".format_map(row)
    return text.removesuffix(" [nan, nan]")


def comparison(row: Mapping[Any, Any]) -> str:
    """Write the pair that decides, our effect, the paper's, and *seen*.

    >>> numbers = {"effect": 1.2, "rule_low": -0.5, "rule_high": 2.9, "published": 2, "seen": 0.5}
    >>> comparison({"pair": "A over B in c-F", **numbers})
    'A over B in c-F: +1.2 [-0.5, 2.9], paper +2, seen 0.50'
    """
    texts = [f"{row['pair']}: {effect(row)}"]
    if pd.notna(row["published"]):
        texts.append(f"paper {row['published']:+.3g}")
    if pd.notna(row["seen"]):
        texts.append(f"seen {row['seen']:.2f}")
    return ", ".join(texts)


def paragraph(text: str, indent: int) -> str:
    """Break a text into lines, all of them indented."""
    margin = " " * indent
    return TextWrapper(COLUMNS, initial_indent=margin, subsequent_indent=margin).fill(text)


def table_text(table: pd.DataFrame) -> str:
    """Write a table for a terminal, without the names of its axes."""
    return table.rename_axis(index=None, columns=None).to_string(line_width=COLUMNS)


def verdict_lines(row: Mapping[Any, Any]) -> Iterator[str]:
    """Tell a verdict: where it was made, the comparison that decides, why, and its control."""
    place = f"{row['stage']}, {row['corpus']}" if row["stage"] else row["corpus"]
    yield paragraph(f"{row['verdict']} ({place})" if place else row["verdict"], 4)
    if row["pair"]:
        yield paragraph(comparison(row), 6)
    why = row["reason"].removeprefix(row["pair"]).removeprefix(": ")
    if why:
        yield paragraph(f"why: {why}", 6)
    if row["control"]:
        added = " (post hoc)" if row["post_hoc"] else ""
        yield paragraph(f"over its control{added}: {row['control']}", 6)
    elif row["no_control"]:
        yield paragraph(f"no control: {row['no_control']}", 6)
    if row["same_as"]:
        yield paragraph(f"rests on the same comparison as {row['same_as']}", 6)


def in_full(frame: pd.DataFrame) -> Iterator[str]:
    """Tell each claim: its sentence, where it stands in the paper, and every verdict on it."""
    for claim_id, of_claim in frame.groupby("id", sort=False):
        rows = of_claim.to_dict("records")
        yield ""
        yield paragraph(rows[0]["says"], 0)
        by = "a check of ours" if rows[0]["ours"] else "the paper"
        yield paragraph(f"{by}, {rows[0]['where']}; {claim_id}", 2)
        for row in rows:
            yield from verdict_lines(row)


def headlines(frame: pd.DataFrame) -> Iterator[str]:
    """Tell the headline claims in words, where they are confirmed or else wherever they stand."""
    named = [claim.claim_id for paper in papers() for claim in load(paper) if claim.headline]
    chosen = frame[frame["id"].isin(named)]
    confirmed = chosen[chosen["stage"].isin(STAGES[1:])]
    shown = confirmed if len(confirmed) else chosen
    for (paper, says), of_claim in shown.groupby(["paper", "says"], sort=False):
        yield paragraph(f"{paper}: {says}", 0)
        for row in of_claim.to_dict("records"):
            yield from list(verdict_lines(row))[: 2 if row["pair"] else 1]


def counted(frame: pd.DataFrame) -> Iterator[str]:
    """Tell how many verdicts there are of each kind, and how many claims should hold."""
    yield "Verdicts on what the papers claim, each comparison counted once:"
    yield table_text(summary(frame).T)
    if later := post_hoc(frame):
        yield paragraph(
            f"{later} of the confirmed controls that a claim fails are post hoc: "
            "they were added when the verdict had been seen.",
            0,
        )
    expected = yardstick(frame)
    if expected.loc["all", "comparisons"]:
        yield "\nHow many confirmed claims should hold if the papers are right, and how many do:"
        yield table_text(expected.rename(columns={"should_hold": "should hold"}))


def page(frame: pd.DataFrame, folder: Path) -> str:
    """Write counts of verdicts, the yardstick, headline claims, and where the rest is."""
    parts = (
        *counted(frame),
        "",
        paragraph(UNITS, 0),
        "",
        *headlines(frame),
        f"\nAll {len(frame)} verdicts: {folder / FILE}",
        "Every claim of a paper: citectx claims --paper NAME. One alone: citectx explain ID",
    )
    return "\n".join(parts)


def on_open_data() -> str:
    """Count the verdicts that came with the code; say what to read next."""
    parts = (
        "The teaching corpus is too small to decide a claim. On open data the notebooks found:",
        *counted(pd.read_csv(RESULTS / "open" / FILE)),
        f"\n{NEXT}",
    )
    return "\n".join(parts)


def cmd_claims(
    profile: str = "open",
    *,
    paper: str | None = None,
    readings: bool = False,
    csv: Path | None = None,
    force: bool = False,
) -> int:
    """Judge the claims of the papers by a profile's results, keep the verdicts, and show a page.

    Or show every claim of one paper, or under how many readings each headline comparison holds.
    With ``csv`` the verdicts go to a file, or as "-" to the output. A verdict against a paper is a
    result, not a failure.
    """
    folder = profiles.profile(profile).results
    if readings:
        for file in sorted(folder.glob("*_curve/*_curve.csv")):
            print_curve(file)
        return 0
    if csv and csv.name != "-":
        check_output(csv, force=force)
    verdicts = all_verdicts(folder, paper)
    if csv:
        write_csv(verdicts, csv)
    elif paper:
        print(*in_full(verdicts), sep="\n")
    else:
        print(page(verdicts, folder))
        if profile == "teaching":
            print("", on_open_data(), sep="\n")
        keep(verdicts, folder)
    return 0


def print_curve(file: Path) -> None:
    """Print under how many readings the comparisons of a table hold."""
    table = pd.read_csv(file)
    counts = table.pivot_table("value", ["corpus", "method"], "metric", sort=False)
    print(file.stem, counts.to_string(), "", sep="\n")


def write_csv(verdicts: pd.DataFrame, file: Path) -> None:
    """Write verdicts to a file, whole or not at all; "-" is the output."""
    text = verdicts.to_csv(index=False, float_format="%.6g")
    if file.name == "-":
        sys.stdout.write(text)
    else:
        write_atomically(file, text)
