"""Topic models of short texts: planted topics are found again, and models are kept on disk."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from citectx.errors import CitectxWarning
from citectx.retrieval import topics
from citectx.retrieval.topics import topic_model
from citectx.types import Floats

COUNTS = sp.csr_array(np.random.default_rng(0).poisson(0.2, (60, 40)).astype(float))
SPANS = sp.csr_array((COUNTS[:-1] + COUNTS[1:]).tocsr())


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_words_that_occur_together_are_one_topic() -> None:
    """Half of the sentences draw from the first ten words, half from the others."""
    rng = np.random.default_rng(1)
    rows = np.zeros((80, 20))
    for i, row in enumerate(rows):
        row[rng.choice(10, 5, replace=False) + 10 * (i % 2)] = 1
    words, spans = topic_model(sp.csr_array(rows), sp.csr_array(rows), 2, 0)
    first = int(words[:, 0].argmax())
    assert words[first, :10].sum() > 0.95
    assert words[1 - first, 10:].sum() > 0.95
    assert (spans.argmax(axis=1) == np.where(np.arange(80) % 2, 1 - first, first)).all()


def test_probabilities_add_up_and_spans_without_words_get_all_topics_alike() -> None:
    words, spans = topic_model(COUNTS, sp.csr_array((3, 40)), 4, 0)
    assert words.shape == (4, 40)
    np.testing.assert_allclose(words.sum(axis=1), 1.0)
    np.testing.assert_allclose(spans, 0.25)


def test_models_are_kept_on_disk_by_article_topics_and_seed(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[tuple[int, int]] = []
    train = topics._trained

    def noting(counts: sp.csr_array, spans: sp.csr_array, k: int, seed: int) -> dict[str, Floats]:
        trained.append((k, seed))
        return train(counts, spans, k, seed)

    monkeypatch.setattr(topics, "_trained", noting)
    first = topic_model(COUNTS, SPANS, 2, 0)
    for found, expected in zip(topic_model(COUNTS, SPANS, 2, 0), first, strict=True):
        np.testing.assert_array_equal(found, expected)
    for spans, k, seed in ((SPANS, 3, 0), (SPANS, 2, 1), (COUNTS, 2, 0)):
        topic_model(COUNTS, spans, k, seed)
    assert trained == [(2, 0), (3, 0), (2, 1), (2, 0)]
    for path in kept.rglob("*.npz"):
        path.write_bytes(path.read_bytes()[:99])
    with pytest.warns(CitectxWarning, match="computed again"):
        np.testing.assert_array_equal(topic_model(COUNTS, SPANS, 2, 0)[0], first[0])
