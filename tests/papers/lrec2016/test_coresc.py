"""The experiment on planted papers: accuracies, folds that keep annotators apart."""

from dataclasses import replace

import pytest
from sklearn.dummy import DummyClassifier

from citectx.corpora.coresc import CoreSCCorpus
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.lrec2016 import coresc
from citectx.papers.lrec2016.coresc import held_out, sentences_of
from tests.recommendation.test_classifier import planted


def corpus(name: str, seed: int, papers: int = 12) -> CoreSCCorpus:
    rows = enumerate(zip(*planted(papers, seed), strict=True))
    labelled = (replace(paper, labels=labels, group=f"ann{i % 3}") for i, (paper, labels) in rows)
    return CoreSCCorpus(name, tuple(labelled))


@pytest.fixture(scope="module")
def result() -> Result:
    return coresc.run(corpus("first", 1), corpus("second", 2))


def test_each_corpus_has_our_accuracy_and_that_of_the_majority(result: Result) -> None:
    assert list(result.table.columns) == COLUMNS
    accuracy = result.table[result.table["metric"] == "accuracy"].set_index(["corpus", "method"])
    value = accuracy["value"].to_dict()
    assert list(value) == [
        *(("first", "ours"), ("first", "ours, mixed folds"), ("first", "majority")),
        *(("second", "ours"), ("second", "majority")),
    ]
    assert value["first", "ours"] > 80 > value["first", "majority"]
    assert value["second", "ours"] > 80 > value["second", "majority"]
    assert (accuracy["ci_low"] <= accuracy["value"]).all()
    assert (accuracy["value"] <= accuracy["ci_high"]).all()


def test_an_annotator_is_predicted_by_the_others() -> None:
    sentences = sentences_of(corpus("x", 3))
    habits = sentences.assign(label=sentences["annotator"])  # each has a class that no other uses
    majority = DummyClassifier(strategy="most_frequent")
    by_annotator = held_out(majority, habits, habits["annotator"])
    assert not (by_annotator == habits["label"]).any()
    assert (held_out(majority, habits, habits["paper"] % 5) == habits["label"]).any()
