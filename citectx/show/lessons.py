"""What makes a notebook a lesson: one thing to change, and a line where a run is not default."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from citectx.corpora.model import Citance, Topic
from citectx.errors import ParameterError, unknown

STATIC = "CITECTX_STATIC"
"""Set in the environment, it keeps widgets out: batch runs and tests compare static outputs."""

Name = TypeVar("Name", str, int)


def explore(function: Callable[..., Any], **choices: Sequence[Any]) -> Any:
    """Let the reader change one thing and see it matter.

    Where ipywidgets is installed (the extra ``lab``), each choice becomes a drop-down list above
    the output, or a slider if it is among numbers. Elsewhere, on a web page or in a batch run, the
    output is that of the first choices.

    Parameters
    ----------
    function : callable
        Takes one keyword for each choice and returns what to show.
    **choices : sequence
        Values of each keyword, the default first.

    Returns
    -------
    object
        The static output; None where widgets show it.

    Raises
    ------
    ParameterError
        If there is nothing to choose from.

    Examples
    --------
    >>> import os
    >>> os.environ[STATIC] = "1"
    >>> explore(lambda k: f"{k} spans", k=[3, 1, 5])
    '3 spans'
    """
    empty = [name for name, values in choices.items() if not len(values)]
    if empty or not choices:
        named = ", ".join(empty) or "name at least one choice"
        raise ParameterError(f"nothing to choose from: {named}")
    first = {name: values[0] for name, values in choices.items()}
    if os.environ.get(STATIC):
        return function(**first)
    try:
        from ipywidgets import Dropdown, SelectionSlider, interact
    except ImportError:
        print("to vary this with the mouse: pip install ipywidgets, or make lab")
        return function(**first)
    lists = {}
    for name, values in choices.items():
        numbers = all(isinstance(each, int | float) for each in values)
        kind, options = (SelectionSlider, sorted(values)) if numbers else (Dropdown, list(values))
        lists[name] = kind(options=options, value=values[0], description=name)
    interact(function, **lists)
    return None


def pick(
    corpus: Iterable[Topic],
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] | None = None,
) -> tuple[Topic, Citance]:
    """Look up a topic and one of its citances; None takes the first.

    Parameters
    ----------
    corpus : Corpus or topics
    topic, citance : str or int, optional
        Their names; 3 means "3".
    opens_on : (topic, citance), optional
        What is taken instead of the first where nothing is asked for, if the corpus has that topic.

    Raises
    ------
    ParameterError
        If there is no such topic or citance; the message lists those there are.
    """
    topics = {each.topic_id: each for each in corpus}
    topic = None if topic is None else str(topic)
    if opens_on and opens_on[0] in topics and topic in (None, opens_on[0]):
        topic = opens_on[0]
        citance = opens_on[1] if citance is None else citance
    chosen = topics[one_of("topic", topic, topics)]
    citances = {each.citance_id: each for each in chosen.citances}
    return chosen, citances[one_of(f"citance of {chosen.topic_id}", citance, citances)]


def one_of(kind: str, name: str | int | None, known: Iterable[Name]) -> Name:
    """Look one of several things up by its name; None takes the first.

    Parameters
    ----------
    kind : str
        What they are, for the message.
    name : str or int, optional
        3 means "3".
    known : iterable of str or int

    Raises
    ------
    ParameterError
        If there is none of that name; the message lists those there are.

    Examples
    --------
    >>> one_of("citation", "2", range(3)), one_of("class", None, ["Bac", "Con"])
    (2, 'Bac')
    """
    named = {str(each): each for each in known}
    if name is None:
        return next(iter(named.values()))
    if str(name) not in named:
        raise unknown(kind, str(name), named)
    return named[str(name)]


DEFAULTS = {
    "profile": "teaching",
    "topic": None,
    "citance": None,
    "citation": 0,
    "citing": None,
    "contexts": 1,
    "folds": 10,
    "k": 3,
    "kind": None,
    "length": 5,
    "methods": None,
    "others": ["culture", "plasma", "tumor"],
    "readings": True,
    "scisummnet": 100,
    "seed": 0,
    "seeds": 100,
    "shown": "KLSUM",
    "shuffles": 3,
    "word": "expression",
    "words": None,
}
"""Parameters of the run that lessons describe; a reader may have changed those in the notebook."""

LISTS = ("methods", "others")
"""Parameters that are lists."""


def about_this_run(**parameters: Any) -> None:
    """Print a line if a parameter is not what the text of the lessons describes.

    >>> about_this_run(citance=None, k=3)
    >>> about_this_run(citance=5, k=3)
    This run has citance = 5 (default: None).
    The text describes the default run; tables and figures show this one.
    >>> about_this_run(methods="BM25")
    Traceback (most recent call last):
    citectx.errors.ParameterError: methods must be a list, such as ['BM25']
    """
    for name in LISTS:
        if isinstance(value := parameters.get(name), str):
            raise ParameterError(f"{name} must be a list, such as {[value]}")
    changed = [name for name, value in parameters.items() if value != DEFAULTS[name]]
    if changed:
        told = [f"{name} = {parameters[name]!r} (default: {DEFAULTS[name]!r})" for name in changed]
        what = "The text describes the default run; tables and figures show this one."
        print(f"This run has {', '.join(told)}. {what}")
