"""Verdicts for people: the terminal, Markdown, notebooks, and what differs between two folders of
results.
"""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.errors import MissingDataError, unknown
from citectx.experiments.results import COLUMNS
from citectx.ledger.entries import MARKED, Kind, load
from citectx.ledger.forms import Verdict
from citectx.ledger.results import Results, numbers, read_csv
from citectx.ledger.verdicts import VERDICTS as KEPT
from citectx.ledger.verdicts import all_replication, all_verdicts, check
from citectx.storage import spreadsheet_safe

SIGNS: dict[str, str] = dict(zip(get_args(Verdict), "✓✗○?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""
VERDICTS = tuple(SIGNS)
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
    worded = [claim for claim in ledger if claim.worded]
    chosen = [c for c in worded if not experiments or {*c.experiments} <= {*experiments}]
    frame = check(ledger, Results(places), chosen).query("corpus != ''")
    frame = frame.assign(badge=[badge(row) for row in frame.to_dict("records")])
    table = frame.pivot_table("badge", "id", "corpus", aggfunc="first", sort=False).fillna("")
    table.insert(0, "the paper says", frame.groupby("id")["says"].first()[table.index])
    return table.rename_axis(index=None, columns=None)


def badge(row: Mapping[Any, Any]) -> str:
    """Return sign, verdict, effect and interval of one row of verdicts in a line."""
    parts = [SIGNS[row["verdict"]], row["verdict"]]
    if pd.notna(row["effect"]):
        digits = 1 if any(abs(row[name]) >= 2 for name in ("effect", "ci_low", "ci_high")) else 3
        parts.append(f"{row['effect']:+.{digits}f}")
        if pd.notna(row["ci_low"]):
            parts.append(f"[{row['ci_low']:.{digits}f}, {row['ci_high']:.{digits}f}]")
    return " ".join(parts)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts.

    Parameters
    ----------
    frame : DataFrame
        As `check` returns it, for one or more papers.

    Returns
    -------
    DataFrame
        Indexed by paper, corpus and kind of claim (in words, marks, numbers), one column for each
        verdict.
    """
    marks, numbers = frame["id"].str.endswith(MARKED), frame["kind"] == "value"
    kinds = np.select([marks, numbers], ["marks", "numbers"], "in words")
    table = frame.assign(
        corpus=frame["corpus"].replace("", NOT_RUN), n=1, claims=kinds
    ).pivot_table("n", ["paper", "corpus", "claims"], "verdict", aggfunc="sum", fill_value=0)
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0).astype(int)


def markdown_table(frame: pd.DataFrame) -> str:
    """Return a frame as a Markdown table, numbers to the right; bars in cells are escaped."""
    rules = ["---:" if pd.api.types.is_numeric_dtype(frame[name]) else "---" for name in frame]
    rows = [list(map(str, frame.columns)), rules, *frame.astype(str).to_numpy().tolist()]
    escaped = [[str(cell).replace("|", r"\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], lines[1].replace(" ", ""), *lines[2:]])


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus.

    Raises
    ------
    ParameterError
        If there is no such paper or profile.
    """
    return all_verdicts(profiles.profile(profile).results, paper)


def cmd_claims(
    profile: str | Path = "open",
    *,
    paper: str | None = None,
    corpus: str | None = None,
    kind: str | None = None,
    verdict: str | None = None,
    format: str = "text",
    against: Path | None = None,
) -> int:
    """Print the verdicts on the claims of one paper or of all, and how closely their tables
    replicate.

    Parameters
    ----------
    profile : str or Path
        A profile, or a folder with its tables.
    paper, corpus, kind, verdict : str, optional
        Show only these.
    format : {"text", "csv"}
        A CSV holds no formula: text that a spreadsheet would take for one begins with an
        apostrophe.
    against : Path, optional
        Another folder: print what differs from it instead.

    Returns
    -------
    int
        0; a verdict against a paper is a result, not a failure.

    Raises
    ------
    ParameterError
        On a name that does not exist, listing those that do.
    """
    folder = profile if isinstance(profile, Path) else profiles.profile(profile).results
    if against is not None:
        sys.stdout.write(compared(folder, against, paper))
        return 0
    for name, wanted, known in (
        ("kind", kind, get_args(Kind)),
        ("verdict", verdict, VERDICTS),
        ("format", format, ("text", "csv")),
    ):  # before anything is judged
        if wanted is not None and wanted not in known:
            raise unknown(name, wanted, known)
    frame = all_verdicts(folder, paper)
    if corpus is not None and corpus not in (there := {*frame["corpus"]} - {""}):
        raise unknown("corpus", corpus, there)
    for name, wanted in {"corpus": corpus, "kind": kind, "verdict": verdict}.items():
        frame = frame if wanted is None else frame[frame[name] == wanted]
    if format == "csv":
        sys.stdout.write(spreadsheet_safe(frame).to_csv(index=False, lineterminator="\n"))
        return 0
    everything = bool(kind or verdict)
    sys.stdout.write(text_report(frame, everything) if len(frame) else "No claim matches.\n")
    if not everything:
        table = replication_table(all_replication(folder, paper))
        sys.stdout.write(f"\nReplication\n===========\n{table.to_string(index=False)}\n")
    return 0


def text_report(frame: pd.DataFrame, everything: bool = False) -> str:
    """Write verdicts for a terminal, corpus by corpus, with a closing count.

    Parameters
    ----------
    frame : DataFrame
        As `check` returns it.
    everything : bool
        Also list published values one by one; else they are only counted.
    """
    parts = []
    for (paper, place), own in frame.groupby(["paper", frame["corpus"].replace("", NOT_RUN)]):
        title = f"{paper}, {place}"
        lines = [title, "=" * len(title)]
        counted = (own["kind"] == "value") & (not everything)
        for row in own[~counted].to_dict("records"):
            head = f"{SIGNS[row['verdict']]} {row['verdict']:<26}{row['id']:<34}  {_numbers(row)}"
            told = (
                f"{row['says']} ({row['where']})",
                "; ".join(filter(None, (row["reason"], row["others"]))),
            )
            texts = "\n".join(textwrap.fill(text, 82) for text in told)
            lines += [head.rstrip(), textwrap.indent(texts, " " * 28)]
        counts = own[counted]["verdict"].value_counts().items()
        parts.append(
            "\n".join(lines + [f"{n} published numbers: {verdict}" for verdict, n in counts])
        )
    table = summary(frame).reset_index()
    return "\n\n".join([*parts, f"Summary\n=======\n{table.to_string(index=False)}\n"])


def replication_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of replication as people read them, each with its interval."""
    table = (
        frame[["paper", "experiment", "corpus", "metric", "methods"]]
        .fillna(0)
        .astype({"methods": int})
    )
    for name, title in {"tau": "τ", "effect_ratio": "effect ratio", "delta_ri": "ΔRI"}.items():
        columns = frame[[name, f"{name}_low", f"{name}_high"]].to_numpy(float)
        table[title] = [with_interval(*numbers) for numbers in columns]
    return table


def with_interval(value: float, low: float, high: float, digits: int = 2) -> str:
    """Write a number with its interval; a dash for none.

    >>> with_interval(0.551, 0.22, 0.87), with_interval(float("nan"), 0, 0)
    ('0.55 [0.22, 0.87]', '—')
    """
    if pd.isna(value):
        return "—"
    return f"{value:.{digits}f}" + (
        f" [{low:.{digits}f}, {high:.{digits}f}]" if pd.notna(low) else ""
    )


def _numbers(row: Mapping[Any, Any]) -> str:
    """Our value or effect with its interval, the paper's beside it, the chance to see it, and p."""
    value = row["kind"] == "value"
    own = row["value"] if value else row["effect"]
    parts = [] if pd.isna(own) else [f"{own:.4g}" if value else f"{own:+.3g}"]
    if pd.notna(row["ci_low"]):
        parts.append(f"[{row['ci_low']:.3g}, {row['ci_high']:.3g}]")
    if pd.notna(row["published"]):
        parts.append(
            f"(paper {row['published']:.4g})" if value else f"(paper {row['published']:+.3g})"
        )
    if pd.notna(row["seen"]):
        parts.append(f"seen {row['seen']:.0%}")
    if pd.notna(row["p_value"]):
        parts.append(f"p = {row['p_value']:.3f}, Holm {row['p_holm']:.3f}")
    return " ".join(parts)


ROUNDING = 1e-4
"""Tables have four decimals: values that differ by more are listed."""
KEY = ["experiment", "corpus", "method", "metric", "row"]


def compared(ours: Path, theirs: Path, paper: str | None = None) -> str:
    """Write what differs between two folders of results: cells beyond rounding or in one only, and
    verdicts.

    Parameters
    ----------
    ours, theirs : Path
    paper : str, optional
        Only this paper's experiments and claims.

    Raises
    ------
    MissingDataError
        If one of the folders has no such table.
    """
    values = pd.concat(
        {"here": _values(ours, paper), "there": _values(theirs, paper)}, axis=1
    ).rename_axis(KEY)
    values["difference"] = values["here"] - values["there"]
    values = values[~(values["difference"].abs() <= ROUNDING + 1e-9)]
    old, new = (
        all_verdicts(folder, paper).set_index(["paper", "corpus", "id"])
        for folder in (theirs, ours)
    )
    verdicts = pd.concat({"verdict here": new["verdict"], "verdict there": old["verdict"]}, axis=1)
    verdicts = verdicts[verdicts["verdict here"].ne(verdicts["verdict there"])].fillna(
        "(no such claim)"
    )
    parts = []
    for title, frame in (("Values", values), ("Verdicts", verdicts)):
        head = f"{title}: {len(frame)} differ"
        parts += [
            head,
            "=" * len(head),
            *([frame.reset_index().to_string(index=False)] if len(frame) else []),
            "",
        ]
    return "\n".join(parts)


def _values(folder: Path, paper: str | None) -> "pd.Series[float]":
    """Read the values of all tables; one that has a row more than once (for each choice) has them
    in order.
    """
    files = (
        f
        for f in sorted(folder.glob(f"{paper or ''}*.csv"))
        if "." not in f.stem and f.name != KEPT
    )
    found = []
    for file in files:
        frame = read_csv(file, COLUMNS)
        again = frame.groupby(KEY[:-1]).cumcount()
        found.append(
            numbers(frame, "value", file, required=False).set_axis(
                [*map(frame.get, KEY[:-1]), again]
            )
        )
    if not found:
        raise MissingDataError(
            f"{folder} has no tables of {paper or 'results'}; name a folder that citectx run has written"
        )
    return pd.concat(found).dropna()
