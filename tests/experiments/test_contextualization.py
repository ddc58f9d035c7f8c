"""Preparing, tuning and measuring."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from citectx.corpora import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import DataError, ParameterError
from citectx.experiments.contextualization import METRICS, Protocol, prepare
from citectx.experiments.tuning import cross_validated, sums_of, tune
from citectx.retrieval import BM25, LMD, VSM, Query, RetrievalModel
from citectx.types import Floats, Span

TEXT = "Alpha cells divide. Beta cells rest. Gamma cells die."
PLACES = [Span(0, 19), Span(20, 36), Span(37, 53)]


@dataclass
class Fixed(RetrievalModel):
    """Always ranks one sentence first: a model whose best parameter is known."""

    place: int = 0
    grid: ClassVar = {"place": (0, 1, 2)}

    def score(self, queries: Sequence[Query]) -> Floats:
        return np.tile(np.eye(3)[self.place], (len(queries), 1))


def corpus(*evidence: int) -> Corpus:
    """A topic for each sentence that is evidence, with a second citance that has none."""
    topics = []
    for i, sentence in enumerate(evidence):
        marked, none = Annotation("A", (PLACES[sentence],)), Annotation("A", ())
        first = Citance("1", "x", "Cells do something (Doe, 2001).", annotations=(marked,))
        second = Citance("2", "x", "Nobody knows.", annotations=(none,))
        topics.append(Topic(f"T{i}", Document(f"T{i}", TEXT), (first, second)))
    return Corpus("made", tuple(topics))


def test_citances_without_evidence_are_left_out() -> None:
    prepared = prepare(corpus(0), Protocol())
    assert [c.citance_id for c in prepared[0].citances] == ["1"]
    assert prepared[0].queries[0].weights == {"cells": 1}
    bare = Topic("T", Document("r", TEXT), (Citance("1", "x", "Cells."),))
    with pytest.raises(DataError, match="made: no citance has annotated evidence"):
        prepare(Corpus("made", (bare,)), Protocol())


def test_tuning_never_looks_at_the_topic_that_is_scored() -> None:
    """Three topics want sentence 0, one wants sentence 2: it must be given what the others like."""
    prepared = prepare(corpus(0, 0, 0, 2), Protocol(k=1))
    variants = list(Fixed.variants())
    tuned = tune(prepared, variants, folds=4)
    assert [m.params()["place"] for m in tuned.chosen.values()] == [0, 0, 0, 0]
    assert tuned.counts() == {"place": {"0": 4}}
    assert sums_of(prepared, variants).sum(axis=1).tolist() == [3.0, 0.0, 1.0]


def test_measures_by_hand() -> None:
    """Evidence is the second of three sentences; they are ranked 2nd, 1st, 3rd (by index)."""
    prepared = prepare(corpus(1), Protocol(k=2))[0]
    [row] = prepared.measure(prepared.scores(Fixed(place=1)))
    assert row["c-P@1"] == row["nDCG"] == row["c-R"] == 100
    assert row["c-P"] == row["wc-P"] == pytest.approx(100 * 16 / (16 + 19))
    # Five words are returned, three of them are the evidence's.
    assert row["RG-1"] == pytest.approx(100 * 2 * (3 / 6) / (3 / 6 + 1))
    assert row.keys() == {"topic", "citance", *METRICS}


def test_asking_for_few_metrics_gives_the_same_numbers(teaching: Corpus) -> None:
    prepared = prepare(teaching, Protocol())[0]
    few = ("nDCG", "c-F")
    scores = prepared.scores(BM25())
    for some, every in zip(prepared.measure(scores, few), prepared.measure(scores), strict=True):
        assert "RG-1" not in some
        assert some == {name: every[name] for name in some}


def test_tuning_needs_two_folds_and_two_topics() -> None:
    for folds, topics in ((1, 3), (3, 1)):
        with pytest.raises(ParameterError, match="two folds and two topics"):
            cross_validated(np.ones((2, topics)), np.ones(topics), folds)


@pytest.mark.parametrize("sentences", [1, 2])
def test_tuning_wants_what_tables_measure(teaching: Corpus, sentences: int) -> None:
    protocol = Protocol(max_sentences=sentences)
    for topic in prepare(teaching, protocol):
        for model in (VSM(), LMD(mu=10)):
            rows = topic.measure(topic.scores(model), ["c-F"])
            assert (100 * topic.objective(model)).tolist() == [row["c-F"] for row in rows]
