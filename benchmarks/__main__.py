"""Run all races and write ``results.csv``; with names of modules only print them.

``python -m benchmarks check`` also runs all, and fails where a result differs or a ratio fell to
less than half of the committed one.
"""

import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pandas as pd

from benchmarks.race import Race
from citectx.errors import MissingDataError
from citectx.paths import ROOT
from citectx.storage import commit, write_atomically

MODULES = ("bm25", "eq2", "summarization", "rouge", "ranking", "lucene")
RESULTS = ROOT / "benchmarks" / "results.csv"
SLACK = 2.0  # how many times smaller a ratio may be on another machine


def run(module: str) -> pd.DataFrame:
    """Run the races of a module; without its data or libraries, say so."""
    try:
        races = pd.DataFrame(import_module(f"benchmarks.{module}").races(), columns=Race._fields)
    except (MissingDataError, ImportError) as error:
        print(f"{module} is not run: {error}", flush=True)
        return pd.DataFrame(columns=Race._fields)
    print(races.round(2).to_string(index=False, header=False), flush=True)
    return races


def write(path: Path, table: pd.DataFrame) -> None:
    """Write a table, with the commit, the day and the machine."""
    write_atomically(path, signed(table).to_csv(index=False))


def signed(table: pd.DataFrame) -> pd.DataFrame:
    """Say in each row by which code, when and where it was measured."""
    return table.assign(
        commit=commit().replace("+changes", " with changes"),
        date=datetime.now(UTC).date().isoformat(),
        processor=processor(),
        python=platform.python_version(),
    )


def processor() -> str:
    """Return the name of the processor, as Linux has it, or else its kind."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text("utf-8").splitlines() if facts.is_file() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def slower(races: pd.DataFrame) -> pd.DataFrame:
    """Return the races whose ratio fell too far below the committed one."""
    committed = pd.read_csv(RESULTS)[["work", "peer", "ratio"]]
    both = races.merge(committed, on=["work", "peer"], suffixes=("", "_committed"))
    return both[both["ratio"] * SLACK < both["ratio_committed"]]


def main(*names: str) -> int:
    chosen = MODULES if names in ((), ("check",)) else names
    races = pd.concat([run(module) for module in chosen])
    if not names:
        write(RESULTS, races.infer_objects().round(3))
    failed = races[races["result"] == "differs"]
    if names == ("check",):
        failed = pd.concat([failed, slower(races)])
    if len(failed):
        print(f"\nfailed:\n{failed.to_string(index=False)}")
    return int(len(failed) > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
