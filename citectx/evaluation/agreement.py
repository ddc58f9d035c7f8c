"""How well one annotator does when the others are the gold standard: the human yardstick for systems.

>>> marked = {"A": [(0, 10)], "B": [(5, 10)], "C": [(8, 12)]}
>>> human_precision(marked)
{'A': 0.5, 'B': 1.0, 'C': 0.5}
>>> human_precision(marked, reading="weighted")
{'A': 0.35, 'B': 0.7, 'C': 0.5}
"""

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from citectx.errors import ParameterError, unknown
from citectx.evaluation.offsets import Gold, Scores, Spans, union_scores, weighted_scores

Reading = Literal["union", "weighted"]
READINGS: dict[str, Callable[[Spans, Gold], Scores]] = {"union": union_scores, "weighted": weighted_scores}


def human_precision(gold: Gold, reading: Reading = "union") -> dict[str, float]:
    """Score the precision of each annotator of a citance against the others.

    Parameters
    ----------
    gold : mapping of annotator to spans
    reading : {"union", "weighted"}
        Against what any other annotator marked, or against each of them in turn.

    Returns
    -------
    dict of str to float
        Only annotators who marked evidence, in order of their names. Empty where fewer than two did: there is
        nobody to compare with.

    Notes
    -----
    Source: sigir2017 §3.1.

    Ambiguity: the paper says one against the other three, not whether against their union or each in turn.
    Both are offered; the union is the default, as for systems.

    Ambiguity: an annotator without evidence has no precision, and is not counted among the others either.
    """
    if reading not in READINGS:
        raise unknown("reading", reading, READINGS)
    marked = {name: gold[name] for name in sorted(gold) if len(gold[name])}
    if len(marked) < 2:
        return {}
    return {
        name: READINGS[reading](spans, {other: marked[other] for other in marked if other != name}).precision
        for name, spans in marked.items()
    }


def mean_human_precision(golds: Iterable[Gold], reading: Reading = "union") -> float:
    """Average the human precision over a corpus: the mean over citances of the mean over annotators.

    Parameters
    ----------
    golds : iterable of mappings of annotator to spans
        One for each citance. Those with evidence from fewer than two annotators are left out.
    reading : {"union", "weighted"}

    Returns
    -------
    float
        A fraction.

    Raises
    ------
    ParameterError
        If no citance has two annotators with evidence, or on an unknown name.

    Notes
    -----
    Source: sigir2017 §3.1, which averages over a citance's annotators first (56.7 % on TAC 2014).

    Examples
    --------
    >>> golds = [{"A": [(0, 4)], "B": [(0, 4)]}, {"A": [(0, 4)], "B": [(9, 12)], "C": [(0, 2)]}]
    >>> round(mean_human_precision(golds), 3)
    0.75
    """
    per_citance = [list(human_precision(gold, reading).values()) for gold in golds]
    compared = [scores for scores in per_citance if scores]
    if not compared:
        raise ParameterError("no citance has evidence from two annotators or more: agreement has no meaning")
    return float(np.mean([np.mean(scores) for scores in compared]))
