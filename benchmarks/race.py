"""A race: the same work by us and by a peer, in turn, on one thread; processor time counts."""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

RUNS = 3  # rounds of a race, unless it asks for more
FORGETFUL = ("citectx.language", "citectx.evaluation", "citectx.summarization")
"""Packages with caches of what they computed from a text."""

Outcome = TypeVar("Outcome")
Result = Literal["equal", "differs", "not compared"]


class Race(NamedTuple):
    """How many times longer the peer took: fastest runs, and extremes within a run."""

    work: str
    peer: str
    ratio: float
    low: float
    high: float
    result: Result = "not compared"
    why: str = ""

    @classmethod
    def of(cls, work: str, peer: str, ours: Sequence[float], theirs: Sequence[float]) -> "Race":
        """Compare the seconds of all runs."""
        ratios = np.array(theirs) / np.array(ours)
        return cls(work, peer, min(theirs) / min(ours), float(ratios.min()), float(ratios.max()))


def race(
    work: str,
    peer: str,
    ours: Callable[[], Outcome],
    theirs: Callable[[], Outcome],
    repeats: tuple[int, int],
    same: Callable[[Outcome, Outcome], bool] | None = None,
    runs: int = RUNS,
) -> Race:
    """Let us and a peer do the same work in turn, each `repeats` times within a run."""
    spent = []
    for _ in range(runs):
        our_time, our_result = seconds(ours, repeats[0])
        their_time, their_result = seconds(theirs, repeats[1])
        spent.append((our_time, their_time))
    times = Race.of(work, peer, *zip(*spent, strict=True))
    if same is None:
        return times
    return times._replace(result="equal" if same(our_result, their_result) else "differs")


def seconds(work: Callable[[], Outcome], repeats: int = 1) -> tuple[float, Outcome]:
    """Return the mean processor time of repetitions with empty caches, and the last result.

    Libraries of linear algebra get one thread: the time of several would be added up.
    """
    spent = 0.0
    with threadpool_limits(1):
        for _ in range(repeats):
            forget()
            begun = time.process_time()
            result = work()
            spent += time.process_time() - begun
    return spent / repeats, result


def forget() -> None:
    """Empty all caches of texts, and collect garbage."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FORGETFUL)]
    for value in chain(*(vars(module).values() for module in modules)):
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    gc.collect()


def sentences(rng: np.random.Generator, number: int, vocabulary: int = 6000) -> list[list[str]]:
    """Make up sentences of 8 to 23 words that follow Zipf's law."""
    words = [f"w{i:04}" for i in range(vocabulary)]
    shares = 1 / np.arange(1, vocabulary + 1)
    lengths = rng.integers(8, 24, number)
    return [rng.choice(words, length, p=shares / shares.sum()).tolist() for length in lengths]
