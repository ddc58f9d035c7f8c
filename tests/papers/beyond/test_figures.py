"""The figure of what groups of features add."""

import pandas as pd
from matplotlib.patches import Rectangle

from citectx.papers.beyond import figures


def test_bars_run_from_the_value_before_to_the_value_now() -> None:
    rows = [("c", "words", 3, 50.0, None, None), ("c", "place", 5, 54.0, 1.0, 7.0)]
    columns = ["corpus", "added", "features", "nDCG", "nDCG ci_low", "nDCG ci_high"]
    drawn = figures.waterfall(pd.DataFrame(rows, columns=columns), "nDCG", "title", {("c", "BM25"): 49.0})
    (bar,) = drawn.axes[0].patches
    assert isinstance(bar, Rectangle)
    assert (bar.get_x(), bar.get_width()) == (50.0, 4.0)
    assert [t.get_text() for t in drawn.axes[0].get_yticklabels()] == ["words (3)", "place (2)"]
