"""Retrofitting, against the linear system of its fixed point, a plain loop and the objective."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve

from citectx.embeddings.vectors import retrofit

Matrix = NDArray[np.float64]
Edges = NDArray[np.int64]


def unit(vectors: Matrix) -> Matrix:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def neighbours(edges: Edges, n: int) -> list[list[int]]:
    found: list[set[int]] = [set() for _ in range(n)]
    for i, j in edges.tolist():
        found[i].add(j)
        found[j].add(i)
    return [sorted(each) for each in found]


def closed_form(vectors: Matrix, edges: Edges) -> Matrix:
    """Solve (I + L) Q = Q̂ with L = diag(Σ_j β_ij) − B."""
    n = len(vectors)
    weights = sp.lil_array((n, n))
    for i, near in enumerate(neighbours(edges, n)):
        for j in near:
            weights[i, j] = 1 / len(near)
    laplacian: Any = sp.diags_array(weights.sum(axis=1)) - weights
    solution: Matrix = spsolve(sp.csc_array(sp.eye_array(n) + laplacian), vectors)
    return solution


@pytest.fixture
def graph() -> tuple[Matrix, Edges]:
    rng = np.random.default_rng(7)
    edges = rng.integers(0, 45, size=(80, 2))
    return rng.normal(size=(60, 5)), edges[edges[:, 0] != edges[:, 1]]


graphs = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=(n, 3))),
        st.lists(st.permutations(range(n)).map(lambda rows: rows[:2]), max_size=30).map(
            lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2)
        ),
    )
)


@given(graphs)
def test_words_alone_stay_none_leaves_the_unit_ball_and_many_iterations_solve_the_linear_system(
    drawn: tuple[Matrix, Edges],
) -> None:
    vectors, edges = drawn
    got = retrofit(vectors, edges)
    alone = [i for i, near in enumerate(neighbours(edges, len(vectors))) if not near]
    np.testing.assert_allclose(got[alone], unit(vectors)[alone], atol=1e-15)
    assert np.linalg.norm(got, axis=1).max() <= 1 + 1e-12
    expected = closed_form(unit(vectors), edges)
    got = retrofit(vectors, edges, iterations=60)
    np.testing.assert_allclose(got, expected, atol=1e-10)


def test_result_minimises_the_objective_of_the_docstring(graph: tuple[Matrix, Edges]) -> None:
    vectors, edges = graph
    start = unit(vectors)
    near = neighbours(edges, len(vectors))

    def objective(q: Matrix) -> float:
        pairs = {(min(i, j), max(i, j)) for i, js in enumerate(near) for j in js}
        own = sum(max(len(js), 1) * np.sum((q[i] - start[i]) ** 2) for i, js in enumerate(near))
        return float(own + sum(np.sum((q[i] - q[j]) ** 2) for i, j in pairs))

    best = retrofit(vectors, edges, iterations=200)
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert objective(best) < objective(best + 1e-4 * rng.normal(size=best.shape))


def test_one_step_goes_through_the_rows_and_uses_what_it_has_computed() -> None:
    got = retrofit(np.eye(4), np.array([[0, 1], [1, 2]]), iterations=1)
    first = np.array([1, 1, 0, 0]) / 2
    second = (2 * np.eye(4)[1] + first + np.eye(4)[2]) / 4
    expected = [first, second, (np.eye(4)[2] + second) / 2, np.eye(4)[3]]
    np.testing.assert_allclose(got, expected)


def test_repeated_edges_count_once(graph: tuple[Matrix, Edges]) -> None:
    vectors, edges = graph
    more = np.concatenate([edges, edges[:, ::-1], edges[:9]])
    np.testing.assert_array_equal(retrofit(vectors, edges), retrofit(vectors, more))
