"""One page for an article: for each citance, what annotators marked and methods found.

The page is a single file without a script: links lead to a citance, and ``:target`` shows its
section. The text of an article is data: everything is escaped, nothing is interpreted.

>>> text = "Cells <b> rest."
>>> marked(text, Span(0, 15), {"A": [Span(0, 9)]}, {"BM25": [Span(6, 15)]}, "c1")
'<u class="n1" title="A">Cells </u><a id="c1-1"></a><mark title="BM25 1"><u class="n1" ...'
"""

import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, pairwise
from pathlib import Path

import pandas as pd

from citectx import paths, profiles
from citectx.corpora.model import Block, Corpus, Document
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
    about : mapping of str to str
        What to say of a method, such as its scores.
    """

    name: str
    text: str
    found: Marks
    gold: Marks = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)


def render(document: Document, sections: Sequence[Section], table: str = "") -> str:
    """Return the page of an article.

    Parameters
    ----------
    document : Document
    sections : sequence of Section
    table : str
        HTML that stands above the list of citances.
    """
    titles = [b for b in document.blocks if b.kind == "title"] or [Block(0, 0, "title")]
    title = escape(document.text[titles[0].start : titles[0].end] or document.doc_id)
    links, bodies = [], []
    for number, section in enumerate(sections, 1):
        place, name = f"c{number}", escape(section.name)
        links.append(f'<li><a href="#{place}"><b>{name}</b> {escape(section.text)}</a></li>')
        bodies.append(f'<section id="{place}">{"".join(_body(document, section, place))}</section>')
    return (
        f'{MARK}<html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{STYLE.read_text('utf-8')}</style><nav><h1>{title}</h1>{table}"
        f"<ul>{''.join(links)}</ul></nav><main>{''.join(bodies)}</main></html>"
    )


def _body(document: Document, section: Section, place: str) -> Iterator[str]:
    """Yield the citing passage, the spans that were found for it, and the article with both."""
    yield f"<header><small>{escape(section.name)}</small><p>{escape(section.text)}</p></header>"
    number = 0
    for method, spans in section.found.items():
        yield f"<h4>{escape(method)} <small>{escape(section.about.get(method, ''))}</small></h4><ol>"
        for span in spans:
            number += 1
            text = escape(span.of(document.text))
            yield f'<li><a href="#{place}-{number}">{text}</a></li>'
        yield "</ol>"
    if section.gold:
        names = escape(", ".join(section.gold))
        yield f"<p class='legend'><u>underlined</u>: marked by {names}; <mark>found</mark></p>"
    yield "<article>"
    for block in document.blocks:
        tag = TAGS.get(block.kind, "p")
        inside = Span(block.start, block.end)
        text = marked(document.text, inside, section.gold, section.found, place)
        yield f"<{tag}>{text}</{tag}>"
    yield "</article>"


def marked(text: str, inside: Span, gold: Marks, found: Marks, place: str) -> str:
    """Underline what annotators marked in a part of a text, and highlight what methods found.

    Titles say who; the underline is thicker for more of them. Each found span has an id, which
    links lead to.
    """
    numbered = []  # a row for each found span of the citance: its number, method, rank, place
    for name, spans in found.items():
        for rank, span in enumerate(spans, 1):
            numbered.append((len(numbered) + 1, f"{name} {rank}", span))
    everything = [*chain.from_iterable(gold.values()), *(span for _, _, span in numbered)]
    ends = {end for span in everything for end in span if inside.start < end < inside.end}
    pieces = []
    for start, end in pairwise(sorted({*inside, *ends})):
        here = Span(start, end)
        people = [name for name, spans in gold.items() if any(map(here.overlap, spans))]
        hits = [(number, name) for number, name, span in numbered if here.overlap(span)]
        begins = [number for number, _, span in numbered if span.start == start]
        piece = escape(here.of(text))
        if people:
            piece = f'<u class="n{len(people)}" title="{escape(", ".join(people))}">{piece}</u>'
        if hits:
            names = escape(", ".join(name for _, name in hits))
            piece = f'<mark title="{names}">{piece}</mark>'
        pieces += [f'<a id="{place}-{number}"></a>' for number in begins]
        pieces.append(piece)
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
    path = out or paths.results_dir() / chosen.name / "views" / f"{Path(topic).name}.html"
    if out is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    check_output(path, force=path.is_file() and path.read_text("utf-8").startswith(MARK))
    write_atomically(path, page(source, topic, methods))
    print(path)
    if opened and not webbrowser.open(path.resolve().as_uri()):
        print("no browser was found here: open the file in one")
    return 0


def find(topic: str, corpora: Sequence[str]) -> Corpus:
    """Return the first corpus that has a topic with annotations.

    Raises
    ------
    ParameterError
        If none has; the message lists all their topics.
    """
    known = []
    for name in corpora:
        corpus = profiles.load(name)
        topics = [each.topic_id for each in corpus]
        if topic in topics:
            return corpus
        known += topics
    raise unknown(f"topic of {' and '.join(corpora)}", topic, known)


def page(corpus: Corpus, topic: str, methods: Sequence[str] = METHODS) -> str:
    """Return the page of a topic: annotators, and methods tuned on the corpus's other topics."""
    topics = prepare(corpus)
    [prepared] = [each for each in topics if each.topic.topic_id == topic]
    found: list[Marks] = [{} for _ in prepared.citances]
    about: list[dict[str, str]] = [{} for _ in prepared.citances]
    means = {}
    for name in methods:
        model = tune(topics, variants(name, corpus.name), FOLDS).of(topic)
        table = prepared.measure(model, METRICS)
        means[name] = table[[*METRICS]].mean()
        for i, row in enumerate(prepared.scores(model)):
            found[i][name] = prepared.retrieve(row, prepared.protocol.k)
            about[i][name] = ", ".join(f"{metric} {table[metric][i]:.1f}" for metric in METRICS)
    sections = []
    for citance, spans, scores in zip(prepared.citances, found, about, strict=True):
        section = Section(citance.citance_id, citance.text, spans, citance.gold, scores)
        sections.append(section)
    means_table = pd.DataFrame(means).T.to_html(float_format="{:.1f}".format, border=0)
    return render(prepared.topic.reference, sections, means_table)
