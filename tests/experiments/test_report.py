"""Means and tests where some metrics are missing for some citances."""

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.report import compare, means


def test_what_is_missing_counts_only_where_it_is_there() -> None:
    keys = [(t, c, m) for t in "ABC" for c in "12" for m in ("BM25", "LMD")]
    scores = pd.DataFrame(keys, columns=["topic", "citance", "method"])
    scores["whole"] = np.arange(len(scores)) ** 2.0
    scores["part"] = scores["whole"].where(scores["topic"] != "B")
    alone = scores[scores["topic"] != "B"].drop(columns="whole")
    cells = {cell[:2]: cell for cell in means(scores)}
    tests = compare(scores, ["BM25"]).set_index("metric")
    assert [cell for (_, metric), cell in cells.items() if metric == "part"] == means(alone)
    expected = compare(alone, ["BM25"]).set_index("metric")
    holm = "t_test_holm"  # counts both metrics
    own = tests.loc[["part"]].drop(columns=holm)
    pd.testing.assert_frame_equal(own, expected.drop(columns=holm))
    whole = scores.loc[scores["method"] == "LMD", "whole"]
    assert cells["LMD", "whole"].value == pytest.approx(whole.mean())
    assert cells["LMD", "whole"].n == len(whole)
