"""The same work on one core or several: joblib's processes, with a progress bar.

On a Dask cluster: ``with joblib.parallel_config(backend="dask"): ...``, after connecting a client.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

import joblib
from tqdm import tqdm

from citectx.errors import ParameterError

Item = TypeVar("Item")
Output = TypeVar("Output")


def run(
    function: Callable[[Item], Output],
    items: Iterable[Item],
    *,
    jobs: int = 1,
    label: str = "",
    progress: bool = False,
) -> list[Output]:
    """Apply a function to each item, in several processes; the results keep the order of the items.

    The function and the items are pickled for other processes. `label` stands at the progress bar.

    >>> run(abs, [-3, 2, -1])
    [3, 2, 1]
    """
    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    todo = list(items)
    pool = joblib.Parallel(jobs, return_as="generator")
    results = pool(joblib.delayed(function)(item) for item in todo)
    return list(tqdm(results, label, len(todo), disable=not progress))
