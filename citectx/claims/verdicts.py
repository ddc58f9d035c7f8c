"""From a ledger and results to verdicts: one row for each claim and corpus."""

from collections.abc import Iterator
from dataclasses import asdict

import pandas as pd

from citectx.claims.ledger import Claim, Ledger
from citectx.claims.outcomes import Outcome
from citectx.claims.results import Results
from citectx.claims.view import View
from citectx.evaluation.significance import holm

NUMBERS = "published value effect ci_low ci_high p_value".split()
COLUMNS = ["paper", "id", "kind", "where", "says", "corpus", "verdict", "reason", *NUMBERS, "p_holm"]


def check(ledger: Ledger, results: Results, *, seed: int = 0) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its experiments were run on.

    Parameters
    ----------
    ledger : Ledger
    results : Results
    seed : int
        Of the bootstrap; same seed, same intervals.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, rows in the ledger's order, then by corpus; `citectx.claims.outcomes.Outcome` says
        what the numbers are. A claim whose experiment has not been run has one row, with an empty corpus.
        ``p_holm`` adjusts the p-values of the significance claims for their number, on each corpus; the
        verdicts go by the plain p-value, as the papers do.

    Raises
    ------
    DataError
        If a results file is damaged, or if two rows were not scored on the same citances.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.claims import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'pending'}, 'not run yet: sigir2017_table1')
    """
    views: dict[tuple[tuple[str, ...], str], View] = {}
    rows = [
        {"paper": ledger.paper, "id": claim.claim_id, "kind": claim.kind, "where": claim.where}
        | {"says": claim.says, "corpus": corpus, "published": claim.published, **_filled(outcome)}
        for claim in ledger
        for corpus, outcome in _judge(claim, ledger, results, views, seed)
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame[[*NUMBERS, "p_holm"]] = frame[[*NUMBERS, "p_holm"]].astype(float)
    for _, family in frame[frame["kind"] == "significance"].groupby("corpus"):
        frame.loc[family.index, "p_holm"] = holm(family["p_value"])
    return frame


def _filled(outcome: Outcome) -> dict[str, object]:
    """Fields of an outcome that hold something, so that a pending value keeps its published number."""
    return {key: value for key, value in asdict(outcome).items() if value == value}  # noqa: PLR0124 (NaN)


def _judge(
    claim: Claim, ledger: Ledger, results: Results, views: dict[tuple[tuple[str, ...], str], View], seed: int
) -> Iterator[tuple[str, Outcome]]:
    absent = [name for name in claim.experiments if not results.ran(name)]
    if absent:
        yield "", Outcome("pending", f"not run yet: {', '.join(absent)}")
        return
    for corpus in sorted({corpus for name in claim.experiments for corpus in results.corpora(name)}):
        key = (claim.experiments, corpus)
        if key not in views:
            published = ledger.published(claim.experiments)
            views[key] = View(results, claim.experiments, corpus, ledger.corpus, published, seed)
        lacking, present = _missing(claim, views[key])
        if not lacking:
            yield corpus, claim.check.judge(views[key])
        elif why := ledger.why_never(corpus, [row for row in lacking if row not in present]):
            yield corpus, Outcome("not testable here", why)
        else:
            yield corpus, Outcome("pending", _named(claim, lacking, present))


def _missing(claim: Claim, view: View) -> tuple[dict[str, list[str]], set[str]]:
    """Return the rows that lack cells, with these cells' columns, and the rows that have some."""
    lacking: dict[str, list[str]] = {}
    present: set[str] = set()
    for row, column in claim.check.cells():
        if view.has(row, column):
            present.add(row)
        else:
            lacking.setdefault(row, []).append(column)
    return lacking, present


def _named(claim: Claim, lacking: dict[str, list[str]], present: set[str]) -> str:
    """Name the rows, or single cells of rows, that the tables lack for a claim."""
    parts = [f"{row} ({', '.join(columns)})" if row in present else row for row, columns in lacking.items()]
    return f"{' or '.join(claim.experiments)} lacks {', '.join(parts)}"
