"""Rescoring against the index, training against planted preferences; lesson 07 climbs by hand."""

import math
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citectx import catalogue
from citectx.corpora import full_texts, sources
from citectx.papers.lrec2016 import training as recommendation
from citectx.papers.lrec2016.training import RecommendationTask, Setup, by_fold, train
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.planted import PREFERENCES, plant
from citectx.recommendation.training import Query, Rescorer, climb, folds
from citectx.types import Floats


@pytest.fixture(scope="module")
def task() -> RecommendationTask:
    return recommendation.load("planted")


@pytest.fixture(scope="module")
def index(task: RecommendationTask) -> FieldedIndex:
    return FieldedIndex.of(task.collection)


def queries(task: RecommendationTask, kind: str) -> list[Query]:
    return [Query.of(c, task.collection) for c in task.kinds[kind]]


def rank_in_index(
    index: FieldedIndex, query: Query, weights: Floats | list[float], depth: int | None
) -> float:
    """The target's rank among the best of the unweighted run, by the index's own scores."""
    first = index.scores(query.terms)
    among = np.sort(np.argsort(-first, kind="stable")[:depth])
    among = among[np.isfinite(first[among])]
    scores = index.scores(query.terms, weights)[among].round(9)
    place = np.flatnonzero(among[np.argsort(-scores, kind="stable")] == query.target)
    return float(place[0] + 1) if len(place) else math.inf


@pytest.mark.parametrize("depth", [10, 1000])
def test_ranks_are_those_of_the_index_under_any_weights(
    task: RecommendationTask, index: FieldedIndex, depth: int
) -> None:
    own = queries(task, "Met")[:15]
    rescorer = Rescorer(index, own, depth)
    rng = np.random.default_rng(0)
    for _ in range(6):
        weights = rng.choice([0.0, 1.0, 2.0, 7.0], size=11)
        field, weight = int(rng.integers(11)), float(rng.choice([0.0, 1.3, 6.0]))
        for found in (rescorer.ranks(weights), rescorer.ranks(weights, field, weight)):
            assert found.tolist() == [rank_in_index(index, q, weights, depth) for q in own]
            weights[field] = weight


def test_unweighted_ranks_are_those_of_the_whole_collection(
    task: RecommendationTask, index: FieldedIndex
) -> None:
    own = queries(task, "Met")[:20]
    own.append(own[0]._replace(barred=np.array([own[0].target])))
    own.append(own[0]._replace(terms=np.array([-1])))
    ranks = [query.rank(index) for query in own]
    assert ranks == Rescorer(index, own, 1000).ranks(np.ones(11)).tolist()
    assert ranks[-2:] == [math.inf, math.inf]
    assert len(set(ranks)) > 5
    hopeless = Rescorer(index, own[-2:])
    assert climb(hopeless, np.ones(2, dtype=bool)).tolist() == [1.0] * 11


def test_planted_preferences_are_found_again(task: RecommendationTask) -> None:
    ranks, weights = train(task)[Setup()]
    assert [*weights.index.unique(0)] == sorted(PREFERENCES)
    for kind, rows in weights.groupby(level=0):
        preferred = np.isin(weights.columns, PREFERENCES[str(kind)])
        values = rows.to_numpy()
        assert (values[:, preferred] > 0).all()
        assert (values[:, ~preferred] == 0).mean() > 0.9
    assert (by_fold(ranks)["improvement"] > 20).all()


def test_shuffled_labels_hide_what_was_planted(task: RecommendationTask) -> None:
    real, control = (
        by_fold(ranks) for ranks, _ in train(task, [Setup(), Setup(shuffle=0)]).values()
    )
    for kind in PREFERENCES:
        assert real.loc[[kind], "after"].mean() > control.loc[[kind], "after"].mean() + 0.2


def test_climbing_looks_at_the_training_citations_alone(
    task: RecommendationTask, index: FieldedIndex
) -> None:
    own, train = queries(task, "Met")[:20], np.arange(20) < 10
    found = climb(Rescorer(index, own), train)
    assert found.tolist() == climb(Rescorer(index, own[:10]), train[:10]).tolist()


def test_climbing_goes_on_while_it_gains_and_no_weight_is_below_zero() -> None:
    class Ranks:
        fields = 2

        def ranks(self, weights: Floats, field: int = 0, weight: float | None = None) -> Floats:
            """Rank one target the higher the smaller weight 0 is, another the larger weight 1."""
            trial = weights.copy()
            trial[field] = trial[field] if weight is None else weight
            return np.array([10 + trial[0], max(1.0, 100 - trial[1])])

    queries: Any = Ranks()
    # 17 steps of 6 from 1 on, of which three passes take three
    assert climb(queries, np.ones(2, bool)).tolist() == [0, 103]


def test_folds_by_order_are_equal_and_by_article_share_none() -> None:
    sizes = dict(zip("abcdefgh", (5, 1, 9, 2, 2, 7, 3, 1), strict=True))
    articles = np.repeat([*sizes], [*sizes.values()])
    by_order, by_article = folds(articles.tolist()), folds(articles.tolist(), how="article")
    assert np.bincount(by_order).tolist() == [8, 8, 7, 7]
    assert all(len(set(by_article[articles == a])) == 1 for a in sizes)
    assert set(by_article) == {0, 1, 2, 3}


def test_who_is_trained_on_whom(task: RecommendationTask) -> None:
    some = chain.from_iterable(own[:12] for own in task.kinds.values())
    small = RecommendationTask(task.name, task.collection, tuple(some))
    setups = [Setup(how="shared", pool=pool) for pool in ("own", "all", "others")]
    (ranks, own), (_, one), (_, others) = train(small, setups).values()
    tested = by_fold(ranks).index
    different = [
        weights.loc[tested].groupby("fold").apply(lambda rows: len(rows.drop_duplicates()))
        for weights in (one, own)
    ]
    assert max(different[0]) == 1 < max(different[1])
    assert others.index.equals(own.index)
    assert (ranks.groupby("citing_id")["fold"].nunique() == 1).all()


def test_citations_of_one_query_can_be_left_out(task: RecommendationTask) -> None:
    first, *rest = task.kinds["Bac"]
    twin = first._replace(target_id="R000" if first.target_id != "R000" else "R001")
    changed = RecommendationTask(task.name, task.collection, (first, twin, *rest))
    assert len(Setup(alone=True).select(changed)["Bac"]) == len(rest)


def test_runs_of_equal_length(task: RecommendationTask) -> None:
    lengths = task.collection.in_equal_parts().field_lengths()
    assert lengths.sum(axis=0).tolist() == task.collection.field_lengths().sum(axis=0).tolist()
    assert np.ptp(lengths, axis=0).max() <= 2 * task.collection.sentence_lengths.max()


def test_an_empty_fold_leaves_the_baseline(task: RecommendationTask) -> None:
    citing = tuple(c._replace(citing_id="same") for c in task.kinds["Bac"][:6])
    one_article = RecommendationTask(task.name, task.collection, citing)
    [(ranks, _)] = train(one_article, [Setup(how="article")]).values()
    assert ranks["before"].tolist() == ranks["after"].tolist()


def test_workers_train_the_same_weights(task: RecommendationTask) -> None:
    afresh = RecommendationTask(task.name, task.collection, task.citations)
    here, there = train(task)[Setup()], train(afresh, jobs=2)[Setup()]
    assert here[0].equals(there[0])
    assert here[1].equals(there[1])


def test_a_collection_is_read_with_its_findings(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    name, larger = recommendation.COLLECTIONS
    texts, labels = plant(articles=20, citations=8)
    sizes = list[int]()

    def read(folder: Path, most: int) -> full_texts.FullTexts:
        sizes.append(most)
        return texts._replace(findings=(f"{folder.name}: left out",))

    monkeypatch.setattr(sources, "folder", Path)
    monkeypatch.setattr(full_texts, "read_full_texts", read)
    monkeypatch.setattr(recommendation, "label_collection", lambda *_: labels)
    made = recommendation.task_of(name, texts, labels, labels)
    caplog.set_level("INFO", catalogue.LISTENERS.name)
    for collection in (name, larger):
        task = recommendation.load.__wrapped__(collection)
        assert task.fingerprint() == made.fingerprint()
    assert sizes == [100, 1000]
    left_out = f"the first is {name}: left out"
    assert caplog.messages == [f"1 findings in {loaded}, {left_out}" for loaded in (name, larger)]
