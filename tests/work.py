"""What tests hand to worker processes: apart from the tests, as a worker need not import pytest."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import numpy as np


def noise(seed: int) -> bytes:
    return np.random.default_rng(seed).normal(size=1000).cumsum().tobytes()


def slow_noise(job: tuple[str, int]) -> bytes:
    """Leave a note of who works, work a little, so that there is something to kill."""
    folder, seed = job
    with (Path(folder) / f"{os.getpid()}.begun").open("a") as file:
        file.write(f"{seed}\n")
    time.sleep(0.1)
    return noise(seed)


def kill_once(job: tuple[str, int]) -> bytes:
    """Kill the worker, in the middle of the fourth item, once."""
    folder, seed = job
    note = Path(folder) / "killed"
    if seed == 3 and not note.exists():
        note.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return noise(seed)


def fails(item: int) -> int:
    raise ValueError(f"item {item}")


def listening(_: int) -> list[str]:
    """Sockets on which this process or its parent listens."""
    rows = [row.split() for row in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    inodes = {row[9] for row in rows if row[3] == "0A"}
    own = []
    for fd in [
        fd for pid in (os.getpid(), os.getppid()) for fd in Path(f"/proc/{pid}/fd").iterdir()
    ]:
        with suppress(FileNotFoundError):  # closed meanwhile
            own.append(str(fd.readlink()))
    return [name for name in own if name.startswith("socket:") and name[8:-1] in inodes]


def dies(item: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def tell_and_sleep(_: int) -> None:
    print(os.getpid(), flush=True)
    time.sleep(60)
