"""Run all races and write ``benchmarks/results.csv``; with names of modules, only print them."""

import platform
import sys
from datetime import UTC, datetime
from importlib import import_module

import pandas as pd

from benchmarks.race import Race
from citectx.errors import MissingDataError, unknown
from citectx.paths import ROOT
from citectx.storage import commit, write_atomically

MODULES = ("bm25", "eq2", "summarization", "rouge", "ranking", "lucene")
RESULTS = ROOT / "benchmarks" / "results.csv"


def run(module: str) -> list[Race]:
    """Run the races of a module; without its data or libraries, say so."""
    try:
        found: list[Race] = import_module(f"benchmarks.{module}").races()
    except (MissingDataError, ImportError) as error:
        print(f"{module} is not run: {error}", flush=True)
        return []
    for race in found:
        print(race.line, flush=True)
    return found


def main(*names: str) -> int:
    for name in names:
        if name not in MODULES:
            raise unknown("race", name, MODULES)
    rows = []
    for module in names or MODULES:
        rows += [{"module": module} | race._asdict() for race in run(module)]
    if not names:
        table = (
            pd.DataFrame(rows)
            .round(3)
            .assign(
                commit=commit().replace("+changes", " with changes"),
                date=datetime.now(UTC).date().isoformat(),
                processor=platform.processor() or platform.machine(),
                python=platform.python_version(),
            )
        )
        write_atomically(RESULTS, table.to_csv(index=False))
    return int(any(row["result"] == "differs" for row in rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
