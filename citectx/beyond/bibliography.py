"""What JATS and TEI tell of works: of the article itself, and in its reference list.

What we saw in some 360 files of 90 publishers: entries are ``element-``, ``mixed-`` or
``nlm-citation``, most without an identifier, and some hold no title. A quarter of the files in JATS
write each entry twice, tagged and as printed. In law and the humanities entries are footnotes. In
papers that GROBID read from PDF they are ``biblStruct``, with the entry as printed in a note.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from lxml.etree import _Element as Element

from citectx.beyond.references import Entry, Work, ids_in, years_in
from citectx.beyond.trees import XML, child, holds, identities, plain, texts, title_of

CITATIONS = (
    "element-citation",
    "mixed-citation",
    "nlm-citation",
    "citation",
    "citation-alternatives",
)
TITLES = ("article-title", "chapter-title", "part-title", "data-title")
"""What holds the title of an entry, unlike ``source``, which is the name of a journal, too."""
TRANSLATIONS = "sub-article[@article-type='translation']"
"""Where a file holds an article in other languages, too, as SciELO's do."""
AUTHORS = (
    ".//surname[not(ancestor::editor)] | .//collab | .//string-name[not(.//surname)]"
    " | .//author[not(.//surname | .//affiliation)]"
)

_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}")


def english(root: Element) -> Element:
    """Return the English translation that an article's file holds, else the article."""
    for version in root.iterfind(TRANSLATIONS):
        if version.get(f"{XML}lang", "")[:2] == "en" and version.find("body") is not None:
            return version
    return root


def meta_of(version: Element) -> Element:
    """Return what an article, or its translation, tells of itself."""
    meta = version.find("front/article-meta")
    return child(version, "front-stub") if meta is None else meta


def jats_work(root: Element) -> Work:
    """Read the title, authors ... of an article; the title of what is read comes first."""
    titles: list[str] = []
    for version in (english(root), root, *root.iterfind(TRANSLATIONS)):
        for group in meta_of(version).iter("title-group"):
            titles += _jats_titles(group)
    meta = meta_of(root)
    years = years_in(map(plain, meta.iter("pub-date")))
    authors = authors_of(child(meta, "contrib-group"))
    ids = _ids(meta.iterchildren("article-id"))
    return Work(tuple(dict.fromkeys(titles)), years, authors, ids)


def _jats_titles(group: Element) -> Iterator[str]:
    """Iterate over titles with their subtitles and without."""
    for element in group.iter("article-title", "trans-title", "alt-title"):
        title = title_of(element)
        for subtitle in element.itersiblings("subtitle", "trans-subtitle"):
            yield f"{title}: {title_of(subtitle)}"
        yield title


def authors_of(element: Element) -> tuple[str, ...]:
    """Return the family names of authors."""
    names = element.xpath(AUTHORS)
    is_whole = ("string-name", "author")
    return tuple(family(plain(e)) if e.tag in is_whole else plain(e) for e in names)


def family(name: str) -> str:
    """Return the family name of a whole name.

    >>> [family(name) for name in ("J. Maddern", "Maddern, Jane", "Maddern JK", "Jane Maddern")]
    ['Maddern', 'Maddern', 'Maddern', 'Maddern']
    """
    before, comma, _ = name.partition(",")
    words = [word for word in before.split() if not _INITIALS.fullmatch(word)]
    return before if comma or not words else words[-1]


def jats_entries(parts: Iterable[Element]) -> Iterator[Entry]:
    """Read the reference lists of some parts of an article, wherever they stand.

    Footnotes that hold a citation are entries, too; so is each that names a year, if there is
    nothing else.
    """
    refs = [*chain.from_iterable(part.iter("ref", "fn") for part in parts)]
    listed = [ref for ref in refs if ref.tag == "ref" or holds(ref, CITATIONS)]
    listed = listed or [note for note in refs if years_in([plain(note)])]
    for place, ref in enumerate(listed, 1):
        citations = [*ref.iter(*CITATIONS)]
        if len({citation.tag for citation in citations}) != 1:  # none, or a work written twice
            citations = [ref]
        keys_of = [identities(citation.iter()) for citation in citations]
        shared = identities(ref.iter()).difference(*keys_of)  # several works under one number
        for citation, keys in zip(citations, keys_of, strict=True):
            yield _jats_entry(citation, tuple(sorted(keys | shared)), _label(ref, place))


def _label(entry: Element, place: int) -> str:
    """Return the label of an entry as printed, or its place in the list."""
    return plain(child(entry, "label")).strip("[]().") or str(place)


def _jats_entry(citation: Element, keys: tuple[str, ...], label: str) -> Entry:
    text = plain(citation)
    titles = texts(citation.iter(*TITLES))
    main = titles or texts(citation.iter("source"))[:1]
    links = [value for link in citation.iter("ext-link", "uri") for value in link.values()]
    for date in citation.iter("date-in-citation"):  # when it was read, not published
        date.clear(keep_tail=True)
    years = texts(citation.iter("year"))
    ids = _ids(citation.iter("pub-id", "object-id"), *links, text)
    main += texts(citation.iter("trans-title"))
    work = Work(main, years_in(years or [text]), authors_of(citation), ids)
    return Entry(keys, label, work, text, tagged=bool(titles))


def tei_work(header: Element) -> Work:
    """Read the title, authors ... of an article."""
    description = child(header, "fileDesc")
    source = child(description, "sourceDesc/biblStruct")
    analytic = child(source, "analytic")
    titles = _tei_titles(child(description, "titleStmt").iter("title"))
    titles += _tei_titles(analytic.iter("title"))
    years = years_in(_dates(description))
    return Work(titles, years, authors_of(analytic), _ids(source.iter("idno")))


def _tei_titles(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return titles, which may be parts of one, and all of them in one."""
    titles = [*filter(None, map(title_of, elements))]
    return tuple(filter(None, dict.fromkeys([*titles, ": ".join(titles)])))


def tei_entries(text: Element) -> Iterator[Entry]:
    """Read the reference lists of an article, wherever they stand, and footnotes that cite."""
    lists = text.iter("listBibl")
    entries = [*chain.from_iterable(part.iterchildren("biblStruct", "bibl") for part in lists)]
    entries += [note for note in text.iter("note") if holds(note, ("biblStruct", "bibl"))]
    for place, entry in enumerate(entries, 1):
        yield _tei_entry(entry, _label(entry, place))


def _tei_entry(entry: Element, label: str) -> Entry:
    raw = texts(entry.iterfind(".//note[@type='raw_reference']"))
    text = raw[0] if raw else plain(entry)
    # a journal's title ("j") is no work's; a book's ("m") is, if no chapter of it is cited
    titles = _tei_titles(entry.xpath(".//title[not(@level) or @level='a']"))
    titles = titles or _tei_titles(entry.iterfind(".//title[@level='m']"))
    links = [pointer.get("target", "") for pointer in entry.iter("ptr")]
    years = years_in(_dates(entry) or [text])
    ids = _ids(entry.iter("idno"), *links, text)
    work = Work(titles, years, authors_of(entry), ids)
    return Entry(tuple(identities([entry])), label, work, text, tagged=bool(titles))


def _dates(element: Element) -> list[str]:
    """Return the dates of publication: all but those on which somebody looked."""
    dates = [date for date in element.iter("date") if date.get("type") != "access"]
    return [date.get("when") or plain(date) for date in dates]


def _ids(elements: Iterable[Element], *further: str) -> dict[str, str]:
    """Return the identifiers that elements give, and then those in further texts."""
    named = []
    for element in elements:
        kind = element.get("pub-id-type") or element.get("type", "")
        named.append(f"{kind}:{''.join(plain(element).split())}")
    return ids_in(" ".join([*named, *further]))
