"""The published numbers: all there, and a damaged table is refused."""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.ledger import load, papers
from citectx.ledger.published import read_published, read_table

CHECKSUMS = {
    "acl2008": "e9cd67120384062a4360cc224fcc9b62a72a1fd27d21b7cc3d8d9e10081e2e66",
    "lrec2016": "ca419e98e34d4b91c499c48da5b09e23dda1d91bef3b2c6814d81d53c140246e",
    "naacl2015": "8709c9640572a2311bb7ea93b08cf895d44556c3bffae73c3c6d98a597af927b",
    "sigir2017": "03d57bb8dd794a0e14da203da1a1788a3f3113c34dbd4f87e2609e7c73d4d3df",
}
"""SHA-256 of each paper's sorted list of (paper, place, row, column, value, mark), from before
these were tables."""


def listed() -> list[tuple[str, str, str, str, float, str]]:
    numbers = []
    for paper in papers():
        for each in load(paper).printed.to_dict("records"):
            name = each["table"].removeprefix(f"{paper}_")
            table = f"{name[:-1]} {name[-1]}".capitalize()
            place = (paper, each["where"] or table, each["method"])
            if each["value"] == each["value"]:  # not NaN
                numbers.append((*place, each["metric"], each["value"], each["mark"]))
            if each["change"] == each["change"]:
                numbers.append((*place, f"{each['metric']} change", each["change"], ""))
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


@pytest.mark.parametrize("paper", papers())
def test_all_published_numbers_are_there(paper: str) -> None:
    numbers = [number for number in listed() if number[0] == paper]
    found = hashlib.sha256(json.dumps(numbers).encode()).hexdigest()
    told = "compare its tables with the paper, then write this into CHECKSUMS of this file:"
    assert CHECKSUMS.get(paper) == found, f'{told} "{paper}": "{found}",'


def test_where_two_texts_of_a_paper_differ_the_table_counts() -> None:
    ledger, name, cell = load("sigir2017"), "sigir2017_table4", ("WE_Bio+rtrft", "KLSUM RG-1")
    printed = ledger.printed.query("table == @name").set_index(["method", "metric"])["value"]
    assert printed[[cell]].tolist() == [42.9, 42.3]
    assert ledger.published((name,))[cell] == 42.3


def test_a_table_is_read_as_the_paper_prints_it(tmp_path: Path) -> None:
    file = tmp_path / "table1.csv"
    file.write_text("metric,A,B\nc-F,20.20,23.9† (-3.0)\nnDCG,,1\n", encoding="utf-8")
    found = read_published(tmp_path).astype(object).fillna("")
    assert found[found.columns[:-1]].to_numpy().tolist() == [
        ["table1", "A", "c-F", 20.2, "", ""],
        ["table1", "B", "c-F", 23.9, "†", -3.0],
        ["table1", "B", "nDCG", 1.0, "", ""],
    ]


@pytest.mark.parametrize("text", ["", "metric,A\nc-F,about 1\n", "metric,A\nc-F,1\nnDCG,1,2\n"])
def test_a_damaged_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table1.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"table1\.csv"):
        read_table(file)
