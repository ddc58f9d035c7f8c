"""What the readers share: files as text, tables with the place of each row, and names."""

import codecs
import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from citectx.errors import DataError, MissingDataError
from citectx.types import Span

NAME = re.compile(r"[^\s:]+")
"""Names of topics and citances; blanks and colons are separators in files of runs."""


@dataclass(frozen=True)
class Row:
    """The fields of a line, and its place."""

    fields: dict[str, str]
    path: Path
    line: int

    def __getitem__(self, name: str) -> str:
        return self.fields[name]

    def name(self, field: str) -> str:
        """Return the name of a topic or citance, which files of runs can hold."""
        if not NAME.fullmatch(self[field]):
            raise self.error(f"{field} is {in_quotes(self[field])}; expected no blank and no colon")
        return self[field]

    def finding(self, message: str) -> str:
        """Return a finding about this line."""
        return f"{self.path.name}:{self.line}: {message}"

    def error(self, message: str) -> DataError:
        """Return an error about this line."""
        return DataError(message, file=self.path, line=self.line)


def need_folder(folder: Path, what: str, remedy: str) -> Path:
    """Return the folder; raise a `MissingDataError` if it is not there."""
    if not folder.is_dir():
        raise MissingDataError(f"{folder} is not a folder; expected {what} there. {remedy}")
    return folder


def need_part(folder: Path, part: Path, source: str) -> Path:
    """Return a part of a source in the upstream repository; without it, say how to get it."""
    top = part.parts[0]
    remedy = f"Run `citectx fetch {source}`, or name the folder that holds {top}."
    return need_folder(folder / part, f"a part of {source}", remedy)


def listing(folder: Path, pattern: str = "*") -> list[Path]:
    """List the files of a folder that match a pattern, sorted as `natural`, no hidden ones."""
    return sorted((path for path in folder.glob(pattern) if path.name[0] != "."), key=natural)


def read_bytes(path: Path, what: str = "") -> bytes:
    """Read a file or a pipe, such as ``/dev/stdin``; `what` says what is expected in it.

    A MissingDataError tells a folder from what is not there.
    """
    if path.is_dir():
        detail = f" (expected {what})" if what else ""
        raise MissingDataError(f"{path} is a folder: name files{detail}")
    if not path.exists():
        detail = f": expected {what}" if what else ""
        raise MissingDataError(f"there is no file {path}{detail}")
    return path.read_bytes()


def read_text(path: Path, fallback: str = "") -> str:
    """Read UTF-8, UTF-16 with a byte order mark, or the fallback encoding; keep line ends.

    Gzipped files are unpacked, whatever their name.
    """
    content = read_bytes(path)
    # the two bytes with which every gzip file begins
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise DataError(f"cannot be unpacked: {error}", file=path) from error
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        if fallback:
            return content.decode(fallback, errors="replace")
        raise DataError(
            f"byte {error.start} is not UTF-8; save the file as UTF-8", file=path
        ) from error


def unix_lines(text: str) -> str:
    r"""Remove carriage returns; where they end the lines alone, replace them by line feeds.

    >>> unix_lines("Cells\r\nrest.\r\n"), unix_lines("Cells\rrest.\r")
    ('Cells\nrest.\n', 'Cells\nrest.\n')
    """
    return text.replace("\r", "" if "\n" in text else "\n")


def numbered_lines(path: Path, fallback: str = "") -> Iterator[tuple[int, str]]:
    """Iterate over the lines of a file that are not blank, with their numbers from 1."""
    # Not splitlines, which breaks at form feeds, too.
    lines = unix_lines(read_text(path, fallback)).split("\n")
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def csv_rows(
    path: Path, required: Sequence[str], optional: Sequence[str] | None = None
) -> Iterator[Row]:
    """Iterate over the rows of a table in CSV that has a header; fields are stripped.

    Optional columns are "" where they are missing; None allows any further column. Empty columns
    without a name, which spreadsheets write at the end, are cut. The line of a row that holds line
    breaks is its last one.
    """
    lines = _csv_lines(path)
    number, printed = next(lines, (1, []))
    header = list(printed)
    # a spreadsheet writes ',,' after the last column that was ever used
    while header and not header[-1]:
        header.pop()
    if missing := [name for name in required if name not in header]:
        found = in_quotes(",".join(header))
        message = f"lacks the columns {', '.join(missing)}; found {found}. "
        message += "The first line names the columns, with commas between them"
        raise DataError(message, file=path, line=number)
    known = {*header} if optional is None else {*required, *optional}
    # what is left is unknown, or is named once too often
    if odd := Counter(header) - Counter(known):
        message = f"columns unknown or there twice: {in_quotes(', '.join(odd))}; "
        message += f"known: {', '.join(sorted(known))}"
        raise DataError(message, file=path, line=number)
    for line, values in lines:
        row = Row(dict.fromkeys(known, ""), path, line)
        # as long as the header was printed, and nothing in the columns that were cut
        if len(values) != len(printed) or any(values[len(header) :]):
            raise row.error(f"has {len(values)} fields, expected {len(header)}")
        row.fields.update(zip(header, values, strict=False))
        yield row


def _csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(StringIO(unix_lines(read_text(path))), strict=True)
    try:
        for printed in reader:
            fields = [field.strip() for field in printed]
            if any(fields):
                yield reader.line_num, fields
    except csv.Error as error:
        raise DataError(f"not a table in CSV: {error}", file=path, line=reader.line_num) from error


def in_quotes(text: str) -> str:
    """Quote a text for a message, shortened."""
    return repr(text if len(text) <= 120 else f"{text[:119]}…")


def squeeze(text: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(text.split())


def bare(name: str) -> str:
    """Reduce a name or text to its letters and digits, so that copies can be recognised."""
    return re.sub(r"[\W_]+", "", name).casefold()


def natural(name: object) -> list[int | str]:
    """Return a key that sorts numbers inside names or paths by their value."""
    # text and numbers in turn, so that texts meet texts: ["T", 10, ".txt"]
    parts = re.split(r"(\d+)", str(name))
    return [int(part) if part.isdecimal() else part for part in parts]


def occurrences(quote: str, text: str) -> list[Span]:
    r"""Find a quote in a text, whatever white space is between its words.

    >>> occurrences("cells  rest", "If cells\nrest, cells rest.")
    [Span(start=3, end=13), Span(start=15, end=25)]
    """
    pattern = r"\s+".join(map(re.escape, quote.split()))
    return [Span(*match.span()) for match in re.finditer(pattern, text)]
