"""All races: ``make bench``, or ``python -m benchmarks [NAME ...]`` for some.

Writes ``benchmarks/results.csv``, from which ``make readme`` makes the table of
``docs/benchmarks.md``, and fails if a promise is not kept.
"""

import sys
from importlib import import_module

import pandas as pd

from benchmarks.race import Race
from citectx.errors import MissingDataError
from citectx.paths import ROOT
from citectx.storage import write_atomically

MODULES = (
    "bm25",
    "eq2",
    "ontology",
    "summarization",
    "rouge",
    "impact",
    "learning",
    "coresc",
    "lucene",
)
RESULTS = ROOT / "benchmarks" / "results.csv"


def main(*names: str) -> int:
    kept = True
    for name in names or MODULES:
        try:
            found = import_module(f"benchmarks.{name}").races()
        except MissingDataError as error:
            print(f"{name} is skipped: {error}")
            continue
        for one in found:
            print(f"{'kept' if one.kept else 'NOT KEPT':8} {line(one)}", flush=True)
            kept &= one.kept
        write(found)
    return int(not kept)


def line(one: Race) -> str:
    """Say in a line what a race showed."""
    spread = f"({one.low:.3g} to {one.high:.3g}), promised {one.promised:g}"
    other = "" if one.same else "; OTHER RESULT"
    return f"{one.work}, {one.peer}: {one.ratio:.3g} times our {one.ours:,.1f} ms {spread}{other}"


def write(found: list[Race]) -> None:
    """Put races into the table; earlier ones that were not run again stay."""
    new = pd.DataFrame(found).round(3)
    old = pd.read_csv(RESULTS) if RESULTS.exists() else new
    frame = (
        pd.concat([old, new])
        .drop_duplicates(["work", "peer"], keep="last")
        .sort_values(["work", "peer"])
    )
    write_atomically(RESULTS, frame.to_csv(index=False))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
