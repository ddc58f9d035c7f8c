"""A student's guess, which is kept until the lesson has the answer."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from citectx.show.tables import Shown

NONE_YET = "none yet"


def predict(guess: Any, options: Collection[Any] = ()) -> None:
    """Keep a guess, or say what is still missing.

    >>> predict(...)
    No guess yet. Put yours in the place of the three dots: a wrong one teaches as much.
    >>> predict(["BM25", "LDM"], options=["BM25", "LMD"])
    LDM is not among BM25, LMD.
    >>> predict(["LMD"], options=["BM25", "LMD"])
    Kept: LMD. The end of the lesson puts it beside the results.
    """
    if written(guess) == NONE_YET:
        print(
            "No guess yet. Put yours in the place of the three dots: a wrong one teaches as much."
        )
        return
    parts = guess if isinstance(guess, list | tuple | set) else [guess]
    unknown = [part for part in parts if options and part not in options]
    if unknown:
        print(f"{written(unknown)} is not among {', '.join(map(str, options))}.")
    else:
        print(f"Kept: {written(guess)}. The end of the lesson puts it beside the results.")


def closing(question: str, guess: Any, results: Mapping[str, Any]) -> Shown:
    """Show a guess beside what the teaching corpus and real data say.

    >>> closing("first", ["LMD"], {"teaching corpus": "VSM", "real articles": ["BM25", "VSM"]})
          your guess teaching corpus real articles
    first        LMD             VSM     BM25, VSM
    """
    answers = {"your guess": guess, **results}
    row = {name: written(answer) for name, answer in answers.items()}
    return Shown(pd.DataFrame(row, index=[question]))


def written(answer: Any) -> str:
    """Write a guess or a result: members of a collection with commas, a set by the alphabet.

    >>> written({"VSM", "BM25"}), written(0.25), written([...])
    ('BM25, VSM', '0.25', 'none yet')
    """
    if isinstance(answer, set):
        answer = sorted(answer, key=str)
    parts = answer if isinstance(answer, list | tuple) else [answer]
    if ... in parts or not parts:
        return NONE_YET
    return ", ".join(
        str(part).replace("-", "−") if isinstance(part, int | float) else str(part)
        for part in parts
    )
