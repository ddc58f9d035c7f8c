"""Table 1 with a sentence encoder, on the teaching corpus and an encoder that counts letters."""

import json

import numpy as np
import pytest
from scipy import stats

from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import to_csv
from citectx.papers.sigir2017 import readings
from citectx.papers.sigir2017 import table1 as sigir2017_table1


class Letters:
    """A bag of letters."""

    def encode(self, texts):
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        return np.array(
            [[text.lower().count(letter) for letter in alphabet] for text in texts], dtype=float
        )


@pytest.fixture(scope="module")
def result(teaching):
    return readings.dense([teaching], Letters(), progress=False)


def test_rows_and_what_was_chosen(result):
    assert result.wide("teaching").index.tolist() == ["BM25", "LMD", "Dense", "LMD+Dense"]
    assert len(result.table) == 4 * len(METRICS)
    chosen = json.loads(result.table.set_index("method").loc["LMD+Dense", "params"].iloc[0])[
        "chosen"
    ]
    assert chosen["encoder"] == {"Letters": 3}
    assert sum(chosen["weight"].values()) == sum(chosen["mu"].values()) == 3


def test_rows_that_table_1_has_too_are_the_same(teaching, result):
    table1 = sigir2017_table1.run([teaching], ["BM25", "LMD"], beside=(), progress=False).table
    own = result.table[result.table["method"].isin(["BM25", "LMD"])]
    columns = ["method", "metric", "value", "ci_low", "ci_high", "n"]
    assert to_csv(own[columns]) == to_csv(table1[columns])


def test_p_values_are_scipys_against_lmd(result):
    wide = result.citances.pivot_table(index=["topic", "citance"], columns="method", values="c-F")
    rows = result.table[result.table["metric"] == "c-F"].set_index("method")
    assert np.isnan(rows.loc["LMD", "p_value"])
    for method in ("BM25", "Dense", "LMD+Dense"):
        expected = stats.ttest_rel(wide[method], wide["LMD"]).pvalue
        assert rows.loc[method, "p_value"] == pytest.approx(expected)


def test_differences_to_lmd_and_to_bm25(result):
    means = result.citances.groupby("method")["nDCG"].mean()
    tests = result.extra["tests"]
    nine = tests[tests["metric"] == "nDCG"].set_index(["method", "against"])["difference"]
    assert len(nine) == 6
    for (method, against), difference in nine.items():
        assert difference == pytest.approx(means[method] - means[against])
