"""BRAT standoff."""

import pytest

from citectx.corpora.brat import read_marks
from citectx.corpora.model import Finding
from citectx.corpora.text_files import Reporter
from citectx.types import Span


def test_a_mark_may_have_gaps() -> None:
    report = Reporter([], "a.ann", 1)
    [mark] = read_marks([("T1\tContext 6 11;0 5\trest Cells", report)])
    assert (mark.label, mark.quote, mark.report) == ("Context", "rest Cells", report)
    assert mark.spans == (Span(6, 11), Span(0, 5))
    assert mark.hull == Span(0, 11)


@pytest.mark.parametrize(
    ("line", "skipped"),
    [
        ("#1\tAnnotatorNotes T1\tDoubtful.", 0),
        ("A1\tSure T1", 0),
        ("T1\tContext 0\tCells", 1),
        ("Context 0 5 Cells", 1),
    ],
)
def test_other_lines_are_skipped_and_unknown_ones_reported(line: str, skipped: int) -> None:
    findings: list[Finding] = []
    assert list(read_marks([(line, Reporter(findings, "a.ann", 1))])) == []
    assert [finding.action for finding in findings] == ["skipped"] * skipped
