"""From a ledger and results to verdicts, one row for each claim and corpus."""

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.ledger.entries import Claim, Ledger, load, papers
from citectx.ledger.results import KEY_COLUMNS, Results
from citectx.ledger.rule import AS_CONTROL, Outcome
from citectx.ledger.view import Cell, View
from citectx.storage import write_atomically
from citectx.types import Floats

ABOUT = "paper id kind ours where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder."""


def check(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, rows in the ledger's order, then by corpus;
        `citectx.ledger.rule.Outcome` explains the numbers. A claim whose table is not there
        has one row, with an empty corpus. ``p_holm`` adjusts the two-sided p-values of what
        the paper claims on each corpus, without checks of ours; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged. Scores of other citances than the rival's make a claim "not
        testable here", with a reason that names them.

    Examples
    --------
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    view = cache(partial(view_of, ledger, results))
    rows = []
    for claim in ledger:
        kind = claim.kind, claim.ours
        about = (ledger.paper, claim.claim_id, *kind, claim.where, claim.says)
        corpora = {name: results.corpora(name) for name in claim.tables}
        if absent := [name for name, own in corpora.items() if not own]:
            rows.append((*about, "", *untested(f"not run yet: {', '.join(absent)}")))
            continue
        for corpus in sorted(set().union(*corpora.values())):
            tables = (*claim.tables, claim.control_in) if claim.control_in else claim.tables
            own = view(tables, corpus, ledger.relative(claim))
            rows.append((*about, corpus, *judge(claim, corpus, ledger, own)))
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    frame["p_holm"] = family.groupby("corpus")["p_value"].transform(holm)
    return frame[COLUMNS]


def judge(claim: Claim, corpus: str, ledger: Ledger, view: View) -> Outcome:
    """Judge a claim on a corpus, if that has all that it takes."""
    lacking = [cell for cell in claim.check.cells() if not view.has(*cell)]
    if why := ledger.why_never(corpus, [row for row, _ in lacking], claim.claim_id):
        return untested(why)
    if lacking:
        rows = ", ".join(dict.fromkeys(row for row, _ in lacking))
        return untested(f"{' or '.join(claim.tables)} lacks {rows}")
    if claim.needs:
        row, column, least = claim.needs
        value = view.value(row, column) if view.has(row, column) else 0
        if value < least:
            return untested(f"{row} has {value:g} {column}, fewer than {least:g}")
    try:
        outcome = claim.check.judge(view)
        return beside_control(outcome, claim, view)
    except DataError as error:
        return untested(f"the results contradict each other: {error}")


def beside_control(outcome: Outcome, claim: Claim, view: View) -> Outcome:
    """Say so where a claim holds and its control holds as well, on a corpus that has its cells."""
    control = claim.control
    if outcome.verdict != "holds" or not control:
        return outcome
    lacking = [cell for cell in control.cells() if not view.has(*cell)]
    if lacking:
        return outcome
    other = control.judge(view)
    if other.verdict != "holds":
        return outcome
    reason = f"{outcome.reason}; its control: {other.reason}, {other.effect:+.3g}"
    return outcome._replace(verdict=AS_CONTROL, reason=reason)


def untested(why: str) -> Outcome:
    """Return the outcome of a claim that cannot be tested."""
    return Outcome("not testable here", why)


def view_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> View:
    """Return the view of a corpus; a cell is taken from the first table that has it."""
    frames = [results.read(name) for name in reversed(tables)]
    both = [[frame[frame["corpus"] == corpus] for frame in pair] for pair in frames]
    numbers: dict[Cell, tuple[float, float]] = {}
    for table, _ in both:
        cells = zip(table["method"], table["metric"], strict=True)
        numbers |= dict(zip(cells, zip(table["value"], table["n"], strict=True), strict=True))
    scored = pd.concat([kept.assign(table=i) for i, (_, kept) in enumerate(both)])
    return View(numbers, *aligned(scored), ledger.published(tables), relative)


def aligned(scored: pd.DataFrame) -> tuple[dict[Cell, Floats], np.ndarray]:
    """Lay scores out as an array for each cell, all over the same citances, and number topics."""
    places = scored.groupby(["topic", "citance"])
    unit = places.ngroup().to_numpy()
    topics, _ = pd.factorize(places.size().index.get_level_values("topic"))
    metrics = [str(name) for name in scored if name not in (*KEY_COLUMNS, "table")]
    matrix = scored[metrics].to_numpy(dtype=float)  # (scores, metrics)
    scores: dict[Cell, Floats] = {}
    groups: Any = scored.groupby(["table", "method"]).indices
    for (_, row), lines in sorted(groups.items()):
        part = matrix[lines]
        for i in np.flatnonzero(~np.isnan(part).all(axis=0)):
            values = np.full(len(topics), np.nan)
            values[unit[lines]] = part[:, i]
            scores[row, metrics[i]] = values
    return scores, topics


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    >>> all_verdicts(Path("no such folder"), "acl2008")["verdict"].unique().tolist()
    ['not testable here']
    """
    results = Results(folder)
    ledgers = [load(name) for name in ([paper] if paper else papers())]
    return pd.concat([check(ledger, results) for ledger in ledgers], ignore_index=True)


def keep(folder: Path) -> pd.DataFrame:
    """Judge all claims, and write the verdicts into the results folder."""
    verdicts = all_verdicts(folder)
    write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    return verdicts
