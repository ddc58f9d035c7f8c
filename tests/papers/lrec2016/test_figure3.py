"""The tables of Figures 3 and 4 on a small planted collection."""

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.results import Result
from citectx.papers.lrec2016 import figure3, figure4
from citectx.papers.lrec2016.figures import improvements_by_fold, weights_by_fold
from citectx.papers.lrec2016.training import RecommendationTask, planted
from citectx.recommendation.training import gains
from tests.papers import scores_of


@pytest.fixture(scope="module")
def task() -> RecommendationTask:
    return planted(articles=40, citations=16)


@pytest.fixture(scope="module")
def result(task: RecommendationTask) -> Result:
    return figure3.run([task], shuffles=1, progress=False)


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


def test_the_table_holds_levels_gains_and_the_ceiling(result: Result) -> None:
    values = result.table.set_index(["method", "metric"])["value"]
    assert values["all", "gain"] == pytest.approx(
        values["all", "NDCG"] - values["all baseline", "NDCG"]
    )
    assert values["ceiling", "NDCG"] >= values["all", "NDCG"]
    assert not result.table.duplicated(["method", "metric"]).any()


def test_figures_show_the_paper_beside_ours(result: Result, task: RecommendationTask) -> None:
    published = {("Bac", "fold 1"): 28.8, ("Bac", "mean"): 22.3, ("Bac fold 1", "Bac"): 1.0}
    figure = improvements_by_fold(result.table, published, "title")
    assert [ax.get_title() for ax in figure.axes[:2]] == ["paper", "ours"]
    assert [t.get_text() for t in figure.axes[0].texts] == ["29", "22"]
    weights = figure4.run([task], shuffles=0, progress=False).table
    drawn = weights_by_fold(weights, task.collection.classes, "title", published)
    paper, ours = drawn.axes
    assert len(ours.texts) == 16 * 11
    assert [text.get_text() for text in paper.texts] == ["1"]
    assert min(float(text.get_fontsize()) for text in ours.texts) >= 8


def test_measures_are_means_over_rankings() -> None:
    ranks = pd.Series([1.0, 2.0, np.inf])
    assert figure3.measures(ranks)["accuracy"].tolist() == [100, 0, 0]
    assert figure3.measures(ranks)["NDCG"].tolist() == gains(ranks, normalised=True).tolist()
    assert figure3.measures(ranks, ranks + 1)["accuracy"].tolist() == [50, 0, 0]
