"""Verdicts as tables: for notebooks, Markdown pages and the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.entries import load
from citectx.ledger.results import Results
from citectx.ledger.rule import VERDICTS
from citectx.ledger.verdicts import all_verdicts, check

SIGNS: dict[str, str] = dict(zip(VERDICTS, "✓✗○↓?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""
NOT_RUN = "— (not run yet)"
"""Corpus of claims whose experiment has not been run; the dash sorts it after all corpora."""


def show(paper: str, places: Path | Sequence[Path], *tables: str) -> pd.DataFrame:
    """Return the verdicts on what a paper says in words, a row a claim, a column a corpus.

    Parameters
    ----------
    paper : str
    places : Path or sequence of Path
        With the tables of a profile, as `Profile.places` has them.
    tables : str
        Only claims that speak of no other tables (default: all).

    Returns
    -------
    DataFrame
        Of text: a verdict with effect and interval, such as ``✗ contradicted -3.9 [-6.9, -0.8]``;
        empty where a corpus has no such table.
    """
    ledger = load(paper)
    chosen = [claim for claim in ledger if {*claim.tables}.issubset(tables or ledger.tables)]
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
    return f"{sign}{value}" if pd.isna(row["ci_low"]) else f"{sign}{value} [{low}, {high}]"


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
