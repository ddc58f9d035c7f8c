"""Files of articles: their names, what is below a folder, and what a file is instead.

>>> name_of(Path("papers/PMC17/fulltext.xml")), name_of(Path("rest.tei.xml"))
('PMC17', 'rest')
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from unicodedata import normalize

from citectx.corpora.text_files import natural, read_bytes
from citectx.errors import DataError, MissingDataError

ENDINGS = (".xml", ".nxml", ".xml.gz", ".nxml.gz")
"""How files of articles end; PubMed Central has the second."""
FULL_TEXT = ("fulltext", "fulltext.xml")
"""The file name that getpapers and pygetpapers give every article, in a folder with its name."""
JATS_OF_PMC = (
    "take the article in JATS: "
    "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC…/fullTextXML has it"
)
GROBID = "GROBID makes TEI of a PDF: docs/your-paper.md shows the commands"

_BEGINNINGS = {
    rb"[\xef\xbb\xbf\xff\xfe\0\s]*$": "is empty; download or copy it again",
    rb"[\xef\xbb\xbf\s]*<(?:!doctype\s+)?html\b(?!.*<tei)": f"is a web page (HTML); {JATS_OF_PMC}",
    # in UTF-8 or UTF-16
    rb"[\xef\xbb\xbf\xff\xfe\0\s]*<": "",
    rb"%PDF": f"is a PDF, not XML; {GROBID}",
    rb"PK.*word/": f"is a file of Word (.docx), not XML; save it as PDF, and {GROBID}",
    rb"PK": "is a ZIP archive, not XML; unpack it, and name the .xml in it",
    rb"\xd0\xcf\x11\xe0": f"is a file of Word (.doc), not XML; save it as PDF, and {GROBID}",
    rb"\s*[\[{].*\"documents\"": f"is BioC (JSON), which has no reference list; {JATS_OF_PMC}",
    rb"\s*[\[{]\s*[\[{\"\]}]": f"is JSON, not XML; {JATS_OF_PMC}",
    rb"": f"is not XML; {GROBID}",
}
"""How files begin, and what is wrong with those that are not XML; the first that fits counts."""


def name_of(path: Path) -> str:
    """Return the name of an article by its file, composed (NFC): macOS decomposes accents."""
    name = path.name
    for ending in (".gz", ".xml", ".nxml", ".tei", ".grobid"):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    if name.lower() in FULL_TEXT:
        name = path.absolute().parent.name or name
    return normalize("NFC", name)


def files_below(paths: Iterable[Path | str]) -> Iterator[Path]:
    """Yield files as they are given, and those of articles below folders, sorted by name."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        listed = [file for file in path.rglob("*") if is_article(file.relative_to(path))]
        if not listed:
            raise MissingDataError(
                f"{path} holds no .xml or .nxml; expected articles in JATS or TEI"
            )
        yield from sorted(listed, key=natural)


def is_article(path: Path) -> bool:
    """Tell by its name whether a file may be an article; nothing hidden is one."""
    is_hidden = any(part.startswith(".") for part in path.parts)
    return path.name.lower().endswith(ENDINGS) and not is_hidden


def content_of(path: Path) -> bytes:
    """Read a file or a pipe, which may be gzipped."""
    content = read_bytes(path, "an article in JATS or TEI")
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"cannot be unpacked: {error}", file=path) from error


def check_format(content: bytes, file: Path | None = None) -> None:
    """Raise a DataError that says what a file is, and what to do, if it is not XML."""
    fitting = [
        problem for start, problem in _BEGINNINGS.items() if re.match(b"(?is)" + start, content)
    ]
    if fitting[0]:
        raise DataError(fitting[0], file=file)
