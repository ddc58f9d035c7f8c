import re
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import cli, paths, profiles
from citectx.errors import ParameterError
from citectx.ledger import (
    all_verdicts,
    check,
    cmd_claims,
    load,
    open_results,
    report,
    verdicts,
)
from citectx.ledger.claim import papers as paper_names
from citectx.ledger.report import summary
from citectx.ledger.verdicts import FILE

Write = Callable[..., None]
METRICS = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5")
ROWS = "VSM BM25 DFR LMD DESM LMD-LDA QR WE_Wiki WE_Bio WE_Bio+rtrft WE_Bio+dmn".split()


@pytest.fixture
def table1(tmp_path: Path, write_results: Write, base: np.ndarray) -> Path:
    """Write Table 1 alone: all rows on corpus one, each better than the last; two on two."""
    noise = np.random.default_rng(5)
    for corpus, rows in (("one", ROWS), ("two", ROWS[:2])):
        columns = {
            row: {metric: base + i + noise.normal(0, 0.5, len(base)) for metric in METRICS}
            for i, row in enumerate(rows)
        }
        write_results("sigir2017_table1", corpus, columns)
    return tmp_path


def test_summary_counts_each_comparison_once_for_each_corpus(table1: Path) -> None:
    frame = check(load("sigir2017"), open_results(table1))
    counts = summary(frame)
    counted = frame[~frame["ours"] & (frame["same_as"] == "")]
    sizes = counted.groupby("corpus").size()
    assert [*counts.index] == ["", "one", "two"]
    assert (counts.sum(axis=1) == sizes).all()
    assert counts["not testable here"].loc[""] == sizes[""]
    assert "interpolation-beats-retrofitting" in {*frame["same_as"]}


ROWS_OF_LEDGER = pd.DataFrame(
    [
        ("a", "confirmed", "holds", False, "", 0.9, False),
        ("b", "confirmed", "holds, below its control", False, "", 0.7, True),
        ("c", "confirmed", "contradicted", False, "", 0.85, True),
        ("d", "confirmed", "holds", False, "a", 0.9, False),
        ("e", "confirmed", "holds, not beyond its control", True, "", 0.9, True),
        ("f", "confirmed", "inconsistent in the paper", False, "", 0.0, False),
        ("g", "confirmed", "holds, no control", False, "", np.nan, False),
        ("a", "explored", "holds", False, "", 0.6, False),
        ("a", "", "absent", False, "", 0.6, False),
    ],
    columns=["id", "stage", "verdict", "ours", "same_as", "seen", "post_hoc"],
).assign(paper="p", corpus="x")
"""Claims of a paper; d rests on the comparison of a, and e is a check of ours."""


def test_counts_are_by_stage_without_repeated_comparisons_and_checks_of_ours() -> None:
    table = summary(ROWS_OF_LEDGER)
    assert [*table.index] == ["explored", "confirmed"]
    confirmed = table.loc["confirmed"].to_dict()
    assert {verdict: count for verdict, count in confirmed.items() if count} == {
        "holds": 1,
        "holds, no control": 1,
        "holds, below its control": 1,
        "contradicted": 1,
        "inconsistent in the paper": 1,
    }
    assert report.post_hoc(ROWS_OF_LEDGER) == 1


def test_yardstick_sums_seen_over_what_was_confirmed_and_counts_every_kind_of_holds() -> None:
    tested = report.yardstick(ROWS_OF_LEDGER)
    assert tested.loc["all"].to_dict() == {"comparisons": 3, "should_hold": 2.4, "hold": 2}
    bins = report.calibration(ROWS_OF_LEDGER)
    assert bins["comparisons"].tolist() == [1, 2]
    assert bins["hold"].tolist() == [1.0, 0.5]
    assert bins["seen"].tolist() == pytest.approx([0.7, 0.875])


@pytest.fixture
def opened(tmp_path: Path, table1: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Table 1 alone, as the results of the open profile, in a notebook's folder."""
    home = tmp_path / "results" / "open" / "01_table1"
    home.mkdir(parents=True)
    for file in table1.glob("*.csv*"):
        shutil.move(file, home)
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    return home.parent


def test_the_page_counts_verdicts_and_then_tells_the_headlines(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cmd_claims() == 0
    text = capsys.readouterr().out
    counts = summary(all_verdicts(opened)).loc["one"]
    for verdict, count in counts.items():
        assert re.search(rf"^{verdict} .* {count} ", text, re.MULTILINE)
    assert text.index("Verdicts on what") < text.index("sigir2017: The four embedding models")
    assert "holds, no control (one)" in text or "holds (one)" in text
    assert str(opened / FILE) in text and "--paper" in text
    kept = pd.read_csv(opened / FILE)
    assert kept["verdict"].tolist() == all_verdicts(opened)["verdict"].tolist()


@pytest.mark.parametrize("paper", [None, *paper_names()])
def test_no_line_is_longer_than_a_hundred_columns(
    paper: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    cmd_claims(paper=paper)
    lines = capsys.readouterr().out.splitlines()
    paths_ = (str(paths.RESULTS), "All ")
    assert max(len(line) for line in lines if not line.startswith(paths_)) <= 100


def test_verdicts_go_to_a_file_or_the_output(
    opened: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["claims", "--paper", "sigir2017", "--csv"]) == 0
    shown = pd.read_csv(StringIO(capsys.readouterr().out))
    assert shown["id"].tolist() == all_verdicts(opened, "sigir2017")["id"].tolist()
    file = tmp_path / "new" / "verdicts.csv"
    for arguments, code in (([], 0), ([], 1), (["--force"], 0)):
        assert cli.main(["claims", "--csv", str(file), *arguments]) == code
    assert "exists" in capsys.readouterr().err
    assert len(pd.read_csv(file)) == len(all_verdicts(opened))
    assert [*file.parent.iterdir()] == [file]


def test_what_is_kept_is_what_is_judged_until_scores_change(opened: Path) -> None:
    def judged() -> pd.DataFrame:
        return check(load("sigir2017"), open_results(opened))

    first = judged()
    (opened / ".01_table1.1.part" / "sigir2017_table1.csv").mkdir(parents=True)  # is not opened
    for _ in range(2):
        pd.testing.assert_frame_equal(all_verdicts(opened, "sigir2017"), first, check_dtype=False)
    (file,) = opened.rglob("*.citances.csv.gz")
    scores = pd.read_csv(file, dtype={"topic": str, "citance": str})
    scores["c-F"] -= 5.0 * (scores["method"] == "WE_Bio+dmn")
    scores.to_csv(file, index=False)
    again = all_verdicts(opened, "sigir2017")
    pd.testing.assert_frame_equal(again, judged(), check_dtype=False)
    assert (again["verdict"] != first["verdict"]).any()


@pytest.mark.parametrize("profile", ["teaching", "open"])
def test_only_the_first_run_ends_with_what_open_data_say(
    opened: Path, capsys: pytest.CaptureFixture[str], profile: str
) -> None:
    opened.rename(opened.with_name(profile))
    cmd_claims(profile)
    _, _, told = capsys.readouterr().out.partition("On open data the notebooks found:")
    counts = summary(pd.read_csv(paths.RESULTS / "open" / FILE)).T
    rows = [rf"^{verdict} +{' +'.join(map(str, row))}$" for verdict, row in counts.iterrows()]
    is_told = [bool(re.search(row, told, re.MULTILINE)) for row in rows]
    assert is_told == [profile == "teaching"] * len(rows)


def test_verdicts_are_shown_where_they_cannot_be_written(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (opened / "ledger").touch()
    assert cmd_claims() == 0
    text = capsys.readouterr().out
    assert "sigir2017: The four embedding models" in text
    assert "\nThe verdicts were not written: " in text


def test_an_installed_package_has_the_results_of_the_folder_that_it_runs_in(
    opened: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CITECTX_RESULTS")
    for module in (paths, profiles):
        monkeypatch.setattr(module, "IN_CHECKOUT", False)
    monkeypatch.setattr(profiles, "RESULTS", opened.parent)
    monkeypatch.setattr(verdicts, "PACKAGE", opened)
    (here := opened.parent / "here").mkdir()
    monkeypatch.chdir(here)
    cmd_claims()
    assert str(opened) in capsys.readouterr().out and not (opened / FILE).exists()
    shutil.copytree(opened, here / "results" / "open")
    cmd_claims()
    assert str(opened) not in capsys.readouterr().out
    assert (here / "results" / "open" / FILE).is_file() and not (opened / FILE).exists()


def test_a_paper_is_told_claim_by_claim_with_reasons(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cmd_claims(paper="sigir2017")
    text = capsys.readouterr().out
    assert "not run yet: sigir2017_table4" in text and str(opened) not in text
    words = " ".join(text.split())
    for claim in load("sigir2017"):
        assert f"{claim.says} " in words and f"{claim.where}; {claim.claim_id} " in f"{words} "
    assert "WE_Bio+dmn over WE_Bio in c-F: +" in words


def test_what_is_stored_of_readings_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cmd_claims(readings=True) == 0
    text = capsys.readouterr().out
    assert "sigir2017_summaries_curve" in text and "all over all baseline in NDCG" in text


def test_unknown_names_list_the_known_ones(opened: Path) -> None:
    with pytest.raises(ParameterError, match="unknown paper 'sigir2018'"):
        cmd_claims(paper="sigir2018")
    with pytest.raises(ParameterError, match="unknown profile 'closed'"):
        cmd_claims("closed")
    assert opened.is_dir()
