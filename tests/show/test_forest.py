"""The pictures of claims show the verdicts, and are the same bytes twice."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from citectx.ledger import load, papers
from citectx.paths import ROOT
from citectx.show import forest
from docs import forest as pictures

ROWS = pd.DataFrame(
    [
        # in units of the paper's 2.3, and of the margin 1.3
        ("bio-beats-wiki", "confirmed", "holds, below its control", 2.3, 4.6, 2.3, 6.9, 0.9),
        ("bio-beats-wiki", "explored", "inconclusive", 2.3, -9.2, -11.5, 1.15, 0.5),
        ("wiki-no-advantage", "confirmed", "contradicted", -0.6, 2.6, 1.95, 3.25, np.nan),
        ("threshold-helps", "confirmed", "inconclusive", np.nan, -1.0, -4.0, 2.0, np.nan),
        ("qr-is-best-baseline", "confirmed", "not testable here", 1.5, np.nan, np.nan, np.nan, 0),
    ],
    columns="id stage verdict published effect rule_low rule_high seen".split(),
).assign(paper="sigir2017", ours=False, control="A over B in c-F: -2.3 [-4.6, -1.15]")


def test_effects_are_in_units_of_the_paper_of_the_margin_or_fit() -> None:
    drawn = forest.drawable("sigir2017", ROWS)
    assert drawn["unit"].tolist() == [2.3, 2.3, 1.3, 4.0]
    assert drawn["fitted"].tolist() == [False, False, False, True]
    assert drawn["effect_drawn"].tolist() == pytest.approx([2, -4, 2, -0.25])
    assert drawn["lead_high_drawn"].iloc[0] == pytest.approx(-0.5)


def test_bars_end_where_the_deciding_intervals_do_or_in_arrows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forest, "open_verdicts", lambda: ROWS)
    figure = forest.draw("sigir2017")
    (ax,) = figure.axes
    lines = [(line.get_marker(), np.asarray(line.get_xdata()).tolist()) for line in ax.lines]
    bars = [pytest.approx(x) for _, x in lines]
    assert [1, 3] in bars  # confirmed
    assert [-2, -0.5] in bars  # its lead over the control
    assert [forest.FIRST, 0.5] in bars  # explored: -5 is past the end
    assert ("<", [forest.FIRST]) in lines and ("D", [-1.0]) in lines
    words = " ".join(text.get_text() for text in ax.texts)
    assert "holds, below its control: +4.6 [2.3, 6.9], paper +2.3" in words
    assert "margin 1.3" in words and "none printed" in words and "0.90" in words
    assert load("sigir2017")["bio-beats-wiki"].says[:30] in words
    assert "Query reformulation" not in words  # it has no interval
    plt.close(figure)


@pytest.mark.parametrize("paper", papers())
def test_the_pictures_follow_from_the_verdicts(paper: str) -> None:
    assert forest.picture(paper) == pictures.file(paper).read_text("utf-8")
    assert pictures.line(paper) in (ROOT / "docs" / "verdicts.md").read_text("utf-8")


def test_two_more_pictures_follow_from_the_verdicts() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
    assert pictures.calibration() == pictures.CALIBRATION.read_text("utf-8")
    assert pictures.interval() == pictures.INTERVAL.read_text("utf-8")
    assert pictures.calibration_line() in page
    assert pictures.interval_line() in page


def test_a_picture_can_be_read_on_a_phone() -> None:
    figure = forest.draw("lrec2016")
    points = 72 * figure.get_figwidth()
    smallest = min(float(text.get_fontsize()) for text in figure.axes[0].texts)
    assert smallest * 350 / points >= 9.5  # pixels, on a screen of 390 with its margins
    plt.close(figure)
