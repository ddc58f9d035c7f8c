"""The published numbers: all there, and a damaged table is refused."""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.ledger import load, papers
from citectx.ledger.published import read_table, read_text

NUMBERS = 762
CHECKSUM = "12a9d27261d2b98f13a1fadc75d2e9abc12cd9a6b3fba70f3651eeba1e77d4a4"
"""SHA-256 of the sorted list of (paper, table, row, column, value, mark), from before these were
tables."""


def listed() -> list[tuple[str, str, str, str, float, str]]:
    numbers = []
    for paper in papers():
        for each in load(paper).printed:
            place = (paper, each.where, each.row)
            if each.number:
                numbers.append((*place, each.column, each.value, each.mark))
            if each.change:
                numbers.append((*place, f"{each.column} change", float(each.change), ""))
    return sorted(numbers)


TYPED = pd.read_csv(Path(__file__).with_name("typed_by_hand.csv"))
"""Typed from the papers, not copied from the ledgers: corners, extremes, cells that differ from
their neighbours by little; and sums of rows and columns, added up from the papers, in which a wrong
digit anywhere shows."""


@pytest.mark.parametrize("paper", TYPED["paper"].unique())
def test_published_numbers_against_those_typed_by_hand(paper: str) -> None:
    cells = pd.DataFrame(listed(), columns=["paper", "where", "row", "column", "value", "mark"])
    changed = cells["column"].str.endswith(" change")
    for line in TYPED[TYPED["paper"] == paper].to_dict("records"):
        row, column = line["row"], line["column"]
        own = cells[(cells["paper"] == paper) & (cells["where"] == line["where"])]
        own = own[changed[own.index] == (column == "sum of changes")]
        own = own if row == "sum" else own[own["row"] == row]
        own = own if column.startswith("sum") else own[own["column"] == column]
        assert len(own) == 1 or "sum" in row + column, line
        assert own["value"].sum() == pytest.approx(line["value"]), line


def test_all_published_numbers_are_there() -> None:
    numbers = listed()
    assert len(numbers) == NUMBERS
    assert hashlib.sha256(json.dumps(numbers).encode()).hexdigest() == CHECKSUM


def test_a_table_is_read_as_the_paper_prints_it(tmp_path: Path) -> None:
    file = tmp_path / "table1.csv"
    file.write_text("metric,A,B\nc-F,20.20,23.9† (-3.0)\nnDCG,,1\n", encoding="utf-8")
    assert [each[:6] for each in read_table(file)] == [
        ("table1", "A", "c-F", "20.20", "", ""),
        ("table1", "B", "c-F", "23.9", "†", "-3.0"),
        ("table1", "B", "nDCG", "1", "", ""),
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


@pytest.mark.parametrize("numbers", [",", "1,2", "x,", ",nan"])
def test_a_line_of_text_has_exactly_one_number(tmp_path: Path, numbers: str) -> None:
    file = tmp_path / "text.csv"
    head = "where,table,method,metric,value,change"
    file.write_text(f"{head}\nhere,table1,A,c-F,1,\nhere,table1,A,c-F,{numbers}\n")
    with pytest.raises(DataError, match=r"text\.csv, line 3: .*expected a number"):
        list(read_text(file))


@pytest.mark.parametrize(
    ("paper", "table"), [("sigir2017", "sigir2017_table1"), ("sigir2017", "sigir2017_table4")]
)
def test_the_smallest_marked_gain_is_the_margin_of_the_claims(paper: str, table: str) -> None:
    margins = {"sigir2017_table1": 1.3, "sigir2017_table4": 1.1}
    numbers = load(paper).published((table,))
    gains = []
    for row, (column, _) in load(paper).marks(table):
        rivals = [numbers[each, column] for each in ("VSM", "BM25", "DESM", "LMD-LDA", "QR")]
        gains.append(numbers[row, column] - max(rivals))
    assert min(gains) == pytest.approx(margins[table])


def test_gains_in_the_text_do_not_follow_from_the_best_baseline() -> None:
    """Rounding moves them by half a percent and what the cells' own rounding does."""
    ledger = load("sigir2017")
    numbers = ledger.published(("sigir2017_table1",))
    changes = [each for each in ledger.numbers("sigir2017_table1") if each.change]
    assert [each.change for each in changes] == ["10", "14", "16"]
    for each in changes:
        value = numbers[each.row, "c-F"]
        gains = {row: 100 * (value / numbers[row, "c-F"] - 1) for row in ("QR", "WE_Wiki")}
        assert abs(gains["QR"] - float(each.change)) > 2
        assert abs(gains["WE_Wiki"] - float(each.change)) < 0.5
