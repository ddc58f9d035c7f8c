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
    marks: {"*": {than: A}}
claims:
  - {id: fine, kind: order, where: here, says: x, experiment: demo_table,
     check: {better: B, than: A, in: c-F}}
"""


def cells(where: str = "") -> list[tuple[str, str, str, float]]:
    """Place, row, column and number of the published cells."""
    found = [claim for claim in LEDGER if claim.check.form == "cell" and where in ("", claim.where)]
    return [(claim.where, *claim.check.cells()[0], claim.published or 0.0) for claim in found]


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


def test_every_dagger_becomes_a_significance_claim_against_the_best_baseline() -> None:
    marked = [c for c in LEDGER if c.claim_id.endswith("-marked")]
    rows = Counter((c.where, c.check.cells()[0][0]) for c in marked)
    first = {"WE_Wiki": 1, "WE_Bio": 7, "WE_Bio+rtrft": 8, "WE_Bio+dmn": 9}
    fourth = {"WE_Bio": 8, "WE_Bio+rtrft": 5, "WE_Bio+dmn": 8}
    assert rows == {
        (f"Table {i}", row): n for i, marks in ((1, first), (4, fourth)) for row, n in marks.items()
    }
    baselines = {"VSM", "BM25", "DESM", "LMD-LDA", "QR"}
    assert all({row for row, _ in claim.check.cells()[1:]} == baselines for claim in marked)


def test_margins_are_the_smallest_gain_over_the_best_baseline_that_each_table_marks() -> None:
    for where, experiment, margin in (
        ("Table 1", "sigir2017_table1", 1.3),
        ("Table 4", "sigir2017_table4", 1.1),
    ):
        numbers = LEDGER.published((experiment,))
        gains = []
        for claim in LEDGER:
            if claim.where == where and claim.claim_id.endswith("-marked"):
                (row, column), *baselines = claim.check.cells()
                gains.append(numbers[row, column] - max(numbers[cell] for cell in baselines))
        assert min(gains) == pytest.approx(margin)


@pytest.mark.parametrize("paper", ["sigir2017", "naacl2015"])
def test_worded_claims_are_at_least_twenty_and_unlike_each_other(paper: str) -> None:
    worded = [c for c in load(paper) if c.kind != "value" and not c.claim_id.endswith("-marked")]
    assert len({c.says for c in worded}) == len(worded) >= 20
    assert {c.kind for c in worded} >= {"order", "significance"}


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
    return f"{{id: {name}, kind: {kind}, where: here, says: x, experiment: demo_table, check: {check}}}"


def valued(fields: str, kind: str = "value") -> str:
    check = "{row: A, column: c-F}"
    return worded(check, kind)[:-1] + f", {fields}}}"


@pytest.mark.parametrize(
    ("claim", "complaint"),
    [
        (
            worded("{better: B, than: A, in: c-F}", kind="ordre"),
            "claim odd: kind: 'ordre' is not one of",
        ),
        (worded("{better: D, than: A, in: c-F}"), "claim odd: better: 'D' is not one of"),
        (worded("{better: B, than: {best_off: A}, in: c-F}"), "claim odd: than: .*best_of"),
        (
            worded("{better: B, than: B, in: c-F}"),
            "claim odd: a row of B cannot be compared with itself",
        ),
        (worded("{better: B, in: c-F}"), "claim odd: 'than' is a required"),
        (worded("{better: B, than: A, in: c-F, sign: 1}"), "claim odd: .*'sign' was unexpected"),
        (
            worded("{better: B, than: A, in: [c-F, c-P]}"),
            "claim odd: 'decides' must name one of c-F, c-P",
        ),
        (
            worded("{better: B, than: A, in: c-F, decides: {in: c-P}}"),
            "claim odd: 'decides' must name",
        ),
        (worded("{better: [B, B], than: A, in: c-F}"), "claim odd: better: "),
        (worded("{beats: B, than: A, in: c-F}"), "claim odd: a check has exactly one of"),
        (worded("B is better"), "claim odd: check: 'B is better' is not of type"),
        (
            worded("{rises: [A, B, C], in: c-F}"),
            "claim odd: 'rises' serves claims of kind trend, not order",
        ),
        (worded("{alike: B, to: A, in: c-F, within: -1}"), "claim odd: within: -1 is less"),
        (
            worded("{better: B, than: A, in: c-F}", name="fine"),
            "claim fine: there is a claim of this id",
        ),
        (worded("{better: B, than: A, in: c-F}", name="b-marked"), "claim b-marked: id: .*-marked"),
        ("just words", "claim number 2: 'just words' is not of type"),
        (valued("published: x"), "claim odd: published: 'x' is not of type 'number'"),
        (valued("published: .nan"), "claim odd: claims of kind value have"),
        (valued("published: 1", kind="order"), "claim odd: claims of kind value have"),
    ],
)
def test_malformed_claim_is_an_error_that_names_file_and_claim(
    tmp_path: Path, claim: str, complaint: str
) -> None:
    with pytest.raises(DataError, match=f"claims.yaml: .*{complaint}"):
        read(written(tmp_path, f"{MINIMAL}  - {claim}\n"))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("paper: demo", "paper: demon", "paper is 'demon', expected the folder's name 'demo'"),
        ("title: A demonstration\n", "", "claims.yaml: 'title' is a required"),
        ("[A, B, C]", "[A, B, 3]", "experiment demo_table: rows: 2: 3 is not of type"),
        ("id: fine,", "id: fine, id: odd,", "line 12: is not a ledger: 'id' is given twice"),
        ("claims:", "claims: {", "claims.yaml, line .*: is not a ledger"),
    ],
)
def test_malformed_ledger_is_an_error_that_names_the_place(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in MINIMAL
    with pytest.raises(DataError, match=complaint):
        read(written(tmp_path, MINIMAL.replace(old, new)))


def test_a_printed_cell_makes_claims_of_its_value_its_change_and_its_mark(tmp_path: Path) -> None:
    base = MINIMAL.replace("marks:", "baseline: A\n    marks:")
    ledger = read(written(tmp_path, base, "2.0* (3.5)"))
    assert [c.kind for c in ledger] == ["order", "value", "value", "significance"]
    assert [c.published for c in ledger][1:3] == [2.0, 3.5]
    assert ledger["t-b-c-f-marked"].check.cells() == [("B", "c-F"), ("A", "c-F")]


@pytest.mark.parametrize(
    ("cell", "base", "complaint"),
    [
        ("2.0*", MINIMAL.replace("{than: A}", "{than: Z}"), "B, c-F: than: 'Z' is not one of"),
        ("2.0†", MINIMAL, "B, c-F: unknown mark '†'"),
    ],
)
def test_a_mark_that_the_ledger_does_not_explain(
    tmp_path: Path, cell: str, base: str, complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint):
        read(written(tmp_path, base, cell))
