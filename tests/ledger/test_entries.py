from collections import Counter
from pathlib import Path

import pytest

from citectx.errors import DataError, ParameterError
from citectx.ledger import load, papers, read
from citectx.papers.acl2008 import sensitivity, table1, table3, table4
from citectx.papers.naacl2015 import table1 as naacl2015_table1
from citectx.papers.naacl2015 import table2 as naacl2015_table2

LEDGER = load("sigir2017")

MINIMAL = """
paper: demo
title: A demonstration
corpus: home
experiments:
  demo_table:
    where: Table 1
    rows: [A, B, C]
    columns: [c-F, c-P]
claims:
  - {id: fine, kind: order, where: here, says: x, experiment: demo_table,
     check: {better: B, than: A, in: c-F}}
"""


def cells(where: str = "") -> list[tuple[str, str, str, float]]:
    """Place, row, column and number of the published cells."""
    found = [each for each in LEDGER.printed if each.number and where in ("", each.where)]
    return [(each.where, each.row, each.column, each.value) for each in found]


def written(folder: Path, ledger: str, cell: str = "") -> Path:
    """Write a ledger, and one printed cell of its table."""
    (folder / "demo" / "published").mkdir(parents=True)
    if cell:
        (folder / "demo" / "published" / "table.csv").write_text(
            f"method,c-F\nB,{cell}\n", encoding="utf-8"
        )
    (folder / "demo" / "claims.yaml").write_text(ledger, encoding="utf-8")
    return folder / "demo" / "claims.yaml"


def test_every_cell_of_the_four_tables_is_there_once_and_the_disputed_one_twice() -> None:
    counts = {where: len(cells(where)) for where in ("Table 1", "Table 2", "Table 3", "Table 4")}
    assert counts == {"Table 1": 9 * 9, "Table 2": 7 + 7, "Table 3": 4 + 4, "Table 4": 10 * 8 + 1}
    places = Counter(cell[:3] for cell in cells())
    assert [place for place, n in places.items() if n > 1] == [
        ("Table 4", "WE_Bio+rtrft", "KLSUM RG-1")
    ]


def test_disputed_cell_has_the_numbers_of_both_texts_and_the_table_counts() -> None:
    key = ("WE_Bio+rtrft", "KLSUM RG-1")
    assert [cell[3] for cell in cells("Table 4") if cell[1:3] == key] == [42.9, 42.3]
    assert LEDGER.published(("sigir2017_table4",))[key] == 42.3


def test_daggers_are_marks_of_the_papers_cells() -> None:
    first = {"WE_Wiki": 1, "WE_Bio": 7, "WE_Bio+rtrft": 8, "WE_Bio+dmn": 9}
    fourth = {"WE_Bio": 8, "WE_Bio+rtrft": 5, "WE_Bio+dmn": 8}
    for table, expected in (("sigir2017_table1", first), ("sigir2017_table4", fourth)):
        assert Counter(row for row, _ in LEDGER.marks(table)) == expected


@pytest.mark.parametrize("paper", ["sigir2017", "naacl2015"])
def test_worded_claims_are_at_least_twenty_and_unlike_each_other(paper: str) -> None:
    claims = load(paper)
    assert len({claim.says for claim in claims}) == len(claims) >= 20
    assert {claim.kind for claim in claims} >= {"order", "significance"}


def test_headlines_are_few_and_every_paper_has_some() -> None:
    headlines = [(paper, c.claim_id) for paper in papers() for c in load(paper) if c.headline]
    assert {paper for paper, _ in headlines} == {*papers()}
    assert len(headlines) <= 10


def test_rows_are_those_that_the_experiments_write() -> None:
    rows = {
        name: set(about.rows)
        for paper in ("acl2008", "naacl2015")
        for name, about in load(paper).experiments.items()
    }
    assert rows["naacl2015_table1"] == {*naacl2015_table1.ROWS, "alpha"}
    assert naacl2015_table2.NAME in rows
    assert rows["acl2008_table1"] >= {*table1.METHODS, table1.TEST_SET}
    assert rows["acl2008_table3"] == {*table3.MODELS, *table3.TUNED}
    assert rows["acl2008_table4"] == {*table4.models("off"), *table4.models("on")}
    assert rows["acl2008_sensitivity"] <= {*sensitivity.models(), *sensitivity.READINGS}


def test_ids_are_unique_and_every_ledger_of_the_package_reads() -> None:
    for paper in papers():
        ids = [claim.claim_id for claim in load(paper)]
        assert len(set(ids)) == len(ids)


def test_unknown_paper_lists_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"sigir2018.*known: .*'sigir2017'"):
        load("sigir2018")


def worded(check: str, kind: str = "order", name: str = "odd") -> str:
    about = f"id: {name}, kind: {kind}, where: here, says: x, experiment: demo_table"
    return f"{{{about}, check: {check}}}"


@pytest.mark.parametrize(
    ("claim", "complaint"),
    [
        (worded("{better: B, than: A, in: c-F}", kind="ordre"), "kind: unknown value 'ordre'"),
        (worded("{better: D, than: A, in: c-F}"), "better: unknown row 'D'; known: 'A', 'B', 'C'"),
        (worded("{better: B, than: {best_off: A}, in: c-F}"), "unknown field 'best_off'"),
        (worded("{better: B, than: {best_of: D}, in: c-F}"), "best_of: unknown row 'D'"),
        (worded("{better: B, than: B, in: c-F}"), "a row of B cannot be compared with itself"),
        (worded("{better: B, in: c-F}"), "the field 'than' is missing"),
        (worded("{better: B, than: A, in: c-F, sign: 1}"), "unknown field 'sign'"),
        (worded("{alike: B, to: A, in: c-F, within: 1, percent: c-F}"), "unknown field 'percent'"),
        (worded("{better: B, than: A, in: [c-F, c-P]}"), "'decides' must name one of c-F, c-P"),
        (worded("{better: B, than: A, in: c-F, decides: {in: c-P}}"), "'decides' must name"),
        (worded("{better: B, than: A, in: c-F, decides: {at: c-F}}"), "'decides' names at"),
        (worded("{better: [B, B], than: A, in: c-F}"), "better: expected one or more different"),
        (worded("{better: [], than: A, in: c-F}"), "better: expected one or more different"),
        (worded("{beats: B, than: A, in: c-F}"), "a check has exactly one of"),
        (worded("B is better"), "a check has exactly one of .*; found 'B is better'"),
        (worded("{rises: [A, B, C], in: c-F}"), "Rises serves claims of kind trend, not order"),
        (worded("{rises: [A, B], in: c-F}", kind="trend"), "a trend has at least three rows"),
        (worded("{correlates: c-F, with: c-P}", kind="trend"), "either 'across' or 'of'"),
        (worded("{alike: B, to: A, in: c-F, within: -1}"), "within: -1 is not above 0"),
        (worded("{alike: B, to: A, in: c-F, within: .nan}"), "within: nan is not finite"),
        (worded("{alike: B, to: A, in: c-F, within: true}"), "within: True is not a number"),
        (worded("{better: B, than: A, in: c-F}", name="B"), "id: 'B' is not words in a-z"),
        (worded("{better: B, than: A, in: c-F}", kind="order, headline: 1"), "headline: 1 is not"),
        (worded("{better: B, than: A, in: c-F}", kind="order, needs: 1"), "needs: 1 is not"),
        (worded("{better: B, than: A, in: c-F}", name="fine"), "another claim has this id"),
        ("{id: odd}", "experiment: unknown table None; known: 'demo_table'"),
        ("just words", "number 2: claim: 'just words' is not a mapping"),
    ],
)
def test_malformed_claim_is_an_error_that_names_file_claim_and_field(
    tmp_path: Path, claim: str, complaint: str
) -> None:
    with pytest.raises(DataError, match=rf"claims\.yaml: claim (odd: |B: |fine: )?.*{complaint}"):
        read(written(tmp_path, f"{MINIMAL}  - {claim}\n"))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("paper: demo", "paper: demon", "paper is 'demon', expected the folder's name 'demo'"),
        ("title: A demonstration\n", "", "claims.yaml: the field 'title' is missing"),
        ("[A, B, C]", "[A, B, 3]", "experiment demo_table: rows: 3 is not a text"),
        ("[c-F, c-P]", "[c-F, c-P]\n    percent: c-R", "percent: unknown column 'c-R'"),
        (
            "[c-F, c-P]",
            "[c-F, c-P]\n    headline: {better: A, than: Z, in: c-F}",
            "experiment demo_table: headline: unknown than 'Z'",
        ),
        ("claims:", "limits:\n  - {why: x, claims: none}\nclaims:", "limits: claims: unknown id"),
        ("id: fine,", "id: fine, id: odd,", "line 11: is not a ledger: 'id' is given twice"),
        ("claims:", "claims: {", "claims.yaml, line .*: is not a ledger"),
    ],
)
def test_malformed_ledger_is_an_error_that_names_the_place(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in MINIMAL
    with pytest.raises(DataError, match=complaint):
        read(written(tmp_path, MINIMAL.replace(old, new)))


def test_a_printed_cell_is_no_claim_but_stands_in_the_ledger(tmp_path: Path) -> None:
    ledger = read(written(tmp_path, MINIMAL, "2.0* (3.5)"))
    assert [claim.claim_id for claim in ledger] == ["fine"]
    (printed,) = ledger.printed
    assert printed == ("table", "B", "c-F", "2.0", "*", "3.5", "Table 1")
    assert ledger.published(("demo_table",)) == {("B", "c-F"): 2.0}
    assert ledger.marks("demo_table") == {("B", ("c-F", "paper")): "*"}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[A, B, C]", "[A, C, D]", "published: table: unknown row 'B'"),
        ("[c-F, c-P]", "[c-R, c-P]", "published: table: unknown column 'c-F'"),
        ("demo_table", "demo_other", "published: table: unknown experiment 'demo_table'"),
    ],
)
def test_a_printed_cell_that_the_ledger_does_not_declare(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    text = MINIMAL.replace("{better: B, than: A, in: c-F}", "{better: C, than: A, in: c-P}")
    text = text.replace(old, new)
    with pytest.raises(DataError, match=complaint):
        read(written(tmp_path, text, "2.0"))
