"""Build the teaching corpus from its sources: ``python data/teaching/build.py [--check]``.

``source/*.yaml`` is what people write and review; ``data/`` is what programs read, in the format of
the TAC 2014 release, and ``coresc.csv`` what the sentences of the articles do. Annotations and
labels name sentences by their keys, so nobody ever types an offset. README.md describes the
formats.
"""

import argparse
import sys
from collections.abc import Hashable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from citectx.corpora.annotation_lines import KEYS
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import CitectxError, DataError
from citectx.storage import write_atomically
from citectx.types import Span

HERE = Path(__file__).resolve().parent
SCHEMA = HERE / "schema.yaml"
LABELS = "coresc.csv"
MAX_SENTENCES = 5

Views = dict[tuple[str, str], tuple[str, Span]]
"""By citance and annotator, what only annotation lines show: a facet, and which passage the
annotator took for the citance."""


class _UniqueKeys(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """The safe loader; alone it would let the last of two equal keys win in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node)
            if key in seen:
                mark = key_node.start_mark
                raise DataError(f"key {key!r} occurs twice", file=mark.name, line=mark.line + 1)
            seen.add(key)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return mapping


class KeyedText:
    """A document, laid out block by block, with the place of every sentence that has a key."""

    def __init__(self, doc_id: str, title: str, file: Path) -> None:
        self.doc_id, self.text, self.file = doc_id, title, file
        self.places: dict[str, Span] = {}

    @property
    def document(self) -> Document:
        """The finished document."""
        return Document(self.doc_id, self.text + "\n")

    def paragraph(self, sentences: dict[str, str]) -> None:
        """Write a paragraph of keyed sentences."""
        separator = "\n\n"
        for key, sentence in sentences.items():
            if key in self.places or "-" in key:
                raise DataError(
                    f"sentence key {key!r} occurs twice, or holds a hyphen", file=self.file
                )
            start = len(self.text) + len(separator)
            self.text += separator + sentence
            self.places[key] = Span(start, len(self.text))
            separator = " "

    def span(self, keys: str) -> Span:
        """Find a sentence ``r1.2``, or the sentences ``r1.2-r1.4`` with both ends included.

        Raises
        ------
        DataError
            If a key is unknown, or a range runs backwards, leaves its paragraph or is too long.
        """
        first, _, last = keys.partition("-")
        order = list(self.places)
        for key in (first, last or first):
            if key not in order:
                raise DataError(f"{self.doc_id!r} has no sentence {key!r}", file=self.file)
        length = order.index(last or first) - order.index(first) + 1
        span = Span(self.places[first].start, self.places[last or first].end)
        if not 1 <= length <= MAX_SENTENCES or "\n" in self.text[slice(*span)]:
            message = (
                f"{keys!r} holds {length} sentences, not 1 to {MAX_SENTENCES} of one paragraph"
            )
            raise DataError(message, file=self.file)
        return span

    def find(self, piece: str, keys: str) -> Span:
        """Find a quoted piece in the sentences ``keys``, where it must occur exactly once."""
        start, end = self.span(keys)
        if (count := self.text.count(piece, start, end)) != 1:
            raise DataError(f"{piece!r} occurs {count} times in {keys!r}, not once", file=self.file)
        found = self.text.index(piece, start)
        return Span(found, found + len(piece))


def reference_text(source: dict[str, Any], file: Path) -> KeyedText:
    """Lay out the reference article: title, headings, paragraphs and numbered references."""
    layout = KeyedText(source["id"], source["title"], file)
    for section in source["sections"]:
        layout.text += f"\n\n{section['heading']}"
        for paragraph in section.get("paragraphs", ()):
            layout.paragraph(paragraph)
    listed = (f"{number}. {reference}" for number, reference in enumerate(source["references"], 1))
    layout.text += "\n\nReferences\n\n" + "\n".join(listed)
    return layout


def evidence(items: list[Any], reference: KeyedText, what: str) -> tuple[Span, ...]:
    """Turn keys, ranges of keys and quoted pieces into spans, in reading order.

    Raises
    ------
    DataError
        If two of them overlap.
    """
    spans = sorted(
        reference.find(item["text"], item["in"]) if isinstance(item, dict) else reference.span(item)
        for item in items
    )
    if any(later.start < earlier.end for earlier, later in pairwise(spans)):
        raise DataError(f"{what}: spans must not overlap, found {items}", file=reference.file)
    return tuple(spans)


def citance(source: dict[str, Any], reference: KeyedText, citing: dict[str, KeyedText]) -> Citance:
    """Read one citance with all its annotations; an annotator who marked nothing has no entry."""
    what = f"citance {source['number']}"
    if source["citing"] not in citing:
        raise DataError(f"{what}: no citing document {source['citing']!r}", file=reference.file)
    document = citing[source["citing"]]
    annotations = []
    for name, entry in sorted(source["annotations"].items()):
        spans = evidence(entry["evidence"], reference, f"{what}, annotator {name}")
        annotations.append(Annotation(name, spans))
    span, marker = document.span(source["sentences"]), source["marker"]
    text, place = document.text[slice(*span)], document.find(marker, source["sentences"])
    number = str(source["number"])
    return Citance(number, document.doc_id, text, marker, span, place, tuple(annotations))


def views(source: dict[str, Any], citing: dict[str, KeyedText]) -> Views:
    """Read what the annotators of a topic say beside their evidence."""
    seen = {}
    for entry in source["citances"]:
        document = citing[entry["citing"]]
        for name, annotation in entry["annotations"].items():
            passage = document.span(annotation.get("sentences", entry["sentences"]))
            seen[str(entry["number"]), name] = f"{annotation['facet']}_Citation", passage
    return seen


@cache
def _schema() -> Draft202012Validator:
    return Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def read_source(file: Path) -> dict[str, Any]:
    """Read one YAML source and check it against `SCHEMA`."""
    with file.open(encoding="utf-8") as stream:
        try:
            source = yaml.load(stream, Loader=_UniqueKeys)
        except yaml.YAMLError as error:
            raise DataError(f"not valid YAML: {error}", file=file) from error
    if wrong := best_match(_schema().iter_errors(source)):
        raise DataError(f"{wrong.json_path}: {wrong.message}", file=file)
    if source["topic"] != file.stem:
        raise DataError(f"topic {source['topic']!r} must be named like its file", file=file)
    return dict(source)


def build_topic(file: Path) -> tuple[Topic, Views]:
    """Build one topic from its source, and what its annotation lines show beside it.

    Raises
    ------
    DataError
        Naming the file and the key at fault.
    """
    source = read_source(file)
    reference = reference_text(source["reference"], file)
    citing = {
        entry["id"]: KeyedText(entry["id"], entry["title"], file) for entry in source["citing"]
    }
    for entry in source["citing"]:
        citing[entry["id"]].paragraph(entry["text"])
    citances = tuple(citance(entry, reference, citing) for entry in source["citances"])
    if idle := sorted(set(citing) - {c.citing_id for c in citances}):
        raise DataError(f"citing documents without a citance: {', '.join(idle)}", file=file)
    documents = {name: text.document for name, text in citing.items()}
    summaries = source["summaries"]
    topic = Topic(source["topic"], reference.document, citances, documents, summaries)
    return topic, views(source, citing)


def build(folder: Path) -> Corpus:
    """Build the corpus from all YAML files of a folder."""
    files = sorted(folder.glob("*.yaml"))
    return Corpus("teaching", tuple(build_topic(file)[0] for file in files))


def labels(folder: Path) -> bytes:
    """Make the table of CoreSC classes of all articles, as CSV: topic, start, end, class."""
    lines = ["topic,start,end,class"]
    for file in sorted(folder.glob("*.yaml")):
        source = read_source(file)
        places, classes = reference_text(source["reference"], file).places, source["coresc"]
        if wrong := sorted(classes.keys() ^ places.keys()):
            raise DataError(f"coresc: not exactly one class for each sentence: {wrong}", file=file)
        lines += [f"{source['topic']},{a},{b},{classes[key]}" for key, (a, b) in places.items()]
    return ("\n".join(lines) + "\n").encode()


def files(topic: Topic, seen: Views | None = None) -> Iterator[tuple[str, str]]:
    """Lay out the files of a topic as TAC 2014 does."""
    documents = {topic.reference.doc_id: topic.reference, **topic.citing}
    yield from (
        (f"Documents_Text/{name}.txt", document.text) for name, document in documents.items()
    )
    for name, summary in topic.summaries.items():
        yield f"Summary/{topic.topic_id}.{name}.summary.txt", summary
    for name in sorted({a.annotator for c in topic.citances for a in c.annotations}):
        marked = ((c, a) for c in topic.citances for a in c.annotations if a.annotator == name)
        lines = (annotation_line(topic, *each, seen or {}) for each in marked)
        yield f"Annotation/{topic.topic_id}.{name}.ann.txt", "\n\n".join(lines) + "\n"


def annotation_line(topic: Topic, citance: Citance, annotation: Annotation, seen: Views) -> str:
    """Write an annotation line."""
    key = citance.citance_id, annotation.annotator
    facet, passage = seen.get(key, ("", citance.span))
    places = [span for span in (citance.marker_span, passage) if span]
    citing, spans = topic.citing[citance.citing_id].text, annotation.spans
    values = [
        topic.topic_id,
        citance.citance_id,
        f"{topic.reference.doc_id}.txt",
        f"{citance.citing_id}.txt",
    ]
    values += [field for a, b in places for field in (f"{a}-{b}", squeeze(citing[a:b]))]
    values.append("[" + ", ".join(f"'{a}-{b}'" for a, b in spans) + "]")
    values.append(" ... ".join(squeeze(topic.reference.text[a:b]) for a, b in spans).strip())
    values += [facet, annotation.annotator]
    fields = (f"{key}: {value}" for key, value in zip(KEYS, values, strict=True))
    return " | ".join(fields) + " |"


def made(folder: Path) -> dict[str, bytes]:
    """Make all files from the sources in a folder, by relative paths."""
    topics = {
        f"data/{topic.topic_id}/{path}": text
        for topic, seen in map(build_topic, sorted(folder.glob("*.yaml")))
        for path, text in files(topic, seen)
    }
    return {path: text.encode() for path, text in topics.items()} | {LABELS: labels(folder)}


def main(arguments: list[str] | None = None) -> int:
    """Write the corpus or, with ``--check``, compare what is there with what the sources give."""
    parser = argparse.ArgumentParser(description="Build the teaching corpus from its sources.")
    text = "write nothing; exit 1 if data/ or coresc.csv is out of date"
    parser.add_argument("--check", action="store_true", help=text)
    check = parser.parse_args(arguments).check
    try:
        new = made(HERE / "source")
    except CitectxError as error:
        print(error, file=sys.stderr)
        return 1
    there = [path for path in (*(HERE / "data").rglob("*"), HERE / LABELS) if path.is_file()]
    old = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in there}
    changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    if check and changed:
        print("out of date; run data/teaching/build.py:", *changed, sep="\n  ", file=sys.stderr)
        return 1
    for name in changed:
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        if name in new:
            write_atomically(HERE / name, new[name])
        else:
            (HERE / name).unlink()
    print(f"data/teaching: {len(changed)} files {'changed' if changed else 'to change'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
