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

Names are the same whether accented letters are composed or decomposed (NFC or NFD). A text may
begin with front matter between two lines ``---``, which is not searched.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from unicodedata import normalize

from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.text_files import (
    Row,
    csv_rows,
    in_quotes,
    listing,
    occurrences,
    read_text,
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
    texts = _texts(folder / TEXTS)
    articles = {name: _document(name, path) for name, path in texts.items()}
    marks: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in _rows(folder / SPANS):
        marks[row["topic"], row["citance"]].append(row)
    citances: dict[str, dict[str, Citance]] = defaultdict(dict)
    for row in _rows(folder / CITANCES):
        topic = row.name("topic")
        number = row.name("citance")
        if topic not in articles:
            raise row.error(
                f"topic {topic!r} needs its reference article in {TEXTS}/{topic}.txt (or .md)"
            )
        if number in citances[topic]:
            raise row.error(f"citance {number!r} of topic {topic!r} occurs twice")
        evidence = marks.pop((topic, number), ())
        citances[topic][number] = _citance(row, evidence, articles[topic].text)
    for (topic, number), [row, *_] in marks.items():
        raise row.error(f"topic {topic!r} has no citance {number!r} in {CITANCES}")
    summaries = _summaries(folder / SUMMARIES, citances)
    topics = []
    for topic, cited in citances.items():
        names = {citance.citing_id for citance in cited.values()}
        citing = {name: article for name, article in articles.items() if name in names}
        topics.append(
            Topic(topic, articles[topic], tuple(cited.values()), citing, summaries[topic])
        )
    return Corpus("own", tuple(topics))


def _rows(path: Path) -> Iterator[Row]:
    """Iterate over a table whose required fields are filled; names are composed (NFC)."""
    required, optional = _COLUMNS[path.name]
    for row in csv_rows(path, required, optional):
        for name in required:
            if not row[name]:
                raise row.error(f"{name} is empty")
            if name != "text":
                row.fields[name] = normalize("NFC", row[name])
        yield row


def _texts(folder: Path) -> dict[str, Path]:
    """List the texts by their names, which are composed: macOS decomposes accented letters."""
    texts: dict[str, Path] = {}
    for path in listing(folder):
        name = normalize("NFC", path.stem)
        if path.suffix.lower() not in _BLOCKS:
            continue
        if name in texts:
            raise DataError(
                f"has the name {name!r}, as {texts[name]} has; rename or remove one", file=path
            )
        texts[name] = path
    return texts


def _document(name: str, path: Path) -> Document:
    text = unix_lines(read_text(path))
    # Blanks keep the offsets of what follows.
    article = re.sub(r"\A---\n(?s:.*?)\n---\n", lambda match: " " * len(match[0]), text, count=1)
    return Document(name, text, _BLOCKS[path.suffix.lower()](article))


def _citance(row: Row, marks: Iterable[Row], article: str) -> Citance:
    """Join a citance and what each annotator marked."""
    spans: dict[str, set[Span]] = defaultdict(set)
    for mark in marks:
        spans[mark["annotator"]].update(_spans(mark, article))
    annotations = [Annotation(who, tuple(sorted(spans[who]))) for who in sorted(spans)]
    fields = row["citance"], row["citing"], row["text"], row["marker"]
    return Citance(*fields, annotations=tuple(annotations))


def _spans(row: Row, article: str) -> list[Span]:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote = row["text"]
    pair = (row["start"], row["end"])
    if not any((quote, *pair)):
        return []
    if not any(pair):
        places = occurrences(quote, article)
        if len(places) != 1:
            raise row.error(
                f"text {in_quotes(quote)} occurs {len(places)} times in the article; "
                "expected once (give start and end where a passage is repeated)"
            )
        return places
    if not all(re.fullmatch(r"[0-9]{1,12}", offset) for offset in pair):
        raise row.error(
            f"start and end are {in_quotes(', '.join(pair))}; "
            "expected whole numbers, counted from 0"
        )
    span = Span(*map(int, pair))
    if not span.start < span.end <= len(article):
        raise row.error(
            f"start to end, {span.start}-{span.end}, is empty or leaves 0-{len(article)}"
        )
    held = squeeze(span.of(article))
    if quote and squeeze(quote) != held:
        raise row.error(
            f"text is {in_quotes(quote)}, but the article holds {in_quotes(held)} at {span}"
        )
    return [span]


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    summaries: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in listing(folder, "*.txt"):
        topic, _, name = normalize("NFC", path.stem).rpartition(".")
        if topic not in summaries:
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        summaries[topic][name] = unix_lines(read_text(path))
    return summaries
