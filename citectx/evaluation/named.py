"""Measures of rankings by the names that ir-measures gives them, such as nDCG@10, P@1 and AP.

ir-measures has trec_eval compute them, so that the numbers are those of everybody else.

>>> by_name(["P@1", "AP"], ranked=[[0, 1]], every=[[1, 1, 0, 0]])
{'P@1': array([0.]), 'AP': array([0.25])}
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from citectx.errors import MissingDataError, ParameterError
from citectx.types import Floats

if TYPE_CHECKING:
    import ir_measures

NAMES = ("AP", "Bpref", "P", "R", "RR", "Rprec", "Success", "nDCG")
"""Those that say how good a ranking is if a span is relevant or not; trec_eval has many more. P, R
and Success need a cut, as in P@1."""

WRITTEN = re.compile(r"[A-Za-z]+(@[1-9][0-9]{0,5})?")
"""Nothing else reaches trec_eval, which a cut of 0 makes crash."""


def measure(name: str) -> "ir_measures.Measure":
    """Look a measure up by its name or another one that ir-measures knows, such as MAP for AP.

    Raises
    ------
    ParameterError
        If there is no such measure.
    MissingDataError
        If ir-measures is not installed.

    Examples
    --------
    >>> measure("MAP")
    AP
    """
    try:
        import ir_measures
    except ModuleNotFoundError as error:
        needs = f"{name} needs the library ir-measures: pip install ir-measures"
        raise MissingDataError(needs) from error
    wrong = f"unknown metric {name!r}; known by ir-measures: {', '.join(NAMES)}, with or without a"
    wrong += " cut, as in nDCG@10 (P, R and Success only with one)"
    if not (isinstance(name, str) and WRITTEN.fullmatch(name)):
        raise ParameterError(wrong)
    try:
        found = ir_measures.parse_measure(name)
        found.validate_params()
    except (NameError, ValueError, AssertionError) as error:
        raise ParameterError(wrong) from error
    if found.NAME not in NAMES:
        raise ParameterError(wrong)
    return found


def by_name(
    names: Sequence[str], ranked: Sequence[ArrayLike], every: Sequence[ArrayLike]
) -> dict[str, Floats]:
    """Measure rankings, one for each query.

    Parameters
    ----------
    names : sequence of str
        See `measure`.
    ranked : sequence of (m,) 0s and 1s
        For each query, the relevance of its results, best rank first; there may be none.
    every : sequence of (n,) 0s and 1s
        The relevance of all that could be found, in any order.

    Returns
    -------
    dict of str to float array, shape (queries,)
        Fractions; 0 for a query of which nothing is relevant.
    """
    import ir_measures
    from ir_measures.providers import FallbackProvider

    measures = {name: measure(name) for name in names}
    runs = dict[str, dict[str, float]]()
    judgements = dict[str, dict[str, int]]()
    for query, (results, grades) in enumerate(zip(ranked, every, strict=True)):
        runs[str(query)] = {str(rank): -float(rank) for rank in range(np.size(results))}
        known = np.concatenate([results, _missing(np.asarray(results), np.asarray(grades))])
        judgements[str(query)] = {str(i): int(grade) for i, grade in enumerate(known)}
    provider = FallbackProvider([ir_measures.pytrec_eval, ir_measures.msmarco])
    values = {name: np.zeros(len(runs)) for name in names}
    for found in provider.iter_calc([*set(measures.values())], judgements, runs):
        for name, wanted in measures.items():
            if wanted == found.measure:
                values[name][int(found.query_id)] = found.value
    return values


def _missing(results: Floats, grades: Floats) -> Floats:
    """Return the relevance of what is not among the results."""
    relevant = int(grades.sum() - results.sum())
    others = len(grades) - len(results) - relevant
    return np.array([1] * relevant + [0] * others, dtype=np.float64)
