"""What readers found wrong in the releases, as CSV: ``python -m docs.findings`` writes it anew."""

import re
from collections.abc import Iterator

import pandas as pd

import citectx
from citectx.paths import ROOT
from citectx.storage import write_atomically

FILE = ROOT / "docs" / "_static" / "findings.csv"
CORPORA = ("citation-integrity", "citation-integrity-31", "scisumm-train", "scisumm-gold")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def split(finding: str) -> tuple[str, str]:
    """Split a finding into its place and what is wrong; texts of others are left out.

    >>> split("A.csv:2: noted: 'Cells rest.' is not near 5")
    ('A.csv:2', 'noted: … is not near 5')
    """
    place, _, wrong = finding.partition(": ")
    return place, QUOTED.sub("…", wrong)


def rows() -> Iterator[dict[str, str]]:
    """Yield each finding of each corpus."""
    for name in CORPORA:
        for finding in citectx.load(name).findings:
            place, wrong = split(finding)
            yield {"corpus": name, "place": place, "finding": wrong}


def table() -> str:
    """Return the findings as CSV."""
    return pd.DataFrame(rows()).to_csv(index=False)


if __name__ == "__main__":
    write_atomically(FILE, table())
