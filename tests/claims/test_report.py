import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.claims import Results, check, cmd_claims, load, markdown_summary, summary
from citectx.claims.report import NOT_RUN
from citectx.errors import ParameterError

Write = Callable[..., None]
METRICS = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5")
ROWS = (
    "VSM",
    "BM25",
    "DFR",
    "LMD",
    "DESM",
    "LMD-LDA",
    "QR",
    "WE_Wiki",
    "WE_Bio",
    "WE_Bio+rtrft",
    "WE_Bio+dmn",
)


@pytest.fixture
def table1(tmp_path: Path, write_results: Write, base: np.ndarray) -> Path:
    """Return results of Table 1 alone: all rows on corpus one, each better than the last; two on two."""
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
    on_table1 = [c for c in ledger if c.experiments == ("sigir2017_table1",)]
    for corpus in ("one", "two"):
        assert counts.loc[("sigir2017", corpus)].to_numpy().sum() == len(on_table1)
    assert counts.loc[("sigir2017", "one", "value"), "not testable here"] == 81 + 3
    assert counts.loc[("sigir2017", "one", "significance"), "reproduced"] == 25 + 2
    assert counts.loc[("sigir2017", "two", "value"), ["not testable here", "pending"]].tolist() == [
        18,
        63 + 3,
    ]
    assert counts.loc[("sigir2017", "two", "significance"), "pending"] == 25 + 2
    waiting = counts.loc[("sigir2017", NOT_RUN)]
    assert waiting["pending"].sum() == waiting.to_numpy().sum() == len(ledger) - len(on_table1)


def test_planted_order_of_the_rows_decides_the_worded_claims(table1: Path) -> None:
    frame = check(load("sigir2017"), Results(table1)).query("corpus == 'one'").set_index("id")
    assert frame.loc["dmn-is-best-context", "verdict"] == "reproduced"
    assert frame.loc["bio-beats-wiki", "verdict"] == "reproduced"
    assert frame.loc["wiki-no-advantage", "verdict"] != "not reproduced"  # one point above QR, margin 1.3
    assert frame.loc["vsm-bm25-are-weakest", "verdict"] == "reproduced"


def test_markdown_counts_are_those_of_the_summary(table1: Path) -> None:
    frame = check(load("sigir2017"), Results(table1))
    lines = markdown_summary(frame).splitlines()
    assert len({line.count("|") for line in lines}) == 1
    total = sum(int(cell) for line in lines[2:] for cell in line.split("|")[4:-1])
    assert total == len(frame)


def test_terminal_report_names_claims_counts_the_rest_and_closes_with_a_summary(
    table1: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cmd_claims(table1, paper="sigir2017") == 0
    text = capsys.readouterr().out
    assert text.index("sigir2017, one") < text.index("bio-beats-wiki") < text.index("Summary")
    assert "t1-vsm-c-p " not in text
    assert text.index("sigir2017, two") < text.index(f"sigir2017, {NOT_RUN}")
    assert "84 published values: not testable here" in text
    assert "107 pending: not run yet: sigir2017_table4" in text
    assert "of these also after Holm's correction" in text


def test_filters_keep_only_what_was_asked_for(table1: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cmd_claims(table1, corpus="two", kind="value", verdict="not testable here", format="csv")
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert len(frame) == 18
    assert set(frame["corpus"]) == {"two"} and set(frame["kind"]) == {"value"}
    cmd_claims(table1, kind="value")
    assert "t1-vsm-c-p " in capsys.readouterr().out
    cmd_claims(table1, corpus="two", kind="trend", verdict="partly")
    assert capsys.readouterr().out == "No claim matches.\n"


def test_markdown_report_is_the_summary_and_a_table_of_claims(
    table1: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cmd_claims(table1, corpus="one", kind="order", format="markdown")
    text = capsys.readouterr().out
    frame = check(load("sigir2017"), Results(table1)).query("corpus == 'one' and kind == 'order'")
    assert text.startswith(markdown_summary(frame))
    rows = text.split("| claim |")[1].splitlines()[2:]
    assert len(rows) == len(frame)
    assert all(row.count("|") == 6 for row in rows)


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ({"paper": "sigir2018"}, "unknown paper 'sigir2018'"),
        ({"corpus": "three"}, "unknown corpus 'three'; known: 'one', 'two'"),
        ({"kind": "orders"}, "unknown kind 'orders'"),
        ({"verdict": "true"}, "unknown verdict 'true'"),
        ({"format": "html"}, "unknown format 'html'"),
    ],
)
def test_unknown_option_lists_the_known_ones(table1: Path, option: dict[str, str], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        cmd_claims(table1, **option)
