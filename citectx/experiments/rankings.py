"""Anybody's spans as a run: a ranking for each citance, from Python or from a file.

>>> run = Run.of({("D9001_TEACH", "1"): [(40, 90), (0, 39)]})
>>> run
Run('run', 1 citances, 2 spans)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd

from citectx.corpora.files import Reporter, csv_rows, cut, decode
from citectx.corpora.model import as_html
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.storage import write_atomically
from citectx.types import Span

Key = tuple[str, str]
"""A citance: its topic and its id there."""
Ranking = Sequence[tuple[int, int]]
"""Spans of the reference article, best first."""
COLUMNS = ["topic", "citance", "start", "end"]
"""Of a frame or a CSV file of spans."""
TREC = re.compile(
    r"([^\s:]+):(\S+)\s+\S+\s+\1:(\d{1,11})-(\d{1,11})\s+(\d{1,11})\s+(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s+(\S+)"
)
"""A row of a run file; query and document name the same topic."""


@dataclass(frozen=True, repr=False)
class Run:
    """What a system returned: for each citance a ranking of spans.

    The order is the whole truth: the first k spans are those returned. What a system does about
    spans that overlap, it has done before (`Prepared.ranking` for our models).

    Parameters
    ----------
    rankings : mapping of (topic, citance) to sequence of (start, end)
        Best first; character offsets into the reference article, end-exclusive.
    name : str
    file : Path, optional
        Where it was read from.
    lines : mapping of (topic, citance) to sequence of int
        The line of each span there.
    """

    rankings: Mapping[Key, Ranking]
    name: str = "run"
    file: Path | None = field(default=None, compare=False)
    lines: Mapping[Key, Sequence[int]] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        spans = sum(map(len, self.rankings.values()))
        return f"Run({self.name!r}, {len(self.rankings):,} citances, {spans:,} spans)"

    def _repr_html_(self) -> str:
        sizes = [(topic, len(ranking)) for (topic, _), ranking in self.rankings.items()]
        frame = pd.DataFrame(sizes, columns=["topic", "spans"])
        spans = frame.groupby("topic", sort=False)["spans"]
        return as_html(self, pd.DataFrame({"citances": spans.count(), "spans": spans.sum()}))

    def to_trec(self, path: Path | str) -> Path:
        """Write a run file for trec_eval, ir-measures or ranx; `read` gives the same run back.

        A query is ``topic:citance``, a document ``topic:start-end``. The score column falls by 1
        from rank to rank, so that no tool breaks ties its own way.
        """
        lines, name = [], quote(self.name)
        for key, ranking in sorted(self.rankings.items()):
            for rank, span in enumerate(ranking, 1):
                score = len(ranking) - rank + 1
                lines.append(f"{trec_ids(key, span, 'Q0')} {rank} {score} {name}\n")
        return write_lines(path, lines)

    @classmethod
    def read(cls, path: Path | str) -> "Run":
        """Read a file: CSV if its name ends in ``.csv`` (`from_csv`), else TREC's (`from_trec`)."""
        return cls.from_csv(path) if Path(path).suffix.lower() == ".csv" else cls.from_trec(path)

    @classmethod
    def from_trec(cls, path: Path | str) -> "Run":
        """Read a run file; spans are ordered by falling score, equal scores by rank.

        Our own reader, because it names the line that is wrong; ir-measures skips what it cannot
        read, or raises a bare ValueError.

        Raises
        ------
        MissingDataError
            If there is no such file.
        DataError
            Naming file and line: if a row has another form than `to_trec` writes.
        """
        rows: dict[Key, list[tuple[float, int, Span, int]]] = {}
        name = "run"
        for number, line in enumerate(_text(path).splitlines(), 1):
            if not line.strip():
                continue
            found = TREC.fullmatch(line.strip())
            if not found:
                expected = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE NAME"
                raise DataError(f"expected {expected}, found {line!r}", file=path, line=number)
            topic, citance, start, end, rank, score, name = found.groups()
            row = -float(score), int(rank), Span(int(start), int(end)), number
            rows.setdefault((unquote(topic), unquote(citance)), []).append(row)
        ordered = {key: [row[2:] for row in sorted(own)] for key, own in rows.items()}
        return cls._from_file(path, unquote(name), ordered)

    @classmethod
    def from_csv(cls, path: Path | str) -> "Run":
        """Read a CSV file with the columns topic, citance, start, end, best first.

        Further columns do not matter. The run has the file's name.

        Raises
        ------
        MissingDataError
            If there is no such file.
        DataError
            Naming file and line: if it is not CSV, lacks a column, or an offset is no whole number.
        """
        rows: dict[Key, list[tuple[Span, int]]] = {}
        for row, here in csv_rows(_text(path), Reporter([], str(path)), COLUMNS):
            pair = row["start"], row["end"]
            if not all(re.fullmatch(r"[0-9]{1,11}", offset) for offset in pair):
                raise here.error(f"expected whole numbers as start and end, found {pair}")
            own = rows.setdefault((row["topic"], row["citance"]), [])
            own.append((Span(*map(int, pair)), here.line or 0))
        return cls._from_file(path, Path(path).stem, rows)

    @classmethod
    def _from_file(
        cls, path: Path | str, name: str, rows: Mapping[Key, Sequence[tuple[Span, int]]]
    ) -> "Run":
        rankings = {key: [span for span, _ in own] for key, own in rows.items()}
        lines = {key: [line for _, line in own] for key, own in rows.items()}
        return cls(rankings, name, Path(path), lines)

    @classmethod
    def of(cls, given: Any) -> "Run":
        """Make a run of anybody's spans: a Run, a mapping or a frame (see `Task.evaluate`)."""
        if isinstance(given, Run):
            return given
        if isinstance(given, pd.DataFrame):
            given = _spans_of(given)
        if not isinstance(given, Mapping):
            expected = (
                "a model, a Run, a mapping {(topic, citance): [(start, end), ...]} or a frame with"
                f" the columns {', '.join(COLUMNS)}"
            )
            kind = type(given).__name__
            raise ParameterError(f"expected {expected}; found {kind} {cut(repr(given), 80)}")
        for key, ranking in given.items():
            if not (isinstance(key, tuple) and len(key) == 2):
                raise ParameterError(f"expected keys (topic, citance), found {cut(repr(key), 80)}")
            if isinstance(ranking, str) or not isinstance(ranking, Sequence | np.ndarray):
                expected = f"expected a list of spans for {key}"
                raise ParameterError(f"{expected}, found {cut(repr(ranking), 80)}")
        return cls({key: list(ranking) for key, ranking in given.items()})

    def error(self, key: Key, message: str, rank: int = 0) -> CitectxError:
        """Build an error about a span, which names file and line where there are any."""
        if key in self.lines:
            return DataError(message, file=self.file, line=self.lines[key][rank])
        return ParameterError(message)

    def check_spans(self, key: Key, size: int) -> None:
        """Raise an error for the first span of a citance that is not in its article.

        Parameters
        ----------
        key : (topic, citance)
        size : int
            Characters of the article.

        Raises
        ------
        DataError, ParameterError
            If a span is not two whole numbers, is empty, leaves the article, or is listed twice.
        """
        seen = set()
        for rank, span in enumerate(self.rankings[key]):
            here = f"topic {key[0]}, citance {key[1]}, span {cut(repr(span), 80)}"
            if not _is_pair(span):
                raise self.error(key, f"{here}: expected two whole numbers, start and end", rank)
            if not 0 <= span[0] < span[1] <= size:
                raise self.error(key, f"{here} is empty or leaves the article (0-{size})", rank)
            if tuple(span) in seen:
                raise self.error(key, f"{here} is listed twice", rank)
            seen.add(tuple(span))


def _is_pair(span: Any) -> bool:
    """Tell whether something is two whole numbers."""
    if not isinstance(span, Sequence | np.ndarray) or len(span) != 2:
        return False
    return all(isinstance(offset, int | np.integer) for offset in span)


def _spans_of(frame: pd.DataFrame) -> dict[Key, list[Span]]:
    missing = sorted({*COLUMNS} - {*frame.columns})
    if missing:
        raise ParameterError(f"a frame of spans needs {', '.join(COLUMNS)}; it lacks {missing}")
    spans = {}
    for (topic, citance), own in frame.groupby(["topic", "citance"], sort=False, dropna=False):
        spans[str(topic), str(citance)] = [*map(Span, own["start"], own["end"])]
    return spans


def _text(path: Path | str) -> str:
    """Read a file whole."""
    if not Path(path).is_file():
        raise MissingDataError(f"there is no file {path}: expected a run, in TREC's format or CSV")
    return decode(Path(path).read_bytes(), "cp1252", Reporter([], str(path)))


def trec_ids(key: Key, span: tuple[int, int], between: str) -> str:
    """Name a query and a document.

    >>> trec_ids(("D1", "a b"), (0, 9), "Q0")
    'D1:a%20b Q0 D1:0-9'
    """
    return f"{query_id(key)} {between} {doc_id(key[0], span)}"


def query_id(key: Key) -> str:
    """Name a citance as a query: its topic, and its id there, without spaces and colons."""
    topic, citance = map(quote, key)
    return f"{topic}:{citance}"


def doc_id(topic: str, span: tuple[int, int]) -> str:
    """Name a span as a document: its topic, and its place in the reference article."""
    return f"{quote(topic)}:{span[0]}-{span[1]}"


def write_lines(path: Path | str, lines: Iterable[str]) -> Path:
    """Write lines, which have their ends, and return where."""
    write_atomically(Path(path), "".join(lines))
    return Path(path)
