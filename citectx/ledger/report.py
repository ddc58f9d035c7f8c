"""Verdicts for notebooks and pages, how closely tables replicate, and ``citectx claims``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.evaluation import kendall_tau
from citectx.ledger.claim import Ledger, load, papers
from citectx.ledger.evidence import Results
from citectx.ledger.rule import VERDICTS
from citectx.ledger.verdicts import FILE, all_verdicts, evidence_of, keep
from citectx.paths import RESULTS

SIGNS: dict[str, str] = dict(zip(VERDICTS, "✓=✗○↓?–≈", strict=True))
"""A sign for each verdict, so that colour is not the only difference between them."""


def claims(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus."""
    return all_verdicts(profiles.profile(profile).results, paper)


def effect(row: Mapping[Any, Any]) -> str:
    """Return the effect of one row of verdicts with its interval; "" if it has none.

    >>> effect({"effect": 0.0301, "ci_low": 0.0077, "ci_high": 0.0525})
    '+0.0301 [0.0077, 0.0525]'
    """
    if pd.isna(row["effect"]):
        return ""
    text = "{effect:+.3g} [{ci_low:.3g}, {ci_high:.3g}]".format_map(row)
    return text.removesuffix(" [nan, nan]")


def line(row: Mapping[Any, Any]) -> str:
    """Write one row of verdicts: sign, claim, our effect, the paper's, corpus and reason."""
    sign, paper = SIGNS[row["verdict"]], row["published"]
    published = "" if pd.isna(paper) else f"{paper:+.3g}"
    effects = f"{effect(row):<26} {published:<8}"
    return f"{sign} {row['id']:<36} {effects} {row['corpus']}  {row['reason']}"


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts on what the papers claim, by paper and corpus; checks of ours are left out."""
    claimed = frame[~frame["ours"]]
    table = pd.crosstab([claimed["paper"], claimed["corpus"]], claimed["verdict"])
    return table.reindex(columns=pd.Index(VERDICTS), fill_value=0)


def page(frame: pd.DataFrame, folder: Path) -> str:
    """Write counts of verdicts by paper and corpus, headline claims, and where the rest is."""
    named = [claim.claim_id for paper in papers() for claim in load(paper) if claim.headline]
    chosen = frame[frame["id"].isin(named)]
    parts = (
        "  ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items()),
        summary(frame).rename(columns=SIGNS).to_string(),
        "\n".join(map(line, chosen.to_dict("records"))),
        f"All {len(frame)} verdicts: {folder / FILE}",
        "Those of a paper: citectx claims --paper NAME. How to read them: docs/verdicts.md",
    )
    return "\n\n".join(parts)


def on_open_data() -> str:
    """Count the verdicts that came with the code, where claims are confirmed; say what to read."""
    frame = pd.read_csv(RESULTS / "open" / FILE)
    counts = summary(frame[frame["stage"] == "confirmed"]).groupby("paper").sum()
    parts = (
        "The teaching corpus is too small to decide a claim. On open data the notebooks found:",
        counts.rename(columns=SIGNS).to_string(),
        "README.md says what that means. Next: make lab, and notebooks/00_start_here.ipynb",
    )
    return "\n\n".join(parts)


def cmd_claims(profile: str = "open", *, paper: str | None = None, readings: bool = False) -> int:
    """Judge the claims of the papers by a profile's results, keep the verdicts, and show a page.

    Or show every claim of one paper, or under how many readings each headline comparison holds. A
    verdict against a paper is a result, not a failure.
    """
    folder = profiles.profile(profile).results
    if readings:
        for file in sorted(folder.glob("*_curve/*_curve.csv")):
            table = pd.read_csv(file)
            counts = table.pivot_table("value", ["corpus", "method"], "metric", sort=False)
            print(file.stem, counts.to_string(), "", sep="\n")
    elif paper:
        verdicts = all_verdicts(folder, paper)
        print(*map(line, verdicts.to_dict("records")), sep="\n")
    else:
        verdicts = all_verdicts(folder)
        print(page(verdicts, folder))
        if profile == "teaching":
            print("", on_open_data(), sep="\n")
        keep(verdicts, folder)
    return 0


def replication(ledger: Ledger, results: Results) -> pd.DataFrame:
    """Measure how closely each table replicates, by two numbers that need but the paper's means.

    They are those of Breuer et al., SIGIR 2020, in the measure of the comparison that a table is
    about: Kendall's tau-b between the paper's order of methods and ours; and the effect ratio, our
    improvement over the paper's, over each baseline that the paper names. Its interval is that of
    the ledger. Tau has none: with so few methods it moves in steps, and a jackknife over topics
    gives no width where no single topic changes the order.

    Returns
    -------
    DataFrame
        Columns table, corpus, methods, tau, baseline and ratio, this with ``_low`` and ``_high``;
        NaN for what cannot be computed. A row for each corpus and baseline.
    """
    rows = []
    for table, check in ledger.comparisons.items():
        column = check.percent or check.columns[0]
        for corpus in results.corpora(table):
            evidence = evidence_of(ledger, results, (table,), corpus, table in ledger.percent)
            cells = [c for c in evidence.published if c[1] == column and c in evidence.numbers]
            paper = [evidence.published[cell] for cell in cells]
            ours = [evidence.numbers[cell][0] for cell in cells]
            about = table, corpus, len(cells), kendall_tau(paper, ours)
            if not evidence.lacks(check.cells()):
                compared = check.compare(evidence, evidence.scores(check.cells()))
                effects = np.stack(compared.ours.at(0).numbers)
                ratios = effects / check.published(evidence)
                _, _, baselines = zip(*check.pairs(), strict=True)
                by_baseline = zip(baselines, *ratios, strict=True)
                rows += [(*about, *row) for row in by_baseline]
    names = "table corpus methods tau baseline ratio ratio_low ratio_high"
    return pd.DataFrame(rows, columns=names.split())
