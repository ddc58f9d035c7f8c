"""Make a table that takes its own time, on open data: ``python -m citectx.papers.sigir2017 NAME
[OPTION]``.

NAME is dense (OPTION: a sentence encoder), scisummnet (OPTION: a number of processes), intrinsic or
curve.
"""

import sys
from collections.abc import Callable

from citectx import profiles
from citectx.errors import CitectxError, unknown
from citectx.experiments.results import Result, keep
from citectx.papers.sigir2017 import ratings, table4, variations

OPEN = profiles.profile("open")
TABLES: dict[str, Callable[..., Result]] = {
    "dense": lambda *encoder: variations.dense(OPEN.load(), *encoder),
    "scisummnet": lambda jobs="1": table4.scisummnet(jobs=int(jobs)),
    "intrinsic": ratings.intrinsic,
    "curve": lambda: ratings.curve([profiles.load("citation-integrity")]),
}


if __name__ == "__main__":
    name, *option = sys.argv[1:] or [""]
    try:
        if name not in TABLES:
            raise unknown("table", name, TABLES)
        print(keep(TABLES[name](*option), OPEN.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
