"""Vectors: saved ones come back; cosines and τ against plain loops; retrofitting by equations."""

import runpy
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from citectx.corpora import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import SMALL_VECTORS, folder_of, retrofit
from citectx.errors import DataError, MissingDataError, ParameterError

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
    files = {path.name for path in (tmp_path / "general-cbow").iterdir()}
    assert files == {"card.json", "vectors.npz"}


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
    assert found[1:] == pytest.approx((np.mean(cosines), np.std(cosines)), abs=0.003)
    assert found.tau == pytest.approx(found.mean + 2 * found.sd)


def test_threshold_can_be_taken_among_frequent_words_and_pairs_none_with_itself() -> None:
    # The rare words are all alike.
    matrix = np.vstack([np.eye(4), np.ones((400, 4))]).astype(np.float32)
    vectors = Vectors(tuple(f"w{i}" for i in range(404)), matrix)
    assert vectors.threshold().mean > 0.95
    assert vectors.threshold(among=4).mean == 0
    assert vectors.threshold(among=999) == vectors.threshold()
    assert vectors.threshold(seed=3) != vectors.threshold(seed=4)


@pytest.mark.parametrize(
    ("words", "fault", "message"),
    [
        ("ab", 0.0, "expected 3 words, one per vector, each once"),
        ("aba", 0.0, "expected 3 words, one per vector, each once"),
        ("abc", np.nan, "the vector of 'b' holds NaN or infinity"),
        ("abc", -np.inf, "the vector of 'b' holds NaN or infinity"),
    ],
)
def test_vectors_are_finite_and_each_has_a_word(words: str, fault: float, message: str) -> None:
    matrix = np.eye(3, dtype=np.float32)
    matrix[1, 2] = fault
    with pytest.raises(DataError, match=f"mine: {message}"):
        Vectors(tuple(words), matrix, name="mine")


def test_vectors_are_read_once_and_again_when_trained_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match="citectx train general --architecture skip-gram"):
        open_vectors("general-skip-gram")
    for n in (4, 5):
        words, matrix = tuple("abcdef"[:n]), np.eye(n, 3, dtype=np.float32) + 1
        Vectors(words, matrix, matrix).save(tmp_path / "embeddings" / "general-skip-gram")
        assert len(open_vectors("general-skip-gram")) == n
        assert open_vectors("general-skip-gram") is open_vectors("general-skip-gram")


@pytest.mark.parametrize("name", ["medical-cbow", "general", "computational-linguistics-small"])
def test_an_unknown_name_is_an_error_that_lists_the_known(name: str) -> None:
    with pytest.raises(ParameterError, match=r"known: .*'biomedical-cbow'"):
        folder_of(name)


BUILD = runpy.run_path(str(SMALL_VECTORS / "build.py"))


@pytest.mark.parametrize(("name", "known"), [("general", 0.91), ("biomedical", 0.95)])
def test_the_repositorys_vectors_are_small_and_know_the_teaching_corpus(
    teaching: Corpus, name: str, known: float
) -> None:
    vectors = open_vectors(f"{name}-small")
    words = BUILD["words_of"](teaching)
    assert sum(word in vectors for word in words) / len(words) > known
    assert (len(vectors), vectors.dimensions) == (BUILD["WORDS"], BUILD["DIMENSIONS"])
    assert vectors.card["architecture"] == "skip-gram"
    assert sum(path.stat().st_size for path in (SMALL_VECTORS / name).iterdir()) < 5e6


def test_in_the_repositorys_vectors_expression_means_what_the_field_means() -> None:
    general, biomedical = (
        {*open_vectors(f"{name}-small").neighbours("expression", 10)["word"]}
        for name in ("general", "biomedical")
    )
    assert {"gene", "mrna", "upregulation"} <= biomedical - general
    assert {"sense", "context"} <= general - biomedical


def test_one_step_goes_through_the_rows_and_uses_what_it_has_computed() -> None:
    """Also with longer vectors, a pair that is there twice, and a word without synonyms."""
    got = retrofit(3 * np.eye(4), np.array([[0, 1], [1, 2], [1, 0]]), iterations=1)
    first = np.array([1, 1, 0, 0]) / 2
    second = (2 * np.eye(4)[1] + first + np.eye(4)[2]) / 4
    expected = [first, second, (np.eye(4)[2] + second) / 2, np.eye(4)[3]]
    np.testing.assert_allclose(got, expected)
    often = retrofit(np.eye(4), np.array([[0, 1], [1, 2]]), iterations=10)
    np.testing.assert_array_equal(retrofit(np.eye(4), np.array([[0, 1], [1, 2]])), often)
