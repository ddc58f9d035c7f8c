"""Tables of the last notebook: what can be made is made, what cannot is named; and its figure."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from citectx.errors import MissingDataError
from citectx.papers.beyond import figures, scripted


def test_a_table_without_its_data_is_left_out_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing() -> None:
        raise MissingDataError("run: citectx fetch it")

    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    monkeypatch.setattr(scripted, "tables", lambda *_: {"rare": missing})
    made, outcome = scripted.run("teaching")
    assert not made
    assert "citectx fetch it" in str(outcome.loc["rare", "outcome"])


def test_open_data_has_all_scripted_tables() -> None:
    assert set(scripted.tables("open")) == {
        "beyond_summaries",
        "beyond_impact",
        "scisumm_task1a",
        "sigir2017_dense",
    }


def test_bars_run_from_the_value_before_to_the_value_now() -> None:
    rows = [("c", "words", 3, 50.0, None, None), ("c", "place", 5, 54.0, 1.0, 7.0)]
    columns = ["corpus", "added", "features", "nDCG", "nDCG ci_low", "nDCG ci_high"]
    drawn = figures.waterfall(pd.DataFrame(rows, columns=columns), "nDCG", "title", {("c", "BM25"): 49.0})
    (bar,) = drawn.axes[0].patches
    assert isinstance(bar, Rectangle)
    assert (bar.get_x(), bar.get_width()) == (50.0, 4.0)
    assert [t.get_text() for t in drawn.axes[0].get_yticklabels()] == ["words (3)", "place (2)"]
