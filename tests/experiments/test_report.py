"""Means and tests where some metrics are missing for some citances."""

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.report import Over, compare, means


@pytest.mark.parametrize("over", ["citances", "topics"])
def test_what_is_missing_counts_only_where_it_is_there(over: Over) -> None:
    keys = [(t, c, m) for t in "ABC" for c in "12" for m in ("BM25", "LMD")]
    scores = pd.DataFrame(keys, columns=["topic", "citance", "method"])
    scores["whole"] = np.arange(len(scores)) ** 2.0
    scores["part"] = scores["whole"].where(scores["topic"] != "B")
    alone = scores[scores["topic"] != "B"].drop(columns="whole")
    cells = {cell[:2]: cell for cell in means(scores, 0, over)}
    tests = compare(scores, 0, ["BM25"], over=over).set_index("metric")
    assert [cell for (_, metric), cell in cells.items() if metric == "part"] == means(
        alone, 0, over
    )
    expected = compare(alone, 0, ["BM25"], over=over).set_index("metric")
    both = ["t_test_holm", "permutation_holm"]  # these count both metrics
    own = tests.loc[["part"]].drop(columns=both)
    pd.testing.assert_frame_equal(own, expected.drop(columns=both))
    by_topic = (
        scores.groupby(["method", "topic"])["whole"].mean()
        if over == "topics"
        else scores.set_index("method")["whole"]
    )
    assert cells["LMD", "whole"].value == pytest.approx(by_topic["LMD"].mean())
    assert cells["LMD", "whole"].n == len(by_topic["LMD"])
