"""From a ledger and results to verdicts, one row for each claim and corpus."""

import json
from collections.abc import Iterable, Iterator, Mapping
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.experiments.tables import first, numbers, read_csv, unique
from citectx.ledger.entries import Claim, Ledger, Needs, load, papers
from citectx.ledger.results import SCORES, Results
from citectx.ledger.rule import VERDICTS, Outcome
from citectx.ledger.view import View
from citectx.storage import write_atomically

ABOUT = "paper id kind ours where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder, for readers who do not have the scores of its citances."""
PROTOCOL = "k depth max_sentences ndcg_k overlap numbers split_hyphens".split()
"""Parameters that all rows of one comparison must share."""


def check(ledger: Ledger, results: Results, claims: Iterable[Claim] | None = None) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its experiments were run on.

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
        `citectx.ledger.rule.Outcome` explains the numbers. A claim whose experiment has not been
        run has one row, with an empty corpus. ``p_holm`` adjusts the two-sided p-values of what
        the paper claims on each corpus, without checks of ours; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged, or a table contradicts its scores, in whichever of its rows.
        Scores in another unit than the ledger's, or of other citances than the rival's, make a
        claim "not testable here", with a reason that names file and row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    rows = [
        (*_about(ledger, claim), corpus, *found)
        for claim, corpus, found in _judged(ledger, ledger if claims is None else claims, results)
    ]
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    frame["p_holm"] = nan
    for _, family in frame[frame["p_value"].notna() & ~frame["ours"]].groupby("corpus"):
        frame.loc[family.index, "p_holm"] = holm(family["p_value"])
    return frame[COLUMNS]


def _about(ledger: Ledger, claim: Claim) -> tuple[Any, ...]:
    return ledger.paper, claim.claim_id, claim.kind, claim.ours, claim.where, claim.says


def _judged(
    ledger: Ledger, claims: Iterable[Claim], results: Results
) -> Iterator[tuple[Claim, str, Outcome]]:
    views: dict[tuple[tuple[str, ...], str, bool], View] = {}
    for claim in claims:
        if absent := [name for name in claim.experiments if not results.ran(name)]:
            yield claim, "", _untested(f"not run yet: {', '.join(absent)}")
            continue
        corpora = {corpus for name in claim.experiments for corpus in results.corpora(name)}
        for corpus in sorted(corpora):
            key = (claim.experiments, corpus, claim.relative)
            if key not in views:
                views[key] = view_of(ledger, results, *key)
            yield claim, corpus, _judge(claim, ledger, views[key])


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
    ledger: Ledger,
    results: Results,
    experiments: tuple[str, ...],
    corpus: str,
    relative: bool = False,
) -> View:
    """Return the view of a corpus through experiments of a ledger."""
    used = [ledger.experiments[name] for name in experiments]
    units: dict[str, float] = {}
    for each in used:
        units.update(dict.fromkeys(each.percent, 100.0))
        units.update(dict.fromkeys(each.fraction, 1.0))
    return View(results, experiments, corpus, ledger.published(experiments), units, relative)


def _missing(claim: Claim, ledger: Ledger, view: View) -> str:
    """Return what a corpus lacks to test a claim; "" if it lacks nothing."""
    cells = claim.check.cells()
    lacking = [cell for cell in cells if not view.has(*cell)]
    if why := ledger.why_never(view.corpus, [row for row, _ in lacking], claim.claim_id):
        return why
    if lacking:
        return f"{' or '.join(claim.experiments)} lacks {_named(lacking, cells)}"
    if claim.needs and (why := _unmet(claim.needs, view)):
        return why
    return _protocols({view.number(*cell).params for cell in cells})


def _named(lacking: list[tuple[str, str]], cells: list[tuple[str, str]]) -> str:
    """Name the rows that tables lack, with their columns unless they lack them all."""
    parts = []
    for row in dict.fromkeys(row for row, _ in lacking):
        columns = [column for each, column in lacking if each == row]
        needed = [column for each, column in cells if each == row]
        parts.append(row if columns == needed else f"{row} ({', '.join(columns)})")
    return ", ".join(parts)


def _unmet(needs: Needs, view: View) -> str:
    row, column = needs.row, needs.column
    found = view.value(row, column) if view.has(row, column) else 0
    if found >= needs.at_least:
        return ""
    return f"{row} has {found:g} {column}, fewer than {needs.at_least:g}"


def _protocols(params: set[str]) -> str:
    """Describe the first parameter of the protocol that differs between cells; "" if none does."""
    read = [json.loads(text) for text in params if text]
    protocols: list[Mapping[str, Any]] = [each for each in read if isinstance(each, dict)]
    for name in PROTOCOL:
        found = [each[name] for each in protocols if each.get(name) is not None]
        if any(value != found[0] for value in found):
            return f"the rows differ in {name}: {', '.join(sorted({*map(str, found)}))}"
    return ""


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
    results.verify(*(name for each in ledgers for name in each.experiments))
    return pd.concat([check(each, results) for each in ledgers], ignore_index=True)


def _read(file: Path) -> pd.DataFrame:
    """Read the verdicts that come with a folder."""
    frame = read_csv(file, COLUMNS)
    unique(frame, ["paper", "id", "corpus"], file)
    known = [f"{name}/{claim}" for name in papers() for claim in load(name).claims]
    claims = frame["paper"] + "/" + frame["id"]
    if (i := first(~frame["verdict"].isin(VERDICTS) | ~claims.isin(known))) is not None:
        told = f"{frame['verdict'][i]!r} on {claims[i]!r}"
        raise DataError(f"{told}; expected a verdict on a claim of ours", file=file, line=i + 2)
    if (i := first(~frame["ours"].isin(["True", "False"]))) is not None:
        raise DataError(
            f"ours is {frame['ours'][i]!r}; expected True or False", file=file, line=i + 2
        )
    frame["ours"] = frame["ours"] == "True"
    for name in [*NUMBERS, "p_holm"]:
        frame[name] = numbers(frame, name, file, required=False)
    return frame


def _given(folder: Path) -> bool:
    """Return whether a folder has verdicts, but no scores to judge by."""
    scores = [*folder.glob(f"*{SCORES}"), *folder.glob(f"[!.]*/*{SCORES}")]
    return (folder / FILE).is_file() and not scores


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
        A row for each number that a paper prints and whose corpus the profile has: paper,
        experiment, row, column, published, ours, ci_low, ci_high, and ``verdict`` as
        `citectx.ledger.published.Printed.agrees` has it. Empty for profiles of open data.
    """
    results = Results(profiles.profile(profile).results)
    rows = []
    for ledger in map(load, papers()):
        names = [name for name in ledger.experiments if ledger.corpus in results.corpora(name)]
        for name in names:
            table = results.table(name)
            for each in ledger.numbers(name):
                ours = table.get((ledger.corpus, each.row, each.column))
                if ours is not None and each.number:
                    place = (ledger.paper, name, each.row, each.column)
                    rows.append((*place, each.value, *ours[:3], each.agrees(ours)))
    columns = "paper experiment row column published ours ci_low ci_high verdict".split()
    return pd.DataFrame(rows, columns=columns)
