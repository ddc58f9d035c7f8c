"""How far the annotators of a citance agree: naacl2015's levels of agreement, and Krippendorff's alpha.

>>> marked = {"A": [(0, 10)], "B": [(5, 15)], "C": [(8, 20)], "D": [(40, 50)]}
>>> agreement_level(marked)
Level(name='majority', sharing=3, overlap=0.06666666666666667, group_overlap=0.1)
>>> float(krippendorff_alpha(coincidences(marked, size=100)).round(3))
0.133
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citectx.errors import ParameterError
from citectx.evaluation.offsets import Gold, merge

LEVELS = ("full", "all", "majority", "minority", "none")
"""From the most agreement to the least, as in the rows of naacl2015 Table 1."""


class Level(NamedTuple):
    """How far the annotators of one citance agree.

    Parameters
    ----------
    name : str
        One of `LEVELS`.
    sharing : int
        The largest number of annotators who marked one and the same character.
    overlap : float
        Of the characters that anyone marked, the fraction that `sharing` annotators marked; else 0.
    group_overlap : float
        The same among those annotators alone: what all of the group marked, over what any of it did. Where
        several groups of that size share characters, the mean over them.
    """

    name: str
    sharing: int
    overlap: float
    group_overlap: float


def agreement_level(marked: Gold) -> Level:
    """Say on which level the annotators of a citance agree, and on how much.

    Of M annotators: *full*, all marked exactly the same characters; *all*, at least one character was marked
    by all of them; *majority*, by more than half; *minority*, by two or more but at most half; *none*, no
    character was marked twice. Among two or three annotators there is no minority.

    Parameters
    ----------
    marked : mapping of annotator to spans
        M is its length: who looked for evidence and found none belongs in it, with an empty tuple.

    Raises
    ------
    ParameterError
        With fewer than two annotators, or if none of them marked anything.

    Notes
    -----
    Source: naacl2015 §3, Table 1.

    Ambiguity: the paper names the levels without saying when annotators agree in part. We take one common
    character for enough; overlaps of 20 % on average speak against anything stricter. Its counts add up to
    its 313 annotations, so each citance counts once, on its highest level.

    Ambiguity: "average overlap" may relate what is shared to all marked text or to that of the agreeing
    group. By the first, small groups do not overlap more by nature; in the paper the three partial levels
    differ little (21.7, 19.2, 27.0 %), and so they do on Citation-Integrity (31, 31, 31 %), while by the
    second the smaller groups are far ahead (31, 44, 42 %). So `overlap` is the first reading, and
    `group_overlap` the second.

    Ambiguity: whether M counts annotators who found nothing. It does here: they looked, and disagree with all
    who found something. Leaving them out raises 6 of the 218 citances of Citation-Integrity to "all".

    Examples
    --------
    >>> agreement_level({"A": [(0, 10)], "B": [(0, 5), (5, 10)]}).name
    'full'
    >>> agreement_level({"A": [(0, 10)], "B": [(5, 10)], "C": ()})
    Level(name='majority', sharing=2, overlap=0.5, group_overlap=0.5)
    """
    lengths, covered = _segments(marked)
    depth = covered.sum(axis=0)
    if len(covered) < 2 or not depth.any():
        raise ParameterError("agreement needs two annotators, one with evidence: leave such a citance out")
    sharing = int(depth.max())
    if sharing < 2:
        return Level("none", sharing, 0.0, 0.0)
    identical = bool(covered[:, depth > 0].all())
    overlap = float(lengths[depth == sharing].sum() / lengths[depth > 0].sum())
    groups = np.unique(covered[:, depth == sharing], axis=1).T
    return Level(
        "full" if identical else _partial(sharing, len(covered)),
        sharing,
        overlap,
        float(np.mean([_jaccard(lengths, covered[group]) for group in groups])),
    )


def _partial(sharing: int, annotators: int) -> str:
    if sharing == annotators:
        return "all"
    return "majority" if 2 * sharing > annotators else "minority"


def _jaccard(lengths: NDArray[np.int64], covered: NDArray[np.bool_]) -> float:
    return float(lengths[covered.all(axis=0)].sum() / lengths[covered.any(axis=0)].sum())


def _segments(marked: Gold) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Cut a text wherever a span begins or ends: lengths (S,) of the pieces, and who covers each (M, S)."""
    borders = [np.array(merge(spans), dtype=np.int64).ravel() for spans in marked.values()]
    cuts = np.unique(np.concatenate([*borders, []])).astype(np.int64)
    # Merged spans never touch, so an odd number of borders at or before a place means inside.
    inside = [np.searchsorted(own, cuts[:-1], side="right") % 2 == 1 for own in borders]
    lengths = np.diff(cuts)
    return lengths, np.array(inside, dtype=bool).reshape(len(borders), len(lengths))


def coincidences(marked: Gold, size: int) -> NDArray[np.float64]:
    """Count what Krippendorff's alpha is computed from, for one citance; counts of citances add up.

    Every character of the article is a unit, which each annotator either marked or did not.

    Parameters
    ----------
    marked : mapping of annotator to spans
        Those who looked for evidence; who found none has an empty tuple, who did not look is absent.
    size : int
        Characters of the article.

    Returns
    -------
    (3,) array of float
        Pairs of one annotator who marked a character and one who did not, each weighted by 1/(M-1), so that
        a unit counts by its number of annotators; values "marked"; values "not marked". All 0 with fewer
        than two annotators, as nothing can be compared.

    Raises
    ------
    ParameterError
        If a span leaves the article.

    Notes
    -----
    Ambiguity: which characters are units is open (naacl2015 reports no such coefficient). We take the whole
    text of the article. Little of it is marked, so more of it changes little: with articles ten times as long
    alpha on Citation-Integrity would be 0.249 instead of 0.244.

    Examples
    --------
    >>> coincidences({"A": [(0, 10)], "B": [(5, 10)]}, size=100)
    array([  5.,  15., 185.])
    """
    lengths, covered = _segments(marked)
    last = max((end for spans in marked.values() for _, end in spans), default=0)
    if last > size:
        raise ParameterError(f"a span ends at {last}, behind the article's {size} characters")
    annotators = len(covered)
    if annotators < 2:
        return np.zeros(3)
    yes = covered.sum(axis=0)
    mixed = (lengths * yes * (annotators - yes)).sum() / (annotators - 1)
    total = (lengths * yes).sum()
    return np.array([mixed, total, annotators * size - total], dtype=np.float64)


def krippendorff_alpha(counts: ArrayLike) -> NDArray[np.float64]:
    """Compute Krippendorff's alpha for nominal data of two values.

    alpha = 1 - (n - 1) o / (a b), with o coincidences of unlike values among n = a + b values. It is 1 for
    perfect agreement, 0 for agreement as by chance, negative below.

    Parameters
    ----------
    counts : (..., 3) numbers
        Sums of what `coincidences` gives.

    Returns
    -------
    (...) array of float
        NaN where all values are equal: chance cannot be told from agreement then.

    Notes
    -----
    Source: Krippendorff, *Computing Krippendorff's Alpha-Reliability* (2011), sections A and C.

    Examples
    --------
    >>> float(krippendorff_alpha([4, 6, 14]).round(3))
    0.095
    """
    unlike, a, b = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    chance = a * b
    ratio = np.divide((a + b - 1) * unlike, chance, out=np.full_like(chance, np.nan), where=chance > 0)
    return np.asarray(1 - ratio, dtype=np.float64)
