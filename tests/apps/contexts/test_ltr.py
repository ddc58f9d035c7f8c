"""The learned contextualizer: learning, weights on disk, and use on a reader's own text."""

import json
from pathlib import Path

import numpy as np
import pytest

from citectx.apps.contexts.features import GROUPS, LEXICAL, names_of
from citectx.apps.contexts.ltr import LTR, Examples, Given, Settings, Weight, shares
from citectx.corpora.model import Citance, Corpus, Document, Topic
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.language.text import SentenceSplitter


@pytest.fixture(scope="module")
def topics(teaching: Corpus) -> list[Prepared]:
    return prepare(teaching, Protocol())


def test_shares_against_a_count_by_hand(topics: list[Prepared]) -> None:
    topic = topics[0]
    found = shares(topic)
    for i in (0, len(topic.citances) - 1):
        gold = topic.citances[i].gold
        for j, (start, end) in enumerate(topic.candidates.chars):
            marked = [any(a < end and start < b for a, b in spans) for spans in gold.values()]
            assert found[i, j] == pytest.approx(sum(marked) / len(gold))


def test_learning_finds_the_feature_that_decides() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 50, 2)).astype(np.float32)
    examples = [Examples(values, (values[:, :, 1] > 1.5).astype(np.float64))]
    any_, share = LTR.learn(examples, ["place", "length"], [Settings(1.0), Settings(1.0, "share")])
    assert any_.weights["length"].weight > 10 * abs(any_.weights["place"].weight)
    # Where annotators agree, both targets are the same.
    assert share.weights["length"].weight == pytest.approx(any_.weights["length"].weight, rel=1e-3)
    assert np.mean(any_.of_values(values).argmax(axis=1) == values[:, :, 1].argmax(axis=1)) > 0.8
    with pytest.raises(ParameterError, match="no sentence is marked"):
        LTR.learn([Examples(values, np.zeros((20, 50)))], ["place", "length"], [Settings()])


def test_what_is_saved_scores_as_before(topics: list[Prepared], tmp_path: Path) -> None:
    names = names_of(*LEXICAL)
    [ltr] = LTR.learn([Examples.of(t, names) for t in topics[:2]], names, [Settings()])
    ltr.save(tmp_path / "weights.json", {"licence": "mine"})
    again = LTR.load(tmp_path / "weights.json")
    assert again.card == {"licence": "mine"} and list(again.weights) == names_of(*LEXICAL)
    np.testing.assert_allclose(topics[3].scores(again), topics[3].scores(ltr), atol=1e-3)


def test_the_weights_of_the_package_on_a_corpus_that_they_have_not_seen(
    topics: list[Prepared],
) -> None:
    ltr, rng = LTR.load(), np.random.default_rng(0)
    assert list(ltr.weights) == names_of(*GROUPS) and "citation-integrity" in json.dumps(ltr.card)
    scores = [t.scores(ltr) for t in topics]
    shuffled = [rng.permuted(own, axis=1) for own in scores]
    found, chance = (
        np.concatenate(
            [t.measure(Given(s), ["nDCG"])["nDCG"] for t, s in zip(topics, each, strict=True)]
        )
        for each in (scores, shuffled)
    )
    assert found.mean() > chance.mean() + 8


@pytest.mark.parametrize(
    "text", ["Cells rest. In 12 mice, PINK1 fell.", "Rest.", "細胞は休む。Ответ."]
)
def test_an_article_without_structure(text: str) -> None:
    citances = tuple(
        Citance(str(i), "x", t) for i, t in enumerate(["PINK1 fell in 12 mice [3].", "", "[1]"])
    )
    topic = Topic("own", Document("own", text), citances)
    prepared = Prepared(topic, SentenceSplitter(), Protocol(), only_annotated=False)
    scores = prepared.scores(LTR.load())
    assert scores.shape == (3, len(prepared.candidates)) and np.isfinite(scores).all()
    if "PINK1" in text:
        assert scores[0].argmax() == 1


def test_windows_of_sentences_are_refused(teaching: Corpus) -> None:
    [prepared, *_] = prepare(teaching, Protocol(max_sentences=2))
    with pytest.raises(ParameterError, match="max_sentences=1"):
        prepared.scores(LTR.load())


@pytest.mark.parametrize("damage", ["{", "[]", '{"features": {}}', "unknown", "infinite"])
def test_damaged_weights_are_refused(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    with pytest.raises(MissingDataError, match="is not there"):
        LTR.load(path)
    if damage in ("unknown", "infinite"):
        LTR({"place": Weight(float("inf") if damage == "infinite" else 1.0, 0.0, 1.0)}).save(
            path, {}
        )
        path.write_text(
            path.read_text().replace("place", "plaice") if damage == "unknown" else path.read_text()
        )
    else:
        path.write_text(damage)
    with pytest.raises(DataError, match=r"weights\.json"):
        LTR.load(path)
