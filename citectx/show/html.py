"""Citances and their contexts as HTML, for notebooks.

The text of an article is data: everything is escaped, nothing is interpreted.

>>> from citectx.types import Span
>>> highlight("a <b> c", {"A": [Span(2, 5)]})
'a <span class="u1" title="A">&lt;b&gt;</span> c'
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from citectx.corpora.model import Citance, Topic
from citectx.show.lessons import pick
from citectx.types import Span

if TYPE_CHECKING:
    from IPython.display import HTML

STYLE = Path(__file__).with_name("citectx.css")
"""Underlines grow darker and thicker with the number of annotators, for readers in print, too."""


def highlight(text: str, gold: Mapping[str, Sequence[Span]], within: Span | None = None) -> str:
    """Underline annotated characters by how many annotators chose them.

    Parameters
    ----------
    text : str
    gold : mapping of annotator to spans
    within : Span, optional
        The part to give back; all of it by default.

    Returns
    -------
    str
        HTML without any style, to stand inside an element of class ``citectx``.
    """
    start, end = within or (0, len(text))
    changes: dict[int, Counter[str]] = {start: Counter(), end: Counter()}
    for name, spans in gold.items():
        for offset, by in (pair for span in spans for pair in zip(span, (1, -1), strict=True)):
            changes.setdefault(min(max(offset, start), end), Counter())[name] += by
    pieces = []
    marked: Counter[str] = Counter()
    for a, b in pairwise(sorted(changes)):
        marked.update(changes[a])
        who = [name for name in gold if marked[name] > 0]
        piece, names = escape(text[a:b]), escape(", ".join(who))
        mark = f'<span class="u{min(len(who), 4)}" title="{names}">{piece}</span>'
        pieces.append(mark if who else piece)
    return "".join(pieces)


def citance_html(citance: Citance) -> str:
    """Return the citing passage with its marker in colour."""
    text = escape(citance.text)
    marker = escape(citance.marker)
    return text.replace(marker, f'<b class="marker">{marker}</b>', 1) if marker else text


def context_html(topic: Topic, citance: Citance) -> str:
    """Lay out a citance and its annotated contexts.

    Returns
    -------
    str
        A fragment with its own style. Only paragraphs with something marked are shown.
    """
    names = escape(", ".join(sorted(citance.gold)))
    legend = f"underlined: chosen by annotators {names} (thicker: by more of them)"
    return (
        f'<div class="citectx"><style>{STYLE.read_text("utf-8")}</style>'
        f"<h4>Citing passage</h4><p>{citance_html(citance)}</p>"
        f'<div class="legend">{legend}</div>'
        f"{''.join(_marked_blocks(topic, citance))}</div>"
    )


def _marked_blocks(topic: Topic, citance: Citance) -> Iterator[str]:
    """Lay out the paragraphs with something marked, and what shows that others lie between them."""
    document, gold = topic.reference, citance.gold
    spans = [span for marked in gold.values() for span in marked]
    last = -1
    for place, block in enumerate(document.blocks):
        if not any(span.start < block.end and block.start < span.end for span in spans):
            continue
        if place > last + 1:
            yield '<div class="gap">· · ·</div>'
        if block.heading and (last < 0 or document.blocks[last].section != block.section):
            yield f"<h4>{escape(block.heading)}</h4>"
        yield f"<p>{highlight(document.text, gold, Span(block.start, block.end))}</p>"
        last = place


def show(topic: Topic, citance: Citance | str) -> "HTML":
    """Show a citance and its contexts in a notebook: the paragraphs with something marked.

    The fragment has no script, so it appears wherever notebooks do; `citectx.show.viewer`
    shows the whole article, with what methods find.

    Parameters
    ----------
    topic : Topic
    citance : Citance or str
        Which one, or its id.

    Raises
    ------
    ParameterError
        If there is no such citance.
    """
    from IPython.display import HTML

    if isinstance(citance, str):
        citance = pick([topic], topic.topic_id, citance)[1]
    return HTML(context_html(topic, citance))
