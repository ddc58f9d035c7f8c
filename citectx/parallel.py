"""The same work in this process, on the cores of this machine, or on a Dask cluster.

Results come in the order of the items and do not depend on where they were computed, so every caller has one
code path: `run`.

>>> run(abs, [-3, 2, -1])
[3, 2, 1]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tqdm import tqdm

from citectx.errors import MissingDataError, ParameterError

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Output = TypeVar("Output")

RETRIES = 5
"""How often an item may be begun again after the worker that had it was lost."""

CONNECT_SECONDS = 10


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
        Must give the same result wherever it runs: no shared state, seeds in the item. With more than one
        job, or a scheduler, it and the items are pickled, so it must be importable on the workers.
    items : iterable
        Make them coarse: each costs a message to a worker and back.
    jobs : int
        1 runs in this process; more start as many worker processes on this machine, of one thread each.
    scheduler : str, optional
        Address of a running Dask scheduler, as in ``tcp://host:8786``; `jobs` is not looked at then. Its
        workers need this package in the same version.
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
        If `jobs` is below 1, or the scheduler cannot be reached.
    MissingDataError
        If Dask is needed and not installed.

    Notes
    -----
    When a worker dies, the scheduler gives what it had, and what it had finished but not yet handed over, to
    another one, up to `RETRIES` times for an item. An exception that the function raises ends the run.
    """
    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    todo = list(items)
    if scheduler is None and jobs == 1:
        return [function(item) for item in tqdm(todo, desc=label or None, disable=not progress)]
    with _client(min(jobs, max(len(todo), 1)), scheduler) as client:
        return _gather(client, function, todo, label, progress)


def chunks(items: Sequence[Item], size: int) -> list[tuple[Item, ...]]:
    """Cut items into runs of at most `size`, to make coarse work of fine.

    >>> chunks("abcde", 2)
    [('a', 'b'), ('c', 'd'), ('e',)]
    """
    return [tuple(items[i : i + size]) for i in range(0, len(items), size)]


def _gather(
    client: "Client", function: Callable[[Any], Any], items: list[Any], label: str, progress: bool
) -> list[Any]:
    from distributed import as_completed

    # pure=False: two equal items are two tasks, and nothing is answered from an earlier run.
    futures = client.map(function, items, pure=False, retries=RETRIES)
    place = {future.key: i for i, future in enumerate(futures)}
    results: list[Any] = [None] * len(futures)
    done = as_completed(futures, loop=client.loop, with_results=True)
    for future, result in tqdm(done, total=len(futures), desc=label or None, disable=not progress):
        results[place[future.key]] = result
        future.release()  # the workers need not keep what we have
    return results


@contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator["Client"]:
    """Connect to a scheduler, or start one with its workers, reachable from this machine only."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingDataError(
            "Dask is not installed: pip install 'citectx[cluster]', or use jobs=1"
        ) from error
    quiet = {
        "distributed.admin.tick.limit": "1h",
        "distributed.admin.large-graph-warning-threshold": "1 GB",  # a classifier goes with its work
        "distributed.scheduler.allowed-failures": RETRIES,
    }
    with dask.config.set(quiet):
        if scheduler is None:
            local = LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            )
            with local as cluster, Client(cluster, set_as_default=False) as client:
                yield client
            return
        try:
            client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
            raise ParameterError(
                f"no Dask scheduler answers at {scheduler!r} ({error}); expected an address as in "
                "tcp://host:8786, of a running `dask scheduler`"
            ) from error
        with client:
            yield client
