"""Races: the same work by us and by a peer, in turn in one run.

What counts is the ratio of their times. Hardware that counts instructions is often hidden from
virtual machines, and Valgrind needs minutes for each race; processor time is there everywhere, and
the fastest of several runs is the one that other programs disturbed least.
"""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

RUNS = 5
ENOUGH = 25.0
"""Seconds after which a race is not run once more, if it has been run twice."""

FORGETFUL = ("citectx.language", "citectx.evaluation", "citectx.summarization")
"""Packages that remember what they once made of a text."""

Outcome = TypeVar("Outcome")
"""What a contender's work ends with."""

Result = Literal["equal", "differs", "not compared"]


class Race(NamedTuple):
    """What a race showed.

    Parameters
    ----------
    work, peer : str
        What was done, and who else did it.
    compares : str
        What the race compares and what it leaves out, in a sentence.
    ours, theirs : float
        Milliseconds of processor time, the fastest run of each.
    ratio : float
        How many times longer the peer took: its fastest run over ours.
    low, high : float
        Least and greatest ratio within a run.
    result : {"equal", "differs", "not compared"}
        Whether both came to the same.
    """

    work: str
    peer: str
    compares: str
    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    result: Result

    @property
    def key(self) -> tuple[str, str]:
        """What identifies a race from run to run."""
        return self.work, self.peer

    @property
    def line(self) -> str:
        """What it showed, in a line."""
        spread = f"({self.low:.3g} to {self.high:.3g})"
        times = f"{self.ratio:.3g} times our {self.ours:,.1f} ms {spread}"
        return f"{self.work}, {self.peer}: {times}; result {self.result}"


def race(
    work: str,
    peer: str,
    compares: str,
    ours: Callable[[], Outcome],
    theirs: Callable[[], Outcome],
    *,
    same: Callable[[Outcome, Outcome], bool] | None = None,
    repeats: tuple[int, int] = (1, 1),
) -> Race:
    """Let us and a peer do the same work in turn, on one core.

    Parameters
    ----------
    work, peer, compares : str
    ours, theirs : callable
    same : callable
        Compares the results.
    repeats : (int, int)
        How often we and the peer do it within a run, where it is too quick for the clock.
    """
    spent: list[tuple[float, float]] = []
    with threadpool_limits(1):
        begun = time.process_time()
        while len(spent) < 2 or (len(spent) < RUNS and time.process_time() < begun + ENOUGH):
            own_time, own = seconds(ours, repeats[0])
            other_time, other = seconds(theirs, repeats[1])
            spent.append((own_time, other_time))
    result: Result = "not compared"
    if same is not None:
        result = "equal" if same(own, other) else "differs"
    mine, others = zip(*spent, strict=True)
    return measured(work, peer, compares, mine, others, result)


def measured(
    work: str,
    peer: str,
    compares: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    result: Result = "not compared",
) -> Race:
    """Put the seconds of all runs into a line."""
    ratios = np.array(theirs) / np.array(ours)
    return Race(
        work,
        peer,
        compares,
        ours=1000 * min(ours),
        theirs=1000 * min(theirs),
        ratio=min(theirs) / min(ours),
        low=float(ratios.min()),
        high=float(ratios.max()),
        result=result,
    )


def seconds(work: Callable[[], Outcome], repeats: int = 1) -> tuple[float, Outcome]:
    """Return the mean processor time of some repetitions, each from nothing, and the last result.

    Nothing is left from the repetition before: neither garbage nor what we remember of a text.
    """
    spent = 0.0
    for _ in range(repeats):
        forget()
        begun = time.process_time()
        result = work()
        spent += time.process_time() - begun
    return spent / repeats, result


def forget() -> None:
    """Empty all that remembers texts, and collect garbage."""
    for name, module in list(sys.modules.items()):
        if name.startswith(FORGETFUL):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and getattr(value, "__module__", "") == name:
                    value.cache_clear()
    gc.collect()
