"""The experiment on planted papers: scikit-learn's figures, folds that keep annotators apart."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score

from citectx.corpora.coresc import CLASSES, CoreSCCorpus
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.lrec2016 import coresc
from citectx.papers.lrec2016.coresc import Sentences, confusions, held_out, macro_f1
from tests.recommendation.test_coresc import planted


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


def test_figures_are_those_of_scikit_learn() -> None:
    sentences = Sentences.of(corpus("x", 3))
    said = np.random.default_rng(0).choice(CLASSES[:9], len(sentences.labels))
    counts = confusions(sentences, said).sum(axis=0)
    theirs = f1_score(sentences.labels, said, labels=CLASSES, average="macro", zero_division=0)
    assert macro_f1(counts) == pytest.approx(100 * theirs)
    assert np.trace(counts) == accuracy_score(sentences.labels, said, normalize=False)


def test_an_annotator_is_predicted_by_the_others() -> None:
    sentences = Sentences.of(corpus("x", 3))
    own = sentences._replace(labels=sentences.annotator)  # each has a class that no other uses
    majority = DummyClassifier(strategy="most_frequent")
    assert not (held_out(majority, own, own.annotator) == own.labels).any()
    assert (held_out(majority, own, own.paper % 5) == own.labels).any()
