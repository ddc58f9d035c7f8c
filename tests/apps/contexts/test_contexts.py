"""Learned contextualizers: nothing leaks, controls are what they say, numbers by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from citectx.apps.contexts import contexts, ltr
from citectx.apps.contexts.features import GROUPS, STATIC, matrix, names_of
from citectx.apps.contexts.ltr import Examples, Settings, nested
from citectx.corpora.model import Corpus
from citectx.evaluation import human_precision, ndcg, relevance
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.results import COLUMNS, Result

NAMES = names_of("section", "place", "style")
GRID = [Settings(0.003), Settings(0.3), Settings(0.3, "share")]


@pytest.fixture(scope="module")
def topics(teaching: Corpus) -> list[Prepared]:
    return prepare(teaching, Protocol())


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    few = replace(teaching, name="few", topics=teaching.topics[:4])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contexts, "RESAMPLES", 10)
        return contexts.run([teaching, few], grid=[Settings(0.03)])


@pytest.fixture(scope="module")
def examples(topics: list[Prepared]) -> list[Examples]:
    return [Examples.of(topic, NAMES) for topic in topics]


def test_a_topics_own_annotations_change_nothing_for_it(
    topics: list[Prepared], examples: list[Examples], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def objective(topic: Prepared, scores: np.ndarray) -> float:
        asked.append(topics.index(topic))
        return topic.topic.topic_id < "D9003" and float(scores.max())

    monkeypatch.setattr(ltr, "character_f", objective)
    before = nested(topics, examples, NAMES, 5, GRID)
    poisoned = [replace(examples[0], shares=1 - examples[0].shares), *examples[1:]]
    after = nested(topics, poisoned, NAMES, 5, GRID)
    np.testing.assert_array_equal(before.scores[0], after.scores[0])
    assert any((a != b).any() for a, b in zip(before.scores[1:], after.scores[1:], strict=True))
    assert sorted(set(asked)) == [0, 1, 2, 3, 4]


def test_what_knows_nothing_of_the_citance_is_the_same_for_all(topics: list[Prepared]) -> None:
    values = matrix(topics[0].index, topics[0].queries, names_of(*STATIC))
    assert (values == values[0]).all() and values.std(axis=1).max() > 0
    assert (
        matrix(topics[0].index, topics[0].queries, names_of("words"))[0] != values[0, :, :1]
    ).any()


def test_outside_the_abstract_nothing_is_left_of_it(teaching: Corpus) -> None:
    hidden = prepare(Corpus("hidden", tuple(map(contexts._without_abstract, teaching))), Protocol())
    for topic, own in zip(prepare(teaching, Protocol()), hidden, strict=True):
        (start, end), *more = (
            (b.start, b.end) for b in topic.topic.reference.blocks if b.kind == "abstract"
        )
        assert not more and len(own.candidates) < len(topic.candidates)
        spans = [
            *own.candidates.chars,
            *(s for c in own.citances for marked in c.gold.values() for s in marked),
        ]
        assert all(b <= start or end <= a for a, b in spans)


def test_people_against_a_computation_by_hand(topics: list[Prepared], result: Result) -> None:
    topic, citance = topics[1], topics[1].citances[2]
    scored = result.citances
    assert scored is not None
    row = scored[
        (scored["topic"] == topic.topic.topic_id)
        & (scored["citance"] == citance.citance_id)
        & (scored["method"] == "people (against others)")
    ].iloc[0]
    assert row["c-P@1"] == pytest.approx(100 * np.mean([*human_precision(citance.gold).values()]))
    expected = []
    for name, spans in citance.gold.items():
        others = {o: s for o, s in citance.gold.items() if o != name}
        gains = relevance(topic.candidates.chars, others)
        marked = [any(a < e and s < b for s, e in spans) for a, b in topic.candidates.chars]
        order = sorted(range(len(marked)), key=lambda i: (not marked[i], i))
        expected.append(ndcg(gains[order]))
    assert row["nDCG"] == pytest.approx(100 * np.mean(expected))


def test_the_table_has_every_row_and_control(result: Result) -> None:
    wide = result.wide("teaching")
    assert set(result.wide("few").index) == {"BM25", "Fusion", contexts.OTHER}
    assert list(result.table.columns) == COLUMNS
    learned = ["BM25", "Fusion", *contexts.ROWS, "LTR (evidence permuted)", "LTR (two folds)"]
    assert set(learned) < set(wide.index)
    values = wide["nDCG"].to_dict()
    assert values["LTR"] > values["LTR (evidence permuted)"] + 10
    assert values["LTR"] > values["LTR (another citance's scores)"] + 10
    groups, weights = result.extra["groups"], result.extra["weights"]
    assert list(groups["added"]) == list(GROUPS)
    assert groups["nDCG difference"].iloc[1:].sum() == pytest.approx(
        groups["nDCG"].iloc[-1] - groups["nDCG"].iloc[0]
    )
    # All groups together are the row LTR: same features, same settings, same folds.
    assert groups["nDCG"].iloc[-1] == pytest.approx(
        result.table.set_index(["corpus", "method", "metric"])["value"]["teaching", "LTR", "nDCG"]
    )
    assert (weights["ci_low"] <= weights["ci_high"]).all() and len(weights) == len(
        contexts.ROWS["LTR"]
    )
    assert {"tests", "groups", "curve", "weights", "people"} == set(result.extra)


def test_bars_run_from_the_value_before_to_the_value_now() -> None:
    rows = [("c", "words", 3, 50.0, None, None), ("c", "place", 5, 54.0, 1.0, 7.0)]
    columns = ["corpus", "added", "features", "nDCG", "nDCG ci_low", "nDCG ci_high"]
    drawn = contexts.waterfall(
        pd.DataFrame(rows, columns=columns), "nDCG", "title", {("c", "BM25"): 49.0}
    )
    (bar,) = drawn.axes[0].patches
    assert isinstance(bar, Rectangle)
    assert (bar.get_x(), bar.get_width()) == (50.0, 4.0)
    assert [t.get_text() for t in drawn.axes[0].get_yticklabels()] == ["words (3)", "place (2)"]
