"""Eq. 2 under each reading of it: the declared one is Table 1's, intervals are the ledger's."""

from pathlib import Path

import pandas as pd
import pytest

from citectx.corpora import Corpus
from citectx.experiments.results import Result
from citectx.ledger.results import Results
from citectx.ledger.view import View
from citectx.papers.sigir2017 import readings, table1

DECLARED = "WE_Bio (article, 0.95, related)"


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return readings.of_eq2([teaching], ["WE_Bio", "VSM"], progress=False)


def test_every_combination_is_a_row_beside_the_rivals(result: Result) -> None:
    rows = result.wide("teaching").index.tolist()
    assert rows[:3] == ["BM25", "LMD", "QR"]
    assert rows[3] == DECLARED
    assert len(rows) == len({*rows}) == 3 + 4 * 2 * 3


def test_the_declared_reading_is_the_row_of_table1(teaching: Corpus, result: Result) -> None:
    alone = table1.run([teaching], ["WE_Bio"], beside=(), progress=False).wide("teaching")
    columns = list(readings.COMPARED)
    own = result.wide("teaching")[columns].loc[[DECLARED]].to_numpy()
    assert own == pytest.approx(alone[columns].loc[["WE_Bio"]].to_numpy(), rel=1e-5)


def test_readings_differ(result: Result) -> None:
    values = result.wide("teaching")["c-F"].iloc[3:]
    assert values.nunique() > 12


def test_differences_have_the_intervals_of_the_ledger(result: Result, tmp_path: Path) -> None:
    result.write(tmp_path)
    view = View(Results(tmp_path), (readings.EQ2,), "teaching")
    found = result.extra["headline"]
    assert len(found) == 24 * 3
    for row in found[found["against"] == "QR"].itertuples():
        reading = {"denominator": row.denominator, "cap": row.cap, "unseen": row.unseen}
        expected = view.difference(readings.label("WE_Bio", reading), "QR", "c-F")
        assert (row.difference, row.ci_low, row.ci_high) == pytest.approx(expected[:3], abs=2e-4)


def test_readings_are_counted_by_their_interval() -> None:
    found = pd.DataFrame(
        [("A", "QR", 2.0, 1.0, 3.0), ("A", "QR", -1.0, -2.0, 0.5), ("A", "BM25", -2.0, -3.0, -1.0)],
        columns=["method", "against", "difference", "ci_low", "ci_high"],
    )
    counts = readings.counted(found).set_index("against")
    assert counts["readings"]["QR"] == 2
    assert counts["ahead"].to_dict() == {"QR": 1, "BM25": 0}
    assert counts["behind"].to_dict() == {"QR": 0, "BM25": 1}
    assert (counts["smallest"]["QR"], counts["largest"]["QR"]) == (-1.0, 2.0)
