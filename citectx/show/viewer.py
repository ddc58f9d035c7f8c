"""One page for an article: for each citance, what annotators marked and methods found.

The page is a single file without a script: links lead to a citance, and ``:target`` shows its
section. The text of an article is data: everything is escaped, nothing is interpreted.

>>> layers = [Layer("u", "A", Span(0, 9)), Layer("mark", "BM25 1", Span(10, 15))]
>>> marked("Cells <b> rest.", Span(0, 15), layers)
'<u class="n1" title="A">Cells &lt;b&gt;</u> <mark class="n1" title="BM25 1">rest.</mark>'
"""

import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from citectx import paths, profiles
from citectx.corpora.model import Corpus, Document
from citectx.errors import unknown
from citectx.experiments.contextualization import prepare
from citectx.experiments.tuning import tune, variants
from citectx.storage import check_output, write_atomically
from citectx.types import Span

METHODS = ("VSM", "BM25", "LMD")
"""Shown unless others are named: they only count words, and are tuned in seconds."""
METRICS = ("c-F", "nDCG")
STYLE = Path(__file__).with_name("viewer.css")
FOLDS = 10
"""Of the cross-validation, as in the tables."""
MARK = "<!doctype html><!-- citectx view -->"
"""What our pages begin with: another file is not replaced."""
LEGEND = "<p><small><u>annotators</u>, thicker for more; <mark>methods</mark></small></p>"
TAGS = {"title": "h2", "heading": "h3", "table": "pre", "caption": "figcaption"}
"""Elements for kinds of blocks, other than paragraphs."""

Marks = Mapping[str, Sequence[Span]]
"""Spans by whoever or whatever marked them; those of a method are in the order of their ranks."""


class Layer(NamedTuple):
    """A mark in the text: an element, "u" or "mark", who marked it, and where."""

    tag: str
    name: str
    span: Span


@dataclass(frozen=True)
class Section:
    """What the page shows for a citance.

    Parameters
    ----------
    name : str
    text : str
        The citing passage.
    found : mapping of str to sequence of Span
        By method, best first.
    gold : mapping of str to sequence of Span
        By annotator.
    """

    name: str
    text: str
    found: Marks
    gold: Marks = field(default_factory=dict)


def render(document: Document, sections: Sequence[Section], table: str = "") -> str:
    """Return the page of an article.

    Parameters
    ----------
    document : Document
    sections : sequence of Section
    table : str
        HTML that stands above the list of citances.
    """
    links, bodies = [], []
    for number, section in enumerate(sections, 1):
        place, text = f"c{number}", f"<b>{escape(section.name)}</b> {escape(section.text)}"
        links.append(f'<a href="#{place}">{text}</a>')
        bodies.append(f'<section id="{place}"><header>{text}</header>')
        bodies += _body(document, section, place)
    title, style = escape(document.doc_id), STYLE.read_text("utf-8")
    return (
        f'{MARK}<html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style>'
        f"<nav><h1>{title}</h1>{table}{''.join(links)}</nav><main>{''.join(bodies)}</main></html>"
    )


def _body(document: Document, section: Section, place: str) -> Iterator[str]:
    """Yield the spans that were found for a citance, and the article with all marks."""
    layers = [Layer("u", name, span) for name, spans in section.gold.items() for span in spans]
    found: dict[Span, list[str]] = {}
    for method, spans in section.found.items():
        for rank, span in enumerate(spans, 1):
            found.setdefault(span, []).append(f"{method} {rank}")
            layers.append(Layer("mark", f"{method} {rank}", span))
    yield "<ol>"
    for span, names in found.items():
        link = f'<a href="#{place}-{span.start}">{escape(span.of(document.text))}</a>'
        yield f"<li>{link} <small>{escape(', '.join(names))}</small></li>"
    yield f"</ol>{LEGEND if section.gold else ''}<article>"
    anchors = {span.start: f'<a id="{place}-{span.start}"></a>' for span in found}
    for block in document.blocks:
        tag = TAGS.get(block.kind, "p")
        text = marked(document.text, Span(block.start, block.end), layers, anchors)
        yield f"<{tag}>{text}</{tag}>"
    yield "</article></section>"


def marked(
    text: str, inside: Span, layers: Sequence[Layer], anchors: Mapping[int, str] | None = None
) -> str:
    """Underline and highlight a part of a text; titles say who, classes how many marked it.

    Parameters
    ----------
    text : str
    inside : Span
        The part to give back.
    layers : sequence of Layer
    anchors : mapping of int to str, optional
        HTML that stands at some offsets.
    """
    ends = {end for layer in layers for end in layer.span if inside.start < end < inside.end}
    pieces = []
    for start, end in pairwise(sorted({*inside, *ends})):
        here = Span(start, end)
        piece = escape(here.of(text))
        covering = [layer for layer in layers if here.overlap(layer.span)]
        for tag in ("u", "mark"):
            if names := sorted({layer.name for layer in covering if layer.tag == tag}):
                title = escape(", ".join(names))
                piece = f'<{tag} class="n{len(names)}" title="{title}">{piece}</{tag}>'
        pieces += [(anchors or {}).get(start, ""), piece]
    return "".join(pieces)


def cmd_view(
    topic: str,
    profile: str,
    corpus: str | None,
    methods: Sequence[str],
    out: Path | None,
    opened: bool,
) -> int:
    """Write the page of a topic, and open it in the browser.

    Raises
    ------
    ParameterError
        For an unknown topic, corpus, profile or method, and if `out` is a file of something else.
    MissingDataError
        If a corpus, or what a method needs, is missing.
    """
    chosen = profiles.profile(profile)
    source = find(topic, [corpus] if corpus else chosen.corpora)
    views = paths.results_dir() / chosen.name / "views"
    path = out or views / f"{topic}.html"
    if not out:
        views.mkdir(parents=True, exist_ok=True)
    is_ours = path.is_file() and path.read_bytes().startswith(MARK.encode())
    check_output(path, force=is_ours)
    write_atomically(path, page(source, topic, methods))
    print(path)
    if opened:
        webbrowser.open(path.resolve().as_uri())
    return 0


def find(topic: str, corpora: Sequence[str]) -> Corpus:
    """Return the first corpus that has a topic.

    Raises
    ------
    ParameterError
        If none has; the message lists all their topics.
    """
    known: list[str] = []
    for name in corpora:
        corpus = profiles.load(name)
        known += [each.topic_id for each in corpus]
        if topic in known:
            return corpus
    raise unknown(f"topic of {' and '.join(corpora)}", topic, known)


def page(corpus: Corpus, topic: str, methods: Sequence[str] = METHODS) -> str:
    """Return the page of a topic: annotators, and methods tuned on the corpus's other topics."""
    topics = prepare(corpus)
    [prepared] = [each for each in topics if each.topic.topic_id == topic]
    scores, means = {}, {}
    for name in methods:
        model = tune(topics, variants(name, corpus.name), FOLDS).of(topic)
        scores[name] = prepared.scores(model)
        means[name] = prepared.measure(model, METRICS).mean(numeric_only=True)
    sections = []
    for i, citance in enumerate(prepared.citances):
        k = prepared.protocol.k
        found = {name: prepared.retrieve(rows[i], k) for name, rows in scores.items()}
        sections.append(Section(citance.citance_id, citance.text, found, citance.gold))
    table = pd.DataFrame(means).T.to_html(float_format="{:.1f}".format, border=0)
    return render(prepared.topic.reference, sections, table)
