"""The classifier on planted classes, its later stages against scikit-learn, its file, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from citectx.corpora.coresc import Paper
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.recommendation.coresc import CLASSES, NETWORK_WINDOW, CoreSCClassifier, Sentence

WORDS = {
    "Bac": "It is known that cells {}.",
    "Met": "We have {} the cells.",
    "Res": "Cells were {} in flies.",
}


def planted(papers: int, seed: int) -> tuple[list[Paper], list[tuple[str, ...]]]:
    """Papers of six sentences: words tell Bac, Met and Res; the last is Con by its place alone."""
    rng = np.random.default_rng(seed)
    made, labels = [], []
    for i in range(papers):
        classes = [str(c) for c in rng.choice(list(WORDS), 5)]
        texts = [WORDS[c].format(rng.choice(["stained", "moved", "changed"])) for c in classes]
        last = WORDS[str(rng.choice(list(WORDS)))].format("seen")
        sentences = [Sentence(t, heading="Results", section=1, paragraph=1) for t in texts]
        sentences.append(Sentence(last, heading="Conclusions", section=2, paragraph=2))
        made.append(Paper(f"p{seed}-{i}", tuple(sentences)))
        labels.append((*classes, "Con"))
    return made, labels


@pytest.fixture(scope="module")
def model() -> CoreSCClassifier:
    return CoreSCClassifier().fit(*planted(60, seed=1))


def test_words_and_places_are_learnt(model: CoreSCClassifier) -> None:
    papers, labels = planted(30, seed=2)
    predicted = model.predict(papers)
    right = [
        a == b for own, found in zip(labels, predicted, strict=True) for a, b in zip(own, found, strict=True)
    ]
    assert np.mean(right) > 0.97
    assert {found[-1] for found in predicted} == {"Con"}


def test_probabilities_add_up_and_unseen_classes_have_none(model: CoreSCClassifier) -> None:
    papers, _ = planted(3, seed=3)
    probabilities = model.predict_proba(papers)
    assert probabilities.shape == (18, 11)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    assert not probabilities[:, CLASSES.index("Hyp")].any()


def test_papers_do_not_influence_each_other(model: CoreSCClassifier) -> None:
    papers, _ = planted(4, seed=4)
    together = model.predict_proba(papers)
    alone = np.vstack([model.predict_proba([paper]) for paper in papers])
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-6)


def test_same_seed_same_model_and_the_file_holds_all_of_it(model: CoreSCClassifier, tmp_path: Path) -> None:
    assert CoreSCClassifier().fit(*planted(60, seed=1)).fingerprint == model.fingerprint
    read = CoreSCClassifier.load(model.save(tmp_path / "model.npz"))
    papers, _ = planted(5, seed=5)
    assert read.fingerprint == model.fingerprint
    assert read.predict(papers) == model.predict(papers)
    (tmp_path / "model.npz").write_bytes(b"PK broken")
    with pytest.raises(DataError, match=r"model\.npz"):
        CoreSCClassifier.load(tmp_path / "model.npz")
    with pytest.raises(MissingDataError, match="citectx coresc train"):
        CoreSCClassifier.load(tmp_path / "other.npz")


def test_training_again_forgets_what_was_learnt() -> None:
    papers, labels = planted(20, seed=7)
    model = CoreSCClassifier(min_count=1).fit(papers, labels)
    model.predict(papers)
    swapped = [tuple("Bac" if c == "Con" else c for c in own) for own in labels]
    again = CoreSCClassifier(min_count=1).fit(papers, swapped)
    assert model.fit(papers, swapped).predict(papers) == again.predict(papers)


def test_what_it_refuses(model: CoreSCClassifier) -> None:
    papers, labels = planted(4, seed=6)
    with pytest.raises(ParameterError, match=r"unknown class in paper 'p6-0'.*'Bug'"):
        CoreSCClassifier().fit(papers, [("Bug", *labels[0][1:]), *labels[1:]])
    with pytest.raises(ParameterError, match="6 sentences, but 5 labels"):
        CoreSCClassifier().fit(papers, [labels[0][1:], *labels[1:]])
    with pytest.raises(ParameterError, match="4 papers, but labels for 3"):
        CoreSCClassifier().fit(papers, labels[1:])
    with pytest.raises(ParameterError, match="two papers and two classes"):
        CoreSCClassifier().fit(papers[:1], labels[:1])
    with pytest.raises(ParameterError, match="'empty' has no sentences"):
        model.predict([Paper("empty", ())])
    with pytest.raises(ParameterError, match="not trained"):
        CoreSCClassifier().predict(papers)
    assert model.predict([]) == []


@pytest.mark.parametrize("classes", [2, 4])
def test_second_stage_gives_the_probabilities_of_scikit_learn(classes: int) -> None:
    papers, labels = planted(30, seed=8)
    if classes == 2:
        labels = [tuple("Bac" if c == "Bac" else "Res" for c in own) for own in labels]
    model = CoreSCClassifier(blend=0.0, networks=0).fit(papers, labels)
    seen: list[np.ndarray] = []
    lay_out = model._context
    model._context = lambda *given: seen.append(lay_out(*given)) or seen[-1]  # type: ignore[method-assign]
    model.fit(papers, labels)
    found = model.predict_proba(papers)
    learnt, shown = seen
    peer = make_pipeline(StandardScaler(), LogisticRegression(C=model.c_context, max_iter=500))
    peer.fit(learnt, [c for own in labels for c in own])
    columns = [CLASSES.index(c) for c in peer.classes_]
    np.testing.assert_allclose(found[:, columns], peer.predict_proba(shown), atol=2e-3)


@pytest.mark.parametrize("classes", [2, 4])
def test_networks_give_the_probabilities_of_scikit_learn(
    classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, labels = planted(30, seed=9)
    if classes == 2:
        labels = [tuple("Bac" if c == "Bac" else "Res" for c in own) for own in labels]
    fitted: list[MLPClassifier] = []

    def noted(*args: Any, **kwargs: Any) -> MLPClassifier:
        fitted.append(MLPClassifier(*args, **kwargs))
        return fitted[-1]

    monkeypatch.setattr("sklearn.neural_network.MLPClassifier", noted)
    model = CoreSCClassifier(networks=2).fit(papers, labels)
    seen = model._features(papers)
    surroundings = model._surroundings(papers, seen)
    expected = np.mean([np.log(network.predict_proba(surroundings)) for network in fitted], axis=0)
    assert len(fitted) == 2
    np.testing.assert_allclose(model._asked_networks(papers, seen), expected, atol=1e-4)


def test_networks_see_two_sentences_either_side() -> None:
    papers, labels = planted(10, seed=10)
    model = CoreSCClassifier().fit(papers, labels)
    texts = [Sentence(word) for word in ("Cells", "flies", "mice", "rats", "fish", "yeast")]
    seen = model._surroundings([Paper("p", tuple(texts))], model._features([Paper("p", tuple(texts))]))
    meaning = seen[:, :300] / 4
    np.testing.assert_allclose(np.linalg.norm(meaning[:, :150], axis=1), 1, rtol=1e-5)
    for block, (distance, weight) in enumerate(NETWORK_WINDOW.items()):
        for i in range(len(texts)):
            there = 0 <= i + distance < len(texts)
            other = meaning[i + distance] if there else np.zeros(300)
            np.testing.assert_allclose(seen[i, 300 * block : 300 * (block + 1)], weight * other, rtol=1e-5)


def test_columns_weigh_what_they_tell_of_a_class() -> None:
    matrix = sp.csr_matrix(np.array([[1, 0, 2], [1, 0, 3], [1, 4, 0], [1, 0, 1]], dtype=np.float32))
    own = np.array([True, True, False, False])
    scale = CoreSCClassifier(ratio=0.5)._telling(matrix, own)
    inside, outside = np.array([3, 1, 3]) / 7, np.array([3, 2, 2]) / 7
    ratio = np.abs(np.log(inside / outside))
    np.testing.assert_allclose(scale, 0.5 + 0.5 * ratio / ratio.mean(), rtol=1e-5)
    np.testing.assert_allclose(CoreSCClassifier(ratio=0.0)._telling(matrix, own), 1)
    alike = sp.csr_matrix(np.ones((4, 3), dtype=np.float32))
    np.testing.assert_allclose(CoreSCClassifier()._telling(alike, own), 1)
