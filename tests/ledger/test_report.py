import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import paths, profiles
from citectx.errors import ParameterError
from citectx.ledger import all_verdicts, check, cmd_claims, load, open_results, verdicts
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


def test_summary_counts_every_claim_once_for_each_corpus_of_its_experiment(table1: Path) -> None:
    frame = check(load("sigir2017"), open_results(table1))
    counts = summary(frame).droplevel("paper")
    sizes = frame[~frame["ours"]].groupby("corpus").size()
    assert [*counts.index] == ["", "one", "two"]
    assert (counts.sum(axis=1) == sizes).all()
    assert counts["not testable here"].loc[""] == sizes[""]


def test_planted_order_of_the_rows_decides_the_worded_claims(table1: Path) -> None:
    frame = check(load("sigir2017"), open_results(table1)).query("corpus == 'one'").set_index("id")
    # WE_Wiki is one point above QR, margin 1.3.
    worded = "bio-beats-wiki wiki-no-advantage vsm-bm25-are-weak qr-is-best-baseline".split()
    worded.append("dmn-is-best-context")
    assert frame.loc[worded, "verdict"].tolist() == ["holds, no control"] * 5


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
    counts = summary(all_verdicts(opened)).xs("one", level="corpus").to_numpy()[0]
    assert re.search(r" +".join(["", "one", *map(str, counts)]), text)
    assert re.search(r"^\+ models-beat-baselines .* one ", text, re.MULTILINE)
    assert str(opened / FILE) in text and "--paper" in text
    kept = pd.read_csv(opened / FILE)
    assert kept["verdict"].tolist() == all_verdicts(opened)["verdict"].tolist()


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
    verdicts = pd.read_csv(paths.RESULTS / "open" / FILE).query("stage == 'confirmed' and not ours")
    counts = [re.findall(rf"^{name} .*", told, re.MULTILINE) for name in paper_names()]
    expected = verdicts.groupby("paper").size().tolist() if profile == "teaching" else []
    assert [sum(map(int, row.split()[1:])) for rows in counts for row in rows] == expected


def test_verdicts_are_shown_where_they_cannot_be_written(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (opened / "ledger").touch()
    assert cmd_claims() == 0
    text = capsys.readouterr().out
    assert re.search(r"^\+ models-beat-baselines .* one ", text, re.MULTILINE)
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
    assert all(f" {claim.claim_id} " in text for claim in load("sigir2017"))


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
