"""Verdicts as tables: for notebooks, Markdown pages and the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.entries import load
from citectx.ledger.replication import MEASURES
from citectx.ledger.results import Results
from citectx.ledger.rule import VERDICTS
from citectx.ledger.verdicts import all_verdicts, check

SIGNS: dict[str, str] = dict(zip(VERDICTS, "✓✗○↓?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""
NOT_RUN = "— (not run yet)"
"""Corpus of claims whose experiment has not been run; the dash sorts it after all corpora."""


def show(paper: str, places: Path | Sequence[Path], *experiments: str) -> pd.DataFrame:
    """Return the verdicts on what a paper says in words, a row a claim, a column a corpus.

    Parameters
    ----------
    paper : str
    places : Path or sequence of Path
        With the tables of a profile, as `Profile.places` has them.
    experiments : str
        Only claims that speak of no other tables (default: all).

    Returns
    -------
    DataFrame
        Of text: a verdict with effect and interval, such as ``✗ contradicted -3.9 [-6.9, -0.8]``;
        empty where a corpus has no such table.
    """
    ledger = load(paper)
    wanted = experiments or ledger.experiments
    chosen = [claim for claim in ledger if {*claim.experiments}.issubset(wanted)]
    frame = check(ledger, Results(places), chosen).query("corpus != ''")
    frame = frame.assign(badge=[badge(row) for row in frame.to_dict("records")])
    table = frame.pivot_table("badge", "id", "corpus", aggfunc="first", sort=False).fillna("")
    table.insert(0, "the paper says", frame.groupby("id")["says"].first()[table.index])
    return table.rename_axis(index=None, columns=None)


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus.

    Raises
    ------
    ParameterError
        If there is no such paper or profile.
    """
    return all_verdicts(profiles.profile(profile).results, paper)


def badge(row: Mapping[Any, Any]) -> str:
    """Return sign, verdict, effect and interval of one row of verdicts in a line."""
    return " ".join(filter(None, (SIGNS[row["verdict"]], row["verdict"], effect(row))))


def survives(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Return which verdicts of "holds" or "contradicted" survive Holm's correction."""
    return frame["verdict"].isin(["holds", "contradicted"]) & (frame["p_holm"] < 0.05)


def effect(row: Mapping[Any, Any]) -> str:
    """Return the effect of one row of verdicts with its interval; "" if it has none.

    >>> effect({"effect": 0.0301, "ci_low": 0.0077, "ci_high": 0.0525})
    '+0.030 [0.008, 0.052]'
    """
    if pd.isna(row["effect"]):
        return ""
    large = any(abs(row[name]) >= 2 for name in ("effect", "ci_low", "ci_high"))
    return with_interval(row["effect"], row["ci_low"], row["ci_high"], 1 if large else 3, "+")


def with_interval(value: float, low: float, high: float, digits: int = 2, sign: str = "") -> str:
    """Write a number with its interval; a dash for none.

    >>> with_interval(0.551, 0.22, 0.87), with_interval(float("nan"), 0, 0)
    ('0.55 [0.22, 0.87]', '—')
    """
    if pd.isna(value):
        return "—"
    number = f"{value:{sign}.{digits}f}"
    return number if pd.isna(low) else f"{number} [{low:.{digits}f}, {high:.{digits}f}]"


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts on what the papers claim; checks of ours are left out.

    Parameters
    ----------
    frame : DataFrame
        As `check` returns it, for one or more papers.

    Returns
    -------
    DataFrame
        Indexed by paper and corpus, one column for each verdict.
    """
    claimed = frame[~frame["ours"]]
    named = claimed.assign(corpus=claimed["corpus"].replace("", NOT_RUN), n=1)
    table = named.pivot_table("n", ["paper", "corpus"], "verdict", aggfunc="sum", fill_value=0)
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0).astype(int)


def markdown_table(frame: pd.DataFrame) -> str:
    """Return a frame as a Markdown table, numbers to the right; bars in cells are escaped."""
    rules = ["---:" if pd.api.types.is_numeric_dtype(frame[name]) else "---" for name in frame]
    rows = [list(map(str, frame.columns)), *frame.astype(str).to_numpy().tolist()]
    escaped = [[str(cell).replace("|", r"\|") for cell in row] for row in rows]
    head, *lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([head, f"|{'|'.join(rules)}|", *lines])


def replication_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of replication as people read them, each with its interval."""
    table = frame[["paper", "experiment", "corpus", "metric", "methods"]].fillna(0)
    table = table.astype({"methods": int})
    for name, title in zip(MEASURES, ("τ", "effect ratio", "ΔRI"), strict=True):
        columns = frame[[name, f"{name}_low", f"{name}_high"]].to_numpy(float)
        table[title] = [with_interval(*numbers) for numbers in columns]
    return table
