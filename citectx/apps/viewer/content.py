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


class Method(NamedTuple):
    """A method on the page.

    Parameters
    ----------
    name : str
    model : RetrievalModel
    how : str
        How its parameters came about, in words for the reader of the page.
    """

    name: str
    model: RetrievalModel
    how: str


def content(
    prepared: Prepared,
    shown: Iterable[Method] = (),
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
    shown : iterable of Method
    left_out : mapping of str to str, optional
        Methods that are not on the page, each with the reason.
    corpus : str
        Its name, for the heading.
    start : str, optional
        The citance to begin with, by its id; by default the one where the first and the last
        method, which the page shows at first, differ most in c-F.

    Returns
    -------
    dict
        Ready for `json.dumps`; offsets are UTF-16 code units, scores are percent.

    Raises
    ------
    ParameterError
        If there is no citance `start`.
    """
    topic, article = prepared.topic, prepared.topic.reference
    place = utf16(article.text)
    shown = list(shown)
    found = [_retrieved(prepared, method.model) for method in shown]
    scores = [_scores(prepared, method.model) for method in shown]
    annotators = sorted({a.annotator for c in topic.citances for a in c.annotations})
    citances = []
    for i, citance in enumerate(topic.citances):
        own = _citance(citance, article.text, annotators, [spans[i] for spans in found], place)
        own["scores"] = [each.get(citance.citance_id) for each in scores]
        citances.append(own)
    first = citance_number(topic, start) if start else _most_different(topic, scores)
    return {
        "corpus": corpus,
        "topic": topic.topic_id,
        "title": _title(article),
        "text": article.text,
        "blocks": _blocks(article, place),
        "annotators": [{"name": name, "label": label} for name, label in short(annotators).items()],
        "k": prepared.protocol.k,
        "scores": SCORES,
        "methods": [_method(*pair) for pair in zip(shown, scores, strict=True)],
        "leftOut": sorted((left_out or {}).items()),
        "start": first,
        "citances": citances,
    }


def _blocks(article: Document, place: Place) -> list[list[Any]]:
    return [[place(b.start), place(b.end), b.kind, b.section] for b in laid_out(article)]


def _title(article: Document) -> str:
    titles = (article.text[b.start : b.end] for b in article.blocks if b.kind == "title")
    return next(titles, "")


def _method(method: Method, scores: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    means = [round(float(v), 4) for v in np.mean([*scores.values()], axis=0)] if scores else None
    return {
        "name": method.name,
        "params": _written(method.model.params()),
        "how": method.how,
        "means": means,
    }


def _written(params: Mapping[str, Any]) -> str:
    written = []
    for name, value in params.items():
        if value not in (None, (), ""):
            shown = "+".join(value) if isinstance(value, tuple) else value
            written.append(f"{name}={shown}")
    return ", ".join(written)


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
    """Return the place of the citance whose c-F differs most.

    Between the first and the last method; among equals, between any two.
    """
    spreads = []
    for citance in topic.citances:
        measured = [own[citance.citance_id] for own in scores if citance.citance_id in own]
        values = [c_f for _, _, c_f, _ in measured] or [0.0]
        spreads.append((abs(values[0] - values[-1]), max(values) - min(values)))
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
    """Yield a document's blocks, and text between them as blocks of kind "body".

    Nine annotated characters in ten thousand of Citation-Integrity are outside any block.
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
    found = {}
    for name in names:
        beginnings = (name[:length] for length in range(1, len(name)))
        unique = (b for b in beginnings if sum(o.startswith(b) for o in names) == 1)
        found[name] = next(unique, name)
    return found


def missed(
    text: str, gold: Mapping[str, Sequence[Span]], found: Iterable[Sequence[Span]]
) -> list[Span]:
    """Return what at least one annotator marked and no method returned.

    White space at the ends is left out: nobody misses the blank between two retrieved sentences.

    >>> gold = {"A": [Span(0, 16)], "B": [Span(6, 23)]}
    >>> missed("Cells rest. Mice sleep.", gold, [[Span(0, 6)], [Span(6, 11)]])
    [Span(start=12, end=23)]
    """
    lost = np.zeros(len(text) + 1, dtype=np.int8)
    for spans in gold.values():
        for span in spans:
            lost[span.start : span.end] = 1
    for spans in found:
        for span in spans:
            lost[span.start : span.end] = 0
    rest = []
    for start, end in np.flatnonzero(np.diff(lost, prepend=0)).reshape(-1, 2).tolist():
        inside = text[start:end]
        if inside.strip():
            rest.append(Span(end - len(inside.lstrip()), start + len(inside.rstrip())))
    return rest


def _retrieved(prepared: Prepared, model: RetrievalModel) -> list[list[Span]]:
    protocol = prepared.protocol
    queries = [Query.of_citance(c, protocol.analyzer) for c in prepared.topic.citances]
    if not queries:
        return []
    scores = model.fit(prepared.index).score(queries)
    return [prepared.retrieve(row, protocol.k) for row in scores]


def _scores(prepared: Prepared, model: RetrievalModel) -> dict[str, list[float]]:
    if not prepared.citances:
        return {}
    measured = prepared.measure(model, SCORES).set_index("citance")
    return {str(name): [round(float(v), 4) for v in row] for name, *row in measured.itertuples()}


def _citance(
    citance: Citance,
    text: str,
    annotators: Sequence[str],
    found: Sequence[Sequence[Span]],
    place: Place,
) -> dict[str, Any]:
    lost = missed(text, citance.gold, found) if found else []
    marked = total([span for spans in citance.gold.values() for span in spans])
    facets: dict[str, list[int]] = {}
    for annotation in citance.annotations:
        for facet in annotation.facet:
            facets.setdefault(facet, []).append(annotators.index(annotation.annotator))
    gold = [[annotators.index(who), _pairs(spans, place)] for who, spans in citance.gold.items()]
    return {
        "id": citance.citance_id,
        "citing": citance.citing_id,
        "text": citance.text,
        "marker": marker_place(citance),
        "annotators": [annotators.index(a.annotator) for a in citance.annotations],
        "gold": gold,
        "facets": sorted(facets.items()),
        "found": [_pairs(spans, place) for spans in found],
        "missed": _pairs(lost, place),
        "missedShare": 100 * total(lost) / marked if lost else 0,
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
    start = -1
    if citance.marker_span and citance.span:
        start = citance.marker_span.start - citance.span.start
    if start < 0 or text[start : start + len(marker)] != marker:
        start = text.find(marker)
    if not marker or start < 0:
        return None
    place = utf16(text)
    return [place(start), place(start + len(marker))]
