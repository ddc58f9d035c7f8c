"""Controls: what is random, and what is as it was."""

from collections import Counter

import numpy as np
import pytest

from citectx.corpora import Corpus
from citectx.embeddings import open_vectors
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.ontology import SynonymGraph, open_vocabulary
from citectx.papers.sigir2017 import controls
from citectx.retrieval import EmbeddingLM
from citectx.retrieval.embedding_lm import WEBioInterpolated

METRICS = ("c-F", "nDCG")


@pytest.fixture(scope="module")
def topics(teaching: Corpus) -> list[Prepared]:
    return prepare(teaching, Protocol())


@pytest.fixture(scope="module")
def graph() -> SynonymGraph:
    return open_vocabulary(["teaching"])


def test_there_are_twenty_draws() -> None:
    assert controls.DRAWS >= 20


def test_every_name_keeps_its_number_of_synonyms_and_gets_others(graph: SynonymGraph) -> None:
    drawn = [controls.exchange_meanings(graph, seed) for seed in range(3)]
    for other in drawn:
        assert [*other.bearers] == [*graph.bearers]
        for name in graph.bearers:
            assert len(other.synonyms(name)) == len(graph.synonyms(name))
    changed = [name for name in graph.bearers if drawn[0].synonyms(name) != graph.synonyms(name)]
    assert len(changed) > len(graph.bearers) / 2
    assert drawn[0].bearers != drawn[1].bearers


def test_dealt_vectors_are_the_same_vectors_with_the_same_threshold() -> None:
    vectors = open_vectors("biomedical-small")
    dealt = controls.deal(vectors, seed=1)
    assert {*dealt.words} == {*vectors.words} and dealt.words != vectors.words
    assert dealt.matrix is vectors.matrix
    assert dealt.threshold() == vectors.threshold()


def test_mismatched_pairs_move_the_words_that_pairs_of_synonyms_move(graph: SynonymGraph) -> None:
    vectors = open_vectors("biomedical-small")
    other = controls.mismatch(vectors, graph, seed=0)
    moved = np.flatnonzero(np.abs(other.unit - vectors.unit).max(axis=1) > 1e-4)
    joined = {word for pair in graph.edges(vectors.words) for word in pair}
    assert {vectors.words[i] for i in moved} <= joined
    assert len(moved) > len(joined) / 2


def test_a_control_with_nothing_changed_is_the_model(
    topics: list[Prepared], graph: SynonymGraph
) -> None:
    vectors = open_vectors("biomedical-small")
    plain = topics[0].scores(EmbeddingLM(mu=50))
    same = controls._OfVectors(mu=50, changed=vectors)
    np.testing.assert_array_equal(topics[0].scores(same), plain)
    mixed = WEBioInterpolated(vocabulary=("teaching",), weight=0.3)
    other = controls._OfGraph(graph=graph, weight=0.3)
    np.testing.assert_array_equal(topics[0].scores(other), topics[0].scores(mixed))
    changed = controls._OfGraph(graph=controls.exchange_meanings(graph, 0), weight=0.3)
    assert not np.array_equal(topics[0].scores(changed), topics[0].scores(mixed))


def test_scores_are_means_over_draws(
    topics: list[Prepared], monkeypatch: pytest.MonkeyPatch
) -> None:
    single = []
    monkeypatch.setattr(controls, "DRAWS", 2)
    both = controls.scores("teaching", topics, 10, METRICS)
    for seed in range(2):
        monkeypatch.setattr(controls, "range", lambda _, seed=seed: [seed], raising=False)
        single.append(controls.scores("teaching", topics, 10, METRICS))
    assert Counter(both["method"]) == dict.fromkeys(controls.ROWS, len(both) // 3)
    mean = (single[0][[*METRICS]] + single[1][[*METRICS]]) / 2
    np.testing.assert_allclose(both[[*METRICS]], mean)
