"""Read the Citation-Integrity annotations: ten reference articles, 218 citances, four annotators.

A file is a citing passage, a line of asterisks and the reference article in light Markdown; BRAT standoff
beside it labels what the passage says (``Context``), its citation marker, and the evidence in the article.
The label of the evidence is the annotator's verdict on the citance. Attributes, notes and relations
(``A``, ``#``, ``R`` lines) are not read.

Which role each annotator had is not documented upstream. They are called A to D here, in the order of their
folders' names, so that results can be checked for hanging on one of them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.files import (
    Reporter,
    cut,
    decode,
    natural,
    need_folder,
    reporters,
    settled,
    shown,
    squeeze,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Finding, Topic
from citectx.corpora.structure import markdown_blocks
from citectx.errors import MissingDataError, unknown
from citectx.types import Span

FOLDER = Path("ShruthanCode", "BratFiles", "RemoveMultipleAnnotations")
"""Where the annotators' folders stand in the upstream repository."""

VERDICTS = frozenset("ACCURATE OVERSIMPLIFY NOT_SUBSTANTIATE MISQUOTE CONTRADICT INDIRECT Major".split())
"""Labels of evidence, whatever the verdict is."""

DOUBTFUL = frozenset(["IRRELEVANT", "Span"])
"""Labels of passages that are no evidence; see `read`."""

Context = Literal["majority", "union", "passage"]

_MARKERS = frozenset(["Citation", "MultiCitation"])
_BORDER = re.compile(r"^\*{20,}[ \t\r]*$\s*", re.MULTILINE)
_NOT_READ = re.compile(r"[AMER#]\d*\t\S+ .*|\*\t.*")


def read(folder: Path, *, context: Context = "majority", allow_missing: bool = False) -> Corpus:
    """Read the ten topics.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    context : {"majority", "union", "passage"}
        What the citance is: the characters that at least half of the annotators marked; all from the first
        to the last that any of them marked; or the whole citing passage.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Topics are named by their reference article; each citance has a citing document of its own, which is
        the citing passage.

    Raises
    ------
    ParameterError
        If `context` is none of the three.
    MissingDataError
        If the annotators' folders are not there.
    DataError
        If a topic cannot be read, unless `allow_missing` is set.

    Notes
    -----
    Ambiguity: all four annotators marked the same citance in 48 of 218 cases only. The default takes the
    characters of at least half of them, which in all 218 cases are one stretch that contains the marker.

    Ambiguity: upstream does not say whether a passage labelled ``IRRELEVANT`` (25 of them) supports
    anything. By its name it does not, so it is left out; with it, each citance would have all four
    annotators.
    """
    if context not in get_args(Context):
        raise unknown("context", context, get_args(Context))
    remedy = "Run `citectx fetch citation-integrity-annotations`, or name the folder that holds ShruthanCode."
    root = need_folder(Path(folder) / FOLDER, "the annotators' folders", remedy)
    annotators = dict(zip(ascii_uppercase, sorted(p for p in root.iterdir() if p.is_dir()), strict=False))
    names = sorted({p.name for path in annotators.values() for p in path.iterdir() if p.is_dir()})
    if not names:
        raise MissingDataError(f"{root} holds no topic; expected ANNOTATOR/NNN_PMCn/PMCn_n.ann. {remedy}")
    findings: list[Finding] = []
    topics: list[Topic] = []
    for name in names:
        files = [
            file
            for letter, path in annotators.items()
            for file in _files(letter, path / name, Path(folder), findings)
        ]
        if files:
            topics.append(_topic(name, files, context))
        else:
            reporters(findings, root)(root / name)("lost", "no annotator's files of this topic can be read")
    found = settled("citation-integrity", findings, allow_missing=allow_missing)
    return Corpus("citation-integrity", tuple(topics), found)


class _Mark(NamedTuple):
    """A labelled stretch of text, which may have gaps."""

    label: str
    spans: tuple[Span, ...]
    report: Reporter

    @property
    def start(self) -> int:
        return min(span.start for span in self.spans)

    @property
    def end(self) -> int:
        return max(span.end for span in self.spans)

    def moved(self, by: int) -> "_Mark":
        return self._replace(spans=tuple(Span(start + by, end + by) for start, end in self.spans))


class _File(NamedTuple):
    """What one annotator says of one citance; evidence is counted in the article."""

    annotator: str
    citance: str
    passage: str
    article: str
    contexts: list[_Mark]
    markers: list[_Mark]
    evidence: list[_Mark]
    report: Reporter


def _files(annotator: str, directory: Path, root: Path, findings: list[Finding]) -> Iterator[_File]:
    reporter = reporters(findings, root)
    for path in sorted(directory.glob("*.ann"), key=lambda p: natural(p.name)):
        report = reporter(path)
        if not path.with_suffix(".txt").is_file():
            report("skipped", f"expected {path.stem}.txt beside it")
            continue
        text = _decoded(path.with_suffix(".txt"), reporter(path.with_suffix(".txt")))
        border = _BORDER.search(text)
        if border is None:
            report("skipped", "expected a line of asterisks between passage and article in the text")
            continue
        passage, article = text[: border.start()], text[border.end() :]
        contexts, markers, evidence = [], [], []
        for mark in _marks(_decoded(path, report), text, report):
            if mark.label == "Context" and mark.end <= border.start():
                contexts.append(mark)
            elif mark.label in _MARKERS and mark.end <= border.start():
                markers.append(mark)
            elif mark.label in VERDICTS | DOUBTFUL and mark.start >= border.end():
                evidence.append(mark.moved(-border.end()))
            else:
                mark.report(
                    "skipped", f"{mark.label} at {mark.start}-{mark.end} is not expected in this part"
                )
        yield _File(annotator, path.stem, passage, article, contexts, markers, evidence, report)


def _decoded(path: Path, report: Reporter) -> str:
    return decode(path.read_bytes(), "cp1252", report)


def _marks(annotations: str, text: str, report: Reporter) -> Iterator[_Mark]:
    """Read ``T`` lines: an id, a label with pairs of offsets, the text."""
    lines = [(n, line) for n, line in enumerate(annotations.split("\n"), 1) if line.strip()]
    if not lines:
        report("noted", "holds no annotation")
    for number, line in lines:
        here = report.at(number)
        if _NOT_READ.fullmatch(line.rstrip("\r")):
            continue
        match = re.fullmatch(
            r"T\d+\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)", line.rstrip("\r")
        )
        if match is None:
            here("skipped", f"expected 'Tn<tab>LABEL start end[;start end]<tab>text', found {shown(line)}")
            continue
        label, offsets, quote = match.groups()
        spans = tuple(Span(*map(int, pair.split())) for pair in offsets.split(";"))
        if not all(start < end <= len(text) for start, end in spans):
            here(
                "skipped",
                f"{cut(label)} {cut(offsets)} is empty or leaves the text (0-{len(text)})",
            )
            continue
        if squeeze(" ".join(text[a:b] for a, b in spans)) != squeeze(quote):
            here("noted", f"{label} {offsets} does not hold the text beside it; the offsets stand")
        yield _Mark(label, spans, here)


def _topic(name: str, files: Sequence[_File], context: Context) -> Topic:
    [(article, _)] = Counter(file.article for file in files).most_common(1)
    topic_id = name.partition("_")[2] or name
    groups: dict[str, list[_File]] = {}
    for file in sorted(files, key=lambda f: natural(f.citance)):
        group = groups.setdefault(file.citance, [])
        if file.article != article or (group and file.passage != group[0].passage):
            file.report("skipped", "its text differs from that of the other annotators' files")
        else:
            group.append(file)
    groups = {citance_id: group for citance_id, group in groups.items() if group}
    return Topic(
        topic_id,
        Document(topic_id, article, markdown_blocks(article)),
        tuple(_citance(citance_id, group, context) for citance_id, group in groups.items()),
        citing={citance_id: Document(citance_id, group[0].passage) for citance_id, group in groups.items()},
    )


def _citance(citance_id: str, files: Sequence[_File], context: Context) -> Citance:
    passage = files[0].passage
    markers = Counter(Span(m.start, m.end) for file in files for m in file.markers)
    marker = max(sorted(markers), key=markers.__getitem__) if markers else None
    if marker is None:
        files[0].report("noted", "no annotator marked the citation marker")
    span = _context(files, marker, context)
    return Citance(
        citance_id,
        citance_id,
        passage[slice(*span)],
        passage[slice(*marker)] if marker else "",
        span,
        marker,
        tuple(_annotation(file, span) for file in files),
    )


def _annotation(file: _File, citance: Span) -> Annotation:
    own = _hull(file.contexts)
    return Annotation(
        file.annotator,
        tuple(sorted({span for mark in file.evidence if mark.label in VERDICTS for span in mark.spans})),
        tuple(sorted({mark.label for mark in file.evidence if mark.label != "Span"})),
        citance_span=own if own != citance else None,
    )


def _hull(marks: Sequence[_Mark]) -> Span | None:
    return Span(min(m.start for m in marks), max(m.end for m in marks)) if marks else None


def _context(files: Sequence[_File], marker: Span | None, context: Context) -> Span:
    """Find the citance in the passage."""
    passage = files[0].passage
    whole = Span(len(passage) - len(passage.lstrip()), len(passage.rstrip()))
    votes = np.zeros(len(passage) + 1, dtype=np.int64)
    voters = [file for file in files if file.contexts]
    for file in voters:
        marked = np.zeros(len(votes), dtype=bool)
        for start, end in (span for mark in file.contexts for span in mark.spans):
            marked[start:end] = True
        votes += marked
    if not voters:
        files[0].report("noted", "no annotator marked the citance; it is the whole passage")
    if context == "passage" or not voters:
        return whole
    if context == "union":
        marked_by_any = np.flatnonzero(votes)
        return Span(int(marked_by_any[0]), int(marked_by_any[-1]) + 1)
    return _best_stretch(2 * votes >= len(voters), passage, marker) or whole


def _best_stretch(chosen: NDArray[np.bool_], passage: str, marker: Span | None) -> Span | None:
    """Of the stretches of chosen characters, give the one around the marker; else the longest."""
    stretches: list[Span] = []
    for start, end in np.flatnonzero(np.diff(chosen, prepend=False, append=False)).reshape(-1, 2).tolist():
        gap = passage[stretches[-1].end : start] if stretches else "none yet"
        stretches.append(Span(start if gap.strip() else stretches.pop().start, end))

    def weight(stretch: Span) -> tuple[int, int]:
        shared = min(stretch.end, marker.end) - max(stretch.start, marker.start) if marker else 0
        return max(0, shared), stretch.end - stretch.start

    return max(stretches, key=weight, default=None)
