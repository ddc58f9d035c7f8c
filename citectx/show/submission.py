"""Run a notebook's cells, and write down what its exercises are answered.

A process of its own, since students' code may end it, or never end. Whoever grades reads answers
from it, and no verdicts: what is right is not known here, so nothing here can be changed to say so.

    python -P -m citectx.show.submission CELLS.json ANSWERS.jsonl [--key]
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from citectx.errors import ParameterError
from citectx.show import exercises
from citectx.show.answers import plain, to_json

Note = Callable[..., None]


def run(sources: list[str], note: Note, is_key: bool) -> None:
    """Run cells one by one, also after one that fails; note each, its answers and its error."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    if is_key:
        exercises.check = partial(hand_in_the_right_one, note, shell.user_ns)
    else:
        exercises.check = partial(hand_in, note)
        exercises.show_solution = partial(reveal, note, exercises.show_solution)
        exercises.solution = partial(reveal, note, exercises.solution)
    for number, source in enumerate(sources):
        note(cell=number)
        result = shell.run_cell(source)
        error = result.error_before_exec or result.error_in_exec
        if error:
            note(error=f"{type(error).__name__}: {error}"[:200])
    note(ended=True)


def hand_in(note: Note, exercise: str, answer: Any) -> None:
    """Note an answer, or why it cannot be one."""
    if "Ellipsis" in repr(answer):
        note(exercise=exercise, unanswered=True)
        return
    try:
        note(exercise=exercise, answer=to_json(plain(answer)))
    except ParameterError as error:
        note(exercise=exercise, refused=str(error))


def hand_in_the_right_one(note: Note, variables: dict[str, Any], exercise: str, _: Any) -> None:
    """Note what is right by the variables of a lesson."""
    hand_in(note, exercise, exercises.solution(exercise, variables)())


def reveal(note: Note, show: Callable[..., Any], exercise: str, *variables: Any) -> Any:
    """Note that a solution is asked for, and give it."""
    note(shown=exercise)
    return show(exercise, *variables)


def main(cells: str, answers: str, *options: str) -> None:
    """Run the cells that a JSON file lists; write a line of JSON for each note, at once."""
    with Path(answers).open("w", encoding="utf-8", buffering=1) as file:
        run(
            json.loads(Path(cells).read_text("utf-8")),
            lambda **about: print(json.dumps(about), file=file),
            is_key="--key" in options,
        )


if __name__ == "__main__":
    sys.path.append("")  # a student's own modules, after all others
    main(*sys.argv[1:])
