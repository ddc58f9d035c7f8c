"""All races: ``make bench``, or ``python -m benchmarks``; ``make bench-check`` guards their ratios.

Without names all races are run, and ``benchmarks/results.csv`` is written anew as a whole; from it
``make readme`` makes the table of ``docs/benchmarks.md``. With the names of some modules, races are
only printed. ``check`` runs all races and compares them with the committed table.
"""

import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pandas as pd

from benchmarks.race import Race
from citectx.errors import MissingDataError, unknown
from citectx.paths import ROOT
from citectx.storage import commit, write_atomically

MODULES = (
    "bm25",
    "eq2",
    "ontology",
    "summarization",
    "rouge",
    "impact",
    "learning",
    "ranking",
    "coresc",
    "lucene",
)
RESULTS = ROOT / "benchmarks" / "results.csv"
MOST_LOST = 1.5
"""How many times smaller a ratio may be than in the table."""

Runner = Callable[[str], list[Race]]
"""Runs the races of a module."""


def run(module: str) -> list[Race]:
    """Run the races of a module, and print what they showed."""
    found: list[Race] = import_module(f"benchmarks.{module}").races()
    for one in found:
        print(one.line, flush=True)
    return found


def run_all(modules: Iterable[str], runner: Runner = run) -> dict[str, list[Race]]:
    """Run the races of modules; one whose data are not here is named and left out."""
    found = {}
    for module in modules:
        try:
            found[module] = runner(module)
        except (MissingDataError, ImportError) as error:
            print(f"{module} is not run: {error}", flush=True)
    return found


def processor(described: Path = Path("/proc/cpuinfo")) -> str:
    """Return the processor's name."""
    lines = described.read_text().splitlines() if described.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def table(found: Mapping[str, list[Race]]) -> pd.DataFrame:
    """Put the races of one run into a table that says when and where it was."""
    rows = [{"module": name, **one._asdict()} for name, races in found.items() for one in races]
    frame = pd.DataFrame(rows).round(3)
    return frame.assign(
        commit=commit().replace("+changes", " with changes"),
        date=datetime.now(UTC).date().isoformat(),
        processor=processor(),
        python=platform.python_version(),
    )


def lost(found: Mapping[str, list[Race]], committed: pd.DataFrame) -> dict[str, list[str]]:
    """Name the races that are lost, by module.

    A race is lost if its ratio is more than `MOST_LOST` times smaller than in the table, if its
    results differ, or if the table or the module does not have it.
    """
    named: dict[str, list[str]] = {}
    for module, races in found.items():
        rows = committed[committed["module"] == module]
        before = dict(zip(zip(rows["work"], rows["peer"], strict=True), rows["ratio"], strict=True))
        lines = [f"{' by '.join(key)}: no longer run" for key in before if key not in keys(races)]
        for one in races:
            name = f"{one.work} by {one.peer}"
            if one.result == "differs":
                lines.append(f"{name}: the results differ")
            elif one.key not in before:
                lines.append(f"{name}: not in the table")
            elif one.ratio * MOST_LOST < before[one.key]:
                lines.append(f"{name}: ratio {one.ratio:.3g}, was {before[one.key]:.3g}")
        if lines:
            named[module] = lines
    return named


def keys(races: Iterable[Race]) -> set[tuple[str, str]]:
    return {one.key for one in races}


def check(committed: pd.DataFrame, runner: Runner = run) -> int:
    """Run all races of a table again; return 1 if any is lost, twice."""
    modules = list(dict.fromkeys(committed["module"]))
    if (was := committed["processor"].iloc[0]) != processor():
        print(f"the table was made on {was}, this is {processor()}: ratios may move")
    found = run_all(dict.fromkeys([*modules, *MODULES]), runner)
    if not found:
        print("no race could be run")
        return 1
    suspected = lost(found, committed)
    if suspected:
        print("once more:", ", ".join(suspected))
        again = lost(run_all(suspected, runner), committed)
        suspected = {module: again[module] for module in suspected if module in again}
    for lines in suspected.values():
        print("\n".join(f"LOST {line}" for line in lines))
    print("races were lost" if suspected else "no race was lost")
    return int(bool(suspected))


def main(*names: str) -> int:
    if names == ("check",):
        return check(pd.read_csv(RESULTS))
    if strange := [name for name in names if name not in MODULES]:
        raise unknown("race", strange[0], (*MODULES, "check"))
    found = run_all(names or MODULES)
    if not names:
        write_atomically(RESULTS, table(found).to_csv(index=False))
    return int(any(one.result == "differs" for races in found.values() for one in races))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
