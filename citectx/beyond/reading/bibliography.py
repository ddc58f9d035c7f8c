"""What JATS and TEI tell of works: of the article itself, and in its reference list.

What we saw in some 360 files of 90 publishers: entries are ``element-``, ``mixed-`` or
``nlm-citation``, most without an identifier, and some hold no title. A quarter of the files in JATS
write each entry twice, tagged and as printed. In law and the humanities entries are footnotes. In
papers that GROBID read from PDF they are ``biblStruct``, with the entry as printed in a note.
"""

import re
from collections.abc import Iterable, Iterator

from lxml.etree import XPath
from lxml.etree import _Element as Element

from citectx.beyond.reading.references import Entry, Work, ids_in, years_in
from citectx.beyond.reading.trees import CITATIONS, LABEL, holds, plain, title_of
from citectx.corpora.text_files import squeeze

TRANSLATIONS = "sub-article[@article-type='translation']"
"""The article in other languages, which files of SciELO hold, too."""
_OUTSIDE = (
    "ancestor::front or ancestor::response"
    " or ancestor::sub-article[not(@article-type='translation')]"
)
LISTED = XPath(
    f".//ref-list//ref[not({_OUTSIDE})] | .//listBibl/biblStruct | .//listBibl/bibl",
)
NOTES = XPath(f".//fn[not({_OUTSIDE})] | .//note[not(ancestor::listBibl or {_OUTSIDE})]")
"""The footnotes of the article itself, unlike those of its authors, a letter to it, or an entry."""
TITLE_GROUPS = XPath(
    f"(front/article-meta | front-stub | {TRANSLATIONS}/front-stub)"
    "//*[self::title-group or self::trans-title-group or self::alt-title]"
    " | teiHeader/fileDesc/titleStmt[title]"
)
OWN_DATES = XPath(
    "front/article-meta//pub-date | front/article-meta/pub-history//date"
    " | teiHeader/fileDesc//year | teiHeader/fileDesc//date[not(@type='access')]"
)
OWN_IDS = XPath("front/article-meta/article-id | teiHeader/fileDesc/sourceDesc/biblStruct[1]//idno")
"""The article's own identifiers, as those above are its titles and dates."""
TITLES = XPath(
    ".//article-title | .//chapter-title | .//part-title | .//data-title | .//trans-title"
    " | .//title[not(@level) or @level='a']"
)
BOOKS = XPath(".//source | .//title[@level='m']")
"""The titles of entries that have no other; ``source`` names journals, too."""
KEYS = XPath("descendant-or-self::*/@id | descendant-or-self::*/@xml:id")
"""The ids by which links point to an entry."""
LINKS = XPath(".//ext-link/@* | .//uri/@* | .//ptr/@target")
_NAMES = (
    "self::surname or self::collab or self::string-name[not(.//surname)]"
    " or self::author[not(.//surname | .//affiliation)] or self::editor[not(.//surname)]"
)
_IS_EDITOR = (
    "ancestor-or-self::editor or ancestor::person-group[@person-group-type='editor']"
    " or ancestor::contrib[@contrib-type='editor']"
)
AUTHORS = XPath(f"descendant::*[{_NAMES}][not({_IS_EDITOR})]")
EDITORS = XPath(f"descendant::*[{_NAMES}][{_IS_EDITOR}]")
"""Editors stand in for the authors of a book that has none."""
IS_WHOLE = XPath(
    "boolean(self::string-name | self::author | self::editor"
    " | self::surname[parent::persName[count(*) = 1]])"
)
"""Whether an element holds a whole name, given names and all."""
OWN_AUTHORS = XPath(
    "(front/article-meta/contrib-group[1] | teiHeader/fileDesc/sourceDesc/biblStruct[1]/analytic)"
    f"/descendant::*[{_NAMES}][not({_IS_EDITOR})]"
)


def english(root: Element) -> Element:
    """Return the English translation that an article's file holds, else the article."""
    versions = root.xpath(f"{TRANSLATIONS}[starts-with(@xml:lang, 'en')][body]")
    return [*versions, root][0]


def work_of(root: Element) -> Work:
    """Read the title, authors ... of an article; the title of what is read comes first."""
    titles: list[str] = []
    for group in (*TITLE_GROUPS(english(root)), *TITLE_GROUPS(root)):
        parts = group.xpath("article-title | trans-title | subtitle | trans-subtitle | title")
        titles += titles_of(parts or [group])
    years, authors = years_of(OWN_DATES(root)), authors_of(OWN_AUTHORS(root))
    return Work(tuple(dict.fromkeys(titles)), years, authors, ids_of(OWN_IDS(root)))


def entries_in(root: Element) -> Iterator[Entry]:
    """Read the reference lists of an article, wherever they stand.

    Footnotes that hold a citation are entries, too; so is each that names a year, if there is
    nothing else.
    """
    notes = NOTES(root)
    listed = LISTED(root) + [note for note in notes if holds(note, CITATIONS)]
    listed = listed or [note for note in notes if years_in(plain(note))]
    for place, ref in enumerate(listed, 1):
        label = squeeze(LABEL(ref)).strip("[]().") or str(place)
        citations = [*ref.iter(*CITATIONS)]
        if len({citation.tag for citation in citations}) != 1:  # none, or a work written twice
            citations = [ref]
        for citation in citations:  # several works under one number share its id
            keys = sorted({*KEYS(citation), *ref.xpath("@id")})
            yield entry_of(citation, tuple(keys), label)


def entry_of(citation: Element, keys: tuple[str, ...], label: str) -> Entry:
    """Read an entry of a reference list."""
    # GROBID keeps the entry as it was printed
    text = squeeze(citation.xpath("string(.//note[@type='raw_reference'])")) or plain(citation)
    titles = titles_of(TITLES(citation))
    known = titles or titles_of(BOOKS(citation)[:1])
    ids = ids_of(citation.xpath(".//pub-id | .//object-id | .//idno"), *LINKS(citation), text)
    years = years_of(citation.xpath(".//year | .//date[not(@type='access')]")) or years_in(text)
    authors = authors_of(AUTHORS(citation) or EDITORS(citation))
    work = Work(known, years, authors, ids)
    return Entry(keys, label, work, text, tagged=bool(titles))


def titles_of(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return the parts of a title together, as with its subtitle, and each alone."""
    parts = [*filter(None, map(title_of, elements))]
    return tuple(filter(None, dict.fromkeys([": ".join(parts), *parts])))


def years_of(dates: Iterable[Element]) -> tuple[str, ...]:
    """Return the years of some dates, which say them in attributes, elements or words."""
    said = (date.get("when") or date.get("iso-8601-date") or plain(date) for date in dates)
    return years_in(" ".join(said))


def authors_of(names: Iterable[Element]) -> tuple[str, ...]:
    """Return the family names of authors; GROBID may put a whole name into ``<surname>``."""
    return tuple(family(plain(name)) if IS_WHOLE(name) else plain(name) for name in names)


def family(name: str) -> str:
    """Return the family name of a whole name.

    >>> [family(name) for name in ("J. Maddern", "Maddern, Jane", "Maddern JK", "Jane Maddern")]
    ['Maddern', 'Maddern', 'Maddern', 'Maddern']
    """
    # "Maddern, Jane", else the last word that is no initial
    before, comma, _ = name.partition(",")
    is_initial = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}").fullmatch
    words = [word for word in before.split() if not is_initial(word)]
    return before if comma or not words else words[-1]


def ids_of(elements: Iterable[Element], *further: str) -> dict[str, str]:
    """Return the identifiers that elements give, and then those in further texts."""
    named = []
    for element in elements:
        kind = element.get("pub-id-type") or element.get("type", "")
        named.append(f"{kind}:{''.join(plain(element).split())}")
    return ids_in(" ".join([*named, *further]))
