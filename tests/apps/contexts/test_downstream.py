"""Contexts of the learned model for summaries; tables without their data."""

from dataclasses import replace
from pathlib import Path

import pytest

from citectx.apps.contexts import downstream
from citectx.apps.contexts.downstream import DEPTH, found_by_ltr
from citectx.corpora.model import Corpus, Topic
from citectx.errors import MissingDataError


def _exchanged(topic: Topic) -> Topic:
    """The same citances, each with the evidence of the next one."""
    moved = [*topic.citances[1:], topic.citances[0]]
    pairs = zip(topic.citances, moved, strict=True)
    return replace(
        topic, citances=tuple(replace(c, annotations=other.annotations) for c, other in pairs)
    )


def test_contexts_of_every_citance_owe_nothing_to_the_topics_own_annotations(
    teaching: Corpus,
) -> None:
    found = found_by_ltr(teaching)
    for topic in teaching:
        assert list(found[topic.topic_id]) == [c.citance_id for c in topic.citances]
        for spans in found[topic.topic_id].values():
            assert len({*spans}) == len(spans) == DEPTH
            assert all(0 <= s.start < s.end <= len(topic.reference.text) for s in spans)
    first, *others = teaching.topics
    again = found_by_ltr(replace(teaching, topics=(_exchanged(first), *others)))
    assert again[first.topic_id] == found[first.topic_id]
    assert any(again[t.topic_id] != found[t.topic_id] for t in others)


def test_a_corpus_without_annotations_has_the_weights_of_the_package(teaching: Corpus) -> None:
    bare = tuple(
        replace(t, citances=tuple(replace(c, annotations=()) for c in t.citances))
        for t in teaching.topics[:1]
    )
    [found] = found_by_ltr(replace(teaching, topics=bare)).values()
    assert len(found) == len(teaching.topics[0].citances)


def test_a_table_without_its_data_is_left_out_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing() -> None:
        raise MissingDataError("run: citectx fetch it")

    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    monkeypatch.setattr(downstream, "tables", lambda *_: {"rare": missing})
    made, outcome = downstream.run("teaching")
    assert not made
    assert "citectx fetch it" in str(outcome.loc["rare", "outcome"])


def test_open_data_has_all_scripted_tables() -> None:
    assert set(downstream.tables("open")) == {
        "beyond_summaries",
        "beyond_impact",
        "scisumm_task1a",
        "sigir2017_dense",
    }
