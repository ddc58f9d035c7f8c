"""From a ledger and results to verdicts, one row for each claim and corpus."""

from functools import cache, partial
from itertools import chain
from pathlib import Path

import pandas as pd

from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.ledger.entries import Claim, Ledger, load, papers
from citectx.ledger.results import Results
from citectx.ledger.rule import Outcome
from citectx.ledger.view import Cell, Scores, View
from citectx.storage import write_atomically

ABOUT = "paper id kind ours where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder."""


def check(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Parameters
    ----------
    ledger : Ledger
    results : Results

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
        If a results file is damaged, or a table contradicts its scores, in whichever of its rows.
        Scores of other citances than the rival's make a claim "not testable here", with a reason
        that names them.

    Examples
    --------
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    view, rows = cache(partial(view_of, ledger, results)), []
    for claim in ledger:
        about = (ledger.paper, claim.claim_id, claim.kind, claim.ours, claim.where, claim.says)
        corpora = {name: results.corpora(name) for name in claim.tables}
        if absent := [name for name, found in corpora.items() if not found]:
            rows.append((*about, "", *_untested(f"not run yet: {', '.join(absent)}")))
            continue
        for corpus in sorted(set().union(*corpora.values())):
            own = view(claim.tables, corpus, ledger.relative(claim))
            rows.append((*about, corpus, *judge(claim, corpus, ledger, own)))
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    frame["p_holm"] = family.groupby("corpus")["p_value"].transform(holm)
    return frame[COLUMNS]


def judge(claim: Claim, corpus: str, ledger: Ledger, view: View) -> Outcome:
    """Judge a claim on a corpus, if that has all that it takes."""
    cells = claim.check.cells()
    lacking = [cell for cell in cells if not view.has(*cell)]
    if why := ledger.why_never(corpus, [row for row, _ in lacking], claim.claim_id):
        return _untested(why)
    if lacking:
        return _untested(f"{' or '.join(claim.tables)} lacks {_named(lacking, cells)}")
    if claim.needs and (why := claim.needs.unmet(view)):
        return _untested(why)
    try:
        return claim.check.judge(view)
    except DataError as error:
        return _untested(f"the results contradict each other: {error}")


def _untested(why: str) -> Outcome:
    return Outcome("not testable here", why)


def _named(lacking: list[Cell], cells: list[Cell]) -> str:
    """Name the rows that tables lack, with their columns unless they lack them all."""
    parts = dict[str, str]()
    for row, _ in lacking:
        columns = [column for each, column in lacking if each == row]
        whole = len(columns) == sum(each == row for each, _ in cells)
        parts[row] = row if whole else f"{row} ({', '.join(columns)})"
    return ", ".join(parts.values())


def view_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> View:
    """Return the view of a corpus; a cell is taken from the first table that has it."""
    numbers: dict[Cell, tuple[float, float]] = {}
    scores: dict[Cell, Scores] = {}
    for name in reversed(tables):
        table, kept = (frame[frame["corpus"] == corpus] for frame in results.read(name))
        cells = table.set_index(["method", "metric"])[["value", "n"]].astype(float)
        numbers |= dict(zip(cells.index, cells.to_numpy().tolist(), strict=True))
        for row, own in kept.set_index(["topic", "citance"]).groupby("method"):
            scores |= {
                (str(row), column): own[column] for column in own.columns.drop(["corpus", "method"])
            }
    return View(numbers, scores, ledger.published(tables), relative)


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    Raises
    ------
    ParameterError
        If there is no such paper; the message lists those there are.
    DataError
        If a table is damaged or contradicts its scores, whether or not a claim needs it.
    """
    results = Results(folder)
    ledgers = [load(name) for name in ([paper] if paper else papers())]
    for name in chain.from_iterable(ledger.tables for ledger in ledgers):
        results.read(name)
    return pd.concat([check(ledger, results) for ledger in ledgers], ignore_index=True)


def keep(folder: Path) -> pd.DataFrame:
    """Judge all claims, and write the verdicts into the results folder."""
    verdicts = all_verdicts(folder)
    write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    return verdicts
