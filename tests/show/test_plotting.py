"""Figures show the numbers they are given, and are the same bytes twice."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

mpl.use("Agg")

import matplotlib.pyplot as plt

from citectx.corpora import Annotation, Block, Citance, Document, Topic
from citectx.show import plotting
from citectx.types import Span


@pytest.fixture
def table() -> pd.DataFrame:
    cells = [("one", "VSM", 20), ("one", "LMD", 22), ("two", "VSM", 30), ("two", "LMD", 31)]
    rows = pd.DataFrame(cells, columns=["corpus", "method", "value"])
    return rows.assign(ci_low=rows["value"] - 2, ci_high=rows["value"] + 1)


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_estimates_show_values_and_intervals_by_corpus(table: pd.DataFrame) -> None:
    figure = plotting.estimates(table, "title", "c-F (%)")
    (ax,) = figure.axes
    assert names(ax) == ["VSM", "LMD"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "c-F (%)"
    values = [line.get_xdata() for line in ax.lines]
    np.testing.assert_array_equal(values, [[20, 22], [30, 31]])
    (heights, others) = (np.asarray(line.get_ydata()) for line in ax.lines)
    assert others - heights == pytest.approx([0.35, 0.35])  # they do not cover each other
    ends = [c.get_segments() for c in ax.collections if isinstance(c, LineCollection)]
    assert [[tuple(s[:, 0]) for s in series] for series in ends] == [
        [(18, 21), (20, 23)],
        [(28, 31), (29, 32)],
    ]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]


def test_a_row_that_one_corpus_lacks_and_a_line_at_zero(table: pd.DataFrame) -> None:
    numbers = ["value", "ci_low", "ci_high"]
    table[numbers] -= 25
    (ax,) = plotting.estimates(table.iloc[1:], "title", "points").axes
    assert names(ax) == ["LMD", "VSM"]
    assert np.asarray(ax.lines[0].get_xdata()).tolist() == [-3]
    assert any(set(np.asarray(line.get_xdata())) == {0} for line in ax.lines)


def test_lines_have_a_panel_for_each_table() -> None:
    curve = pd.DataFrame({"dot product": [0.9, 0.4], "logit": [0.7, 0.0]}, index=[1, 2])
    figure = plotting.lines({"a": curve, "b": curve, "c": curve}, "title", "rank", "similarity")
    assert [ax.get_title("left") for ax in figure.axes] == ["a", "b", "c"]
    assert np.asarray(figure.axes[2].lines[1].get_ydata()).tolist() == [0.7, 0.0]
    axes = "across: rank; upwards: similarity"
    assert plotting.in_words(figure) == f"title ({axes}; series: dot product, logit)"


def test_slopes_have_the_same_decimals() -> None:
    values = pd.Series({"a": 0.65, "b": 0.705})
    (ax,) = plotting.slopes(values, values, "title", unit="recall").axes
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["a  0.650", "a  0.650", "b  0.705", "b  0.705"]


def test_article_map_has_a_strip_for_each_annotator_and_method() -> None:
    blocks = (Block(0, 10, "heading"), Block(10, 400, "body", 1))
    citance = Citance(
        "1", "x", "q", annotations=tuple(Annotation(a, (Span(20, 60),)) for a in "AB")
    )
    topic = Topic("T", Document("r", "x" * 400, blocks), (citance,))
    (ax,) = plotting.article_map(topic, citance, {"LMD": [Span(390, 391)]}, "title").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "annotator A",
        "annotator B",
        "LMD",
    ]
    widths = [c.get_paths()[0].get_extents().width for c in ax.collections]
    assert widths == [40, 40, 2]  # the last is drawn wider than it is, or nobody would see it


def test_a_notebook_shows_what_was_written_the_same_bytes_twice(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Image] = []
    monkeypatch.setattr(plotting, "display", shown.append)
    for name in ("a", "b"):
        with mpl.rc_context({"figure.dpi": plotting.DPI / 2}):
            figure = plotting.estimates(table, "title", "c-F (%)")
        path = plotting.save(figure, tmp_path, name)
        assert shown[-1].data == path.read_bytes() == shown[0].data
        assert not plt.fignum_exists(figure.number)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "b.png"]
    assert shown[0].width == pytest.approx(plt.imread(path).shape[1] / 2, abs=0.5)
    assert shown[0].alt == "title (across: c-F (%); downwards: VSM, LMD; series: one, two)"
