"""The classifier on planted classes, what its parts see, and what it refuses."""

import numpy as np
import pytest

from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.embeddings import open_vectors
from citectx.errors import ParameterError
from citectx.recommendation.coresc import WINDOW, CoreSCClassifier, Seen
from citectx.recommendation.networks import INPUT, on_grid

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


def varied(papers: int, seed: int) -> tuple[list[Paper], list[tuple[str, ...]]]:
    """Papers of twenty sentences over many words, whose classes are hard to tell."""
    rng = np.random.default_rng(seed)
    words = np.array(list(open_vectors("biomedical-small").index)[:3000])
    made, labels = [], []
    for i in range(papers):
        classes = rng.choice(CLASSES, 20)
        first = [rng.permutation(words[CLASSES.index(c) * 200 :][:900])[:3] for c in classes]
        texts = [" ".join([*own, *rng.choice(words, 9)]) + "." for own in first]
        sentences = [Sentence(t, section=j // 7, paragraph=j // 4) for j, t in enumerate(texts)]
        made.append(Paper(f"v{seed}-{i}", tuple(sentences)))
        labels.append(tuple(str(c) for c in classes))
    return made, labels


@pytest.fixture(scope="module")
def model() -> CoreSCClassifier:
    return CoreSCClassifier().fit(*planted(60, seed=1))


def test_words_and_places_are_learnt(model: CoreSCClassifier) -> None:
    papers, labels = planted(30, seed=2)
    predicted = model.predict(papers)
    right = [
        a == b
        for own, found in zip(labels, predicted, strict=True)
        for a, b in zip(own, found, strict=True)
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


def test_same_seed_same_model(model: CoreSCClassifier) -> None:
    again = CoreSCClassifier().fit(*planted(60, seed=1))
    papers, _ = planted(5, seed=5)
    assert again.fingerprint == model.fingerprint
    assert again.predict(papers) == model.predict(papers)
    other = CoreSCClassifier(seed=1).fit(*planted(60, seed=1))
    assert other.fingerprint != model.fingerprint


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


def test_networks_see_two_sentences_either_side() -> None:
    texts = [Sentence(word) for word in ("Cells", "flies", "mice", "rats", "fish", "yeast")]
    seen = Seen.of([Paper("p", tuple(texts)), Paper("q", (Sentence("Genes"),))], CoreSCClassifier())
    inputs, others = seen.inputs(slice(None))
    np.testing.assert_array_equal(inputs, on_grid(inputs, INPUT))
    np.testing.assert_array_equal(others.data, on_grid(others.data, INPUT))
    np.testing.assert_array_equal(
        others.toarray(), np.hstack([seen.places.toarray(), seen.measures])
    )
    meaning = seen.meaning.astype(np.float32)
    np.testing.assert_allclose(np.linalg.norm(meaning[:, :150], axis=1), 1, atol=1e-3)
    for block, (distance, weight) in enumerate(WINDOW.items()):
        for i in range(len(texts)):
            there = 0 <= i + distance < len(texts)
            other = meaning[i + distance] if there else np.zeros(300)
            np.testing.assert_array_equal(
                inputs[i, 300 * block : 300 * (block + 1)], weight * other
            )
    part = Seen.of([Paper("q", (Sentence("Genes"),))], CoreSCClassifier())
    chosen = seen.of_papers(np.array([False, True]))
    assert abs(chosen.matrix - part.matrix).nnz == 0
    np.testing.assert_array_equal(chosen.inputs(slice(None)).full, part.inputs(slice(None)).full)
    assert abs(chosen.inputs(slice(None)).sparse - part.inputs(slice(None)).sparse).nnz == 0


def test_columns_weigh_what_they_tell_of_a_class() -> None:
    own, occurs = np.array([2, 0, 2]), np.array([4, 1, 3])
    scale = CoreSCClassifier(ratio=0.5)._telling(own, occurs)
    inside, outside = np.array([3, 1, 3]) / 7, np.array([3, 2, 2]) / 7
    ratio = np.abs(np.log(inside / outside))
    np.testing.assert_allclose(scale, 0.5 + 0.5 * ratio / ratio.mean(), rtol=1e-5)
    np.testing.assert_allclose(CoreSCClassifier(ratio=0.0)._telling(own, occurs), 1)
    alike = np.full(3, 2)
    np.testing.assert_allclose(CoreSCClassifier()._telling(alike, 2 * alike), 1)
