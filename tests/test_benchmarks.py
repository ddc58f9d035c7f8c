"""The committed table of races."""

import pandas as pd
import pytest

from benchmarks.__main__ import MODULES, RESULTS, main
from citectx.errors import ParameterError
from citectx.paths import ROOT


def test_the_table_is_of_one_run_of_all_races() -> None:
    frame = pd.read_csv(RESULTS)
    assert list(dict.fromkeys(frame["module"])) == list(MODULES)
    assert len(frame[["commit", "date", "processor", "python"]].drop_duplicates()) == 1
    assert set(frame["result"]) <= {"equal", "not compared"}
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert files == {*MODULES, "__main__", "race"}
    with pytest.raises(ParameterError, match="sprint"):
        main("sprint")
