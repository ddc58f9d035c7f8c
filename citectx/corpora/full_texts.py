"""Read the full texts of Citation-Integrity: articles, and where they cite each other.

They are 2,995 reference articles in plain text, one paragraph per line, the title first and without
a reference list, and 3,197 articles with marks of where they cite them.

What we saw in the data: 22,945 marks to 2,236 references. A mark is one number of a group (``11``
of ``[11,12]``), a name and year, a bare year, or the dash of a range that hides the number. 173
marks are not at their offsets: 147 are alone in the 200 characters that follow, 26 cannot be
placed. The 100 articles that cite most references have 2,420 marks to 486 of them; all can be
placed. In many articles no heading separates the abstract from the body. Figure captions after the
supplementary material (a tenth of all characters) count as back matter.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.citation_integrity_files import FULL_TEXTS, ROOT, read_marks
from citectx.corpora.layout import article_blocks
from citectx.corpora.model import Document
from citectx.corpora.text_files import in_quotes, listing, natural, need_part, read_text
from citectx.types import Span

ARTICLES = ROOT / "BratFiles" / "AccuracyFilesNikkiEugeneJodi"
"""Where both kinds of articles are in the upstream repository."""

_SHIFT = 200  # characters that upstream's text may have gained before a mark


class CitationMark(NamedTuple):
    """A place where one article cites another, in the citing article's text."""

    citing_id: str
    target_id: str
    span: Span


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
    root = need_part(folder, ARTICLES, FULL_TEXTS)
    texts = {path.stem: path for path in listing(root / "FullText", "*/*.txt")}
    # Articles without a mark are not there.
    files = listing(root / "FullText", "*/*.ann")
    counts = Counter(sorted((path.stem for path in files), key=natural))
    chosen = sorted(dict(counts.most_common(most)), key=natural)
    citing = {name: _article(texts[name]) for name in chosen}
    marks: list[CitationMark] = []
    findings: list[str] = []
    for path in files:
        if path.stem in citing:
            marks += _marks(path, citing[path.stem].text, findings)
    # Those at one place stay in order of what they cite.
    marks.sort(key=lambda mark: (natural(mark.citing_id), mark.span))
    references = tuple(map(_article, listing(root / "Reference", "*/*.txt")))
    return FullTexts(references, tuple(citing.values()), tuple(marks), tuple(findings))


def _article(path: Path) -> Document:
    text = read_text(path)
    return Document(path.stem, text, article_blocks(text))


def _marks(path: Path, text: str, findings: list[str]) -> Iterator[CitationMark]:
    """Read where the article of a file's name cites that of its folder's name."""
    for line, _, spans, quote in read_marks(path):
        places = spans
        start = spans[0].start
        if spans[0].of(text) != quote:
            pattern = re.compile(rf"(?<![\w.]){re.escape(quote)}(?!\w)")
            matches = pattern.finditer(text, start, start + _SHIFT + len(quote))
            places = [Span(*match.span()) for match in matches]
        if len(places) == 1:
            yield CitationMark(path.stem, path.parent.name, places[0])
        else:
            place = f"{path.parent.name}/{path.name}:{line}"
            findings.append(f"{place}: left out: {in_quotes(quote)} is not near {start}")
