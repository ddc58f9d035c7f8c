"""What the readers share: files as text, lines and tables, and findings with their place.

Input may be anything: what cannot be read ends in a finding or a `DataError` that names the file,
and no pattern here takes time that grows with the square of a line's length.
"""

import codecs
import csv
import io
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from citectx import reading
from citectx.corpora.model import Action, Corpus, Finding, Topic
from citectx.errors import DataError, MissingDataError

LISTENERS = logging.getLogger("citectx.findings")
"""Logs each corpus that has findings; the command line shows the log, notebooks do not."""


@dataclass(frozen=True)
class Reporter:
    """Collects findings about one file, or about one line of it.

    >>> found = []
    >>> Reporter(found, "D1401.A.ann.txt").at(7)("skipped", "expected 12 fields, found 9")
    >>> print(*found)
    D1401.A.ann.txt:7: skipped: expected 12 fields, found 9
    """

    findings: list[Finding]
    file: str
    line: int | None = None

    def at(self, line: int) -> "Reporter":
        """Return a reporter for a line (1-based) of the same file."""
        return Reporter(self.findings, self.file, line)

    def __call__(self, action: Action, message: str) -> None:
        """Add a finding."""
        finding = Finding(self.file, self.line, action, cut(message, 1000))
        self.findings.append(finding)

    @contextmanager
    def attempt(self, action: Action) -> Iterator[None]:
        """Turn an error in the block into a finding, after which the block ends."""
        try:
            yield
        except DataError as error:
            here = self.at(error.line) if error.line else self
            here(action, error.message)

    def error(self, message: str) -> DataError:
        """Build an error about this place."""
        return DataError(message, file=self.file, line=self.line)


Row = tuple[dict[str, str], Reporter]
"""The fields of a row, or of an annotation, by their names, and its place."""

Line = tuple[str, Reporter]
"""A line and its place."""


@dataclass(frozen=True)
class Release:
    """The files below a folder, and what was found in them while they were read.

    Parameters
    ----------
    name : str
        Of the corpus or vocabulary.
    root : Path
        Findings name files by their path below it.
    """

    name: str
    root: Path
    found: list[Finding] = field(default_factory=list)

    def __call__(self, path: Path) -> Reporter:
        """Return the reporter of a file."""
        return Reporter(self.found, path.relative_to(self.root).as_posix())

    def text(self, path: Path, fallback: str = "cp1252") -> str:
        """Return the text of a file, see `decode`.

        Raises
        ------
        MissingDataError
            If the file is not there.
        """
        if not reading.there(path):
            raise MissingDataError(f"{path} is not there; expected a file of {self.name}")
        return decode(reading.read_bytes(path), fallback, self(path))

    def lines(self, path: Path, fallback: str = "cp1252") -> list[Line]:
        """Return the lines of a file that are not blank, or note that it holds nothing."""
        report = self(path)
        lines = self.text(path, fallback).replace("\r", "").split("\n")
        found = [(line, report.at(n)) for n, line in enumerate(lines, 1) if line.strip()]
        if not found:
            report("noted", "holds nothing")
        return found

    def corpus(self, topics: Iterable[Topic], *, allow_missing: bool) -> Corpus:
        """Finish reading a corpus; raises as `findings` does."""
        found = self.findings(allow_missing=allow_missing)
        return Corpus(self.name, tuple(topics), found)

    def findings(self, *, allow_missing: bool = True) -> tuple[Finding, ...]:
        """Finish reading: log how much was found, and return it.

        Raises
        ------
        DataError
            If a topic was lost, unless `allow_missing` is set.
        """
        lost = [finding for finding in self.found if finding.action == "lost"]
        if lost and not allow_missing:
            message = f"{len(lost)} topics of {self.name} cannot be read, the first is {lost[0]}"
            raise DataError(f"{message}. {_ADVICE}")
        counts = Counter(finding.action for finding in self.found)
        if counts:
            parts = ", ".join(f"{counts[action]} {action}" for action in sorted(counts))
            message = "%d findings in %s (%s); see citectx.load(%r).findings"
            LISTENERS.info(message, counts.total(), self.name, parts, self.name)
        return tuple(self.found)


_ADVICE = (
    "Mend the files, or go on without those topics: --allow-missing (in Python allow_missing=True)"
)


def need_folder(folder: Path, what: str, remedy: str) -> Path:
    """Return the folder if it is there.

    Raises
    ------
    MissingDataError
        Naming the folder, what it should be, and what to do.
    """
    if not folder.is_dir():
        raise MissingDataError(f"{folder} is not a folder; expected {what} there. {remedy}")
    return folder


def decode(content: bytes, fallback: str, report: Reporter) -> str:
    r"""Decode UTF-8, or UTF-16 and UTF-32 with a byte order mark, or else a one-byte encoding.

    All but UTF-8 is reported, and so are NUL characters, as of UTF-16 without its mark. A byte
    order mark does not belong to the text. Line ends stay unchanged, because offsets count them.

    >>> found = []
    >>> decode("Müller\r\n".encode("latin-1"), "iso-8859-1", Reporter(found, "a.txt"))
    'Müller\r\n'
    >>> print(*found)
    a.txt: repaired: byte 1 is not UTF-8; the file is read as iso-8859-1
    """
    for encoding, marks in _MARKS.items():
        if content.startswith(marks):
            report("repaired", f"the file is read as {encoding}, whose byte order mark it has")
            return content.decode(encoding, errors="replace")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report("repaired", f"byte {error.start} is not UTF-8; the file is read as {fallback}")
        text = content.removeprefix(codecs.BOM_UTF8).decode(fallback, errors="replace")
    nuls = text.count("\0")
    if nuls:
        report("noted", f"holds {nuls} NUL characters; save the file as UTF-8")
    return text


# UTF-32 comes first, as its mark begins like that of UTF-16.
_MARKS = {
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


def csv_rows(
    text: str,
    report: Reporter,
    wanted: Sequence[str],
    extra: Sequence[str] = (),
    skip: bool = False,
    tsv: bool = False,
) -> Iterator[Row]:
    r"""Iterate over a table in CSV: stripped fields by column, and their line.

    Parameters
    ----------
    text : str
    report : Reporter
        Of the file.
    wanted : sequence of str
        Columns that must be there.
    extra : sequence of str
        Columns that may be there, "" where they are not; if none are given, any may be.
    skip : bool
        Skip rows with another number of fields, with a finding, where an error would be raised.
    tsv : bool
        Whether columns are separated by tabs, without quotes.

    Raises
    ------
    DataError
        If it is not CSV, a column is missing, unknown or there twice, or a row has another number
        of fields.

    Examples
    --------
    >>> [(row, here.line) for row, here in csv_rows("a,b\n1,2\n", Reporter([], "x.csv"), ["a"])]
    [({'a': '1', 'b': '2'}, 2)]
    """
    options: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tsv else {}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, **options)
    here = report.at(1)
    try:
        header = [name.strip() for name in next(filter(any, reader), [])]
        _check_header(header, wanted, extra or header, here)
        here = report.at(reader.line_num + 1)
        for values in reader:
            if len(values) == len(header) and any(values):
                fields = zip(header, map(str.strip, values), strict=True)
                yield dict.fromkeys(extra, "") | dict(fields), here
            elif any(values):
                message = f"has {len(values)} fields, expected {len(header)}"
                if not skip:
                    raise here.error(message)
                here("skipped", message)
            here = report.at(reader.line_num + 1)
    except csv.Error as error:
        raise here.error(f"not a table in CSV: {error}") from error


def _check_header(
    header: Sequence[str], wanted: Sequence[str], extra: Sequence[str], here: Reporter
) -> None:
    missing = [name for name in wanted if name not in header]
    if missing:
        hint = "; separate columns by commas" if re.search(r"[;\t]", "".join(header)) else ""
        raise here.error(f"lacks the columns {', '.join(missing)}{hint}")
    counts, known = Counter(header), {*wanted, *extra}
    odd = [name for name in counts if name not in known or counts[name] > 1]
    if odd:
        message = f"columns unknown or there twice: {cut(repr(odd))}; known: {', '.join(known)}"
        raise here.error(message)


def cut(text: str, limit: int = 120) -> str:
    """Shorten a text for a message.

    >>> cut("Cells " * 9, limit=20)
    'Cells Cells Cells C…'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def shown(text: str, limit: int = 120) -> str:
    """Quote a text for a message, shortened."""
    return repr(cut(text, limit))


def owner(name: str, topics: Iterable[str]) -> str | None:
    """Return the topic that a file's name begins with; if there are several, the longest.

    >>> owner("rest.B.human.txt", ["rest", "rest.B"]), owner("restless.A.txt", ["rest"])
    ('rest.B', None)
    """
    fitting = [topic for topic in topics if name.startswith((f"{topic}.", f"{topic}_"))]
    return max(fitting, key=len, default=None)


def squeeze(text: str) -> str:
    r"""Replace each run of white space by one space.

    >>> squeeze(" cells\n  rest ")
    'cells rest'
    """
    return " ".join(text.split())


def bare(name: str) -> str:
    """Reduce a name or text to its letters and digits, so that copies can be recognised.

    >>> bare("O'Doe, Roe-2_a") == bare('odoe roe 2a')
    True
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def natural(name: str) -> list[Decimal | str]:
    """Return a key that sorts numbers inside names by their value.

    >>> sorted(["PMC5_10", "PMC5_9", "PMC12_1"], key=natural)
    ['PMC5_9', 'PMC5_10', 'PMC12_1']
    """
    parts = re.split(r"(\d+)", name)
    # Decimal, as int refuses thousands of digits
    return [Decimal(part) if i % 2 else part for i, part in enumerate(parts)]


def listed(value: str) -> tuple[str, ...]:
    """Split a printed list, however it is quoted, without empty and repeated items.

    >>> listed("['Method_Citation', 'Aim_Citation']"), listed("Method_Citation")
    (('Method_Citation', 'Aim_Citation'), ('Method_Citation',))
    >>> listed("['1','94', '1']")
    ('1', '94')
    """
    items = map(str.strip, re.split(r"[\[\]'\"‘’;,]", value))
    return tuple(dict.fromkeys(filter(None, items)))
