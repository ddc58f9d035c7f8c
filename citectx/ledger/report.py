"""Verdicts for notebooks and pages, and ``citectx claims``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.claim import load, papers
from citectx.ledger.rule import VERDICTS
from citectx.ledger.verdicts import FILE, all_verdicts, keep
from citectx.paths import RESULTS

SIGNS: dict[str, str] = dict(zip(VERDICTS, "✓+=<✗○↓?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus."""
    return all_verdicts(profiles.profile(profile).results, paper)


def effect(row: Mapping[Any, Any]) -> str:
    """Return the effect of one row of verdicts with its interval; "" if it has none.

    >>> effect({"effect": 0.0301, "ci_low": 0.0077, "ci_high": 0.0525})
    '+0.0301 [0.0077, 0.0525]'
    """
    if pd.isna(row["effect"]):
        return ""
    text = "{effect:+.3g} [{ci_low:.3g}, {ci_high:.3g}]".format_map(row)
    return text.removesuffix(" [nan, nan]")


def line(row: Mapping[Any, Any]) -> str:
    """Write one row of verdicts: sign, claim, our effect, the paper's, corpus and reason."""
    sign = SIGNS[row["verdict"]]
    paper = row["published"]
    published = "" if pd.isna(paper) else f"{paper:+.3g}"
    effects = f"{effect(row):<26} {published:<8}"
    return f"{sign} {row['id']:<36} {effects} {row['corpus']}  {row['reason']}"


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts on what the papers claim, by paper and corpus; checks of ours are left out."""
    claimed = frame[~frame["ours"]]
    table = pd.crosstab([claimed["paper"], claimed["corpus"]], claimed["verdict"])
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0)


def page(frame: pd.DataFrame, folder: Path) -> str:
    """Write counts of verdicts by paper and corpus, headline claims, and where the rest is."""
    named = [claim.claim_id for paper in papers() for claim in load(paper) if claim.headline]
    chosen = frame[frame["id"].isin(named)]
    parts = (
        "  ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items()),
        summary(frame).rename(columns=SIGNS).to_string(),
        "\n".join(map(line, chosen.to_dict("records"))),
        f"All {len(frame)} verdicts: {folder / FILE}",
        "Those of a paper: citectx claims --paper NAME. How to read them: docs/verdicts.md",
    )
    return "\n\n".join(parts)


def on_open_data() -> str:
    """Count the verdicts that came with the code, where claims are confirmed; say what to read."""
    frame = pd.read_csv(RESULTS / "open" / FILE)
    counts = summary(frame[frame["stage"] == "confirmed"]).groupby("paper").sum()
    parts = (
        "The teaching corpus is too small to decide a claim. On open data the notebooks found:",
        counts.rename(columns=SIGNS).to_string(),
        "README.md says what that means. Next: make lab, and notebooks/00_start_here.ipynb",
    )
    return "\n\n".join(parts)


def cmd_claims(profile: str = "open", *, paper: str | None = None, readings: bool = False) -> int:
    """Judge the claims of the papers by a profile's results, keep the verdicts, and show a page.

    Or show every claim of one paper, or under how many readings each headline comparison holds. A
    verdict against a paper is a result, not a failure.
    """
    folder = profiles.profile(profile).results
    if readings:
        for file in sorted(folder.glob("*_curve/*_curve.csv")):
            table = pd.read_csv(file)
            counts = table.pivot_table("value", ["corpus", "method"], "metric", sort=False)
            print(file.stem, counts.to_string(), "", sep="\n")
        return 0
    verdicts = all_verdicts(folder, paper)
    if paper:
        print(*map(line, verdicts.to_dict("records")), sep="\n")
    else:
        print(page(verdicts, folder))
        if profile == "teaching":
            print("", on_open_data(), sep="\n")
        keep(verdicts, folder)
    return 0
