"""Sentences that repeat an abstract: where people summarize from it, they give the answer away."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from citectx.evaluation.rouge import Line, words_of

RUN = 8
"""How many words in a row make a sentence a repetition."""


def runs(text: str) -> set[Line]:
    """Return all runs of `RUN` words of a text, in the words of ROUGE."""
    words = words_of(text)
    return {words[i : i + RUN] for i in range(len(words) - RUN + 1)}


def repeats(sentences: Sequence[str], abstract: str) -> npt.NDArray[np.bool_]:
    """Return which sentences share a run of words with an abstract, shape (sentences,).

    >>> abstract = "We show that cells rest, and that they do so in the cold."
    >>> repeats(["That cells rest, and that they do so.", "Cells rest."], abstract).tolist()
    [True, False]
    """
    given_away = runs(abstract)
    return np.array([not given_away.isdisjoint(runs(text)) for text in sentences], bool)
