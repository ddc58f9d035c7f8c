"""Make a table that takes its own time, on open data: ``python -m citectx.papers.sigir2017 NAME``.

NAME is dense (optionally followed by a sentence encoder), scisummnet (by a number of processes) or
curve.
"""

import sys
from collections.abc import Callable

from citectx import profiles
from citectx.errors import CitectxError, unknown
from citectx.experiments.results import Result, keep
from citectx.papers.sigir2017 import ratings, readings, table4

OPEN = profiles.profile("open")


def dense(*encoder: str) -> Result:
    """Table 1 with a sentence encoder."""
    return readings.dense(OPEN.load(), *encoder)


def scisummnet(jobs: str = "1") -> Result:
    """Table 4 on all of ScisummNet."""
    return table4.scisummnet(jobs=int(jobs))


def curve() -> Result:
    """Vectors of growing texts."""
    return ratings.curve([profiles.load("citation-integrity")])


TABLES: dict[str, Callable[..., Result]] = {
    "dense": dense,
    "scisummnet": scisummnet,
    "curve": curve,
}


if __name__ == "__main__":
    name, *option = sys.argv[1:] or [""]
    try:
        if name not in TABLES:
            raise unknown("table", name, TABLES)
        print(keep(TABLES[name](*option), OPEN.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
