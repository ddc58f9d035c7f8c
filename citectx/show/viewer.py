"""One page for an article: for each citance, what annotators marked and methods found.

The page is a single file without a script: links lead to a citance, and ``:target`` shows its
section. The text of an article is data: everything is escaped, nothing is interpreted.

>>> section = Section("1", "Doe saw cells.", {"BM25": [Span(6, 11)]}, {"A": [Span(0, 5)]})
>>> marked("Cells rest.", Span(6, 11), section, "c1")
'<a id="c1-6"></a><mark class="n1" title="BM25">rest.</mark>'
"""

import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, pairwise
from pathlib import Path

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
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
)
LEGEND = "<p><small><u>annotators</u>, thicker for more; <mark>methods</mark></small></p>"
TAGS = {"title": "h2", "heading": "h3", "table": "pre", "caption": "figcaption"}
"""Elements for kinds of blocks, other than paragraphs."""

Marks = Mapping[str, Sequence[Span]]
"""Spans by whoever or whatever marked them; those of a method are in the order of their ranks."""


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
        place, name = f"c{number}", escape(section.name)
        text = f"<b>{name}</b> {escape(section.text)}"
        links.append(f'<a href="#{place}">{text}</a>')
        bodies.append(f'<section id="{place}"><header>{text}</header>')
        bodies += _body(document, section, place)
    title = escape(document.doc_id)
    head = f"<title>{title}</title><style>{STYLE.read_text('utf-8')}</style>"
    nav = f"<nav><h1>{title}</h1>{table}{''.join(links)}</nav>"
    return f"{HEAD}{head}{nav}<main>{''.join(bodies)}</main></html>"


def _body(document: Document, section: Section, place: str) -> Iterator[str]:
    """Yield the spans that were found for a citance, and the article with all marks."""
    found: dict[Span, list[str]] = {}
    for method, spans in section.found.items():
        for rank, span in enumerate(spans, 1):
            found.setdefault(span, []).append(f"{method} {rank}")
    yield "<ol>"
    for span, ranks in found.items():
        text = escape(span.of(document.text))
        labels = escape(", ".join(ranks))
        yield f'<li><a href="#{place}-{span.start}">{text}</a> <small>{labels}</small></li>'
    yield f"</ol>{LEGEND if section.gold else ''}<article>"
    for block in document.blocks:
        tag = TAGS.get(block.kind, "p")
        inside = Span(block.start, block.end)
        yield f"<{tag}>{marked(document.text, inside, section, place)}</{tag}>"
    yield "</article></section>"


def marked(text: str, inside: Span, section: Section, place: str) -> str:
    """Underline what annotators marked in a part of a text, and highlight what methods found.

    Titles say who, classes how many. Before each piece is an anchor, the `place` with its offset.
    """
    layers = {"u": section.gold, "mark": section.found}
    spans = chain(*section.gold.values(), *section.found.values())
    offsets = {offset for span in spans for offset in span}
    inner = {offset for offset in offsets if inside.start < offset < inside.end}
    pieces = []
    for start, end in pairwise(sorted(inner.union(inside))):
        here = Span(start, end)
        piece = escape(here.of(text))
        for tag, marks in layers.items():
            names = [name for name, marked in marks.items() if any(map(here.overlap, marked))]
            if names:
                title = escape(", ".join(names))
                piece = f'<{tag} class="n{len(names)}" title="{title}">{piece}</{tag}>'
        pieces.append(f'<a id="{place}-{start}"></a>{piece}')
    return "".join(pieces)


def cmd_view(
    topic: str,
    profile: str,
    corpus: str | None,
    methods: Sequence[str],
    out: Path | None,
    force: bool,
    opened: bool,
) -> int:
    """Write the page of a topic, and open it in the browser.

    Raises
    ------
    ParameterError
        For an unknown topic, corpus, profile or method, and if `out` exists and is not forced.
    MissingDataError
        If a corpus, or what a method needs, is missing.
    """
    chosen = profiles.profile(profile)
    source = find(topic, [corpus] if corpus else chosen.corpora)
    path = out or paths.results_dir() / chosen.name / "views" / f"{topic}.html"
    check_output(path, force=force or not out)
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
    found: list[dict[str, list[Span]]] = [{} for _ in prepared.citances]
    means = {}
    for name in methods:
        tuned = tune(topics, variants(name, corpus.name), FOLDS)
        model = tuned.of(topic)
        means[name] = prepared.measure(model, METRICS).mean(numeric_only=True)
        for spans, scores in zip(found, prepared.scores(model), strict=True):
            spans[name] = prepared.retrieve(scores, prepared.protocol.k)
    sections = []
    for citance, spans in zip(prepared.citances, found, strict=True):
        sections.append(Section(citance.citance_id, citance.text, spans, citance.gold))
    table = pd.DataFrame(means).T.round(1).to_html(border=0)
    return render(prepared.topic.reference, sections, table)
