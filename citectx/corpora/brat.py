"""BRAT standoff: labelled stretches of the text in the file beside it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citectx.corpora.text_files import numbered_lines, shown
from citectx.errors import DataError
from citectx.types import Span


class Mark(NamedTuple):
    """A labelled stretch of text, which may have gaps, with the text that the annotation quotes."""

    label: str
    spans: tuple[Span, ...]
    quote: str
    line: int

    @property
    def hull(self) -> Span:
        """From the first to the last of its characters."""
        return Span.around(self.spans)


def read_marks(path: Path) -> Iterator[Mark]:
    """Read the ``T`` lines of a file: an id, a label with pairs of offsets, the text.

    Attributes, relations and notes (``A``, ``R``, ``#`` lines) are skipped.
    """
    for number, line in numbered_lines(path):
        if line[0] in "AR#":
            continue
        match = re.fullmatch(r"T\d+\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t(.*)", line)
        if match is None:
            expected = "expected 'Tn<tab>LABEL start end[;start end]<tab>text'"
            raise DataError(f"{expected}, found {shown(line)}", file=path, line=number)
        label, offsets, quote = match.groups()
        pairs = (map(int, pair.split()) for pair in offsets.split(";"))
        yield Mark(label, tuple(Span(*pair) for pair in pairs), quote, number)
