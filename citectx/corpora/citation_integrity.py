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

What we saw in the annotations: each of the four annotators has a file for each citance, with the
same text. Two annotators marked one ``Citation`` in the article, where it is left out.

What we saw in the full texts: 2,420 marks to 486 references. A mark is one number of a group
(``11`` of ``[11,12]``), a name and year, a bare year, or the dash of a range that hides the number.
In 13 marks of seven articles the text is not at its offset, because upstream's text gained up to
200 characters before it; each stands alone in the 200 characters that follow and is found there. In
5 cases the citing article is itself a reference article. In many articles no heading separates the
abstract from the body. Figure captions after the supplementary material (a tenth of all characters)
count as back matter.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.brat import Mark, read_marks
from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.text_files import listing, natural, need_folder, read_text, shown
from citectx.errors import DataError
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
_BORDER = re.compile(r"^\*{20,}$\s*", re.MULTILINE)
_REMEDY = "Run `citectx fetch {}`, or name the folder that holds ShruthanCode."
_STRAY = "PMC2995166_1.ann", 2
"""Where two annotators marked a citation in the article: file and line."""


def read(folder: Path) -> Corpus:
    """Read the ten topics.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.

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
        If a file is not what the release holds.

    Notes
    -----
    Ambiguity: all four annotators marked the same citance in 48 of 218 cases only. We take the
    characters that at least half of them marked, which in all 218 cases are one stretch that
    contains the marker.

    Ambiguity: upstream does not say whether a passage labelled ``IRRELEVANT`` (25 of them) supports
    anything. By its name it does not, so it is left out; with it, each citance would have all four
    annotators.
    """
    remedy = _REMEDY.format("citation-integrity-annotations")
    root = need_folder(Path(folder) / FOLDER, "the annotators' folders", remedy)
    annotators = listing(root)
    topics = [_topic(path.name, annotators) for path in listing(annotators[0])]
    return Corpus("citation-integrity", tuple(topics))


class _View(NamedTuple):
    """What one annotator marks in one file; evidence is counted in the article."""

    annotator: str
    contexts: list[Span]
    markers: list[Span]
    evidence: list[tuple[str, Span]]


def _topic(name: str, annotators: Sequence[Path]) -> Topic:
    citances, citing, article = [], {}, ""
    for path in sorted(listing(annotators[0] / name, "*.ann"), key=natural):
        files = [folder / name / path.name for folder in annotators]
        passage, border, article = _shared_text(files)
        parts = len(passage), len(passage) + len(border)
        views = [_view(*who, *parts) for who in zip("ABCD", files, strict=False)]
        citances.append(_citance(path.stem, passage, views))
        citing[path.stem] = Document(path.stem, passage)
    topic_id = name.partition("_")[2]
    reference = Document(topic_id, article, markdown_blocks(article))
    return Topic(topic_id, reference, tuple(citances), citing)


def _shared_text(files: Sequence[Path]) -> tuple[str, str, str]:
    """Return the passage, the border and the article, which all annotators' files have."""
    paths = [file.with_suffix(".txt") for file in files]
    text, *others = {read_text(path) for path in paths}
    border = _BORDER.search(text)
    if others or border is None:
        expected = "expected a passage, asterisks and an article, the same for all annotators"
        raise DataError(expected, file=paths[0])
    return text[: border.start()], border[0], text[border.end() :]


def _view(annotator: str, path: Path, passage_end: int, article: int) -> _View:
    """Read what an annotator marked; the article begins at a place of the file's text."""
    view = _View(annotator, [], [], [])
    for mark in read_marks(path):
        in_passage = mark.hull.end <= passage_end
        in_article = mark.hull.start >= article
        if mark.label == "Context" and in_passage:
            view.contexts.extend(mark.spans)
        elif mark.label in _MARKERS and in_passage:
            view.markers.append(mark.hull)
        elif mark.label in VERDICTS | DOUBTFUL and in_article:
            spans = [Span(start - article, end - article) for start, end in mark.spans]
            view.evidence.extend((mark.label, span) for span in spans)
        elif (path.name, mark.line) != _STRAY:
            message = f"{mark.label} is not expected in this part"
            raise DataError(message, file=path, line=mark.line)
    return view


def _citance(name: str, passage: str, views: Sequence[_View]) -> Citance:
    markers = Counter(chain.from_iterable(view.markers for view in views))
    marker = max(sorted(markers), key=markers.__getitem__)
    span = _agreed(views, passage, marker)
    annotations = tuple(_annotation(view, span) for view in views)
    return Citance(name, name, span.of(passage), marker.of(passage), span, marker, annotations)


def _annotation(view: _View, agreed: Span) -> Annotation:
    """Return what one annotator marked, and the citance as marked if that is not the agreed one."""
    spans = sorted({span for label, span in view.evidence if label in VERDICTS})
    facets = sorted({label for label, _ in view.evidence if label != "Span"})
    citance = Span.around(view.contexts) if view.contexts else agreed
    apart = citance if citance != agreed else None
    return Annotation(view.annotator, tuple(spans), tuple(facets), apart)


def _agreed(views: Sequence[_View], passage: str, marker: Span) -> Span:
    """Return the stretch around the marker that half of the annotators marked."""
    voters = [view.contexts for view in views if view.contexts]
    votes = Counter(i for contexts in voters for span in contexts for i in range(*span))
    # An x for each character that enough annotators marked; white space does not part a stretch.
    drawn = list(re.sub(r"\S", ".", re.sub(r"\s", " ", passage)))
    for i, count in votes.items():
        if 2 * count >= len(voters):
            drawn[i] = "x"
    matches = re.finditer(r"x(?:[x ]*x)?", "".join(drawn))
    return max((Span(*match.span()) for match in matches), key=marker.overlap)


FULL_TEXTS = "citation-integrity-fulltext"
"""The source of the full texts."""

ARTICLES = Path("ShruthanCode", "BratFiles", "AccuracyFilesNikkiEugeneJodi")
"""Where both kinds of articles are in its upstream repository."""

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
    """Articles in order of their ids, marks by citing article in order of place."""

    references: tuple[Document, ...]
    citing: tuple[Document, ...]
    marks: tuple[CitationMark, ...]


def read_full_texts(folder: Path) -> FullTexts:
    """Read all reference articles, and the citing articles whose marks are known.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.

    Raises
    ------
    MissingDataError
        If the articles' folders are not there.
    DataError
        If a file is not what the release holds.

    Notes
    -----
    Ambiguity: what is an abstract where no heading ends it? Its first paragraph; the rest is body.
    """
    citing: dict[str, Document] = {}
    marks: list[CitationMark] = []
    for path in sorted(listing(_articles(folder) / "FullText", "*/*.ann"), key=natural):
        if path.stem not in citing:
            citing[path.stem] = _article(path.with_suffix(".txt"))
        marks += _marks(path, citing[path.stem].text)
    # Those at one place stay in order of what they cite.
    marks.sort(key=lambda mark: (natural(mark.citing_id), mark.span))
    in_order = tuple(citing[name] for name in sorted(citing, key=natural))
    return FullTexts(read_references(folder), in_order, tuple(marks))


def read_references(folder: Path) -> tuple[Document, ...]:
    """Read the reference articles alone."""
    paths = listing(_articles(folder) / "Reference", "*/*.txt")
    return tuple(_article(path) for path in sorted(paths, key=natural))


def _articles(folder: Path) -> Path:
    remedy = _REMEDY.format(FULL_TEXTS)
    return need_folder(Path(folder) / ARTICLES, "the folders Reference and FullText", remedy)


def _article(path: Path) -> Document:
    text = read_text(path)
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
        if block.kind == "abstract" and block.section in begun:
            blocks.append(replace(block, kind="body", heading=""))
        else:
            blocks.append(block)
        if block.kind == "abstract":
            begun.add(block.section)
    return tuple(blocks)


def _marks(path: Path, text: str) -> Iterator[CitationMark]:
    """Read where the article of a file's name cites that of its folder's name."""
    for mark in read_marks(path):
        if mark.label not in _MARKERS:
            message = f"expected Citation or MultiCitation, found {shown(mark.label)}"
            raise DataError(message, file=path, line=mark.line)
        span, alone = _marker(mark, text, path), mark.label == "Citation"
        yield CitationMark(path.stem, path.parent.name, span, mark.quote, alone)


def _marker(mark: Mark, text: str, path: Path) -> Span:
    """Look for a mark at its offset, else in the characters that follow."""
    start, quote = mark.hull.start, mark.quote
    if mark.hull.of(text) == quote:
        return mark.hull
    pattern = re.compile(rf"(?<![\w.]){re.escape(quote)}(?!\w)")
    found = list(pattern.finditer(text, start, start + _SHIFT + len(quote)))
    if len(found) != 1:
        place = f"in the {_SHIFT} characters after offset {start}"
        raise DataError(f"expected {shown(quote)} once {place}", file=path, line=mark.line)
    return Span(*found[0].span())
