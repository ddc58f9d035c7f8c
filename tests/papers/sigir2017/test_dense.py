"""Table 1 with a sentence encoder, on the teaching corpus and an encoder that counts letters."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from citectx.corpora import Corpus
from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import Result, to_csv
from citectx.papers.sigir2017 import dense
from citectx.papers.sigir2017 import table1 as sigir2017_table1
from citectx.retrieval import dense as encoders
from tests.papers import scores_of


class Letters:
    """A bag of letters."""

    def encode(self, texts: Sequence[str], batch_size: int) -> NDArray[np.float32]:
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        return np.array(
            [[text.lower().count(letter) for letter in alphabet] for text in texts], dtype=float
        )


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoders, "open_encoder", lambda _: Letters())
        return dense.run([teaching], "Letters")


def test_rows_and_what_was_chosen(result: Result) -> None:
    assert result.wide("teaching").index.tolist() == ["BM25", "LMD", "Dense", "LMD+Dense"]
    assert len(result.table) == 4 * len(METRICS)
    params = result.table.set_index("method")["params"]["LMD+Dense"].iloc[0]
    chosen = json.loads(params)["chosen"]
    assert chosen["encoder"] == {"Letters": 3}
    assert sum(chosen["weight"].values()) == sum(chosen["mu"].values()) == 3


def test_rows_that_table_1_has_too_are_the_same(teaching: Corpus, result: Result) -> None:
    table1 = sigir2017_table1.run([teaching], ["BM25", "LMD"], beside=()).table
    own = result.table[result.table["method"].isin(["BM25", "LMD"])]
    columns = ["method", "metric", "value", "ci_low", "ci_high", "n"]
    assert to_csv(own[columns]) == to_csv(table1[columns])


def test_differences_to_lmd_and_to_bm25(result: Result) -> None:
    means = scores_of(result).groupby("method")["nDCG"].mean()
    tests = result.extra["tests"]
    nine = tests[tests["metric"] == "nDCG"].set_index(["method", "against"])["difference"]
    assert len(nine) == 6
    for row in nine.reset_index().to_dict("records"):
        assert row["difference"] == pytest.approx(means[row["method"]] - means[row["against"]])
