"""The figures show the numbers they are given."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

mpl.use("Agg")

from citectx.papers.sigir2017 import show
from citectx.show import plotting

GROUPS = ["Q1", "Q2"]
PUBLISHED = {
    ("Q1", "c-F"): 16.0,
    ("Q1", "c-F sd"): 20.0,
    ("Q2", "c-F"): 25.0,
    ("Q2", "c-F sd"): 8.0,
}


@pytest.fixture
def scores() -> pd.DataFrame:
    rows = [
        ("one", "Q1", 10.0),
        ("one", "Q1", 30.0),
        ("one", "Q2", 0.0),
        ("one", "Q2", 4.0),
        ("one", "all", 99.0),
    ]
    return pd.DataFrame(rows, columns=["corpus", "method", "c-F"])


def marks(ax: Axes, marker: str, axis: str) -> list[float]:
    """Where the marks of one shape stand; the legend has some without a place."""
    lines = [
        np.asarray(getattr(line, f"get_{axis}data")())
        for line in ax.lines
        if line.get_marker() == marker
    ]
    return [float(at) for at in np.concatenate(lines)]


def spread(ax: Axes) -> list[tuple[float, float]]:
    """The ends of the vertical bars."""
    bars = [
        np.asarray(line.get_ydata()) for line in ax.lines if line.get_marker() in ("None", None)
    ]
    return [
        (float(np.nanmin(bar)), float(np.nanmax(bar))) for bar in bars if np.isfinite(bar).any()
    ]


def test_quartiles_have_every_citance_and_means_with_their_spread(scores: pd.DataFrame) -> None:
    (ax,) = show.quartiles(scores, PUBLISHED, GROUPS, "title").axes
    dots = np.ma.getdata(ax.collections[0].get_offsets())
    assert dots[:, 1].tolist() == [10, 30, 0, 4]
    assert dots[:, 0].round().tolist() == [0, 0, 1, 1]
    assert marks(ax, "o", "y") == [20, 2]
    assert marks(ax, "x", "y") == [16, 25]
    deviations = 200**0.5, 8**0.5
    ours = [(20 - deviations[0], 20 + deviations[0]), (2 - deviations[1], 2 + deviations[1])]
    assert np.array(spread(ax)) == pytest.approx(np.array([*ours, (-4, 36), (17, 33)]))
    assert [label.get_text() for label in ax.get_xticklabels()] == GROUPS


def test_citances_are_spread_in_the_same_way_each_time(
    scores: pd.DataFrame, tmp_path: Path
) -> None:
    files = [
        plotting.save(show.quartiles(scores, PUBLISHED, GROUPS, "title"), tmp_path, name)
        for name in "ab"
    ]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_gains_of_the_paper_are_differences_of_its_values() -> None:
    rows = [
        ("one", "BM25", "LSA RG-2", 1.0),
        ("one", "QR", "LSA RG-2", 2.0),
        ("one", "BM25", "LSA RG-1", 9.0),
    ]
    against = pd.DataFrame(rows, columns=["corpus", "method", "metric", "difference"])
    against = against.assign(ci_low=against["difference"] - 1, ci_high=against["difference"] + 1)
    published = {("none", "LSA RG-2"): 5.0, ("BM25", "LSA RG-2"): 8.0}
    (ax,) = show.gains(against, published, "none", "RG-2", "title").axes
    assert ax.get_title() == "LSA"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["BM25", "QR"]
    assert marks(ax, "o", "x") == [1, 2]
    assert [x for x in marks(ax, "x", "x") if np.isfinite(x)] == [3]
