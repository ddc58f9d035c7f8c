r"""Read and write the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file an annotator, one line an annotation),
``Documents_Text`` (the reference article and what cites it) and ``Summary``. Offsets count
characters after ``\r`` is removed. The release needs a licence; its format can also be written, so
that one's own corpus can replace it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from citectx.corpora.files import (
    Release,
    Reporter,
    bare,
    listed,
    natural,
    need_folder,
    owner,
    shown,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.corpora.tac_lines import pipe_rows, quoted_spans
from citectx.errors import MissingDataError
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
        If the folder does not exist or holds no topic.
    """
    root = need_folder(Path(folder), "a TAC 2014 release", "`citectx sources` tells how to get it.")
    release = Release(name, root)
    folders = topic_folders(root)
    if not folders:
        expected = "data/TOPIC/Annotation, data/TOPIC/Documents_Text and data/TOPIC/Summary"
        raise MissingDataError(
            f"{root} holds no topic; name the folder of the release, with {expected}"
        )
    names = [directory.name for directory in folders]
    topics = [_TopicReader(directory, names, release).topic() for directory in folders]
    return release.corpus(filter(None, topics), allow_missing=allow_missing)


def topic_folders(root: Path) -> list[Path]:
    """Return the folders of the topics below that of a release; none if it is no release."""
    for pattern in ("*", "data/*"):
        annotations = sorted(root.glob(f"{pattern}/Annotation"))
        documents = sorted(root.glob(f"{pattern}/Documents_Text"))
        topics = {part.parent for part in (*annotations, *documents)}
        if topics:
            return sorted(topics)
    return []


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
        """Read the topic; None if no annotation names its reference article."""
        rows: list[tuple[str, dict[str, str], Reporter]] = []
        for annotator, path in self._own("Annotation", _ANNOTATION):
            lines = self.release.lines(path, "iso-8859-1")
            rows += [(annotator, *row) for row in pipe_rows(lines, KEYS)]
        named = [self._find(fields["Reference Article"]) for _, fields, _ in rows]
        votes = Counter(document.doc_id for document in named if document)
        if not votes:
            self.release(self.directory)(
                "lost", "no annotation names a reference article that is there"
            )
            return None
        name = max(sorted(votes), key=votes.__getitem__)
        reference = self.documents[name]
        views: list[_View] = []
        for (annotator, fields, report), document in zip(rows, named, strict=True):
            if document is reference:
                view = self._view(annotator, fields, report, reference)
                views.append((view, report))
            else:
                article = shown(fields["Reference Article"])
                expected = f"expected the reference article {name!r}"
                report("skipped", f"{expected}, found {article}")
        citing = {key: document for key, document in self.documents.items() if key != name}
        summaries = {who: self._text(path) for who, path in self._own("Summary", _SUMMARY)}
        return Topic(self.directory.name, reference, tuple(_citances(views)), citing, summaries)

    def _text(self, path: Path) -> str:
        return self.release.text(path, "iso-8859-1").replace("\r", "")

    def _own(self, part: str, suffix: str) -> Iterator[tuple[str, Path]]:
        """Iterate over annotators and files of this topic.

        The name of another topic may begin with its name.
        """
        topic = self.directory.name
        for path in sorted((self.directory / part).glob("*" + suffix)):
            whose = owner(path.name, self.topics)
            if whose in (topic, None):
                yield path.name.removesuffix(suffix).removeprefix(topic + "."), path
            else:
                self.release(path)("skipped", f"a file of another topic, {whose}")

    def _find(self, name: str) -> Document | None:
        """Find a document by its name in an annotation; commas and apostrophes may be lost."""
        name = name.removesuffix(_TEXT)
        if name in self.documents:
            return self.documents[name]
        alike = [known for known in self.documents if bare(known) == bare(name)]
        return self.documents[alike[0]] if len(alike) == 1 else None

    def _view(
        self, annotator: str, row: dict[str, str], report: Reporter, reference: Document
    ) -> Citance:
        """Read what one annotator says of one citance."""
        spans = quoted_spans(row["Reference Offset"], row["Reference Text"], reference.text, report)
        annotation = Annotation(annotator, spans, listed(row["Discourse Facet"]))
        citing = self._find(row["Citing Article"])
        name = citing.doc_id if citing else row["Citing Article"].removesuffix(_TEXT)
        if citing is None:
            article = shown(row["Citing Article"])
            report("noted", f"citing article {article} is not in Documents_Text")
        text, span = _passage("Citation Offset", "Citation Text", row, citing, report)
        marker, at = _passage("Citation Marker Offset", "Citation Marker", row, citing, report)
        return Citance(row["Citance Number"], name, text, marker, span, at, (annotation,))


def _passage(
    offset: str, quote: str, fields: dict[str, str], citing: Document | None, report: Reporter
) -> tuple[str, Span | None]:
    """Read a passage of the citing article: its text, as the article has it, and its place."""
    text = citing.text if citing else None
    spans = quoted_spans(fields[offset], fields[quote], text, report)
    if not spans:
        return fields[quote], None
    span = spans[0]
    return span.of(text) if text else fields[quote], span


def _citances(views: Iterable[_View]) -> Iterator[Citance]:
    """Join what the annotators say of each citance."""
    numbered: dict[str, dict[str, _View]] = {}
    for view in views:
        citance, report = view
        number = citance.citance_id
        known = numbered.setdefault(number, {}).setdefault(_who(citance), view)
        if known is not view:
            report("skipped", f"citance {number} occurs twice; the first one is kept")
    for number in sorted(numbered, key=natural):
        yield from _apart(number, list(numbered[number].values()))


def _who(citance: Citance) -> str:
    return citance.annotations[0].annotator


def _apart(number: str, views: Sequence[_View]) -> Iterator[Citance]:
    """Make one citance of the views that overlap, and further ones of those that do not."""
    citance_id = number
    while views:
        lead = _favourite([citance for citance, _ in views], attrgetter("span"))
        here = [citance for citance, _ in views if _overlap(citance, lead)]
        yield _joined(citance_id, lead, here)
        views = [view for view in views if not _overlap(view[0], lead)]
        for citance, report in views[:1]:
            citance_id = f"{number}-{_who(citance)}"
            place = f"citance {number} lies elsewhere for other annotators"
            report("repaired", f"{place}; here it is called {citance_id}")


def _overlap(one: Citance, two: Citance) -> bool:
    if one.citing_id != two.citing_id or one.span is None or two.span is None:
        return one.citing_id == two.citing_id
    return one.span.overlap(two.span) > 0


def _favourite(citances: Sequence[Citance], place: Callable[[Citance], Span | None]) -> Citance:
    """Return the first citance with the place that most views have; among equals, the longest."""
    votes = Counter((citance.citing_id, place(citance)) for citance in citances)

    def weight(citance: Citance) -> tuple[int, int]:
        span = place(citance)
        return votes[citance.citing_id, span], span.end - span.start if span else 0

    return max(citances, key=weight)


def _joined(citance_id: str, lead: Citance, views: Sequence[Citance]) -> Citance:
    marked = _favourite(views, attrgetter("marker_span"))
    annotations = []
    for view in sorted(views, key=_who):
        own = view.span if view.span != lead.span else None
        annotations.append(replace(view.annotations[0], citance_span=own))
    return replace(
        lead,
        citance_id=citance_id,
        marker=marked.marker,
        marker_span=marked.marker_span,
        annotations=tuple(annotations),
    )
