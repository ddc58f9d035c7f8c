"""Table 3 end to end, on the teaching corpus."""

import pandas as pd
import pytest
from scipy import stats

from citectx.corpora import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.experiments.results import Result
from citectx.papers.sigir2017 import table3 as sigir2017_table3
from citectx.papers.sigir2017.table3 import FAIR, MEASURES, QUARTILES, measure, quartiles
from citectx.types import Span
from tests.papers import scores_of

METHODS = ["BM25", "LMD", "WE_Bio"]


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return sigir2017_table3.run([teaching], METHODS)


def values(result: Result, metric: str) -> "pd.Series[float]":
    rows = result.table[result.table["metric"] == metric]
    return rows.set_index("method")["value"]


def test_quartiles_are_ordered_and_hold_the_best_models_scores(result: Result) -> None:
    scores = scores_of(result)
    best = scores[scores["method"] == "WE_Bio"].set_index(["topic", "citance"])
    bounds = []
    for name in QUARTILES:
        own = scores[scores["method"] == name].set_index(["topic", "citance"])
        assert own["c-F"].equals(best.loc[own.index, "c-F"])
        assert values(result, "c-F sd")[name] == pytest.approx(own["c-F"].std())
        assert own["c-F sd"].tolist() == pytest.approx(
            (own["c-F"] - own["c-F"].mean()).abs().tolist()
        )
        human = best.loc[own.index, "human c-P@1"]
        bounds += [human.min(), human.max()]
    assert bounds == sorted(bounds)


def test_tau_is_scipys(result: Result) -> None:
    scores = scores_of(result)
    for name in METHODS:
        own = scores[scores["method"] == name]
        expected = stats.kendalltau(own["human c-P@1"], own["c-F"]).statistic
        assert values(result, "tau")[name] == pytest.approx(expected)


def test_scores_against_others_worked_by_hand() -> None:
    # A and B marked 0-10, C 20-30. Two of the three always hold A or B, so the span 0-10 hits
    # throughout; the span 20-30 hits only where C is among the judges, 2 of 3 times.
    gold = {"A": (Span(0, 10),), "B": (Span(0, 10),), "C": (Span(20, 30),)}
    first = dict(zip(MEASURES, measure([Span(0, 10)], gold), strict=True))
    second = dict(zip(MEASURES, measure([Span(20, 30)], gold), strict=True))
    assert first[FAIR] == second["c-P@1"] == 1
    assert second[FAIR] == pytest.approx(2 / 3)
    assert first["human c-P@1"] == pytest.approx((1 + 1 + 0) / 3)


def test_quartiles_of_few_and_of_equal_citances() -> None:
    assert quartiles([3, 1, 2]) == ["Q3", "Q1", "Q2"]
    assert quartiles([0, 0, 0, 0]) == list(QUARTILES)
    assert quartiles([]) == []


def test_people_and_models_have_equally_many_judges(result: Result) -> None:
    tests = result.extra["tests"].set_index("method")
    fair = values(result, FAIR)
    assert set(tests["metric"]) == {FAIR}
    assert fair["human"] == values(result, "c-P@1")["human"]
    for name in METHODS:
        assert tests.loc[name, "difference"] == pytest.approx(fair[name] - fair["human"])


def test_one_annotator_is_not_enough() -> None:
    one = Annotation("A", (Span(0, 5),))
    lonely = Topic(
        "T", Document("d", "Cells rest."), (Citance("1", "x", "Cells.", annotations=(one,)),)
    )
    with pytest.raises(DataError, match="two annotators"):
        sigir2017_table3.run([Corpus("lonely", (lonely,))], ["LMD"])
