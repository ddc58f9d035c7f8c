"""Read the Citation-Integrity annotations: ten reference articles, 218 citances, four annotators.

A file is a citing passage, a line of asterisks and the reference article in light Markdown. BRAT
standoff beside it labels the passage's statement (``Context``), its citation marker, and the
evidence, whose label is the verdict. Annotators are called A to D, in the order of their folders'
names. The full texts are 2,995 reference articles in plain text, one paragraph per line, the title
first and without a reference list, and 3,197 articles with marks of where they cite them.

What we saw in the annotations: each of the four annotators has a file for each citance, with the
same text. Two marked one ``Citation`` in the article, where it is left out.

What we saw in the full texts: 22,945 marks to 2,236 references. A mark is one number of a group
(``11`` of ``[11,12]``), a name and year, a bare year, or the dash of a range that hides the number.
173 marks are not at their offsets: 147 are alone in the 200 characters that follow, 26 cannot be
placed. The 100 articles that cite most references have 2,420 marks to 486 of them; all can be
placed. In many articles no heading separates the abstract from the body. Figure captions after the
supplementary material (a tenth of all characters) count as back matter.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.text_files import listing, natural, need_folder, read_text, shown
from citectx.errors import DataError
from citectx.types import Span

ANNOTATIONS = "citation-integrity-annotations"
"""The source of the annotations."""

FOLDER = Path("ShruthanCode", "BratFiles", "RemoveMultipleAnnotations")
"""Where the annotators' folders are in the upstream repository."""

VERDICTS = frozenset(
    "ACCURATE OVERSIMPLIFY NOT_SUBSTANTIATE MISQUOTE CONTRADICT INDIRECT Major".split()
)
"""Labels of evidence, whatever the verdict is."""

DOUBTFUL = frozenset(["IRRELEVANT", "Span"])
"""Labels of passages that are not evidence; see `read`."""

_MARKERS = frozenset(["Citation", "MultiCitation"])
_BORDER = re.compile(r"(^\*{20,}$\s*)", re.MULTILINE)
REMEDY = "Run `citectx fetch {}`, or name the folder that holds ShruthanCode."
_STRAY = "PMC2995166_1.ann", 2
"""Where two annotators marked a citation in the article: file and line."""

_View = dict[str, list[Span]]
"""What one annotator marked: spans by label."""


def read_marks(path: Path) -> Iterator[tuple[int, str, list[Span], str]]:
    """Read line number, label, spans and quoted text of each ``T`` line of BRAT standoff."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line[:1] in "AR#":  # or empty
            continue
        match = re.fullmatch(r"T\d+\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t(.*)", line)
        if match is None:
            expected = "expected 'Tn<tab>LABEL start end[;start end]<tab>text'"
            raise DataError(f"{expected}, found {shown(line)}", file=path, line=number)
        label, offsets, quote = match.groups()
        pairs = (map(int, pair.split()) for pair in offsets.split(";"))
        yield number, label, [Span(*pair) for pair in pairs], quote


def read(folder: Path) -> Corpus:
    """Read the ten topics from the unpacked upstream repository.

    Topics are named by their reference article. The citing document of a citance is its passage.

    Ambiguity: all four annotators marked the same citance in 48 of 218 cases only. We take the
    characters that at least half of them marked, which in all 218 cases are one stretch that
    contains the marker.
    Ambiguity: upstream does not say whether a passage labelled ``IRRELEVANT`` (25 of them) supports
    anything. By its name it does not, so it is left out; with it, each citance would have all four
    annotators.
    """
    remedy = REMEDY.format(ANNOTATIONS)
    root = need_folder(Path(folder) / FOLDER, "the annotators' folders", remedy)
    annotators = listing(root)
    topics = [_topic(path.name, annotators) for path in listing(annotators[0])]
    return Corpus("citation-integrity", tuple(topics))


def _topic(name: str, annotators: Sequence[Path]) -> Topic:
    citances, citing, article = [], {}, ""
    for first in sorted(listing(annotators[0] / name, "*.ann"), key=natural):
        files = [folder / name / first.name for folder in annotators]
        parts, *others = {read_parts(file.with_suffix(".txt")) for file in files}
        if others:
            raise DataError("expected the same for all annotators", file=first.with_suffix(".txt"))
        passage, border, article = parts
        article_start = len(passage) + len(border)
        views = [_view(file, len(passage), article_start) for file in files]
        citances.append(_citance(first.stem, passage, views))
        citing[first.stem] = Document(first.stem, passage)
    topic_id = name.partition("_")[2]
    reference = Document(topic_id, article, markdown_blocks(article))
    return Topic(topic_id, reference, tuple(citances), citing)


def read_parts(path: Path) -> tuple[str, str, str]:
    """Read the citing passage of a file, the border below it, and the reference article."""
    parts = _BORDER.split(read_text(path), maxsplit=1)
    if len(parts) == 1:
        raise DataError("expected a passage, a line of asterisks and an article", file=path)
    passage, border, article = parts
    return passage, border, article


def _view(path: Path, passage_end: int, article_start: int) -> _View:
    """Read what an annotator marked; evidence is counted in the article."""
    labels = "Context", "marker", *VERDICTS, *DOUBTFUL
    view: _View = {label: [] for label in labels}
    for line, label, spans, _ in read_marks(path):
        hull = Span.around(spans)
        if label == "Context" and hull.end <= passage_end:
            view["Context"] += spans
        elif label in _MARKERS and hull.end <= passage_end:
            view["marker"].append(hull)
        elif label in VERDICTS | DOUBTFUL and hull.start >= article_start:
            view[label] += [Span(a - article_start, b - article_start) for a, b in spans]
        elif (path.name, line) != _STRAY:
            raise DataError(f"{label} is not expected in this part", file=path, line=line)
    return view


def _citance(name: str, passage: str, views: Sequence[_View]) -> Citance:
    markers = Counter(chain.from_iterable(view["marker"] for view in views))
    marker = max(sorted(markers), key=markers.__getitem__)
    agreed = _agreed([view["Context"] for view in views], passage, marker)
    annotations = []
    for annotator, view in zip("ABCD", views, strict=False):
        spans = sorted({span for label in VERDICTS for span in view[label]})
        facets = sorted(label for label in VERDICTS | {"IRRELEVANT"} if view[label])
        marked = Span.around(view["Context"] or [agreed])
        apart = marked if marked != agreed else None
        annotations.append(Annotation(annotator, tuple(spans), tuple(facets), apart))
    texts = agreed.of(passage), marker.of(passage)
    return Citance(name, name, *texts, agreed, marker, tuple(annotations))


def _agreed(contexts: Sequence[list[Span]], passage: str, marker: Span) -> Span:
    """Return the stretch around the marker that half of the annotators marked."""
    voters = sum(map(bool, contexts))
    votes = Counter(i for span in chain.from_iterable(contexts) for i in range(*span))
    # An x for each character that enough annotators marked; white space does not part a stretch.
    drawn = list(re.sub(r"\S", ".", re.sub(r"\s", " ", passage)))
    for i, count in votes.items():
        if 2 * count >= voters:
            drawn[i] = "x"
    matches = re.finditer(r"x(?:[x ]*x)?", "".join(drawn))
    [stretch] = [match.span() for match in matches if match.start() <= marker.start < match.end()]
    return Span(*stretch)


FULL_TEXTS = "citation-integrity-fulltext"
"""The source of the full texts."""

ARTICLES = Path("ShruthanCode", "BratFiles", "AccuracyFilesNikkiEugeneJodi")
"""Where both kinds of articles are in its upstream repository."""

_SHIFT = 200  # characters that upstream's text may have gained before a mark


class CitationMark(NamedTuple):
    """A place where one article cites another, in the citing article's text.

    `text` is the marker as printed, and `alone` says that it is the only one of its group.
    """

    citing_id: str
    target_id: str
    span: Span
    text: str
    alone: bool


class FullTexts(NamedTuple):
    """Articles that may be cited, articles that cite them, and the marks in these, all in order.

    A mark that cannot be placed is a finding.
    """

    references: tuple[Document, ...]
    citing: tuple[Document, ...]
    marks: tuple[CitationMark, ...]
    findings: tuple[str, ...] = ()


def read_full_texts(folder: Path, most: int = 100) -> FullTexts:
    """Read all reference articles, and the `most` citing articles with the most references.

    References are counted that have a mark; of citing articles with as many, the first by id count.
    A citing article is stored once, under one of the articles that it cites.

    Ambiguity: what is an abstract where no heading ends it? Its first paragraph; the rest is body.
    """
    root = _articles(folder) / "FullText"
    files = sorted(listing(root, "*/*.ann"), key=natural)  # those without a mark are not there
    counts = Counter(path.stem for path in files)
    chosen = sorted(counts, key=lambda name: (-counts[name], natural(name)))[:most]
    texts = {path.stem: path for path in listing(root, "*/*.txt")}
    citing = {name: _article(texts[name]) for name in sorted(chosen, key=natural)}
    marks: list[CitationMark] = []
    findings: list[str] = []
    for path in files:
        if path.stem in citing:
            marks += _marks(path, citing[path.stem].text, findings)
    # Those at one place stay in order of what they cite.
    marks.sort(key=lambda mark: (natural(mark.citing_id), mark.span))
    return FullTexts(read_references(folder), (*citing.values(),), (*marks,), (*findings,))


def read_references(folder: Path) -> tuple[Document, ...]:
    """Read the reference articles alone."""
    paths = listing(_articles(folder) / "Reference", "*/*.txt")
    return tuple(_article(path) for path in sorted(paths, key=natural))


def _articles(folder: Path) -> Path:
    remedy = REMEDY.format(FULL_TEXTS)
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
        is_abstract = block.kind == "abstract"
        is_second = is_abstract and block.section in begun
        blocks.append(replace(block, kind="body", heading="") if is_second else block)
        if is_abstract:
            begun.add(block.section)
    return tuple(blocks)


def _marks(path: Path, text: str, findings: list[str]) -> Iterator[CitationMark]:
    """Read where the article of a file's name cites that of its folder's name."""
    for line, label, [span], quote in read_marks(path):
        place = span
        if span.of(text) != quote:
            pattern = re.compile(rf"(?<![\w.]){re.escape(quote)}(?!\w)")
            end = span.start + _SHIFT + len(quote)
            places = [Span(*match.span()) for match in pattern.finditer(text, span.start, end)]
            if len(places) != 1:
                expected = f"expected {shown(quote)} once in the {_SHIFT} characters after offset"
                name = f"{path.parent.name}/{path.name}:{line}"
                findings.append(f"{name}: left out: {expected} {span.start}")
                continue
            [place] = places
        yield CitationMark(path.stem, path.parent.name, place, quote, label == "Citation")
