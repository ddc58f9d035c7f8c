"""From a ledger and results to verdicts, one row for each claim and corpus."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.experiments.tables import numbers, read_csv
from citectx.ledger.entries import Claim, Ledger, Needs, load, papers
from citectx.ledger.results import SCORES, Results
from citectx.ledger.rule import Outcome
from citectx.ledger.view import View
from citectx.storage import write_atomically

ABOUT = "paper id kind ours where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder, for readers who do not have the scores of its citances."""


def check(ledger: Ledger, results: Results, claims: Iterable[Claim] | None = None) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Parameters
    ----------
    ledger : Ledger
    results : Results
    claims : iterable of Claim, optional
        Only these (default: all).

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
    >>> from pathlib import Path
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    chosen = ledger if claims is None else claims
    views: dict[tuple[Any, ...], View] = {}
    rows = [row for claim in chosen for row in _rows(claim, ledger, results, views)]
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    frame["p_holm"] = family.groupby("corpus")["p_value"].transform(holm)
    return frame[COLUMNS]


def _rows(
    claim: Claim, ledger: Ledger, results: Results, views: dict[tuple[Any, ...], View]
) -> Iterator[tuple[Any, ...]]:
    about = (ledger.paper, claim.claim_id, claim.kind, claim.ours, claim.where, claim.says)
    corpora = {name: results.corpora(name) for name in claim.tables}
    if absent := [name for name, found in corpora.items() if not found]:
        yield *about, "", *_untested(f"not run yet: {', '.join(absent)}")
        return
    for corpus in sorted({*chain.from_iterable(corpora.values())}):
        key = (claim.tables, corpus, ledger.relative(claim))
        view = views.setdefault(key, view_of(ledger, results, *key))
        yield *about, corpus, *_judge(claim, ledger, view)


def _judge(claim: Claim, ledger: Ledger, view: View) -> Outcome:
    if why := _missing(claim, ledger, view):
        return _untested(why)
    try:
        return claim.check.judge(view)
    except DataError as error:
        return _untested(f"the results contradict each other: {error}")


def _untested(why: str) -> Outcome:
    return Outcome("not testable here", why)


def view_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> View:
    """Return the view of a corpus through tables of a ledger."""
    return View(results, tables, corpus, ledger.published(tables), relative)


def _missing(claim: Claim, ledger: Ledger, view: View) -> str:
    """Return what a corpus lacks to test a claim; "" if it lacks nothing."""
    cells = claim.check.cells()
    lacking = [cell for cell in cells if not view.has(*cell)]
    if why := ledger.why_never(view.corpus, [row for row, _ in lacking], claim.claim_id):
        return why
    if lacking:
        return f"{' or '.join(claim.tables)} lacks {_named(lacking, cells)}"
    return _unmet(claim.needs, view) if claim.needs else ""


def _named(lacking: list[tuple[str, str]], cells: list[tuple[str, str]]) -> str:
    """Name the rows that tables lack, with their columns unless they lack them all."""
    parts = []
    for row in dict.fromkeys(row for row, _ in lacking):
        columns = [column for each, column in lacking if each == row]
        needed = [column for each, column in cells if each == row]
        parts.append(row if columns == needed else f"{row} ({', '.join(columns)})")
    return ", ".join(parts)


def _unmet(needs: Needs, view: View) -> str:
    row, column, least = needs
    found = view.value(row, column) if view.has(row, column) else 0
    return "" if found >= least else f"{row} has {found:g} {column}, fewer than {least:g}"


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    A folder without scores of citances, as a wheel has it, brings its verdicts in `FILE`.

    Raises
    ------
    DataError
        If a table is damaged or contradicts its scores, whether or not a claim needs it.
    """
    names = papers() if paper is None else [paper]
    ledgers = [load(name) for name in names]  # an unknown one is an error, whatever is on disk
    if _given(folder):
        frame = _read(folder / FILE)
        return frame[frame["paper"].isin(names)].reset_index(drop=True)
    results = Results(folder)
    for each in ledgers:
        for name in each.tables:
            results.table(name)
    return pd.concat([check(each, results) for each in ledgers], ignore_index=True)


def _read(file: Path) -> pd.DataFrame:
    """Read the verdicts that come with a folder."""
    frame = read_csv(file, COLUMNS)
    frame["ours"] = frame["ours"] == "True"
    for name in [*NUMBERS, "p_holm"]:
        frame[name] = numbers(frame, name, file, required=False)
    return frame


def _given(folder: Path) -> bool:
    """Return whether a folder has verdicts, but no scores to judge by."""
    return (folder / FILE).is_file() and not any(folder.rglob(f"*{SCORES}"))


def keep(folder: Path) -> pd.DataFrame:
    """Judge all claims, and write the verdicts into the results folder.

    Verdicts that came with the folder, without scores to judge by, stay.
    """
    verdicts = all_verdicts(folder)
    if not _given(folder):
        write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    return verdicts


def agrees(profile: str) -> pd.DataFrame:
    """Say which published numbers agree with ours, on the papers' own corpora.

    Returns
    -------
    DataFrame
        A row for each number that a paper prints and whose corpus the profile has: paper, table,
        row, column, published, ours, ci_low, ci_high, and ``verdict`` as
        `citectx.ledger.published.Printed.agrees` has it. Empty for profiles of open data.
    """
    results = Results(profiles.profile(profile).results)
    rows = []
    for ledger in map(load, papers()):
        for name in ledger.tables:
            cells = results.table(name)
            for each in ledger.numbers(name):
                ours = cells.get((ledger.corpus, each.row, each.column))
                if ours is not None and each.number:
                    place = (ledger.paper, name, each.row, each.column)
                    rows.append((*place, each.value, *ours[:3], each.agrees(ours)))
    columns = "paper table row column published ours ci_low ci_high verdict".split()
    return pd.DataFrame(rows, columns=columns)
