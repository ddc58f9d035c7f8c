"""The generated blocks of README.md."""

from pathlib import Path

import pandas as pd
import pytest

from citectx.apps import readme
from citectx.errors import DataError
from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import COLUMNS, Result

PAGE = """# T
<!-- table1:begin -->
<!-- table1:end -->
<!-- overview:begin -->
old
<!-- overview:end -->
<!-- finding: sigir2017_table1 citation-integrity LMD c-F -->9.99 rest
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = [
        [
            "sigir2017_table1",
            "citation-integrity",
            method,
            metric,
            20.04 + i,
            0,
            90,
            float("nan"),
            9,
            "{}",
            0,
        ]
        for i, method in enumerate(("VSM", "LMD"))
        for metric in METRICS
    ]
    Result("sigir2017_table1", pd.DataFrame(rows, columns=COLUMNS)).write(tmp_path / "open")
    return tmp_path / "open"


def test_blocks_and_findings_are_written_and_then_up_to_date(tmp_path: Path, results: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(PAGE)
    assert readme.update(tmp_path, results, check=True) == 1
    assert file.read_text() == PAGE
    assert readme.update(tmp_path, results) == 0
    text = file.read_text()
    assert "| citation-integrity | LMD | 21.0 |" in text
    assert "| *TAC 2014 (paper)* | WE_Bio+dmn | 25.4 |" in text
    assert "| sigir2017 | citation-integrity |" in text
    assert "-->21.04 rest" in text
    assert "\nold\n" not in text
    assert readme.update(tmp_path, results, check=True) == 0
    assert (results / "figures" / "orders.png").is_file()


def test_a_finding_that_nothing_bears_out_fails(tmp_path: Path, results: Path) -> None:
    (tmp_path / "README.md").write_text(
        "<!-- claim: sigir2017/bio-beats-wiki citation-integrity holds -->It is so."
    )
    assert readme.update(tmp_path, results) == 1


@pytest.mark.parametrize(
    "text", ["nothing", "<!-- a:end --><!-- a:begin -->", "<!-- a:begin -->" * 2 + "<!-- a:end -->"]
)
def test_missing_or_doubled_markers(text: str) -> None:
    with pytest.raises(DataError, match="expected <!-- a:begin --> once"):
        readme.replace_block(text, "a", "new")
