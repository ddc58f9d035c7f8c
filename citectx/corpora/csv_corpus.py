"""Read a corpus of one's own from two CSV files and a folder of texts.

::

    citances.csv   topic, citance, citing, text; and marker, if you like
    spans.csv      topic, citance, annotator, and start, end or text (or all three); facet, if you like
    texts/         TOPIC.txt or TOPIC.md, the reference article of each topic; CITING.txt, if you have them
    summaries/     TOPIC.NAME.txt, if you have any (where topics are called T and T.1, T.1.A.txt is of T.1)

Offsets count characters of the article as Python reads it (line ends are one character), from 0; the end is
exclusive. Who has no offsets gives the passage itself in ``text``: it must stand in the article exactly once,
and white space does not matter. A row of an annotator without offsets and text says that they found nothing.

Nothing is repaired here: what does not fit is an error that names file and line.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from citectx.corpora.archives import is_safe
from citectx.corpora.files import need_folder, owner, shown, squeeze
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

CITANCES, SPANS, TEXTS, SUMMARIES = "citances.csv", "spans.csv", "texts", "summaries"
_REQUIRED = {
    CITANCES: ("topic", "citance", "citing", "text"),
    SPANS: ("topic", "citance", "annotator"),
}
_OPTIONAL = {CITANCES: ("marker",), SPANS: ("start", "end", "text", "facet")}


@dataclass(frozen=True)
class _Row:
    """A row of a CSV file, with its place for errors."""

    file: Path
    line: int
    fields: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def key(self) -> tuple[str, str]:
        return self["topic"], self["citance"]

    def wrong(self, message: str) -> NoReturn:
        raise DataError(message, file=self.file, line=self.line)


def read(folder: Path, name: str = "own") -> Corpus:
    """Read a corpus from CSV files.

    Parameters
    ----------
    folder : Path
        Holds ``citances.csv``, ``spans.csv`` and ``texts``; UTF-8, with a header, separated by commas.
    name : str
        What to call the corpus.

    Returns
    -------
    Corpus
        Topics, and citances in them, in the order of ``citances.csv``.

    Raises
    ------
    MissingDataError
        If a file or a text is not there.
    DataError
        Naming file, line and field: a column that is missing or unknown, an empty field, a citance or a span
        that stands twice, a span of an unknown citance, an offset that is no number or leaves the article, a
        passage that does not stand in the article exactly once or is not what its offsets say, a name that
        cannot be that of a file in ``texts``. Naming the file: a summary of an unknown topic.
    """
    root = need_folder(
        Path(folder), "a corpus of CSV files", f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    )
    topics: dict[str, dict[str, _Row]] = {}
    for row in _rows(root / CITANCES):
        known = topics.setdefault(row["topic"], {})
        if row["citance"] in known:
            row.wrong(f"citance {row['citance']!r} of topic {row['topic']!r} stands twice")
        known[row["citance"]] = row
    spans: dict[tuple[str, str], list[_Row]] = {}
    for row in _rows(root / SPANS):
        if row["citance"] not in topics.get(row["topic"], {}):
            row.wrong(f"topic {row['topic']!r} has no citance {row['citance']!r} in {CITANCES}")
        spans.setdefault(row.key, []).append(row)
    summaries = _summaries(root / SUMMARIES, topics)
    return Corpus(
        name, tuple(_topic(root, topic, rows, spans, summaries[topic]) for topic, rows in topics.items())
    )


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    found: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in sorted(folder.glob("*.txt")):
        topic = owner(path.stem, found)
        if topic is None or path.stem[len(topic)] != ".":
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        found[topic][path.stem[len(topic) + 1 :]] = _text(path)
    return found


def _topic(
    root: Path,
    topic: str,
    rows: Mapping[str, _Row],
    spans: Mapping[tuple[str, str], list[_Row]],
    summaries: Mapping[str, str],
) -> Topic:
    reference = _document(root, topic)
    if reference is None:
        first = next(iter(rows.values()))
        raise MissingDataError(
            f"{first.file}, line {first.line}: topic {topic!r} needs its reference article in "
            f"{root / TEXTS / topic}.txt (or .md)"
        )
    citing = {
        row["citing"]: document for row in rows.values() if (document := _document(root, row["citing"]))
    }
    citances = [
        Citance(
            citance,
            row["citing"],
            row["text"],
            row["marker"],
            annotations=_annotations(spans.get(row.key, []), reference.text),
        )
        for citance, row in rows.items()
    ]
    return Topic(topic, reference, tuple(citances), citing, summaries)


def _document(root: Path, name: str) -> Document | None:
    for suffix, blocks in ((".txt", plain_blocks), (".md", markdown_blocks)):
        path = root / TEXTS / f"{name}{suffix}"
        if path.is_file():
            text = _text(path)
            return Document(name, text, blocks(text))
    return None


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is not UTF-8; save the file as UTF-8", file=path) from error
    if "\0" in text:
        raise DataError("holds NUL characters; save the file as UTF-8", file=path)
    return text


def _is_file_name(name: str, *, nested: bool) -> bool:
    """Tell whether a name can be that of a text: nothing outside the folder, and no more than 200 bytes."""
    flat = nested or not re.search(r"[/\\]", name)
    return flat and name.isprintable() and is_safe(name) and len(name.encode()) <= 200


def _annotations(rows: list[_Row], article: str) -> tuple[Annotation, ...]:
    marked: dict[str, list[Span]] = {}
    facets: dict[str, list[str]] = {}
    for row in rows:
        spans, facet = marked.setdefault(row["annotator"], []), facets.setdefault(row["annotator"], [])
        span = _span(row, article)
        if span in spans:
            row.wrong(f"span {span.start}-{span.end} of annotator {row['annotator']!r} stands twice")
        spans += [span] if span else []
        facet += [row["facet"]] if row["facet"] and row["facet"] not in facet else []
    return tuple(Annotation(who, tuple(sorted(marked[who])), tuple(facets[who])) for who in sorted(marked))


def _span(row: _Row, article: str) -> Span | None:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    if not row["start"] and not row["end"]:
        return _quoted(row, article) if row["text"] else None
    span = Span(_offset(row, "start"), _offset(row, "end"))
    if not span.start < span.end <= len(article):
        row.wrong(f"start {span.start}, end {span.end} is empty or leaves the article (0-{len(article)})")
    there = article[slice(*span)]
    if row["text"] and row["text"].split() != there.split():
        row.wrong(
            f"text is {_short(row['text'])}, but the article holds {_short(there)} at {span.start}-{span.end}"
        )
    return span


def _offset(row: _Row, name: str) -> int:
    if not re.fullmatch(r"\d{1,12}", row[name], re.ASCII):
        row.wrong(f"{name} is {shown(row[name])}; expected a whole number, counted from 0")
    return int(row[name])


def _quoted(row: _Row, article: str) -> Span:
    found = list(re.finditer(r"\s+".join(map(re.escape, row["text"].split())), article))
    if len(found) != 1:
        row.wrong(
            f"text {_short(row['text'])} stands {len(found)} times in the article; expected once "
            "(give start and end where a passage is repeated)"
        )
    return Span(*found[0].span())


def _short(text: str) -> str:
    return shown(squeeze(text), limit=40)


def _rows(path: Path) -> Iterator[_Row]:
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; expected columns {', '.join(_REQUIRED[path.name])}")
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    header: list[str] | None = None
    start = 1
    try:
        for values in reader:
            line, start = start, reader.line_num + 1
            if header is None:
                header = _header([v.strip() for v in values], path)
            elif any(values):
                yield _row(path, line, header, values)
    except csv.Error as error:
        raise DataError(f"is not CSV: {error}", file=path, line=start) from error
    if header is None:
        raise DataError(f"is empty; expected columns {', '.join(_REQUIRED[path.name])}", file=path)


def _header(names: list[str], path: Path) -> list[str]:
    required, known = _REQUIRED[path.name], (*_REQUIRED[path.name], *_OPTIONAL[path.name])
    hint = "; separate columns by commas" if len(names) == 1 and re.search(r"[;\t]", names[0]) else ""
    if missing := [name for name in required if name not in names]:
        raise DataError(f"lacks the columns {', '.join(missing)}{hint}", file=path, line=1)
    if odd := [name for name in names if name not in known]:
        raise DataError(
            f"unknown columns {', '.join(map(repr, odd))}; known: {', '.join(known)}", file=path, line=1
        )
    if len(set(names)) != len(names):
        raise DataError("has a column twice", file=path, line=1)
    return names


def _row(path: Path, line: int, header: list[str], values: list[str]) -> _Row:
    if len(values) != len(header):
        raise DataError(f"has {len(values)} fields, expected {len(header)}", file=path, line=line)
    row = _Row(path, line, dict(zip(header, map(str.strip, values), strict=True)))
    for name in _REQUIRED[path.name]:
        if not row[name]:
            row.wrong(f"{name} is empty")
        if name in ("topic", "citing") and not _is_file_name(row[name], nested=name == "citing"):
            row.wrong(f"{name} is {shown(row[name])}; expected what can be the name of a file in {TEXTS}/")
    return row
