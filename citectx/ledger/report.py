"""Verdicts as tables, for notebooks and pages, and the command ``citectx claims``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.entries import load, papers
from citectx.ledger.rule import VERDICTS
from citectx.ledger.verdicts import FILE, all_verdicts, keep

SIGNS: dict[str, str] = dict(zip(VERDICTS, "✓=✗○↓?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""
NOT_RUN = "— (not run yet)"
"""Corpus of claims whose experiment has not been run; the dash sorts it after all corpora."""


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus."""
    return all_verdicts(profiles.profile(profile).results, paper)


def effect(row: Mapping[Any, Any]) -> str:
    """Return the effect of one row of verdicts with its interval; "" if it has none.

    >>> effect({"effect": 0.0301, "ci_low": 0.0077, "ci_high": 0.0525})
    '+0.030 [0.008, 0.052]'
    """
    if pd.isna(row["effect"]):
        return ""
    numbers = (row["effect"], row["ci_low"], row["ci_high"])
    digits = 1 if any(abs(number) >= 2 for number in numbers) else 3
    value, low, high = (f"{number:.{digits}f}" for number in numbers)
    sign = "" if value.startswith("-") else "+"
    if pd.isna(row["ci_low"]):
        return f"{sign}{value}"
    return f"{sign}{value} [{low}, {high}]"


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts on what the papers claim, by paper and corpus; checks of ours are left out."""
    claimed = frame[~frame["ours"]]
    corpus = claimed["corpus"].replace("", NOT_RUN)
    table = pd.crosstab([claimed["paper"], corpus], claimed["verdict"])
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0)


def told(frame: pd.DataFrame) -> pd.DataFrame:
    """Tell verdicts in a few columns of text: the claim with its sign, effects, corpus, reason."""
    others = frame["others"].where(frame["others"] == "", "; " + frame["others"])
    columns = {
        "claim": frame["verdict"].map(SIGNS) + " " + frame["id"],
        "our effect": [effect(row) for row in frame.to_dict("records")],
        "paper": frame["published"].map("{:+.3g}".format, na_action="ignore").fillna(""),
        "corpus": frame["corpus"].replace("", NOT_RUN),
        "reason": frame["reason"] + others,
    }
    return pd.DataFrame(columns)


def stored(folder: Path) -> str:
    """Write under how many readings each headline comparison holds, as it was counted."""
    parts = []
    for file in sorted(folder.glob("*_curve/*_curve.csv")):
        table = pd.read_csv(file)
        counts = table.pivot_table("value", ["corpus", "method"], "metric", sort=False)
        parts.append(f"{file.stem}\n{counts.to_string(na_rep='')}")
    return "\n\n".join(parts)


def page(frame: pd.DataFrame, folder: Path) -> str:
    """Write counts of verdicts by paper and corpus, headline claims, and where the rest is."""
    named = [claim.claim_id for paper in papers() for claim in load(paper) if claim.headline]
    chosen = frame[frame["id"].isin(named) & (frame["verdict"] != "not testable here")]
    parts = (
        f"What the papers say, judged by {folder}",
        "  ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items()),
        summary(frame).rename(columns=SIGNS).to_string(),
        _lines(told(chosen).drop(columns="reason")),
        f"All {len(frame)} verdicts: {folder / FILE}",
        "With reasons: citectx claims --paper NAME. How to read them: docs/verdicts.md",
    )
    return "\n\n".join(parts)


def _lines(table: pd.DataFrame) -> str:
    """Write a table of text, its columns flush left."""
    padded = table.apply(lambda column: column.str.ljust(int(column.str.len().max())))
    return str(padded.to_string(index=False, justify="left"))


def cmd_claims(
    profile: str = "open",
    *,
    paper: str | None = None,
    everything: bool = False,
    readings: bool = False,
) -> int:
    """Judge the claims of the papers by a profile's results, keep the verdicts, and show a page.

    Or show every claim of one paper, or of all, with its reason; or under how many readings each
    headline comparison holds. A verdict against a paper is a result, not a failure.
    """
    folder = profiles.profile(profile).results
    if readings:
        print(stored(folder))
    elif paper or everything:
        print(_lines(told(all_verdicts(folder, paper))))
    else:
        print(page(keep(folder), folder))
    return 0
