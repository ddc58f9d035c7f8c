"""The figure of agreement shows the counts it is given."""

import matplotlib as mpl
import pandas as pd
import pytest

mpl.use("Agg")

from citectx.evaluation.agreement import LEVELS
from citectx.papers.naacl2015.table1 import levels_by_topic


@pytest.fixture
def topics() -> pd.DataFrame:
    rows = [("one", "T1", 4, 1, 0, 2, 0, 1, 0.25), ("two", "T2", 2, 0, 0, 0, 2, 0, float("nan"))]
    return pd.DataFrame(rows, columns=["corpus", "topic", "citances", *LEVELS, "alpha"])


def test_bars_are_shares_side_by_side_with_the_paper_at_the_foot(topics: pd.DataFrame) -> None:
    published = {"full": 2.0, "all": 66.0, "majority": 121.0, "minority": 113.0, "none": 11.0}
    (ax,) = levels_by_topic(topics, published, "title").axes
    widths = [[bar.get_width() for bar in level] for level in ax.containers]
    assert [w[0] for w in widths] == [25, 0, 50, 0, 25]
    assert [w[1] for w in widths] == [0, 0, 0, 100, 0]
    assert [w[2] for w in widths] == pytest.approx([100 * n / 313 for n in published.values()])
    assert [bar.get_x() for bar in ax.containers[4]] == pytest.approx([75, 100, 100 * 302 / 313])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["one  T1", "two  T2", "TAC 2014 (paper)"]
