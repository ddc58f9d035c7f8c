"""Read a corpus of one's own from two CSV files and a folder of texts.

::

    citances.csv   topic, citance, citing, text; and marker, if you like
    spans.csv      topic, citance, annotator, and start, end or text (or all three); facet, if you like
    texts/         TOPIC.txt or TOPIC.md, the reference article of each topic; CITING.txt, if you have them
    summaries/     TOPIC.NAME.txt, if you have any (where topics are called T and T.1, T.1.A.txt is of T.1)

Offsets count characters of the article as Python reads it (line ends are one character), from 0; the end is
exclusive. Without offsets, ``text`` holds the passage itself: it must occur in the article exactly once, and
white space does not matter. A row of an annotator without offsets and text says that they found nothing.

Nothing is repaired here: what does not fit is an error that names file and line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.archives import is_safe
from citectx.corpora.files import Reporter, csv_rows, need_folder, owner, shown, squeeze
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


class _Row(NamedTuple):
    """A row of a CSV file, with its place for errors."""

    fields: Mapping[str, str]
    here: Reporter

    def get(self, name: str) -> str:
        return self.fields.get(name, "")


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
        that occurs twice, a span of an unknown citance, an offset that is no number or leaves the article, a
        passage that does not occur in the article exactly once or is not what its offsets say, a name that
        cannot be that of a file in ``texts``. Naming the file: a summary of an unknown topic.
    """
    root = need_folder(
        Path(folder), "a corpus of CSV files", f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    )
    topics: dict[str, dict[str, _Row]] = {}
    for row in _rows(root / CITANCES):
        topic, citance = row.get("topic"), row.get("citance")
        if topics.setdefault(topic, {}).setdefault(citance, row) is not row:
            raise row.here.error(f"citance {citance!r} of topic {topic!r} occurs twice")
    spans: dict[tuple[str, str], list[_Row]] = {}
    for row in _rows(root / SPANS):
        topic, citance = row.get("topic"), row.get("citance")
        if citance not in topics.get(topic, {}):
            raise row.here.error(f"topic {topic!r} has no citance {citance!r} in {CITANCES}")
        spans.setdefault((topic, citance), []).append(row)
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
        here = next(iter(rows.values())).here
        needed = f"{root / TEXTS / topic}.txt (or .md)"
        raise MissingDataError(
            f"{here.file}, line {here.line}: topic {topic!r} needs its reference article in {needed}"
        )
    citing = {row.get("citing"): _document(root, row.get("citing")) for row in rows.values()}
    citances = tuple(
        Citance(
            citance,
            row.get("citing"),
            row.get("text"),
            row.get("marker"),
            annotations=_annotations(spans.get((topic, citance), []), reference.text),
        )
        for citance, row in rows.items()
    )
    shipped = {name: document for name, document in citing.items() if document}
    return Topic(topic, reference, citances, shipped, summaries)


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
    """Whether a name can be that of a text: nothing outside the folder, and no more than 200 bytes."""
    flat = nested or not re.search(r"[/\\]", name)
    return flat and name.isprintable() and is_safe(name) and len(name.encode()) <= 200


def _annotations(rows: list[_Row], article: str) -> tuple[Annotation, ...]:
    marked: dict[str, list[Span]] = {}
    facets: dict[str, list[str]] = {}
    for row in rows:
        who, facet, span = row.get("annotator"), row.get("facet"), _span(row, article)
        if span in marked.setdefault(who, []):
            raise row.here.error(f"span {span.start}-{span.end} of annotator {who!r} occurs twice")
        marked[who] += [span] if span else []
        facets.setdefault(who, []).append(facet)
    return tuple(
        Annotation(who, tuple(sorted(marked[who])), tuple(dict.fromkeys(filter(None, facets[who]))))
        for who in sorted(marked)
    )


def _span(row: _Row, article: str) -> Span | None:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote = row.get("text")
    if not row.get("start") and not row.get("end"):
        return _quoted(quote, article, row.here) if quote else None
    for name in ("start", "end"):
        if not re.fullmatch(r"\d{1,12}", row.get(name), re.ASCII):
            raise row.here.error(f"{name} is {shown(row.get(name))}; expected a whole number, counted from 0")
    span = Span(int(row.get("start")), int(row.get("end")))
    if not span.start < span.end <= len(article):
        raise row.here.error(f"start to end, {span.start}-{span.end}, is empty or leaves 0-{len(article)}")
    there = article[slice(*span)]
    if quote and quote.split() != there.split():
        raise row.here.error(f"text is {_short(quote)}, but the article holds {_short(there)} at {span}")
    return span


def _quoted(quote: str, article: str, here: Reporter) -> Span:
    found = list(re.finditer(r"\s+".join(map(re.escape, quote.split())), article))
    if len(found) != 1:
        raise here.error(
            f"text {_short(quote)} occurs {len(found)} times in the article; expected once "
            "(give start and end where a passage is repeated)"
        )
    return Span(*found[0].span())


def _short(text: str) -> str:
    return shown(squeeze(text), limit=40)


def _rows(path: Path) -> Iterator[_Row]:
    required = _REQUIRED[path.name]
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; expected columns {', '.join(required)}")
    for fields, here in csv_rows(_text(path), Reporter([], str(path)), required, _OPTIONAL[path.name]):
        for name in required:
            if not fields[name]:
                raise here.error(f"{name} is empty")
            if name in ("topic", "citing") and not _is_file_name(fields[name], nested=name == "citing"):
                raise here.error(f"{name} is {shown(fields[name])}; expected the name of a file in {TEXTS}/")
        yield _Row(fields, here)
