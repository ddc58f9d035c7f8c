"""Rescoring and training: against the index, against plain loops, against planted preferences."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import optimize

from citectx.errors import ParameterError
from citectx.papers.lrec2016 import training as recommendation
from citectx.papers.lrec2016.training import (
    RecommendationTask,
    Setup,
    best_ranks,
    group_sizes,
    train,
)
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.planted import PREFERENCES
from citectx.recommendation.training import (
    Query,
    Rescorer,
    climb,
    folds,
    gains,
    listwise,
    mean_gain,
    unweighted_ranks,
)


@pytest.fixture(scope="module")
def task() -> RecommendationTask:
    return recommendation.load("planted")


def queries(task: RecommendationTask, kind: str) -> list[Query]:
    return [Query.of(c, task.collection) for c in task.kinds[kind]]


def rank_in_index(
    index: FieldedIndex, query: Query, weights: ArrayLike, among: np.ndarray
) -> float:
    """The target's rank among some articles, by the index's own scores."""
    scores = index.scores(query.terms, weights)[among]
    order = among[np.argsort(-scores, kind="stable")]
    place = np.flatnonzero(order == query.target)
    return float(place[0] + 1) if len(place) else math.inf


@pytest.mark.parametrize("depth", [10, None])
def test_ranks_are_those_of_the_index_under_any_weights(
    task: RecommendationTask, depth: int | None
) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Met")[:15]
    rescorer = Rescorer.of(index, own, depth)
    among = []
    for query in own:
        found = index.scores(query.terms)
        order = np.argsort(-found, kind="stable")[:depth]
        among.append(np.sort(order[np.isfinite(found[order])]))
    for seed in range(6):
        weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 7.0], size=11)
        expected = [rank_in_index(index, q, weights, a) for q, a in zip(own, among, strict=True)]
        assert rescorer.ranks(rescorer.set(weights)).tolist() == expected


def test_a_changed_weight_scores_like_a_new_start(task: RecommendationTask) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Res")
    rescorer, other = Rescorer.of(index, own), Rescorer.of(index, own)
    rng, weights = np.random.default_rng(1), np.ones(11)
    for field in [*range(11), *rng.integers(11, size=20).tolist()]:
        for weight in (6.0, 1.3, 0.0):
            changed = weights.copy()
            changed[field] = weight
            other.set(changed + 1)  # all weights move, so nothing is kept
            expected = other.set(changed)
            np.testing.assert_allclose(rescorer.with_weight(field, weight), expected, atol=1e-9)
            assert (
                rescorer.ranks(rescorer.with_weight(field, weight)).tolist()
                == other.ranks().tolist()
            )
            if rng.random() < 0.5 or weight == 0:
                np.testing.assert_allclose(rescorer.set(changed), expected, atol=1e-9)
                weights = changed


def test_unweighted_ranks_are_those_of_the_whole_collection(task: RecommendationTask) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Met")[:20]
    own.append(own[0]._replace(barred=np.array([own[0].target])))
    own.append(own[0]._replace(terms=np.array([-1])))
    expected = Rescorer.of(index, own, None).ranks().tolist()
    assert unweighted_ranks(index, own).tolist() == expected
    assert expected[-2:] == [math.inf, math.inf]
    assert len(set(expected)) > 5


def test_scores_are_lucenes_but_for_the_query_norm(task: RecommendationTask) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Bac")[:5]
    rescorer = Rescorer.of(index, own, None)
    scores = rescorer.set([2.0] + [1.0] * 10)
    for i, query in enumerate(own):
        full = index.scores(query.terms, [2.0] + [1.0] * 10)
        found = np.isfinite(full)
        ratio = scores[rescorer.first[i] : rescorer.first[i + 1]] / full[found]
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)


def test_planted_preferences_are_found_again(task: RecommendationTask) -> None:
    [trained] = train(task)
    assert [own.kind for own in trained] == sorted(PREFERENCES)
    for own in trained:
        preferred = np.isin(task.collection.classes, PREFERENCES[own.kind])
        assert (own.weights[:, preferred] > 0).all()
        assert (own.weights[:, ~preferred] == 0).mean() > 0.9
        assert (own.improvements() > 20).all()


def test_shuffled_labels_hide_what_was_planted(task: RecommendationTask) -> None:
    real, control = train(task, [Setup(), Setup(shuffle=0)])
    for own, other in zip(real, control, strict=True):
        assert gains(own.after).mean() > gains(other.after).mean() + 0.2


def plain_climb(score: Callable[[list[float]], float], n: int) -> tuple[list[float], float]:
    """The paper's algorithm, written out."""
    weights = [1.0] * n
    best, done, improved = score(weights), 0, True
    while done < 3 or improved:
        improved = False
        for step in (-1, 6, -2):
            for field in range(n):
                trial = weights.copy()
                trial[field] = max(0.0, trial[field] + step)
                if score(trial) > best:
                    weights, best, improved = trial, score(trial), True
        done += 1
    return weights, best


def test_climbing_is_the_papers_written_out(task: RecommendationTask) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Con")[:6]
    rescorer = Rescorer.of(index, own, 20)
    first = [np.sort(np.argsort(-index.scores(q.terms), kind="stable")[:20]) for q in own]

    def score(weights: list[float]) -> float:
        ranks = [
            rank_in_index(index, q, weights, among) for q, among in zip(own, first, strict=True)
        ]
        return sum(1 / math.log(rank + 1) for rank in ranks if rank < math.inf) / len(own)

    weights, best = plain_climb(score, 11)
    everything = np.ones(len(own), dtype=bool)
    found = climb(rescorer, everything)
    assert found.tolist() == weights
    assert mean_gain(rescorer.tried(found), everything) == pytest.approx(best)


def test_the_optimiser_goes_downhill_by_the_right_slope(
    task: RecommendationTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescorer = Rescorer.of(FieldedIndex.of(task.collection), queries(task, "Met"))
    before = gains(rescorer.ranks(rescorer.set(np.ones(11)))).mean()
    minimize, seen = optimize.minimize, []

    def watched(loss: Any, *rest: Any, **how: Any) -> Any:
        seen.append(loss)
        return minimize(loss, *rest, **how)

    monkeypatch.setattr(optimize, "minimize", watched)
    found = listwise(rescorer, np.ones(len(rescorer), dtype=bool))
    assert gains(rescorer.tried(found)).mean() > before
    [loss] = seen
    weights = np.random.default_rng(3).uniform(
        0.3, 2.0, size=11
    )  # no two fields tie: the slope exists
    slopes = loss(weights)[1]
    for field in range(11):
        step = np.eye(11)[field] * 1e-4
        rise = (loss(weights + step)[0] - loss(weights - step)[0]) / 2e-4
        assert rise == pytest.approx(slopes[field], rel=1e-3, abs=1e-2)
    assert np.abs(slopes).max() > 1


def test_the_optimiser_does_not_hang_on_last_digits(task: RecommendationTask) -> None:
    index, own = FieldedIndex.of(task.collection), queries(task, "Con")
    order = np.random.default_rng(0).permutation(len(own))
    one, other = (Rescorer.of(index, found) for found in (own, [own[i] for i in order]))
    inside = np.arange(len(own)) % 4 > 0
    assert listwise(one, inside).tolist() == listwise(other, inside[order]).tolist()


def test_gains_are_the_papers_and_the_usual_ones() -> None:
    ranks = [1, 2, 3, 200, 201, math.inf]
    assert gains(ranks)[:3] == pytest.approx([1 / math.log(2), 1 / math.log(3), 1 / math.log(4)])
    assert gains(ranks, normalised=True)[:2] == pytest.approx([1, 1 / math.log2(3)])
    assert gains(ranks)[3] > 0
    assert gains(ranks)[4:].tolist() == [0, 0]


def test_folds_by_order_are_equal_and_by_article_share_none() -> None:
    articles = [
        a for a, n in zip("abcdefgh", (5, 1, 9, 2, 2, 7, 3, 1), strict=True) for _ in range(n)
    ]
    by_order, by_article = folds(articles), folds(articles, how="article")
    assert np.bincount(by_order).tolist() == [8, 8, 7, 7]
    assert all(len(set(by_article[np.array(articles) == a])) == 1 for a in set(articles))
    assert set(by_article) == {0, 1, 2, 3}
    with pytest.raises(ParameterError, match="3 citations"):
        folds(list("abc"))
    with pytest.raises(ParameterError, match="'order'"):
        folds(articles, how="chance")  # type: ignore[arg-type]


def test_remembered_ranks_are_those_of_a_new_start(task: RecommendationTask) -> None:
    rescorer = Rescorer.of(FieldedIndex.of(task.collection), queries(task, "Res"))
    fresh = Rescorer.of(FieldedIndex.of(task.collection), queries(task, "Res"))
    rng = np.random.default_rng(5)
    for _ in range(40):
        weights = rng.choice([0.0, 1.0, 7.0], size=11)
        field, weight = int(rng.integers(11)), float(rng.choice([0.0, 1.0, 6.0]))
        found = rescorer.tried(weights, field, weight)
        weights[field] = weight
        assert found.tolist() == fresh.ranks(fresh.set(weights)).tolist()
        assert rescorer.tried(weights).tolist() == found.tolist()


def test_restarts_never_end_lower_on_the_training_queries(task: RecommendationTask) -> None:
    rescorer = Rescorer.of(FieldedIndex.of(task.collection), queries(task, "Con")[:10])
    everything = np.ones(10, dtype=bool)
    once, again = climb(rescorer, everything), climb(rescorer, everything, restarts=3)
    score = [mean_gain(rescorer.tried(weights), everything) for weights in (once, again)]
    assert score[1] >= score[0]


def test_who_is_trained_on_whom(task: RecommendationTask) -> None:
    small = RecommendationTask(
        task.name, task.collection, {k: v[:12] for k, v in task.kinds.items()}
    )
    own, one, others = train(small, [Setup(how="shared", pool=p) for p in ("own", "all", "others")])
    sizes = [
        [
            len({tuple(o.weights[fold]) for o in found if (o.fold == fold).any()})
            for fold in range(4)
        ]
        for found in (one, own)
    ]
    assert max(sizes[0]) == 1 < max(sizes[1])
    assert [o.kind for o in others] == [o.kind for o in own]
    fold_of = {a: f for o in own for a, f in zip(o.articles, o.fold.tolist(), strict=True)}
    assert all(
        fold_of[a] == f for o in own for a, f in zip(o.articles, o.fold.tolist(), strict=True)
    )


def test_citations_of_one_query_have_a_ceiling_and_can_be_left_out(
    task: RecommendationTask,
) -> None:
    first, second, *rest = task.kinds["Bac"]
    twin = first._replace(
        target_id=second.target_id if second.target_id != first.target_id else "R000"
    )
    citations = [first, twin, *rest]
    assert group_sizes(citations)[:3] == [2, 2, 1]
    assert best_ranks(citations)[:3].tolist() == [1, 2, 1]
    changed = RecommendationTask(task.name, task.collection, {"Bac": tuple(citations)})
    assert len(Setup(alone=True).selected(changed)["Bac"]) == len(rest)
    assert len(Setup(limit=5).selected(changed)["Bac"]) == 5
    with pytest.raises(ParameterError, match=r"is not a PMC id"):
        Setup(earlier=True).selected(changed)


def test_runs_of_equal_length_and_norms_of_articles(task: RecommendationTask) -> None:
    equal = task.collection.in_equal_parts()
    lengths = equal.field_lengths()
    assert lengths.sum(axis=0).tolist() == task.collection.field_lengths().sum(axis=0).tolist()
    assert np.ptp(lengths, axis=0).max() <= 2 * np.diff(task.collection.sentence_end).max()
    index = FieldedIndex.of(task.collection, article_norms=True)
    assert all(len(set(column[column > 0])) == 1 for column in index.norm.T)
    assert index.boosts({"Bac": 3.0}).tolist() == [3.0] + [1.0] * 10
    with pytest.raises(ParameterError, match="'Bug'"):
        index.boosts({"Bug": 3.0})


def test_an_empty_fold_leaves_the_baseline(task: RecommendationTask) -> None:
    kinds = {"Bac": tuple(c._replace(citing_id="same") for c in task.kinds["Bac"][:6])}
    one_article = RecommendationTask(task.name, task.collection, kinds)
    [[own]] = train(one_article, [Setup(how="article")])
    assert own.before.tolist() == own.after.tolist()


def test_an_index_is_used_again_for_an_equal_collection_only(task: RecommendationTask) -> None:
    kinds = {"Bac": task.kinds["Bac"][:20]}
    [[dealt], [own]] = train(
        RecommendationTask(task.name, task.collection, kinds), [Setup(shuffle=7), Setup()]
    )
    [[other]] = train(RecommendationTask(task.name, task.collection.shuffled(7), kinds))
    assert other.before.tolist() == dealt.before.tolist() != own.before.tolist()


def test_workers_train_the_same_weights(task: RecommendationTask) -> None:
    pytest.importorskip("distributed")
    afresh = RecommendationTask(task.name, task.collection, task.kinds)
    [here], [there] = train(task), train(afresh, jobs=2)
    for a, b in zip(here, there, strict=True):
        assert a.weights.tobytes() == b.weights.tobytes()
        assert a.after.tobytes() == b.after.tobytes()
