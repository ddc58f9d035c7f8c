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
    if _unanswered(answer):
        said = "not answered yet. Put your answer in the place of the three dots."
    elif exercise in _solutions:
        said = _judge(answer, _solutions[exercise])
    else:
        _waiting[exercise] = answer
        said = "noted. Run the folded cell below, unopened, to see if it is right."
    print(f"Exercise {exercise}: {said}")


def solution(exercise: str, *, hint: str, within: float = 0.01) -> Callable[[Answer], Answer]:
    """Declare the function that computes the answer to an exercise.

    Parameters
    ----------
    exercise : str
    hint : str
        What readers see whose answer is another one.
    within : float
        How far a number may be from the right one, as a share of it.
    """

    def declare(answer: Answer) -> Answer:
        _solutions[exercise] = _Solution(answer, hint, within)
        if exercise in _waiting:
            check(exercise, _waiting.pop(exercise))
        return answer

    return declare


def _unanswered(answer: Any) -> bool:
    members = list(answer.values()) if isinstance(answer, Mapping) else answer
    if isinstance(members, list | tuple | AbstractSet):
        return any(_unanswered(member) for member in members)
    return members is ...


def _judge(answer: Any, known: _Solution) -> str:
    right = known.answer()
    expected, found = _kind(right), _kind(answer)
    if expected != found:
        return f"expected {expected}, found {found}."
    wrong = _wrong(answer, right, known.within)
    if not wrong:
        return "right."
    several = expected in ("a list", "names with values") and len(wrong) < len(right)
    which = f" Wrong: {', '.join(wrong)}." if several else ""
    return f"not yet.{which} {known.hint}"


def _wrong(answer: Any, right: Any, within: float) -> list[str]:
    """Name the members of an answer that are wrong; one that has no members is ``it``."""
    if isinstance(right, pd.Series | Mapping):
        own, other = dict(answer), dict(right)
        names = dict.fromkeys([*other, *own])
        return [str(n) for n in names if not _alike(own.get(n), other.get(n), within)]
    if isinstance(right, list | tuple | np.ndarray):
        if len(answer) != len(right):
            return ["the number of members"]
        pairs = enumerate(zip(answer, right, strict=True), start=1)
        return [f"number {n}" for n, pair in pairs if not _alike(*pair, within)]
    return [] if _alike(answer, right, within) else ["it"]


def _alike(answer: Any, right: Any, within: float) -> bool:
    """Compare what has no order and no names."""
    if isinstance(right, list | tuple | np.ndarray | Mapping):
        return not _wrong(answer, right, within)
    if isinstance(right, AbstractSet):
        return {_folded(member) for member in answer} == {_folded(member) for member in right}
    if isinstance(right, Real) and not isinstance(right, bool | np.bool_ | Integral):
        return isinstance(answer, Real) and isclose(answer, right, rel_tol=within, abs_tol=1e-9)
    return bool(_folded(answer) == _folded(right))


def _folded(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


def _kind(value: Any) -> str:
    """Say in words what kind of answer a value is."""
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[Any, str], ...] = (
    (bool | np.bool_, "True or False"),
    (str, "a text"),
    (Real, "a number"),
    (pd.Series | Mapping, "names with values"),
    (AbstractSet, "a set"),
    (list | tuple | np.ndarray, "a list"),
)
