"""The generated blocks of README.md."""

from pathlib import Path

import pandas as pd
import pytest

from citectx import readme
from citectx.errors import DataError
from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import COLUMNS, Result

FRAME = (
    "# T\n<!-- table1:begin -->\n<!-- table1:end -->\n<!-- ledger:begin -->\nold\n<!-- ledger:end -->\nrest\n"
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = [
        ["sigir2017_table1", "one", method, metric, 20.04 + i, 0, 90, float("nan"), 9, "{}", 0]
        for i, method in enumerate(("VSM", "LMD"))
        for metric in METRICS
    ]
    Result("sigir2017_table1", pd.DataFrame(rows, columns=COLUMNS)).write(tmp_path / "open")
    return tmp_path / "open"


def test_blocks_are_written_and_then_up_to_date(tmp_path: Path, results: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(FRAME)
    assert readme.update(file, results, check=True) == 1
    assert file.read_text() == FRAME
    assert readme.update(file, results) == 0
    text = file.read_text()
    assert "| one | LMD | 21.0 |" in text
    assert "| *TAC 2014 (paper)* | WE_Bio+dmn | 25.4 |" in text
    assert "| sigir2017 | one | in words |" in text
    assert "old" not in text
    assert text.startswith("# T\n")
    assert text.endswith("\nrest\n")
    assert readme.update(file, results, check=True) == 0


@pytest.mark.parametrize(
    "text", ["nothing", "<!-- a:end --><!-- a:begin -->", "<!-- a:begin -->" * 2 + "<!-- a:end -->"]
)
def test_missing_or_doubled_markers(text: str) -> None:
    with pytest.raises(DataError, match=r"README\.md: expected <!-- a:begin --> once"):
        readme.replace_block(text, "a", "new")
