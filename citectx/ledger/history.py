"""What was declared, what was run first, and what is there today, by the hash of each file.

``python -m citectx.ledger.history`` writes `FILE` from the checkout's git history.
"""

import subprocess
from pathlib import Path

import pandas as pd

from citectx.experiments.results import find, to_csv
from citectx.ledger.claim import load, papers
from citectx.paths import RESULTS, ROOT
from citectx.storage import sha, sha256, write_atomically

FILE = "ledger/history.csv"
"""The file beside the verdicts that has a row for each file at each event."""

COLUMNS = "event commit date file sha256".split()

DECLARED = "82e9fc59e0c4ce64891c7bfed474441e18b9a14d"
"""The commit that names which data confirm which claims, and what had been looked at."""
DECLARATION = "docs/verdicts.md"

FIRST_RUN = "0ca77a9ba4d6dd327475bf2966aa36ef1520e299"
"""The commit whose code ran the tables on these data first."""
FIRST_TABLES = "4247d57c"
"""The commit that has what came out of it."""


def history(folder: Path) -> pd.DataFrame:
    """List the declaration, and each table of a claim as it was first and is today."""
    rows = [("declared", DECLARED, date_of(DECLARED), *at(DECLARED, DECLARATION))]
    listed = git("ls-tree", "-r", "--name-only", FIRST_TABLES, "results/open").decode().split()
    places = {Path(name).name: name for name in listed}
    tables = sorted({t for paper in papers() for claim in load(paper) for t in claim.tables})
    for table in tables:
        if place := places.get(f"{table}.csv"):  # some tables came later
            rows.append(("first run", FIRST_RUN, date_of(FIRST_RUN), *at(FIRST_TABLES, place)))
    for table in tables:
        for ending in (".csv", ".citances.csv.gz"):
            file = find(folder, table + ending)
            if file.is_file():  # not every table has scores
                rows.append(("today", "", "", file.name, sha256(file)))
    return pd.DataFrame(rows, columns=COLUMNS)


def at(commit: str, path: str) -> tuple[str, str]:
    """Return a file's name and hash at a commit."""
    return Path(path).name, sha(git("show", f"{commit}:{path}"))


def date_of(commit: str) -> str:
    """Return when a commit was made."""
    return git("show", "-s", "--format=%cI", commit).decode().strip()


def git(*arguments: str) -> bytes:
    """Run git in the checkout."""
    return subprocess.check_output(["git", *arguments], cwd=ROOT)


if __name__ == "__main__":
    open_folder = RESULTS / "open"
    write_atomically(open_folder / FILE, to_csv(history(open_folder)))
