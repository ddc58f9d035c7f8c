"""An article as somebody's file gives it: text, what it is, its reference list, and where it cites
what.

`citectx.corpora.articles` makes an `Article` of XML; `find` tells which entries of its
reference list are a given work, `mentions` where the text cites them.

>>> entry = Reference("b1", "1", Work("Why cells rest in the dark", "2001", ("Doe",)))
>>> document = Document("Roe", "We rest. Cells do, too [1].")
>>> article = Article(document, Work(), (entry,), (Link(Span(23, 26), ("b1",)),))
>>> match = find(Work("Why Cells Rest in the Dark.", "2002"), article.references)
>>> match.how, [(m.how, document.text[slice(*m.span)]) for m in mentions(article, match.keys)]
('title', [('link', '[1]')])
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from citectx.corpora.files import bare
from citectx.corpora.model import Document, Finding
from citectx.types import Span

How = Literal["doi", "pmid", "title"]
"""By what an entry of a reference list was recognised."""
Place = Literal["link", "range", "marker"]
"""Whether the file links a place to the entry, a range such as ``[3-5]`` implies it, or its text
says so."""

ALIKE = 0.9
"""Least similarity of two titles, `difflib`'s ratio over letters and digits, to be taken for
one."""
SHORT = 20
"""Letters of a title; shorter ones ("Introduction") need an author in common, too."""
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
    """

    key: str
    label: str
    work: Work
    text: str = ""


class Link(NamedTuple):
    """A place in the text that points to entries of the reference list; no key where the file gives
    none.
    """

    span: Span
    keys: tuple[str, ...]


class Mention(NamedTuple):
    """A place in the text that cites one entry."""

    span: Span
    key: str
    how: Place


class Match(NamedTuple):
    """The entries that are the work in question, and how that was seen; no key and "" if there are
    none.
    """

    keys: tuple[str, ...]
    how: How | Literal[""]


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
        return {key: i for i, key in enumerate(dict.fromkeys(r.key for r in self.references))}

    @cached_property
    def linked(self) -> "tuple[Mention, ...]":
        """Places by the links of the file, their ranges and their texts."""
        return tuple(_linked(self))

    @cached_property
    def marked(self) -> "tuple[Mention, ...]":
        """Places by the text alone, in the paper's style."""
        return tuple(_by_text(self))

    @cached_property
    def numbered(self) -> bool:
        """Whether most links are numbers; in a paper that cites by names, a linked number is a
        footnote's.
        """
        known = [link for link in self.links if not self.places.keys().isdisjoint(link.keys)]
        texts = [self.document.text[slice(*link.span)] for link in known or self.links]
        return 2 * sum(bool(_numbers(text)) for text in texts) >= len(texts)


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


def find(work: Work, references: Sequence[Reference]) -> Match:
    """Find a work in a reference list: by DOI, else by PubMed id, else by title and year.

    Titles are compared by letters and digits; if none is the same, one that differs by a misprint
    is taken. Years may differ by one, as those of a preprint and of print do, and either may be
    unknown. Where both DOIs are known and differ, titles have to be the same to the letter and the
    works need an author in common: a preprint is its article, Part II is not Part I.

    Parameters
    ----------
    work : Work
    references : sequence of Reference

    Returns
    -------
    Match
    """
    near = [r for r in references if _letters(work.title) and _near(work.year, r.work.year)]
    tests: tuple[tuple[How, Sequence[Reference], Callable[[Work, Reference], bool]], ...] = (
        ("doi", references, lambda one, other: bool(one.doi) and one.doi == other.work.doi),
        ("pmid", references, _same_id),
        ("title", near, _same_title),
        ("title", near, _alike),
    )
    for how, among, same in tests:
        if keys := dict.fromkeys(r.key for r in among if same(work, r)):
            return Match(tuple(keys), how)
    return Match((), "")


def _same_id(one: Work, reference: Reference) -> bool:
    other = reference.work
    return bool((one.pmid and one.pmid == other.pmid) or (one.pmcid and one.pmcid == other.pmcid))


def _same_title(work: Work, reference: Reference) -> bool:
    other, title, theirs = reference.work, _letters(work.title), _letters(reference.work.title)
    if not theirs:  # nothing but the entry's text: which must hold the title
        return len(title) > SHORT and title in _letters(reference.text)
    doubtful = len(title) <= SHORT or bool(work.doi and other.doi)
    share_author = not {bare(a) for a in work.authors}.isdisjoint(map(bare, other.authors))
    return title == theirs and (share_author or not doubtful)


def _alike(work: Work, reference: Reference) -> bool:
    """Whether two long titles differ by a misprint only: numbers in them must not."""
    title, theirs = _letters(work.title), _letters(reference.work.title)
    shorter = min(len(title), len(theirs))
    far = 2 * shorter < ALIKE * (len(title) + len(theirs))
    if shorter <= SHORT or far or (work.doi and reference.work.doi):
        return False
    matcher = SequenceMatcher(None, title, theirs, autojunk=False)
    same_numbers = re.findall(r"\d+", title) == re.findall(r"\d+", theirs)
    return same_numbers and matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


_letters = lru_cache(1 << 15)(bare)


def _near(one: str, other: str) -> bool:
    years = [re.search(r"\d{4}", year) for year in (one, other)]
    return not all(years) or abs(int(years[0][0]) - int(years[1][0])) <= 1  # type: ignore[index]


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
    found = [m for m in article.linked if m.key in wanted]
    unseen = wanted - {m.key for m in found}
    if unseen:
        found += [m for m in article.marked if m.key in unseen]
    first: dict[tuple[int, str], Mention] = {}
    for mention in sorted(found, key=lambda m: (m.span, m.how)):
        first.setdefault((mention.span.start, mention.key), mention)
    return list(first.values())


def _linked(article: Article) -> Iterator[Mention]:
    """Iterate over the links: what they point to, and what their ranges and their texts imply."""
    text, places = article.document.text, article.places
    labels, names = _labels(article.references), list(places)
    for link in article.links:
        known = [key for key in link.keys if key in places]
        yield from (Mention(link.span, key, "link") for key in known)
        marker = text[slice(*link.span)]
        numbers = _numbers(marker) if article.numbered else []
        implied = (
            [labels[str(n)] for n in numbers if str(n) in labels]
            if not known or len(numbers) > 1
            else []
        )
        if not known and not article.numbered:
            implied = _named(marker, article.references)
        how: Place = "range" if known else "marker"
        yield from (Mention(link.span, key, how) for key in implied if key not in known)
    for one, other in pairwise(article.links):
        if not _DASH.fullmatch(text[one.span.end : other.span.start]):
            continue
        ends = [places[key] for key in (*one.keys[-1:], *other.keys[:1]) if key in places]
        if len(ends) == 2 and 1 < ends[1] - ends[0] <= LONGEST_RANGE:
            yield from (Mention(one.span, names[i], "range") for i in range(ends[0] + 1, ends[1]))


_DASH = re.compile(r"[\])]?\s*(?:[-‐-―−]|to)\s*[\[(]?")
_GROUP = r"\d{1,4}(?:\s*[-‐-―−,;]\s*\d{1,4})*"
_MARKED = re.compile(rf"\s*[\[(]?\s*({_GROUP})\s*[\])]?\s*")
_STYLES = (re.compile(rf"\[\s*({_GROUP})\s*\]"), re.compile(rf"\(\s*({_GROUP})\s*\)"))


def _numbers(marker: str) -> list[int]:
    """Read the numbers of a marker such as ``[3-5, 7]``; none if it is something else.

    >>> _numbers("[3–5, 7]"), _numbers("Doe 2001")
    ([3, 4, 5, 7], [])
    """
    found = _MARKED.fullmatch(marker)
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", found[1]) if found else ():
        ends = [int(n) for n in re.findall(r"\d+", part)]
        wide = ends[-1] - ends[0]
        numbers += range(ends[0], ends[-1] + 1) if 0 <= wide <= LONGEST_RANGE else ends
    return numbers


def _labels(references: Sequence[Reference]) -> dict[str, str]:
    """Map printed numbers to keys."""
    return {r.label: r.key for r in reversed(references) if r.label.isdecimal()}


def _by_text(article: Article) -> list[Mention]:
    """Read all markers in one style: that of most links, or the one that reaches most entries."""
    text, labels = article.document.text, _labels(article.references)
    styles = [
        [
            Mention(Span(*m.span()), labels[str(n)], "marker")
            for m in style.finditer(text)
            for n in _numbers(m[1])
            if str(n) in labels
        ]
        for style in _STYLES
    ]
    styles.append(list(_author_year(text, article.references)))
    if article.links:
        inside = {i for link in article.links for i in range(link.span.start, link.span.end)}
        hits = [len(inside & {i for m in style for i in range(*m.span)}) for style in styles]
        return styles[hits.index(max(hits))] if max(hits) else []
    reached = [len({m.key for m in style}) / max(len(article.places), 1) for style in styles]
    return styles[reached.index(max(reached))] if max(reached) >= REACHED else []


def _author_year(text: str, references: Sequence[Reference]) -> Iterator[Mention]:
    """Find ``Doe et al. (2001)``, ``(Doe and Roe, 2001a)`` for every entry with an author and a
    year.
    """
    for name, year in dict.fromkeys(
        (r.work.authors[0], r.work.year) for r in references if _citable(r)
    ):
        pattern = rf"{_word(name)}[^;()\[\]]{{0,60}}?[\s,(\[]{re.escape(year[:4])}[a-z]?\b"
        for found in re.finditer(pattern, text):
            keys = _named(found.group(), references)
            yield from (Mention(Span(*found.span()), key, "marker") for key in keys)


def _word(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _citable(reference: Reference) -> bool:
    return bool(reference.work.authors and re.match(r"\d{4}", reference.work.year))


def _named(marker: str, references: Sequence[Reference]) -> list[str]:
    """Return the one entry that a marker such as ``Doe and Roe, 2001`` names; none if several fit.

    The letter of ``2001b`` counts where the entry has one, else the number of authors decides
    between entries of the same author and year.
    """
    year = re.search(r"\b(\d{4})([a-z]?)\b", marker)
    if year is None:
        return []
    dated = [r for r in references if _citable(r) and r.work.year[:4] == year[1]]
    fit = [r for r in dated if re.search(_word(r.work.authors[0]), marker)]
    if len(fit) > 1 and year[2]:
        lettered = [r for r in fit if year[0] in (r.work.year, r.label) or year[0] in r.text]
        fit = lettered or fit
    if len(fit) > 1:
        fit = [r for r in fit if _as_many(marker, r.work.authors)]
    return [fit[0].key] if len({r.key for r in fit}) == 1 else []


def _as_many(marker: str, authors: Sequence[str]) -> bool:
    if re.search(r"\bet\.?\s+al", marker):
        return len(authors) > 2
    return all(author in marker for author in authors)
