r"""Read the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file per annotator, one line per annotation),
``Documents_Text`` (the reference article and the articles that cite it) and ``Summary``. Offsets
count characters after ``\r`` is removed. The release needs a licence; the teaching corpus has its
format, and one's own corpus can have it.

What we know of the release comes from others who read it: some files are in ISO-8859-1; one key is
spelt ``Reference_offset``; names of documents lose commas and apostrophes; texts hold pipes;
offsets may differ from the text beside them; and the passages that annotators mark as the citance
differ, but overlap. The teaching corpus has 5 topics, 40 citances and 159 annotations.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.corpora.text_files import (
    Row,
    bare,
    listed,
    listing,
    natural,
    need_folder,
    numbered_lines,
    read_text,
    shown,
    unix_lines,
)
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

KEYS = (
    "Topic ID",
    "Citance Number",
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Annotator",
)
"""Fields of an annotation line, in their order."""

_ENCODING = "iso-8859-1"  # of what is not UTF-8


def read(folder: Path, name: str = "tac2014") -> Corpus:
    """Read all topics of a release.

    A citance is what has one number and overlaps in the citing article. Its text is what most
    annotators marked (among equals, the longest); where one of them marked something else,
    `Annotation.citance_span` says so.

    Parameters
    ----------
    folder : Path
        The folder of the release, or its ``data``.
    name : str
        What to call the corpus.

    Returns
    -------
    Corpus
        Topics in the order of their names.

    Raises
    ------
    MissingDataError
        If the folder does not exist or holds no topic.
    DataError
        Naming file and line: if a line lacks a field, or names no or another reference article.
    """
    root = need_folder(Path(folder), "a TAC 2014 release", "Run: citectx fetch tac2014")
    folders = topic_folders(root)
    if not folders:
        expected = "data/TOPIC/Annotation, data/TOPIC/Documents_Text and data/TOPIC/Summary"
        raise MissingDataError(f"{root} holds no topic; expected there: {expected}")
    rows = {topic: list(_rows(topic)) for topic in folders}
    topics = tuple(_topic(topic, rows[topic]) for topic in folders)
    findings = chain.from_iterable(row.findings for row in chain(*rows.values()))
    return Corpus(name, topics, tuple(findings))


def topic_folders(root: Path) -> list[Path]:
    """Return the folders of the topics below that of a release; none if it is no release."""
    parts = [*root.glob("*/*"), *root.glob("data/*/*")]
    return sorted({p.parent for p in parts if p.name in ("Annotation", "Documents_Text")})


def _topic(folder: Path, rows: Sequence[Row]) -> Topic:
    """Build a topic from its annotations, which all name one reference article."""
    texts = listing(folder / "Documents_Text", "*.txt")
    documents = {_key(path.name): _document(path) for path in texts}
    named = {_key(row["Reference Article"]): row for row in rows}
    for key, row in reversed(named.items()):
        if key not in documents or len(named) > 1:
            article = shown(row["Reference Article"])
            expected = "expected an article in Documents_Text, the same in all lines of a topic"
            raise row.error(f"Reference Article {article}: {expected}")
    if not named:
        raise DataError("expected annotations in Annotation/*.ann.txt", file=folder)
    reference = documents[min(named)]
    views = [_View(row, _view(row, reference, documents)) for row in rows]
    citing = {d.doc_id: d for d in documents.values() if d is not reference}
    summaries = {}
    for path in listing(folder / "Summary", "*.summary.txt"):
        summaries[_annotator(path, ".summary.txt")] = _text(path)
    return Topic(folder.name, reference, tuple(_citances(views)), citing, summaries)


def _key(name: str) -> str:
    """Reduce a document's name, which may have lost commas and apostrophes in an annotation."""
    return bare(name.removesuffix(".txt"))


def _annotator(path: Path, suffix: str) -> str:
    """Return what is left of a file's name without the topic before and the kind behind."""
    return path.name.removesuffix(suffix).removeprefix(f"{path.parents[1].name}.")


def _text(path: Path) -> str:
    return unix_lines(read_text(path, _ENCODING))


def _document(path: Path) -> Document:
    text = _text(path)
    return Document(path.stem, text, plain_blocks(text))


# Lines


def _rows(folder: Path) -> Iterator[Row]:
    """Read the annotations of a topic; an annotator is called as the file is."""
    for path in listing(folder / "Annotation", "*.ann.txt"):
        for number, line in numbered_lines(path, _ENCODING):
            row = annotation_row(line, path, number, KEYS)
            row.fields["Annotator"] = _annotator(path, ".ann.txt")
            yield row


def annotation_row(line: str, path: Path, number: int, keys: Sequence[str]) -> Row:
    """Split a line ``Key: value | Key: value |`` that has these keys in this order.

    A pipe belongs to a value unless the next key follows, so texts may hold pipes. Case does not
    matter in a key, and ``_`` may be written for a space.

    >>> line = "Citance Number: 4 | Citation_text: a | b | Annotator: A |"
    >>> keys = ["Citance Number", "Citation Text", "Annotator"]
    >>> annotation_row(line, Path("D1401.A.ann.txt"), 1, keys).fields
    {'Citance Number': '4', 'Citation Text': 'a | b', 'Annotator': 'A'}
    """
    patterns = [rf"{key.replace(' ', '[ _]')}\s*:" for key in keys]
    whole = r"(.*?)\|\s*".join(patterns)
    match = re.fullmatch(rf"\s*{whole}(.*?)\|?\s*", line, re.IGNORECASE)
    # A first key that occurs again is another annotation, whose line end was lost.
    if match is None or len(re.findall(patterns[0], line, re.IGNORECASE)) > 1:
        names = zip(keys, patterns, strict=True)
        missing = [key for key, name in names if not re.search(name, line, re.IGNORECASE)]
        expected = f"expected 'Key: value |' for {', '.join(keys)}, once and in this order"
        lacking = f"missing: {', '.join(missing) or 'none'}"
        raise DataError(f"{expected}; {lacking}", file=path, line=number)
    values = map(str.strip, match.groups())
    return Row(dict(zip(keys, values, strict=True)), path, number)


def quoted_spans(row: Row, offsets: str, quote: str, text: str) -> list[Span]:
    """Read printed offsets and compare them with the text that is quoted beside them.

    Ambiguity: TAC's release does not say which counts where the two differ. If the quoted text
    occurs in the document exactly once, and neither inside nor around the marked place, we take the
    quote; else the offset, as long as it lies in the text. Each such case is a finding.

    Parameters
    ----------
    row : Row
    offsets, quote : str
        Keys of the offsets, as in ``['12-34', '56-78']``, and of the pieces of text, joined by
        ``...``; white space does not matter.
    text : str
        The document.

    Examples
    --------
    >>> row = Row({"Offset": "['0-5', '93-97']", "Text": "Cells ... rest"}, Path("x"), 1)
    >>> quoted_spans(row, "Offset", "Text", "Cells that rest")
    [Span(start=0, end=5), Span(start=11, end=15)]
    >>> print(*row.findings)
    x:1: repaired: offset 93-97 does not hold its text, which is at 11-15
    """
    printed = row[offsets]
    spans = [Span(int(start), int(end)) for start, end in _PAIR.findall(printed)]
    if re.search(r"[^\[\]'\",;\s]", _PAIR.sub("", printed)):
        expected = "expected pairs as in ['12-34', '56-78']"
        row.note("noted", f"{offsets} is {shown(printed)}, {expected}")
    inside = all(_lies_in(span, text) for span in spans)
    if inside and _letters(row[quote]) == _letters(*(span.of(text) for span in spans)):
        return spans
    pieces = row[quote].split("...")
    if len(pieces) != len(spans):
        message = f"{len(spans)} offsets, but the text beside them has {len(pieces)} pieces"
        row.note("noted", message)
        pieces = [""] * len(spans)
    pairs = zip(spans, pieces, strict=True)
    return [place for pair in pairs if (place := _place(*pair, text, row))]


_PAIR = re.compile(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)")


def _place(span: Span, quote: str, text: str, row: Row) -> Span | None:
    """Decide between an offset and its quote."""
    inside = _lies_in(span, text)
    if inside and (not quote or _letters(quote) == _letters(span.of(text))):
        return span
    found = occurrences(quote, text)
    offset = f"offset {span.start}-{span.end}"
    for place in found if len(found) == 1 else ():
        # One of the two may lie in the other; then the difference is of a word or two.
        if not inside or not (span.inside(place) or place.inside(span)):
            there = f"{place.start}-{place.end}"
            row.note("repaired", f"{offset} does not hold its text, which is at {there}")
            return place
    if inside:
        row.note("noted", f"{offset} does not hold its text; the offset counts")
        return span
    times = f"which holds its text {len(found)} times"
    row.note("skipped", f"{offset} leaves the text (0-{len(text)}), {times}")
    return None


def _lies_in(span: Span, text: str) -> bool:
    return span.start < span.end <= len(text)


def _letters(*texts: str) -> str:
    """Join texts without white space and ``...``, which are lost when they are copied."""
    return "".join("".join(texts).replace("...", "").split())


def occurrences(quote: str, text: str) -> list[Span]:
    r"""Find a quote in a text, whatever white space is between its words.

    >>> occurrences("cells  rest", "If cells\nrest, cells rest.")
    [Span(start=3, end=13), Span(start=15, end=25)]
    >>> occurrences("", "Cells rest.")
    []
    """
    pattern = r"\s+".join(map(re.escape, quote.split()))
    matches = re.finditer(pattern, text) if pattern else ()
    return [Span(*match.span()) for match in matches]


# Citances


class _View(NamedTuple):
    """A citance as one annotator sees it, and the line that says so."""

    row: Row
    citance: Citance


def _view(row: Row, reference: Document, documents: Mapping[str, Document]) -> Citance:
    """Read what one annotator says of one citance."""
    spans = quoted_spans(row, "Reference Offset", "Reference Text", reference.text)
    annotation = Annotation(row["Annotator"], tuple(spans), listed(row["Discourse Facet"]))
    citing = documents.get(_key(row["Citing Article"]))
    name = citing.doc_id if citing else row["Citing Article"].removesuffix(".txt")
    if citing is None:
        row.note("noted", f"citing article {shown(name)} is not in Documents_Text")
    text, span = _passage(row, "Citation Offset", "Citation Text", citing)
    marker, place = _passage(row, "Citation Marker Offset", "Citation Marker", citing)
    return Citance(row["Citance Number"], name, text, marker, span, place, (annotation,))


def _passage(row: Row, offset: str, quote: str, citing: Document | None) -> tuple[str, Span | None]:
    """Read a passage of the citing article: its text, as the article has it, and its place."""
    spans = quoted_spans(row, offset, quote, citing.text) if citing else []
    if citing is None or not spans:
        return row[quote], None
    return spans[0].of(citing.text), spans[0]


def _citances(views: Iterable[_View]) -> Iterator[Citance]:
    """Join what the annotators say of each citance."""
    numbered: dict[str, dict[str, _View]] = {}
    for view in views:
        number = view.row["Citance Number"]
        known = numbered.setdefault(number, {})
        if known.setdefault(view.row["Annotator"], view) is not view:
            view.row.note("skipped", f"citance {number} occurs twice; the first one is kept")
    for number in sorted(numbered, key=natural):
        yield from _apart(number, list(numbered[number].values()))


def _apart(number: str, views: Sequence[_View]) -> Iterator[Citance]:
    """Make one citance of the views that overlap, and further ones of those that do not."""
    citance_id = number
    while views:
        lead = _favourite([view.citance for view in views], attrgetter("citing_id", "span"))
        here = [view.citance for view in views if _overlap(view.citance, lead)]
        yield _joined(citance_id, lead, here)
        views = [view for view in views if not _overlap(view.citance, lead)]
        for row, _ in views[:1]:
            citance_id = f"{number}-{row['Annotator']}"
            place = f"citance {number} lies elsewhere for other annotators"
            row.note("repaired", f"{place}; here it is called {citance_id}")


def _overlap(one: Citance, two: Citance) -> bool:
    if one.citing_id != two.citing_id or one.span is None or two.span is None:
        return one.citing_id == two.citing_id
    return one.span.overlap(two.span) > 0


def _favourite(
    citances: Sequence[Citance], place: Callable[[Citance], tuple[str, Span | None]]
) -> Citance:
    """Return the first citance with the place that most views have; among equals, the longest."""
    votes = Counter(map(place, citances))

    def weight(citance: Citance) -> tuple[int, int]:
        _, span = place(citance)
        size = span.end - span.start if span else 0
        return votes[place(citance)], size

    return max(citances, key=weight)


def _joined(citance_id: str, lead: Citance, views: Sequence[Citance]) -> Citance:
    """Join the views of one citance."""
    marked = _favourite(views, attrgetter("citing_id", "marker_span"))
    annotations = []
    for view in views:
        apart = view.span if view.span != lead.span else None
        annotations.append(replace(view.annotations[0], citance_span=apart))
    annotations.sort(key=attrgetter("annotator"))
    joined = replace(lead, marker=marked.marker, marker_span=marked.marker_span)
    return replace(joined, citance_id=citance_id, annotations=tuple(annotations))
