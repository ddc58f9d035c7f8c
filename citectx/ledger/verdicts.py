"""From a ledger and results to verdicts, one row for each claim and corpus."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation.significance import holm
from citectx.ledger.checks import Check
from citectx.ledger.entries import Claim, Ledger, load, papers
from citectx.ledger.results import Results
from citectx.ledger.rule import AS_CONTROL, Outcome
from citectx.ledger.view import Cell, View
from citectx.paths import PACKAGE
from citectx.storage import write_atomically
from citectx.types import Floats

ABOUT = "paper id ours where says corpus".split()
NUMBERS = list(Outcome._fields[2:])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm"]
FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder."""


def check(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, rows in the ledger's order, then by corpus;
        `citectx.ledger.rule.Outcome` explains the numbers. A claim whose tables are not there
        has one row, with an empty corpus. ``p_holm`` adjusts the two-sided p-values of what
        the paper claims on each corpus, without checks of ours; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged.

    Examples
    --------
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1 or sigir2017_ablation')
    """
    view = cache(partial(view_of, ledger, results))
    rows = []
    for claim in ledger:
        about = (ledger.paper, claim.claim_id, claim.ours, claim.where, claim.says)
        corpora = {corpus for name in claim.tables for corpus in results.corpora(name)}
        if not corpora:
            rows.append((*about, "", *untested(f"not run yet: {' or '.join(claim.tables)}")))
        for corpus in sorted(corpora):
            own = view(claim.tables, corpus, ledger.relative(claim))
            rows.append((*about, corpus, *judge(claim, corpus, ledger, own)))
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    frame["p_holm"] = family.groupby("corpus")["p_value"].transform(holm)
    return frame[COLUMNS]


def judge(claim: Claim, corpus: str, ledger: Ledger, view: View) -> Outcome:
    """Judge a claim on a corpus, if that has all that it takes."""
    lacking = rows_lacking(claim.check, view)
    if why := ledger.why_never(corpus, lacking, claim.claim_id):
        return untested(why)
    if lacking:
        return untested(f"{' or '.join(claim.tables)} lacks {', '.join(lacking)}")
    outcome = claim.check.judge(view)
    control = claim.control
    if outcome.verdict != "holds" or not control or rows_lacking(control, view):
        return outcome
    other = control.judge(view)
    if other.verdict != "holds":
        return outcome
    reason = f"{outcome.reason}; its control: {other.reason}, {other.effect:+.3g}"
    return outcome._replace(verdict=AS_CONTROL, reason=reason)


def rows_lacking(check: Check, view: View) -> list[str]:
    """List the rows that a check asks for and a corpus lacks in one of its columns."""
    return list(dict.fromkeys(row for row, column in check.cells() if not view.has(row, column)))


def untested(why: str) -> Outcome:
    """Return the outcome of a claim that cannot be tested."""
    return Outcome("not testable here", why)


def view_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> View:
    """Return the view of a corpus; a cell is taken from the first table that has it."""
    numbers, scores = dict[Cell, tuple[float, float]](), list[pd.DataFrame]()
    for name in reversed(tables):
        table, kept = (own[own["corpus"] == corpus] for own in results.read(name))
        cells = table[["method", "metric", "value", "n"]].itertuples(index=False)
        numbers |= {(row, column): (value, n) for row, column, value, n in cells}
        scores.append(kept.drop(columns="corpus"))
    return View(numbers, *aligned(scores[::-1]), ledger.published(tables), relative)


def aligned(tables: Sequence[pd.DataFrame]) -> tuple[dict[Cell, Floats], np.ndarray]:
    """Lay scores out as an array for each cell, all over the same citances, and number topics."""
    unit = ["topic", "citance"]
    wide = [table.pivot(index=unit, columns="method") for table in tables]  # noqa: PD010
    joined = pd.concat([cells.dropna(axis=1, how="all") for cells in wide], axis=1).sort_index()
    columns: Any = zip(joined, joined.to_numpy().T, strict=True)
    scores: dict[Cell, Floats] = {}
    for (metric, row), values in columns:
        scores.setdefault((row, metric), values)
    topics, _ = pd.factorize(joined.index.get_level_values("topic"))
    return scores, topics


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    >>> all_verdicts(Path("no such folder"), "acl2008")["verdict"].unique().tolist()
    ['not testable here']
    """
    results = Results(folder)
    ledgers = [load(name) for name in ([paper] if paper else papers())]
    return pd.concat([check(ledger, results) for ledger in ledgers], ignore_index=True)


def keep(verdicts: pd.DataFrame, folder: Path) -> None:
    """Write verdicts into the results folder, unless that came in a wheel; say if that fails."""
    if folder.is_relative_to(PACKAGE):
        return
    try:
        write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    except OSError as error:
        print(f"The verdicts were not written: {error}")
