"""The tables of Figures 3 and 4 on a small planted collection."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.results import Result
from citectx.papers.lrec2016 import figure3, figure4
from citectx.papers.lrec2016.training import RecommendationTask, Setup, plant_task
from citectx.recommendation.collection import Citation
from citectx.recommendation.training import Query, gains
from tests.papers import scores_of


@pytest.fixture(scope="module")
def task() -> RecommendationTask:
    return plant_task(articles=40, citations=20)  # 5 citing articles


@pytest.fixture(scope="module")
def result(task: RecommendationTask) -> Result:
    trained = figure3.train([task], shuffles=1, progress=False)
    return figure3.run([task], trained, shuffles=1)


def test_questions_are_differences_of_rows(result: Result) -> None:
    ndcg = scores_of(result).groupby("method")["NDCG"].mean()
    asked = result.extra["questions"]
    assert len(asked) == 9
    expected = ndcg[asked["first"]].to_numpy() - ndcg[asked["second"]].to_numpy()
    np.testing.assert_allclose(asked["difference"], expected)
    assert (asked["ci_low"] <= asked["difference"]).all()
    assert (asked["difference"] <= asked["ci_high"]).all()
    trained = asked.set_index("first").loc["all"].set_index("second")["difference"]
    assert trained["shuffled labels"] > 0.1  # the preferences were planted


def test_the_table_holds_levels_and_gains(result: Result) -> None:
    values = result.table.set_index(["method", "metric"])["value"]
    assert values["all", "gain"] == pytest.approx(
        values["all", "NDCG"] - values["all baseline", "NDCG"]
    )
    assert not result.table.duplicated(["method", "metric"]).any()


def test_folds_of_a_class_and_the_one_that_training_helps_least(result: Result) -> None:
    values = result.table.set_index(["method", "metric"])["value"]
    scores = scores_of(result)
    for kind in scores.loc[scores["fold"].notna(), "method"].unique():
        if not kind.endswith(" baseline"):
            trained = [values[kind, f"NDCG fold {i}"] for i in (1, 2, 3, 4)]
            equal = [values[f"{kind} baseline", f"NDCG fold {i}"] for i in (1, 2, 3, 4)]
            gained = [values[kind, f"fold {i}"] for i in (1, 2, 3, 4)]
            growth = 100 * (np.array(trained) / equal - 1)
            assert growth == pytest.approx(gained)
            least = int(np.argmin(growth))
            assert values["all", f"NDCG {kind}"] == pytest.approx(trained[least])
            assert values["all baseline", f"NDCG {kind}"] == pytest.approx(equal[least])


def test_a_field_is_kept_where_its_weight_is_above_0(task: RecommendationTask) -> None:
    trained = figure3.train([task], shuffles=0)
    table = figure4.run([task], trained, shuffles=0).table
    cells = table.pivot_table(index="method", columns="metric", values="value")
    folds = cells[cells.index.str.contains(" fold ")]
    assert len(folds) == 4 * len(task.kinds)
    for field in task.collection.classes:
        assert cells.loc[f"field {field}", "kept"] == pytest.approx((folds[field] > 0).mean())


def test_ndcg_is_the_mean_over_rankings() -> None:
    ranks = pd.Series([1.0, 2.0, np.inf])
    assert figure3.ndcg(ranks).tolist() == gains(ranks, normalised=True).tolist()
    assert figure3.ndcg(ranks, ranks + 1)[2] == 0
    assert figure3.ndcg(ranks, ranks + 1)[0] == pytest.approx((1 + 1 / np.log2(3)) / 2)


def test_earlier_articles_alone_are_cited_and_recommended(task: RecommendationTask) -> None:
    pairs = product(("PMC90", "PMC100"), ("PMC89", "PMC90", "PMC99", "PMC101"))
    cited = [Citation(*pair, "Bac", ("cells",), place) for place, pair in enumerate(2 * [*pairs])]
    made = replace(task, citations=tuple(cited))
    kept = Setup(earlier=True).select(made)["Bac"]
    assert {citation[:2] for citation in kept} == {
        ("PMC90", "PMC89"),
        *product(["PMC100"], ["PMC89", "PMC90", "PMC99"]),
    }
    assert len(kept) == 8
    [first, *_] = task.kinds["Bac"]
    numbers = np.arange(len(task.collection)) + 80
    query = Query.of(first._replace(citing_id="PMC100"), task.collection, numbers)
    assert numbers[query.barred].tolist() == [*range(100, 120)]
