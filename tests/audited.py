"""Runs at the start of each of nbval's kernels: what is opened without being noted is an error.

Python itself tells of every file that is opened (`sys.addaudithook`). Below the folders of the
project each must have been noted by `citectx.reading`, else a run would not know its inputs.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WATCHED = tuple(f"{ROOT / name}{os.sep}" for name in ("citectx", "data", "docs", "results"))
BY_HAND = str(ROOT / "results" / "by-hand")
WRITING = os.O_WRONLY | os.O_RDWR


def check(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse to open a file of the project that has not been noted."""
    if event != "open":
        return
    path, mode, flags = arguments
    writes = set(mode) & {*"wax+"} if isinstance(mode, str) else int(str(flags)) & WRITING
    if writes or not isinstance(path, str | bytes):
        return
    name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - resolving a link would open more
    if not name.startswith(WATCHED) or name.endswith((".py", ".pyc")):
        return
    if name.startswith(BY_HAND):  # what the lesson itself has written
        return
    reading = sys.modules.get("citectx.reading")
    noted = reading.noted() if reading else ()
    trees = tuple(each.removesuffix("**") for each in noted if each.endswith("/**"))
    if name not in noted and not name.startswith(trees):
        raise RuntimeError(f"opened without citectx.reading: {name}")


if os.environ.get("CITECTX_AUDITED"):
    sys.addaudithook(check)
