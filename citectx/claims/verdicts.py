"""From a ledger and results to verdicts: one row for each claim and corpus."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from math import isnan, nan
from pathlib import Path

import pandas as pd

from citectx.claims.ledger import Claim, Ledger, load, papers
from citectx.claims.outcomes import Outcome
from citectx.claims.results import Results
from citectx.claims.view import View
from citectx.code import code_digest
from citectx.corpora.sources import data_dir
from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.storage import digest, sha256, write_atomically

ABOUT = "paper id kind where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
VERDICTS = "verdicts.csv"
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
        Columns `COLUMNS`, rows in the ledger's order, then by corpus; `citectx.claims.outcomes.Outcome`
        explains the numbers. A claim whose experiment has not been run has one row, with an empty corpus.
        ``p_holm`` adjusts the one-sided p-values on each corpus, separately for claims in
        words and marks; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged. Tables and scores that contradict each other make a claim "not testable
        here", with a reason that names file and row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.claims import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    rows = [
        (ledger.paper, claim.claim_id, claim.kind, claim.where, claim.says, corpus, *outcome, claim.worded)
        for claim, corpus, outcome in _judged(ledger, ledger if claims is None else claims, results)
    ]
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields, "worded"])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    frame["p_holm"] = nan
    for _, family in frame[frame["p_value"].notna()].groupby(["corpus", "worded"]):
        frame.loc[family.index, "p_holm"] = holm(family["p_value"])
    return frame[COLUMNS]


def _judged(ledger: Ledger, claims: Iterable[Claim], results: Results) -> Iterator[tuple[Claim, str, Outcome]]:
    views: dict[tuple[tuple[str, ...], str, bool], View] = {}
    for claim in claims:
        paper = Outcome("not testable here", "", nan if claim.published is None else claim.published)
        if absent := [name for name in claim.experiments if not results.ran(name)]:
            yield claim, "", paper._replace(reason=f"not run yet: {', '.join(absent)}")
            continue
        for corpus in sorted({corpus for name in claim.experiments for corpus in results.corpora(name)}):
            key = (claim.experiments, corpus, claim.relative)
            if key not in views:
                views[key] = view_of(ledger, results, *key)
            why = _untestable(claim, ledger, views[key])
            try:
                found = paper._replace(reason=why) if why else claim.check.judge(views[key])
            except DataError as error:
                found = paper._replace(reason=f"the results contradict each other: {error}")
            if isnan(found.published):
                found = found._replace(published=paper.published)
            yield claim, corpus, found


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    They are kept on disk under a hash of code, claims and results. A folder without scores of citances, as a
    wheel has it, brings its verdicts in `VERDICTS`.
    """
    if paper:
        load(paper)  # an unknown one is an error, whatever is on disk
    files = sorted(Path(folder).glob("*.csv*"))
    if (folder / VERDICTS).exists() and not any(f.name.endswith(".citances.csv.gz") for f in files):
        frame = _read(folder / VERDICTS)
    else:
        seen = [(f.name, sha256(f)) for f in files if f.name != VERDICTS]
        kept = data_dir() / "verdicts" / f"{digest(code_digest('citectx.claims'), seen)}.csv"
        frame = _read(kept) if kept.exists() else _all_judged(folder, kept)
    return frame[frame["paper"] == paper].reset_index(drop=True) if paper else frame


def _all_judged(folder: Path, kept: Path) -> pd.DataFrame:
    results = Results(folder)
    frame = pd.concat([check(load(name), results) for name in papers()], ignore_index=True)
    with suppress(OSError):  # a cache that cannot be written is no reason to stop
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, frame.to_csv(index=False))
    return frame


def _read(file: Path) -> pd.DataFrame:
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    return frame.assign(**{name: pd.to_numeric(frame[name]) for name in [*NUMBERS, "p_holm"]})


def view_of(
    ledger: Ledger, results: Results, experiments: tuple[str, ...], corpus: str, relative: bool = False
) -> View:
    """Return the view of a corpus through experiments of a ledger."""
    units = {c: top for name in experiments for c, top in ledger.experiments[name].unit.items()}
    published, halves = ledger.published(experiments), ledger.half_units(experiments)
    return View(results, experiments, corpus, ledger.corpus, published, halves, units, relative)


def _untestable(claim: Claim, ledger: Ledger, view: View) -> str:
    """Say why a corpus cannot test a claim; "" if it can."""
    lacking: dict[str, list[str]] = {}
    for row, column in claim.check.cells():
        if not view.has(row, column):
            lacking.setdefault(row, []).append(column)
    if why := ledger.why_never(view.corpus, lacking, claim.claim_id):
        return why
    if lacking:
        return f"{' or '.join(claim.experiments)} lacks {_named(claim, lacking)}"
    if claim.needs is not None:
        row, column, least = claim.needs
        found = view.value(row, column) if view.has(row, column) else 0
        if found < least:
            return f"{row} has {found:g} {column}, fewer than {least:g}"
    return _protocols({view.number(*cell).params for cell in claim.check.cells()})


def _named(claim: Claim, lacking: dict[str, list[str]]) -> str:
    """Name the rows, or single cells of rows, that the tables lack for a claim."""
    needed = {row: [c for r, c in claim.check.cells() if r == row] for row in lacking}
    parts = [
        row if len(columns) == len(needed[row]) else f"{row} ({', '.join(columns)})" for row, columns in lacking.items()
    ]
    return ", ".join(parts)


def _protocols(params: set[str]) -> str:
    """Say in which parameter of the protocol some cells differ; "" if in none."""
    for name in PROTOCOL:
        found = {value for text in params if (value := _params(text).get(name)) is not None}
        if len(found) > 1:
            return f"the rows differ in {name}: {', '.join(sorted(map(str, found)))}"
    return ""


@lru_cache(maxsize=4096)
def _params(text: str) -> dict[str, object]:
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
