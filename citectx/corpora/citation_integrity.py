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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from citectx import reading
from citectx.corpora.brat import Mark, read_marks
from citectx.corpora.files import Release, Reporter, cut, natural, need_folder, shown, squeeze
from citectx.corpora.model import (
    Action,
    Annotation,
    Block,
    Citance,
    Corpus,
    Document,
    Finding,
    Topic,
)
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

_EVIDENCE = VERDICTS | DOUBTFUL
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
    root = need_folder(Path(folder) / FOLDER, "the annotators' folders", _REMEDY)
    release = Release("citation-integrity", Path(folder))
    annotators = [path for path in reading.listing(root) if path.is_dir()]
    letters = dict(zip(ascii_uppercase, annotators, strict=False))
    names = {path.name for path in reading.listing(root, "*/*") if path.is_dir()}
    if not names:
        expected = "expected ANNOTATOR/NNN_PMCn/PMCn_n.ann"
        raise MissingDataError(f"{root} holds no topic; {expected}. {_REMEDY}")
    topics: list[Topic] = []
    for name in sorted(names):
        files: list[_File] = []
        for letter, path in letters.items():
            files += _files(letter, path / name, release)
        if files:
            topics.append(_topic(name, files))
        else:
            release(root / name)("lost", "no annotator's files of this topic can be read")
    return release.corpus(topics, allow_missing=allow_missing)


_REMEDY = (
    "Run `citectx fetch citation-integrity-annotations`, "
    "or name the folder that holds ShruthanCode."
)


def _in_order(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: natural(path.name))


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
    for path in _in_order(reading.listing(directory, "*.ann")):
        report, beside = release(path), path.with_suffix(".txt")
        text = release.text(beside) if reading.there(beside) else ""
        border = _BORDER.search(text)
        if border is None:
            asterisks = "with asterisks between passage and article"
            report("skipped", f"expected {beside.name} beside it, {asterisks}")
            continue
        passage = text[: border.start()]
        article = text[border.end() :]
        file = _File(annotator, path.stem, passage, article, [], [], [], report)
        for mark in read_marks(release.lines(path)):
            _add(file, mark, text, *border.span())
        yield file


def _add(file: _File, mark: Mark, text: str, passage_end: int, article: int) -> None:
    """File a mark by its label; where it does not hold its quote, the offsets count."""
    start, end = mark.hull
    if not all(a < b <= len(text) for a, b in mark.spans):
        place = f"{cut(mark.label)} {start}-{end}"
        mark.report("skipped", f"{place} is empty or leaves 0-{len(text)}")
        return
    held = " ".join(span.of(text) for span in mark.spans)
    if squeeze(held) != squeeze(mark.quote):
        place = f"{mark.label} {start}-{end}"
        mark.report("noted", f"{place} does not hold the text beside it; the offsets count")
    in_passage, in_article = end <= passage_end, start >= article
    if mark.label == "Context" and in_passage:
        file.contexts.extend(mark.spans)
    elif mark.label in _MARKERS and in_passage:
        file.markers.append(mark.hull)
    elif mark.label in _EVIDENCE and in_article:
        file.evidence.extend((mark.label, span) for span in _moved(mark.spans, -article))
    else:
        mark.report("skipped", f"{mark.label} at {start}-{end} is not expected in this part")


def _moved(spans: Iterable[Span], by: int) -> list[Span]:
    return [Span(start + by, end + by) for start, end in spans]


def _topic(name: str, files: Sequence[_File]) -> Topic:
    [(article, _)] = Counter(file.article for file in files).most_common(1)
    topic_id = name.partition("_")[2] or name
    groups: dict[str, list[_File]] = {}
    for file in sorted(files, key=lambda file: natural(file.citance)):
        first = groups.get(file.citance, [file])[0]
        if file.article == article and file.passage == first.passage:
            groups.setdefault(file.citance, []).append(file)
        else:
            file.report("skipped", "its text differs from that of the other annotators' files")
    citances = tuple(map(_citance, groups.values()))
    citing = {name: Document(name, group[0].passage) for name, group in groups.items()}
    reference = Document(topic_id, article, markdown_blocks(article))
    return Topic(topic_id, reference, citances, citing)


def _citance(files: Sequence[_File]) -> Citance:
    first = files[0]
    name, passage, report = first.citance, first.passage, first.report
    markers = Counter(marker for file in files for marker in file.markers)
    marker = max(sorted(markers), key=markers.__getitem__, default=None)
    if marker is None:
        report("noted", "no annotator marked the citation marker")
    span = _context(files, marker)
    if span is None:
        report("noted", "no annotator marked the citance; it is the whole passage")
        indent = len(passage) - len(passage.lstrip())
        span = Span(indent, len(passage.rstrip()))
    annotations = tuple(_annotation(file, span) for file in files)
    printed = marker.of(passage) if marker else ""
    return Citance(name, name, span.of(passage), printed, span, marker, annotations)


def _annotation(file: _File, agreed: Span) -> Annotation:
    """Return what one annotator marked, and the citance as marked if that is not the agreed one."""
    spans = sorted({place for label, place in file.evidence if label in VERDICTS})
    facets = sorted({label for label, _ in file.evidence if label != "Span"})
    own = Span.around(file.contexts) if file.contexts else agreed
    apart = own if own != agreed else None
    return Annotation(file.annotator, tuple(spans), tuple(facets), apart)


def _context(files: Sequence[_File], marker: Span | None) -> Span | None:
    """Return the stretch around the marker that half of the annotators marked, or the longest."""
    passage = files[0].passage
    voters = [file.contexts for file in files if file.contexts]
    votes: Counter[int] = Counter()
    for contexts in voters:
        votes.update({i for span in contexts for i in range(*span)})
    drawn = list(re.sub(r"\S", ".", re.sub(r"\s", " ", passage)))
    for i, count in votes.items():
        if 2 * count >= len(voters):
            drawn[i] = "x"
    # White space does not part a stretch.
    found = re.finditer(r"x(?:[x ]*x)?", "".join(drawn))
    stretches = [Span(*match.span()) for match in found]
    around = marker or Span(0, 0)

    def weight(stretch: Span) -> tuple[int, int]:
        return stretch.overlap(around), stretch.end - stretch.start

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
    files = reading.listing(where, "*/*.ann")
    if not files:
        raise MissingDataError(f"{where} holds no PMCref/PMCciting.ann. {_FETCH}")
    citing: dict[str, Document] = {}
    marks: dict[str, list[CitationMark]] = {}
    for path in sorted(files, key=lambda path: (natural(path.stem), natural(path.parent.name))):
        name = path.stem
        document = citing.get(name) or _article(path.with_suffix(".txt"), release)
        if document:
            citing[name] = document
            marks.setdefault(name, []).extend(_citation_marks(path, document.text, release))
    for own in marks.values():
        own.sort(key=lambda mark: (mark.span, natural(mark.target_id)))
    in_order = tuple(chain(*marks.values()))
    return FullTexts(references, tuple(citing.values()), in_order, release.findings())


def read_references(folder: Path) -> tuple[Document, ...]:
    """Read the reference articles alone."""
    return tuple(_reference_articles(_full_texts(folder)))


def _full_texts(folder: Path) -> Release:
    root = need_folder(Path(folder) / ARTICLES, "the folders Reference and FullText", _FETCH)
    return Release(FULL_TEXTS, root)


def _reference_articles(release: Release) -> Iterator[Document]:
    folder = need_folder(release.root / "Reference", "a folder for each reference article", _FETCH)
    for path in _in_order(reading.listing(folder)):
        document = _article(path / f"{path.name}.txt", release)
        if document:
            yield document


def _article(path: Path, release: Release) -> Document | None:
    text = release.text(path) if reading.there(path) else ""
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
    begun: set[int] = set()  # sections whose abstract has its paragraph
    for block in plain_blocks(text):
        ended = block.kind == "abstract" and block.section in begun
        blocks.append(Block(block.start, block.end, "body", block.section) if ended else block)
        if block.kind == "abstract":
            begun.add(block.section)
    return tuple(blocks)


def _citation_marks(path: Path, text: str, release: Release) -> Iterator[CitationMark]:
    for mark in read_marks(release.lines(path)):
        if mark.label not in _MARKERS or not mark.quote:
            expected = "expected a Citation or MultiCitation with its text"
            mark.report("skipped", f"{expected}, found {shown(mark.label)}")
            continue
        span, alone = _marker(mark, text), mark.label == "Citation"
        if span:
            yield CitationMark(path.stem, path.parent.name, span, mark.quote, alone)


def _marker(mark: Mark, text: str) -> Span | None:
    """Look for a mark at its offset, else in the characters that follow."""
    start, quote = mark.hull.start, mark.quote
    if mark.hull.of(text) == quote:
        return mark.hull
    pattern = re.compile(rf"(?<![\w.]){re.escape(quote)}(?!\w)")
    found = list(pattern.finditer(text, start, start + _SHIFT + len(quote)))
    moved = Span(*found[0].span()) if len(found) == 1 else None
    message = f"offset {start} does not hold {shown(quote)}, which occurs {len(found)} times"
    action: Action = "repaired" if moved else "skipped"
    mark.report(action, f"{message} in the {_SHIFT} characters after it")
    return moved
