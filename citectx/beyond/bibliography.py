"""What JATS and TEI tell of works: of the article itself, and in its reference list.

What we saw in 122 articles of PLOS and three of PMC: entries are ``element-``, ``mixed-`` or
``nlm-citation``, three quarters without an identifier, and some hold no title. In two papers that
GROBID read from PDF they are ``biblStruct``, with the entry as printed in a note.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from lxml.etree import _Element as Element

from citectx.beyond.references import Entry, Work, doi_in, pmid_in, years_in
from citectx.beyond.trees import child, has_text, identities, plain, texts, title_of
from citectx.corpora.text_files import squeeze

CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
TITLES = ("article-title", "chapter-title", "part-title", "data-title")
"""What holds the title of an entry, unlike ``source``, which is the name of a journal, too."""


def jats_work(root: Element) -> Work:
    """Read the title, authors ... of an article."""
    meta = child(root, "front/article-meta")
    translations = root.iterfind("sub-article[@article-type='translation']")  # as SciELO has them
    titles: list[str] = []
    for part in (meta, *translations):
        for group in part.iter("title-group"):
            titles += _jats_titles(group)
    years = years_in(map(plain, meta.iter("pub-date")))
    authors = texts(child(meta, "contrib-group").iter("surname", "collab"))
    return Work(tuple(titles), years, authors, _ids(meta.iterchildren("article-id")))


def _jats_titles(group: Element) -> Iterator[str]:
    """Iterate over titles with their subtitles and without."""
    for element in group.iter("article-title", "trans-title", "alt-title"):
        title = title_of(element)
        for subtitle in element.itersiblings("subtitle", "trans-subtitle"):
            yield f"{title}: {title_of(subtitle)}"
        yield title


def jats_entries(parts: Iterable[Element]) -> Iterator[Entry]:
    """Read the reference lists of some parts of an article, wherever they stand."""
    refs = chain.from_iterable(part.iter("ref") for part in parts)
    for place, ref in enumerate(refs, 1):
        citations = [*ref.iter(*CITATIONS)] or [ref]
        keys_of = [identities(citation.iter()) for citation in citations]
        shared = identities(ref.iter()).difference(*keys_of)  # several works under one number
        for citation, keys in zip(citations, keys_of, strict=True):
            yield _jats_entry(citation, tuple(sorted(keys | shared)), _label(ref, place))


def _label(entry: Element, place: int) -> str:
    """Return the label of an entry as printed, or its place in the list."""
    return plain(child(entry, "label")).strip("[]().") or str(place)


def _jats_entry(citation: Element, keys: tuple[str, ...], label: str) -> Entry:
    text = _entry_text(citation)
    titles = texts(citation.iter(*TITLES))
    main = (titles or texts(citation.iter("source")))[:1]
    links = [value for link in citation.iter("ext-link", "uri") for value in link.values()]
    for date in citation.iter("date-in-citation"):  # when it was read, not published
        date.clear(keep_tail=True)
    years = texts(citation.iter("year"))
    authors = texts(citation.iter("surname", "collab"))
    ids = _ids(citation.iter("pub-id", "object-id"), " ".join([*links, text]))
    main += texts(citation.iter("trans-title"))
    work = Work(main, years_in(years or [text]), authors, ids)
    return Entry(keys, label, work, text, tagged=bool(titles))


def _entry_text(entry: Element) -> str:
    """Return the text of an entry; its parts are words of their own if nothing is between them."""
    between = "" if has_text(entry) else " "
    return squeeze(between.join(entry.itertext()))


def tei_work(header: Element) -> Work:
    """Read the title, authors ... of an article."""
    description = child(header, "fileDesc")
    source = child(description, "sourceDesc/biblStruct")
    analytic = child(source, "analytic")
    titles = [*child(description, "titleStmt").iter("title"), *analytic.iter("title")]
    authors = texts(analytic.iter("surname"))
    known = tuple(filter(None, map(title_of, titles)))
    return Work(known, years_in(_dates(description)), authors, _ids(source.iter("idno")))


def tei_entries(text: Element) -> Iterator[Entry]:
    """Read the reference lists of an article, wherever they stand."""
    lists = text.iter("listBibl")
    entries = chain.from_iterable(part.iterchildren("biblStruct", "bibl") for part in lists)
    for place, entry in enumerate(entries, 1):
        yield _tei_entry(entry, _label(entry, place))


def _tei_entry(entry: Element, label: str) -> Entry:
    raw = texts(entry.iterfind(".//note[@type='raw_reference']"))
    text = raw[0] if raw else _entry_text(entry)
    # a journal's title ("j") is no work's; a book's ("m") is, if no chapter of it is cited
    levels = {title.get("level", "a"): plain(title) for title in entry.iter("title")}
    title = levels.get("a") or levels.get("m", "")
    links = [pointer.get("target", "") for pointer in entry.iter("ptr")]
    years = years_in(_dates(entry) or [text])
    authors = texts(entry.iterfind(".//author//surname"))
    ids = _ids(entry.iter("idno"), " ".join([*links, text]))
    work = Work((title,) if title else (), years, authors, ids)
    keys = tuple(identities([entry]))
    return Entry(keys, label, work, text, tagged=bool(title))


def _dates(element: Element) -> list[str]:
    """Return the dates of publication: all but those on which somebody looked."""
    dates = [date for date in element.iter("date") if date.get("type") != "access"]
    return [date.get("when") or plain(date) for date in dates]


def _ids(elements: Iterable[Element], text: str = "") -> dict[str, str]:
    """Return identifiers by their names; a text is searched for those that no element names."""
    known = {(e.get("pub-id-type") or e.get("type", "")).lower(): plain(e) for e in elements}
    doi = doi_in(known.get("doi", "")) or doi_in(text)
    pmid = known.get("pmid") or pmid_in(text)
    pmcid = known.get("pmcid") or known.get("pmc", "")
    digits = [re.sub(r"\D", "", number) for number in (pmid, pmcid)]
    ids = zip(("doi", "pmid", "pmcid"), (doi, *digits), strict=True)
    return {name: value for name, value in ids if value}
