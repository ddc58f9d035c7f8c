"""Rated pairs: Spearman against scipy, terms of several words, files in another form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from citectx.embeddings import Vectors
from citectx.errors import DataError, ParameterError
from citectx.papers.sigir2017.ratings import (
    FILES,
    correlation,
    read_pairs,
    similarities,
    spearman,
    word_set,
)


@given(arrays(np.float64, (2, 9), elements=st.integers(0, 5).map(float)))
def test_spearman_agrees_with_scipys_also_with_ties(values: Any) -> None:
    if min(np.ptp(values, axis=1)) > 0:
        assert spearman(*values) == pytest.approx(spearmanr(*values).statistic)
    else:
        assert np.isnan(spearman(*values))


def test_only_pairs_with_vectors_count() -> None:
    ratings = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    cosines = np.array([0.1, np.nan, 0.3, 0.2, 0.9])
    found = correlation(cosines, ratings, seed=0)
    rho, (low, high), n = found
    assert n == 4
    assert rho == pytest.approx(spearmanr(cosines[[0, 2, 3, 4]], ratings[[0, 2, 3, 4]]).statistic)
    assert low <= rho <= high


def test_a_difference_is_taken_over_the_pairs_that_both_know() -> None:
    draw = np.random.default_rng(0)
    ratings, one, other = draw.normal(size=(3, 200))
    one[:20], other[10:30] = np.nan, np.nan
    one += ratings
    found = correlation(one, ratings, seed=0, minus=other)
    expected = (
        spearmanr(one[30:], ratings[30:]).statistic - spearmanr(other[30:], ratings[30:]).statistic
    )
    rho, (low, high), n = found
    assert n == 170
    assert rho == pytest.approx(expected)
    assert low > 0
    back, interval, _ = correlation(other, ratings, seed=0, minus=one)
    assert (back, *interval) == pytest.approx((-rho, -high, -low))


def test_the_interval_agrees_with_fishers_for_many_pairs() -> None:
    draw = np.random.default_rng(1)
    a = draw.normal(size=1000)
    b = a + draw.normal(size=1000)
    rho, (low, high), _ = correlation(a, b, seed=0)
    # Fisher's z; Spearman's variance is some 6 % above Pearson's
    half = 1.96 * 1.03 / np.sqrt(1000 - 3)
    assert low == pytest.approx(np.tanh(np.arctanh(rho) - half), abs=0.015)
    assert high == pytest.approx(np.tanh(np.arctanh(rho) + half), abs=0.015)


def test_fewer_than_three_pairs_give_no_number() -> None:
    rho, interval, n = correlation(np.array([0.1, 0.2, np.nan]), np.arange(3.0), seed=0)
    assert n == 2
    assert np.isnan([rho, *interval]).all()


def test_a_term_is_the_mean_of_its_words_and_needs_them_all() -> None:
    vectors = Vectors(
        ("heart", "failure", "renal"), np.array([[2, 0], [0, 1], [1, 1]], dtype=np.float32)
    )
    pairs = [
        # means lie on the diagonal, however long the vectors were
        ("Heart failure", "renal"),
        ("renal", "heart"),
        ("heart attack", "heart"),
        ("12", "heart"),
    ]
    found = similarities(vectors, pd.DataFrame(pairs, columns=["one", "other"]))
    np.testing.assert_allclose(found[:2], [1, np.sqrt(0.5)], rtol=1e-6)
    assert np.isnan(found[2:]).all()


def test_both_forms_of_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("heart attack\tmyocardium\t3.5\nsun\tsunlight\t50\n")
    (tmp_path / "b.txt").write_text("sun sunlight 50.0\n")
    first, second = (read_pairs(tmp_path / name).to_numpy().tolist() for name in ("a.txt", "b.txt"))
    assert first == [["heart attack", "myocardium", 3.5], ["sun", "sunlight", 50]]
    assert second == [["sun", "sunlight", 50]]


@pytest.mark.parametrize(
    "line", ["sun\tsunlight", "sun\tsunlight\thigh", "", "sun shines bright 5"]
)
def test_any_other_line_is_refused_by_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.txt").write_text(f"sun\tsunlight\t50\n{line}\n")
    with pytest.raises(DataError, match=r"a\.txt, line 2: expected two terms and a rating"):
        read_pairs(tmp_path / "a.txt")


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(ParameterError, match="unknown word set 'UMLS'"):
        word_set("UMLS")


@pytest.mark.open_data
def test_the_sets_have_the_sizes_that_their_authors_name(
    open_corpus: Callable[[str], Path],
) -> None:
    open_corpus("word-similarities")
    sizes = {"UMNSRS similarity": 566, "UMNSRS relatedness": 587, "MayoSRS": 101, "Bio-SimLex": 988}
    sizes |= {"Bio-SimVerb": 1000, "SimLex-999": 999, "WordSim-353": 353, "MEN": 3000}
    sets = {name: word_set(name) for name in FILES}
    assert {name: len(pairs) for name, pairs in sets.items()} == sizes
    for pairs in sets.values():
        assert np.isfinite(pairs["rating"]).all()
        assert (pairs[["one", "other"]] != "").all(axis=None)
