"""Agreement of annotators: human precision, the levels of naacl2015, and Krippendorff's alpha."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from citectx.evaluation.offsets import Gold, Scores, Spans, characters, union_scores
from citectx.types import Floats

Measure: TypeAlias = Callable[[Spans, Gold], Scores]
"""`union_scores` or `weighted_scores` of `citectx.evaluation.offsets`."""


def human_precision(gold: Gold, measure: Measure = union_scores) -> dict[str, float]:
    """Score the precision of each annotator of a citance against the others; none if alone.

    Source: sigir2017 §3.1.
    Ambiguity: the paper compares one annotator with the other three, without saying whether with
    their union (`union_scores`, our default, as for systems) or with each in turn
    (`weighted_scores`).
    Ambiguity: an annotator without evidence has no precision, and does not count among the others.

    >>> human_precision({"A": [(0, 10)], "B": [(5, 10)], "C": [(8, 12)]})
    {'A': 0.5, 'B': 1.0, 'C': 0.5}
    """
    marked = {name: spans for name, spans in sorted(gold.items()) if len(spans)}
    if len(marked) < 2:
        return {}
    return {name: measure(marked[name], rest).precision for name, rest in others(marked)}


def others(gold: Gold) -> Iterator[tuple[str, Gold]]:
    """Leave each annotator out in turn.

    >>> dict(others({"A": [(0, 4)], "B": [(2, 6)]}))
    {'A': {'B': [(2, 6)]}, 'B': {'A': [(0, 4)]}}
    """
    for name in gold:
        yield name, {other: spans for other, spans in gold.items() if other != name}


def mean_human_precision(golds: Iterable[Gold], measure: Measure = union_scores) -> float:
    """Average the human precision over annotators, then over citances with two or more of them.

    Source: sigir2017 §3.1, which averages over a citance's annotators first (56.7 % on TAC 2014).

    >>> golds = [{"A": [(0, 4)], "B": [(0, 4)]}, {"A": [(0, 4)], "B": [(9, 12)], "C": [(0, 2)]}]
    >>> round(mean_human_precision(golds), 3)
    0.75
    """
    precisions = (human_precision(gold, measure) for gold in golds)
    return float(np.mean([np.mean([*values.values()]) for values in precisions if values]))


LEVELS = ("full", "all", "majority", "minority", "none")
"""Levels from most to least agreement, as in the rows of naacl2015 Table 1."""


class Level(NamedTuple):
    """How far the annotators of one citance agree: one of `LEVELS`, and on how much text.

    ``sharing`` is the largest number of annotators who marked the same character; ``overlap`` the
    share of all marked characters that so many marked; ``group_overlap`` that of the characters
    which this group marked, as a mean over groups of that size.

    >>> agreement_level({"A": [(0, 10)], "B": [(5, 10)]})
    Level(name='all', sharing=2, overlap=0.5, group_overlap=0.5)
    """

    name: str
    sharing: int
    overlap: float
    group_overlap: float


def agreement_level(marked: Gold) -> Level:
    """Return the level on which two or more annotators of a citance agree, and on how much text.

    They agree in *full* if all marked exactly the same characters; else the largest number who
    marked the same character makes the level: *all*, the *majority* (more than half), a *minority*
    of at least two, or *none*.

    Source: naacl2015 §3, Table 1.
    Ambiguity: the paper names the levels without saying when annotators agree in part. For us one
    common character is enough: average overlaps of about 20 % exclude anything much stricter. Its
    counts add up to its 313 annotations, so each citance counts once, on its highest level.
    Ambiguity: "average overlap" may relate shared text to all marked text (our `overlap`) or to the
    text of the agreeing group (`group_overlap`). The paper's three partial levels differ little
    (21.7, 19.2, 27.0 %), and so they do on Citation-Integrity by `overlap` (31, 31, 31 %), but not
    by `group_overlap` (31, 44, 42 %).
    Ambiguity: M may or may not count annotators who found nothing. We count them, with an empty
    tuple: they disagree with those who found something. Leaving them out raises 6 of the 218
    citances of Citation-Integrity to "all".

    >>> agreement_level({"A": [(0, 10)], "B": [(0, 5), (5, 10)]}).name
    'full'
    >>> agreement_level({"A": [(0, 10)], "B": [(5, 10)], "C": ()})
    Level(name='majority', sharing=2, overlap=0.5, group_overlap=0.5)
    """
    covered = [characters(spans) for spans in marked.values()]
    depth = Counter(chain.from_iterable(covered))  # how many marked each character
    sharing = max(depth.values(), default=0)
    if sharing < 2:
        return Level("none", sharing, 0.0, 0.0)
    if sharing < len(covered):
        name = "majority" if 2 * sharing > len(covered) else "minority"
    else:
        name = "full" if min(depth.values()) == sharing else "all"
    deepest = [*depth.values()].count(sharing)
    groups = [group for group in combinations(covered, sharing) if set.intersection(*group)]
    shares = [len(set.intersection(*group)) / len(set.union(*group)) for group in groups]
    return Level(name, sharing, deepest / len(depth), float(np.mean(shares)))


def coincidences(marked: Gold, size: int) -> Floats:
    """Count the coincidences for Krippendorff's alpha; counts of several citances add up.

    Every character of the article is a unit. The counts are: pairs of one annotator who marked it
    and one who did not, weighted by 1 / (M - 1); values "marked"; values "not marked". Annotators
    who found nothing count, with an empty tuple. All counts are 0 for one annotator.

    Ambiguity: which characters are units is open (naacl2015 reports no such coefficient). We take
    the whole article. Its length hardly matters: with articles ten times as long, alpha on
    Citation-Integrity would be 0.249 instead of 0.244.

    >>> coincidences({"A": [(0, 10)], "B": [(5, 10)]}, size=100)
    array([  5.,  15., 185.])
    """
    annotators = len(marked)
    if annotators < 2:
        return np.zeros(3)
    depth = Counter(chain.from_iterable(map(characters, marked.values())))
    mixed = sum(yes * (annotators - yes) for yes in depth.values()) / (annotators - 1)
    total = depth.total()
    return np.array([mixed, total, annotators * size - total])


def krippendorff_alpha(counts: ArrayLike) -> Floats:
    """Compute Krippendorff's alpha for two values from sums of `coincidences`, shape (..., 3).

    alpha = 1 - (n - 1) o / (a b), with o coincidences of unlike values among n = a + b values. It
    is 1 for perfect agreement, 0 for chance agreement, and NaN where all values are equal.

    Source: Krippendorff, *Computing Krippendorff's Alpha-Reliability* (2011), sections A and C.

    >>> float(krippendorff_alpha([4, 6, 14]).round(3))
    0.095
    """
    unlike, a, b = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore"):  # 0/0 where all values are equal
        return 1 - (a + b - 1) * unlike / (a * b)
