"""Small vectors: which words are kept, what a projection may change, and the repository's."""

import runpy

import numpy as np
import pytest

from citectx import profiles
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import SMALL_VECTORS

BUILD = runpy.run_path(str(SMALL_VECTORS / "build.py"))
small = BUILD["small"]


def large() -> Vectors:
    matrix, out = np.random.default_rng(0).normal(size=(2, 40, 12)).astype(np.float32)
    return Vectors(tuple(f"w{i}" for i in range(40)), matrix, out, {"name": "x"})


def test_frequent_words_and_those_to_keep_stay_in_order() -> None:
    chosen = small(large(), 5, keep=["w30", "w1", "unknown"], dimensions=12)
    assert chosen.words == ("w0", "w1", "w2", "w3", "w30")
    np.testing.assert_array_equal(chosen.matrix[4], large().matrix[30])
    np.testing.assert_array_equal(chosen.output[4], large().output[30])
    assert chosen.card["taken_from"] == 40


def test_the_axes_dropped_are_the_least_important() -> None:
    before, after = large(), small(large(), 40, dimensions=6)
    singular = np.linalg.svd(np.vstack([before.matrix, before.output]), compute_uv=False)
    kept = np.linalg.norm(after.matrix) ** 2 + np.linalg.norm(after.output) ** 2
    assert kept == pytest.approx((singular[:6] ** 2).sum(), rel=1e-4)


@pytest.mark.parametrize(("name", "known"), [("general", 0.91), ("biomedical", 0.95)])
def test_the_repositorys_vectors_are_small_and_know_the_teaching_corpus(
    name: str, known: float
) -> None:
    vectors = open_vectors(f"{name}-small")
    words = BUILD["words_of"](profiles.load("teaching"))
    assert sum(word in vectors for word in words) / len(words) > known
    assert (len(vectors), vectors.dimensions) == (BUILD["WORDS"], BUILD["DIMENSIONS"])
    assert vectors.card["architecture"] == "skip-gram"
    assert sum(path.stat().st_size for path in (SMALL_VECTORS / name).iterdir()) < 5e6


def test_in_the_repositorys_vectors_expression_means_what_the_field_means() -> None:
    near = {
        name: set(open_vectors(f"{name}-small").neighbours("expression", 10)["word"])
        for name in ("general", "biomedical")
    }
    assert {"gene", "mrna", "upregulation"} <= near["biomedical"] - near["general"]
    assert {"sense", "context"} <= near["general"] - near["biomedical"]
