"""An article as somebody's file gives it: its text, its reference list, and where it cites what.

`citectx.corpora.articles` makes an `Article` of XML; `find` tells which entries of its
reference list are a given work, `mentions` where the text cites them.

>>> entry = Reference("b1", "1", Work("Why cells rest in the dark", "2001", ("Doe",)))
>>> document = Document("Roe", "We rest. Cells do, too [1].")
>>> article = Article(document, Work(), (entry,), (Link(Span(23, 26), ("b1",)),))
>>> keys, how = find(Work("Why Cells Rest in the Dark.", "2002"), article.references)
>>> how, [(place.how, place.span) for place in mentions(article, keys)]
('title', [('link', Span(start=23, end=26))])
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from citectx.corpora.model import Document, Finding
from citectx.corpora.text_files import bare
from citectx.types import Span

How = Literal["doi", "pmid", "title"]
"""By what an entry of a reference list was recognised."""
Place = Literal["link", "range", "marker"]
"""How a place was found: by the file's link, implied by a range such as ``[3-5]``, by its text."""

ALIKE = 0.9
"""Least similarity of two spellings of a title: `difflib`'s ratio over letters and digits."""
SHORT = 20
"""Letters of a title; shorter ones ("Introduction") need an author in common, too."""
LONG = 1_000
"""Letters of a title; longer ones are not compared for misprints, which takes their square."""
REACHED = 0.3
"""Share of the reference list that unlinked markers of one style must reach to be believed."""
LONGEST_RANGE = 60
"""Entries that a range may imply; a wider one is a misprint or no range of references."""


@dataclass(frozen=True)
class Work:
    """Bibliographic data of a publication, "" where unknown.

    Parameters
    ----------
    title, year : str
    authors : tuple of str
        Family names.
    doi, pmid, pmcid : str
        In lower case and without resolver; digits alone for the last two.
    """

    title: str = ""
    year: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""


@dataclass(frozen=True)
class Reference:
    """An entry of a reference list.

    Parameters
    ----------
    key : str
        The file's id of it; entries that hold several publications repeat theirs.
    label : str
        As printed, "3", or its place in the list.
    work : Work
    text : str
        The whole entry.
    guessed : bool
        Whether `work` was read from `text` (`citectx.corpora.bibliography`).
    """

    key: str
    label: str
    work: Work
    text: str = ""
    guessed: bool = False


class Link(NamedTuple):
    """A place in the text that points to entries of the reference list, none if unknown."""

    span: Span
    keys: tuple[str, ...]


class Mention(NamedTuple):
    """A place in the text that cites one entry."""

    span: Span
    key: str
    how: Place


@dataclass(frozen=True)
class Article:
    """An article from a file.

    Parameters
    ----------
    document : Document
    work : Work
        What the file says of the article.
    references : tuple of Reference
        Empty where the format has none.
    links : tuple of Link
        In the order of the text.
    findings : tuple of Finding
        What was repaired or left out.
    """

    document: Document
    work: Work
    references: tuple[Reference, ...] = ()
    links: tuple[Link, ...] = ()
    findings: tuple[Finding, ...] = ()

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of each entry in the reference list."""
        keys = dict.fromkeys(reference.key for reference in self.references)
        return {key: place for place, key in enumerate(keys)}

    @cached_property
    def linked(self) -> "tuple[Mention, ...]":
        """Places by the links of the file, their ranges and their texts."""
        return (*_linked(self), *_between(self))

    @cached_property
    def marked(self) -> "tuple[Mention, ...]":
        """Places by the text alone, in the paper's style."""
        return tuple(_by_text(self))

    @cached_property
    def numbered(self) -> bool:
        """Whether most links are numbers.

        In a paper that cites by names, a linked number is a footnote's.
        """
        known = [link for link in self.links if not self.places.keys().isdisjoint(link.keys)]
        texts = [link.span.of(self.document.text) for link in known or self.links]
        return 2 * len(list(filter(_numbers, texts))) >= len(texts)


_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+", re.IGNORECASE)
_PMID = re.compile(r"\bPMID:?\s*(\d{1,9})\b", re.IGNORECASE)


def doi_in(text: str) -> str:
    """Return the first DOI of a text, "" if there is none.

    >>> doi_in("see https://doi.org/10.1371/journal.PMED.1000097.")
    '10.1371/journal.pmed.1000097'
    """
    found = _DOI.search(text)
    return found.group().rstrip(".,;:)]}").lower() if found else ""


def pmid_in(text: str) -> str:
    """Return the first PubMed id that a text names as such.

    >>> pmid_in("PLoS Med 6. PMID: 19621072")
    '19621072'
    """
    found = _PMID.search(text)
    return found[1] if found else ""


def find(work: Work, references: Sequence[Reference]) -> tuple[tuple[str, ...], How | Literal[""]]:
    """Find a work in a reference list: by DOI, else by PubMed id, else by title and year.

    Titles are compared by letters and digits; if none is the same, one that differs by a misprint
    is taken. Years may differ by one, as those of a preprint and of print do, and either may be
    unknown. Where both DOIs are known and differ, titles have to be the same to the letter and the
    works need an author in common: a preprint is its article, Part II is not Part I. Where a file
    does not tell an entry's parts, its whole text is searched for the title and the year, too.

    Returns
    -------
    keys : tuple of str
        Of the entries that are the work, empty if there are none.
    how : {"doi", "pmid", "title", ""}
        By what they were recognised.
    """
    near: list[Reference] = []
    if _letters(work.title):
        near = [each for each in references if _dated(each, work.year)]
    tests: tuple[tuple[How, Sequence[Reference], Callable[[Work, Reference], bool]], ...] = (
        ("doi", references, _same_doi),
        ("pmid", references, _same_id),
        ("title", near, _same_title),
        ("title", near, _alike),
        ("title", near, _holds_title),
    )
    for how, among, same in tests:
        keys = dict.fromkeys(each.key for each in among if same(work, each))
        if keys:
            return tuple(keys), how
    return (), ""


def _same_doi(one: Work, reference: Reference) -> bool:
    return bool(one.doi) and one.doi == reference.work.doi


def _same_id(one: Work, reference: Reference) -> bool:
    other = reference.work
    if one.pmid and one.pmid == other.pmid:
        return True
    return bool(one.pmcid) and one.pmcid == other.pmcid


def _same_title(work: Work, reference: Reference) -> bool:
    other, title = reference.work, _letters(work.title)
    theirs = _letters(other.title)
    if not theirs:  # nothing but the entry's text: which must hold the title
        return len(title) > SHORT and title in _letters(reference.text)
    if title != theirs:
        return False
    if len(title) > SHORT and not (work.doi and other.doi):
        return True
    return not set(map(bare, work.authors)).isdisjoint(map(bare, other.authors))


def _alike(work: Work, reference: Reference) -> bool:
    """Whether two long titles differ by a misprint only: numbers in them must not."""
    title, theirs = _letters(work.title), _letters(reference.work.title)
    shorter = min(len(title), len(theirs))
    if not SHORT < shorter <= LONG or (work.doi and reference.work.doi):
        return False
    if 2 * shorter < ALIKE * (len(title) + len(theirs)):
        return False
    if re.findall(r"\d+", title) != re.findall(r"\d+", theirs):
        return False
    matcher = SequenceMatcher(None, title, theirs, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _holds_title(work: Work, reference: Reference) -> bool:
    """Whether the text of an entry whose parts are guessed holds a title, not a longer one."""
    title = _letters(work.title)
    if not reference.guessed or len(title) <= SHORT or title not in _letters(reference.text):
        return False
    letters = r"[\W_]*".join(map(re.escape, title))
    whole = rf"(?:^|[^\w\s]\s*){letters}\s*(?:[^\w\s]|$)"
    return re.search(whole, reference.text.casefold()) is not None


_letters = lru_cache(1 << 15)(bare)


def _dated(reference: Reference, year: str) -> bool:
    guessed = reference.guessed and bool(year) and year in reference.text
    return guessed or _near(year, reference.work.year)


def _near(one: str, other: str) -> bool:
    found = [re.search(r"\d{4}", text) for text in (one, other)]
    years = [int(year[0]) for year in found if year]
    return len(years) < 2 or abs(years[0] - years[1]) <= 1


def mentions(article: Article, keys: Iterable[str]) -> list[Mention]:
    """Find the places of the text that cite the entries `keys`.

    Places that the file links come first; a range of links, or of numbers in one link, implies the
    entries between its ends. Links that point nowhere are read by their text, and so is the whole
    text for entries to which no link points, in the paper's style: ``[3]``, ``(3)`` or ``Doe
    2001``.

    Returns
    -------
    list of Mention
        In the order of the text; a place that cites an entry in two ways is there once.
    """
    wanted = frozenset(keys)
    found = [mention for mention in article.linked if mention.key in wanted]
    unseen = wanted - {mention.key for mention in found}
    if unseen:
        found += [mention for mention in article.marked if mention.key in unseen]
    first: dict[tuple[int, str], Mention] = {}
    for mention in sorted(found, key=lambda mention: (mention.span, mention.how)):
        first.setdefault((mention.span.start, mention.key), mention)
    return list(first.values())


def _linked(article: Article) -> Iterator[Mention]:
    """Iterate over the links: what they point to, and what their texts imply."""
    labels = _labels(article.references)
    for link in article.links:
        known = [key for key in link.keys if key in article.places]
        how: Place = "range" if known else "marker"
        for key in known:
            yield Mention(link.span, key, "link")
        marker = link.span.of(article.document.text)
        for key in _implied(marker, article, labels, known=bool(known)):
            if key not in known:
                yield Mention(link.span, key, how)


def _implied(
    marker: str, article: Article, labels: Mapping[str, str], *, known: bool
) -> Collection[str]:
    """Return the entries that the text of a link names; with a known target only ranges count."""
    if article.numbered:
        single = len(_numbers(marker)) < 2
        return () if known and single else _by_number(marker, labels)
    return () if known else _named(marker, article.references)


def _between(article: Article) -> Iterator[Mention]:
    """Iterate over the entries that a dash between two links implies."""
    names = list(article.places)
    for one, other in pairwise(article.links):
        if not _DASH.fullmatch(article.document.text[one.span.end : other.span.start]):
            continue
        keys = (*one.keys[-1:], *other.keys[:1])
        ends = [article.places[key] for key in keys if key in article.places]
        if len(ends) == 2 and ends[1] - ends[0] <= LONGEST_RANGE:
            for key in names[ends[0] + 1 : ends[1]]:
                yield Mention(one.span, key, "range")


_DASH = re.compile(r"[\])]?\s*(?:[-‐-―−]|to)\s*[\[(]?")
_GROUP = r"\d{1,4}(?:\s*[-‐-―−,;]\s*\d{1,4})*"
_MARKED = re.compile(rf"\s*(?:[\[(]\s*)?({_GROUP})\s*(?:[\])]\s*)?")
_STYLES = (re.compile(rf"\[\s*({_GROUP})\s*\]"), re.compile(rf"\(\s*({_GROUP})\s*\)"))


def _numbers(marker: str) -> list[int]:
    """Read the numbers of a marker such as ``[3-5, 7]``; none if it is something else.

    >>> _numbers("[3–5, 7]"), _numbers("Doe 2001")
    ([3, 4, 5, 7], [])
    """
    found = _MARKED.fullmatch(marker)
    numbers: list[int] = []
    for part in re.split("[,;]", found[1]) if found else ():
        ends = [int(number) for number in re.findall(r"\d+", part)]
        wide = ends[-1] - ends[0]
        numbers += range(ends[0], ends[-1] + 1) if 0 <= wide <= LONGEST_RANGE else ends
    return numbers


def _labels(references: Sequence[Reference]) -> dict[str, str]:
    """Map printed numbers to keys; the first of several entries counts."""
    return {each.label: each.key for each in reversed(references) if each.label.isdecimal()}


def _by_number(marker: str, labels: Mapping[str, str]) -> list[str]:
    """Return the entries that the numbers of a marker name."""
    printed = map(str, _numbers(marker))
    return [labels[number] for number in printed if number in labels]


def _by_text(article: Article) -> list[Mention]:
    """Read all markers in one style: that of most links, or the one that reaches most entries."""
    text, labels = _before_list(article.document), _labels(article.references)
    styles = [list(_in_brackets(text, style, labels)) for style in _STYLES]
    styles.append(list(_author_year(text, article.references)))
    score, least = (_hits, 1) if article.links else (_reach, REACHED)
    best = max(styles, key=lambda style: score(style, article))
    return best if score(best, article) >= least else []


def _before_list(document: Document) -> str:
    """Return the text, as long as it is, without a reference list that is part of it."""
    parts, at = [], 0
    for start, end in ((b.start, b.end) for b in document.blocks if b.kind == "references"):
        parts += [document.text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, document.text[at:]])


def _hits(style: Sequence[Mention], article: Article) -> float:
    """Count the characters of links that the markers of a style cover."""
    linked = _covered(link.span for link in article.links)
    return len(linked & _covered(mention.span for mention in style))


def _reach(style: Sequence[Mention], article: Article) -> float:
    """Return the share of the reference list that the markers of a style reach."""
    return len({mention.key for mention in style}) / max(len(article.places), 1)


def _covered(spans: Iterable[Span]) -> set[int]:
    return {i for span in spans for i in range(*span)}


def _in_brackets(text: str, style: re.Pattern[str], labels: Mapping[str, str]) -> Iterator[Mention]:
    for found in style.finditer(text):
        for key in _by_number(found[1], labels):
            yield Mention(Span(*found.span()), key, "marker")


def _author_year(text: str, references: Sequence[Reference]) -> Iterator[Mention]:
    """Find ``Doe et al. (2001)`` or ``(Doe and Roe, 2001a)`` for entries with author and year."""
    works = [each.work for each in references if _citable(each)]
    for name, year in dict.fromkeys((work.authors[0], work.year) for work in works):
        pattern = rf"{_word(name)}[^;()\[\]]{{0,60}}?[\s,(\[]{re.escape(year[:4])}[a-z]?\b"
        for found in re.finditer(pattern, text):
            for key in _named(found.group(), references):
                yield Mention(Span(*found.span()), key, "marker")


def _word(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _citable(reference: Reference) -> bool:
    return bool(reference.work.authors and re.match(r"\d{4}", reference.work.year))


def _named(marker: str, references: Sequence[Reference]) -> Collection[str]:
    """Return the one entry that a marker such as ``Doe and Roe, 2001`` names; none if several fit.

    The letter of ``2001b`` counts where the entry has one, else the number of authors decides
    between entries of the same author and year.
    """
    found = re.search(r"\b(\d{4})[a-z]?\b", marker)
    if found is None:
        return ()
    fit = [each for each in references if _begins(marker, each, found[1])]
    if len(fit) > 1:
        fit = _narrowed(fit, marker, found)
    keys = {each.key for each in fit}
    return keys if len(keys) == 1 else ()


def _narrowed(fit: list[Reference], marker: str, found: re.Match[str]) -> list[Reference]:
    """Decide between entries of the same author and year by the year's letter, else by authors."""
    lettered, year = found[0], found[1]
    if lettered != year:
        fit = [each for each in fit if _bears(each, lettered)] or fit
    if len(fit) == 1:
        return fit
    return [each for each in fit if _as_many(marker, each.work.authors)]


def _begins(marker: str, reference: Reference, year: str) -> bool:
    """Whether an entry has the year of a marker, and its first author is named there."""
    if not _citable(reference) or not reference.work.year.startswith(year):
        return False
    return re.search(_word(reference.work.authors[0]), marker) is not None


def _bears(reference: Reference, lettered: str) -> bool:
    """Whether an entry bears a year with a letter, such as ``2001b``."""
    return lettered in (reference.work.year, reference.label) or lettered in reference.text


def _as_many(marker: str, authors: Sequence[str]) -> bool:
    if re.search(r"\bet\.?\s+al", marker):
        return len(authors) > 2
    return all(author in marker for author in authors)
