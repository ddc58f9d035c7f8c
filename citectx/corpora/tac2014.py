r"""Read and write the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file an annotator, one line an annotation),
``Documents_Text`` (the reference article and what cites it) and ``Summary``. Offsets count
characters after ``\r`` is removed. The release needs a licence; its format can also be written, so
that one's own corpus can replace it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from citectx.corpora import files
from citectx.corpora.files import (
    Release,
    Reporter,
    bare,
    listed,
    need_folder,
    pipe_rows,
    quoted_spans,
    shown,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.errors import MissingDataError
from citectx.types import Span

KEYS = tuple(
    "Topic ID|Citance Number|Reference Article|Citing Article|Citation Marker Offset|Citation Marker|Citation Offset|"
    "Citation Text|Reference Offset|Reference Text|Discourse Facet|Annotator".split("|")
)
"""Fields of an annotation line, in their order."""

_ANNOTATION, _SUMMARY, _TEXT = ".ann.txt", ".summary.txt", ".txt"


def read(folder: Path, name: str = "tac2014", *, allow_missing: bool = False) -> Corpus:
    """Read all topics of a release.

    Parameters
    ----------
    folder : Path
        The folder of the release, or its ``data``.
    name : str
        What to call the corpus.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Topics in the order of their names. A citance is what has one number and overlaps in the
        citing article. Its text is what most annotators marked (among equals, the longest); where
        one of them marked something else, `Annotation.citance_span` says so.

    Raises
    ------
    MissingDataError
        If there is no such folder, or no topic in it.
    """
    root = need_folder(Path(folder), "a TAC 2014 release", "`citectx sources` tells how to get it.")
    release = Release(name, root)
    folders = _topic_folders(root)
    names = [directory.name for directory in folders]
    topics = [_TopicReader(directory, names, release).topic() for directory in folders]
    found = release.findings(allow_missing=allow_missing)
    return Corpus(name, tuple(t for t in topics if t), found)


def _topic_folders(root: Path) -> list[Path]:
    for pattern in ("*", "data/*"):
        parts = (
            part
            for name in ("Annotation", "Documents_Text")
            for part in root.glob(f"{pattern}/{name}")
        )
        if found := sorted({part.parent for part in parts if not part.parent.name.startswith(".")}):
            return found
    expected = "data/TOPIC/Annotation, data/TOPIC/Documents_Text and data/TOPIC/Summary"
    raise MissingDataError(
        f"{root} holds no topic; name the folder of the release, with {expected}"
    )


_View = tuple[Citance, Reporter]
"""A citance as one annotator sees it, and the place of the annotation."""


class _TopicReader:
    """Reads the folder of one topic."""

    def __init__(self, directory: Path, topics: Sequence[str], release: Release) -> None:
        self.directory, self.topics, self.release = directory, topics, release
        self.documents: dict[str, Document] = {}
        for path in sorted((directory / "Documents_Text").glob("*" + _TEXT)):
            name, text = path.name.removesuffix(_TEXT), self._text(path)
            self.documents[name] = Document(name, text, plain_blocks(text))

    def topic(self) -> Topic | None:
        rows: list[tuple[str, dict[str, str], Reporter]] = []
        for annotator, path in self._own("Annotation", _ANNOTATION):
            rows += (
                (annotator, *row) for row in pipe_rows(self.release.lines(path, "iso-8859-1"), KEYS)
            )
        named = [
            document
            for _, fields, _ in rows
            if (document := self._find(fields["Reference Article"]))
        ]
        if not named:
            self.release(self.directory)(
                "lost", "no annotation names a reference article that is there"
            )
            return None
        votes = Counter(document.doc_id for document in named)
        reference = self.documents[max(sorted(votes), key=votes.__getitem__)]
        citances = _citances([view for row in rows for view in self._view(*row, reference)])
        citing = {
            name: document for name, document in self.documents.items() if document is not reference
        }
        summaries = {who: self._text(path) for who, path in self._own("Summary", _SUMMARY)}
        return Topic(self.directory.name, reference, tuple(citances), citing, summaries)

    def _text(self, path: Path) -> str:
        return self.release.text(path, "iso-8859-1").replace("\r", "")

    def _own(self, part: str, suffix: str) -> Iterator[tuple[str, Path]]:
        """Return annotators and files of this topic: the name of another may begin with its
        name.
        """
        for path in sorted((self.directory / part).glob("*" + suffix)):
            whose = files.owner(path.name, self.topics)
            if whose in (self.directory.name, None):
                yield path.name.removesuffix(suffix).removeprefix(self.directory.name + "."), path
            else:
                self.release(path)("skipped", f"a file of another topic, {whose}")

    def _find(self, name: str) -> Document | None:
        """Find a document by its name in an annotation, where commas and apostrophes may be
        lost.
        """
        name = name.removesuffix(_TEXT)
        alike = [d for d in self.documents.values() if bare(d.doc_id) == bare(name)]
        return self.documents.get(name) or (alike[0] if len(alike) == 1 else None)

    def _view(
        self, annotator: str, row: dict[str, str], report: Reporter, reference: Document
    ) -> Iterator[_View]:
        if self._find(row["Reference Article"]) is not reference:
            named = shown(row["Reference Article"])
            report("skipped", f"expected the reference article {reference.doc_id!r}, found {named}")
            return
        spans = quoted_spans(row["Reference Offset"], row["Reference Text"], reference.text, report)
        annotation = Annotation(annotator, spans, listed(row["Discourse Facet"]))
        citing = self._find(row["Citing Article"])
        if citing is None:
            report(
                "noted", f"citing article {shown(row['Citing Article'])} is not in Documents_Text"
            )
        name = citing.doc_id if citing else row["Citing Article"].removesuffix(_TEXT)
        text, span = _passage("Citation Offset", "Citation Text", row, citing, report)
        marker, marker_span = _passage(
            "Citation Marker Offset", "Citation Marker", row, citing, report
        )
        yield (
            Citance(row["Citance Number"], name, text, marker, span, marker_span, (annotation,)),
            report,
        )


def _passage(
    offset: str, quote: str, fields: dict[str, str], citing: Document | None, report: Reporter
) -> tuple[str, Span | None]:
    """Read a passage of the citing article: its text, as the article has it, and its place."""
    spans = quoted_spans(fields[offset], fields[quote], citing.text if citing else None, report)
    span = spans[0] if spans else None
    return citing.text[slice(*span)] if citing and span else fields[quote], span


def _citances(views: Iterable[_View]) -> Iterator[Citance]:
    """Join what the annotators say of each citance."""
    numbered: dict[str, dict[str, _View]] = {}
    for citance, report in views:
        who, number = citance.annotations[0].annotator, citance.citance_id
        if numbered.setdefault(number, {}).setdefault(who, (citance, report))[0] is not citance:
            report("skipped", f"citance {number} occurs twice; the first one is kept")
    for number in sorted(numbered, key=files.natural):
        yield from _apart(number, list(numbered[number].values()))


def _apart(number: str, views: list[_View]) -> Iterator[Citance]:
    """Make one citance of the views that overlap, and further ones of those that do not."""
    citance_id = number
    while views:
        lead = _favourite([citance for citance, _ in views], lambda c: c.span)
        yield _joined(
            citance_id, lead, [citance for citance, _ in views if _overlap(citance, lead)]
        )
        views = [view for view in views if not _overlap(view[0], lead)]
        if views:
            [(citance, report), *_] = views
            citance_id = f"{number}-{citance.annotations[0].annotator}"
            message = f"citance {number} lies elsewhere for other annotators; here it is called {citance_id}"
            report("repaired", message)


def _overlap(one: Citance, two: Citance) -> bool:
    if one.citing_id != two.citing_id or one.span is None or two.span is None:
        return one.citing_id == two.citing_id
    return max(one.span.start, two.span.start) < min(one.span.end, two.span.end)


def _favourite(citances: Sequence[Citance], place: Callable[[Citance], Span | None]) -> Citance:
    """Return the first citance with the place that most views have; among equals, the longest."""
    votes = Counter((citance.citing_id, place(citance)) for citance in citances)

    def weight(citance: Citance) -> tuple[int, int]:
        span = place(citance)
        return votes[citance.citing_id, span], span.end - span.start if span else 0

    return max(citances, key=weight)


def _joined(citance_id: str, lead: Citance, views: Sequence[Citance]) -> Citance:
    marked = _favourite(views, lambda c: c.marker_span)
    annotations = [
        replace(
            citance.annotations[0], citance_span=citance.span if citance.span != lead.span else None
        )
        for citance in sorted(views, key=lambda c: c.annotations[0].annotator)
    ]
    lead = replace(lead, marker=marked.marker, marker_span=marked.marker_span)
    return replace(lead, citance_id=citance_id, annotations=tuple(annotations))
