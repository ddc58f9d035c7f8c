"""Table 2, Figure 1 and the ablation, on the teaching corpus with the small vectors."""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from citectx.corpora import Corpus
from citectx.corpora.sources import source
from citectx.embeddings import open_vectors
from citectx.errors import ParameterError
from citectx.experiments.results import COLUMNS, Result, find
from citectx.papers.sigir2017 import ablation as sigir2017_ablation
from citectx.papers.sigir2017 import controls
from citectx.papers.sigir2017 import figure1 as sigir2017_figure1
from citectx.papers.sigir2017 import table1 as sigir2017_table1
from citectx.papers.sigir2017 import table2 as sigir2017_table2
from citectx.paths import RESULTS
from citectx.retrieval.embedding_lm import TRANSFER
from citectx.storage import read_json


@pytest.fixture(scope="module")
def ablation(teaching: Corpus) -> Iterator[Result]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controls, "DRAWS", 1)
        yield sigir2017_ablation.run([teaching])


def test_the_ablation_has_its_rows_and_the_controls(ablation: Result) -> None:
    rows = ["LMD (Eq. 1)", *sigir2017_ablation.CHANGES, *controls.ROWS]
    assert list(dict.fromkeys(ablation.table["method"])) == rows
    drawn = ablation.table[ablation.table["method"].isin(controls.ROWS)]
    assert drawn["params"].str.contains('"draws": 1').all()


def test_a_threshold_acts_where_the_dot_product_is_normalized() -> None:
    cosine = np.array([-0.5, 0.0, 0.4, 0.8, 1.0])
    logit, normalized = (TRANSFER[name](cosine) for name in ("logit", "normalized"))
    assert (logit[:3] == 0).all() and (np.diff(normalized[1:4]) > 0).all()
    share = (1 + cosine[3]) / 2
    assert normalized[3] == pytest.approx(np.log(share / (1 - share)) / np.log(0.95 / 0.05))


def test_ranks_are_places_among_sorted_neighbours() -> None:
    vectors = open_vectors("biomedical-small")
    nearest = vectors.neighbours("expression", 50)["word"].tolist()
    found = sigir2017_table2.ranks(
        vectors, "expression", [nearest[0], nearest[9], nearest[49], "no-such-word"]
    )
    assert found == {nearest[0]: 1, nearest[9]: 10, nearest[49]: 50}
    frequent = vectors.neighbours("expression", 50, among=2000)["word"].tolist()
    found = sigir2017_table2.ranks(vectors, "expression", [frequent[0], frequent[30]], among=2000)
    assert found == {frequent[0]: 1, frequent[30]: 31}


def test_table2_biomedical_words_are_nearer_in_biomedical_vectors(teaching: Corpus) -> None:
    result = sigir2017_table2.run([teaching])
    assert list(result.table.columns) == COLUMNS
    mean = result.table[result.table["metric"] == sigir2017_table2.MEAN].set_index("method")[
        "value"
    ]
    assert mean["WE_Bio"] < mean["WE_Wiki"]
    ranks = result.table.set_index(["method", "metric"])["value"]
    assert ranks["WE_Bio", "mrna"] < 100 < ranks["WE_Wiki", "mrna"]


def test_the_cards_of_the_large_vectors_are_of_todays_texts_and_of_the_table() -> None:
    cards = read_json(RESULTS / "open" / "vectors.json")
    assert len(cards) == 6
    for card in cards.values():
        assert card["sources"] == {name: source(name).sha256 for name in card["sources"]}
    table = pd.read_csv(find(RESULTS / "open", "sigir2017_table2.csv"))
    for params in map(json.loads, table["params"]):
        assert cards[params["vectors"]]["words"] == params["words"]


def test_an_unknown_word_is_an_error_that_says_what_to_write(teaching: Corpus) -> None:
    with pytest.raises(
        ParameterError, match="'expresion' is not among the 12,000 words of general-small"
    ):
        sigir2017_table2.run([teaching], word="expresion")
    with pytest.raises(ParameterError, match="'expresion' is not among"):
        sigir2017_figure1.similarities(open_vectors("biomedical-small"), "expresion", 5)


def test_figure1_logit_drops_further_and_both_curves_fall(teaching: Corpus) -> None:
    result = sigir2017_figure1.run([teaching])
    drop = result.table.set_index("method")["value"]
    assert 0 < drop["dot product"] < drop["logit"] <= 1
    curve = result.extra["curve"]
    assert len(curve) == 2000
    assert (np.diff(curve["dot product"]) <= 0).all()
    assert (np.diff(curve["logit"]) <= 1e-12).all()


def test_lmd_of_the_ablation_is_the_row_of_table1(teaching: Corpus, ablation: Result) -> None:
    table1 = sigir2017_table1.run([teaching], ["LMD"], beside=()).wide("teaching")
    rows = ablation.wide("teaching")
    lmd = table1[rows.columns].loc[["LMD"]].to_numpy()
    np.testing.assert_allclose(rows.loc[["LMD (Eq. 1)"]].to_numpy(), lmd, rtol=1e-5)


def test_differences_to_lmd_are_those_of_the_table(ablation: Result) -> None:
    values = ablation.table.set_index(["method", "metric"])["value"]
    for row in ablation.extra["tests"].to_dict("records"):
        expected = values[row["method"], row["metric"]] - values["LMD (Eq. 1)", row["metric"]]
        assert row["difference"] == pytest.approx(expected)
        # fewer than five topics have no interval
        is_inside = row["ci_low"] <= row["difference"] + 1e-9 <= row["ci_high"] + 2e-9
        assert is_inside or np.isnan(row["ci_low"])
