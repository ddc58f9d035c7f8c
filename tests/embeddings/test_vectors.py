"""Vectors: saved ones come back, damaged ones are refused, cosines and τ against plain loops."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from citectx.embeddings import Vectors
from citectx.embeddings.vectors import unit_rows
from citectx.errors import ParameterError

WORDS = ("the", "cell", "cells", "naïve", "p53", "rest")
CARD = {"name": "general", "architecture": "cbow", "loss": [2.0, 1.5]}


def some(n: int = len(WORDS), d: int = 5) -> Vectors:
    words = (WORDS + tuple(f"w{i}" for i in range(n)))[:n]
    matrix, out = np.random.default_rng(0).normal(size=(2, n, d)).astype(np.float32)
    return Vectors(words, matrix, out, CARD, "general-cbow")


def test_saved_vectors_come_back_bit_by_bit(tmp_path: Path) -> None:
    vectors = some()
    read = Vectors.load(vectors.save(tmp_path / "general-cbow"), "general-cbow")
    assert (read.words, read.name) == (WORDS, "general-cbow")
    assert read.matrix.dtype == np.float32
    np.testing.assert_array_equal(read.matrix, vectors.matrix)
    np.testing.assert_array_equal(read.output, vectors.output)
    assert read.card.items() >= CARD.items()
    assert sorted(p.name for p in (tmp_path / "general-cbow").iterdir()) == [
        "card.json",
        "vectors.npz",
    ]


def test_eight_bits_keep_cosines(tmp_path: Path) -> None:
    vectors = some(500, 50)
    read = Vectors.load(vectors.save(tmp_path, int8=True), "small")
    np.testing.assert_allclose(read.unit @ read.unit.T, vectors.unit @ vectors.unit.T, atol=7e-3)
    assert (tmp_path / "vectors.npz").stat().st_size < 2 * 500 * 50 + 2 * 500 * 4 + 10_000
    step = np.abs(vectors.matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(read.matrix - vectors.matrix) <= 0.501 * step).all()


def test_rows_are_unit_vectors_and_zeros_for_missing_words() -> None:
    vectors = some()
    rows, known = vectors.rows(["cells", "unknown", "the", "cells"])
    assert known.tolist() == [True, False, True, True]
    expected = vectors.matrix[2] / np.sqrt((vectors.matrix[2] ** 2).sum())
    np.testing.assert_allclose(rows[[0, 3]], [expected, expected], rtol=1e-6)
    assert not rows[1].any()
    assert vectors.rows([])[0].shape == (0, 5)


def test_rows_of_the_output_matrix_are_asked_for() -> None:
    vectors = some()
    rows, _ = vectors.rows(["cell"], output=True)
    np.testing.assert_allclose(rows, unit_rows(vectors.output[1:2]), rtol=1e-6)


def test_neighbours_agree_with_gensims() -> None:
    vectors = some(300, 10)
    oracle = KeyedVectors(10)
    oracle.add_vectors(list(vectors.words), vectors.matrix)
    expected = oracle.most_similar("cell", topn=25)
    found = vectors.neighbours("cell", 25)
    assert found["word"].tolist() == [word for word, _ in expected]
    np.testing.assert_allclose(found["cosine"], [cosine for _, cosine in expected], atol=1e-6)


def test_an_unknown_word_is_an_error() -> None:
    with pytest.raises(ParameterError, match="'cello' is not among the 6 words of general-cbow"):
        some().neighbours("cello")


def test_threshold_agrees_with_all_pairs_in_a_plain_loop() -> None:
    vectors = some(60, 8)
    cosines = [abs(float(vectors.unit[i] @ vectors.unit[j])) for i, j in combinations(range(60), 2)]
    found = vectors.threshold(2.0)
    assert found.mean == pytest.approx(np.mean(cosines), abs=0.003)
    assert found.sd == pytest.approx(np.std(cosines), abs=0.003)
    assert found.tau == pytest.approx(found.mean + 2 * found.sd)
    assert found.share_above == pytest.approx(np.mean(np.array(cosines) > found.tau), abs=0.005)


def test_threshold_can_be_taken_among_frequent_words_and_pairs_none_with_itself() -> None:
    # The rare words are all alike.
    matrix = np.vstack([np.eye(4), np.ones((400, 4))]).astype(np.float32)
    vectors = Vectors(tuple(f"w{i}" for i in range(404)), matrix)
    assert vectors.threshold().mean > 0.95
    assert vectors.threshold(among=4).mean == 0
    assert vectors.threshold(among=999) == vectors.threshold()
    assert vectors.threshold(seed=3) != vectors.threshold(seed=4)


def test_a_row_of_zeros_stays_one() -> None:
    bare = Vectors(("a", "b"), np.array([[0, 0], [0, 2]], dtype=np.float32))
    assert bare.unit.tolist() == [[0, 0], [0, 1]]
