"""All races: ``make bench``, or ``python -m benchmarks [NAME ...]`` for some.

Writes ``benchmarks/results.csv`` and the table of ``docs/benchmarks.md``, and fails if a promise is
not kept.
"""

import re
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
RESULTS, PAGE = ROOT / "benchmarks" / "results.csv", ROOT / "docs" / "benchmarks.md"


def main(*names: str) -> int:
    kept = True
    for name in names or MODULES:
        try:
            found = import_module(f"benchmarks.{name}").races()
        except MissingDataError as error:
            print(f"{name} is passed over: {error}")
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
    """Put races into the table, for programs and for readers; those of before that were not run
    stay.
    """
    new = pd.DataFrame(found).round(3)
    old = pd.read_csv(RESULTS) if RESULTS.exists() else new
    frame = (
        pd.concat([old, new])
        .drop_duplicates(["work", "peer"], keep="last")
        .sort_values(["work", "peer"])
    )
    write_atomically(RESULTS, frame.to_csv(index=False))
    races = [Race(*row) for row in frame.itertuples(index=False)]
    titles = ["work", "peer", "ours, ms", "peer, ms", "ratio", "of five runs", "promised"]
    rows = [titles, ["---", "---", *["---:"] * 5]]
    for one in races:
        times = [f"{one.ours:,.1f}", f"{one.theirs:,.1f}", f"{one.ratio:.3g}"]
        rows.append(
            [one.work, one.peer, *times, f"{one.low:.3g} to {one.high:.3g}", f"{one.promised:g}"]
        )
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    place = re.compile(r"(<!-- races:begin -->\n).*?(<!-- races:end -->)", re.DOTALL)
    write_atomically(
        PAGE, place.sub(lambda found: found[1] + table + found[2], PAGE.read_text("utf-8"))
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
