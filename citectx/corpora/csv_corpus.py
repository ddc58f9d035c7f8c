"""Read a corpus of one's own from two CSV files and a folder of texts.

::

    citances.csv   topic, citance, citing, text; and marker, if you like
    spans.csv      topic, citance, annotator, and start, end or text (or all three);
                   facet, if you like
    texts/         TOPIC.txt or TOPIC.md, the reference article of each topic;
                   CITING.txt, if you have them
    summaries/     TOPIC.NAME.txt, if you have any (where topics are called T and T.1,
                   T.1.A.txt is of T.1)

Offsets count characters of the article as Python reads it (line ends are one character), from 0;
the end is exclusive. Without offsets, ``text`` holds the passage itself: it must occur in the
article exactly once, and white space does not matter. A row of an annotator without offsets and
text says that they found nothing.

Nothing is repaired here: what does not fit is an error that names file and line.
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
    SPANS: (("topic", "citance", "annotator"), ("start", "end", "text", "facet")),
}
"""Columns of each table that must be there, and columns that may be."""

_NAMES = {
    "topic": r"(?!\.)[^/\\:\x00-\x1f]+",
    "citing": r"(?![./\\]|[A-Za-z]:)(?!.*[/\\]\.)[^\x00-\x1f]+",
}


def read(folder: Path) -> Corpus:
    """Read a corpus from CSV files.

    Parameters
    ----------
    folder : Path
        Holds ``citances.csv``, ``spans.csv`` and ``texts``; UTF-8, with a header, separated by
        commas.

    Returns
    -------
    Corpus
        Topics, and citances in them, in the order of ``citances.csv``.

    Raises
    ------
    MissingDataError
        If the folder or a table is not there.
    DataError
        Naming file, line and field: a topic whose article is not there, a column that is missing or
        unknown, an empty field, a citance or a span that occurs twice, a span of an unknown
        citance, an offset that is not a number or leaves the article, a passage that does not occur
        in the article exactly once or is not what its offsets say, a name that cannot be a file's
        in ``texts``. Naming the file: a summary of an unknown topic.
    """
    expected = f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    root = need_folder(Path(folder), "a corpus of CSV files", expected)
    citances: dict[str, dict[str, Citance]] = {}
    articles: dict[str, Document] = {}
    for row in _rows(root / CITANCES):
        topic, number = row["topic"], row["citance"]
        _check_names(row)
        article = articles.get(topic) or _document(root, topic)
        if article is None:
            place = f"{TEXTS}/{topic}.txt (or .md)"
            raise row.error(f"topic {topic!r} needs its reference article in {place}")
        articles[topic], cited = article, citances.setdefault(topic, {})
        if number in cited:
            raise row.error(f"citance {number!r} of topic {topic!r} occurs twice")
        cited[number] = Citance(number, row["citing"], row["text"], row["marker"])
    for row in _rows(root / SPANS):
        topic, number = row["topic"], row["citance"]
        if number not in citances.get(topic, ()):
            raise row.error(f"topic {topic!r} has no citance {number!r} in {CITANCES}")
        citances[topic][number] = _marked(citances[topic][number], row, articles[topic].text)
    summaries = _summaries(root / SUMMARIES, articles)
    topics = []
    for topic, article in articles.items():
        cited = citances[topic]
        citing = {c.citing_id: _document(root, c.citing_id) for c in cited.values()}
        shipped = {name: document for name, document in citing.items() if document}
        topics.append(Topic(topic, article, tuple(cited.values()), shipped, summaries[topic]))
    return Corpus("own", tuple(topics))


def _rows(path: Path) -> Iterator[Row]:
    """Iterate over a table whose required fields are filled."""
    required, optional = _COLUMNS[path.name]
    for row in csv_rows(path, required, optional):
        for name in required:
            if not row[name]:
                raise row.error(f"{name} is empty")
        yield row


def _check_names(row: Row) -> None:
    """Check that what names texts stays in their folder; only ``citing`` may hold slashes."""
    for name, pattern in _NAMES.items():
        if not re.fullmatch(pattern, row[name]) or len(row[name].encode()) > 200:
            expected = f"expected the name of a file in {TEXTS}/"
            raise row.error(f"{name} is {shown(row[name])}; {expected}")


def _document(root: Path, name: str) -> Document | None:
    for suffix, blocks in ((".txt", plain_blocks), (".md", markdown_blocks)):
        path = root / TEXTS / f"{name}{suffix}"
        if path.is_file():
            text = unix_lines(read_text(path))
            return Document(name, text, blocks(text))
    return None


def _marked(citance: Citance, row: Row, article: str) -> Citance:
    """Add to a citance what an annotator marked."""
    who, span = row["annotator"], _span(row, article)
    annotations = {each.annotator: each for each in citance.annotations}
    known = annotations.get(who, Annotation(who, ()))
    if span in known.spans:
        raise row.error(f"span {span.start}-{span.end} of annotator {who!r} occurs twice")
    spans = sorted([*known.spans, span] if span else known.spans)
    facets = dict.fromkeys(filter(None, [*known.facet, row["facet"]]))
    annotations[who] = Annotation(who, tuple(spans), tuple(facets))
    in_order = tuple(annotations[name] for name in sorted(annotations))
    return replace(citance, annotations=in_order)


def _span(row: Row, article: str) -> Span | None:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote, pair = row["text"], (row["start"], row["end"])
    if not any(pair):
        return _quoted(row, article) if quote else None
    if not all(re.fullmatch(r"[0-9]{1,12}", offset) for offset in pair):
        printed = shown(", ".join(pair))
        raise row.error(f"start and end are {printed}; expected whole numbers, counted from 0")
    span = Span(*map(int, pair))
    if not span.start < span.end <= len(article):
        place = f"start to end, {span.start}-{span.end}"
        raise row.error(f"{place}, is empty or leaves 0-{len(article)}")
    held = squeeze(span.of(article))
    if quote and squeeze(quote) != held:
        there = f"the article holds {shown(held, 40)} at {span}"
        raise row.error(f"text is {shown(quote, 40)}, but {there}")
    return span


def _quoted(row: Row, article: str) -> Span:
    places = occurrences(row["text"], article)
    if len(places) != 1:
        hint = "expected once (give start and end where a passage is repeated)"
        times = f"occurs {len(places)} times in the article"
        raise row.error(f"text {shown(row['text'], 40)} {times}; {hint}")
    return places[0]


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    summaries: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in listing(folder, "*.txt"):
        owners = [topic for topic in summaries if path.name.startswith(f"{topic}.")]
        if not owners:
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        topic = max(owners, key=len)
        name = path.stem.removeprefix(f"{topic}.")
        summaries[topic][name] = unix_lines(read_text(path))
    return summaries
