"""From a ledger and results to verdicts, one row for each claim and corpus."""

from collections.abc import Sequence
from functools import cache, partial
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx.cache import cached
from citectx.evaluation.significance import holm
from citectx.ledger.claim import FOLDER, Check, Claim, Ledger, Order, load, papers
from citectx.ledger.evidence import Evidence, Results, open_results
from citectx.ledger.rule import (
    FEW_TOPICS,
    Comparisons,
    Judged,
    Verdict,
    judge,
    p_value,
    reason,
    visible,
)
from citectx.paths import PACKAGE
from citectx.storage import sha256, write_atomically

FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder."""

DRAWS = 500
"""Of a simulation, in which a share of a half has a standard error of 2.2 %."""


NOT_HERE: Verdict = "not testable here"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` is the paper's effect in our unit, ``effect`` ours in the claimed direction, or
    Kendall's tau. ``seen`` is `power`. ``p_value`` is two-sided, since a claim may be contradicted,
    too. ``control`` has the effects over the controls.

    The rest says how robust the verdict is: ``kept`` counts the topics without which it is the
    same, ``alike`` is the verdict if topics count alike, ``visible`` the smallest effect of the
    deciding comparison that would be seen four times in five.
    """

    verdict: str
    reason: str
    published: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    topics: float = nan
    seen: float = nan
    p_value: float = nan
    control: str = ""
    kept: str = ""
    alike: str = ""
    visible: float = nan


def check(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Returns
    -------
    DataFrame
        Columns paper, id, ours, where, says, corpus, stage, those of `Outcome`, and p_holm; rows in
        the ledger's order, then by corpus. A claim whose tables are not there has one row, with an
        empty corpus. ``p_holm`` adjusts the two-sided p-values of what the paper claims on each
        corpus, without checks of ours; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged.

    Examples
    --------
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), open_results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1 or sigir2017_ablation')
    """
    evidence = cache(partial(evidence_of, ledger, results))
    rows = []
    for claim in ledger:
        corpora = {corpus for name in claim.tables for corpus in results(name)}
        for corpus in sorted(corpora) or [""]:
            ours = evidence(claim.tables, corpus, ledger.relative(claim))
            row = {
                "paper": ledger.paper,
                "id": claim.claim_id,
                "ours": claim.ours,
                "where": claim.where,
                "says": claim.says,
                "corpus": corpus,
                "stage": ledger.stage(claim, corpus),
            }
            judged = outcome(claim, corpus, ledger, ours)
            rows.append(row | judged._asdict())
    frame = pd.DataFrame(rows)
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    return frame.assign(p_holm=family.groupby("corpus")["p_value"].transform(holm))


def outcome(claim: Claim, corpus: str, ledger: Ledger, evidence: Evidence) -> Outcome:
    """Judge a claim on a corpus, if that has all that it takes."""
    tables = " or ".join(claim.tables)
    lacking = evidence.lacks(claim.check.cells())
    why = ledger.why_never(corpus, lacking, claim.claim_id)
    if not corpus:
        why = f"not run yet: {tables}"
    if lacking:
        why = why or f"{tables} lacks {', '.join(lacking)}"
    return Outcome(NOT_HERE, why) if why else outcome_of(claim.check, evidence, claim.controls)


def outcome_of(check: Check, evidence: Evidence, controls: Sequence[Order] = ()) -> Outcome:
    """Judge a check with its controls, and say how robust the verdict is."""
    seen = power(check, evidence)
    compared, judged, beyond = judge_with(check, evidence, controls, seen)
    verdict, alike, *without = judged.verdict.tolist()
    return Outcome(
        verdict,
        reason(compared, judged),
        judged.paper[0],
        *judged.first.numbers,
        judged.first.topics,
        seen,
        p_value(compared, judged),
        "; ".join(beyond),
        f"{without.count(verdict)} of {len(without)}",
        alike,
        visible(compared, judged),
    )


def judge_with(
    check: Check, evidence: Evidence, controls: Sequence[Order] = (), seen: float = nan
) -> tuple[Comparisons, Judged, list[str]]:
    """Judge our data, then with topics alike, then without each topic in turn that the check has.

    Also returns the effects over the controls, as texts.
    """
    scores = evidence.scores(check.cells())
    topics = np.flatnonzero((scores.shares[0] > 0).any(axis=0))
    compared = check.compare(evidence, scores.reweight(topics))
    judged = judge(compared, seen)
    behind: list[Judged] = []
    texts: list[str] = []
    for control in controls:
        if not evidence.lacks(control.cells()):
            scores = evidence.scores(control.cells())
            other = control.compare(evidence, scores.reweight(topics))
            behind.append(judge(other))
            texts.append(write_comparison(other, behind[-1]))
    return compared, judged.and_beyond(behind), texts


def write_comparison(compared: Comparisons, judged: Judged) -> str:
    """Write the comparison that decides, with its interval."""
    label = compared.labels[judged.pair[0]]
    return "{}: {:+.3g} [{:.3g}, {:.3g}]".format(label, *judged.first.numbers)


def power(check: Check, evidence: Evidence) -> float:
    """Return how often a claim would hold if the paper's own numbers were true.

    Topics are drawn with the covariance of ours. NaN where the paper does not print all that the
    claim compares, or where there are too few topics for any verdict.
    """
    scores = evidence.scores(check.cells())
    topics = (scores.shares[0] > 0).sum(axis=1)
    expected = check.expected(evidence)
    if topics.min() < FEW_TOPICS or np.isnan(expected).any():
        return nan
    imagined = check.imagine(evidence, scores, expected, DRAWS)
    return float((judge(imagined).verdict == "holds").mean())


def evidence_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> Evidence:
    """Return what tables have on a corpus."""
    frames = map(results, tables)
    parts = [by_corpus[corpus] for by_corpus in frames if corpus in by_corpus]
    return Evidence(parts, ledger.published(tables), relative)


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    >>> all_verdicts(Path("no such folder"), "acl2008")["verdict"].unique().tolist()
    ['not testable here']
    """
    names = [paper] if paper else papers()
    return pd.concat([check_once(name, folder) for name in names], ignore_index=True)


def check_once(paper: str, folder: Path) -> pd.DataFrame:
    """Check a paper's claims, or take what is kept for the same claims, tables and scores."""
    declared = FOLDER / paper
    read = [*declared.glob("claims.py"), *declared.glob("published/*.csv")]
    read += folder.rglob(f"{paper}_*.csv*")
    key = [*map(sha256, sorted(read))]

    def compute() -> dict[Any, list[Any]]:
        return check(load(paper), open_results(folder)).to_dict("list")

    return pd.DataFrame(cached("verdicts", __name__, key, compute))


def keep(verdicts: pd.DataFrame, folder: Path) -> None:
    """Write verdicts into the results folder, unless that came in a wheel; say if that fails."""
    if folder.is_relative_to(PACKAGE):
        return
    try:
        write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    except OSError as error:
        print(f"The verdicts were not written: {error}")
