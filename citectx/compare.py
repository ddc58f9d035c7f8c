"""Numbers in which two folders of results differ: the command ``citectx compare``."""

import platform
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from citectx import __version__
from citectx.errors import MissingDataError, ParameterError
from citectx.experiments.results import COLUMNS

CELL = ["table", "corpus", "method", "metric"]
NUMBERS = ["value", "ci_low", "ci_high", "p_value", "n"]
SHOWN = 20
"""How many differences are listed."""

MADE_BY = (
    f"citectx {__version__}, Python {platform.python_version()}, "
    f"{platform.system()} {platform.machine()}"
)
"""What compares the folders: the package, its Python and the machine."""


def numbers_in(folder: Path) -> "pd.Series[float]":
    """Read the numbers of all tables in a folder, or in the folders of notebooks in it.

    A number goes by its table, corpus, method, metric and column.
    """
    files = sorted({*folder.glob("*.csv"), *folder.glob("*/*.csv")})
    tables = {file.stem: pd.read_csv(file) for file in files}
    ours = {name: table for name, table in tables.items() if [*table] == COLUMNS}
    if not ours:
        raise MissingDataError(
            f"{folder} holds no tables of results; name a folder such as results/open, or that of "
            "a notebook in it"
        )
    joined = pd.concat([table.assign(table=name) for name, table in ours.items()])
    numbers = joined.melt(CELL, NUMBERS, "number", "is")
    return numbers.dropna().set_index([*CELL, "number"])["is"]


def cmd_compare(expected: Path, got: Path) -> None:
    """Run ``citectx compare``: list what differs, then a line for a log of reproductions."""
    folders = {"expected": expected, "got": got}
    numbers = {side: numbers_in(folder) for side, folder in folders.items()}
    every = pd.concat(numbers, axis=1)  # NaN where a side lacks a number
    both = every.dropna()
    if both.empty:
        raise ParameterError(
            f"{expected} and {got} have no number in common: other tables or corpora"
        )
    differing = both[both["expected"] != both["got"]]
    for cell, theirs, ours in differing.head(SHOWN).itertuples():
        place = ", ".join(map(str, cell))
        print(f"{place}: expected {theirs:.10g}, got {ours:.10g}")
    if len(differing) > SHOWN:
        print(f"… and {len(differing) - SHOWN:,} more")
    for side in ("got", "expected"):
        if missing := every[side].isna().sum():
            print(f"{missing:,} numbers are not in {folders[side]}")
    outcome = f"{len(differing):,} differ" if len(differing) else "all equal"
    print(
        f"{datetime.now(UTC):%Y-%m-%d}: {len(both):,} numbers of {expected}, {outcome}; {MADE_BY}"
    )
