"""Means and tests where some metrics are missing for some citances."""

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.report import compare, means


def test_what_is_missing_counts_only_where_it_is_there() -> None:
    keys = [(t, c, m) for t in "ABCDEF" for c in "12" for m in ("BM25", "LMD")]
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


def test_fewer_than_five_topics_have_no_interval() -> None:
    keys = [(topic, "1", method) for topic in "ABCDE" for method in ("BM25", "LMD")]
    scores = pd.DataFrame(keys, columns=["topic", "citance", "method"])
    scores["c-F"] = np.arange(len(scores)) ** 2.0
    for few, is_known in ((scores, True), (scores[scores["topic"] != "E"], False)):
        _, cell = means(few)
        (test,) = compare(few, ["BM25"]).to_dict("records")
        assert np.isfinite([cell.ci_low, cell.ci_high]).tolist() == [is_known, is_known]
        assert np.isfinite([test["ci_low"], test["ci_high"]]).tolist() == [is_known, is_known]
        assert np.isfinite([cell.value, test["difference"], test["t_test"]]).all()
