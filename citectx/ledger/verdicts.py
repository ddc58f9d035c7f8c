"""From a ledger and results to verdicts, one row for each claim and corpus."""

from functools import cache, partial
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation.significance import holm
from citectx.experiments.results import cached_frame
from citectx.ledger.claim import FOLDER, Check, Claim, Ledger, Order, load, papers
from citectx.ledger.evidence import Evidence, Results, Versions, open_results
from citectx.ledger.rule import (
    FEW_TOPICS,
    NOT_HERE,
    Judged,
    judge,
    p_value,
    reason,
    visible,
)
from citectx.paths import PACKAGE
from citectx.storage import sha256, write_atomically

COMPARED = "compared"
"""A column while verdicts are made: what the deciding pair compares."""

FILE = "ledger/verdicts.csv"
"""All verdicts of a results folder."""

COLUMNS = """
paper id ours where says corpus stage verdict reason published effect ci_low ci_high topics seen
p_value control kept alike visible pair rule_low rule_high post_hoc no_control
""".split()
"""The columns of `check`, before ``same_as`` and ``p_holm``."""

NOT_RUN = "The rows of its control were not run on this corpus."


def check(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its tables have.

    Returns
    -------
    DataFrame
        `COLUMNS`, same_as and p_holm; rows in the ledger's order, then by corpus. A claim whose
        tables are not there has one row, with an empty corpus.

        ``published`` is the paper's effect in our unit, ``effect`` ours in the claimed direction,
        or Kendall's tau. ``seen`` is `power`. ``p_value`` is two-sided, since a claim may be
        contradicted, too. ``control`` has the effects over the controls, ``post_hoc`` says whether
        one of them was added after a verdict had been seen, ``no_control`` why there is none.
        ``pair`` is the deciding comparison, and ``rule_low`` and ``rule_high`` are the interval
        that the rule read. ``same_as`` names the paper's first claim with the same comparison.

        ``kept``, ``alike`` and ``visible`` say how robust the verdict is: the first counts the
        topics without which it is the same, the second is the verdict if topics count alike, the
        third the smallest effect of the deciding comparison that would be seen four times in five.

        ``p_holm`` adjusts the p-values of what the paper claims on each corpus, without checks of
        ours; it decides nothing.

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
        # a corpus may be in one of the claim's tables only
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
            rows.append(row | outcome(claim.on(corpus), corpus, ledger, ours))
    judged = pd.DataFrame(rows, columns=[*COLUMNS, COMPARED])
    frame = judged[COLUMNS].assign(same_as=first_alike(judged))
    # Holm counts what the paper says, on one corpus at a time
    family = frame[frame["p_value"].notna() & ~frame["ours"]]
    return frame.assign(p_holm=family.groupby("corpus")["p_value"].transform(holm))


def first_alike(judged: pd.DataFrame) -> "pd.Series[str]":
    """Name the first claim that rests on the same comparison; "" for that one itself.

    Checks of ours are compared with each other, since they are counted apart.
    """
    keys = [judged["corpus"], judged["ours"], judged[COMPARED]]
    first = judged.groupby(keys)["id"].transform("first")  # NaN where nothing was compared
    return first.where(first != judged["id"], "").fillna("")


def outcome(claim: Claim, corpus: str, ledger: Ledger, evidence: Evidence) -> dict[str, Any]:
    """Judge a claim on a corpus, if that has all that it takes."""
    tables = " or ".join(claim.tables)
    lacking = evidence.lacks(claim.check.cells())
    why = ledger.why_never(corpus, lacking, claim.claim_id)
    if not corpus:
        why = f"not run yet: {tables}"
    if lacking:
        why = why or f"{tables} lacks {', '.join(lacking)}"
    if why:
        texts = dict.fromkeys(["control", "kept", "alike", "pair"], "")
        about = {"post_hoc": False, "no_control": claim.no_control}
        return {"verdict": NOT_HERE, "reason": why, **texts, **about}
    # controls whose rows a corpus lacks are not compared there
    controls = [c for c in claim.all_controls if not evidence.lacks(c.cells())]
    judged, *beyond = judge_with(evidence, claim.check, *controls)
    is_declared_after = ledger.stage(claim, corpus) == "second domain"
    return describe(judged, *beyond) | {
        "post_hoc": not is_declared_after and not {*controls}.isdisjoint(claim.post_hoc),
        "no_control": claim.no_control or ("" if controls else NOT_RUN),
        COMPARED: (claim.tables[0], claim.check.compared(judged.pair[0])),
    }


def describe(judged: Judged, *controls: Judged) -> dict[str, Any]:
    """Describe what was judged, with its controls, and how robust the verdict is."""
    verdicts = Versions.of(judged.verdict.tolist())
    # the first version is our data, the last ones leave out a topic each
    kept = verdicts.without.count(verdicts.data)
    effect, low, high = judged.first.numbers
    rule_low, rule_high = judged.interval
    return {
        "verdict": verdicts.data,
        "reason": reason(judged),
        "published": judged.paper,
        "effect": effect,
        "ci_low": low,
        "ci_high": high,
        "topics": judged.first.topics,
        "seen": judged.seen,
        "p_value": p_value(judged),
        "control": "; ".join(map(write_comparison, controls)),
        "kept": f"{kept} of {len(verdicts.without)}",
        "alike": verdicts.alike,
        "visible": visible(judged),
        "pair": judged.label,
        "rule_low": rule_low,
        "rule_high": rule_high,
    }


def judge_with(evidence: Evidence, check: Check, *controls: Order) -> list[Judged]:
    """Judge a check and its controls on all `Versions` of the data.

    The topics that are left out in turn are those that the check has.
    """
    # (cells, topics): a topic may be missing from some of the rows
    used = evidence.scores(check.cells()).shares[0] > 0
    topics = np.flatnonzero(used.any(axis=0))
    verdicts = []
    for one in (check, *controls):
        part = evidence
        if isinstance(one, Order) and one.among:
            part = evidence.among(one.among)
        scores = part.scores(one.cells()).reweight(topics)
        verdicts.append(judge(one.compare(part, scores), power(one, part)))
    judged, *beyond = verdicts
    return [judged.and_beyond(beyond), *beyond]


def write_comparison(judged: Judged) -> str:
    """Write the comparison that decides, with its interval."""
    return "{}: {:+.3g} [{:.3g}, {:.3g}]".format(judged.label, *judged.first.numbers)


def power(check: Check, evidence: Evidence) -> float:
    """Return how often a claim would hold if the paper's own numbers were true.

    Topics are drawn with the covariance of ours. NaN where the paper does not print all that the
    claim compares, or where there are too few topics for any verdict.
    """
    scores = evidence.scores(check.cells())
    # topics of each cell, (cells,)
    topics = (scores.shares[0] > 0).sum(axis=1)
    if topics.min() < FEW_TOPICS or np.isnan(check.published(evidence)).any():
        return nan
    imagined = check.imagine(evidence, scores)
    return float((judge(imagined).verdict == "holds").mean())


def evidence_of(
    ledger: Ledger, results: Results, tables: tuple[str, ...], corpus: str, relative: bool = False
) -> Evidence:
    """Return what tables have on a corpus."""
    parts = [by_corpus[corpus] for by_corpus in map(results, tables) if corpus in by_corpus]
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
    # all that verdicts depend on, beside our code, which `cached` hashes
    read = [*declared.glob("claims.py"), *declared.glob("published/*.csv")]
    for place in ("", "[!.]*/"):  # where `find` looks: not in the folder of a run under way
        read += folder.glob(f"{place}{paper}_*.csv*")
    key = [*map(sha256, sorted(read))]

    return cached_frame("verdicts", __name__, key, lambda: check(load(paper), open_results(folder)))


def keep(verdicts: pd.DataFrame, folder: Path) -> None:
    """Write verdicts into the results folder, unless that came in a wheel; say if that fails."""
    if folder.is_relative_to(PACKAGE):
        return
    try:
        write_atomically(folder / FILE, verdicts.to_csv(index=False, float_format="%.6g"))
    except OSError as error:
        print(f"The verdicts were not written: {error}")
