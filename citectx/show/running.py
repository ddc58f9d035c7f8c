"""Running what students hand in, in processes that cannot harm the one that grades."""

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from citectx.errors import ParameterError
from citectx.show.answers import from_json

MOST_BYTES = 10_000_000
"""The most that is read of what a notebook hands in."""


@dataclass
class Notes:
    """What came of running a notebook."""

    answers: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """The answers to each exercise; `...` is none yet, and a `ParameterError` a refused one."""
    shown: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The cells that asked for the solution of each exercise."""
    cell: int = 0
    """The last cell that was begun."""
    problem: str = ""
    """The first error, or what ended the run."""
    ended: bool = False


def run(sources: Sequence[str], home: Path, seconds: float, *options: str) -> Notes:
    """Run cells in a process of their own, which ends after some seconds; read what it notes."""
    with TemporaryDirectory() as folder:
        cells, answers = Path(folder, "cells.json"), Path(folder, "answers.jsonl")
        cells.write_text(json.dumps(sources), "utf-8")
        command = [sys.executable, "-P", "-m", "citectx.show.submission", str(cells), str(answers)]
        process = subprocess.Popen(
            [*command, *options],
            cwd=home,
            env=os.environ | environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
            end = f"its process ended (code {code})"
        except subprocess.TimeoutExpired:
            end = f"it takes more than {seconds} seconds"
        finally:
            stop(process)
        notes = read_notes(answers)
    if not notes.ended:
        notes.problem = f"{end}, in code cell {notes.cell + 1}"
    return notes


def environment(folder: str) -> dict[str, str]:
    """Say how a notebook is run for its answers: without widgets, and its files stay nowhere."""
    return {
        "CITECTX_STATIC": "1",
        "CITECTX_OUTPUT": str(Path(folder, "tables")),
        "IPYTHONDIR": str(Path(folder, "ipython")),
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, and those that it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError):  # all have ended
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def read_notes(path: Path) -> Notes:
    """Read what a run noted, and skip the lines that are not ours."""
    notes = Notes()
    text = ""
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(MOST_BYTES)
    for line in text.splitlines():
        with suppress(Exception):  # students' code may write to the file
            take(notes, json.loads(line))
    return notes


def take(notes: Notes, note: Mapping[str, Any]) -> None:
    """Add a line of a run to what was noted."""
    match note:
        case {"cell": int(number)}:
            notes.cell = number
        case {"exercise": str(exercise), "answer": answer}:
            notes.answers[exercise].append(from_json(answer))
        case {"exercise": str(exercise), "refused": str(why)}:
            notes.answers[exercise].append(ParameterError(why))
        case {"exercise": str(exercise), "unanswered": True}:
            notes.answers[exercise].append(...)
        case {"shown": str(exercise)}:
            notes.shown[exercise].append(notes.cell)
        case {"error": str(error)}:
            notes.problem = notes.problem or f"code cell {notes.cell + 1}: {error}"
        case {"ended": True}:
            notes.ended = True
