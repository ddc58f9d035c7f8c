"""Verdicts for people: the terminal, Markdown tables, and the README's summary."""

import sys
import textwrap
from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from citectx.claims.ledger import MARKED, Kind, load, papers
from citectx.claims.outcomes import Verdict
from citectx.claims.results import Results
from citectx.claims.verdicts import check
from citectx.errors import unknown

VERDICTS: tuple[str, ...] = get_args(Verdict)
NOT_RUN = "— (not run yet)"
"""Stands for the corpus of claims whose experiment is missing; the dash sorts it after all corpora."""


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts.

    Parameters
    ----------
    frame : DataFrame
        As `check` gives it, for one or more papers.

    Returns
    -------
    DataFrame
        Indexed by paper, corpus and kind, one column for each verdict. Claims whose experiment has not been
        run stand under `NOT_RUN`.
    """
    table = frame.assign(corpus=frame["corpus"].replace("", NOT_RUN), n=1).pivot_table(
        "n", ["paper", "corpus", "kind"], "verdict", aggfunc="sum", fill_value=0
    )
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0).astype(int)


def markdown_summary(frame: pd.DataFrame) -> str:
    """Return the counts of `summary` as a Markdown table: claims in words, marks of significance, numbers.

    Examples
    --------
    >>> frame = pd.DataFrame({"paper": "p", "corpus": "c", "id": ["a-beats-b", "t1-a-c-f"],
    ...                       "kind": ["order", "value"], "verdict": ["partly", "reproduced"]})
    >>> print(markdown_summary(frame))
    | paper | corpus | claims | reproduced | partly | not reproduced | not testable here | pending |
    |---|---|---|---:|---:|---:|---:|---:|
    | p | c | in words | 0 | 1 | 0 | 0 | 0 |
    | p | c | numbers | 1 | 0 | 0 | 0 | 0 |
    """
    marks, numbers = frame["id"].str.endswith(MARKED), frame["kind"] == "value"
    table = summary(frame.assign(kind=np.select([marks, numbers], ["marks", "numbers"], "in words")))
    lines = [
        f"| paper | corpus | claims | {' | '.join(VERDICTS)} |",
        f"|{'---|' * 3}{'---:|' * len(VERDICTS)}",
    ]
    for names, counts in zip(table.index, table.to_numpy(), strict=True):
        lines.append(f"| {' | '.join([*names, *map(str, counts)])} |")
    return "\n".join(lines)


def cmd_claims(
    profile_results: Path,
    *,
    paper: str | None = None,
    corpus: str | None = None,
    kind: str | None = None,
    verdict: str | None = None,
    format: str = "text",
) -> int:
    """Print the verdicts on the claims of one paper or of all.

    Parameters
    ----------
    profile_results : Path
        The folder with a profile's tables.
    paper, corpus, kind, verdict : str, optional
        Show only these.
    format : {"text", "markdown", "csv"}

    Returns
    -------
    int
        0; a verdict against a paper is a result, not a failure.

    Raises
    ------
    ParameterError
        On a name that does not exist, listing those that do.
    """
    _check_name("format", format, PRINTERS)
    _check_name("kind", kind, get_args(Kind))
    _check_name("verdict", verdict, VERDICTS)
    ledgers = [load(name) for name in ([paper] if paper else papers())]
    results = Results(profile_results)
    frame = pd.concat([check(ledger, results) for ledger in ledgers], ignore_index=True)
    _check_name("corpus", corpus, set(frame["corpus"]) - {""})
    for column, wanted in {"corpus": corpus, "kind": kind, "verdict": verdict}.items():
        if wanted is not None:
            frame = frame[frame[column] == wanted]
    sys.stdout.write(PRINTERS[format](frame, everything=bool(kind or verdict)))
    return 0


def _check_name(what: str, name: str | None, known: Collection[str]) -> None:
    if name is not None and name not in known:
        raise unknown(what, name, known)


def text_report(frame: pd.DataFrame, *, everything: bool = False) -> str:
    """Write verdicts for a terminal, corpus by corpus, with a closing count.

    Parameters
    ----------
    frame : DataFrame
        As `check` gives it.
    everything : bool
        Also list published values and pending claims one by one; else they are only counted.
    """
    if frame.empty:
        return "No claim matches.\n"
    parts = []
    named = frame.assign(place=frame["corpus"].replace("", NOT_RUN))
    for (paper, place), rows in named.groupby(["paper", "place"]):
        title = f"{paper}, {place}"
        shown = rows if everything else rows[(rows["kind"] != "value") & (rows["verdict"] != "pending")]
        lines = [title, "=" * len(title), *(_entry(row) for _, row in shown.iterrows())]
        if not everything:
            lines += _counted(rows)
        parts.append("\n".join(lines))
    table = summary(frame).reset_index()
    parts.append(f"Summary\n=======\n{table.to_string(index=False)}")
    if (frame["kind"] == "significance").any():
        parts.append(_after_holm(frame))
    return "\n\n".join(parts) + "\n"


def markdown_report(frame: pd.DataFrame, *, everything: bool = False) -> str:
    """Write the counts, then a table of claims, in Markdown; `everything` as in `text_report`."""
    if frame.empty:
        return "No claim matches.\n"
    shown = frame if everything else frame[(frame["kind"] != "value") & (frame["verdict"] != "pending")]
    lines = [
        markdown_summary(frame),
        "",
        "| claim | corpus | verdict | numbers | why |",
        "|---|---|---|---|---|",
    ]
    for _, row in shown.iterrows():
        cells = (f"{row['says']} ({row['where']})", row["corpus"] or NOT_RUN, row["verdict"], _numbers(row))
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in (*cells, row["reason"])) + " |")
    return "\n".join(lines) + "\n"


def _csv(frame: pd.DataFrame, *, everything: bool = True) -> str:  # noqa: ARG001 (it always has everything)
    return frame.to_csv(index=False, lineterminator="\n")


PRINTERS = {"text": text_report, "markdown": markdown_report, "csv": _csv}


def _entry(row: "pd.Series[Any]") -> str:
    head = f"{row['verdict']:<18}{row['id']:<34}  {_numbers(row)}".rstrip()
    indent = " " * 18
    body = [
        textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent)
        for text in (f"{row['says']} ({row['where']})", row["reason"])
    ]
    return "\n".join([head, *body])


def _numbers(row: "pd.Series[Any]") -> str:
    """Our value or effect with its interval, the paper's beside it, and p."""
    value = row["kind"] == "value"
    own = row["value"] if value else row["effect"]
    parts = [] if pd.isna(own) else [f"{own:.4g}" if value else f"{own:+.2f}"]
    if pd.notna(row["ci_low"]):
        parts.append(f"[{row['ci_low']:.2f}, {row['ci_high']:.2f}]")
    if pd.notna(row["published"]):
        parts.append(f"(paper {row['published']:.4g})" if value else f"(paper {row['published']:+.2f})")
    if pd.notna(row["p_value"]):
        parts.append(f"p = {row['p_value']:.3f}" if row["p_value"] >= 0.001 else "p < 0.001")
    return " ".join(parts)


def _counted(rows: pd.DataFrame) -> list[str]:
    """Count what is not listed: published values by verdict, pending claims by what they wait for."""
    values = rows[(rows["kind"] == "value") & (rows["verdict"] != "pending")]
    lines = [f"{n} published values: {verdict}" for verdict, n in values["verdict"].value_counts().items()]
    waiting = rows[rows["verdict"] == "pending"]
    reasons = waiting["reason"].where(
        waiting["corpus"] == "", "the tables lack rows; list them with --verdict pending"
    )
    return lines + [f"{n} pending: {reason}" for reason, n in reasons.value_counts().items()]


def _after_holm(frame: pd.DataFrame) -> str:
    held = frame[(frame["kind"] == "significance") & (frame["verdict"] == "reproduced")]
    kept = int((held["p_holm"] < 0.05).sum())
    return (
        f"Significance: {len(held)} reproduced by the plain p-value, as the papers take it; "
        f"{kept} of these also after Holm's correction."
    )
