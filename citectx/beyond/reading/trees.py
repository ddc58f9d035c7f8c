"""XML of anybody's article as a tree, made tidy once: names, words, formulas.

>>> note = parse(b"<fn><name><surname>Doe</surname><given-names>J</given-names></name></fn>")
>>> plain(note)
'Doe J'
"""

import codecs
import re
from collections.abc import Iterable
from copy import deepcopy
from html import unescape
from pathlib import Path
from unicodedata import normalize

from lxml import etree
from lxml.etree import _Element as Element

from citectx.corpora.text_files import squeeze
from citectx.errors import DataError

QUOTATIONS = {"disp-quote", "verse-group"}
"""Elements that hold paragraphs, and then their source in ``attrib``."""
NOTES = {"fn", "note"}
"""Elements that are a text of their own, wherever they stand."""
LINKS = ("xref", "ref", "ptr")
"""Elements that point to an entry, a footnote, a figure ..."""
SILENT = {
    "inline-graphic",
    "annotation",
    "label",
    "object-id",
    "institution-id",
    "permissions",
    "listBibl",
    "ref-list",
    "ref-entry",
    "index-term",
    "alt-text",
    "long-desc",
}
"""Elements that are not text, or that repeat what is said elsewhere."""
BLOCKS = {
    "p",
    "title",
    "head",
    "td",
    "th",
    "cell",
    "item",
    "list-item",
    "def",
    "l",
    "verse-line",
    "sec",
    "div",
    "disp-formula",
    "formula",
}
"""Elements that begin on a line of their own."""
BREAKS = BLOCKS | {"break", "lb", "s"}
"""Elements that end a word, even without white space in the file; ``<italic>`` does not."""
CITATIONS = {
    "element-citation",
    "mixed-citation",
    "nlm-citation",
    "citation",
    "citation-alternatives",
    "biblStruct",
    "bibl",
}
"""Elements for a work in a reference list, or one of the forms in which it is written there."""
DATES = {"date", "pub-date", "event"}
"""Elements for a day, a month and a year, or one of them."""
GROUPS = (
    CITATIONS
    | DATES
    | {
        "ref",
        "product",
        "related-object",
        "related-article",
        "analytic",
        "monogr",
        "imprint",
        "person-group",
        "name",
        "string-name",
        "contrib",
        "author",
        "editor",
        "persName",
    }
)
"""Elements whose parts are words of their own, though there may be nothing between them."""

HARMLESS = (
    "ERR_UNDECLARED_ENTITY",
    "NS_ERR_UNDEFINED_NAMESPACE",
    "WAR_NS_URI",
    "DTD_XMLID_VALUE",
    "DTD_ID_REDEFINED",
    "ERR_INVALID_CHAR",
)
"""The errors of XML that leave no doubt what the file says."""

UTF16 = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
"""How files in UTF-16 begin, with a byte order mark or without."""
# UTF-8 needs no declaration: one behind a byte order mark, or of UTF-16, may be wrong
_DECLARED = re.compile(
    rb"\A(?:\xef\xbb\xbf(\s*)(?:<\?xml\b[^>]*>)?"
    rb"|(\s*)<\?xml\b[^>]*encoding\s*=\s*[\"'](?i:utf|ucs)-?(?:16|32|2|4)[^>]*>)"
)
_BLANK_FIRST = re.compile(rb"\A(\s+)(<\?xml\b[^>]*>)")
# form feeds and the like, also as &#12;
_CONTROL = re.compile(
    rb"(?i)[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]"
    rb"|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[\da-f]|fff[ef]));"
)

LABEL = etree.XPath("string(label)")
"""The number or name of an entry, a figure ...; "" if it has none."""


def parse(content: bytes, file: Path | None = None) -> Element:
    """Parse XML in whatever encoding; nothing is fetched, and no entity is expanded.

    What older files leave to a document type is read without it: prefixes (``mml:math``) and named
    characters (``&alpha;``). What is cut off or wrongly nested is refused.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        recover=True,
        # for long texts and deep nesting; in attributes entities are expanded, and without limits
        huge_tree=b"<!ENTITY" not in content,
    )
    root = etree.fromstring(in_utf8(content), parser)
    for error in parser.error_log.filter_from_errors():
        if error.type_name not in HARMLESS:
            raise DataError(f"not well-formed XML ({error.message})", file=file, line=error.line)
    if root is None:
        raise DataError("not well-formed XML (no element in it)", file=file)
    for entity in root.iter(etree.Entity):
        entity.tail = unescape(entity.text) + (entity.tail or "")
    # the second is when somebody looked, not when the work came out
    etree.strip_elements(root, etree.Entity, "date-in-citation", with_tail=False)
    tidy(root)
    for tex in root.iter("tex-math"):
        text = "" if tex.xpath("../math") else tex.text or ""
        frame = r"(?s)\\documentclass.*?\\begin\{document\}|\\end\{document\}"
        tex.text = re.sub(frame, "", text)
    return root


def in_utf8(content: bytes) -> bytes:
    r"""Mend how a file begins, and replace by spaces what XML forbids and converters leave.

    >>> in_utf8(b"\n<?xml version='1.0' encoding='utf-16'?><p>nine\x0c days&#12; and &#x3b1;</p>")
    b'\n<p>nine  days  and &#x3b1;</p>'
    """
    for start, encoding in UTF16.items():
        if content.startswith(start):
            content = content.decode(encoding, "replace").encode("utf-8-sig")
    content = _DECLARED.sub(rb"\1\2", content)
    # errors name lines, so the blank ones go behind the declaration
    content = _BLANK_FIRST.sub(rb"\2\1", content)
    return _CONTROL.sub(b" ", content)


def tidy(root: Element) -> None:
    """Name elements without namespaces, and set words apart."""
    for element in root.iter():
        # "{...}math", or "mml:math" where nothing declares "mml"
        tag = element.tag = re.split("[}:]", element.tag)[-1]
        if tag in BREAKS:
            element.text = f" {element.text or ''}"
            element.tail = f" {element.tail or ''}"
        elif tag in GROUPS:
            for part in element[:-1]:
                part.tail = part.tail or " "
    put_sources_behind(root)


def put_sources_behind(root: Element) -> None:
    """Move the source of a quotation to the end of its last paragraph."""
    # a list, because the tree changes
    for source in [*root.iter("attrib")]:
        quotation = source.getprevious()
        if source.getparent().tag in QUOTATIONS and quotation is not None and quotation.tag == "p":
            source.text = f" {source.text or ''}"
            quotation.append(source)


def plain(element: Element) -> str:
    """Return all text of an element; white space is squeezed, accents are composed."""
    return squeeze(normalize("NFC", "".join(element.itertext())))


def title_of(element: Element) -> str:
    """Return a title without footnotes and their marks."""
    title = deepcopy(element)
    etree.strip_elements(title, *LINKS, *NOTES, *SILENT, with_tail=False)
    return plain(title).rstrip("*†‡§¶# ")


def has_text(element: Element) -> bool:
    """Tell whether text stands in an element itself, not only in elements inside."""
    return any(map(str.strip, element.xpath("text()")))


def holds(element: Element, tags: Iterable[str]) -> bool:
    """Tell whether an element of some name is inside another."""
    return next(element.iterdescendants(*tags), None) is not None


def targets(link: Element) -> tuple[str, ...]:
    """Return the ids that a link points to."""
    pointers = link.get("rid") or link.get("target", "").replace("#", " ")
    return tuple(pointers.split())


def kind_of(link: Element) -> str:
    """Return what a link says that it points to, "" if nothing."""
    return link.get("ref-type") or link.get("type", "")
