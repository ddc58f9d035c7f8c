"""Topic models of short texts: planted topics are found again, probabilities add up."""

import numpy as np
import scipy.sparse as sp

from citectx.retrieval.topics import topic_model


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
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.2, (60, 40)).astype(float))
    words, spans = topic_model(counts, sp.csr_array((3, 40)), 4, 0)
    assert words.shape == (4, 40)
    np.testing.assert_allclose(words.sum(axis=1), 1.0)
    np.testing.assert_allclose(spans, 0.25)
