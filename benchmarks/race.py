"""A race: the same work by us and by a peer, in turn, on one core; processor time counts."""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

RUNS = 3
FORGETFUL = ("citectx.language", "citectx.evaluation", "citectx.summarization")
"""Packages that remember what they once made of a text."""

Outcome = TypeVar("Outcome")
Result = Literal["equal", "differs", "not compared"]


class Race(NamedTuple):
    """Milliseconds of the fastest runs, and how many times longer the peer took."""

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
    def line(self) -> str:
        """What it showed, in a line."""
        times = f"{self.ratio:.3g} times our {self.ours:,.1f} ms"
        spread = f"({self.low:.3g} to {self.high:.3g})"
        return f"{self.work}, {self.peer}: {times} {spread}; result {self.result}"


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
    """Let us and a peer do the same work in turn, each `repeats` times within a run."""
    spent = []
    with threadpool_limits(1):
        for _ in range(RUNS):
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
    fastest = 1000 * min(ours), 1000 * min(theirs), min(theirs) / min(ours)
    return Race(work, peer, compares, *fastest, float(ratios.min()), float(ratios.max()), result)


def seconds(work: Callable[[], Outcome], repeats: int = 1) -> tuple[float, Outcome]:
    """Return the mean processor time of repetitions from nothing, and the last result."""
    spent = 0.0
    for _ in range(repeats):
        forget()
        begun = time.process_time()
        result = work()
        spent += time.process_time() - begun
    return spent / repeats, result


def forget() -> None:
    """Empty all that remembers texts, and collect garbage."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FORGETFUL)]
    for module in modules:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
    gc.collect()


def zipf_words(size: int) -> tuple[list[str], np.ndarray]:
    """Make up words, and how frequent each is."""
    frequencies = 1 / np.arange(1, size + 1)
    return [f"w{i:04}" for i in range(size)], frequencies / frequencies.sum()
