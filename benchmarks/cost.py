"""What lessons cost: ``python -m benchmarks.cost [PROFILE [NN ...]]`` adds rows to ``cost.csv``.

Processor seconds of ``citectx run``, with its kernel. The profile teaching is run with warm caches,
others with an empty one.
"""

import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import pandas as pd

from benchmarks.__main__ import signed
from citectx.paths import NOTEBOOKS, ROOT
from citectx.storage import write_atomically

FILE = ROOT / "benchmarks" / "cost.csv"


def cost(profile: str, lesson: str) -> float:
    """Run a lesson, and return the processor seconds that it took."""
    command = [sys.executable, "-m", "citectx.cli", "run", "--profile", profile, "--only", lesson]
    with TemporaryDirectory() as folder:
        own = {} if profile == "teaching" else {"CITECTX_CACHE": str(Path(folder, "cache"))}
        runs = 2 if profile == "teaching" else 1  # the first one fills the caches
        for _ in range(runs):
            before = getrusage(RUSAGE_CHILDREN)
            subprocess.run([*command, "--out", f"{folder}/out"], env=os.environ | own, check=True)
            after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(profile: str = "teaching", *lessons: str) -> None:
    chosen = lessons or sorted(path.name[:2] for path in NOTEBOOKS.glob("*.ipynb"))
    rows = [(profile, lesson, round(cost(profile, lesson), 1)) for lesson in chosen]
    new = signed(pd.DataFrame(rows, columns=["profile", "lesson", "seconds"]))
    table = pd.concat([pd.read_csv(FILE, dtype={"lesson": str}), new])
    table = table.drop_duplicates(["profile", "lesson", "commit"], keep="last")
    write_atomically(FILE, table.to_csv(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
