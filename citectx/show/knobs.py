"""A knob for a page without a kernel: every choice is there, and radio buttons show one."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import count, product
from typing import Any

_numbers = count(1)
"""Ids must differ on a page, however often a name is used on it."""


class Knob:
    """What a function returns for each choice, computed beforehand, of which one is shown.

    The page needs a style sheet and no script. Where styles are stripped, as on GitHub, each choice
    stands below its name. As text it is the first choice.

    >>> knob = Knob(lambda k: k**2, {"k": [3, 5]})
    >>> knob
    9
    >>> [(choice, result) for choice, result in knob.results.items()]
    [('3', 9), ('5', 25)]
    """

    def __init__(self, function: Callable[..., Any], choices: Mapping[str, Sequence[Any]]) -> None:
        self.title = ", ".join(choices)
        self.place = f"knob-{next(_numbers)}"
        self.results: dict[str, Any] = {}
        for values in product(*choices.values()):
            name = ", ".join(map(str, values))
            self.results[name] = function(**dict(zip(choices, values, strict=True)))

    def __repr__(self) -> str:
        return repr(next(iter(self.results.values())))

    def _repr_html_(self) -> str:
        buttons = panels = ""
        # Without a style sheet all panels are seen, so each begins with its name.
        style = f"#{self.place} > div, #{self.place} > div > p:first-child {{display: none}}"
        for i, (name, result) in enumerate(self.results.items()):
            place = f"{self.place}-{i}"
            checked = "" if i else " checked"
            buttons += f'<input type="radio" name="{self.place}" id="{place}"{checked}>'
            buttons += f'<label for="{place}">{escape(name)}</label> '
            heading = f"<p>{escape(self.title)}: {escape(name)}</p>"
            panels += f'<div id="{place}-panel">{heading}{as_html(result)}</div>\n'
            style += f" #{place}:checked ~ #{place}-panel {{display: block}}"
        group = f'<div id="{self.place}" role="radiogroup" aria-label="{escape(self.title)}">'
        return f"{group}<style>{style}</style>{escape(self.title)}: {buttons}\n{panels}</div>"


def as_html(result: Any) -> str:
    """Return a result as a page shows it; whatever has no page of its own as plain text."""
    if hasattr(result, "_repr_html_"):
        return str(result._repr_html_())
    return f"<pre>{escape(str(result))}</pre>"
