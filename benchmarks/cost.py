"""What lessons cost: ``python -m benchmarks.cost [PROFILE [NN ...]]`` adds rows to ``cost.csv``.

Processor seconds of ``citectx run``, with its kernel; what it makes goes to ``results/PROFILE`` as
ever. Lessons on the teaching corpus are run with warm caches, others with an empty one.
"""

import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import pandas as pd

from benchmarks.__main__ import signed
from citectx.paths import NOTEBOOKS, ROOT
from citectx.storage import write_atomically

FILE = ROOT / "benchmarks" / "cost.csv"
WARM = "teaching"


def cost(profile: str, lesson: str) -> float:
    """Run a lesson, and return the processor seconds that it took."""
    command = [sys.executable, "-m", "citectx.cli", "run", "--profile", profile, "--only", lesson]
    with TemporaryDirectory() as empty:
        environment = os.environ | ({} if profile == WARM else {"CITECTX_CACHE": empty})
        if profile == WARM:
            subprocess.run(command, env=environment, check=True)
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, check=True)
        after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(profile: str = WARM, *lessons: str) -> None:
    for lesson in lessons or sorted(path.name[:2] for path in NOTEBOOKS.glob("*.ipynb")):
        row = {"profile": profile, "lesson": lesson, "seconds": round(cost(profile, lesson), 1)}
        new = signed(pd.DataFrame([row]))
        table = pd.concat([pd.read_csv(FILE, dtype={"lesson": str}), new])
        table = table.drop_duplicates(["profile", "lesson", "commit"], keep="last")
        write_atomically(FILE, table.to_csv(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
