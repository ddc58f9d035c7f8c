"""The figures show the numbers they are given."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

mpl.use("Agg")

from citectx.papers.sigir2017 import show

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


def test_quartiles_have_every_citance_and_means_with_their_spread(scores: pd.DataFrame) -> None:
    (ax,) = show.quartiles(scores, PUBLISHED, GROUPS, "title").axes
    dots = [np.ma.getdata(each.get_offsets()) for each in ax.collections[:2]]
    assert [each[:, 1].tolist() for each in dots] == [[10, 30], [0, 4]]
    assert [each[:, 0].round().tolist() for each in dots] == [[0, 0], [1, 1]]
    assert marks(ax, "o", "y") == [20, 2]
    assert marks(ax, "x", "y") == [16, 25]
    bars = [each.get_segments() for each in ax.collections[2:]]  # type: ignore[attr-defined]
    halves = [[np.ptp(bar[:, 1]) / 2 for bar in each] for each in bars]
    assert halves[0] == pytest.approx([200**0.5, 8**0.5])
    assert halves[1] == pytest.approx([20, 8])
    assert [label.get_text() for label in ax.get_xticklabels()] == GROUPS


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
