r"""Read and write the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file an annotator, one line an annotation), ``Documents_Text``
(the reference article and what cites it) and ``Summary``. Offsets count characters after ``\r`` is removed.
The release needs a licence; its format can also be written, so that one's own corpus can stand in for it.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.archives import place
from citectx.corpora.files import (
    Reporter,
    bare,
    decode,
    listed,
    natural,
    need_folder,
    owner,
    pipe_fields,
    quoted_spans,
    reporters,
    settled,
    shown,
    squeeze,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Finding, Topic
from citectx.corpora.structure import plain_blocks
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

_ANNOTATION, _SUMMARY, _TEXT = ".ann.txt", ".summary.txt", ".txt"
_PARTS = ("Annotation", "Documents_Text")


def read(folder: Path, name: str = "tac2014", *, allow_missing: bool = False) -> Corpus:
    """Read all topics of a release.

    Parameters
    ----------
    folder : Path
        The folder of the release, its ``data``, or the folder that holds the release.
    name : str
        What to call the corpus.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Topics in the order of their names. A citance is what carries one number and overlaps in the citing
        article. Its text is what most annotators marked (of several such, the longest); where one of them
        marked something else, `Annotation.citance_span` says so.

    Raises
    ------
    MissingDataError
        If there is no such folder, or no topic in it.
    DataError
        If the folder holds more than one release.
    """
    root = need_folder(Path(folder), "a TAC 2014 release", "`citectx sources` tells how to get it.")
    findings: list[Finding] = []
    folders = _topic_folders(root)
    names = [directory.name for directory in folders]
    topics = [_TopicReader(directory, root, names, findings).topic() for directory in folders]
    found = settled(name, findings, allow_missing=allow_missing)
    return Corpus(name, tuple(t for t in topics if t), found)


def _topic_folders(root: Path) -> list[Path]:
    for pattern in ("*", "data/*", "*/data/*"):
        parts = {part.parent for name in _PARTS for part in root.glob(f"{pattern}/{name}")}
        found = sorted(topic for topic in parts if not topic.name.startswith("."))
        releases = sorted({topic.parents[1].name for topic in found}) if pattern.startswith("*/data") else []
        if len(releases) > 1:
            raise DataError(f"holds several releases, name one: {', '.join(releases)}", file=root)
        if found:
            return found
    raise MissingDataError(
        f"{root} holds no topic; expected folders data/TOPIC/Annotation, data/TOPIC/Documents_Text and "
        "data/TOPIC/Summary. Name the folder of the release."
    )


class _Row(NamedTuple):
    """An annotation line, taken apart."""

    annotator: str
    fields: dict[str, str]
    report: Reporter


class _View(NamedTuple):
    """A citance as one annotator sees it."""

    citance: Citance
    report: Reporter

    @property
    def annotator(self) -> str:
        return self.citance.annotations[0].annotator

    def overlaps(self, other: Citance) -> bool:
        one, two = self.citance.span, other.span
        if self.citance.citing_id != other.citing_id:
            return False
        return one is None or two is None or max(one.start, two.start) < min(one.end, two.end)


class _TopicReader:
    """Reads the folder of one topic."""

    def __init__(self, directory: Path, root: Path, topics: Sequence[str], findings: list[Finding]) -> None:
        self.directory, self.topics = directory, topics
        self.reporter = reporters(findings, root)
        paths = sorted((directory / "Documents_Text").glob("*" + _TEXT))
        self.documents = {document.doc_id: document for document in map(self._document, paths)}

    def topic(self) -> Topic | None:
        rows = list(self._rows())
        reference = self._reference(rows)
        if reference is None:
            self.reporter(self.directory)("lost", "no annotation names a reference article that is there")
            return None
        views = [view for row in rows if (view := self._view(row, reference))]
        return Topic(
            self.directory.name,
            reference,
            tuple(_citances(views)),
            citing={name: document for name, document in self.documents.items() if document is not reference},
            summaries={
                self._annotator(path, _SUMMARY): self._text(path) for path in self._own("Summary", _SUMMARY)
            },
        )

    def _text(self, path: Path) -> str:
        return decode(path.read_bytes(), "iso-8859-1", self.reporter(path)).replace("\r", "")

    def _document(self, path: Path) -> Document:
        text = self._text(path)
        return Document(path.name.removesuffix(_TEXT), text, plain_blocks(text))

    def _own(self, part: str, suffix: str) -> Iterator[Path]:
        """Return the files of this topic: the name of another may begin with its name."""
        for path in sorted((self.directory / part).glob("*" + suffix)):
            whose = owner(path.name, self.topics)
            if whose == self.directory.name:
                yield path
            elif whose:
                self.reporter(path)("skipped", f"a file of another topic, {whose}")
            else:
                self.reporter(path)("noted", f"expected a name that begins with {self.directory.name}.")
                yield path

    def _annotator(self, path: Path, suffix: str) -> str:
        return path.name.removesuffix(suffix).removeprefix(self.directory.name + ".")

    def _rows(self) -> Iterator[_Row]:
        for path in self._own("Annotation", _ANNOTATION):
            lines = [(n, line) for n, line in enumerate(self._text(path).split("\n"), 1) if line.strip()]
            if not lines:
                self.reporter(path)("noted", "holds no annotation")
            for number, line in lines:
                report = self.reporter(path).at(number)
                try:
                    yield _Row(self._annotator(path, _ANNOTATION), _fields(line, report), report)
                except DataError as error:
                    report.failed("skipped", error)

    def _find(self, name: str) -> Document | None:
        """Find a document by its name in an annotation, where commas and apostrophes may be lost."""
        name = name.removesuffix(_TEXT)
        alike = [d for d in self.documents.values() if bare(d.doc_id) == bare(name)]
        return self.documents.get(name) or (alike[0] if len(alike) == 1 else None)

    def _reference(self, rows: Sequence[_Row]) -> Document | None:
        """Find the article that most annotations name."""
        found = [document for row in rows if (document := self._find(row.fields["Reference Article"]))]
        votes = Counter(document.doc_id for document in found)
        return self.documents[max(sorted(votes), key=votes.__getitem__)] if votes else None

    def _view(self, row: _Row, reference: Document) -> _View | None:
        _, fields, report = row
        if self._find(fields["Reference Article"]) is not reference:
            named = shown(fields["Reference Article"])
            report("skipped", f"expected the reference article {reference.doc_id!r}, found {named}")
            return None
        for key, expected in (("Topic ID", self.directory.name), ("Annotator", row.annotator)):
            if fields[key] != expected:
                report("noted", f"{key} is {shown(fields[key])}, the file's name says {expected!r}")
        spans = quoted_spans(fields["Reference Offset"], fields["Reference Text"], reference.text, report)
        annotation = Annotation(row.annotator, spans, listed(fields["Discourse Facet"]))
        citing = self._find(fields["Citing Article"])
        if citing is None:
            report("noted", f"citing article {shown(fields['Citing Article'])} is not in Documents_Text")
        name = citing.doc_id if citing else fields["Citing Article"].removesuffix(_TEXT)
        text, span = _passage("Citation Offset", "Citation Text", fields, citing, report)
        marker, marker_span = _passage("Citation Marker Offset", "Citation Marker", fields, citing, report)
        citance = Citance(fields["Citance Number"], name, text, marker, span, marker_span, (annotation,))
        return _View(citance, report)


def _passage(
    offset: str, quote: str, fields: dict[str, str], citing: Document | None, report: Reporter
) -> tuple[str, Span | None]:
    """Read a place in the citing article: its text, as the article has it, and the place."""
    spans = quoted_spans(fields[offset], fields[quote], citing.text if citing else None, report)
    span = spans[0] if spans else None
    return citing.text[slice(*span)] if citing and span else fields[quote], span


def _fields(line: str, report: Reporter) -> dict[str, str]:
    fields = pipe_fields(line, KEYS, report)
    missing = [key for key in KEYS if key not in fields]
    if missing:
        raise DataError(f"expected the fields {', '.join(KEYS)}; missing {', '.join(missing)}")
    if not fields["Citance Number"]:
        raise DataError("expected a Citance Number, found none")
    return fields


def _citances(views: Iterable[_View]) -> Iterator[Citance]:
    """Join what the annotators say of each citance."""
    numbered: dict[str, dict[str, _View]] = {}
    for view in views:
        number = view.citance.citance_id
        first = numbered.setdefault(number, {}).setdefault(view.annotator, view)
        if first is not view:
            view.report("skipped", f"citance {number} stands twice; the first one is kept")
    for number in sorted(numbered, key=natural):
        yield from _apart(number, list(numbered[number].values()))


def _apart(number: str, views: list[_View]) -> Iterator[Citance]:
    """Make one citance of the views that overlap, and further ones of those that do not."""
    citance_id = number
    while views:
        lead = _favourite(views, lambda c: c.span)
        yield _joined(citance_id, lead, [view for view in views if view.overlaps(lead)])
        views = [view for view in views if not view.overlaps(lead)]
        if views:
            citance_id = f"{number}-{views[0].annotator}"
            message = f"citance {number} lies elsewhere for other annotators; here it is called {citance_id}"
            views[0].report("repaired", message)


def _favourite(views: Sequence[_View], place: Callable[[Citance], Span | None]) -> Citance:
    """Return the first citance with the place that most views have; of several such, the longest."""
    votes = Counter((view.citance.citing_id, place(view.citance)) for view in views)

    def weight(citance: Citance) -> tuple[int, int]:
        span = place(citance)
        return votes[citance.citing_id, span], span.end - span.start if span else 0

    return max((view.citance for view in views), key=weight)


def _joined(citance_id: str, lead: Citance, views: Sequence[_View]) -> Citance:
    marked = _favourite(views, lambda c: c.marker_span)
    annotations = [
        replace(
            citance.annotations[0],
            citance_span=citance.span if citance.span != lead.span else None,
            marker_span=citance.marker_span if citance.marker_span != marked.marker_span else None,
        )
        for citance, _ in sorted(views, key=lambda view: view.annotator)
    ]
    return replace(
        lead,
        citance_id=citance_id,
        marker=marked.marker,
        marker_span=marked.marker_span,
        annotations=tuple(annotations),
    )


def write(topics: Iterable[Topic], folder: Path, *, overwrite: bool = False) -> None:
    """Write topics so that `read` gives the same ones back.

    What the format cannot hold is recomputed on reading: blocks come from `structure.plain_blocks`, and a
    citance's own text is what most annotators marked. Texts in annotation lines lose their line breaks; the
    offsets beside them do not.

    Parameters
    ----------
    topics : Corpus or iterable of Topic
    folder : Path
        Made if it is not there; it plays the part of the release's ``data``. A topic appears in it complete
        or not at all.
    overwrite : bool
        Replace a topic of the same name that has other contents.

    Raises
    ------
    DataError
        If such a topic is there and `overwrite` is not set, or its folder holds files of another kind; if a
        topic does not fit the format.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for topic in topics:
        files = {path: text.encode() for path, text in _files(topic).items()}
        target = folder / topic.topic_id
        if target.exists():
            if files == {p.relative_to(target).as_posix(): p.read_bytes() for p in target.rglob("*.txt")}:
                continue
            if not overwrite:
                raise DataError(
                    "is there with other contents; pass overwrite=True to replace it", file=target
                )
            _refuse_strangers(target)
        with tempfile.TemporaryDirectory(prefix=".", dir=folder) as temporary:
            new = Path(temporary, topic.topic_id)
            for path, content in files.items():
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(content)
            place(new, target, keep=lambda: False)


def _refuse_strangers(target: Path) -> None:
    """Make sure that a folder which is to be replaced holds a topic and nothing else."""
    files = [path for path in sorted(target.rglob("*")) if not path.is_dir()] if target.is_dir() else [target]
    for path in files:
        if path.parent.name not in (*_PARTS, "Summary") or not path.name.endswith(_TEXT):
            raise DataError("is no file of a topic and would be deleted with it; move it away", file=path)


def _files(topic: Topic) -> dict[str, str]:
    """Lay out the files of a topic."""
    documents = {topic.reference.doc_id: topic.reference} | dict(topic.citing)
    files = {f"Documents_Text/{name}{_TEXT}": document.text for name, document in documents.items()}
    annotators = sorted({a.annotator for c in topic.citances for a in c.annotations})
    if not topic.citances or not all(citance.annotations for citance in topic.citances):
        raise DataError("the format needs citances, each with an annotation", file=topic.topic_id)
    for annotator in annotators:
        lines = [
            _line(topic, citance, annotation)
            for citance in topic.citances
            for annotation in citance.annotations
            if annotation.annotator == annotator
        ]
        files[f"Annotation/{topic.topic_id}.{annotator}{_ANNOTATION}"] = "\n\n".join(lines) + "\n"
    for annotator, summary in topic.summaries.items():
        files[f"Summary/{topic.topic_id}.{annotator}{_SUMMARY}"] = summary
    for name in (topic.topic_id, *documents, *annotators, *topic.summaries):
        if (
            not name.isprintable()
            or name != name.strip()
            or name.startswith(".")
            or re.search(r"[/\\]|^$", name)
        ):
            raise DataError(f"{name!r} cannot be part of a file's name", file=topic.topic_id)
    if any(re.search(r"[\r\0]|\A\ufeff", text) for text in files.values()):
        raise DataError(
            "texts must not hold \\r, which offsets do not count, NUL, or a byte order mark",
            file=topic.topic_id,
        )
    return files


def _line(topic: Topic, citance: Citance, annotation: Annotation) -> str:
    """Write an annotation line, and make sure that it can be read."""
    citing = topic.citing.get(citance.citing_id)
    span, marker_span = annotation.citance_span or citance.span, annotation.marker_span or citance.marker_span
    if citing is None or span is None or marker_span is None:
        raise DataError(
            f"citance {citance.citance_id}: the format needs its citing document, its place and its marker's",
            file=topic.topic_id,
        )
    offsets = ", ".join(f"'{a}-{b}'" for a, b in annotation.spans)
    values = (
        topic.topic_id,
        citance.citance_id,
        topic.reference.doc_id + _TEXT,
        citance.citing_id + _TEXT,
        f"{marker_span.start}-{marker_span.end}",
        squeeze(citing.text[slice(*marker_span)]),
        f"{span.start}-{span.end}",
        squeeze(citing.text[slice(*span)]),
        f"[{offsets}]",
        " ... ".join(squeeze(topic.reference.text[a:b]) for a, b in annotation.spans).strip(),
        ", ".join(annotation.facet),
        annotation.annotator,
    )
    fields = dict(zip(KEYS, values, strict=True))
    line = " | ".join(f"{key}: {value}" for key, value in fields.items()) + " |"
    silent = Reporter([], "")
    readable = citance.citance_id and "\n" not in line and pipe_fields(line, KEYS, silent) == fields
    if not readable or listed(fields["Discourse Facet"]) != annotation.facet:
        raise DataError(
            f"citance {citance.citance_id}: a value reads like a field: {line!r}", file=topic.topic_id
        )
    return line
