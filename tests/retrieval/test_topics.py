"""Topic models: those of scikit-learn, but for the last digits; kept on disk."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation

from citectx.retrieval import topics
from citectx.retrieval.topics import kept_topic_model, topic_model
from citectx.types import Floats

COUNTS = sp.csr_array(np.random.default_rng(0).poisson(0.2, (60, 40)).astype(float))
SPANS = sp.csr_array((COUNTS[:-1] + COUNTS[1:]).tocsr())


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (10, 1), (30, 2)])
def test_models_are_those_of_scikit_learn(k: int, seed: int) -> None:
    lda = LatentDirichletAllocation(k, random_state=seed, learning_method="batch", max_iter=20).fit(
        COUNTS
    )
    words, spans = topic_model(COUNTS, SPANS, k, seed)
    np.testing.assert_allclose(
        words, lda.components_ / lda.components_.sum(axis=1, keepdims=True), atol=1e-7
    )
    np.testing.assert_allclose(spans, lda.transform(SPANS), atol=1e-6)


def test_documents_without_words_get_all_topics_alike() -> None:
    empty = sp.csr_array((3, 40))
    words, spans = topic_model(sp.csr_array(sp.vstack([COUNTS, empty])), empty, 4, 0)
    np.testing.assert_allclose(words.sum(axis=1), 1.0)
    np.testing.assert_allclose(spans, 0.25)


def test_models_are_kept_on_disk_by_article_topics_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[tuple[int, int]] = []

    def train(
        counts: sp.csr_array, spans: sp.csr_array, k: int, seed: int
    ) -> tuple[Floats, Floats]:
        trained.append((k, seed))
        return topic_model(counts, spans, k, seed)

    monkeypatch.setattr(topics, "folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(topics, "topic_model", train)
    first = kept_topic_model(COUNTS, SPANS, 2, 0)
    for found, expected in zip(kept_topic_model(COUNTS, SPANS, 2, 0), first, strict=True):
        np.testing.assert_array_equal(found, expected)
    (
        kept_topic_model(COUNTS, SPANS, 3, 0),
        kept_topic_model(COUNTS, SPANS, 2, 1),
        kept_topic_model(COUNTS, COUNTS, 2, 0),
    )
    assert trained == [(2, 0), (3, 0), (2, 1), (2, 0)]
    for path in (tmp_path / "kept").iterdir():
        path.write_bytes(path.read_bytes()[:99])  # damaged: trained again
    np.testing.assert_array_equal(kept_topic_model(COUNTS, SPANS, 2, 0)[0], first[0])
    (tmp_path / "file").touch()
    monkeypatch.setattr(topics, "folder", lambda: tmp_path / "file")  # nowhere to write
    np.testing.assert_array_equal(kept_topic_model(COUNTS, SPANS, 2, 0)[0], first[0])
