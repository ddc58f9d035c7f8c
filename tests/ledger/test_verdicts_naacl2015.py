"""The ledger of naacl2015 against numbers typed from the paper a second time."""

from collections import Counter
from pathlib import Path

import pytest

from citectx import profiles
from citectx.ledger import Results, check, load
from citectx.ledger.forms import NoBetter
from citectx.papers.naacl2015 import table1 as naacl2015_table1

LEDGER = load("naacl2015")
MEASURES = ["recall", "precision", "F-1", "RL-recall", "RL-precision", "RL-F-1"]
STARS = {
    "reduce": (1, 0),
    "KW": (1, 4),
    "NP": (1, 4),
    "expand": (1, 3),
    "reduce+expand": (1, 5),
    "NP+expand": (1, 4),
}


def test_stars_of_table2() -> None:
    marks: dict[str, Counter[str]] = {}
    for (row, _), mark in LEDGER.marks("naacl2015_table2").items():
        marks.setdefault(row, Counter())[mark] += 1
    assert {row: (count["*"], count["**"]) for row, count in marks.items()} == STARS


def test_changes_follow_from_the_values_up_to_rounding_but_for_one_slip_of_the_paper() -> None:
    numbers, odd = LEDGER.published(("naacl2015_table2",)), []
    printed = [each for each in LEDGER.numbers("naacl2015_table2") if each.number and each.change]
    assert len(printed) == 6 * 6
    for each in printed:
        change, base = float(each.change), numbers["baseline", each.column]
        low, high = (
            100 * ((each.value - 5e-4) / (base + 5e-4) - 1),
            100 * ((each.value + 5e-4) / (base - 5e-4) - 1),
        )
        if not low - 0.05 <= change <= high + 0.05:
            odd.append((each.row, each.column, change))
    assert odd == [("KW", "RL-recall", -0.1)]


def test_margins_are_the_smallest_changes_that_table2_marks_in_their_measures() -> None:
    numbers = LEDGER.published(("naacl2015_table2",))
    smallest: dict[str, float] = {}
    for row, (column, _) in LEDGER.marks("naacl2015_table2"):
        gain = numbers[row, column] - numbers["baseline", column]
        smallest[column] = min(smallest.get(column, 1.0), gain)
    for name, measure in (("models-are-alike", "F-1"), ("expand-is-no-more-precise", "precision")):
        check = LEDGER[name].check
        assert isinstance(check, NoBetter) and check.within == pytest.approx(smallest[measure])


def test_claims_on_agreement_are_judged_on_what_table1_writes(tmp_path: Path) -> None:
    naacl2015_table1.run([profiles.load("teaching")]).write(tmp_path)
    verdicts = check(LEDGER, Results(tmp_path)).set_index("id")
    own = verdicts[
        verdicts.index.isin([c.claim_id for c in LEDGER if c.experiments == ("naacl2015_table1",)])
    ]
    assert set(own["corpus"]) == {"teaching"}
    assert own.loc["most-annotators-agree-on-most-citances", "effect"] == pytest.approx(
        100 * (24 - 16) / 40, abs=1e-3
    )
