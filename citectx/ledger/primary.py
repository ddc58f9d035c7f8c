"""The four primary claims, reported as they were declared (docs/verdicts.md).

They are judged without correction, on the corpus that confirms them. Any other claim counts as
confirmed only if it survives Holm's correction. A primary claim is robust if nine of ten readings
give the same verdict.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.experiments.results import find
from citectx.ledger.claim import load, papers
from citectx.ledger.evidence import open_results
from citectx.ledger.readings import Headline
from citectx.ledger.verdicts import evidence_of, judge_with, write_comparison

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
            rows.append({"paper": paper, **judge_primary(paper, headline, curve, folder)})
    return pd.DataFrame(rows)


def judge_primary(paper: str, headline: Headline, curve: str, folder: Path) -> dict[str, Any]:
    """Judge a comparison on the table that confirms it, and count its readings."""
    ledger = load(paper)
    claim = ledger[headline.claim]
    readings = pd.read_csv(find(folder, f"{curve}.readings.csv"))
    of_claim = readings[(readings["headline"] == headline.label) & (readings["role"] == "claim")]
    corpus = str(of_claim["corpus"].iloc[0])
    relative = ledger.relative(claim)
    evidence = evidence_of(ledger, open_results(folder), claim.tables, corpus, relative)
    controls = headline.controls(claim).values()
    compared = [control for control in controls if not evidence.lacks(control.cells())]
    judged, *beyond = judge_with(evidence, headline.check, *compared)
    verdict = str(judged.verdict[0])
    effect, low, high = judged.first.numbers
    same = int((of_claim["verdict"] == verdict).sum())
    return {
        "comparison": headline.label,
        "corpus": corpus,
        "pair": judged.label,
        "verdict": verdict,
        "published": judged.paper,
        "effect": effect,
        "ci_low": low,
        "ci_high": high,
        "seen": judged.seen,
        "control": "; ".join(map(write_comparison, beyond)),
        "same": same,
        "readings": len(of_claim),
        "robust": same >= ROBUST * len(of_claim),
    }


def survivors(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the other claims that count as confirmed: they hold, and survive Holm's correction.

    Every kind of "holds" counts, since the declaration is about p-values before controls; a claim
    that is not beyond its control is reported as that.
    """
    confirmed = verdicts[(verdicts["stage"] == "confirmed") & ~verdicts["ours"]]
    holds = confirmed["verdict"].str.startswith("holds")
    return confirmed[holds & (confirmed["p_holm"] <= LEVEL)]
