"""The four primary claims, reported as they were declared (docs/verdicts.md).

They are judged without correction, on the corpus that confirms them. Any other claim counts as
confirmed only if it survives Holm's correction. A primary claim is robust if nine of ten readings
give the same verdict.
"""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.experiments.results import find
from citectx.ledger.claim import load, papers
from citectx.ledger.evidence import open_results
from citectx.ledger.readings import Headline
from citectx.ledger.verdicts import evidence_of, outcome

ROBUST = 0.9
"""The share of readings that must give the verdict of the table."""

LEVEL = 0.05
"""Holm's p below which another claim counts as confirmed."""


def report_primary(folder: Path) -> pd.DataFrame:
    """Judge the primary claims by a results folder: a row for each, as declared.

    ``same`` of ``readings`` have the verdict of the table; readings are counted as they were run,
    with those that come out the same.
    """
    rows = []
    for paper in papers():
        declared = import_module(f"citectx.papers.{paper}.readings")
        for headline, curve in getattr(declared, "PRIMARY", ()):
            readings = pd.read_csv(find(folder, f"{curve}.readings.csv"))
            is_own = (readings["headline"] == headline.label) & (readings["role"] == "claim")
            judged = judge_primary(paper, headline, readings[is_own], folder)
            rows.append({"paper": paper, **judged})
    return pd.DataFrame(rows)


def judge_primary(
    paper: str, headline: Headline, readings: pd.DataFrame, folder: Path
) -> dict[str, Any]:
    """Judge a comparison on the corpus of its readings, and count those that agree."""
    ledger = load(paper)
    claim = ledger[headline.claim]
    controls = tuple(headline.controls(claim).values())
    narrow = replace(claim, check=headline.check, controls=controls, post_hoc=())
    corpus = str(readings["corpus"].iloc[0])
    relative = ledger.relative(claim)
    evidence = evidence_of(ledger, open_results(folder), claim.tables, corpus, relative)
    judged = outcome(narrow, corpus, ledger, evidence)
    same = int((readings["verdict"] == judged["verdict"]).sum())
    return {
        "comparison": headline.label,
        "corpus": corpus,
        **judged,
        "same": same,
        "readings": len(readings),
        "robust": same >= ROBUST * len(readings),
    }


def survivors(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the other claims that count as confirmed: they hold, and survive Holm's correction.

    Every kind of "holds" counts, since the declaration is about p-values before controls; a claim
    that is not beyond its control is reported as that.
    """
    confirmed = verdicts[(verdicts["stage"] == "confirmed") & ~verdicts["ours"]]
    holds = confirmed["verdict"].str.startswith("holds")
    return confirmed[holds & (confirmed["p_holm"] <= LEVEL)]
