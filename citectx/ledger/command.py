"""``citectx claims``: a page of verdicts, or all of them with reasons."""

import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.ledger.entries import Ledger, load, papers
from citectx.ledger.report import NOT_RUN, SIGNS, effect, summary
from citectx.ledger.verdicts import FILE, agrees, all_verdicts, keep

WIDTH = 96
"""Columns of text in a terminal."""


def cmd_claims(
    profile: str = "open",
    *,
    paper: str | None = None,
    everything: bool = False,
) -> int:
    """Judge the claims of the papers by a profile's results, keep the verdicts, and show a page.

    Parameters
    ----------
    profile : str
    paper : str, optional
        Show every claim of this paper, with effect, interval and reason.
    everything : bool
        Show every claim of all papers.

    Returns
    -------
    int
        0; a verdict against a paper is a result, not a failure.

    Raises
    ------
    ParameterError
        If there is no such profile or paper; the message lists those there are.
    """
    folder = profiles.profile(profile).results
    if paper or everything:
        text = details(all_verdicts(folder, paper))
    else:
        text = page(keep(folder), profile)
    sys.stdout.write(text)
    return 0


def page(frame: pd.DataFrame, profile: str) -> str:
    """Write the page: counts of verdicts by paper and corpus, headline claims, where the rest is.

    Parameters
    ----------
    frame : DataFrame
        As `citectx.ledger.all_verdicts` returns it.
    profile : str
    """
    folder, here = profiles.profile(profile).results, Path.cwd()
    near = folder.relative_to(here) if folder.is_relative_to(here) else folder
    signs = "  ".join(f"{sign}\u00a0{verdict}" for verdict, sign in SIGNS.items())
    signs = textwrap.fill(signs, WIDTH, break_on_hyphens=False)
    lines = [f"What the papers say, judged by {near}", *signs.splitlines(), ""]
    lines.append(_row("paper", "corpus", SIGNS.values()))
    counts = summary(frame).reset_index()
    lines += [_row(paper, corpus, numbers) for paper, corpus, *numbers in counts.to_numpy()]
    lines += ["", _headline("  headline claim", "our effect", "paper", "corpus")]
    for name in papers():
        lines += _headlines(load(name), frame[frame["paper"] == name])
    printed = agrees(profile)["verdict"].value_counts()
    if len(printed):
        counted = ", ".join(f"{n} {verdict}" for verdict, n in printed.items())
        lines += ["", f"Numbers that the papers print: {counted}"]
    option = "" if profile == "open" else f" --profile {profile}"
    lines += [
        "",
        f"All {len(frame)} verdicts: {near / FILE}",
        f"With reasons: citectx claims{option} --paper NAME (or --all)",
        "How to read them: docs/verdicts.md",
    ]
    return "\n".join(lines) + "\n"


def _row(paper: str, corpus: str, cells: Iterable[object]) -> str:
    return f"{paper:<11}{corpus:<46}" + "".join(f"{cell:>5}" for cell in cells)


def _headline(name: str, ours: str, theirs: str, corpus: str) -> str:
    return f"{name:<37}{ours:<25}{theirs:<9}{corpus}"


def _headlines(ledger: Ledger, frame: pd.DataFrame) -> list[str]:
    """Return a line for each headline claim, on the corpus closest to the paper's."""
    closest = frame["corpus"].map({ledger.corpus: 0, ledger.closest: 1}).fillna(2)
    ordered = frame.loc[closest.sort_values(kind="stable").index]
    first = ordered.drop_duplicates("id").set_index("id")
    lines = []
    for name in [claim.claim_id for claim in ledger if claim.headline]:
        row = first.loc[name].to_dict()
        corpus = row["corpus"] or NOT_RUN
        label = f"{SIGNS[row['verdict']]} {name}"
        lines.append(_headline(label, effect(row), _published(row), corpus))
    return lines


def details(frame: pd.DataFrame) -> str:
    """Write every verdict with numbers and reason, corpus by corpus.

    Parameters
    ----------
    frame : DataFrame
        As `citectx.ledger.all_verdicts` returns it.
    """
    parts = []
    for (paper, corpus), own in frame.groupby(["paper", frame["corpus"].replace("", NOT_RUN)]):
        ledger, title = load(str(paper)), f"{paper}, {corpus}"
        parts.append(f"{title}\n{'=' * len(title)}")
        parts += [_told(row, ledger[row["id"]].note) for row in own.to_dict("records")]
    return "\n\n".join(parts) + "\n"


def _told(row: Mapping[Any, Any], note: str) -> str:
    """Return one claim: verdict, name and numbers, what the paper says, and why we say so."""
    said = [effect(row)]
    if pd.notna(row["published"]):
        said.append(f"paper {_published(row)}")
    if pd.notna(row["seen"]):
        said.append(f"seen {row['seen']:.0%}")
    if pd.notna(row["p_value"]):
        said.append(f"p = {row['p_value']:.3f} (Holm {row['p_holm']:.3f})")
    why = "; ".join(filter(None, (row["reason"], row["others"])))
    texts = [", ".join(filter(None, said)), f"{row['says']} ({row['where']})", why, note]
    wrapped = [textwrap.fill(text, WIDTH - 4) for text in texts if text]
    head = f"{SIGNS[row['verdict']]} {row['verdict']:<27}{row['id']}"
    return "\n".join([head, *(textwrap.indent(text, " " * 4) for text in wrapped)])


def _published(row: Mapping[Any, Any]) -> str:
    """Return the paper's effect, where it prints one."""
    return "" if pd.isna(row["published"]) else f"{row['published']:+.3g}"
