import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.errors import ParameterError
from citectx.ledger import Results, all_verdicts, check, cmd_claims, load
from citectx.ledger.readings import curves
from citectx.ledger.report import NOT_RUN, summary
from citectx.ledger.verdicts import FILE

Write = Callable[..., None]
METRICS = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5")
ROWS = "VSM BM25 DFR LMD DESM LMD-LDA QR WE_Wiki WE_Bio WE_Bio+rtrft WE_Bio+dmn".split()


@pytest.fixture
def table1(tmp_path: Path, write_results: Write, base: np.ndarray) -> Path:
    """Return results of Table 1 alone: all rows on corpus one, each better than the last; two on
    two."""
    noise = np.random.default_rng(5)
    for corpus, rows in (("one", ROWS), ("two", ROWS[:2])):
        columns = {
            row: {metric: base + i + noise.normal(0, 0.5, len(base)) for metric in METRICS}
            for i, row in enumerate(rows)
        }
        write_results("sigir2017_table1", corpus, columns)
    return tmp_path


def test_summary_counts_every_claim_once_for_each_corpus_of_its_experiment(table1: Path) -> None:
    ledger = load("sigir2017")
    counts = summary(check(ledger, Results(table1)))
    totals = counts.sum(axis=1)
    on_table1 = [c for c in ledger if c.tables == ("sigir2017_table1",)]
    for corpus in ("one", "two"):
        assert totals.loc[("sigir2017", corpus)] == len(on_table1)
    untestable = counts["not testable here"].loc[("sigir2017", NOT_RUN)]
    assert untestable == totals.loc[("sigir2017", NOT_RUN)] == len(ledger.claims) - len(on_table1)


def test_planted_order_of_the_rows_decides_the_worded_claims(table1: Path) -> None:
    frame = check(load("sigir2017"), Results(table1)).query("corpus == 'one'").set_index("id")
    # WE_Wiki is one point above QR, margin 1.3.
    worded = "bio-beats-wiki wiki-no-advantage vsm-bm25-are-weak qr-is-best-baseline".split()
    worded.append("dmn-is-best-context")
    assert frame.loc[worded, "verdict"].tolist() == ["holds"] * 5
    assert (
        frame["others"]
        .loc["dmn-is-best-context"]
        .startswith("9 of 9 in the same direction (paper: 7 of 9")
    )


@pytest.fixture
def opened(tmp_path: Path, table1: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Table 1 alone, as the results of the open profile, in a notebook's folder."""
    home = tmp_path / "results" / "open" / "01_table1"
    home.mkdir(parents=True)
    for file in table1.glob("*.csv*"):
        shutil.move(file, home)
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    return home.parent


def test_the_page_counts_verdicts_and_shows_the_headlines(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cmd_claims() == 0
    text = capsys.readouterr().out
    counts = summary(all_verdicts(opened)).loc[[("sigir2017", "one")]].iloc[0]
    (row,) = [line for line in text.splitlines() if line.startswith("sigir2017") and "one" in line]
    assert row.split()[2:] == counts.astype(str).tolist()
    (line,) = [line for line in text.splitlines() if "models-beat-baselines" in line]
    assert line.startswith("✓") and line.rstrip().endswith("one")
    assert str(opened / FILE) in text and "--paper" in text
    kept = pd.read_csv(opened / FILE)
    assert kept["verdict"].tolist() == all_verdicts(opened)["verdict"].tolist()


def test_details_name_every_claim_with_its_reason(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cmd_claims(paper="sigir2017")
    text = capsys.readouterr().out
    assert "not run yet: sigir2017_table4" in text and NOT_RUN in text
    assert all(claim.claim_id in text for claim in load("sigir2017"))
    cmd_claims(everything=True)
    assert "paper-and-contexts-both-matter" in capsys.readouterr().out
    assert "paper-and-contexts-both-matter" not in text and str(opened) not in text


def test_what_is_stored_of_readings_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cmd_claims(readings=True) == 0
    text = capsys.readouterr().out
    assert all(curve.experiment in text for curve in curves().values())


def test_unknown_names_list_the_known_ones(opened: Path) -> None:
    with pytest.raises(ParameterError, match="unknown paper 'sigir2018'"):
        cmd_claims(paper="sigir2018")
    with pytest.raises(ParameterError, match="unknown profile 'closed'"):
        cmd_claims("closed")
    assert opened.is_dir()
