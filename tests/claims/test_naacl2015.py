"""The ledger of naacl2015 against numbers typed from the paper a second time."""

from collections import Counter
from pathlib import Path

import pytest

from citectx import profiles
from citectx.claims import Results, check, load
from citectx.papers.naacl2015 import table1 as naacl2015_table1
from citectx.papers.naacl2015 import table2 as naacl2015_table2

LEDGER = load("naacl2015")
MEASURES = ["recall", "precision", "F-1", "RL-recall", "RL-precision", "RL-F-1"]
METHODS = ["baseline", "reduce", "KW", "NP", "expand", "reduce+expand", "NP+expand"]

# Corners, extremes and cells that differ from their neighbours by little.
BY_HAND = {
    ("baseline", "recall"): 0.169,
    ("baseline", "RL-F-1"): 0.280,
    ("reduce", "recall"): 0.132,
    ("reduce", "RL-recall"): 0.496,
    ("KW", "precision"): 0.193,
    ("KW", "RL-recall"): 0.491,
    ("NP", "recall"): 0.199,
    ("NP", "RL-precision"): 0.211,
    ("expand", "F-1"): 0.160,
    ("expand", "RL-precision"): 0.245,
    ("reduce+expand", "recall"): 0.201,
    ("reduce+expand", "RL-recall"): 0.558,
    ("NP+expand", "precision"): 0.224,
    ("NP+expand", "F-1"): 0.196,
    ("NP+expand", "RL-F-1"): 0.333,
}
# Added up from the paper, by row and by column: a wrong digit anywhere shows in both.
ROW_SUMS = dict(zip(METHODS, [1.453, 1.427, 1.627, 1.603, 1.548, 1.627, 1.714], strict=True))
COLUMN_SUMS = dict(zip(MEASURES, [1.236, 1.220, 1.194, 3.590, 1.642, 2.117], strict=True))
CHANGES = dict(zip(METHODS[1:], [-21.78, 93.5, 71.3, 44.2, 79.0, 140.63], strict=True))
STARS = {"reduce": (1, 0), "KW": (1, 4), "NP": (1, 4), "expand": (1, 3), "reduce+expand": (1, 5), "NP+expand": (1, 4)}


def published(where: str) -> dict[tuple[str, str], float]:
    cells = [claim for claim in LEDGER if claim.where == where and claim.check.form == "cell"]
    numbers = {claim.check.cells()[0]: claim.published for claim in cells}
    assert len(numbers) == len(cells)
    return numbers


def test_table1_typed_by_hand() -> None:
    numbers = published("Table 1")
    levels = ["full", "all", "majority", "minority", "none"]
    assert [numbers[level, "count"] for level in levels] == [2, 66, 121, 113, 11]
    assert sum(numbers[level, "count"] for level in levels) == numbers["total", "count"] == 313
    assert [numbers[level, "overlap"] for level in levels] == [100, 21.7, 19.2, 27.0, 0]
    assert [numbers[level, "overlap sd"] for level in levels[1:4]] == [15.4, 11.4, 15.9]
    assert len(numbers) == 5 + 5 + 3 + 1


@pytest.mark.parametrize("cell", BY_HAND, ids=" ".join)
def test_table2_against_a_list_typed_by_hand(cell: tuple[str, str]) -> None:
    assert published("Table 2")[cell] == BY_HAND[cell]


def test_table2_against_sums_added_up_from_the_paper() -> None:
    numbers = published("Table 2")
    assert set(numbers) == {(method, measure) for method in METHODS for measure in MEASURES}
    for method, total in ROW_SUMS.items():
        assert sum(numbers[method, measure] for measure in MEASURES) == pytest.approx(total)
    for measure, total in COLUMN_SUMS.items():
        assert sum(numbers[method, measure] for method in METHODS) == pytest.approx(total)


def test_stars_become_significance_claims_against_the_baseline() -> None:
    marks: dict[str, Counter[str]] = {}
    for claim in LEDGER:
        if claim.mark:
            (row, _), (rival, _) = LEDGER[f"{claim.claim_id}-marked"].check.cells()
            assert rival == "baseline"
            marks.setdefault(row, Counter())[claim.mark] += 1
    assert {row: (count["*"], count["**"]) for row, count in marks.items()} == STARS


def changes() -> dict[tuple[str, str], float]:
    return {c.check.cells()[0]: c.published for c in LEDGER if c.claim_id.endswith("-change")}


def test_changes_against_sums_added_up_from_the_paper() -> None:
    found = changes()
    assert len(found) == 6 * 6
    for method, total in CHANGES.items():
        assert sum(found[method, measure] for measure in MEASURES) == pytest.approx(total)


def test_changes_follow_from_the_values_up_to_rounding_but_for_one_slip_of_the_paper() -> None:
    numbers, odd = published("Table 2"), []
    for (method, measure), change in changes().items():
        value, base = numbers[method, measure], numbers["baseline", measure]
        low, high = 100 * ((value - 5e-4) / (base + 5e-4) - 1), 100 * ((value + 5e-4) / (base - 5e-4) - 1)
        if not low - 0.05 <= change <= high + 0.05:
            odd.append((method, measure, change))
    assert odd == [("KW", "RL-recall", -0.1)]


def test_margins_are_the_smallest_changes_that_table2_marks_in_their_measures() -> None:
    numbers = published("Table 2")
    smallest = dict.fromkeys(MEASURES, 1.0)
    for claim in LEDGER:
        if claim.claim_id.endswith("-marked"):
            cell, base = claim.check.cells()
            smallest[cell[1]] = min(smallest[cell[1]], numbers[cell] - numbers[base])
    for name, measure in (("models-are-alike", "F-1"), ("expand-is-no-more-precise", "precision")):
        assert LEDGER[name].check.asks["within"] == pytest.approx(smallest[measure])


def test_worded_claims_are_at_least_twenty_and_unlike_each_other() -> None:
    worded = [c for c in LEDGER if c.kind != "value" and not c.claim_id.endswith("-marked")]
    assert len(worded) >= 20
    assert len({c.says for c in worded}) == len(worded)


def test_names_are_those_that_the_experiments_write() -> None:
    assert set(LEDGER.experiments["naacl2015_table1"].rows) == {*naacl2015_table1.ROWS, "alpha"}
    assert naacl2015_table2.NAME in LEDGER.experiments


def test_claims_on_agreement_are_judged_on_what_table1_writes(tmp_path: Path) -> None:
    naacl2015_table1.run([profiles.load("teaching")]).write(tmp_path)
    verdicts = check(LEDGER, Results(tmp_path)).set_index("id")
    own = verdicts[verdicts.index.isin([c.claim_id for c in LEDGER if c.experiments == ("naacl2015_table1",)])]
    assert set(own["corpus"]) == {"teaching"}
    assert own.loc["most-annotators-agree-on-most-citances", "effect"] == pytest.approx(100 * (24 - 16) / 40, abs=1e-3)
    assert own.loc["t1-total-count", "value"] == 40
    assert own.loc[["t1-all-overlap-sd"], "verdict"].tolist() == ["not testable here"]  # one citance
    assert own.loc["share-with-a-majority", "verdict"] == "not testable here"
