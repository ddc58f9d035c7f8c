"""`parallel.run`: in this process, in local workers, on a running scheduler; workers that are
killed."""

import builtins
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from citectx import parallel
from citectx.errors import MissingDataError, ParameterError
from citectx.paths import ROOT
from tests.work import dies, fails, kill_once, listening, noise, slow_noise


@contextmanager
def cluster() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A scheduler with two workers, as separate processes: what a cluster is."""
    pytest.importorskip("distributed")
    code = (
        "import time; from distributed import LocalCluster; c = LocalCluster(n_workers=2, "
        "threads_per_worker=1, host='127.0.0.1', dashboard_address=None, silence_logs=50); "
        "print(c.scheduler_address, flush=True); time.sleep(3600)"
    )
    command = [sys.executable, "-c", code]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=quiet, text=True)
    assert process.stdout
    yield process.stdout.readline().strip(), process
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with cluster() as (address, _):
        yield address


def test_in_process_results_come_in_order() -> None:
    assert parallel.run(noise, range(5)) == [noise(i) for i in range(5)]
    assert parallel.run(noise, []) == []


def test_results_are_streamed_in_order_and_at_once(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), i) for i in range(40)]
    assert list(parallel.stream(kill_once, jobs[:8], jobs=2)) == [noise(i) for i in range(8)]
    streamed: Any = parallel.stream(slow_noise, jobs, jobs=2)
    assert next(streamed) == noise(0)
    streamed.close()
    begun = sum(len(path.read_text().split()) for path in tmp_path.glob("*.begun"))
    assert begun < len(jobs)
    with pytest.raises(ParameterError, match="jobs"):
        next(parallel.stream(noise, [1], jobs=0))


def test_a_cluster_gives_the_same_bytes(scheduler: str) -> None:
    assert parallel.run(noise, range(40), scheduler=scheduler) == parallel.run(noise, range(40))


@pytest.mark.slow
def test_a_worker_killed_from_outside_loses_nothing(scheduler: str, tmp_path: Path) -> None:
    def kill_the_first() -> None:
        for _ in range(200):
            begun = sorted(tmp_path.glob("*.begun"))
            if begun and begun[0].read_text().count("\n") >= 3:
                os.kill(int(begun[0].stem), signal.SIGKILL)
                (tmp_path / "killed").write_text(begun[0].stem)
                return
            time.sleep(0.02)

    killer = threading.Thread(target=kill_the_first)
    killer.start()
    found = parallel.run(slow_noise, [(str(tmp_path), i) for i in range(24)], scheduler=scheduler)
    killer.join()
    assert (tmp_path / "killed").exists()
    assert found == [noise(i) for i in range(24)]
    assert len(list(tmp_path.glob("*.begun"))) >= 2


def test_local_workers_survive_one_that_dies_at_its_work(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), i) for i in range(8)]
    assert parallel.run(kill_once, jobs, jobs=2) == [noise(i) for i in range(8)]
    assert int((tmp_path / "killed").read_text()) != os.getpid()


def test_what_the_function_raises_reaches_the_caller(scheduler: str) -> None:
    with pytest.raises(ValueError, match="item 1"):
        parallel.run(fails, [1])
    with pytest.raises(ValueError, match="item 1"):
        parallel.run(fails, [1], scheduler=scheduler)


def test_workers_of_another_version_are_refused(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "__version__", "0.0.9")
    with pytest.raises(parallel.WorkerError, match=r"0\.0\.9"):
        parallel.run(noise, [1], scheduler=scheduler)


@pytest.mark.parametrize(
    "stages", [{"index"}, pytest.param({"index", "count", "search"}, marks=pytest.mark.slow)]
)
def test_a_worker_killed_in_a_stage_costs_nothing(
    tmp_path: Path, scheduler: str, stages: set[str]
) -> None:
    from citectx.apps import parts  # here: the other tests' workers need not import it
    from tests.apps.test_parts import (
        QUERIES,
        WEIGHTS,
        Fatal,
        FatalWeights,
        Planted,
        armed,
        rows,
        whole,
    )

    notes = {stage: armed(tmp_path / stage) for stage in sorted(stages)}
    parts.index(Planted(notes["index"]), tmp_path / "parts", 6, scheduler=scheduler)
    assert not notes["index"].exists()
    term = Fatal("mouse")
    term.note = notes.get("count")
    weights = FatalWeights(WEIGHTS, notes["search"]) if "search" in notes else WEIGHTS
    queries = [("the", term, "sample"), *QUERIES[1:]]
    k = 9 + len(stages)  # of their own, so that no hits are kept from the other case
    hits = parts.search(tmp_path / "parts", queries, weights, k, scheduler=scheduler)
    assert [path.name for path in tmp_path.iterdir()] == ["parts"], "each stage had its dead"
    assert rows(hits) == whole(QUERIES, k)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_an_error(tmp_path: Path) -> None:
    with cluster() as (address, process):
        threading.Timer(2, process.kill).start()
        with pytest.raises(parallel.WorkerError, match="went away"):
            parallel.run(slow_noise, [(str(tmp_path), i) for i in range(200)], scheduler=address)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "nowhere at all", "ucx://a"]
)
def test_a_scheduler_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ParameterError, match=address):
        parallel.run(noise, [1], scheduler=address)


def test_a_scheduler_that_accepts_and_is_silent_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ParameterError, match=address):
            parallel.run(noise, [1], scheduler=address)


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="reads /proc")
def test_local_workers_listen_on_no_port() -> None:
    assert parallel.run(listening, [1], jobs=2) == [[]]
    with socket.create_server(("127.0.0.1", 0)):
        assert len(listening(1)) == 1


def test_workers_that_die_each_time_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "RETRIES", 1)
    with pytest.raises(parallel.WorkerError, match="died 2 times, with 1 of 1"):
        parallel.run(dies, [1], jobs=2)


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name in ("dask", "distributed"):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDataError, match=r"citectx\[cluster\]"):
        parallel.run(noise, [1], scheduler="tcp://127.0.0.1:9")
    assert parallel.run(noise, [1], jobs=2) == [noise(1)]


def test_jobs_below_one_are_refused() -> None:
    with pytest.raises(ParameterError, match="jobs"):
        parallel.run(noise, [1], jobs=0)


def test_workers_end_when_whoever_started_them_is_killed() -> None:
    code = (
        "from citectx.parallel import run; from tests.work import tell_and_sleep; "
        "run(tell_and_sleep, [0, 1], jobs=2)"
    )
    command = [sys.executable, "-c", code]
    asking = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert asking.stdout is not None
    workers = [int(asking.stdout.readline()) for _ in range(2)]
    asking.kill()
    asking.wait()
    for _ in range(100):
        left = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"{left} are still there")
