"""Make a table that takes its own time, on open data: ``python -m citectx.papers.sigir2017 NAME [OPTION]``.

NAME is dense (OPTION: a sentence encoder), scisummnet (OPTION: a number of processes), intrinsic or curve.
"""

import sys

from citectx import profiles
from citectx.errors import CitectxError, unknown
from citectx.experiments.results import Result
from citectx.papers.sigir2017 import ratings, table4, variations

TABLES = ("dense", "scisummnet", "intrinsic", "curve")


def run(name: str, *option: str) -> Result:
    """Make one of `TABLES`."""
    if name == "dense":
        return variations.dense(profiles.profile("open").load(), *option)
    if name == "scisummnet":
        return table4.scisummnet(jobs=int(*option or "1"))
    if name == "intrinsic":
        return ratings.intrinsic()
    if name == "curve":
        return ratings.curve([profiles.load("citation-integrity")])
    raise unknown("table", name, TABLES)


if __name__ == "__main__":
    try:
        print(run(*sys.argv[1:] or [""]).write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
