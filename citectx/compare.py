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


def differences(expected: "pd.Series[float]", got: "pd.Series[float]") -> pd.DataFrame:
    """Return the numbers that both sides have, and that are not the same.

    >>> a, b = (pd.Series({"BM25": 17.8, "LMD": x}) for x in (20.0, 20.1))
    >>> differences(a, b)
         expected   got
    LMD      20.0  20.1
    """
    both = pd.concat({"expected": expected, "got": got}, axis=1, join="inner")
    return both[both["expected"] != both["got"]]


def log_line(compared: int, differing: int, expected: Path) -> str:
    """Return a line for a log of reproductions."""
    outcome = "all equal" if not differing else f"{differing:,} differ"
    return (
        f"{datetime.now(UTC):%Y-%m-%d}: {compared:,} numbers of {expected}, {outcome}; "
        f"citectx {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}"
    )


def cmd_compare(expected: Path, got: Path) -> None:
    """Run ``citectx compare``: list what differs, then a line for a log of reproductions."""
    theirs, ours = numbers_in(expected), numbers_in(got)
    differing = differences(theirs, ours)
    compared = len(theirs.index.intersection(ours.index))
    if not compared:
        raise ParameterError(
            f"{expected} and {got} have no number in common: other tables or corpora"
        )
    for row in differing.head(SHOWN).reset_index().to_dict("records"):
        place = ", ".join(str(row[name]) for name in [*CELL, "number"])
        print(f"{place}: expected {row['expected']:.10g}, got {row['got']:.10g}")
    if len(differing) > SHOWN:
        print(f"… and {len(differing) - SHOWN:,} more")
    for folder, missing in ((got, theirs), (expected, ours)):
        count = len(missing) - compared
        if count:
            print(f"{count:,} numbers are not in {folder}")
    print(log_line(compared, len(differing), expected))
