"""The ledger of acl2008 against numbers typed from the paper a second time."""

import pytest

from citectx.claims import load
from citectx.papers.acl2008 import sensitivity as acl2008_sensitivity
from citectx.papers.acl2008 import table1 as acl2008_table1
from citectx.papers.acl2008 import table3 as acl2008_table3
from citectx.papers.acl2008 import table4 as acl2008_table4

LEDGER = load("acl2008")
METHODS = ["Random", "LEAD", "MEAD-Doc", "MEAD-Doc+Cite", "KL-Divergence"]
MEASURES = [f"{score} @{n}" for n in (3, 5, 10, 15) for score in ("ROUGE-1", "ROUGE-L")]


def published(where: str) -> dict[tuple[str, str], float]:
    cells = [claim for claim in LEDGER if claim.where == where and claim.check.form == "cell"]
    return {claim.check.cells()[0]: claim.published for claim in cells}


def test_table1_by_row_and_column_sums():
    numbers = published("Table 1")
    assert len(numbers) == 40
    rows = [sum(numbers[m, c] for c in MEASURES) for m in METHODS]
    assert rows == pytest.approx([2.614, 3.122, 3.774, 3.051, 4.239])
    columns = [sum(numbers[m, c] for m in METHODS) for c in MEASURES]
    assert columns == pytest.approx([1.202, 1.083, 1.732, 1.610, 2.640, 2.475, 3.115, 2.943])


def test_tables_3_and_4_typed_by_hand():
    numbers = published("Table 3")
    rows = ["P(w|d)", "P(w|C)", "ConstCoef", "Dirichlet"]
    assert [numbers[r, "ROUGE-1 @10"] for r in rows] == [0.529, 0.635, 0.643, 0.647]
    assert [numbers[r, "ROUGE-L @10"] for r in rows] == [0.501, 0.607, 0.619, 0.623]
    numbers = published("Table 4")
    found = [[numbers[f"pg {pg}, pr {pr}", "ROUGE-L @15"] for pr in ("off", 2, 3, 4)] for pg in ("off", "on")]
    assert found == [[0.685, 0.711, 0.714, 0.700], [0.708, 0.712, 0.706, 0.703]]


def test_the_test_set():
    numbers = published("Section 5.1.1")
    assert [numbers["test set", c] for c in ("papers", "gold min", "gold median", "gold max")] == [14, 5, 9, 18]


def test_rows_are_those_of_the_experiments():
    experiments = LEDGER.experiments
    assert {*acl2008_table1.METHODS, acl2008_table1.TEST_SET} <= set(experiments["acl2008_table1"].rows)
    assert set(experiments["acl2008_table3"].rows) == {*acl2008_table3.MODELS, *acl2008_table3.TUNED}
    rows = {*acl2008_table4.models("off"), *acl2008_table4.models("on")}
    assert set(experiments["acl2008_table4"].rows) == rows
    known = {*acl2008_sensitivity.models(), *acl2008_sensitivity.READINGS}
    assert set(experiments["acl2008_sensitivity"].rows) <= known
