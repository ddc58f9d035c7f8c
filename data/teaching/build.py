"""Build the teaching corpus from its sources: ``python data/teaching/build.py [--check]``.

``source/*.yaml`` is what people write and review; ``data/`` is what programs read, in the format of the TAC
2014 release, and ``coresc.csv`` what the sentences of the articles do. Annotations and labels name sentences
by their keys, so nobody ever types an offset. README.md describes the formats.
"""

import argparse
import sys
import tempfile
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import yaml

from citectx.corpora import tac2014
from citectx.corpora.archives import place
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import CitectxError, DataError
from citectx.types import Span

HERE = Path(__file__).resolve().parent
FACETS = ("Hypothesis", "Method", "Results", "Implication", "Discussion")
KINDS = ("same words", "synonyms", "no shared words", "misleading", "drift", "vague")
KINDS += ("only embedding", "only ontology", "everyone fails")
CORESC = ("Bac", "Con", "Exp", "Goa", "Hyp", "Met", "Mod", "Mot", "Obj", "Obs", "Res")
LABELS = "coresc.csv"
MAX_SENTENCES, MAX_SPANS, MAX_WORDS = 5, 3, 250

T = TypeVar("T")


class _UniqueKeys(yaml.SafeLoader):
    """The safe loader; alone it would let the last of two equal keys win in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node)
            if key in seen:
                mark = key_node.start_mark
                raise DataError(f"key {key!r} occurs twice", file=mark.name, line=mark.line + 1)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


class KeyedText:
    """A document, laid out block by block, with the place of every sentence that has a key."""

    def __init__(self, doc_id: object, title: object, file: Path) -> None:
        self.doc_id, self.text, self.file = _line(doc_id, "id", file), _line(title, "title", file), file
        self.places: dict[str, Span] = {}
        self.paragraphs: dict[str, int] = {}

    @property
    def document(self) -> Document:
        """The finished document."""
        return Document(self.doc_id, self.text + "\n")

    def lines(self, *lines: object) -> None:
        """Write a block of lines without keys."""
        self.text += "\n\n" + "\n".join(_line(line, "heading or reference", self.file) for line in lines)

    def paragraph(self, sentences: object) -> None:
        """Write a paragraph of keyed sentences."""
        number = max(self.paragraphs.values(), default=0) + 1
        separator = "\n\n"
        for key, sentence in _expect(sentences, dict, "paragraph", self.file).items():
            if not isinstance(key, str) or "-" in key:
                raise DataError(f"sentence key {key!r} must be text without '-', like r1.2", file=self.file)
            if key in self.places:
                raise DataError(f"sentence key {key!r} occurs twice", file=self.file)
            start = len(self.text) + len(separator)
            self.text += separator + _line(sentence, f"sentence {key!r}", self.file)
            self.places[key] = Span(start, len(self.text))
            self.paragraphs[key] = number
            separator = " "

    def span(self, keys: object) -> Span:
        """Find a sentence ``r1.2``, or the sentences ``r1.2-r1.4`` with both ends included.

        Raises
        ------
        DataError
            If a key is unknown, or a range runs backwards, leaves its paragraph or is too long.
        """
        first, _, last = str(keys).partition("-")
        last = last or first
        for key in (first, last):
            if key not in self.places:
                raise DataError(f"{self.doc_id!r} has no sentence {key!r}", file=self.file)
        order = list(self.places)
        length = order.index(last) - order.index(first) + 1
        if not 1 <= length <= MAX_SENTENCES:
            raise DataError(f"{keys!r} holds {length} sentences, not 1 to {MAX_SENTENCES}", file=self.file)
        if self.paragraphs[first] != self.paragraphs[last]:
            raise DataError(f"{keys!r} runs across paragraphs; give a range for each", file=self.file)
        return Span(self.places[first].start, self.places[last].end)

    def find(self, piece: object, keys: object) -> Span:
        """Find a quoted piece in the sentences ``keys``, where it must occur exactly once."""
        text = _line(piece, f"text quoted from {keys!r}", self.file)
        start, end = self.span(keys)
        if (count := self.text.count(text, start, end)) != 1:
            raise DataError(f"{text!r} occurs {count} times in {keys!r}, not once", file=self.file)
        found = self.text.index(text, start)
        return Span(found, found + len(text))


def _expect(value: object, kind: type[T], what: str, file: Path) -> T:
    if not isinstance(value, kind) or not value:
        raise DataError(f"{what}: expected a non-empty {kind.__name__}, found {value!r}", file=file)
    return value


def _line(value: object, what: str, file: Path) -> str:
    text = _expect(value, str, what, file)
    if text != " ".join(text.split()):
        raise DataError(f"{what}: expected one line with single spaces, found {text!r}", file=file)
    return text


def _choice(value: object, known: tuple[str, ...], what: str, file: Path) -> str:
    if value not in known:
        raise DataError(f"{what}: {value!r} is none of {', '.join(known)}", file=file)
    return str(value)


def _fields(value: object, what: str, file: Path, required: str, optional: str = "") -> dict[str, Any]:
    record = _expect(value, dict, what, file)
    if missing := sorted(set(required.split()) - set(record)):
        raise DataError(f"{what} lacks {', '.join(missing)}", file=file)
    if extra := sorted(map(str, set(record) - set(required.split()) - set(optional.split()))):
        raise DataError(f"{what} has unknown fields: {', '.join(extra)}", file=file)
    return record


def reference_text(source: object, file: Path) -> KeyedText:
    """Lay out the reference article: title, headings, paragraphs and numbered references."""
    record = _fields(source, "reference", file, "id title sections references")
    layout = KeyedText(record["id"], record["title"], file)
    for entry in _expect(record["sections"], list, "sections", file):
        section = _fields(entry, "section", file, "heading", "paragraphs")
        layout.lines(section["heading"])
        for paragraph in section.get("paragraphs", ()):
            layout.paragraph(paragraph)
    layout.lines("References")
    references = _expect(record["references"], list, "references", file)
    layout.lines(*(f"{number}. {reference}" for number, reference in enumerate(references, 1)))
    return layout


def citing_texts(source: object, file: Path) -> dict[str, KeyedText]:
    """Lay out the citing documents, each a title and one paragraph."""
    texts: dict[str, KeyedText] = {}
    for entry in _expect(source, list, "citing", file):
        record = _fields(entry, "citing document", file, "id title text")
        if record["id"] in texts:
            raise DataError(f"citing document {record['id']!r} occurs twice", file=file)
        texts[record["id"]] = KeyedText(record["id"], record["title"], file)
        texts[record["id"]].paragraph(record["text"])
    return texts


def evidence(source: object, reference: KeyedText, what: str) -> tuple[Span, ...]:
    """Turn keys, ranges of keys and quoted pieces into spans, in reading order.

    Raises
    ------
    DataError
        If there are too many, or if two of them overlap.
    """
    items = _expect(source, list, what, reference.file)
    if len(items) > MAX_SPANS:
        raise DataError(f"{what}: {len(items)} spans, at most {MAX_SPANS} are usual", file=reference.file)
    spans = []
    for item in items:
        if isinstance(item, dict):
            piece = _fields(item, what, reference.file, "in text")
            spans.append(reference.find(piece["text"], piece["in"]))
        else:
            spans.append(reference.span(item))
    spans.sort()
    if any(later.start < earlier.end for earlier, later in pairwise(spans)):
        raise DataError(f"{what}: two spans overlap: {items}", file=reference.file)
    return tuple(spans)


def annotations(source: object, reference: KeyedText, citing: KeyedText, what: str) -> Iterator[Annotation]:
    """Read what each annotator marked for one citance; who marked nothing has no entry."""
    for name, entry in sorted(_expect(source, dict, f"{what}, annotations", reference.file).items()):
        here = f"{what}, annotator {name}"
        record = _fields(entry, here, reference.file, "facet evidence", "sentences")
        facet = _choice(record["facet"], FACETS, f"{here}, facet", reference.file)
        spans = evidence(record["evidence"], reference, f"{here}, evidence")
        own_view = citing.span(record["sentences"]) if "sentences" in record else None
        yield Annotation(_line(name, here, reference.file), spans, (f"{facet}_Citation",), own_view)


def citance(source: object, reference: KeyedText, citing: Mapping[str, KeyedText]) -> Citance:
    """Read one citance with all its annotations."""
    file = reference.file
    record = _fields(source, "citance", file, "number citing sentences marker kind note annotations")
    what = f"citance {record['number']}"
    _choice(record["kind"], KINDS, f"{what}, kind", file)
    document = citing[_choice(record["citing"], tuple(citing), f"{what}, citing document", file)]
    span = document.span(record["sentences"])
    return Citance(
        citance_id=str(record["number"]),
        citing_id=document.doc_id,
        text=document.text[span.start : span.end],
        marker=record["marker"],
        span=span,
        marker_span=document.find(record["marker"], record["sentences"]),
        annotations=tuple(annotations(record["annotations"], reference, document, what)),
    )


def summaries(source: object, file: Path) -> dict[str, str]:
    """Read the summaries by annotator; a TAC summary has at most 250 words."""
    texts = {}
    for name, value in _expect(source, dict, "summaries", file).items():
        texts[name] = _line(value, f"summary {name}", file)
        if (words := len(value.split())) > MAX_WORDS:
            raise DataError(f"summary {name}: {words} words, at most {MAX_WORDS} are allowed", file=file)
    return texts


def read_source(file: Path) -> dict[str, Any]:
    """Read one YAML source and check its outermost fields."""
    with file.open(encoding="utf-8") as stream:
        try:
            source = yaml.load(stream, Loader=_UniqueKeys)
        except yaml.YAMLError as error:
            raise DataError(f"not valid YAML: {error}", file=file) from error
    record = _fields(source, "topic", file, "topic reference coresc citing citances summaries")
    _choice(record["topic"], (file.stem,), "topic (named like its file)", file)
    return record


def build_topic(file: Path) -> Topic:
    """Build one topic from its source.

    Raises
    ------
    DataError
        Naming the file and the key at fault.
    """
    source = read_source(file)
    reference = reference_text(source["reference"], file)
    citing = citing_texts(source["citing"], file)
    entries = _expect(source["citances"], list, "citances", file)
    citances = tuple(citance(entry, reference, citing) for entry in entries)
    if idle := sorted(set(citing) - {c.citing_id for c in citances}):
        raise DataError(f"citing documents without a citance: {', '.join(idle)}", file=file)
    return Topic(
        topic_id=source["topic"],
        reference=reference.document,
        citances=citances,
        citing={name: text.document for name, text in citing.items()},
        summaries=summaries(source["summaries"], file),
    )


def sources(folder: Path) -> list[Path]:
    """List the YAML files of a folder."""
    if not (files := sorted(folder.glob("*.yaml"))):
        raise DataError("no *.yaml here to build from", file=folder)
    return files


def build(folder: Path) -> Corpus:
    """Build the corpus from all YAML files of a folder."""
    return Corpus("teaching", tuple(build_topic(file) for file in sources(folder)))


def sentence_classes(source: object, reference: KeyedText) -> Iterator[tuple[Span, str]]:
    """Return every sentence of an article with its CoreSC class, in reading order."""
    classes = _expect(source, dict, "coresc", reference.file)
    if wrong := sorted(classes.keys() ^ reference.places.keys()):
        raise DataError(f"coresc: not exactly one class for each sentence: {wrong}", file=reference.file)
    for key, span in reference.places.items():
        yield span, _choice(classes[key], CORESC, f"coresc of {key!r}", reference.file)


def labels(folder: Path) -> bytes:
    """Make the table of CoreSC classes of all articles, as CSV: topic, start, end, class."""
    lines = ["topic,start,end,class"]
    for file in sources(folder):
        source = read_source(file)
        reference = reference_text(source["reference"], file)
        for span, name in sentence_classes(source["coresc"], reference):
            lines.append(f"{source['topic']},{span.start},{span.end},{name}")
    return ("\n".join(lines) + "\n").encode()


def write(folder: Path) -> None:
    """Build from ``source/`` and write ``data/`` and the labels into another folder."""
    tac2014.write(build(HERE / "source"), folder / "data")
    (folder / LABELS).write_bytes(labels(HERE / "source"))


def generated(folder: Path) -> dict[str, bytes]:
    """Read the files that are generated below a folder, by relative paths."""
    files = (path for path in [*(folder / "data").rglob("*"), folder / LABELS] if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def main(arguments: list[str] | None = None) -> int:
    """Write the corpus, or with ``--check`` only compare what is there with what the sources give."""
    parser = argparse.ArgumentParser(description="Build the teaching corpus from its sources.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if data/ or coresc.csv is out of date"
    )
    check = parser.parse_args(arguments).check
    with tempfile.TemporaryDirectory(dir=HERE, prefix=".build-") as folder:
        built = Path(folder)
        try:
            write(built)
        except CitectxError as error:
            print(error, file=sys.stderr)
            return 1
        old, new = generated(HERE), generated(built)
        changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        if check and changed:
            print("out of date; run data/teaching/build.py:", *changed, sep="\n  ", file=sys.stderr)
            return 1
        for name in ("data", LABELS) if changed else ():
            place(built / name, HERE / name, keep=lambda: False)
    print(f"data/teaching: {len(changed)} files {'changed' if changed else 'to change'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
