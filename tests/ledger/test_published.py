"""The published numbers: all there, and a damaged table is refused."""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.ledger import load, papers
from citectx.ledger.entries import read_table

NUMBERS = 762
CHECKSUM = "12a9d27261d2b98f13a1fadc75d2e9abc12cd9a6b3fba70f3651eeba1e77d4a4"
"""SHA-256 of the sorted list of (paper, table, row, column, value, mark), from before these were
tables."""


def listed() -> list[tuple[str, str, str, str, float, str]]:
    numbers = []
    for paper in papers():
        for claim in load(paper):
            if claim.kind == "value":
                row, column = claim.check.cells()[0]
                column += "" if claim.check.form == "cell" else " change"
                numbers.append(
                    (paper, claim.where, row, column, float(claim.published or 0), claim.mark)
                )
    return sorted(numbers)


TYPED = pd.read_csv(Path(__file__).with_name("typed_by_hand.csv"))
"""Typed from the papers, not copied from the ledgers: corners, extremes, cells that differ from
their neighbours by little; and sums of rows and columns, added up from the papers, in which a wrong
digit anywhere shows."""


@pytest.mark.parametrize("paper", TYPED["paper"].unique())
def test_published_numbers_against_those_typed_by_hand(paper: str) -> None:
    cells = pd.DataFrame(listed(), columns=["paper", "where", "row", "column", "value", "mark"])
    changed = cells["column"].str.endswith(" change")
    for line in TYPED[TYPED["paper"] == paper].itertuples():
        own = cells[(cells["paper"] == paper) & (cells["where"] == line.where)]
        own = own[changed[own.index] == (line.column == "sum of changes")]
        own = own if line.row == "sum" else own[own["row"] == line.row]
        own = own if line.column.startswith("sum") else own[own["column"] == line.column]
        assert len(own) == 1 or "sum" in line.row + line.column, line
        assert own["value"].sum() == pytest.approx(line.value), line


def test_all_published_numbers_are_there() -> None:
    numbers = listed()
    assert len(numbers) == NUMBERS
    assert hashlib.sha256(json.dumps(numbers).encode()).hexdigest() == CHECKSUM


def test_a_table_is_read_as_the_paper_prints_it(tmp_path: Path) -> None:
    file = tmp_path / "table1.csv"
    file.write_text("metric,A,B\nc-F,20.20,23.9† (-3.0)\nnDCG,,1\n", encoding="utf-8")
    assert list(read_table(file)) == [
        ("A", "c-F", "20.20", "", ""),
        ("B", "c-F", "23.9", "†", "-3.0"),
        ("B", "nDCG", "1", "", ""),
    ]


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("", "cannot be read"),
        ("rows,A\nc-F,1\n", "rows"),
        ("metric,A,A\nc-F,1,2\n", "'A'"),
        ("metric,A\nc-F,1\nc-F,2\n", "'c-F'"),
        ("metric,A\nc-F,about 1\n", "about 1"),
        ("metric,A\nc-F,1,2\n", "table1.csv"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, text: str, culprit: str) -> None:
    file = tmp_path / "table1.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"table1\.csv") as caught:
        list(read_table(file))
    assert culprit in str(caught.value)
