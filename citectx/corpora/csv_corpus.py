"""Read a corpus of one's own from two CSV files and a folder of texts.

::

    citances.csv   topic, citance, citing, text; and marker, if you like
    spans.csv      topic, citance, annotator, and start, end or text (or all three); facet, if you
    like texts/         TOPIC.txt or TOPIC.md, the reference article of each topic; CITING.txt, if
    you have them summaries/     TOPIC.NAME.txt, if you have any (where topics are called T and T.1,
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

from citectx.corpora.files import Reporter, Row, csv_rows, need_folder, owner, shown
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.registry import is_safe
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

CITANCES, SPANS, TEXTS, SUMMARIES = "citances.csv", "spans.csv", "texts", "summaries"
_REQUIRED = {
    CITANCES: ("topic", "citance", "citing", "text"),
    SPANS: ("topic", "citance", "annotator"),
}
_OPTIONAL = {CITANCES: ("marker",), SPANS: ("start", "end", "text", "facet")}


def read(folder: Path, name: str = "own") -> Corpus:
    """Read a corpus from CSV files.

    Parameters
    ----------
    folder : Path
        Holds ``citances.csv``, ``spans.csv`` and ``texts``; UTF-8, with a header, separated by
        commas.
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
        Naming file, line and field: a column that is missing or unknown, an empty field, a citance
        or a span that occurs twice, a span of an unknown citance, an offset that is no number or
        leaves the article, a passage that does not occur in the article exactly once or is not what
        its offsets say, a name that cannot be that of a file in ``texts``. Naming the file: a
        summary of an unknown topic.
    """
    root = need_folder(
        Path(folder), "a corpus of CSV files", f"Expected there: {CITANCES}, {SPANS}, {TEXTS}/."
    )
    citances: dict[tuple[str, str], Citance] = {}
    articles: dict[str, Document] = {}
    for row, here in _rows(root / CITANCES):
        topic, citance = row["topic"], row["citance"]
        if (topic, citance) in citances:
            raise here.error(f"citance {citance!r} of topic {topic!r} occurs twice")
        citances[topic, citance] = Citance(citance, row["citing"], row["text"], row["marker"])
        if article := articles.get(topic) or _document(root, topic):
            articles[topic] = article
        else:
            needed = f"topic {topic!r} needs its reference article in {root / TEXTS / topic}.txt (or .md)"
            raise MissingDataError(f"{here.file}, line {here.line}: {needed}")
    marked = _marked(root, citances, articles)
    summaries = _summaries(root / SUMMARIES, articles)
    topics = []
    for topic, article in articles.items():
        own = [
            replace(citances[key], annotations=marked[key]) for key in citances if key[0] == topic
        ]
        citing = {
            name: _document(root, name)
            for name in dict.fromkeys(citance.citing_id for citance in own)
        }
        shipped = {name: document for name, document in citing.items() if document}
        topics.append(Topic(topic, article, tuple(own), shipped, summaries[topic]))
    return Corpus(name, tuple(topics))


def _marked(
    root: Path, citances: Iterable[tuple[str, str]], articles: Mapping[str, Document]
) -> dict[tuple[str, str], tuple[Annotation, ...]]:
    """Read what the annotators of each citance marked."""
    marked: dict[tuple[str, str], dict[str, Annotation]] = {key: {} for key in citances}
    for row, here in _rows(root / SPANS):
        topic, citance, who = row["topic"], row["citance"], row["annotator"]
        if (topic, citance) not in marked:
            raise here.error(f"topic {topic!r} has no citance {citance!r} in {CITANCES}")
        known = marked[topic, citance].get(who, Annotation(who, ()))
        span = _span(row, here, articles[topic].text)
        if span in known.spans:
            raise here.error(f"span {span.start}-{span.end} of annotator {who!r} occurs twice")
        spans = sorted([*known.spans, *([span] if span else [])])
        facets = dict.fromkeys([*known.facet, *([row["facet"]] if row["facet"] else [])])
        marked[topic, citance][who] = Annotation(who, tuple(spans), tuple(facets))
    return {key: tuple(found[who] for who in sorted(found)) for key, found in marked.items()}


def _summaries(folder: Path, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the summaries of each topic by their names."""
    found: dict[str, dict[str, str]] = {topic: {} for topic in topics}
    for path in sorted(folder.glob("*.txt")):
        topic = owner(path.stem, found)
        if topic is None or path.stem[len(topic)] != ".":
            raise DataError(f"expected TOPIC.NAME.txt with a topic of {CITANCES}", file=path)
        found[topic][path.stem[len(topic) + 1 :]] = _text(path)
    return found


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
        raise DataError(
            f"byte {error.start} is not UTF-8; save the file as UTF-8", file=path
        ) from error
    if "\0" in text:
        raise DataError("holds NUL characters; save the file as UTF-8", file=path)
    return text


def _span(row: Mapping[str, str], here: Reporter, article: str) -> Span | None:
    """Find a passage by its offsets, by its text, or by both, which must then agree."""
    quote, pair = row["text"].split(), (row["start"], row["end"])
    if not any(pair):
        found = list(re.finditer(r"\s+".join(map(re.escape, quote)), article)) if quote else []
        if quote and len(found) != 1:
            hint = "expected once (give start and end where a passage is repeated)"
            raise here.error(
                f"text {shown(row['text'], 40)} occurs {len(found)} times in the article; {hint}"
            )
        return Span(*found[0].span()) if found else None
    if not all(re.fullmatch(r"\d{1,12}", offset, re.ASCII) for offset in pair):
        raise here.error(
            f"start and end are {shown(', '.join(pair))}; expected whole numbers, counted from 0"
        )
    span = Span(*map(int, pair))
    if not span.start < span.end <= len(article):
        raise here.error(
            f"start to end, {span.start}-{span.end}, is empty or leaves 0-{len(article)}"
        )
    there = article[slice(*span)].split()
    if quote and quote != there:
        held = shown(" ".join(there), 40)
        raise here.error(
            f"text is {shown(row['text'], 40)}, but the article holds {held} at {span}"
        )
    return span


def _rows(path: Path) -> Iterator[Row]:
    required = _REQUIRED[path.name]
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; expected columns {', '.join(required)}")
    for fields, here in csv_rows(
        _text(path), Reporter([], str(path)), required, _OPTIONAL[path.name]
    ):
        for name in required:
            if not fields[name]:
                raise here.error(f"{name} is empty")
            path_like = (
                fields[name].isprintable()
                and is_safe(fields[name])
                and len(fields[name].encode()) <= 200
            )
            nested = re.search(r"[/\\]", fields[name]) and name == "topic"
            if name in ("topic", "citing") and (nested or not path_like):
                raise here.error(
                    f"{name} is {shown(fields[name])}; expected the name of a file in {TEXTS}/"
                )
        yield fields, here
