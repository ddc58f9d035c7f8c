"""Measures of replication against planted results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from citectx.ledger import Results, load, replication

Write = Callable[..., None]
LEDGER = load("sigir2017")
PAPER = {row: v for (row, c), v in LEDGER.published(("sigir2017_table1",)).items() if c == "c-F"}


def written(
    folder: Path, write: Write, base: np.ndarray, means: dict[str, float]
) -> dict[str, Any]:
    shift = np.tile(np.linspace(-1, 1, 10), 8)
    columns = {
        row: {"c-F": (base - base.mean()) / 5 + value + shift} for row, value in means.items()
    }
    write("sigir2017_table1", "one", columns)
    rows = replication(LEDGER, Results(folder)).set_index("baseline")
    assert [*rows.index] == ["VSM", "BM25", "DESM", "LMD-LDA", "QR"]
    return {str(name): value for name, value in rows.loc["QR"].items()}


def test_the_papers_own_numbers_replicate_perfectly(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    found = written(tmp_path, write_results, base, PAPER)
    assert found["tau"] == pytest.approx(1) and found["methods"] == 9
    assert found["ratio"] == pytest.approx(1, abs=1e-3)


def test_other_effects_in_another_order(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    rng = np.random.default_rng(1)
    means = {row: value + rng.normal(0, 2) for row, value in PAPER.items()}
    found = written(tmp_path, write_results, base, means)
    rounded = [round(value, 9) for value in means.values()]
    assert found["tau"] == pytest.approx(stats.kendalltau([*PAPER.values()], rounded).statistic)
    ratio = (means["WE_Bio+dmn"] - means["QR"]) / (PAPER["WE_Bio+dmn"] - PAPER["QR"])
    assert found["ratio"] == pytest.approx(ratio, abs=1e-3)


def test_a_table_without_scores_has_no_interval(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    columns = {row: {"c-F": base / 5 + value} for row, value in PAPER.items()}
    write_results("sigir2017_table1", "one", columns, scores=False)
    found = replication(LEDGER, Results(tmp_path)).iloc[0]
    assert found["tau"] == pytest.approx(1)
    assert np.isnan(found["ratio_low"])
