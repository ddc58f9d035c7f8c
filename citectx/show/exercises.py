"""Exercises of the lessons that check themselves.

An exercise has two cells. In the first, readers put an answer in the place of ``...``, and `check`
says whether it is right. The second is folded and holds the solution, a function that computes the
answer from the run at hand.

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
from math import isclose
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

Answer = TypeVar("Answer", bound=Callable[[], Any])


class _Solution(NamedTuple):
    compute: Callable[[], Any]
    hint: str
    within: float


_solutions: dict[str, _Solution] = {}


def check(exercise: str, answer: Any) -> None:
    """Print whether an answer is right, and a hint if it is not.

    Three dots, or a collection that contains them, count as no answer yet. A number that is not
    whole may be off by a hundredth, or by what the solution says.
    """
    if any(part is ... for part in _parts(answer).values()):
        verdict = "not answered yet. Put your answer in the place of the three dots."
    elif exercise in _solutions:
        verdict = _judge(answer, _solutions[exercise])
    else:
        verdict = "run the folded cell below, unopened, and then this one again."
    print(f"Exercise {exercise}: {verdict}")


def solution(exercise: str, *, hint: str, within: float = 0.01) -> Callable[[Answer], Answer]:
    """Declare the function that computes the answer to an exercise.

    The hint is for readers whose answer is wrong; `within` is the largest relative error of a
    number that counts as right.
    """

    def declare(compute: Answer) -> Answer:
        _solutions[exercise] = _Solution(compute, hint, within)
        return compute

    return declare


def _judge(answer: Any, known: _Solution) -> str:
    answers, solutions = _parts(answer), _parts(known.compute())
    names = solutions | answers
    wrong = [n for n in names if not _alike(answers.get(n), solutions.get(n), known.within)]
    if not wrong:
        return "right."
    some = f" Wrong: {', '.join(map(str, wrong))}." if len(wrong) < len(solutions) else ""
    return f"not yet.{some} {known.hint}"


def _parts(answer: Any) -> dict[Any, Any]:
    """Return the members of a list or mapping by name; numbers and sets are one part."""
    if isinstance(answer, pd.Series | Mapping):
        return dict(answer)
    if isinstance(answer, list | tuple | np.ndarray):
        return {f"number {n}": part for n, part in enumerate(answer, start=1)}
    return {"the answer": answer}


def _alike(answer: Any, right: Any, within: float) -> bool:
    if isinstance(right, Real) and not isinstance(right, Integral):
        return isinstance(answer, Real) and isclose(answer, right, rel_tol=within, abs_tol=1e-9)
    return bool(answer == right)
