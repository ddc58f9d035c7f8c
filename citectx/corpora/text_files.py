"""What the readers share: files as text, tables with the place of each row, and names."""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from citectx.errors import DataError, MissingDataError


@dataclass(frozen=True)
class Row:
    """The fields of a line, its place, and a finding per fault."""

    fields: dict[str, str]
    path: Path
    line: int
    findings: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.fields[name]

    def note(self, message: str) -> None:
        """Add a finding."""
        self.findings.append(f"{self.path.name}:{self.line}: {message}")

    def error(self, message: str) -> DataError:
        """Return an error about this line."""
        return DataError(message, file=self.path, line=self.line)


def need_folder(folder: Path, what: str, remedy: str) -> Path:
    """Return the folder; raise a `MissingDataError` if it is not there."""
    if not folder.is_dir():
        raise MissingDataError(f"{folder} is not a folder; expected {what} there. {remedy}")
    return folder


def listing(folder: Path, pattern: str = "*") -> list[Path]:
    """List the files of a folder that match a pattern, sorted, without hidden ones."""
    return sorted(path for path in folder.glob(pattern) if path.name[0] != ".")


def read_text(path: Path, fallback: str = "") -> str:
    """Read UTF-8, UTF-16 with a byte order mark, or the fallback encoding; keep line ends."""
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}")
    content = path.read_bytes()
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        if not fallback:
            message = f"byte {error.start} is not UTF-8; save the file as UTF-8"
            raise DataError(message, file=path) from error
        text = content.decode(fallback, errors="replace")
    return text


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

    Optional columns are "" where they are missing; None allows any further column. The line of a
    row that holds line breaks is its last one.
    """
    lines = _csv_lines(path)
    _, header = lines[0] if lines else (1, [])
    missing = [name for name in required if name not in header]
    if missing:
        hint = "; separate columns by commas" if re.search(r"[;\t]", "".join(header)) else ""
        raise DataError(f"lacks the columns {', '.join(missing)}{hint}", file=path, line=1)
    known = {*header} if optional is None else {*required, *optional}
    if odd := Counter(header) - Counter(known):
        message = f"columns unknown or there twice: {shown(', '.join(odd))}"
        raise DataError(f"{message}; known: {', '.join(sorted(known))}", file=path, line=1)
    for line, values in lines[1:]:
        row = Row(dict.fromkeys(known, ""), path, line)
        if len(values) != len(header):
            raise row.error(f"has {len(values)} fields, expected {len(header)}")
        row.fields.update(zip(header, values, strict=True))
        yield row


def _csv_lines(path: Path) -> list[tuple[int, list[str]]]:
    reader = csv.reader(StringIO(unix_lines(read_text(path))), strict=True)
    try:
        lines = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except csv.Error as error:
        message = f"not a table in CSV: {error}"
        raise DataError(message, file=path, line=reader.line_num) from error
    return [(number, fields) for number, fields in lines if any(fields)]


def shown(text: str) -> str:
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
    parts = re.split(r"(\d+)", str(name))
    return [int(part) if part.isdecimal() else part for part in parts]


def listed(value: str) -> tuple[str, ...]:
    """Split a printed list, however it is quoted, without empty and repeated items."""
    items = map(str.strip, re.split(r"[\[\]'\"‘’;,]", value))
    return tuple(dict.fromkeys(filter(None, items)))
