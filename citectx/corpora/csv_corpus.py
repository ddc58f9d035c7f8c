"""Read a corpus of one's own from two CSV files and a folder of texts.

::

    citances.csv   topic, citance, citing, text; and marker, if you like
    spans.csv      topic, citance, annotator, and start, end or text (or all three)
    texts/         TOPIC.txt or TOPIC.md, the reference article of each topic;
                   CITING.txt, if you have them
    summaries/     TOPIC.NAME.txt, if you have any

Offsets count characters of the article as Python reads it (line ends are one character), from 0;
the end is exclusive. Without offsets, ``text`` must occur in the article exactly once, whatever its
white space. A row without offsets and text says that this annotator found nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.tac import occurrences
from citectx.corpora.text_files import (
    Row,
    csv_rows,
    listing,
    need_folder,
    read_text,
    shown,
    squeeze,
    unix_lines,
)
from citectx.errors import DataError
from citectx.types import Span

CITANCES, SPANS, TEXTS, SUMMARIES = "citances.csv", "spans.csv", "texts", "summaries"
_COLUMNS = {
    CITANCES: (("topic", "citance", "citing", "text"), ("marker",)),
    SPANS: (("topic", "citance", "annotator"), ("start", "end", "text")),
}
"""Columns of each table that must be there, and columns that may be."""

_BLOCKS = {".md": markdown_blocks, ".txt": plain_blocks}
"""How the structure of a text is found, by the ending of its file."""


def read(folder: Path) -> Corpus:
    """Read a corpus from a folder; topics, and citances in them, are in the order of the table."""
    expected = f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    root = need_folder(Path(folder), "a corpus of CSV files", expected)
    texts = listing(root / TEXTS)
    articles = {path.stem: _document(path) for path in texts if path.suffix in _BLOCKS}
    citances: dict[str, dict[str, Citance]] = {}
    for row in _rows(root / CITANCES):
        topic, number = row["topic"], row["citance"]
        if topic not in articles:
            place = f"{TEXTS}/{topic}.txt (or .md)"
            raise row.error(f"topic {topic!r} needs its reference article in {place}")
        cited = citances.setdefault(topic, {})
        if number in cited:
            raise row.error(f"citance {number!r} of topic {topic!r} occurs twice")
        cited[number] = Citance(number, row["citing"], row["text"], row["marker"])
    for row in _rows(root / SPANS):
        topic, number = row["topic"], row["citance"]
        if number not in citances.get(topic, ()):
            raise row.error(f"topic {topic!r} has no citance {number!r} in {CITANCES}")
        citance = citances[topic][number]
        citances[topic][number] = _marked(citance, row, articles[topic].text)
    summaries = _summaries(root / SUMMARIES, citances)
    topics = []
    for topic, by_number in citances.items():
        names = [citance.citing_id for citance in by_number.values()]
        citing = {name: articles[name] for name in names if name in articles}
        parts = tuple(by_number.values()), citing, summaries[topic]
        topics.append(Topic(topic, articles[topic], *parts))
    return Corpus("own", tuple(topics))


def _rows(path: Path) -> Iterator[Row]:
    """Iterate over a table whose required fields are filled."""
    required, optional = _COLUMNS[path.name]
    for row in csv_rows(path, required, optional):
        for name in required:
            if not row[name]:
                raise row.error(f"{name} is empty")
        yield row


def _document(path: Path) -> Document:
    text = unix_lines(read_text(path))
    return Document(path.stem, text, _BLOCKS[path.suffix](text))


def _marked(citance: Citance, row: Row, article: str) -> Citance:
    """Add to a citance what an annotator marked."""
    annotations = {a.annotator: a.spans for a in citance.annotations}
    known = annotations.get(row["annotator"], ())
    annotations[row["annotator"]] = tuple(sorted({*known, *_spans(row, article)}))
    in_order = sorted(annotations.items())
    return replace(citance, annotations=tuple(Annotation(*marked) for marked in in_order))


def _spans(row: Row, article: str) -> list[Span]:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote, pair = row["text"], (row["start"], row["end"])
    if not any(pair):
        places = occurrences(quote, article)
        if quote and len(places) != 1:
            hint = "expected once (give start and end where a passage is repeated)"
            times = f"occurs {len(places)} times in the article"
            raise row.error(f"text {shown(quote)} {times}; {hint}")
        return places
    if not all(re.fullmatch(r"[0-9]{1,12}", offset) for offset in pair):
        printed = shown(", ".join(pair))
        raise row.error(f"start and end are {printed}; expected whole numbers, counted from 0")
    span = Span(*map(int, pair))
    if not span.start < span.end <= len(article):
        place = f"start to end, {span.start}-{span.end}"
        raise row.error(f"{place}, is empty or leaves 0-{len(article)}")
    held = squeeze(span.of(article))
    if quote and squeeze(quote) != held:
        there = f"the article holds {shown(held)} at {span}"
        raise row.error(f"text is {shown(quote)}, but {there}")
    return [span]


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    summaries: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in listing(folder, "*.txt"):
        topic, _, name = path.stem.rpartition(".")
        if topic not in summaries:
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        summaries[topic][name] = unix_lines(read_text(path))
    return summaries
