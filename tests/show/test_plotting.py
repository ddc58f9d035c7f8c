"""Figures show the numbers they are given, and are the same bytes twice."""

from pathlib import Path

import IPython
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from IPython.display import Image

mpl.use("Agg")

import matplotlib.pyplot as plt

from citectx.corpora import Annotation, Block, Citance, Document, Topic
from citectx.show import plotting
from citectx.types import Span


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [
        {"corpus": c, "method": m, "metric": "c-F", "value": v, "ci_low": v - 2, "ci_high": v + 1}
        for c, m, v in (("one", "VSM", 20.0), ("one", "LMD", 22.0), ("two", "VSM", 30.0), ("two", "LMD", 31.0))
    ]
    return pd.DataFrame(rows)


def test_values_intervals_and_the_papers_crosses(table: pd.DataFrame) -> None:
    figure = plotting.methods_against_paper(table, {("VSM", "c-F"): 21.2}, ["c-F"], "title")
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["LMD", "VSM"]
    points = [c.lines[0].get_xdata().tolist() for c in ax.containers]
    assert points == [[22.0, 20.0], [31.0, 30.0]]
    ends = ax.containers[0].lines[2][0].get_segments()
    assert [[x for x, _ in segment] for segment in ends] == [[20.0, 23.0], [18.0, 21.0]]
    crosses = ax.lines[-1].get_xdata()
    assert np.isnan(crosses[0])
    assert crosses[1] == 21.2
    assert ax.get_xlabel() == "c-F (%)"


def test_tuning_curves_fall_from_zero() -> None:
    tuning = pd.DataFrame({"corpus": "one", "method": ["VSM"] * 3, "objective": [10.0, 12.0, 9.5]})
    (ax,) = plotting.tuning_curves(tuning, "title").axes
    assert ax.lines[0].get_ydata().tolist() == [0.0, -2.0, -2.5]


def test_choices_are_in_their_order() -> None:
    rows = pd.DataFrame(
        {"corpus": "one", "choice": ["default", "stems"], "method": "VSM", "metric": "c-F", "value": [1.0, 2.0]}
    )
    (ax,) = plotting.choices(rows, "c-F", "title").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["default", "stems"]
    assert ax.yaxis_inverted()


def test_article_map_has_a_strip_for_each_annotator_and_method() -> None:
    blocks = (Block(0, 10, "heading"), Block(10, 400, "body", 1))
    citance = Citance("1", "x", "q", annotations=tuple(Annotation(a, (Span(20, 60),)) for a in "AB"))
    topic = Topic("T", Document("r", "x" * 400, blocks), (citance,))
    (ax,) = plotting.article_map(topic, citance, {"LMD": [Span(390, 391)]}, "title").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["annotator A", "annotator B", "LMD"]
    widths = [c.get_paths()[0].get_extents().width for c in ax.collections]
    assert widths == [40, 40, 2]  # the last is drawn wider than it is, or nobody would see it


def test_saved_figures_are_the_same_bytes_twice(table: pd.DataFrame, tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        figure = plotting.methods_against_paper(table, {}, ["c-F"], "title")
        files.append(plotting.save(figure, tmp_path, name).read_bytes())
    assert files[0] == files[1]
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == ["a.png", "b.png"]


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
    assert not plt.fignum_exists(figure.number)


def test_ranks_stand_beside_their_words_in_the_given_order() -> None:
    found = {"general": {"b": 7, "a": 3}, "biomedical": {"a": 90}}
    (ax,) = plotting.neighbour_ranks(found, ["a", "b"], "title").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    points = [sorted(zip(line.get_ydata(), line.get_xdata(), strict=True)) for line in ax.lines]
    assert points == [[(0, 3), (1, 7)], [(0, 90)]]
    assert ax.get_xscale() == "log"


def test_differences_with_a_row_that_one_corpus_lacks() -> None:
    rows = [("one", "A", 1.0), ("one", "B", -2.0), ("two", "B", 0.5)]
    against = pd.DataFrame(
        [
            {"corpus": c, "method": m, "metric": "nDCG", "difference": d, "ci_low": d - 1, "ci_high": d + 1}
            for c, m, d in rows
        ]
    )
    left, right = plotting.differences(against, "nDCG", "title").axes
    assert left.containers[0].lines[0].get_xdata().tolist() == [1.0, -2.0]
    assert np.isnan(right.containers[0].lines[0].get_xdata()[0])
    assert [label.get_text() for label in left.get_yticklabels()] == ["A", "B"]


def test_similarity_curve_draws_one_line_for_each_column() -> None:
    curve = pd.DataFrame({"corpus": "one", "rank": [1, 2], "dot product": [0.9, 0.4], "logit": [0.7, 0.0]})
    (ax,) = plotting.similarity_curve(curve, "title").axes
    assert [line.get_label() for line in ax.lines] == ["dot product", "logit"]
    assert ax.lines[1].get_ydata().tolist() == [0.7, 0.0]


def test_fourteen_methods_can_be_told_apart() -> None:
    marks = [tuple(sorted(plotting.mark(i).items())) for i in range(14)]
    assert len(set(marks)) == 14
