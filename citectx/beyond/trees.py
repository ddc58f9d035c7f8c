"""XML of anybody's article as a tree: parsed safely, its names without namespaces."""

from collections.abc import Iterable
from copy import deepcopy
from html import unescape
from unicodedata import normalize

from lxml import etree
from lxml.etree import _Element as Element

from citectx.corpora.text_files import squeeze
from citectx.errors import DataError

NOTES = frozenset(["fn", "note"])
"""Text of its own, wherever it stands."""
SILENT = frozenset(
    "graphic inline-graphic tex-math annotation label object-id permissions formula listBibl "
    "ref-list ref-entry index-term".split()
)
"""Not text, or text that repeats what is said elsewhere."""
BREAKS = frozenset("break lb p s title head td th cell item list-item sec div".split())
"""Ends a word, though the file may have no white space there; ``<italic>`` does not."""

_NAME = "{http://www.w3.org/XML/1998/namespace}id"


def parse(content: bytes, file: str) -> Element:
    """Parse XML in whatever encoding; nothing is fetched, and no entity is expanded."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        message = f"not well-formed XML ({error.msg})"
        raise DataError(message, file=file, line=error.lineno) from error
    for entity in root.iter(etree.Entity):  # &alpha; of a document type that is not loaded
        entity.tail = unescape(entity.text) + (entity.tail or "")
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if element.tag in BREAKS:
            element.text = f" {element.text or ''}"
            element.tail = f" {element.tail or ''}"
    return root


def child(element: Element, path: str) -> Element:
    """Return the first element of a path, an empty one if there is none."""
    first = element.find(path)
    return etree.Element("none") if first is None else first


def plain(element: Element) -> str:
    """Return all text of an element; white space is squeezed, accents are composed."""
    return squeeze(normalize("NFC", "".join(element.itertext())))


def texts(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return the text of each element that has some."""
    return tuple(filter(None, map(plain, elements)))


def title_of(element: Element) -> str:
    """Return a title without footnotes, their marks, and formulas in TeX."""
    title = deepcopy(element)
    etree.strip_elements(title, "xref", "ref", *NOTES, *SILENT, with_tail=False)
    return plain(title).rstrip("*†‡§¶# ")


def has_text(element: Element) -> bool:
    """Tell whether text stands in an element itself, not only in elements inside."""
    return any(map(str.strip, [element.text or "", *(part.tail or "" for part in element)]))


def identities(elements: Iterable[Element]) -> set[str]:
    """Return the ids of some elements, by which links point to them."""
    return {element.get("id") or element.get(_NAME, "") for element in elements} - {""}


def targets(link: Element) -> tuple[str, ...]:
    """Return the ids that a link points to."""
    pointers = link.get("rid") or link.get("target", "").replace("#", " ")
    return tuple(pointers.split())


def kind_of(link: Element) -> str:
    """Return what a link says that it points to, "" if nothing."""
    return str(link.get("ref-type") or link.get("type", ""))
