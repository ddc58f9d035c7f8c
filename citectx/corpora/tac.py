r"""Read the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file per annotator, one line per annotation),
``Documents_Text`` (the reference article and the articles that cite it) and ``Summary``. Offsets
count characters after ``\r`` is removed. The release needs a licence; the teaching corpus has its
format, and one's own corpus can have it.

What we know of the release comes from others who read it: some files are in ISO-8859-1; one key is
spelt ``Reference_offset``; names of documents lose commas and apostrophes; texts hold pipes;
offsets may differ from the text beside them; and the passages that annotators mark as the citance
differ. The teaching corpus has 5 topics, 40 citances and 159 annotations.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path

from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.corpora.text_files import (
    NAME,
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

_QUOTES = {
    "Citation Marker Offset": "Citation Marker",
    "Citation Offset": "Citation Text",
    "Reference Offset": "Reference Text",
}
"""Fields with offsets, and those that quote the text there."""

_ENCODING = "iso-8859-1"  # of what is not UTF-8
_PAIR = re.compile(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)")


def read(folder: Path, name: str = "tac2014") -> Corpus:
    """Read all topics of a release, or of its ``data``, in the order of their names."""
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
    if not rows:
        raise DataError("expected annotations in Annotation/*.ann.txt", file=folder)
    if not NAME.fullmatch(folder.name):
        raise DataError("rename the folder: a topic's name has no blank and no colon", file=folder)
    documents = {}
    for path in listing(folder / "Documents_Text", "*.txt"):
        text = unix_lines(read_text(path, _ENCODING))
        documents[bare(path.stem)] = Document(path.stem, text, plain_blocks(text))
    reference = _article(rows, "Reference Article", documents)
    numbered: dict[str, list[Row]] = {}
    for row in rows:
        numbered.setdefault(row.name("Citance Number"), []).append(row)
    citances = []
    for number in sorted(numbered, key=natural):
        citing = _article(numbered[number], "Citing Article", documents)
        citances.append(_citance(numbered[number], reference, citing))
    others = {d.doc_id: d for d in documents.values() if d is not reference}
    summaries = {}
    for path in listing(folder / "Summary", "*.summary.txt"):
        annotator = path.name.split(".")[-3]  # D1401.A.summary.txt
        summaries[annotator] = unix_lines(read_text(path, _ENCODING))
    return Topic(folder.name, reference, tuple(citances), others, summaries)


def _article(rows: Sequence[Row], key: str, documents: Mapping[str, Document]) -> Document:
    """Return the article that all rows name, perhaps without its commas and apostrophes."""
    names = [bare(row[key].removesuffix(".txt")) for row in rows]
    for name, row in zip(names, rows, strict=True):
        if name != names[0] or name not in documents:
            expected = "expected an article in Documents_Text, the same in all such lines"
            raise row.error(f"{key} {shown(row[key])}: {expected}")
    return documents[names[0]]


def _rows(folder: Path) -> Iterator[Row]:
    """Read the annotations of a topic; an annotator is called as the file is."""
    for path in listing(folder / "Annotation", "*.ann.txt"):
        for number, line in numbered_lines(path, _ENCODING):
            row = annotation_row(line, path, number, KEYS)
            row.fields["Annotator"] = path.name.split(".")[-3]  # D1401.A.ann.txt
            yield row


def annotation_row(line: str, path: Path, number: int, keys: Sequence[str]) -> Row:
    """Split a line ``Key: value | Key: value |`` that has these keys in this order.

    A pipe belongs to a value unless the next key follows, so texts may hold pipes. Case does not
    matter in a key, and ``_`` may be written for a space.
    """
    patterns = [rf"{key.replace(' ', '[ _]')}\s*:" for key in keys]
    whole = r"(.*?)\|\s*".join(patterns)
    match = re.fullmatch(rf"\s*{whole}(.*?)\|?\s*", line, re.IGNORECASE)
    # A first key that occurs again is another annotation, whose line end was lost.
    if match is None or len(re.findall(patterns[0], line, re.IGNORECASE)) > 1:
        expected = f"expected 'Key: value |' for {', '.join(keys)}, once and in this order"
        raise DataError(expected, file=path, line=number)
    values = map(str.strip, match.groups())
    return Row(dict(zip(keys, values, strict=True)), path, number)


def quoted_spans(row: Row, key: str, text: str) -> list[Span]:
    """Read printed offsets and compare them with the text that is quoted beside them.

    Ambiguity: TAC's release does not say which counts where the two differ. If the quoted text
    occurs in the document exactly once, and neither inside nor around the marked place, we take the
    quote; else the offset, as long as it lies in the text. Each such case is a finding.
    """
    printed, quote = row[key], row[_QUOTES[key]]
    spans = [Span(int(start), int(end)) for start, end in _PAIR.findall(printed)]
    inside = all(_lies_in(span, text) for span in spans)
    if inside and _letters(quote) == _letters(*(span.of(text) for span in spans)):
        return spans
    pieces = quote.split("...")
    if len(pieces) != len(spans):
        counts = f"{len(spans)} offsets, but the text beside them has {len(pieces)} pieces"
        row.note(f"noted: {counts}")
        pieces = [""] * len(spans)
    pairs = zip(spans, pieces, strict=True)
    return [place for pair in pairs if (place := _place(*pair, text, row))]


def _place(span: Span, quote: str, text: str, row: Row) -> Span | None:
    """Decide between an offset and its quote."""
    inside = _lies_in(span, text)
    if inside and (not quote or _letters(quote) == _letters(span.of(text))):
        return span
    places = occurrences(quote, text)
    offset = f"offset {span.start}-{span.end}"
    for place in places if len(places) == 1 else ():
        # One of the two may lie in the other; then the difference is of a word or two.
        if not inside or not (span.inside(place) or place.inside(span)):
            there = f"{place.start}-{place.end}"
            row.note(f"repaired: {offset} does not hold its text, which is at {there}")
            return place
    if inside:
        row.note(f"noted: {offset} does not hold its text; the offset counts")
        return span
    times = f"which holds its text {len(places)} times"
    row.note(f"skipped: {offset} leaves the text (0-{len(text)}), {times}")
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
    """
    pattern = r"\s+".join(map(re.escape, quote.split()))
    matches = re.finditer(pattern, text) if pattern else ()
    return [Span(*match.span()) for match in matches]


def _citance(rows: Sequence[Row], reference: Document, citing: Document) -> Citance:
    """Join what the annotators say of one citance.

    Ambiguity: annotators may mark different passages. The citance is what most of them marked, and
    among equals the longest; where one marked something else, `Annotation.citance_span` says so.
    """
    passages = [quoted_spans(row, "Citation Offset", citing.text) for row in rows]
    markers = [quoted_spans(row, "Citation Marker Offset", citing.text) for row in rows]
    for row, *places in zip(rows, passages, markers, strict=True):
        if [] in places:
            raise row.error("expected offsets of the citance and its marker in the citing article")
    passage = _favourite([span for span, *_ in passages])
    marker = _favourite([span for span, *_ in markers])
    annotations = []
    for row, (marked, *_) in zip(rows, passages, strict=True):
        spans = quoted_spans(row, "Reference Offset", reference.text)
        apart = marked if marked != passage else None
        facets = listed(row["Discourse Facet"])
        annotations.append(Annotation(row["Annotator"], tuple(spans), facets, apart))
    annotations.sort(key=attrgetter("annotator"))
    texts = passage.of(citing.text), marker.of(citing.text)
    number = rows[0]["Citance Number"]
    return Citance(number, citing.doc_id, *texts, passage, marker, tuple(annotations))


def _favourite(spans: Sequence[Span]) -> Span:
    """Return the most frequent span; among equals the longest, then the first."""
    counts = Counter(spans)
    return max(spans, key=lambda span: (counts[span], span.end - span.start))
