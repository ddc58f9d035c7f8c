"""Read the Citation-Integrity full texts: articles that may be cited, and articles that cite them.

2,995 reference articles are plain text, one paragraph a line, the title first and without a reference list.
The 100 citing articles that cite most of them come with BRAT standoff: ``PMCref/PMCciting.ann`` says where
PMCciting cites PMCref. All files are UTF-8.

What we saw: 2,420 marks to 486 references. A mark is one number of a group (``11`` of ``[11,12]``), a name
and year, a bare year, or the dash of a range that hides the number. In 13 marks of seven articles the text is
not at its offset, because upstream's text gained up to 200 characters before it; each stands alone in the 200
characters that follow and is found there. In 5 cases the citing article is itself a reference article.
In many articles no heading separates the abstract from the body. Figure captions after the
supplementary material (a tenth of all characters) count as back matter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.files import Mark, Release, brat_marks, natural, need_folder, shown
from citectx.corpora.model import Block, Document, Finding
from citectx.corpora.structure import plain_blocks
from citectx.errors import MissingDataError
from citectx.types import Span

NAME = "citation-integrity-fulltext"
FOLDER = Path("ShruthanCode", "BratFiles", "AccuracyFilesNikkiEugeneJodi")
"""Where both kinds of articles are in the upstream repository."""

_REMEDY = "Run `citectx fetch citation-integrity-fulltext`, or name the folder that holds ShruthanCode."
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


def read(folder: Path) -> FullTexts:
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
    release = _release(folder)
    references = tuple(_references(release))
    where = need_folder(release.root / "FullText", "a folder for each cited article", _REMEDY)
    files = sorted(where.glob("*/*.ann"), key=lambda p: (natural(p.stem), natural(p.parent.name)))
    if not files:
        raise MissingDataError(f"{where} holds no PMCref/PMCciting.ann. {_REMEDY}")
    citing: dict[str, Document] = {}
    marks: dict[str, list[CitationMark]] = {}
    for path in files:
        if document := citing.get(path.stem) or _document(path.with_suffix(".txt"), release):
            citing[path.stem] = document
            marks.setdefault(path.stem, []).extend(_marks(path, document.text, release))
    in_order = (sorted(own, key=lambda m: (m.span, natural(m.target_id))) for own in marks.values())
    return FullTexts(references, tuple(citing.values()), tuple(chain(*in_order)), release.findings())


def read_references(folder: Path) -> tuple[Document, ...]:
    """Read the reference articles alone."""
    return tuple(_references(_release(folder)))


def _release(folder: Path) -> Release:
    return Release(NAME, need_folder(Path(folder) / FOLDER, "the folders Reference and FullText", _REMEDY))


def _references(release: Release) -> Iterator[Document]:
    folder = need_folder(release.root / "Reference", "a folder for each reference article", _REMEDY)
    for path in sorted(folder.iterdir(), key=lambda p: natural(p.name)):
        if document := _document(path / f"{path.name}.txt", release):
            yield document


def _document(path: Path, release: Release) -> Document | None:
    text = release.text(path) if path.is_file() else ""
    if not text.strip():
        release(path)("skipped", "expected an article here; there is no text")
        return None
    return Document(path.stem, text, article_blocks(text))


def article_blocks(text: str) -> tuple[Block, ...]:
    r"""Find the blocks of an article as these texts print it.

    As `citectx.corpora.structure.plain_blocks`, but an abstract has one paragraph under each heading.

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


def _marks(path: Path, text: str, release: Release) -> Iterator[CitationMark]:
    for mark in brat_marks(release.lines(path)):
        if mark.label not in ("Citation", "MultiCitation") or not mark.quote:
            mark.report("skipped", f"expected a Citation or MultiCitation with its text, found {shown(mark.label)}")
        elif span := _find(mark, text):
            yield CitationMark(path.stem, path.parent.name, span, mark.quote, mark.label == "Citation")


def _find(mark: Mark, text: str) -> Span | None:
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
