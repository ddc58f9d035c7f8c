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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from citectx import reading
from citectx.corpora.files import Reporter, Row, csv_rows, need_folder, owner, shown, squeeze
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.tac_lines import occurrences
from citectx.errors import DataError, MissingDataError
from citectx.storage import is_safe
from citectx.types import Span

CITANCES, SPANS, TEXTS, SUMMARIES = "citances.csv", "spans.csv", "texts", "summaries"
_FILES = ("topic", "citing")
_COLUMNS = {
    CITANCES: (("topic", "citance", "citing", "text"), ("marker",)),
    SPANS: (("topic", "citance", "annotator"), ("start", "end", "text", "facet")),
}
"""Columns of each table that must be there, and columns that may be."""


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
        If a file or a text is not there.
    DataError
        Naming file, line and field: a column that is missing or unknown, an empty field, a citance
        or a span that occurs twice, a span of an unknown citance, an offset that is not a number or
        leaves the article, a passage that does not occur in the article exactly once or is not what
        its offsets say, a name that cannot be a file's in ``texts``. Naming the file: a summary of
        an unknown topic.
    """
    expected = f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    root = need_folder(Path(folder), "a corpus of CSV files", expected)
    citances: dict[str, dict[str, Citance]] = {}
    articles: dict[str, Document] = {}
    for row, here in _rows(root / CITANCES):
        topic, citance = row["topic"], row["citance"]
        own = citances.setdefault(topic, {})
        if citance in own:
            raise here.error(f"citance {citance!r} of topic {topic!r} occurs twice")
        own[citance] = Citance(citance, row["citing"], row["text"], row["marker"])
        article = articles.get(topic) or _document(root, topic)
        if article is None:
            place = f"{here.file}, line {here.line}"
            needed = f"its reference article in {root / TEXTS / topic}.txt (or .md)"
            raise MissingDataError(f"{place}: topic {topic!r} needs {needed}")
        articles[topic] = article
    _mark(root, citances, articles)
    summaries = _summaries(root / SUMMARIES, articles)
    topics = []
    for topic, article in articles.items():
        cited = tuple(citances[topic].values())
        names = dict.fromkeys(citance.citing_id for citance in cited)
        citing = {name: _document(root, name) for name in names}
        shipped = {name: document for name, document in citing.items() if document}
        topics.append(Topic(topic, article, cited, shipped, summaries[topic]))
    return Corpus("own", tuple(topics))


def _mark(
    root: Path, citances: dict[str, dict[str, Citance]], articles: Mapping[str, Document]
) -> None:
    """Add to the citances of each topic what annotators marked."""
    for row, here in _rows(root / SPANS):
        topic, number, who = row["topic"], row["citance"], row["annotator"]
        citance = citances.get(topic, {}).get(number)
        if citance is None:
            raise here.error(f"topic {topic!r} has no citance {number!r} in {CITANCES}")
        marked = {each.annotator: each for each in citance.annotations}
        known = marked.get(who, Annotation(who, ()))
        spans, facets = set(known.spans), dict.fromkeys(known.facet)
        span = _span(row, here, articles[topic].text)
        if span in spans:
            raise here.error(f"span {span.start}-{span.end} of annotator {who!r} occurs twice")
        if span:
            spans.add(span)
        if row["facet"]:
            facets[row["facet"]] = None
        marked[who] = Annotation(who, tuple(sorted(spans)), tuple(facets))
        annotations = tuple(marked[name] for name in sorted(marked))
        citances[topic][number] = replace(citance, annotations=annotations)


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    found: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in reading.listing(folder, "*.txt"):
        topic = owner(path.stem, found)
        if topic is None or path.stem[len(topic)] != ".":
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        name = path.stem.removeprefix(f"{topic}.")
        found[topic][name] = _text(path)
    return found


def _document(root: Path, name: str) -> Document | None:
    for suffix, blocks in ((".txt", plain_blocks), (".md", markdown_blocks)):
        path = root / TEXTS / f"{name}{suffix}"
        if reading.there(path):
            text = _text(path)
            return Document(name, text, blocks(text))
    return None


def _text(path: Path) -> str:
    try:
        text = reading.read_text(path, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte {error.start} is not UTF-8; save the file as UTF-8", file=path
        ) from error
    if "\0" in text:
        raise DataError("holds NUL characters; save the file as UTF-8", file=path)
    return text


def _span(row: Mapping[str, str], here: Reporter, article: str) -> Span | None:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote, pair = row["text"], (row["start"], row["end"])
    if not any(pair):
        return _quoted(quote, here, article) if quote else None
    if not all(re.fullmatch(r"\d{1,12}", offset, re.ASCII) for offset in pair):
        printed = shown(", ".join(pair))
        raise here.error(f"start and end are {printed}; expected whole numbers, counted from 0")
    span = Span(*map(int, pair))
    if not span.start < span.end <= len(article):
        place = f"start to end, {span.start}-{span.end}"
        raise here.error(f"{place}, is empty or leaves 0-{len(article)}")
    held = squeeze(span.of(article))
    if quote and squeeze(quote) != held:
        there = f"the article holds {shown(held, 40)} at {span}"
        raise here.error(f"text is {shown(quote, 40)}, but {there}")
    return span


def _quoted(quote: str, here: Reporter, article: str) -> Span:
    found = occurrences(quote, article)
    if len(found) != 1:
        hint = "expected once (give start and end where a passage is repeated)"
        times = f"occurs {len(found)} times in the article"
        raise here.error(f"text {shown(quote, 40)} {times}; {hint}")
    return found[0]


def _rows(path: Path) -> Iterator[Row]:
    required, optional = _COLUMNS[path.name]
    if not reading.there(path):
        raise MissingDataError(f"{path} is not there; expected columns {', '.join(required)}")
    report = Reporter([], str(path))
    for fields, here in csv_rows(_text(path), report, required, optional):
        for name in required:
            value = fields[name]
            if not value:
                raise here.error(f"{name} is empty")
            if name in _FILES and not _is_file_name(value, nested=name == "citing"):
                expected = f"expected the name of a file in {TEXTS}/"
                raise here.error(f"{name} is {shown(value)}; {expected}")
        yield fields, here


def _is_file_name(value: str, *, nested: bool) -> bool:
    if not nested and re.search(r"[/\\]", value):
        return False
    return value.isprintable() and is_safe(value) and len(value.encode()) <= 200
