"""What readers found wrong in the releases, as CSV: ``python -m docs.findings`` writes it anew."""

import re
from collections.abc import Iterator

import pandas as pd

import citectx
from citectx.corpora import full_texts, sources
from citectx.corpora.citation_integrity_files import FULL_TEXTS
from citectx.paths import ROOT
from citectx.storage import write_atomically

FILE = ROOT / "docs" / "_static" / "findings.csv"
CORPORA = (
    "citation-integrity",
    "citation-integrity-31",
    "scisumm-train",
    "scisumm-gold",
    "scisumm-test",
    "scisummnet",
)
RELEASES = (*CORPORA, FULL_TEXTS)
ALL = 3197
"""How many articles cite another one in the full texts of Citation-Integrity."""

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def split(finding: str) -> tuple[str, str]:
    """Split a finding into its place and what is wrong; texts of others are left out.

    >>> split("A.csv:2: noted: 'Cells rest.' is not near 5")
    ('A.csv:2', 'noted: … is not near 5')
    """
    place, _, wrong = finding.partition(": ")
    return place, QUOTED.sub("…", wrong)


def found() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of each release, and what its reader found."""
    for name in CORPORA:
        yield name, citectx.load(name).findings
    yield FULL_TEXTS, full_texts.read_full_texts(sources.folder(FULL_TEXTS), ALL).findings


def rows() -> Iterator[dict[str, str]]:
    """Yield each finding of each release."""
    for name, findings in found():
        for finding in findings:
            place, wrong = split(finding)
            yield {"corpus": name, "place": place, "finding": wrong}


def table() -> str:
    """Return the findings as CSV."""
    return pd.DataFrame(rows()).to_csv(index=False)


if __name__ == "__main__":
    write_atomically(FILE, table())
