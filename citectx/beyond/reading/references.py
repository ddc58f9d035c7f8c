"""Works, the entries of reference lists, and which of these is a given work.

Titles and names are compared by their letters: print and reference lists differ in case, accents,
apostrophes and punctuation.

>>> entry = Entry(("b1",), "1", Work(("Why cells rest in the dark",), ("2001",), ("Doe",)))
>>> found, how = find(Work(("Why Cells Rest in the Dark.",), ("2002",)), [entry])
>>> how, found[0].label
('title', '1')
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from html import unescape
from itertools import permutations, product
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from citectx.corpora.text_files import bare

SHORT = 20
"""Letters of a title; a shorter one ("Introduction") needs an author in common, too."""
ALIKE = 0.85
"""Least similarity of two words that differ by a misprint: a letter in seven."""

_STROKES = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "æ": "ae", "œ": "oe"},
)
_ID = re.compile(
    r"(?=[1ap])(?:(?:10\.48550/)?\barxiv(?:\.org/\w+/|[:.\s])\s*"
    r"(?P<arxiv>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
    r"|(?P<doi>10\.\d{4,9}\s?/\s?"
    r"(?:[^\s\"“”()<>\[\]{}]|\([^\s()]*\)|<[^\s<>]*>|\[[^\s\[\]]*\]|\{[^\s{}]*\})+)"
    r"|\b(?:pmid|pubmed)(?:\.ncbi\.nlm\.nih\.gov)?[:/\s]*(?P<pmid>\d{1,9})\b"
    r"|\bpmc(?:id)?[:\s]*(?:pmc)?(?P<pmcid>\d{3,9})\b)"
)
_NOTICE = re.compile(
    r"\b(?:reply|comments?|response|rebuttal|correction|corrigend\w+|errat\w+|addend\w+|retraction"
    r")\b"
)
"""Words by which a title names what is about another work: "Reply to …"."""


class Work(NamedTuple):
    """A publication, as far as it is known.

    Other titles that it goes by (without its subtitle, shortened, translated) follow the first.
    Authors are family names. Ids are named "doi" (lower case, without resolver), "pmid" and "pmcid"
    (digits), and "arxiv" (without version).
    """

    titles: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    ids: Mapping[str, str] = {}

    def __str__(self) -> str:
        return ", ".join([*self.ids.values(), *self.titles[:1], *self.years])


class Entry(NamedTuple):
    """An entry of a reference list, and the work that it names.

    Keys are ids by which the text points to it; works under one number share that number's id. The
    label is as printed, or else the place in the list, and `text` the whole entry. `tagged` says
    whether the file tells which part of it is the title.
    """

    keys: tuple[str, ...]
    label: str
    work: Work
    text: str = ""
    tagged: bool = True


@lru_cache(1 << 15)
def letters(text: str) -> str:
    """Reduce a text to letters and digits, without case and accents."""
    return bare(normalize("NFKD", text.translate(_STROKES)))


def key_of(title: str) -> str:
    """Reduce a title to its letters and digits, without the mark of a retraction."""
    return letters(re.sub(r"(?i)^\W*(?:retracted|withdrawn)(?: article)?\W+", "", title))


def ids_in(text: str) -> dict[str, str]:
    """Return the first identifier of each kind that a text holds, also in links.

    A DOI may hold brackets in pairs, as Wiley's do; a line end may have left a space beside its
    slash.

    >>> ids_in("(arXiv:1999.99991v2, https://doi.org/10.99999/%28AB%2915%3C16::A%3E3.0. PMID 17)")
    {'arxiv': '1999.99991', 'doi': '10.99999/(ab)15<16::a>3.0', 'pmid': '17'}
    """
    ids: dict[str, str] = {}
    for match in _ID.finditer(unescape(unquote(text)).lower()):
        name = str(match.lastgroup)
        ids.setdefault(name, "".join(match[name].split()).rstrip(".,;:"))
    return ids


def years_in(text: str) -> tuple[str, ...]:
    """Return the years that a text names, the earliest first."""
    years = re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)
    return tuple(sorted({*years}))


def find(work: Work, entries: Sequence[Entry]) -> tuple[list[Entry], str]:
    """Find a work in a reference list: entries, and the key of `TESTS` that they passed, or "".

    The first of `TESTS` that any entry passes decides. Unless an identifier is the same, years must
    not differ by more than one, as those of a preprint and of print do.
    """
    dated = [entry for entry in entries if _same_time(work, entry.work)]
    for how, test in TESTS.items():
        candidates = entries if how == "identifier" else dated
        chosen = [entry for entry in candidates if test(work, entry)]
        if chosen:
            return chosen, how
    return [], ""


def _same_time(work: Work, other: Work) -> bool:
    apart = [abs(int(year) - int(other)) for year, other in product(work.years, other.years)]
    return min(apart, default=0) <= 1


def same_id(work: Work, entry: Entry) -> bool:
    """Whether an identifier is the same."""
    return bool(work.ids.items() & entry.work.ids.items())


def same_title(work: Work, entry: Entry) -> bool:
    """Whether a title is the same; a short one, or one with another DOI, needs a common author."""
    common = {*map(key_of, work.titles)} & {*map(key_of, entry.work.titles)}
    if any(len(title) > SHORT for title in common) and not _other_doi(work, entry):
        return True
    return any(common) and bool(_common_authors(work, entry))


def similar_title(work: Work, entry: Entry) -> bool:
    """Whether a long title has misprints, or no subtitle; authors that both name must agree."""
    are_named = work.authors and entry.work.authors
    if _other_doi(work, entry) or (are_named and not _common_authors(work, entry)):
        return False
    return any(_similar(*titles) for titles in product(work.titles, entry.work.titles))


def _similar(title: str, other: str) -> bool:
    both = title, other
    if min(map(len, map(key_of, both))) <= SHORT or _telling(title) != _telling(other):
        return False
    if any(
        key_of(re.split(r"[:.?!]\s|\s[-–—]\s", long)[0]) == key_of(short)
        for long, short in permutations(both)
    ):
        return True
    words = title.split()
    others = other.split()
    return len(words) == len(others) and all(map(_alike, words, others))


def _telling(title: str) -> list[str]:
    """Return what tells works apart whose titles are alike: "Part II", "Reply to …"."""
    lower = title.lower()
    return re.findall(r"\b(?:\d\w*|[ivx]+)\b", lower) + _NOTICE.findall(lower)


def _alike(word: str, other: str) -> bool:
    return SequenceMatcher(None, letters(word), letters(other)).ratio() >= ALIKE


def holds_title(work: Work, entry: Entry) -> bool:
    """Whether an untagged entry holds a long title between punctuation marks."""
    if entry.tagged:
        return False
    return any(_holds(entry.text, title) for title in work.titles)


def _holds(text: str, title: str) -> bool:
    """Whether a text holds a title that is not part of a longer one: "A reply to …"."""
    wanted = key_of(title)
    if len(wanted) <= SHORT or {*_NOTICE.findall(text.lower())} - {*_NOTICE.findall(title.lower())}:
        return False
    parts = map(letters, re.split(r"[^\w\s'’-]+", text))
    pattern = r"\|*".join(wanted)
    return re.search(rf"(?<![^|]){pattern}(?![^|])", "|".join(parts)) is not None


def _other_doi(work: Work, entry: Entry) -> bool:
    dois = {work.ids.get("doi"), entry.work.ids.get("doi")}
    return len(dois - {None}) == 2


def _common_authors(work: Work, entry: Entry) -> set[str]:
    return {*map(letters, work.authors)} & {*map(letters, entry.work.authors)}


TESTS: dict[str, Callable[[Work, Entry], bool]] = {
    "identifier": same_id,
    "title": same_title,
    "similar title": similar_title,
    "title in an untagged entry": holds_title,
}
"""What an entry is recognised by, the surest first."""
