"""The learning curve: shares are compared on the same pairs, and with the whole text."""

import itertools

import numpy as np
import pandas as pd
import pytest

from citectx.corpora import Corpus
from citectx.embeddings import Vectors
from citectx.experiments.results import find, read
from citectx.papers.sigir2017 import ratings, show
from citectx.paths import RESULTS

SMALL = {
    f"{row} {share}": f"{text}-small"
    for row, text in ratings.TEXTS.items()
    for share in ("1/2", "all")
}


def test_shares_are_compared_on_pairs_that_all_of_them_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    words = tuple(f"w{i}" for i in range(20))
    whole = Vectors(words, rng.normal(size=(20, 5)).astype(np.float32))
    half = Vectors(words[:12], rng.normal(size=(12, 5)).astype(np.float32))
    pairs = pd.DataFrame(itertools.pairwise(words), columns=["one", "other"])
    pairs["rating"] = np.arange(19.0)
    vectors = {"WE_Bio 1/2": half, "WE_Bio all": whole}
    cells = {(c.method, c.metric): c for c in ratings.on_pairs(pairs, vectors, 0)}
    assert {
        cells[row, metric].n for row in vectors for metric in ("spearman", "less than all")
    } == {11}
    assert cells["WE_Bio 1/2", "coverage"].value == pytest.approx(100 * 11 / 19)
    both = [cells[row, "spearman"].value for row in vectors]
    assert cells["WE_Bio 1/2", "less than all"].value == pytest.approx(both[0] - both[1])
    assert cells["WE_Bio all", "less than all"].value == 0


def test_rows_of_contexts_with_tests_and_texts(teaching: Corpus) -> None:
    result = ratings.curve([teaching], SMALL, (), folds=2, progress=False)
    assert set(result.table["method"]) == {"LMD", *SMALL}
    values = result.table.set_index(["method", "metric"])["value"]
    assert values["WE_Bio 1/2", "nDCG"] == values["WE_Bio all", "nDCG"]  # the same vectors here
    assert values["WE_Bio all", "nDCG"] != values["WE_Wiki all", "nDCG"]
    tests = result.extra["tests"].set_index(["method", "against", "metric"])["difference"]
    assert tests["WE_Bio 1/2", "WE_Bio all", "nDCG"] == 0
    assert tests["WE_Bio all", "LMD", "nDCG"] == pytest.approx(
        values["WE_Bio all", "nDCG"] - values["LMD", "nDCG"]
    )
    assert list(result.extra["texts"]["method"]) == list(SMALL)


def test_the_committed_curve_grows_with_its_text_and_can_be_drawn() -> None:
    folder = RESULTS / "open"
    table = read(folder, ratings.CURVE)
    texts = pd.read_csv(find(folder, f"{ratings.CURVE}.texts.csv"))
    assert list(texts["method"]) == list(ratings.VECTORS)
    for row in ("WE_Wiki", "WE_Bio"):
        own = texts[texts["method"].str.startswith(row)]
        assert own["words"].is_monotonic_increasing
        assert own["vocabulary"].is_monotonic_increasing
    pairs = table[table["metric"] == "spearman"]
    assert pairs.groupby(["corpus", pairs["method"].str.split().str[0]])["n"].nunique().max() == 1
    figure = show.learning_curve(table, texts, "title")
    assert len(figure.axes) == 4
