"""Read anybody's article in JATS (PubMed Central, most publishers) or TEI (what GROBID makes).

The text is written block by block; what cannot stand inside a sentence (a figure, a list, a
footnote) follows its paragraph. A link is a citation if it points to an entry of the reference
list.

What we saw in 122 articles of PLOS and three of PMC: some links are empty (``<xref rid="b4"/>``),
and ranges link their ends only. Figures and tables are between paragraphs, inside them, or in
``floats-group``. In TEI that GROBID made of two papers, links have no target where it could not
tell, numbers of footnotes come as citations, and sections are not nested (``<head n="2.1">``).

>>> xml = '''<article><body><sec><title>Results</title>
...   <p>Cells rest<xref rid="b1"><sup>1</sup></xref> on 10<sup>5</sup> beds.</p></sec></body>
...   <back><ref-list><ref id="b1"><mixed-citation><article-title>On rest</article-title>.
...   </mixed-citation></ref></ref-list></back></article>'''
>>> article = read_xml("Roe", xml.encode())
>>> [(b.kind, article.document.text[b.start:b.end]) for b in article.document.blocks]
[('heading', 'Results'), ('body', 'Cells rest [1] on 10^5 beds.')]
>>> article.entries[0].work.titles, article.links
(('On rest',), ((Span(start=21, end=22), ('b1',)),))
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from lxml.etree import XPath
from lxml.etree import _Element as Element

from citectx.beyond.reading.bibliography import english, entries_in, work_of
from citectx.beyond.reading.files import JATS_OF_PMC, check_format, content_of, name_of
from citectx.beyond.reading.references import Entry, Work
from citectx.beyond.reading.trees import (
    BLOCKS,
    LABEL,
    LINKS,
    NOTES,
    SILENT,
    has_text,
    holds,
    kind_of,
    parse,
    plain,
    targets,
    title_of,
)
from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.structure import section_kind
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError
from citectx.language.text import ABBREVIATIONS
from citectx.types import Span

JATS = {
    "processing-meta",
    "front",
    "front-stub",
    "body",
    "back",
    "floats-group",
    "sub-article",
    "response",
}
"""The parts of ``<article>`` in JATS; Elsevier, Nature, IOP and DocBook have other articles."""
STRANGE = {
    "tei": "its <tei> lost its capitals in HTML: take the file as GROBID wrote it",
    "passage": f"it is BioC, which has no reference list; {JATS_OF_PMC}",
    "html": f"it is a web page; {JATS_OF_PMC}",
}
"""An element that gives other XML away, and what that is."""
ROOTS = "descendant-or-self::*[self::article or self::TEI][not(ancestor::article)]"
ABSTRACTS = XPath(
    "front/article-meta//abstract | front-stub//abstract"
    " | front/article-meta[not(.//abstract)]//trans-abstract"
    " | teiHeader/profileDesc/abstract | text/front/abstract | text/front/argument"
    " | text/front/div[contains(@type, 'bstract')]"
    " | text/front/div[not(@type) and (not(head) or contains(head, 'bstract'))]"
)
"""The abstracts of an article; in front of TEI there are dedications and prefaces, too."""
ASIDE = (
    "toc",
    "teaser",
    "graphical",
    "key-image",
    "video",
    "ascii",
    "web-summary",
    "translated",
    "translation",
)
"""Kinds of abstract that are something else; they are read if the article has no other."""
TABLES = {"table", "array"}
FLOATS = TABLES | {"fig", "table-wrap", "supplementary-material", "media", "figure", "graphic"}
"""Elements with a caption, perhaps rows, and whatever belongs to them."""
CAPTIONS = {"caption", "head", "figDesc"}
LATER = {
    *FLOATS,
    *NOTES,
    "fig-group",
    "table-wrap-group",
    "boxed-text",
    "list",
    "def-list",
    "disp-quote",
    "verse-group",
    "statement",
}
"""Elements that may stand inside a paragraph in the file, but follow it in the text."""
KINDS: dict[str, BlockKind] = {
    "abstract": "abstract",
    "body": "body",
    "caption": "caption",
    "disp-formula": "table",
    "formula": "table",
    "fn": "back",
    "note": "back",
    "table-wrap-foot": "back",
}
"""The blocks that paragraphs in an element become; formulas beside paragraphs are no sentences."""
NOTE_LINKS = ("fn", "table-fn", "author-notes", "corresp", "foot")
"""Types of links to footnotes, whose marks are no part of the word before."""

CALLS = 10_000
"""The limit of calls: libxml2 reads 2,048 elements inside each other, up to four calls each."""
LONGEST = 1000
"""Longer words, in letters, are images (base64) and sequences."""
_ENDLESS = re.compile(rf"[!-~]{{{LONGEST},}}")
_NUMBERS = re.compile(r"\s*\d{1,3}[a-z]?(?:\s*[-–—−‐,;]\s*\d{1,3}[a-z]?)*\s*")
# raised to a power: a number, a bracket, a unit or variable; cm, but not "cells"
_BASE = re.compile(r"(?:\d|[)\]]|(?<![^\W\d_])[^\W\d_]{1,2})$")


Link = tuple[Span, tuple[str, ...]]
"""A place in the text that cites, and the ids that it points to, none if unknown."""


class Article(NamedTuple):
    """An article from a file, the work that it is, its reference list, and its links in order.

    `starts` are the places where sentences begin, in blocks whose sentences the file marks;
    `sources` are those of quotations, which belong to the sentence before. `notes` tell what is
    unusual about the file.
    """

    document: Document
    work: Work
    entries: tuple[Entry, ...] = ()
    links: tuple[Link, ...] = ()
    starts: tuple[int, ...] = ()
    sources: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()


def read_article(path: Path | str) -> Article:
    """Read a file; its name, or that of getpapers' folder, is the document's id (`name_of`)."""
    path = Path(path)
    return read_xml(name_of(path), content_of(path), path)


def read_xml(name: str, content: bytes, file: Path | None = None) -> Article:
    """Build an article from XML, which may be wrapped as PubMed Central sends it.

    A DataError says why something is not an article in JATS or TEI.
    """
    return write_article(root_of(content, file), name, file)


def write_article(root: Element, name: str, file: Path | None = None) -> Article:
    """Build an article from its element; see `read_xml`."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(CALLS)
    try:
        article = _Writer(root).article(name)
    finally:
        sys.setrecursionlimit(usual)
    if {block.kind for block in article.document.blocks} <= {"title", "heading"}:
        message = "holds no text, or a title, but no text below it: take the article's full text"
        raise DataError(message, file=file)
    return article


def root_of(content: bytes, file: Path | None = None) -> Element:
    """Parse XML, and return the one article in it."""
    check_format(content, file)
    tree = parse(content, file)
    roots = tree.xpath(ROOTS)
    if len(roots) != 1:
        message = f"expected one <article> (JATS) or <TEI>, found {len(roots)} in <{tree.tag}>"
        reasons = [reason for tag, reason in STRANGE.items() if [*tree.iter(tag)]]
        raise DataError("; ".join([message, *reasons[:1]]), file=file)
    [root] = roots
    strange = sorted({part.tag for part in root} - JATS)
    if root.tag == "article" and strange:
        message = f"this <article> is not JATS, which has no <{strange[0]}> in it"
        raise DataError(f"{message}; JATS (<article>) and TEI (<TEI>) are read", file=file)
    return root


class _Writer:
    """Writes elements as blocks of text; `line` is the block that is being written."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.entries = tuple(entries_in(root))
        self.keys = {key for entry in self.entries for key in entry.keys}
        self.notes = {*root.xpath("//fn/@id | //note/@id | //note/@xml:id")}
        self.written: list[str] = []
        self.length = 0  # of what is written
        self.line = self.heading = ""
        self.section = 0
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.starts: list[int] = []
        self.sources: list[Span] = []
        self.remarks: set[str] = set()
        self.later: list[Element] = []

    def article(self, name: str) -> Article:
        """Write an article: its title, its abstracts, and its other parts, the body first."""
        work = work_of(self.root)
        version = english(self.root)
        self.add(work.title)
        self.close("title")
        abstracts = ABSTRACTS(version)
        proper = [part for part in abstracts if part.get("abstract-type", "").lower() not in ASIDE]
        for abstract in proper or abstracts:
            self.enter("Abstract")
            self.part(abstract, "abstract")
        self.enter("")
        for part in version.xpath("body | back | floats-group | text/body | text/back"):
            self.part(part, "back")
        # without the blank line behind the last block
        text = "".join(self.written)[:-2]
        document = Document(name, text, tuple(self.blocks))
        notes = [] if version is self.root else ["the English translation in the file is read"]
        escaped = self.root.xpath("//p[contains(., '</')]") if "</" in text else []
        notes += sorted(self.remarks)
        notes += [f"line {p.sourceline}: escaped markup is read as text" for p in escaped[:1]]
        places = tuple(self.links), tuple(self.starts), tuple(self.sources)
        return Article(document, work, self.entries, *places, tuple(notes))

    def add(self, text: str | None) -> None:
        """Append running text; white space is squeezed."""
        words = re.sub(r"\s+", " ", normalize("NFC", text or ""))
        if len(words) > LONGEST and _ENDLESS.search(words):
            words = _ENDLESS.sub("…", words)
            self.remarks.add(f"what has more than {LONGEST} letters and no space is left out")
        # no two spaces where an element ends
        follows_space = not self.line or self.line[-1].isspace()
        self.line += words.lstrip() if follows_space else words

    @property
    def here(self) -> int:
        """The offset of what is written next."""
        return self.length + len(self.line)

    def close(self, kind: BlockKind) -> None:
        """End the block, an empty one without a trace, and write what had to wait for that."""
        line = self.line.rstrip()
        self.line = ""
        if line:
            end = self.length + len(line)
            self.blocks.append(Block(self.length, end, kind, self.section, self.heading))
            self.written.append(f"{line}\n\n")
            self.length = end + 2
        # a part may hold parts that have to wait, too
        later, self.later = self.later, []
        for part in later:
            self.part(part, kind)

    def enter(self, heading: str) -> None:
        """Begin a section."""
        self.section += 1
        self.heading = heading

    def walk(self, element: Element, kind: BlockKind) -> None:
        """Write the blocks that an element holds."""
        for part in element:
            if part.tag in ("title", "head"):
                kind = self.headed(part, kind)
            elif part.tag not in SILENT:
                self.part(part, kind)

    def part(self, part: Element, kind: BlockKind) -> None:
        """Write a float, a paragraph, or an element that holds some."""
        kind = KINDS.get(part.tag, kind)
        is_float = part.tag in FLOATS
        if part.tag == "p" or has_text(part) or not (is_float or holds(part, BLOCKS)):
            self.inline(part)
            self.close(kind)
        elif is_float:
            self.float(part)
        else:
            self.walk(part, kind)

    def headed(self, title: Element, kind: BlockKind) -> BlockKind:
        """Begin a section by its title; return what its paragraphs are."""
        heading = squeeze(f"{title.get('n', '')} {title_of(title)}")
        if heading:
            self.enter(heading)
            self.add(heading)
            self.close("heading")
        # "Acknowledgements" in the body
        is_back = kind == "body" and section_kind(heading) in ("back", "references")
        return "back" if is_back else kind

    def float(self, element: Element) -> None:
        """Write a figure or table: its caption, its rows, and all else that it holds."""
        if element.tag != "figure":  # TEI's head repeats the label
            self.add(LABEL(element))
        for part in element.iterchildren(*CAPTIONS):
            self.add(" ")
            self.inline(part)
        self.close("caption")
        if element.tag in TABLES:
            self.rows(element)
            return
        for part in element:
            if part.tag not in SILENT | CAPTIONS:
                self.part(part, "caption")

    def rows(self, table: Element) -> None:
        """Write each row as a line, with a tab behind each cell."""
        for row in table.iter("tr", "row"):
            for cell in row:
                self.inline(cell)
                self.line += "\t"
            self.line += "\n"
        self.close("table")

    def inline(self, element: Element) -> None:
        """Append what an element holds to the open block."""
        self.add(element.text)
        for part in element:
            self.inner(part)
            self.add(part.tail)

    def inner(self, part: Element) -> None:
        """Append an element inside a paragraph."""
        tag = part.tag
        if tag in SILENT:
            return
        if tag in LATER:
            self.later.append(part)
        elif tag in LINKS:
            self.link(part)
        elif is_raised(part):
            self.superscript(part)
        elif tag == "math":
            self.add(formula(part))
        elif tag == "attrib":
            start = self.here
            self.inline(part)
            self.sources.append(Span(start, self.here))
        else:
            if tag == "s":
                self.starts.append(self.here)
            self.inline(part)

    def link(self, part: Element) -> None:
        """Append a link: as a citation if it is one, without its mark if it leads to a footnote."""
        if self.cites(part):
            self.citation(part)
        elif not self.is_note_mark(part):
            self.inline(part)

    def cites(self, link: Element) -> bool:
        """Tell whether a link points to an entry, or says so and points to no footnote."""
        keys = targets(link)
        says_so = kind_of(link) == "bibr" and self.notes.isdisjoint(keys)
        return says_so or not self.keys.isdisjoint(keys)

    def is_note_mark(self, link: Element) -> bool:
        """Tell whether a link is the mark of a footnote, unlike "see note 3"."""
        is_note = kind_of(link) in NOTE_LINKS or not self.notes.isdisjoint(targets(link))
        is_apart = self.line.endswith(" ") and not all_raised(link)
        printed = plain(link)
        is_mark = re.fullmatch(r"[\W\d_]{1,5}|[a-z]", printed) or printed in targets(link)
        return is_note and not is_apart and bool(is_mark)

    def citation(self, part: Element) -> None:
        """Append a citation and note its place."""
        is_glued = _NUMBERS.fullmatch(plain(part)) and self.is_glued()
        closing = self.lift(part) if is_glued or all_raised(part) else ""
        start = self.here
        self.inline(part)
        self.links.append((Span(start, self.here), targets(part)))
        self.add(closing)

    def is_glued(self) -> bool:
        """Tell whether the block ends with a word, no citation, which a number would join."""
        if self.links and self.links[-1][0].end >= self.here - 1:
            return False
        return re.search(r"[^\W_][)\]\"'”’%]*[.,;:]?$", self.line) is not None

    def superscript(self, part: Element) -> None:
        """Append a superscript: citations, a power, or what only prints so."""
        printed = plain(part)
        closing = ""
        # a link inside, or a number behind a long word: "rest²", not "cm²"
        cites = any(map(self.cites, part.iter(*LINKS)))
        if cites or (_NUMBERS.fullmatch(printed) and re.search(r"[^\W\d_]{4}$", self.line)):
            closing = self.lift(part)
        elif re.fullmatch(r"[-+−–]?\d+(?:[.,/]\d+)?|[-−–].+", printed) and _BASE.search(self.line):
            self.add("^")
        self.inline(part)
        self.add(closing)

    def lift(self, part: Element) -> str:
        """Begin raised citations, "rest [12]." for "rest.¹²"; return what ends them."""
        # a bracket is open already: "[1, ²"
        if re.search(r"[\[(][^\])]*$", self.line):
            return ""
        stops = re.search(r"(?<!\])[.,;:]+\s*$", self.line)
        # the stop of "et al.³" is its own
        behind = stops[0] if stops and not is_abbreviated(self.line) else ""
        self.line = self.line.removesuffix(behind)
        is_bracketed = plain(part)[:1] in ("[", "(")
        self.add(" " if is_bracketed else " [")
        return behind if is_bracketed else f"]{behind}"


def is_abbreviated(line: str) -> bool:
    """Tell whether a line ends with a word whose stop does not end the sentence.

    >>> is_abbreviated("by Doe et al."), is_abbreviated("cells rest.")
    (True, False)
    """
    match = re.search(r"([^\W\d_][\w.]*)\.\s*$", line)
    return match is not None and match[1].lower() in ABBREVIATIONS - {"etc"}


def is_raised(element: Element) -> bool:
    """Tell whether an element is printed as a superscript."""
    return "sup" in (element.tag, element.get("rend", "")[:3])


def all_raised(element: Element) -> bool:
    """Tell whether an element holds superscripts and nothing else."""
    return len(element) > 0 and not has_text(element) and all(map(is_raised, element))


def formula(element: Element) -> str:
    """Write MathML in a line; powers and fractions keep their meaning."""
    tag = element.tag
    text = squeeze(element.text or "")
    parts = [formula(part) for part in element if part.tag not in SILENT]
    if tag == "mfrac":
        return "/".join(part if part.isalnum() else f"({part})" for part in parts)
    if tag in ("msup", "msubsup", "munderover"):
        # "10^5": the exponent is the last part
        parts.insert(-1, "^")
    space = " " if tag in ("mspace", "mtd") or (tag == "mtext" and len(text) > 1) else ""
    return "".join([space, text, *parts, space])
