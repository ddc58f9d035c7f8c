"""What notebooks need to be lessons: one thing to change, and a view that works without a kernel, too."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from citectx.corpora.model import Citance, Topic
from citectx.errors import ParameterError, unknown

STATIC = "CITECTX_STATIC"
"""Set in the environment, it keeps widgets out: batch runs and tests compare what is always the same."""


def explore(function: Callable[..., Any], **choices: Sequence[Any]) -> Any:
    """Let the reader change one thing and see it matter.

    Where ipywidgets is installed (the extra ``lab``), each choice becomes a drop-down list above the output.
    Elsewhere, on a web page or in a batch run, the output is that of the first choices.

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
        raise ParameterError(f"nothing to choose from: {', '.join(empty) or 'name at least one choice'}")
    if not os.environ.get(STATIC):
        try:
            import ipywidgets
        except ImportError:
            print("to vary this with the mouse: pip install ipywidgets, or make lab")
        else:
            for name, values in choices.items():
                choices[name] = ipywidgets.Dropdown(options=list(values), value=values[0], description=name)
            ipywidgets.interact(function, **choices)
            return None
    return function(**{name: values[0] for name, values in choices.items()})


def pick(
    corpus: Iterable[Topic],
    topic: str | None = None,
    citance: str | None = None,
    opens_on: tuple[str, str] | None = None,
) -> tuple[Topic, Citance]:
    """Look up a topic and one of its citances; None takes the first.

    Parameters
    ----------
    corpus : Corpus or topics
    topic, citance : str, optional
    opens_on : (topic, citance), optional
        What is taken instead of the first where nothing is asked for, if the corpus has that topic.

    Raises
    ------
    ParameterError
        If there is no such topic or citance; the message lists those there are.
    """
    topics = {t.topic_id: t for t in corpus}
    if opens_on is not None and opens_on[0] in topics and topic in (None, opens_on[0]):
        topic, citance = opens_on[0], opens_on[1] if citance is None else citance
    if topic is not None and topic not in topics:
        raise unknown("topic", topic, topics)
    chosen = topics[topic] if topic is not None else next(iter(topics.values()))
    citances = {c.citance_id: c for c in chosen.citances}
    if citance is not None and str(citance) not in citances:
        raise unknown(f"citance of {chosen.topic_id}", str(citance), citances)
    return chosen, citances[str(citance)] if citance is not None else chosen.citances[0]
