"""Races: the same work by us and by a peer, in turn in one run.

What counts is the ratio of their times.
"""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

RUNS = 5

Outcome = TypeVar("Outcome")
"""What a contender's work ends with."""


class Race(NamedTuple):
    """What a race showed.

    Parameters
    ----------
    work, peer : str
        What was done, and who else did it.
    ours, theirs : float
        Median milliseconds of processor time.
    ratio, low, high : float
        How many times longer the peer took: median, least and greatest of five runs.
    promised : float
        The ratio that our documentation promises.
    same : bool
        Whether both had the same result.
    """

    work: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    promised: float
    same: bool

    @property
    def kept(self) -> bool:
        """Whether the promise was kept."""
        return self.same and self.ratio >= self.promised


def race(
    work: str,
    peer: str,
    ours: Callable[[], Outcome],
    theirs: Callable[[], Outcome],
    promised: float,
    *,
    same: Callable[[Outcome, Outcome], bool] | None = None,
    times: int = 1,
    repeats: int = 1,
) -> Race:
    """Let us and a peer do the same work in turn, on one core.

    Parameters
    ----------
    work, peer : str
    ours, theirs : callable
    promised : float
    same : callable
        Compares the results.
    times : int
        How often the peer's time counts, where ours does the work so often.
    repeats : int
        How often we do it within a run, where it is too quick for the clock.
    """
    spent = []
    with threadpool_limits(1):
        for _ in range(RUNS):
            own_time, own = seconds(ours, repeats)
            other_time, other = seconds(theirs, 1)
            spent.append((own_time / repeats, times * other_time))
    mine, others = np.array(spent).T
    return measured(work, peer, mine, others, promised, same is None or bool(same(own, other)))


def measured(
    work: str, peer: str, ours: np.ndarray, theirs: np.ndarray, promised: float, same: bool = True
) -> Race:
    """Put the seconds of all runs into a line."""
    ratios = theirs / ours
    return Race(
        work,
        peer,
        ours=1000 * float(np.median(ours)),
        theirs=1000 * float(np.median(theirs)),
        ratio=float(np.median(ratios)),
        low=ratios.min(),
        high=ratios.max(),
        promised=promised,
        same=same,
    )


def seconds(work: Callable[[], Outcome], repeats: int) -> tuple[float, Outcome]:
    """Return the processor time of some repetitions, and the last result."""
    begun = time.process_time()
    for _ in range(repeats):
        result = work()
    return time.process_time() - begun, result
