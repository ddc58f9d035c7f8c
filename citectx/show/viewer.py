"""One page for an article: for each citance, what annotators marked and methods found.

The page is a single file without a script: links lead to a citance, and ``:target`` shows its
section. The text of an article is data: everything is escaped, nothing is interpreted.

>>> mark_up("Cells rest.", Span(6, 11), {"BM25": [Span(6, 11)]}, {"A": [Span(0, 5)]}, "c1")
'<a id="c1-6"></a><mark class="n1" title="BM25">rest.</mark>'
"""

import tempfile
import webbrowser
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeAlias

from citectx import profiles
from citectx.corpora.model import Corpus, Document
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.tuning import choose
from citectx.paths import results_dir
from citectx.show.tables import one_of
from citectx.storage import write_atomically
from citectx.types import Span

STYLE = Path(__file__).with_name("viewer.css")
FOLDS = 10
"""How many folds the cross-validation has, as in the tables."""
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark">'
)
LEGEND = "<p><small><u>annotators</u>, thicker for more; <mark>methods</mark></small></p>"
TAGS = {"title": "h2", "heading": "h3", "table": "pre", "caption": "figcaption"}
"""Elements for kinds of blocks, other than paragraphs."""

Marks: TypeAlias = Mapping[str, Sequence[Span]]
"""Spans by the annotator or method that marked them; those of a method are in order of rank."""

Section: TypeAlias = tuple[str, str, Marks, Marks]
"""Name and text of a citance, what methods found for it, and what annotators marked."""


def render(document: Document, sections: Iterable[Section], title: str = "") -> str:
    """Return the page of an article; without a title it goes by its id."""
    links = bodies = ""
    listed = [*sections]
    for number, (name, text, found, gold) in enumerate(listed, 1):
        place = f"c{number}"
        citance = f"<b>{escape(name)}</b> {escape(text)}"
        links += f'<a href="#{place}">{citance}</a>'
        article = "".join(_article(document, found, gold, place))
        head = f"<header>{citance}{_steps(number, len(listed))}</header>"
        bodies += f'<section id="{place}">{head}{article}</section>'
    title = escape(title or document.doc_id)
    head = f"<title>{title}</title><style>{STYLE.read_text('utf-8')}</style>"
    nav = f"<nav><h1>{title}</h1>{links}</nav>"
    return f"{HEAD}{head}{nav}<main>{bodies}</main></html>"


def _steps(number: int, last: int) -> str:
    """Return links to the citances before and after; the keys p and n follow them."""
    steps = ""
    if number > 1:
        steps += f' <a href="#c{number - 1}" accesskey="p">previous</a>'
    if number < last:
        steps += f' <a href="#c{number + 1}" accesskey="n">next</a>'
    return f"<small>{steps}</small>" if steps else ""


def _article(document: Document, found: Marks, gold: Marks, place: str) -> Iterator[str]:
    """Yield a list of the spans that methods found, and the article with all marks."""
    # by span, which methods found it, and at which rank
    ranks: dict[Span, list[str]] = defaultdict(list)
    for method, spans in found.items():
        for rank, span in enumerate(spans, 1):
            ranks[span].append(f"{method} {rank}" if len(spans) > 1 else method)
    yield "<ol>"
    for span, labels in ranks.items():
        text = escape(span.of(document.text))
        label = escape(", ".join(labels))
        yield f'<li><a href="#{place}-{span.start}">{text}</a> <small>{label}</small></li>'
    yield f"</ol>{LEGEND if gold else ''}<article>"
    for block in document.blocks:
        tag = TAGS.get(block.kind, "p")
        yield f"<{tag}>{mark_up(document.text, block.span, found, gold, place)}</{tag}>"
    yield "</article>"


def mark_up(text: str, inside: Span, found: Marks, gold: Marks, place: str) -> str:
    """Underline what annotators marked in a part of a text, and highlight what methods found.

    Titles name them, classes count them. Each piece has an anchor, the `place` with its offset.
    """
    spans = chain(*gold.values(), *found.values())
    # wherever a mark begins or ends, and at both ends of the part
    cuts = {x for x in chain(*spans) if inside.start < x < inside.end}.union(inside)
    page = ""
    for here in map(Span._make, pairwise(sorted(cuts))):
        piece = escape(here.of(text))
        for tag, marks in (("u", gold), ("mark", found)):
            # a piece lies wholly inside or outside of each span
            names = [name for name, spans in marks.items() if any(map(here.overlap, spans))]
            if names:
                title = escape(", ".join(names))
                piece = f'<{tag} class="n{len(names)}" title="{title}">{piece}</{tag}>'
        page += f'<a id="{place}-{here.start}"></a>{piece}'
    return page


def cmd_view(topic: str, profile: str, methods: Sequence[str]) -> None:
    """Write the page of a topic, and open it in the browser."""
    loaded = profiles.profile(profile).load()
    corpora = {known.topic_id: corpus for corpus in loaded for known in corpus}
    corpus = one_of(f"topic of profile {profile}", topic, corpora)
    path = results_dir() / profile / "views" / f"{topic}.html"
    text = page(corpus, topic, methods)
    try:
        write_atomically(path, text)
    except OSError:  # in a checkout that others may write
        path = Path(tempfile.mkdtemp(), path.name)
        write_atomically(path, text)
    print(path)
    webbrowser.open(path.resolve().as_uri())


def page(corpus: Corpus, topic: str, methods: Sequence[str]) -> str:
    """Return the page of a topic: annotators, and methods tuned on the corpus's other topics."""
    tuned = choose(corpus, methods, DEFAULT, FOLDS)
    prepared = next(p for p in prepare(corpus) if p.topic.topic_id == topic)
    scores = {name: choice.scores([prepared])[0] for name, choice in tuned.items()}
    sections = []
    for i, citance in enumerate(prepared.citances):
        found = {name: prepared.retrieve(rows[i], DEFAULT.k) for name, rows in scores.items()}
        sections.append((citance.citance_id, citance.text, found, citance.gold))
    return render(prepared.topic.reference, sections)
