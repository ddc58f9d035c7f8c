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
from collections.abc import Callable
from inspect import getdoc, getsource
from math import isclose
from typing import Any

import pandas as pd

from citectx.errors import ParameterError
from citectx.paths import NOTEBOOKS
from citectx.show.answers import plain

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
        print(f"Exercise {exercise}: {message}")
        return
    solve = solution(exercise, sys._getframe(1).f_globals)
    _tries[exercise] += 1
    try:
        right = solve()
    except Exception as error:  # a traceback would show the solution
        verdict = f"cannot be checked: {error!r}. Run the cells above this one first, unchanged."
    else:
        verdict = judge(answer, right, str(getdoc(solve)))
    print(f"Exercise {exercise}: {verdict} (try {_tries[exercise]})")


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
    try:
        answer = plain(answer)
    except ParameterError as error:
        return f"not yet. {error}"
    right = plain(right)
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
    if isinstance(right, dict) and isinstance(answer, dict | pd.Series):
        return dict(answer)
    if isinstance(right, list) and not isinstance(answer, dict | set):
        return {f"number {n}": part for n, part in enumerate(_members(answer), start=1)}
    return {"the answer": answer}


def _members(answer: Any) -> list[Any]:
    """List the members of any collection, or keys of a dict; a number or a word is one."""
    return [*answer] if isinstance(answer, list | set | dict | pd.Series) else [answer]


def _alike(answer: Any, right: Any, unit: float = 1) -> bool:
    """Compare a part with the right one; a number with a fraction may be in another unit.

    >>> _alike(["b", "a"], {"a", "b"}), _alike([["a"]], {"a"}), _alike(True, 1)
    (True, False, False)
    """
    members = _members(answer)
    if isinstance(right, set):
        return all(type(member) is not list for member in members) and {*members} == right
    if [*map(type, members)] == [bool] and not isinstance(right, bool):
        return False  # Python counts True as 1
    if isinstance(right, float) and len(members) == 1 and isinstance(members[0], int | float):
        return is_rounded(members[0], right * unit)
    return members == _members(right)


def is_rounded(number: float, target: float) -> bool:
    """Tell whether a number is the target, rounded as it was typed.

    >>> [is_rounded(number, 1.6834) for number in (2, 1.7, 1.68, 1.6)]
    [False, True, True, False]
    """
    typed = len(f"{number:.6g}".partition(".")[2])
    half_a_digit = 0.5 / 10 ** max(typed, fewest_decimals(target))
    # Nothing is rounded to 0, or from it.
    return isclose(number, target, rel_tol=0.002, abs_tol=min(half_a_digit, abs(target) / 2 + 1e-9))


def fewest_decimals(target: float) -> int:
    """Return how many decimals a rounded answer needs: two digits, and two decimals below 1."""
    if abs(target) < 1:
        return 2
    return 1 if abs(target) < 10 else 0
