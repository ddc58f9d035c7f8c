"""The same work in this process, on the cores of this machine, or on a Dask cluster.

Results come in the order of the items and do not depend on where they were computed, so every
caller has one code path: `run`. Processes on this machine talk through pipes; nothing listens on a
port.

>>> run(abs, [-3, 2, -1])
[3, 2, 1]
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import connection
from threading import Thread
from typing import Any, TypeVar

from tqdm import tqdm

from citectx import __version__, reading
from citectx.errors import CitectxError, MissingDataError, ParameterError

Item = TypeVar("Item")
Output = TypeVar("Output")

RETRIES = 5
"""How often work may be begun again after a worker that had some of it was lost."""

CONNECT_SECONDS = 10
"""How long a scheduler may take to answer."""

SCHEMES = ("tcp://", "tls://")


class WorkerError(CitectxError):
    """Worker processes died again and again, most likely for want of memory."""


def run(
    function: Callable[[Item], Output],
    items: Iterable[Item],
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    label: str = "",
    progress: bool = False,
) -> list[Output]:
    """Apply a function to each item.

    Parameters
    ----------
    function : callable
        Must give the same result wherever it runs: no shared state, seeds in the item. With more
        than one job, or a scheduler, it and the items are pickled, so it must be importable on the
        workers.
    items : iterable
        Make them coarse: each costs a message to a worker and back.
    jobs : int
        1 runs in this process; more start as many worker processes on this machine, of one thread
        each.
    scheduler : str, optional
        Address of a running Dask scheduler, as in ``tcp://host:8786``, or ``tls://`` with
        certificates in Dask's configuration; `jobs` is not looked at then. Its workers need this
        package in the same version. A scheduler runs what anyone who reaches it sends: use one only
        on a network you trust, or with TLS.
    label : str
        What the progress bar says.
    progress : bool
        Show a progress bar.

    Returns
    -------
    list
        One result for each item, in their order.

    Raises
    ------
    ParameterError
        If `jobs` is below 1, or the scheduler's address has another scheme or does not answer in
        `CONNECT_SECONDS`.
    MissingDataError
        If a scheduler is named and Dask is not installed.
    WorkerError
        If worker processes of this machine die more than `RETRIES` times.

    Notes
    -----
    When a worker dies, others do its work again, up to `RETRIES` times. An exception that the
    function raises ends the run.
    """
    check(jobs, scheduler)
    if scheduler is None:
        return list(stream(function, items, jobs=jobs, label=label, progress=progress))
    todo = list(items)
    with _client(scheduler) as client:
        return _gather(client, function, todo, _bar(todo, label, progress))


def stream(
    function: Callable[[Item], Output],
    items: Iterable[Item],
    *,
    jobs: int = 1,
    label: str = "",
    progress: bool = False,
) -> Iterator[Output]:
    """Apply a function to each item as `run` does on this machine, and yield results at once.

    A result waits only for those of earlier items, so that their order is that of the items.

    >>> list(stream(abs, [-3, 2, -1]))
    [3, 2, 1]
    """
    check(jobs)
    todo = list(items)
    bar = _bar(todo, label, progress)
    if jobs == 1 or not todo:
        yield from map(function, tqdm(todo, **bar))
        return
    early: dict[int, Output] = {}
    place = 0
    for i, output in _local(function, todo, min(jobs, len(todo)), bar):
        early[i] = output
        while place in early:
            yield early.pop(place)
            place += 1


def _bar(items: Sequence[object], label: str, progress: bool) -> dict[str, Any]:
    """Describe a progress bar to tqdm."""
    return {"total": len(items), "desc": label or None, "disable": not (progress and items)}


def check(jobs: int, scheduler: str | None = None) -> None:
    """Refuse an invalid number of jobs or address of a scheduler."""
    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    if scheduler is not None and not scheduler.startswith(SCHEMES):
        raise ParameterError(
            f"scheduler {scheduler!r}: expected {' or '.join(SCHEMES)}, a host and a port"
        )


def chunks(items: Sequence[Item], size: int) -> list[tuple[Item, ...]]:
    """Cut items into runs of at most `size`, to make coarse work of fine.

    >>> chunks("abcde", 2)
    [('a', 'b'), ('c', 'd'), ('e',)]
    """
    return [tuple(items[i : i + size]) for i in range(0, len(items), size)]


def _local(
    function: Callable[[Any], Any], items: list[Any], jobs: int, bar: dict[str, Any]
) -> Iterator[tuple[int, Any]]:
    """Apply a function in processes of this machine; new ones redo the work of dead ones.

    Yields the place of each item with its result, as they are finished.
    """
    left = dict.fromkeys(range(len(items)))
    spawn = multiprocessing.get_context("spawn")  # a fork would copy the locks of other threads
    with tqdm(**bar) as shown:
        for _ in range(RETRIES + 1):
            with ProcessPoolExecutor(jobs, spawn, initializer=_begin) as pool:
                futures = {pool.submit(_reporting, function, items[i]): i for i in left}
                try:
                    for future in as_completed(futures):
                        i = futures.pop(future)  # its result need not be kept
                        output = _noted(future.result())
                        del left[i]
                        shown.update()
                        yield i, output
                except BrokenProcessPool:
                    continue
                finally:
                    pool.shutdown(wait=True, cancel_futures=True)
            return
    rest = f"{len(left)} of {len(items)}"
    raise WorkerError(
        f"worker processes died {RETRIES + 1} times, with {rest} pieces of work left; "
        "if memory is short, use fewer jobs"
    )


def _reporting(function: Callable[[Any], Any], item: Any) -> tuple[Any, list[str], list[str]]:
    """Apply a function in a worker; with its output go modules, and files not told of before."""
    output = function(item)
    return output, reading.news(), reading.modules()


def _noted(report: tuple[Any, list[str], list[str]]) -> Any:
    """Note what a worker has read; returns its output."""
    output, names, imported = report
    reading.add(names, imported)
    return output


def _begin() -> None:
    """Make a process a worker: of one thread, and gone when its parent is.

    With one thread for linear algebra there are as many workers as cores, and sums in one order.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent is gone: workers hold each other's pipes open, and would wait on."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _gather(
    client: Any, function: Callable[[Any], Any], items: list[Any], bar: dict[str, Any]
) -> list[Any]:
    from distributed import as_completed

    # pure=False: two equal items are two tasks, and nothing is answered from an earlier run.
    work = partial(_checked, function, __version__)
    futures = client.map(work, items, pure=False, retries=RETRIES)
    place = {future.key: i for i, future in enumerate(futures)}
    results: dict[int, Any] = {}
    done = as_completed(futures, loop=client.loop, with_results=True)
    try:
        for future, result in tqdm(done, **bar):
            if future.status == "finished":  # what Dask cancelled has an error for a result
                results[place[future.key]] = _noted(result)
            future.release()  # the workers need not keep what we have
    except ModuleNotFoundError as error:
        raise WorkerError(
            f"a worker lacks {error.name}: install this package there, too"
        ) from error
    if missing := len(items) - len(results):  # Dask cancels what is left, without an error
        raise WorkerError(
            f"the scheduler went away, with {missing} of {len(items)} pieces of work left; "
            "run again"
        )
    return [results[i] for i in range(len(items))]


def _checked(
    function: Callable[[Any], Any], version: str, item: Any
) -> tuple[Any, list[str], list[str]]:
    """Apply a function on a worker, if that has the version of whoever asks."""
    if version != __version__:
        raise WorkerError(
            f"a worker has citectx {__version__}, you have {version}; install the same there"
        )
    # All names each time: such a worker has told some of them to whoever came before us.
    return function(item), reading.noted(), reading.modules()


@contextmanager
def _client(scheduler: str) -> Iterator[Any]:
    """Connect to a running scheduler; Dask alone waits forever for a port that stays silent."""
    try:
        import dask
        from distributed import Client  # before our settings: with it come its own
    except ImportError as error:
        raise MissingDataError("Dask is not installed: pip install 'citectx[cluster]'") from error
    settings = {
        "distributed.admin.tick.limit": "1h",
        # A classifier goes with its work.
        "distributed.admin.large-graph-warning-threshold": "1 GB",
        "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    }
    answer = Future[Any]()

    def connect() -> None:
        try:
            answer.set_result(Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False))
        except Exception as error:
            answer.set_exception(error)

    with dask.config.set(settings):
        Thread(target=connect, daemon=True).start()
        try:
            client = answer.result(1.5 * CONNECT_SECONDS)
        except Exception as error:
            raise ParameterError(
                f"no Dask scheduler answers at {scheduler!r} ({error or 'it is silent'})"
            ) from error
        with client:
            yield client
