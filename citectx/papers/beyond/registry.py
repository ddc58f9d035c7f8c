"""The registry of features: what a feature is, and how a function becomes one."""

from collections.abc import Callable
from dataclasses import dataclass

from citectx.papers.beyond.pairs import Pairs, reciprocal_ranks, standardised
from citectx.types import Floats

Compute = Callable[[Pairs], Floats]
VIEWS: dict[str, Callable[[Pairs, Floats], Floats]] = {
    "z": lambda _, scores: standardised(scores),
    "rank": lambda _, scores: reciprocal_ranks(scores),
    "near": lambda pairs, scores: standardised(scores) @ pairs.neighbours.T,
}


@dataclass(frozen=True)
class Feature:
    """One column of the model.

    Parameters
    ----------
    name : str
    group : str
        What it is of: a row of the table is a set of groups.
    about : str
        One sentence.
    source : callable
        From `Pairs` to numbers that broadcast to (citances, sentences).
    view : str
        Key of `VIEWS`, "" for the numbers as they are.
    """

    name: str
    group: str
    about: str
    source: Compute
    view: str = ""


FEATURES: dict[str, Feature] = {}
"""All features by name, in the order in which they are defined."""


def feature(group: str, *views: str, name: str = "") -> Callable[[Compute], Compute]:
    """Register a function as one feature, or one a view."""

    def register(compute: Compute) -> Compute:
        own, about = name or compute.__name__, (compute.__doc__ or "").partition("\n")[0]
        for view in views or ("",):
            full = f"{own}.{view}" if view else own
            FEATURES[full] = Feature(full, group, about, compute, view)
        return compute

    return register
