"""The learned contextualizer: the fit by hand, nothing leaks, the package's weights."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import average_precision_score

from citectx.beyond.features import FEATURES
from citectx.beyond.ltr import GRID, LTR, examples, held_out, learn, regression, train, values_of
from citectx.corpora.model import Citance, Corpus, Document, Topic
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.language.text import SentenceSplitter
from citectx.types import Floats, Ints


class Data(NamedTuple):
    """Topics, their features and their marks."""

    topics: list[Prepared]
    values: list[Floats]
    marked: list[Ints]


@pytest.fixture(scope="module")
def data(teaching: Corpus) -> Data:
    topics = prepare(teaching)
    return Data(topics, values_of(topics), [topic.relevant for topic in topics])


def test_the_fit_is_where_the_slope_is_zero(data: Data) -> None:
    x, y, _ = examples(data.values, data.marked)
    logit = regression(c=0.03).fit(x, y)[-1]
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    wrong = expit(x @ logit.coef_[0] + logit.intercept_[0]) - y
    np.testing.assert_allclose(x.T @ wrong + logit.coef_[0] / 0.03, 0, atol=1e-4)
    assert wrong.sum() == pytest.approx(0, abs=1e-4)


def test_c_is_the_best_for_topics_that_are_left_out(data: Data) -> None:
    x, y, topics = examples(data.values, data.marked)
    chosen = []
    for few in (x, x[:, 12:]):
        precision = dict.fromkeys(GRID, 0.0)
        for c, topic in product(GRID, range(len(data.values))):
            left = topics == topic
            scores = regression(c).fit(few[~left], y[~left]).decision_function(few[left])
            precision[c] += average_precision_score(y[left], scores)
        chosen.append(learn(few, y, topics)[-1].C)
        assert max(GRID, key=precision.__getitem__) == chosen[-1]
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize("folds", [2, 5])
def test_a_topics_own_annotations_change_nothing_for_it(folds: int, data: Data) -> None:
    _, values, marked = data
    before, cs = held_out(values, marked, folds)
    changed = 0
    for topic in range(len(values)):
        poisoned = [1 - own if i == topic else own for i, own in enumerate(marked)]
        after, _ = held_out(values, poisoned, folds)
        np.testing.assert_array_equal(before[topic], after[topic])
        changed += sum((a != b).any() for a, b in zip(before, after, strict=True))
    assert len(cs) == folds
    assert changed >= len(values)


def test_topics_of_one_block_are_in_the_same_fold(data: Data) -> None:
    _, values, marked = data
    blocks = np.arange(len(values)) // 2  # the first two topics are block 0
    x, y, topics = examples(values, marked)
    rest = topics > 1
    model = learn(x[rest], y[rest], topics[rest])
    expected = model.decision_function(x[topics == 0])
    scores, cs = held_out(values, marked, 10, blocks=blocks)
    np.testing.assert_allclose(scores[0].ravel(), expected, atol=1e-6)
    alone, _ = held_out(values, marked, 10)
    assert (scores[0] != alone[0]).any()
    assert len(cs) == len(np.unique(blocks))


def test_scores_are_those_of_the_fit(data: Data) -> None:
    model = learn(*examples(data.values, data.marked))
    scores = model.decision_function(data.values[3].reshape(-1, len(FEATURES)))
    ours = data.topics[3].scores(train(["teaching"]))
    np.testing.assert_allclose(ours.ravel(), scores, atol=1e-4)


def test_the_packages_weights_on_a_corpus_that_they_have_not_seen(data: Data) -> None:
    ltr = LTR.load()
    assert [*ltr.weights] == [*FEATURES]
    assert "citation-integrity" in ltr.card["trained_on"]
    first = [t.relevant[range(len(t.citances)), t.scores(ltr).argmax(axis=1)] for t in data.topics]
    chance = np.concatenate([topic.relevant.mean(axis=1) for topic in data.topics]).mean()
    assert np.concatenate(first).mean() > 3 * chance


PINK1 = "Cells rest. Yeast divides. In 12 mice, PINK1 fell."


@pytest.mark.parametrize("text", [PINK1, "Cells rest. Mice fell.", "細胞は休む。"])
def test_an_article_without_structure(text: str) -> None:
    asked = ["PINK1 fell in 12 mice [3].", "", "[1]"]
    citances = tuple(Citance(str(i), "x", each) for i, each in enumerate(asked))
    topic = Topic("own", Document("own", text), citances)
    prepared = Prepared(topic, topic.citances, SentenceSplitter(), Protocol())
    scores = prepared.scores(LTR.load())
    assert scores.shape == (3, len(prepared.candidates))
    assert np.isfinite(scores).all()
    if text == PINK1:
        assert scores[0].argmax() == 2  # of two sentences the first would be first for its place
