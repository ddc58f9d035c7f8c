"""BRAT standoff: labelled stretches of the text in the file beside it."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from citectx.corpora.files import Line, Reporter, shown
from citectx.types import Span


class Mark(NamedTuple):
    """A labelled stretch of text, which may have gaps, with the text that the annotation quotes."""

    label: str
    spans: tuple[Span, ...]
    quote: str
    report: Reporter

    @property
    def hull(self) -> Span:
        """From the first to the last of its characters."""
        return Span.around(self.spans)


_MARK = re.compile(r"T\d+\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)")
_NO_MARK = re.compile(r"[AMER#]\d*\t\S+ .*|\*\t.*")


def read_marks(lines: Iterable[Line]) -> Iterator[Mark]:
    """Read the ``T`` lines of BRAT standoff: an id, a label with pairs of offsets, the text.

    Attributes, notes and relations (``A``, ``#``, ``R`` lines) are skipped.
    """
    for line, report in lines:
        match = _MARK.fullmatch(line)
        if match:
            label, offsets, quote = match.groups()
            pairs = (map(int, pair.split()) for pair in offsets.split(";"))
            yield Mark(label, tuple(Span(*pair) for pair in pairs), quote, report)
        elif not _NO_MARK.fullmatch(line):
            expected = "expected 'Tn<tab>LABEL start end[;start end]<tab>text'"
            report("skipped", f"{expected}, found {shown(line)}")
