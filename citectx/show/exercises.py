"""Exercises of the lessons that check themselves.

Readers put an answer in the place of ``...``, and `check` says whether it is right. Solutions are
functions in ``notebooks/solutions``, a file for each lesson. They compute answers from the
variables of the notebook that asks; their docstrings are hints.

>>> _tries.clear()  # as in a new session
>>> class pictures:
...     query, article = ["dispatch", "ligase"], ["the", "ligase"]
>>> check("00.2", ...)
Exercise 00.2: not answered yet. Put your answer in the place of the three dots.
>>> check("00.2", {"dispatch"})
Exercise 00.2: not yet. set(pictures.article) is a set, and Python can intersect sets. (try 1)
>>> check("00.2", ["ligase"])
Exercise 00.2: right. (try 2)
"""

import runpy
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Set
from inspect import getdoc, getsource
from math import isclose
from numbers import Real
from typing import Any

import pandas as pd

from citectx.paths import NOTEBOOKS

UNITS = {
    100: "You give percent where a share is asked for.",
    0.01: "You give a share where percent is asked for.",
}
_tries: Counter[str] = Counter()


def check(exercise: str, answer: Any) -> None:
    """Print whether an answer is right, and a hint if it is not.

    Three dots, or a collection that contains them, are no answer yet.
    """
    if "Ellipsis" in repr(answer):
        message = "not answered yet. Put your answer in the place of the three dots."
    else:
        solve = solution(exercise, sys._getframe(1).f_globals)
        _tries[exercise] += 1
        try:
            verdict = judge(answer, solve(), str(getdoc(solve)))
        except Exception as error:  # a traceback would show the solution
            verdict = f"cannot be checked: {error!r}. Run the lesson again from its first cell."
        message = f"{verdict} (try {_tries[exercise]})"
    print(f"Exercise {exercise}: {message}")


def show_solution(exercise: str) -> None:
    """Print the code that computes an answer, for readers who give up."""
    print(getsource(solution(exercise, {})))


def solution(exercise: str, variables: dict[str, Any]) -> Callable[[], Any]:
    """Return the function that computes an answer from the variables of a lesson."""
    lesson, _, number = exercise.partition(".")
    path = NOTEBOOKS / "solutions" / f"{lesson}.py"
    return runpy.run_path(str(path), variables)[f"solution_{number}"]


def judge(answer: Any, right: Any, hint: str) -> str:
    """Say whether an answer is right, else what to think of.

    The right one tells what counts: the order of a list, the names of a dict, neither in a set. A
    number with a fraction may be rounded.

    >>> judge(pd.Index([0.3, 12.7]), [0.2961, 12.74], "Divide first.")
    'right.'
    >>> judge((0.1274, 1), [12.74, 1], "Divide first.")
    'not yet. You give a share where percent is asked for.'
    """
    answers = _parts(answer, right)
    solutions = _parts(right, right)
    pairs = {n: (answers.get(n, ""), solutions.get(n, "")) for n in solutions | answers}
    wrong = {n: pair for n, pair in pairs.items() if not _alike(*pair)}
    if not wrong:
        return "right."
    for unit, sentence in UNITS.items():
        if all(_alike(*pair, unit) for pair in wrong.values()):
            return f"not yet. {sentence}"
    some = f" Wrong: {', '.join(map(str, wrong))}." if len(wrong) < len(solutions) else ""
    return f"not yet.{some} {hint}"


def _parts(answer: Any, right: Any) -> dict[Any, Any]:
    """Name what is right or wrong by itself: members of a list or dict, or the whole answer."""
    if isinstance(right, Mapping) and isinstance(answer, Mapping | pd.Series):
        return dict(answer)
    if isinstance(right, list) and not isinstance(answer, Mapping | Set):
        return {f"number {n}": part for n, part in enumerate(_members(answer), start=1)}
    return {"the answer": answer}


def _members(answer: Any) -> list[Any]:
    """List the members of any collection, or keys of a dict; a number or a word is one."""
    unnamed = [*answer] if isinstance(answer, Mapping | Set) else answer
    return pd.Series(unnamed, dtype=object).tolist()


def _alike(answer: Any, right: Any, unit: float = 1) -> bool:
    """Compare a part with the right one; a number with a fraction may be in another unit.

    It is rounded as it was typed, but not to less than two digits or two decimals.

    >>> [_alike(answer, 1.6834) for answer in (2, 1.7, 1.68, 1.6)]
    [False, True, True, False]
    """
    members = _members(answer)
    if isinstance(right, Set):
        return {*members} == right
    if isinstance(right, float) and len(members) == 1 and isinstance(members[0], Real):
        typed = len(f"{members[0]:.6g}".partition(".")[2])
        right *= unit
        fewest = 2 if abs(right) < 1 else 1 if abs(right) < 10 else 0
        rounding = min(0.5 / 10 ** max(typed, fewest), abs(right) / 2 + 1e-9)
        return isclose(members[0], right, rel_tol=0.002, abs_tol=rounding)
    return members == [right]
