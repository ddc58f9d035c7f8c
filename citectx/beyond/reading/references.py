"""Works, the entries of reference lists, and which of these is a given work.

Titles and names are compared by their letters: print and reference lists differ in case, accents,
apostrophes and punctuation.

>>> entry = Entry(("b1",), "1", Work(("Why cells rest in the dark",), ("2001",), ("Doe",)))
>>> match = find(Work(("Why Cells Rest in the Dark.",), ("2002",)), [entry])
>>> match.how, match.entries[0].label
('title', '1')
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from html import unescape
from itertools import accumulate, product
from typing import NamedTuple
from unicodedata import name, normalize
from urllib.parse import unquote

from citectx.corpora.text_files import bare, squeeze

SHORT = 20
"""The length of a short title ("Introduction"), which needs an author in common, too."""
ALIKE = 0.85
"""Two words that differ by a misprint are at least so similar: a letter in seven."""

_STROKES = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"},
)
_ID = re.compile(
    r"(?=[1ap])(?:(?:10\.48550/)?\barxiv(?:\.org/\w+/|[:.\s])\s*"
    r"(?P<arxiv>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
    r"|(?P<doi>10\.\d{4,9}\s?/\s?"
    r"(?:[^\s\"“”()<>\[\]{}]|\([^\s()]*\)|<[^\s<>]*>|\[[^\s\[\]]*\]|\{[^\s{}]*\})+)"
    r"|\b(?:pmid|pubmed)(?:\.ncbi\.nlm\.nih\.gov)?[:/\s]*(?P<pmid>\d{1,9})\b"
    r"|\bpmc(?:id)?[:\s]*(?:pmc)?(?P<pmcid>\d{3,9})\b)"
)
# soft hyphens, characters without a width, byte order marks; and trademarks, which NFKC spells out
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff™℠]")
# europepmc.org/article/med/17, pubmed.gov/17, …?db=pubmed&list_uids=17, pubmed/?term=17
_PUBMED = re.compile(
    r"europepmc\.org/\w+/med/|\bpubmed\.(?:gov|com)/"
    r"|\b(?:pubmed|entrez)\b[^\s\"<>]*?[?&](?:list_uids|term|id)=(?=\d)"
)
# an identifier begins here, though nothing sets it apart: "…42PMID:17"
_GLUE = re.compile(r"(?<=[\w.,;])(?=(?:pmid|pmcid):?\s*(?:pmc)?\d)")
# what is glued to a DOI: "…42PMID:17", "…42[PubMed]", "…42https://", "…42?download=1"
_GLUED = re.compile(
    r"(?:pmid|pmcid|pubmed|epub\b|\[(?:pubmed|cross|google|doi|pmc)|https?:|doi:|[?#]\w|;jsession).*"
)
# the page of a publisher that shows the work: "…42/full", "…42v2.full.pdf"
_PAGE = re.compile(
    r"(?:[./](?:full|full-?text|abstract|summary|e?pdf|pdfdirect|html?|meta|short|long|references"
    r"|figures|xml)(?:\+html)?)+/?$"
)
_VERSION = re.compile(r"(?<=\d)[./]?v\d{1,2}$")
_NOTICE = re.compile(
    r"\b(?:reply|comments?|response|rebuttal|correction|corrigend\w+|errat\w+|addend\w+|retraction"
    r")\b"
)
"""Words by which a title names what is about another work: "Reply to …"."""
_MARKUP = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>")
_GREEK = re.compile("[\u0391-\u03c9]")
# what journals print before a title: "RETRACTED: …", "Review article: …"; and its article
_RUBRIC = re.compile(
    r"(?i)^\W*(?:(?:retracted|withdrawn)(?: article)?\W+"
    r"|(?:original|research|review|rapid|short|brief|technical|clinical|systematic|mini-?|invited)?"
    r"\s?(?:article|review|communication|report)\s?[:.–—|]\s+)?\W*(?:(?:the|an?)\s+)?"
)
# the series before a title: "Studies on ponds. III. …", "Notes on mud, part 2: …"
_SERIES = re.compile(r"(?i)^.{3,100}?[.:,–—-]\s*(?:(?:part|no)\b\.?\s*)?(?:[ivx]+|\d{1,3})[.:]\s+")


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

    @property
    def title(self) -> str:
        """The first title, "" if none is known."""
        return "".join(self.titles[:1])


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


class Match(NamedTuple):
    """Entries that are a work, the key of `TESTS` that they passed, and what speaks against them.

    Without an entry `how` is "".
    """

    entries: Sequence[Entry] = ()
    how: str = ""
    doubt: str = ""


@lru_cache(1 << 15)
def letters(text: str) -> str:
    """Reduce a text to letters and digits, without case and accents."""
    return bare(normalize("NFKD", text.translate(_STROKES)))


@lru_cache(1 << 15)
def words_of(title: str) -> str:
    """Write out what titles print in several ways: markup, entities, "&" and Greek letters.

    >>> words_of("TNF-α &amp;amp; &lt;i&gt;E. coli&lt;/i&gt;")
    'TNF-alpha and E. coli'
    """
    text = title
    for _ in range(4):  # some are escaped three times
        text = unescape(text)
    text = _MARKUP.sub("", _INVISIBLE.sub("", text)).replace("&", " and ")
    # "GREEK SMALL LETTER ALPHA"
    text = _GREEK.sub(lambda greek: name(greek[0]).split()[-1].lower(), normalize("NFKC", text))
    return squeeze(text)


@lru_cache(1 << 15)
def key_of(title: str) -> str:
    """Reduce a title to its letters and digits, without rubric ("RETRACTED: …") and article."""
    return letters(_RUBRIC.sub("", words_of(title)))


def ids_in(text: str) -> dict[str, str]:
    """Return the first identifier of each kind that a text holds, also in links.

    A DOI may hold brackets in pairs, as Wiley's do; a line end may have left a space beside its
    slash.

    >>> ids_in("(arXiv:1999.99991v2, https://doi.org/10.99999/%28AB%2915%3C16::A%3E3.0. PMID 17)")
    {'arxiv': '1999.99991', 'doi': '10.99999/(ab)15<16::a>3.0', 'pmid': '17'}
    """
    ids: dict[str, str] = {}
    plain = _INVISIBLE.sub("", unescape(unquote(text))).lower()
    for match in _ID.finditer(_PUBMED.sub("pmid:", _GLUE.sub(" ", plain))):
        kind = str(match.lastgroup)
        found = "".join(match[kind].split())
        if kind == "doi":
            found = _PAGE.sub("", _GLUED.sub("", found))
        ids.setdefault(kind, found.rstrip(".,;:"))
    return ids


def years_in(text: str) -> tuple[str, ...]:
    """Return the years that a text names, the earliest first."""
    years = re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)
    return tuple(sorted({*years}))


def find(work: Work, entries: Sequence[Entry]) -> Match:
    """Find a work in a reference list.

    The first of `TESTS` that any entry passes decides. Unless an identifier is the same, years must
    not differ by more than one, as those of a preprint and of print do.
    """
    dated = [entry for entry in entries if _same_time(work, entry.work)]
    for how, test in TESTS.items():
        candidates = entries if how == "identifier" else dated
        chosen = [entry for entry in candidates if test(work, entry)]
        if chosen:
            return Match(chosen, how, _doubt(work, chosen, dated, how))
    return Match()


def _doubt(work: Work, chosen: Sequence[Entry], dated: Sequence[Entry], how: str) -> str:
    """Return why the chosen entries may be the wrong ones, "" if nothing speaks against them."""
    labels = " and ".join(entry.label for entry in chosen)
    strange = [entry for entry in chosen if how == "identifier" and _other_title(work, entry)]
    if not strange:
        return f"entries {labels} of its list both fit" if len(chosen) > 1 else ""
    first = strange[0]
    doubt = f"but entry {first.label} there has the title “{first.work.titles[0]}”"
    others = [entry.label for entry in dated if entry not in chosen and same_title(work, entry)]
    return f"{doubt}, and entry {others[0]} has the article's" if others else doubt


def _other_title(work: Work, entry: Entry) -> bool:
    """Whether both have a title of some length, and no two are alike."""
    if not entry.tagged:
        return False
    pairs = [*product(_long(work), _long(entry.work))]
    return bool(pairs) and not any(_similar(*pair) for pair in pairs)


def _long(work: Work) -> list[str]:
    return [title for title in work.titles if len(key_of(title)) > SHORT]


def _same_time(work: Work, other: Work) -> bool:
    apart = [abs(int(year) - int(other)) for year, other in product(work.years, other.years)]
    return min(apart, default=0) <= 1


def same_id(work: Work, entry: Entry) -> bool:
    """Whether an identifier is the same; versions of a preprint ("v2") are one work."""
    return not _ids(work).isdisjoint(_ids(entry.work))


def _ids(work: Work) -> set[tuple[str, str]]:
    return {(kind, _VERSION.sub("", known)) for kind, known in work.ids.items()}


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
    return any(_similar(*titles) for titles in product(_long(work), _long(entry.work)))


def _similar(title: str, other: str) -> bool:
    if key_of(title) in _forms(other) or key_of(other) in _forms(title):
        return True
    words, others = words_of(title).split(), words_of(other).split()
    is_same_part = _telling(title) == _telling(other)
    return is_same_part and len(words) == len(others) and all(map(_alike, words, others))


def _forms(title: str) -> set[str]:
    """Return the keys of a title, also without its series and without a plain subtitle."""
    words = words_of(title)
    main, *subtitle = re.split(r"[:.?!]\s|\s[-–—]\s", words, maxsplit=1)
    forms = [words, _SERIES.sub("", words)]
    if not any(map(_telling, subtitle)):
        forms.append(main)
    return {*map(key_of, forms)}


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
    parts = [letters(part) for part in re.split(r"[^\w\s'’-]+", words_of(text))]
    whole = "".join(parts)
    # a title may run over several parts, but it begins with one and ends with one
    borders = {*accumulate(map(len, parts), initial=0)}
    starts = [start for start in borders if whole.startswith(wanted, start)]
    return any(start + len(wanted) in borders for start in starts)


def _other_doi(work: Work, entry: Entry) -> bool:
    """Whether both have a DOI, and nothing says that they are the same."""
    return "doi" in work.ids.keys() & entry.work.ids.keys() and not same_id(work, entry)


def _common_authors(work: Work, entry: Entry) -> set[str]:
    return {*map(letters, work.authors)} & {*map(letters, entry.work.authors)}


TESTS: dict[str, Callable[[Work, Entry], bool]] = {
    "identifier": same_id,
    "title": same_title,
    "similar title": similar_title,
    "title in an untagged entry": holds_title,
}
"""The ways to recognise an entry, the surest first."""
