"""Citances and their contexts as HTML, for notebooks.

The text of an article is data: everything is escaped, nothing is interpreted.

>>> from citectx.types import Span
>>> highlight("a <b> c", {"A": [Span(2, 5)]})
'a <span class="u1" title="A">&lt;b&gt;</span> c'
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from citectx.corpora.model import Citance, Topic
from citectx.show.lessons import pick
from citectx.types import Span

if TYPE_CHECKING:
    from IPython.display import HTML

    from citectx.experiments.contextualization import Prepared
    from citectx.retrieval import RetrievalModel

STYLE = Path(__file__).with_name("citectx.css").read_text("utf-8")
"""Underlines grow darker and thicker with the number of annotators, so that they read in print,
too."""


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
    offsets = (
        min(max(offset, start), end) for spans in gold.values() for span in spans for offset in span
    )
    pieces = []
    for a, b in pairwise(sorted({start, end, *offsets})):
        who = [name for name, spans in gold.items() if any(s.start <= a < s.end for s in spans)]
        piece = escape(text[a:b])
        mark = f'<span class="u{min(len(who), 4)}" title="{escape(", ".join(who))}">{piece}</span>'
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
    document, gold = topic.reference, citance.gold
    spans = [span for marked in gold.values() for span in marked]
    parts, last = [], -1
    for place, block in enumerate(document.blocks):
        if not any(s.start < block.end and block.start < s.end for s in spans):
            continue
        if place > last + 1:
            parts.append('<div class="gap">· · ·</div>')
        if block.heading and (last < 0 or document.blocks[last].section != block.section):
            parts.append(f"<h4>{escape(block.heading)}</h4>")
        parts.append(f"<p>{highlight(document.text, gold, Span(block.start, block.end))}</p>")
        last = place
    legend = f"underlined: chosen by annotators {escape(', '.join(sorted(gold)))} (thicker: by more of them)"
    return (
        f'<div class="citectx"><style>{STYLE}</style><h4>Citing passage</h4><p>{citance_html(citance)}</p>'
        f'<div class="legend">{legend}</div>{"".join(parts)}</div>'
    )


def show(
    topic: "Topic | Prepared",
    citance: Citance | str | None = None,
    *,
    methods: "Mapping[str, RetrievalModel] | None" = None,
    height: int = 720,
) -> "HTML":
    """Show citances and their contexts in a notebook: one of them, or the whole article to click
    through.

    Parameters
    ----------
    topic : Topic or Prepared
        `methods` need a topic that is prepared.
    citance : Citance or str, optional
        Which one, or its id. The fragment of `context_html` needs it; the article begins with the
        first.
    methods : mapping of str to RetrievalModel, optional
        Show the whole article, as ``citectx view`` does, with what each of them finds (``{}``: with
        the annotators alone). Otherwise only the paragraphs with something marked are shown; that
        fragment has no script, so it appears wherever notebooks do.
    height : int
        Of the article's frame, in pixels.

    Raises
    ------
    ParameterError
        If there is no such citance, or methods are to be shown for a topic that is not prepared.
    """
    from IPython.display import HTML

    if methods is not None or citance is None:
        from citectx.apps.viewer import frame

        return HTML(frame(topic, methods or {}, citance, height))
    bare = topic if isinstance(topic, Topic) else topic.topic
    if isinstance(citance, str):
        citance = pick([bare], bare.topic_id, citance)[1]
    return HTML(context_html(bare, citance))
