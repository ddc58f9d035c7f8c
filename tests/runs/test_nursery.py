"""Forked kernels: what others make, in less time, and none that outlives its run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.experiments.results import RUN
from citectx.parallel import WorkerError
from citectx.runs import kernel, nursery, runner
from tests.runs.test_runner import PROFILE, write_notebook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")

COMPUTE = """
import os, random
import matplotlib.pyplot as plt
import pandas as pd
random.seed(k)
print(random.random(), os.getcwd())
plt.plot([1, 3, 2])
pd.DataFrame({"a": [k]})
"""
IMPORTS = (
    "import citectx.errors",
    "from citectx.language import text",
    "from citectx.retrieval import BM25",
)


def result(folder: Path) -> tuple[str, dict[str, dict[str, str]]]:
    """A notebook's cells, and what it has imported and read."""
    (notebook,) = folder.glob("*.ipynb")
    state = json.loads((folder / RUN).read_text("utf-8"))["state"]
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return json.dumps([{**cell, "id": ""} for cell in cells]), state


def test_forked_kernels_make_what_others_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    for i, imported in enumerate(IMPORTS):
        write_notebook(tmp_path, f"{i:02}_a", imported, COMPUTE)
    for enough in (3, 4):
        monkeypatch.setattr(nursery, "ENOUGH", enough)
        home = tmp_path / f"results{enough}"
        monkeypatch.setenv("CITECTX_RESULTS", str(home))
        done = runner.run(PROFILE, folder=tmp_path, jobs=2)
        found[enough] = [result(home / "teaching" / outcome.name) for outcome in done]
    assert found[3] == found[4]
    assert "image/png" in found[3][0][0]
    assert len({tuple(state["modules"]) for _, state in found[3]}) == len(IMPORTS)
    assert nursery.here() is None


def test_kernels_have_one_parent_and_their_own_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    tell = "import os\nprint(os.getppid(), os.getpid(), os.environ['CITECTX_OUTPUT'])"
    for i in range(3):
        write_notebook(tmp_path, f"{i:02}_a", tell)
    done = runner.run(PROFILE, folder=tmp_path)
    told = []
    for outcome in done:
        (path,) = outcome.job.folder.glob("*.ipynb")
        *_, last = kernel.code_cells(kernel.read(path))
        told.append(last["outputs"][0]["text"].split())
    parents, own, folders = (set(each) for each in zip(*told, strict=True))
    assert len(parents) == 1
    assert str(os.getpid()) not in parents
    assert len(own) == len(folders) == 3


def gone(process: int) -> bool:
    """Whether a process has ended, or is a zombie that nobody has waited for."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def test_kernels_end_when_their_run_is_killed(tmp_path: Path) -> None:
    tell = "import os, time\nfrom pathlib import Path"
    wait = f"Path({str(tmp_path)!r}, f'{{os.getpid()}}.pid').touch()\ntime.sleep(600)"
    for i in range(3):
        write_notebook(tmp_path, f"{i:02}_a", tell, wait)
    code = (
        "from pathlib import Path; from citectx.runs import runner; "
        "from tests.runs.test_runner import PROFILE; "
        f"runner.run(PROFILE, folder=Path({str(tmp_path)!r}), jobs=2)"
    )
    env = {**os.environ, "CITECTX_RESULTS": str(tmp_path / "results")}
    with subprocess.Popen([sys.executable, "-c", code], env=env) as run:
        pids = as_many_as(2, lambda: [int(path.stem) for path in tmp_path.glob("*.pid")])
        assert not any(map(gone, pids))
        run.send_signal(signal.SIGKILL)
    as_many_as(0, lambda: [pid for pid in pids if not gone(pid)])


def as_many_as(number: int, ask: Callable[[], list[int]], seconds: float = 60.0) -> list[int]:
    """Ask until the answer has so many; returns it."""
    end = time.monotonic() + seconds
    while len(answer := ask()) != number:
        assert time.monotonic() < end, answer
        time.sleep(0.1)
    return answer


def test_a_nursery_that_has_died_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "LIBRARIES", ())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with nursery.opened(3, os.environ), pytest.raises(WorkerError, match="forked from has died"):
        nursery.Kernel(nursery.here() or tmp_path, [], {}, tmp_path)
