"""Figures show the numbers they are given, and are the same bytes twice."""

from pathlib import Path

import IPython
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from IPython.display import Image
from matplotlib.axes import Axes

mpl.use("Agg")

import matplotlib.pyplot as plt

from citectx.corpora import Annotation, Block, Citance, Document, Topic
from citectx.show import plotting
from citectx.types import Span


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [
        {"corpus": c, "method": m, "metric": "c-F", "value": v, "ci_low": v - 2, "ci_high": v + 1}
        for c, m, v in (
            ("one", "VSM", 20.0),
            ("one", "LMD", 22.0),
            ("two", "VSM", 30.0),
            ("two", "LMD", 31.0),
        )
    ]
    return pd.DataFrame(rows)


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def points(ax: Axes) -> dict[str, dict[str, float]]:
    """What each mark stands at, by the name of its row; the legend has marks without a place."""
    figure = ax.get_figure(root=True)
    assert figure
    rows = names(figure.axes[0])  # the panels share them
    found: dict[str, dict[str, float]] = {}
    for line in ax.lines:
        cells = zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
        at = {rows[round(y)]: float(x) for x, y in cells if np.isfinite(x)}
        if at and line.get_marker() not in ("None", None):
            found[str(line.get_marker())] = at
    return found


def intervals(ax: Axes) -> list[tuple[float, float]]:
    """The ends of the drawn intervals, series by series and from top to bottom."""
    drawn = [
        np.asarray(line.get_xdata()) for line in ax.lines if line.get_marker() in ("None", None)
    ]
    return [(float(np.nanmin(x)), float(np.nanmax(x))) for x in drawn if np.isfinite(x).any()]


def test_values_intervals_and_the_papers_crosses(table: pd.DataFrame) -> None:
    figure = plotting.methods_against_paper(table, {("VSM", "c-F"): 21.2}, ["c-F"], "title")
    (ax,) = figure.axes
    assert names(ax) == ["VSM", "LMD"]
    assert ax.yaxis_inverted()
    assert points(ax) == {
        "o": {"VSM": 20, "LMD": 22},
        "s": {"VSM": 30, "LMD": 31},
        "x": {"VSM": 21.2},
    }
    assert intervals(ax) == [(18, 21), (20, 23), (28, 31), (29, 32)]
    assert ax.get_xlabel() == "c-F (%)"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two", plotting.PAPER]


def test_series_of_a_row_do_not_cover_each_other(table: pd.DataFrame) -> None:
    (ax,) = plotting.methods_against_paper(table, {("VSM", "c-F"): 21.2}, ["c-F"], "title").axes
    drawn = [line for line in ax.lines if line.get_marker() in ("o", "s", "x")]
    first = [float(height) for line in drawn for height in np.asarray(line.get_ydata())[:1]]
    assert np.diff(first) == pytest.approx([0.7 / 3] * 2)


def test_panels_are_in_the_order_of_the_metrics(table: pd.DataFrame) -> None:
    both = pd.concat([table, table.assign(metric="nDCG", value=50.0, ci_low=49.0, ci_high=52.0)])
    axes = plotting.methods_against_paper(both, {}, ["nDCG", "c-F"], "title").axes
    assert [ax.get_xlabel() for ax in axes] == ["nDCG (%)", "c-F (%)"]
    assert points(axes[0])["o"] == {"VSM": 50, "LMD": 50}
    assert points(axes[1])["o"] == {"VSM": 20, "LMD": 22}


def test_panels_that_do_not_fill_their_grid() -> None:
    figure, axes = plotting.panels(["a", "b", "c"], 3.0, 1.0, 2.0, columns=2)
    assert [ax.get_title() for ax in axes] == ["a", "b", "c"]
    assert figure.axes == axes
    assert figure.get_size_inches().tolist() == [7.0, 4.0]


def test_tuning_curves_fall_from_zero() -> None:
    tuning = pd.DataFrame({"corpus": "one", "method": ["VSM"] * 3, "objective": [10.0, 12.0, 9.5]})
    (ax,) = plotting.tuning_curves(tuning, "title").axes
    assert np.asarray(ax.lines[0].get_ydata()).tolist() == [0.0, -2.0, -2.5]


def test_a_method_has_one_colour_in_all_figures() -> None:
    methods = ["VSM", "BM25", "WE_Bio"]
    colour = plotting.look_of("BM25", 0)["color"]
    tuning = pd.DataFrame({"corpus": "one", "method": methods, "objective": 1.0})
    curves = plotting.tuning_curves(tuning, "title", ["BM25", "WE_Bio"]).axes[0].lines
    values = pd.Series(range(3), methods)
    slopes = plotting.slopes(values, values, "title", ["WE_Bio", "BM25"]).axes[0].lines
    assert [line.get_color() for line in (curves[1], slopes[1])] == [colour, colour]


def test_slopes_have_the_same_decimals() -> None:
    values = pd.Series({"a": 0.65, "b": 0.705})
    texts = [text.get_text() for text in plotting.slopes(values, values, "title").axes[0].texts]
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


def test_saved_figures_are_the_same_bytes_twice(table: pd.DataFrame, tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        figure = plotting.methods_against_paper(table, {}, ["c-F"], "title")
        files.append(plotting.save(figure, tmp_path, name).read_bytes())
    assert files[0] == files[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "b.png"]


def test_a_notebook_shows_what_was_written(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Image] = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: True)
    monkeypatch.setattr(IPython.display, "display", shown.append)
    with mpl.rc_context({"figure.dpi": plotting.DPI / 2}):
        figure = plotting.methods_against_paper(table, {}, ["c-F"], "title")
    path = plotting.save(figure, tmp_path, "a")
    [image] = shown
    assert image.data == path.read_bytes()
    assert image.width == pytest.approx(plt.imread(path).shape[1] / 2, abs=0.5)
    assert image.alt == "title. Across: c-F (%)."
    assert not plt.fignum_exists(figure.number)


def test_ranks_stand_beside_their_words_in_the_given_order() -> None:
    found = {"general": {"b": 7, "a": 3}, "biomedical": {"a": 90}}
    (ax,) = plotting.neighbour_ranks(found, ["a", "b"], "title").axes
    assert names(ax) == ["a", "b"]
    assert points(ax) == {"o": {"a": 3, "b": 7}, "s": {"a": 90}}
    assert ax.get_xscale() == "log"


def test_differences_with_a_row_that_one_corpus_lacks() -> None:
    rows = [("one", "A", 1.0), ("one", "B", -2.0), ("two", "B", 0.5)]
    against = pd.DataFrame(
        [
            {
                "corpus": c,
                "method": m,
                "metric": "nDCG",
                "difference": d,
                "ci_low": d - 1,
                "ci_high": d + 1,
            }
            for c, m, d in rows
        ]
    )
    left, right = plotting.differences(against, "nDCG", "title").axes
    assert points(left) == {"o": {"A": 1, "B": -2}}
    assert points(right) == {"o": {"B": 0.5}}
    assert (0, 2) in intervals(left)
    assert names(left) == ["A", "B"]


def test_similarity_curve_draws_one_line_for_each_column() -> None:
    curve = pd.DataFrame(
        {"corpus": "one", "rank": [1, 2], "dot product": [0.9, 0.4], "logit": [0.7, 0.0]}
    )
    (ax,) = plotting.similarity_curve(curve, "title").axes
    assert [line.get_label() for line in ax.lines] == ["dot product", "logit"]
    assert np.asarray(ax.lines[1].get_ydata()).tolist() == [0.7, 0.0]


def test_fourteen_methods_can_be_told_apart() -> None:
    marks = [tuple(sorted(plotting.mark(i).items())) for i in range(14)]
    assert len(set(marks)) == 14
