import io
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import profiles
from citectx.errors import MissingDataError, ParameterError
from citectx.ledger import Results, check, cmd_claims, load, show
from citectx.ledger.report import NOT_RUN, compared, markdown_table, summary

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
    on_table1 = [c for c in ledger if c.experiments == ("sigir2017_table1",)]
    for corpus in ("one", "two"):
        assert counts.loc[("sigir2017", corpus)].to_numpy().sum() == len(on_table1)
    assert counts.loc[("sigir2017", "one", "numbers"), "not testable here"] == 81
    assert (
        counts.loc[("sigir2017", "one", "numbers"), "inconsistent in the paper"] == 3
    )  # the gains
    assert counts.loc[("sigir2017", "one", "marks"), "holds"] == 25
    assert counts.loc[("sigir2017", "two", "marks"), "not testable here"] == 25
    waiting = counts.loc[("sigir2017", NOT_RUN)]
    assert (
        waiting["not testable here"].sum()
        == waiting.to_numpy().sum()
        == len(ledger) - len(on_table1)
    )


def test_planted_order_of_the_rows_decides_the_worded_claims(table1: Path) -> None:
    frame = check(load("sigir2017"), Results(table1)).query("corpus == 'one'").set_index("id")
    # WE_Wiki is one point above QR, margin 1.3.
    worded = "dmn-is-best-context bio-beats-wiki wiki-no-advantage vsm-bm25-are-weakest qr-is-best-baseline".split()
    assert frame.loc[worded, "verdict"].tolist() == ["holds"] * 5
    assert frame.loc["dmn-is-best-context", "others"].startswith(
        "9 of 9 in the same direction (paper: 7 of 9"
    )


def test_a_markdown_table_escapes_bars_and_sets_numbers_to_the_right() -> None:
    frame = pd.DataFrame({"a b": ["x|y"], "n": [1]})
    assert markdown_table(frame).splitlines() == ["| a b | n |", "|---|---:|", r"| x\|y | 1 |"]


def test_terminal_report_names_claims_counts_the_rest_and_closes_with_a_summary(
    table1: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cmd_claims(table1, paper="sigir2017") == 0
    text = capsys.readouterr().out
    assert text.index("sigir2017, one") < text.index("bio-beats-wiki") < text.index("Summary")
    assert "t1-vsm-c-p " not in text
    assert text.index("sigir2017, two") < text.index(f"sigir2017, {NOT_RUN}")
    assert "81 published numbers: not testable here" in text
    assert "not run yet: sigir2017_table4" in text
    assert "Replication" in text


def test_filters_keep_only_what_was_asked_for(
    table1: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cmd_claims(table1, corpus="two", kind="value", verdict="not testable here", format="csv")
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert len(frame) == 84  # three gains
    assert set(frame["corpus"]) == {"two"} and set(frame["kind"]) == {"value"}
    cmd_claims(table1, kind="value")
    assert "t1-vsm-c-p " in capsys.readouterr().out
    cmd_claims(table1, corpus="two", kind="trend", verdict="absent")
    assert capsys.readouterr().out == "No claim matches.\n"


def test_show_has_a_row_a_claim_and_a_column_a_corpus(table1: Path) -> None:
    frame = show("sigir2017", table1, "sigir2017_table1")
    assert frame.columns.tolist() == ["the paper says", "one", "two"]
    assert frame.loc["bio-beats-wiki", "one"].startswith("✓ holds +1.081 [")
    assert frame.loc["bio-beats-wiki", "two"] == "– not testable here"
    assert not frame.index.str.endswith("-marked").any()


def test_against_lists_values_and_verdicts(
    table1: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("sigir2017_table1.csv", "sigir2017_table1.citances.csv.gz"):
        shutil.copy(table1 / name, other / name)
    assert cmd_claims(table1, paper="sigir2017", against=other) == 0
    assert "Values: 0 differ" in capsys.readouterr().out
    frame = pd.read_csv(other / "sigir2017_table1.csv")
    vsm = (frame["method"] == "VSM") & (frame["metric"] == "c-F") & (frame["corpus"] == "one")
    frame.loc[vsm, "value"] += 50  # its scores no longer make it
    frame.to_csv(other / "sigir2017_table1.csv", index=False)
    cmd_claims(table1, paper="sigir2017", against=other)
    text = capsys.readouterr().out
    assert "Values: 1 differ" in text and "-50.0" in text
    assert "bio-beats-best-baseline" in text and "not testable here" in text
    with pytest.raises(MissingDataError, match=r"nowhere has no tables of results; name a folder"):
        cmd_claims(table1, against=tmp_path / "nowhere")
    with pytest.raises(MissingDataError, match="has no tables of acl2008"):
        cmd_claims(table1, paper="acl2008", against=other)


def test_the_committed_tables_can_be_compared(tmp_path: Path) -> None:
    """They hold what no claim reads: a row for each choice, correlations of a single pair, the
    verdicts themselves."""
    committed = profiles.profile("open").results
    for name in ("sigir2017_protocol", "embeddings_intrinsic", "verdicts"):
        shutil.copy(committed / f"{name}.csv", tmp_path)
    assert compared(tmp_path, tmp_path).startswith("Values: 0 differ")
    protocol = pd.read_csv(tmp_path / "sigir2017_protocol.csv", dtype=str)
    protocol.loc[protocol.index[-1], "value"] = "-1"
    other = tmp_path / "other"
    other.mkdir()
    protocol.to_csv(other / "sigir2017_protocol.csv", index=False)
    text = compared(other, tmp_path, "sigir2017")
    assert text.startswith("Values: 1 differ") and protocol.iloc[-1]["method"] in text


def test_unknown_option_lists_the_known_ones(table1: Path) -> None:
    for complaint, option in (
        ("unknown paper 'sigir2018'", {"paper": "sigir2018"}),
        ("unknown corpus 'three'; known: 'one', 'two'", {"corpus": "three"}),
        ("unknown kind 'orders'", {"kind": "orders"}),
        ("unknown verdict 'true'", {"verdict": "true"}),
        ("unknown format 'html'", {"format": "html"}),
    ):
        with pytest.raises(ParameterError, match=complaint):
            cmd_claims(table1, **option)
