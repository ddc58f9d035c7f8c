"""Read the Citation-Integrity annotations: ten reference articles, 218 citances, four annotators.

A file is a citing passage, a line of asterisks and the reference article in light Markdown; BRAT
standoff beside it labels what the passage says (``Context``), its citation marker, and the evidence
in the article. The label of the evidence is the annotator's verdict on the citance.

Which role each annotator had is not documented upstream. They are called A to D here, in the order
of their folders' names, so that one can check whether a result depends on one of them.

The full texts are articles that may be cited, and articles that cite them. 2,995 reference articles
are plain text, one paragraph a line, the title first and without a reference list. The 100 citing
articles that cite most of them come with BRAT standoff: ``PMCref/PMCciting.ann`` says where
PMCciting cites PMCref. All files are UTF-8.

What we saw: 2,420 marks to 486 references. A mark is one number of a group (``11`` of ``[11,12]``),
a name and year, a bare year, or the dash of a range that hides the number. In 13 marks of seven
articles the text is not at its offset, because upstream's text gained up to 200 characters before
it; each stands alone in the 200 characters that follow and is found there. In 5 cases the citing
article is itself a reference article. In many articles no heading separates the abstract from the
body. Figure captions after the supplementary material (a tenth of all characters) count as back
matter.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from citectx.corpora.files import (
    Mark,
    Release,
    Reporter,
    brat_marks,
    cut,
    natural,
    need_folder,
    shown,
    squeeze,
)
from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Finding, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.errors import MissingDataError
from citectx.types import Span

FOLDER = Path("ShruthanCode", "BratFiles", "RemoveMultipleAnnotations")
"""Where the annotators' folders are in the upstream repository."""

VERDICTS = frozenset(
    "ACCURATE OVERSIMPLIFY NOT_SUBSTANTIATE MISQUOTE CONTRADICT INDIRECT Major".split()
)
"""Labels of evidence, whatever the verdict is."""

DOUBTFUL = frozenset(["IRRELEVANT", "Span"])
"""Labels of passages that are not evidence; see `read`."""

_MARKERS = frozenset(["Citation", "MultiCitation"])
_BORDER = re.compile(r"^\*{20,}[ \t\r]*$\s*", re.MULTILINE)


def read(folder: Path, *, allow_missing: bool = False) -> Corpus:
    """Read the ten topics.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Topics are named by their reference article; each citance has a citing document of its own,
        which is the citing passage.

    Raises
    ------
    MissingDataError
        If the annotators' folders are not there.
    DataError
        If a topic cannot be read, unless `allow_missing` is set.

    Notes
    -----
    Ambiguity: all four annotators marked the same citance in 48 of 218 cases only. We take the
    characters that at least half of them marked, which in all 218 cases are one stretch that
    contains the marker.

    Ambiguity: upstream does not say whether a passage labelled ``IRRELEVANT`` (25 of them) supports
    anything. By its name it does not, so it is left out; with it, each citance would have all four
    annotators.
    """
    remedy = "Run `citectx fetch citation-integrity-annotations`, or name the folder that holds ShruthanCode."
    root = need_folder(Path(folder) / FOLDER, "the annotators' folders", remedy)
    annotators = dict(
        zip(ascii_uppercase, sorted(p for p in root.iterdir() if p.is_dir()), strict=False)
    )
    names = sorted({p.name for path in annotators.values() for p in path.iterdir() if p.is_dir()})
    if not names:
        raise MissingDataError(
            f"{root} holds no topic; expected ANNOTATOR/NNN_PMCn/PMCn_n.ann. {remedy}"
        )
    release = Release("citation-integrity", Path(folder))
    topics: list[Topic] = []
    for name in names:
        files = [
            file
            for letter, path in annotators.items()
            for file in _files(letter, path / name, release)
        ]
        if files:
            topics.append(_topic(name, files))
        else:
            release(root / name)("lost", "no annotator's files of this topic can be read")
    return Corpus(release.name, tuple(topics), release.findings(allow_missing=allow_missing))


class _File(NamedTuple):
    """What one annotator says of one citance; evidence is counted in the article."""

    annotator: str
    citance: str
    passage: str
    article: str
    contexts: list[Span]
    markers: list[Span]
    evidence: list[tuple[str, Span]]
    report: Reporter


def _files(annotator: str, directory: Path, release: Release) -> Iterator[_File]:
    for path in sorted(directory.glob("*.ann"), key=lambda p: natural(p.name)):
        report, beside = release(path), path.with_suffix(".txt")
        text = release.text(beside) if beside.is_file() else ""
        border = _BORDER.search(text)
        if border is None:
            report(
                "skipped",
                f"expected {beside.name} beside it, with asterisks between passage and article",
            )
            continue
        file = _File(
            annotator, path.stem, text[: border.start()], text[border.end() :], [], [], [], report
        )
        for mark in brat_marks(release.lines(path)):
            _add(file, mark, text, *border.span())
        yield file


def _add(file: _File, mark: Mark, text: str, passage_end: int, article: int) -> None:
    """File a mark by its label; where it does not hold its quote, the offsets count."""
    start, end = mark.hull
    if not all(a < b <= len(text) for a, b in mark.spans):
        mark.report("skipped", f"{cut(mark.label)} {start}-{end} is empty or leaves 0-{len(text)}")
        return
    if squeeze(" ".join(text[slice(*span)] for span in mark.spans)) != squeeze(mark.quote):
        mark.report(
            "noted",
            f"{mark.label} {start}-{end} does not hold the text beside it; the offsets count",
        )
    if mark.label == "Context" and end <= passage_end:
        file.contexts.extend(mark.spans)
    elif mark.label in _MARKERS and end <= passage_end:
        file.markers.append(mark.hull)
    elif mark.label in VERDICTS | DOUBTFUL and start >= article:
        file.evidence.extend((mark.label, Span(a - article, b - article)) for a, b in mark.spans)
    else:
        mark.report("skipped", f"{mark.label} at {start}-{end} is not expected in this part")


def _topic(name: str, files: Sequence[_File]) -> Topic:
    [(article, _)] = Counter(file.article for file in files).most_common(1)
    topic_id = name.partition("_")[2] or name
    groups: dict[str, list[_File]] = {}
    for file in sorted(files, key=lambda f: natural(f.citance)):
        group = groups.get(file.citance, [file])
        if file.article != article or file.passage != group[0].passage:
            file.report("skipped", "its text differs from that of the other annotators' files")
        else:
            groups.setdefault(file.citance, []).append(file)
    citances = tuple(_citance(citance_id, group) for citance_id, group in groups.items())
    citing = {
        citance_id: Document(citance_id, group[0].passage) for citance_id, group in groups.items()
    }
    return Topic(topic_id, Document(topic_id, article, markdown_blocks(article)), citances, citing)


def _citance(citance_id: str, files: Sequence[_File]) -> Citance:
    passage, report = files[0].passage, files[0].report
    markers = Counter(marker for file in files for marker in file.markers)
    marker = max(sorted(markers), key=markers.__getitem__, default=None)
    if marker is None:
        report("noted", "no annotator marked the citation marker")
    span = _context(files, marker)
    if span is None:
        report("noted", "no annotator marked the citance; it is the whole passage")
        span = Span(len(passage) - len(passage.lstrip()), len(passage.rstrip()))
    annotations = []
    for file in files:
        own = (
            Span(min(file.contexts)[0], max(end for _, end in file.contexts))
            if file.contexts
            else span
        )
        spans = sorted({place for label, place in file.evidence if label in VERDICTS})
        facets = sorted({label for label, _ in file.evidence if label != "Span"})
        annotations.append(
            Annotation(file.annotator, tuple(spans), tuple(facets), own if own != span else None)
        )
    printed = passage[slice(*marker)] if marker else ""
    return Citance(
        citance_id, citance_id, passage[slice(*span)], printed, span, marker, tuple(annotations)
    )


def _context(files: Sequence[_File], marker: Span | None) -> Span | None:
    """Of the stretches that half of the annotators marked, return that around the marker, or the
    longest.
    """
    passage = files[0].passage
    voters = [file for file in files if file.contexts]
    votes = Counter(
        i for file in voters for i in {i for span in file.contexts for i in range(*span)}
    )
    chosen = {i for i, count in votes.items() if 2 * count >= len(voters)}
    drawn = "".join(
        "x" if i in chosen else " " if c.isspace() else "." for i, c in enumerate(passage)
    )
    stretches = [
        Span(*match.span()) for match in re.finditer(r"x(?:[x ]*x)?", drawn)
    ]  # white space parts none

    def weight(stretch: Span) -> tuple[int, int]:
        shared = min(stretch.end, marker.end) - max(stretch.start, marker.start) if marker else 0
        return max(0, shared), stretch.end - stretch.start

    return max(stretches, key=weight, default=None)


FULL_TEXTS = "citation-integrity-fulltext"
"""The source of the full texts."""

ARTICLES = Path("ShruthanCode", "BratFiles", "AccuracyFilesNikkiEugeneJodi")
"""Where both kinds of articles are in its upstream repository."""

_FETCH = (
    "Run `citectx fetch citation-integrity-fulltext`, or name the folder that holds ShruthanCode."
)
_SHIFT = 200  # characters that upstream's text may have gained before a mark


class CitationMark(NamedTuple):
    """A place where one article cites another.

    Parameters
    ----------
    citing_id, target_id : str
        PMC ids.
    span : Span
        Of the marker, in the citing article's text.
    text : str
        The marker as printed.
    alone : bool
        Whether it is the only one of its group.
    """

    citing_id: str
    target_id: str
    span: Span
    text: str
    alone: bool


@dataclass(frozen=True)
class FullTexts:
    """What the reader returns.

    Parameters
    ----------
    references, citing : tuple of Document
        In order of their ids.
    marks : tuple of CitationMark
        By citing article, in order of place.
    findings : tuple of Finding
    """

    references: tuple[Document, ...]
    citing: tuple[Document, ...]
    marks: tuple[CitationMark, ...]
    findings: tuple[Finding, ...] = ()


def read_full_texts(folder: Path) -> FullTexts:
    """Read all reference articles, and the citing articles whose marks are known.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.

    Returns
    -------
    FullTexts

    Raises
    ------
    MissingDataError
        If the articles' folders are not there.

    Notes
    -----
    Ambiguity: what is an abstract where no heading ends it? Its first paragraph; the rest is body.
    """
    release = _full_texts(folder)
    references = tuple(_reference_articles(release))
    where = need_folder(release.root / "FullText", "a folder for each cited article", _FETCH)
    files = sorted(where.glob("*/*.ann"), key=lambda p: (natural(p.stem), natural(p.parent.name)))
    if not files:
        raise MissingDataError(f"{where} holds no PMCref/PMCciting.ann. {_FETCH}")
    citing: dict[str, Document] = {}
    marks: dict[str, list[CitationMark]] = {}
    for path in files:
        if document := citing.get(path.stem) or _article(path.with_suffix(".txt"), release):
            citing[path.stem] = document
            marks.setdefault(path.stem, []).extend(_citation_marks(path, document.text, release))
    in_order = (sorted(own, key=lambda m: (m.span, natural(m.target_id))) for own in marks.values())
    return FullTexts(
        references, tuple(citing.values()), tuple(chain(*in_order)), release.findings()
    )


def read_references(folder: Path) -> tuple[Document, ...]:
    """Read the reference articles alone."""
    return tuple(_reference_articles(_full_texts(folder)))


def _full_texts(folder: Path) -> Release:
    return Release(
        FULL_TEXTS,
        need_folder(Path(folder) / ARTICLES, "the folders Reference and FullText", _FETCH),
    )


def _reference_articles(release: Release) -> Iterator[Document]:
    folder = need_folder(release.root / "Reference", "a folder for each reference article", _FETCH)
    for path in sorted(folder.iterdir(), key=lambda p: natural(p.name)):
        if document := _article(path / f"{path.name}.txt", release):
            yield document


def _article(path: Path, release: Release) -> Document | None:
    text = release.text(path) if path.is_file() else ""
    if not text.strip():
        release(path)("skipped", "expected an article here; there is no text")
        return None
    return Document(path.stem, text, article_blocks(text))


def article_blocks(text: str) -> tuple[Block, ...]:
    r"""Find the blocks of an article as these texts print it.

    As `citectx.corpora.structure.plain_blocks`, but an abstract has one paragraph under each
    heading.

    >>> text = "Rest in cells\n\nAbstract\n\nCells rest.\n\nThat cells rest is old news.\n"
    >>> [(b.kind, text[b.start:b.end]) for b in article_blocks(text)][2:]
    [('abstract', 'Cells rest.'), ('body', 'That cells rest is old news.')]
    """
    blocks: list[Block] = []
    seen: set[int] = set()
    for block in plain_blocks(text):
        if block.kind == "abstract" and block.section in seen:
            blocks.append(Block(block.start, block.end, "body", block.section))
            continue
        seen |= {block.section} if block.kind == "abstract" else set()
        blocks.append(block)
    return tuple(blocks)


def _citation_marks(path: Path, text: str, release: Release) -> Iterator[CitationMark]:
    for mark in brat_marks(release.lines(path)):
        if mark.label not in ("Citation", "MultiCitation") or not mark.quote:
            mark.report(
                "skipped",
                f"expected a Citation or MultiCitation with its text, found {shown(mark.label)}",
            )
        elif span := _marker(mark, text):
            yield CitationMark(
                path.stem, path.parent.name, span, mark.quote, mark.label == "Citation"
            )


def _marker(mark: Mark, text: str) -> Span | None:
    """Look for a mark at its offset, else in the characters that follow."""
    start, quote = mark.hull.start, mark.quote
    if text[slice(*mark.hull)] == quote:
        return mark.hull
    pattern = re.compile(rf"(?<![\w.]){re.escape(quote)}(?!\w)")
    found = [Span(*m.span()) for m in pattern.finditer(text, start, start + _SHIFT + len(quote))]
    mark.report(
        "repaired" if len(found) == 1 else "skipped",
        f"offset {start} does not hold {shown(quote)}, which occurs {len(found)} times in the {_SHIFT} "
        "characters after it",
    )
    return found[0] if len(found) == 1 else None
