"""Read an article from whatever file somebody has: JATS, TEI, plain text, Markdown or PDF."""

import re
from collections import Counter
from pathlib import Path

from citectx.corpora.article_xml import parse_jats, parse_tei
from citectx.corpora.files import Reporter, decode
from citectx.corpora.markup import name, parse
from citectx.corpora.model import Document, Finding
from citectx.corpora.references import Article, Work
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.errors import DataError, MissingDataError

READERS = {"article": parse_jats, "TEI": parse_tei}


def read_article(path: Path | str) -> Article:
    """Read an article, whatever its format.

    The content decides: XML begins with ``<``, and PDF with ``%PDF``; anything else is text, Markdown if its
    name ends in ``.md`` or a line begins with ``#``. What is called ``.xml`` must be XML. Text and PDF have
    no reference list that could be read.

    Parameters
    ----------
    path : Path or str

    Returns
    -------
    Article
        With the file's name, without ending, as the document's id.

    Raises
    ------
    MissingDataError
        If there is no such file, or the library that reads PDF is not installed.
    DataError
        If the file is empty, is XML of another kind, or holds no text.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}; expected JATS, TEI, text, Markdown or PDF")
    content = path.read_bytes()
    if content.startswith(b"%PDF"):
        article = _of_text(path, pdf_text(content, path.name), [])
    elif path.suffix.lower() == ".xml" or _is_xml(content):
        article = _of_xml(path, content)
    else:
        findings: list[Finding] = []
        text = decode(content, "cp1252", Reporter(findings, path.name)).lstrip("\ufeff")
        if "\x00" in text:
            raise DataError("is no text: expected JATS, TEI, text, Markdown or PDF", file=path.name)
        article = _of_text(path, text, findings)
    if not article.document.text.strip():
        raise DataError("holds no text", file=path.name)
    return article


def read_citing(path: Path | str) -> Article:
    """Read a citing article, which has to be XML: only there can its references be followed.

    Raises
    ------
    DataError
        If it is text or PDF, or as `read_article`.
    """
    article = read_article(path)
    if not article.links and not article.references and not _is_xml(Path(path).read_bytes()):
        raise DataError(
            "a citing article must be XML (JATS or TEI), so that its reference list can be followed; "
            "GROBID makes TEI from PDF, or name the sentences with --cites",
            file=Path(path).name,
        )
    return article


def _is_xml(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _of_xml(path: Path, content: bytes) -> Article:
    root = parse(content, path.name)
    found = [root] if name(root) in READERS else [e for e in root.iter() if name(e) in READERS]
    if len(found) != 1:
        raise DataError(f"expected one <article> or <TEI>, found {len(found)}", file=path.name)
    return READERS[name(found[0])](path.stem.removesuffix(".tei"), found[0])


def _of_text(path: Path, text: str, findings: list[Finding]) -> Article:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    marked = path.suffix.lower() in (".md", ".markdown") or re.search(r"^#{1,6} \S", text, re.MULTILINE)
    blocks = markdown_blocks(text) if marked else plain_blocks(text)
    document = Document(path.stem, text, blocks)
    title = next((text[b.start : b.end] for b in document.blocks if b.kind == "title"), "")
    return Article(document, Work(title), findings=tuple(findings))


def pdf_text(content: bytes, file: str) -> str:
    """Return the text of a PDF: lines joined where a word is broken, ligatures as letters, no page numbers.

    Lost: sections and captions are guessed from the look of lines, formulas and tables are scrambled, notes
    are where the page has them, and superscript citations stick to words.

    Raises
    ------
    MissingDataError
        If pypdf is not installed.
    DataError
        If the file is damaged or locked, or has no text, as scans have not.
    """
    try:
        import pypdf
    except ImportError as error:
        raise MissingDataError("PDF needs the library pypdf: pip install 'citectx[pdf]'") from error
    from io import BytesIO

    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(BytesIO(content)).pages]
    except Exception as error:  # pypdf raises whatever a damaged file makes happen
        raise DataError(f"cannot be read as PDF ({error})", file=file) from error
    text = "\n".join(_without_running_lines(pages)).translate(_LIGATURES)
    text = re.sub(r"(?<=[^\W\d_]{2})[-\u00ad]\n(?=[a-z])", "", text)
    if sum(map(str.isalpha, text)) < 100:
        raise DataError("has no readable text; if it is a scan, run text recognition (OCR) first", file=file)
    return text


_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\x00": " "})


def _without_running_lines(pages: list[str]) -> list[str]:
    """Drop page numbers, and lines that open or close several pages."""
    split = [[line for line in page.splitlines() if not re.fullmatch(r"\s*\d*\s*", line)] for page in pages]
    ends = Counter(line for page in split for line in {*page[:2], *page[-2:]})
    return ["\n".join(line for line in page if ends[line] < 3) for page in split]


def article_of(text: str, name: str = "article") -> Article:
    r"""Make an article of plain text or Markdown.

    >>> article_of("# On rest\n\nCells rest.\n").work.title
    'On rest'
    """
    return _of_text(Path(f"{name}.txt"), text, [])
