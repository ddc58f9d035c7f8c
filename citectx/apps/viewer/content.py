"""What a page shows, as plain data: text, paragraphs, spans, scores.

Python counts characters (code points) and JavaScript counts UTF-16 code units, two for a character
beyond the basic plane (𝛼, say; CL-SciSumm has some). All offsets are converted here, so that the
page only slices.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from citectx.corpora.model import Block, Citance, Document, Topic
from citectx.errors import unknown
from citectx.evaluation import total
from citectx.experiments.contextualization import Prepared
from citectx.retrieval import Query, RetrievalModel
from citectx.types import Span

SCORES = ("c-P", "c-R", "c-F", "nDCG")
Place = Callable[[int], int]
"""From an offset in characters to one in UTF-16 code units."""


class Shown(NamedTuple):
    """A method on the page, and how its parameters came about, in words for the reader of the
    page.
    """

    name: str
    model: RetrievalModel
    how: str


def content(
    prepared: Prepared,
    shown: Iterable[Shown] = (),
    left_out: Mapping[str, str] | None = None,
    *,
    corpus: str = "",
    start: str | None = None,
) -> dict[str, Any]:
    """Retrieve and measure with each method for every citance, and collect what the page needs.

    Citances without evidence are shown, too; they have no scores.

    Parameters
    ----------
    prepared : Prepared
    shown : iterable of Shown
    left_out : mapping of str to str, optional
        Methods that are not on the page, each with the reason.
    corpus : str
        Its name, for the heading.
    start : str, optional
        The citance to begin with, by its id; by default the one where the first method and the
        last, which the page shows at first, differ most in c-F.

    Returns
    -------
    dict
        Ready for `json.dumps`; offsets are UTF-16 code units, scores are percent.

    Raises
    ------
    ParameterError
        If there is no citance `start`.
    """
    topic = prepared.topic
    text = topic.reference.text
    place = utf16(text)
    shown = list(shown)
    found = [_retrieved(prepared, one) for one in shown]
    scores = [_scores(prepared, one) for one in shown]
    annotators = sorted({a.annotator for c in topic.citances for a in c.annotations})
    labels = short(annotators)
    titles = [b for b in topic.reference.blocks if b.kind == "title"]
    return {
        "corpus": corpus,
        "topic": topic.topic_id,
        "title": text[titles[0].start : titles[0].end] if titles else "",
        "text": text,
        "blocks": [
            [place(b.start), place(b.end), b.kind, b.section] for b in laid_out(topic.reference)
        ],
        "annotators": [{"name": name, "label": labels[name]} for name in annotators],
        "k": prepared.protocol.k,
        "scores": SCORES,
        "methods": [
            {
                "name": one.name,
                "params": _params(one),
                "how": one.how,
                "means": _means(own.values()),
            }
            for one, own in zip(shown, scores, strict=True)
        ],
        "leftOut": sorted((left_out or {}).items()),
        "start": citance_number(topic, start) if start else _most_different(topic, scores),
        "citances": [
            _citance(c, text, annotators, [own[i] for own in found], place)
            | {"scores": [own.get(c.citance_id) for own in scores]}
            for i, c in enumerate(topic.citances)
        ],
    }


def citance_number(topic: Topic, citance_id: str | None) -> int:
    """Return the place of a citance among those of its topic.

    Raises
    ------
    ParameterError
        If there is none of that id; the message lists those there are.
    """
    known = [c.citance_id for c in topic.citances]
    if citance_id is not None and citance_id not in known:
        raise unknown(f"citance of {topic.topic_id}", citance_id, known)
    return known.index(citance_id) if citance_id is not None else 0


def _most_different(topic: Topic, scores: Sequence[Mapping[str, Sequence[float]]]) -> int:
    """Return the place of the citance whose c-F differs most: of the first and last method, then of
    all.
    """

    def spread(citance: Citance) -> tuple[float, float]:
        values = [own[citance.citance_id][2] for own in scores if citance.citance_id in own] or [
            0.0
        ]
        return abs(values[0] - values[-1]), max(values) - min(values)

    spreads = [spread(citance) for citance in topic.citances]
    return spreads.index(max(spreads)) if spreads else 0


def utf16(text: str) -> Place:
    r"""Make the function that turns offsets of characters into offsets of UTF-16 code units.

    >>> place = utf16("a\N{MATHEMATICAL ITALIC SMALL ALPHA}b")
    >>> [place(i) for i in range(4)]
    [0, 1, 3, 4]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    units = np.concatenate([[0], np.cumsum(1 + (codes > 0xFFFF))])
    return lambda offset: int(units[offset])


def laid_out(document: Document) -> Iterator[Block]:
    """Go through a document's blocks, and through text between them as blocks of kind "body".

    Nine annotated characters in ten thousand of Citation-Integrity stand outside any block.
    """
    last = 0
    for block in (*document.blocks, Block(len(document.text), len(document.text), "back")):
        if document.text[last : block.start].strip():
            yield Block(last, block.start, "body", block.section)
        if block.start < block.end:
            yield block
        last = block.end


def short(names: Sequence[str]) -> dict[str, str]:
    """Abbreviate names to the shortest beginnings that tell them apart.

    >>> short(["aakansha", "ankita", "kokil"])
    {'aakansha': 'aa', 'ankita': 'an', 'kokil': 'k'}
    """
    return {
        name: next(
            (
                name[:n]
                for n in range(1, len(name))
                if sum(o.startswith(name[:n]) for o in names) == 1
            ),
            name,
        )
        for name in names
    }


def missed(
    text: str, gold: Mapping[str, Sequence[Span]], found: Iterable[Sequence[Span]]
) -> list[Span]:
    """Return what at least one annotator marked and no method returned, white space at its ends
    left out.

    The blank between two retrieved sentences is nothing that anybody missed.

    >>> gold = {"A": [Span(0, 16)], "B": [Span(6, 23)]}
    >>> missed("Cells rest. Mice sleep.", gold, [[Span(0, 6)], [Span(6, 11)]])
    [Span(start=12, end=23)]
    """
    lost = np.zeros(len(text) + 1, dtype=np.int8)
    for layer, mark in ((gold.values(), 1), (found, 0)):
        for span in (span for spans in layer for span in spans):
            lost[span.start : span.end] = mark
    rest = []
    for start, end in np.flatnonzero(np.diff(lost, prepend=0)).reshape(-1, 2).tolist():
        inside = text[start:end]
        if inside.strip():
            rest.append(Span(end - len(inside.lstrip()), start + len(inside.rstrip())))
    return rest


def _retrieved(prepared: Prepared, one: Shown) -> list[list[Span]]:
    protocol = prepared.protocol
    queries = [Query.of_citance(c, protocol.analyzer) for c in prepared.topic.citances]
    if not queries:
        return []
    scores = one.model.fit(prepared.index).score(queries)
    return [prepared.retrieve(row, protocol.k) for row in scores]


def _scores(prepared: Prepared, one: Shown) -> dict[str, list[float]]:
    if not prepared.citances:
        return {}
    measured = prepared.measure(one.model, SCORES).set_index("citance")
    return {str(name): [round(float(v), 4) for v in row] for name, *row in measured.itertuples()}


def _means(scores: Iterable[list[float]]) -> list[float] | None:
    rows = list(scores)
    return [round(float(v), 4) for v in np.mean(rows, axis=0)] if rows else None


def _params(one: Shown) -> str:
    settings = {
        name: value for name, value in one.model.params().items() if value not in (None, (), "")
    }
    return ", ".join(
        f"{name}={'+'.join(v) if isinstance(v, tuple) else v}" for name, v in settings.items()
    )


def _citance(
    citance: Citance,
    text: str,
    annotators: Sequence[str],
    found: Sequence[Sequence[Span]],
    place: Place,
) -> dict[str, Any]:
    lost = missed(text, citance.gold, found) if found else []
    facets: dict[str, list[int]] = {}
    for annotation in citance.annotations:
        for facet in annotation.facet:
            facets.setdefault(facet, []).append(annotators.index(annotation.annotator))
    return {
        "id": citance.citance_id,
        "citing": citance.citing_id,
        "text": citance.text,
        "marker": marker_place(citance),
        "annotators": [annotators.index(a.annotator) for a in citance.annotations],
        "gold": [
            [annotators.index(name), _pairs(spans, place)] for name, spans in citance.gold.items()
        ],
        "facets": sorted(facets.items()),
        "found": [_pairs(spans, place) for spans in found],
        "missed": _pairs(lost, place),
        "missedShare": 100 * total(lost) / total([s for v in citance.gold.values() for s in v])
        if lost
        else 0,
    }


def _pairs(spans: Iterable[Span], place: Place) -> list[list[int]]:
    return [[place(start), place(end)] for start, end in spans]


def marker_place(citance: Citance) -> list[int] | None:
    """Find the marker in the citing passage, in UTF-16 code units.

    Seven markers of Citation-Integrity and 17 of CL-SciSumm's training topics stand twice in their
    passage: where the release gives their place, it decides. 111 of the latter's are not in the
    passage at all.
    """
    text, marker = citance.text, citance.marker
    start = (
        citance.marker_span.start - citance.span.start
        if citance.marker_span and citance.span
        else -1
    )
    if start < 0 or text[start : start + len(marker)] != marker:
        start = text.find(marker)
    if not marker or start < 0:
        return None
    place = utf16(text)
    return [place(start), place(start + len(marker))]
