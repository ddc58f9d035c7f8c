"""What the readers share: files as text, lines, tables and JSON, annotation lines, and findings
with their place.

Annotation lines are TAC's ``Key: value | Key: value |`` with printed offsets, and BRAT standoff.

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
from typing import Any, NamedTuple

from citectx.corpora.model import Action, Finding
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

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
        self.findings.append(Finding(self.file, self.line, action, cut(message, 1000)))

    @contextmanager
    def attempt(self, action: Action) -> Iterator[None]:
        """Turn an error in the block into a finding, after which the block ends."""
        try:
            yield
        except DataError as error:
            (self if error.line is None else self.at(error.line))(action, error.message)

    def error(self, message: str) -> DataError:
        """Build an error about this place."""
        return DataError(message, file=self.file, line=self.line)


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
        if not path.is_file():
            raise MissingDataError(f"{path} is not there; expected a file of {self.name}")
        return decode(path.read_bytes(), fallback, self(path))

    def lines(self, path: Path, fallback: str = "cp1252") -> list[tuple[str, Reporter]]:
        """Return the lines of a file that are not blank, each with its reporter; note a file
        without any.
        """
        report = self(path)
        lines = self.text(path, fallback).replace("\r", "").split("\n")
        found = [(line, report.at(n)) for n, line in enumerate(lines, 1) if line.strip()]
        if not found:
            report("noted", "holds nothing")
        return found

    def findings(self, *, allow_missing: bool = True) -> tuple[Finding, ...]:
        """Finish reading: log how much was found, and return it.

        Raises
        ------
        DataError
            If a topic was lost, unless `allow_missing` is set.
        """
        lost = [finding for finding in self.found if finding.action == "lost"]
        if lost and not allow_missing:
            advice = "Mend the files, or go on without those topics: --allow-missing (in Python allow_missing=True)"
            raise DataError(
                f"{len(lost)} topics of {self.name} cannot be read, the first is {lost[0]}. {advice}"
            )
        counts = Counter(finding.action for finding in self.found)
        if counts:
            parts = ", ".join(f"{counts[action]} {action}" for action in sorted(counts))
            message = "%d findings in %s (%s); see citectx sources --findings %s"
            LISTENERS.info(message, counts.total(), self.name, parts, self.name)
        return tuple(self.found)


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
    order mark is no part of the text. Line ends stay as they are, because offsets count them.

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
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        report("repaired", f"byte {error.start} is not UTF-8; the file is read as {fallback}")
        text = content.decode(fallback, errors="replace")
    if "\0" in text:
        report("noted", f"holds {text.count(chr(0))} NUL characters; save the file as UTF-8")
    return text


_MARKS = {
    "utf-32": (
        codecs.BOM_UTF32_LE,
        codecs.BOM_UTF32_BE,
    ),  # first: its mark begins like that of UTF-16
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


Row = tuple[dict[str, str], Reporter]
"""The fields of a row, or of an annotation, by their names, and its place."""

Line = tuple[str, Reporter]
"""A line and its place."""


def csv_rows(
    text: str,
    report: Reporter,
    wanted: Sequence[str],
    extra: Sequence[str] = (),
    skip: bool = False,
    tsv: bool = False,
) -> Iterator[Row]:
    r"""Iterate over a table in CSV: fields by column without the white space around them, and their
    line.

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
    dialect: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tsv else {}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, **dialect)
    here = report.at(1)
    try:
        header = [name.strip() for name in next(filter(any, reader), [])]
        if missing := [name for name in wanted if name not in header]:
            hint = "; separate columns by commas" if re.search(r"[;\t]", "".join(header)) else ""
            raise here.error(f"lacks the columns {', '.join(missing)}{hint}")
        known = {*wanted, *(extra or header)}
        if odd := [
            name for name, count in Counter(header).items() if name not in known or count > 1
        ]:
            raise here.error(
                f"columns unknown or there twice: {cut(repr(odd))}; known: {', '.join(known)}"
            )
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
    return max((t for t in topics if name.startswith((f"{t}.", f"{t}_"))), key=len, default=None)


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
    # Decimal, as int refuses thousands of digits
    return [Decimal(part) if i % 2 else part for i, part in enumerate(re.split(r"(\d+)", name))]


def listed(value: str) -> tuple[str, ...]:
    """Take a printed list apart, however it is quoted, without empty and repeated items.

    >>> listed("['Method_Citation', 'Aim_Citation']"), listed("Method_Citation"), listed("['1','94', '1']")
    (('Method_Citation', 'Aim_Citation'), ('Method_Citation',), ('1', '94'))
    """
    items = (item.strip() for item in re.split(r"[\[\]'\"‘’;,]", value))
    return tuple(dict.fromkeys(item for item in items if item))


def pipe_fields(line: str, keys: Sequence[str], report: Reporter) -> dict[str, str]:
    """Split an annotation line of TAC's making: ``Key: value | Key: value |``.

    A pipe belongs to a value unless a key follows, and keys come in the order given, so that texts
    may hold pipes. A key written with ``_`` for a space, in another case, or as ``Citation Number``
    is read as the one meant, and reported.

    Parameters
    ----------
    line : str
    keys : sequence of str
        In the order of the format; those missing from the line are missing from the result.
    report : Reporter
        Of this line.

    Examples
    --------
    >>> pipe_fields("Citance Number: 4 | Citation Text: a | b | Annotator: A |",
    ...             ["Citance Number", "Citation Text", "Annotator"], Reporter([], "x"))
    {'Citance Number': '4', 'Citation Text': 'a | b', 'Annotator': 'A'}
    """
    meant = {key.lower(): key for key in keys} | _ALSO
    spellings = "|".join(re.escape(k).replace(r"\ ", "[ _]+") for k in meant)
    todo, found, again = list(keys), [], list[str]()
    for match in re.finditer(rf"(?:^|\|)\s*({spellings})\s*:", line, re.IGNORECASE):
        key = meant[re.sub("[ _]+", " ", match[1]).lower()]
        if key not in todo:
            again.append(key)  # a text that speaks of keys, or two lines in one
            continue
        del todo[: todo.index(key) + 1]
        found.append((key, match))
        if match[1] != key:
            report("repaired", f"key {match[1]!r} read as {key!r}")
    if again:
        report(
            "noted", f"key {again[0]!r} occurs again, {len(again)} such keys in all, read as text"
        )
    if not found:
        return {}
    ends = [match.start() for _, match in found[1:]] + [len(line.rstrip().removesuffix("|"))]
    return {
        key: line[match.end() : end].strip() for (key, match), end in zip(found, ends, strict=True)
    }


_ALSO = {"citation number": "Citance Number"}


def pipe_rows(
    lines: Iterable[Line], keys: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Row]:
    """Iterate over annotation lines of TAC's making; those that lack a key or a number are
    skipped.
    """
    for line, report in lines:
        fields = pipe_fields(line, [*keys, *optional], report)
        if missing := [key for key in keys if key not in fields]:
            report(
                "skipped", f"expected the fields {', '.join(keys)}; missing {', '.join(missing)}"
            )
        elif not fields["Citance Number"]:
            report("skipped", "expected a Citance Number, found none")
        else:
            yield fields, report


class Mark(NamedTuple):
    """A labelled stretch of text, which may have gaps, with the text that the annotation quotes."""

    label: str
    spans: tuple[Span, ...]
    quote: str
    report: Reporter

    @property
    def hull(self) -> Span:
        """From the first to the last of its characters."""
        return Span(min(span.start for span in self.spans), max(span.end for span in self.spans))


_MARK = re.compile(r"T\d+\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)")
_NO_MARK = re.compile(r"[AMER#]\d*\t\S+ .*|\*\t.*")


def brat_marks(lines: Iterable[tuple[str, Reporter]]) -> Iterator[Mark]:
    """Read the ``T`` lines of BRAT standoff: an id, a label with pairs of offsets, the text.

    Attributes, notes and relations (``A``, ``#``, ``R`` lines) are not read.
    """
    for line, report in lines:
        if match := _MARK.fullmatch(line):
            pairs = (pair.split() for pair in match[2].split(";"))
            yield Mark(match[1], tuple(Span(int(a), int(b)) for a, b in pairs), match[3], report)
        elif not _NO_MARK.fullmatch(line):
            report(
                "skipped",
                f"expected 'Tn<tab>LABEL start end[;start end]<tab>text', found {shown(line)}",
            )


def quoted_spans(offsets: str, quote: str, text: str | None, report: Reporter) -> tuple[Span, ...]:
    """Read printed offsets and compare them with the text that is quoted beside them.

    Ambiguity: TAC's release does not say which counts where the two differ. If the quoted text
    occurs in the document exactly once, and neither inside nor around the marked place, we take the
    quote; else the offset, as long as it lies in the text. Each such case is reported.

    Parameters
    ----------
    offsets : str
        As in ``['12-34', '56-78']``.
    quote : str
        The pieces of text, joined by ``...``; white space does not matter.
    text : str or None
        The document; None if it is not at hand, so that offsets cannot be checked.
    report : Reporter
        Of the line that both come from.

    Examples
    --------
    >>> found = []
    >>> quoted_spans("['0-5', '93-97']", "Cells ... rest", "Cells that rest", Reporter(found, "x"))
    (Span(start=0, end=5), Span(start=11, end=15))
    >>> print(*found)
    x: repaired: offset 93-97 does not hold its text, which is at 11-15
    """
    spans = [Span(int(a), int(b)) for a, b in _PAIR.findall(offsets)]
    if re.sub(r"[\[\]'\",;\s]", "", _PAIR.sub("", offsets)):
        report("noted", f"offsets are {shown(offsets)}, expected pairs as in ['12-34', '56-78']")
    if text is None:
        return tuple(span for span in spans if span.start < span.end)
    inside = all(start < end <= len(text) for start, end in spans)
    if inside and _copied(quote) == _copied("".join(text[a:b] for a, b in spans)):
        return tuple(spans)
    pieces = quote.split("...")
    if len(pieces) != len(spans):
        report("noted", f"{len(spans)} offsets, but the text beside them has {len(pieces)} pieces")
        pieces = [""] * len(spans)
    placed = [_place(*pair, text, report) for pair in zip(spans, pieces, strict=True)]
    return tuple(span for span in placed if span)


_PAIR = re.compile(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)")


def _place(span: Span, quote: str, text: str, report: Reporter) -> Span | None:
    """Decide between an offset and its quote."""
    inside = span.start < span.end <= len(text)
    if inside and (not quote or _copied(text[slice(*span)]) == _copied(quote)):
        return span
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = [Span(*match.span()) for match in re.finditer(pattern, text)] if pattern else []
    offset = f"offset {span.start}-{span.end}"
    hull = Span(min([span, *found]).start, max(place.end for place in [span, *found]))
    if len(found) == 1 and not (inside and hull in (span, found[0])):
        report(
            "repaired",
            f"{offset} does not hold its text, which is at {found[0].start}-{found[0].end}",
        )
        return found[0]
    if inside:
        report("noted", f"{offset} does not hold its text; the offset counts")
        return span
    report(
        "skipped",
        f"{offset} leaves the text (0-{len(text)}), which holds its text {len(found)} times",
    )
    return None


def _copied(text: str) -> str:
    """Reduce a text to what survives being copied into a line."""
    return "".join(text.replace("...", "").split())
