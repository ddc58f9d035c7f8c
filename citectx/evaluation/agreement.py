"""How well an annotator does with the others as gold standard, and how far annotators agree.

The former is the human yardstick for systems; the latter is naacl2015's levels of agreement and
Krippendorff's alpha.

>>> marked = {"A": [(0, 10)], "B": [(5, 10)], "C": [(8, 12)]}
>>> human_precision(marked)
{'A': 0.5, 'B': 1.0, 'C': 0.5}
>>> from citectx.evaluation import weighted_scores
>>> human_precision(marked, weighted_scores)
{'A': 0.35, 'B': 0.7, 'C': 0.5}
>>> marked = {"A": [(0, 10)], "B": [(5, 15)], "C": [(8, 20)], "D": [(40, 50)]}
>>> agreement_level(marked)
Level(name='majority', sharing=3, overlap=0.06666666666666667, group_overlap=0.1)
>>> float(krippendorff_alpha(coincidences(marked, size=100)).round(3))
0.133
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citectx.evaluation.offsets import Gold, Scores, Spans, union_scores
from citectx.types import Floats, merge

Measure: TypeAlias = Callable[[Spans, Gold], Scores]
"""Such as `union_scores` and `weighted_scores` of `citectx.evaluation.offsets`."""


def human_precision(gold: Gold, measure: Measure = union_scores) -> dict[str, float]:
    """Score the precision of each annotator of a citance against the others.

    Parameters
    ----------
    gold : mapping of annotator to spans
    measure : callable
        `union_scores` compares with what any other annotator marked, `weighted_scores` with each
        of them in turn.

    Returns
    -------
    dict of str to float
        Only annotators who marked evidence, in order of their names. Empty if fewer than two did:
        there is nobody to compare with.

    Notes
    -----
    Source: sigir2017 §3.1.

    Ambiguity: the paper says one against the other three, not whether against their union or each
    in turn. Both are offered; the union is the default, as for systems.

    Ambiguity: an annotator without evidence has no precision, and is not counted among the others
    either.
    """
    marked = {name: spans for name, spans in sorted(gold.items()) if len(spans)}
    if len(marked) < 2:
        return {}
    precision = {}
    for name, spans in marked.items():
        others = {other: marked[other] for other in marked if other != name}
        precision[name] = measure(spans, others).precision
    return precision


def mean_human_precision(golds: Iterable[Gold], measure: Measure = union_scores) -> float:
    """Average the human precision over annotators, then over the citances of a corpus.

    Parameters
    ----------
    golds : iterable of mappings of annotator to spans
        One for each citance. Those with evidence from fewer than two annotators are left out.
    measure : callable
        As in `human_precision`.

    Returns
    -------
    float
        A fraction; NaN if no citance has evidence from two annotators.

    Notes
    -----
    Source: sigir2017 §3.1, which averages over a citance's annotators first (56.7 % on TAC 2014).

    Examples
    --------
    >>> golds = [{"A": [(0, 4)], "B": [(0, 4)]}, {"A": [(0, 4)], "B": [(9, 12)], "C": [(0, 2)]}]
    >>> round(mean_human_precision(golds), 3)
    0.75
    """
    means = []
    for gold in golds:
        precision = list(human_precision(gold, measure).values())
        if precision:
            means.append(np.mean(precision))
    return float(np.mean(means))


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
        The same among those annotators alone: what all of the group marked, over what any of it
        did. Where several groups of that size share characters, the mean over them.
    """

    name: str
    sharing: int
    overlap: float
    group_overlap: float


def agreement_level(marked: Gold) -> Level:
    """Return the level on which the annotators of a citance agree, and on how much.

    Of M annotators: *full*, all marked exactly the same characters; *all*, at least one character
    was marked by all of them; *majority*, by more than half; *minority*, by two or more but at most
    half; *none*, no character was marked twice. Two or three annotators have no minority.

    Parameters
    ----------
    marked : mapping of annotator to spans
        M is its length: annotators who looked for evidence and found none belong in it, with an
        empty tuple. At least two, one of them with evidence.

    Notes
    -----
    Source: naacl2015 §3, Table 1.

    Ambiguity: the paper names the levels without saying when annotators agree in part. One common
    character is enough here; overlaps of 20 % on average speak against anything stricter. Its
    counts add up to its 313 annotations, so each citance counts once, on its highest level.

    Ambiguity: "average overlap" may relate what is shared to all marked text or to that of the
    agreeing group. By the first, small groups do not overlap more by nature; in the paper the three
    partial levels differ little (21.7, 19.2, 27.0 %), and so they do on Citation-Integrity (31, 31,
    31 %), while by the second the smaller groups are far ahead (31, 44, 42 %). So `overlap` is the
    first reading, and `group_overlap` the second.

    Ambiguity: whether M counts annotators who found nothing. It does here: they looked, and
    disagree with all who found something. Leaving them out raises 6 of the 218 citances of
    Citation-Integrity to "all".

    Examples
    --------
    >>> agreement_level({"A": [(0, 10)], "B": [(0, 5), (5, 10)]}).name
    'full'
    >>> agreement_level({"A": [(0, 10)], "B": [(5, 10)], "C": ()})
    Level(name='majority', sharing=2, overlap=0.5, group_overlap=0.5)
    """
    covered = _coverage(marked)
    annotators, depth = len(covered), covered.sum(axis=0)
    sharing = int(depth.max())
    if sharing < 2:
        return Level("none", sharing, 0.0, 0.0)
    if sharing < annotators:
        name = "majority" if 2 * sharing > annotators else "minority"
    else:
        name = "full" if covered[:, depth > 0].all() else "all"
    deepest = depth == sharing
    shares = []
    for group in np.unique(covered[:, deepest], axis=1).T:
        own = covered[group]
        shared, anybody = own.all(axis=0), own.any(axis=0)
        shares.append(shared.sum() / anybody.sum())
    overlap = deepest.sum() / depth.astype(bool).sum()
    return Level(name, sharing, float(overlap), float(np.mean(shares)))


def _coverage(marked: Gold) -> NDArray[np.bool_]:
    """Return who marked which characters, shape (M, characters up to the last one marked)."""
    merged = [merge(spans) for spans in marked.values()]
    size = max((spans[-1].end for spans in merged if spans), default=0)
    covered = np.zeros((len(merged), size), dtype=bool)
    for row, spans in zip(covered, merged, strict=True):
        for start, end in spans:
            row[start:end] = True
    return covered


def coincidences(marked: Gold, size: int) -> Floats:
    """Count what Krippendorff's alpha is computed from; counts of several citances add up.

    Every character of the article is a unit, which each annotator either marked or did not.

    Parameters
    ----------
    marked : mapping of annotator to spans
        Those who looked for evidence, with an empty tuple if they found none; those who did not
        look are absent.
    size : int
        Characters of the article.

    Returns
    -------
    (3,) array of float
        Pairs of one annotator who marked a character and one who did not, each weighted by 1/(M-1),
        so that a unit counts by its number of annotators; values "marked"; values "not marked". All
        0 with fewer than two annotators, as nothing can be compared.

    Notes
    -----
    Ambiguity: which characters are units is open (naacl2015 reports no such coefficient). We take
    the whole text of the article. Little of it is marked, so more of it changes little: with
    articles ten times as long alpha on Citation-Integrity would be 0.249 instead of 0.244.

    Examples
    --------
    >>> coincidences({"A": [(0, 10)], "B": [(5, 10)]}, size=100)
    array([  5.,  15., 185.])
    """
    covered = _coverage(marked)
    annotators = len(covered)
    if annotators < 2:
        return np.zeros(3)
    yes = covered.sum(axis=0)
    mixed = (yes * (annotators - yes)).sum() / (annotators - 1)
    total = yes.sum()
    return np.array([mixed, total, annotators * size - total], dtype=np.float64)


def krippendorff_alpha(counts: ArrayLike) -> Floats:
    """Compute Krippendorff's alpha for nominal data of two values.

    alpha = 1 - (n - 1) o / (a b), with o coincidences of unlike values among n = a + b values. It
    is 1 for perfect agreement, 0 for agreement as by chance, negative below.

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
    with np.errstate(invalid="ignore"):  # 0/0 where all values are equal
        alpha: Floats = 1 - (a + b - 1) * unlike / (a * b)
    return alpha
