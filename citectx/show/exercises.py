"""Exercises of the lessons that check themselves.

An exercise has two cells. In the first the reader puts an answer in the place of ``...``, and
`check` says whether it is right. In the second, which is folded, stands the solution: a function
that computes the answer from the run at hand, so that it is also right for another topic or
parameter. It runs when an answer is to be checked, not before.

>>> check("00.0", ...)
Exercise 00.0: not answered yet. Put your answer in the place of the three dots.
>>> @solution("00.0", hint="Count the toes, too.")
... def fingers():
...     return 20
>>> check("00.0", 10)
Exercise 00.0: not yet. Count the toes, too.
>>> check("00.0", fingers())
Exercise 00.0: right.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from math import isclose
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

Answer = TypeVar("Answer", bound=Callable[[], Any])


class _Solution(NamedTuple):
    answer: Callable[[], Any]
    hint: str
    within: float


_solutions: dict[str, _Solution] = {}
_waiting: dict[str, Any] = {}
"""Answers that were given before the cell of the solution had run."""


def check(exercise: str, answer: Any) -> None:
    """Print whether an answer is right, and a hint if it is not.

    Parameters
    ----------
    exercise : str
        Lesson and number, such as "01.2".
    answer : object
        Three dots (``...``), or a collection with such in it, are no answer yet. Text counts
        without case, a number that is not whole within a hundredth (or what the solution says),
        sets and lists by their members, mappings and series by name.
    """
    print(f"Exercise {exercise}: {_said(exercise, answer)}")


def _said(exercise: str, answer: Any) -> str:
    if _unanswered(answer):
        return "not answered yet. Put your answer in the place of the three dots."
    if exercise in _solutions:
        return _judged(answer, _solutions[exercise])
    _waiting[exercise] = answer
    return "noted. Run the folded cell below, unopened, to see if it is right."


def solution(exercise: str, *, hint: str, within: float = 0.01) -> Callable[[Answer], Answer]:
    """Declare the function that computes the answer to an exercise.

    Parameters
    ----------
    exercise : str
    hint : str
        What a reader sees whose answer is another one.
    within : float
        How far a number may be from the right one, as a share of it.
    """

    def declare(answer: Answer) -> Answer:
        _solutions[exercise] = _Solution(answer, hint, within)
        if exercise in _waiting:
            check(exercise, _waiting.pop(exercise))
        return answer

    return declare


def _judged(answer: Any, known: _Solution) -> str:
    right = known.answer()
    if _alike(answer, right, known.within):
        return "right."
    expected, found = _kind(right), _kind(answer)
    if expected != found:
        return f"expected {expected}, found {found}."
    return f"not yet. {known.hint}"


def _unanswered(answer: Any) -> bool:
    if isinstance(answer, Mapping):
        return any(_unanswered(each) for each in answer.values())
    if isinstance(answer, list | tuple | AbstractSet):
        return any(_unanswered(each) for each in answer)
    return answer is ...


def _alike(answer: Any, right: Any, within: float) -> bool:
    if _kind(answer) != _kind(right):
        return False
    if isinstance(right, pd.Series | Mapping):
        own, other = dict(answer), dict(right)
        return own.keys() == other.keys() and all(_alike(own[k], other[k], within) for k in other)
    if isinstance(right, AbstractSet):
        return {_folded(each) for each in answer} == {_folded(each) for each in right}
    if isinstance(right, list | tuple | np.ndarray):
        pairs = zip(answer, right, strict=False)
        return len(answer) == len(right) and all(_alike(*pair, within) for pair in pairs)
    if isinstance(right, Real) and not isinstance(right, bool | np.bool_ | Integral):
        return isclose(answer, right, rel_tol=within, abs_tol=1e-9)
    return bool(_folded(answer) == _folded(right))


def _folded(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


def _kind(value: Any) -> str:
    """Say in words what kind of answer a value is."""
    if isinstance(value, bool | np.bool_):
        return "True or False"
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[Any, str], ...] = (
    (str, "a text"),
    (Real, "a number"),
    (pd.Series | Mapping, "names with values"),
    (AbstractSet, "a set"),
    (list | tuple | np.ndarray, "a list"),
)
