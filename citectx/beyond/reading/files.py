"""Files of articles: their names, what is below a folder, and what a file is instead.

>>> name_of(Path("papers/PMC17/fulltext.xml")), name_of(Path("rest.tei.xml"))
('PMC17', 'rest')
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from unicodedata import normalize
from zipfile import BadZipFile, ZipFile

from citectx.corpora.text_files import natural, read_bytes
from citectx.errors import DataError, MissingDataError

ENDINGS = (".xml", ".nxml", ".xml.gz", ".nxml.gz")
"""How files of articles end; PubMed Central has the second."""
FULL_TEXT = ("fulltext", "fulltext.xml")
"""What getpapers and pygetpapers call every article, in a folder that has its name."""
JATS_OF_PMC = (
    "take the article in JATS: "
    "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC…/fullTextXML has it"
)
GROBID = "GROBID makes TEI of a PDF: docs/your-paper.md shows the commands"

# UTF-8 or UTF-16
_XML = re.compile(rb"[\xef\xbb\xbf\xff\xfe\0\s]*<")
_HTML = re.compile(rb"(?is)[\xef\xbb\xbf\s]*(?:<!doctype\s+html|<html\b)")


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
    if not content.strip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"):
        problem = "is empty; download or copy it again"
    elif _HTML.match(content) and b"<tei" not in content:
        problem = "is a web page (HTML), not XML; " + JATS_OF_PMC
    elif _XML.match(content):
        return
    elif content.startswith(b"%PDF"):
        problem = "is a PDF, not XML; " + GROBID
    elif content.startswith(b"PK"):
        problem = archive(file)
    elif content.startswith(b"\xd0\xcf\x11\xe0"):
        problem = "is a file of Word (.doc), not XML; save it as PDF, and " + GROBID
    else:
        problem = json_or_text(content)
    raise DataError(problem, file=file)


def archive(file: Path | None) -> str:
    """Say what an archive is."""
    try:
        names = ZipFile(file).namelist() if file else []
    except (BadZipFile, OSError):
        names = []
    if any(name.startswith("word/") for name in names):
        return "is a file of Word (.docx), not XML; save it as PDF, and " + GROBID
    return "is a ZIP archive, not XML; unpack it, and name the .xml in it"


def json_or_text(content: bytes) -> str:
    """Say what a text is that is not XML."""
    try:
        read = json.loads(content)
    except (ValueError, RecursionError):
        return "is not XML; " + GROBID
    if not isinstance(read, (dict, list)):
        return "is not XML; " + GROBID
    parts = read if isinstance(read, list) else [read]
    if any("documents" in part for part in parts if isinstance(part, dict)):
        return "is BioC (JSON), which has no reference list; " + JATS_OF_PMC
    return "is JSON, not XML; " + JATS_OF_PMC
