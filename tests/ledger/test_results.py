"""Tables with their scores, as claims read them."""

import gzip
from pathlib import Path

import pytest

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS
from citectx.ledger import open_results
from citectx.ledger.evidence import Results

HEADER = ",".join(COLUMNS)
ROW = 'exp,home,A,c-F,30.0,19.0,42.0,,1,"{""mu"": 10, ""k"": 3}",0'


def results(folder: Path, *rows: str, header: str = HEADER, scores: str = "") -> Results:
    (folder / "exp.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    if scores:
        (folder / "exp.citances.csv.gz").write_bytes(gzip.compress(scores.encode()))
    return open_results(folder)


def test_a_table_comes_with_its_scores(tmp_path: Path) -> None:
    text = "corpus,topic,citance,method,c-F\nhome,001,NA,A,30\nhome,1,,A,\n"
    read = results(tmp_path, ROW, "exp,away,A,n,3,,,,10,{},0", scores=text)
    assert [*read("exp")] == ["away", "home"]
    table, scores = read("exp")["home"]
    assert table["value"].tolist() == [30.0]
    assert scores["topic"].tolist() == ["001", "1"] and scores["citance"].tolist() == ["NA", ""]
    assert scores["c-F"].isna().tolist() == [False, True]


def test_an_experiment_that_was_not_run_is_empty(tmp_path: Path) -> None:
    assert open_results(tmp_path)("exp") == {}


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([HEADER.replace("ci_high", "ci"), ROW], "lacks the columns ci_high; make it again"),
        ([HEADER, ROW, f"{ROW},1"], "line 3.*; make it again"),
        ([HEADER, ROW.replace("30.0", "high")], "'high'.*; make it again"),
        ([], "make it again"),
    ],
)
def test_a_damaged_table_is_named(tmp_path: Path, rows: list[str], complaint: str) -> None:
    (tmp_path / "exp.csv").write_text("\n".join(rows))
    with pytest.raises(DataError, match=rf"exp\.csv: .*{complaint}"):
        open_results(tmp_path)("exp")


def test_truncated_scores_are_named(tmp_path: Path) -> None:
    read = results(tmp_path, ROW, scores="corpus,topic,citance,method,c-F\n" + "a,t,1,A,30\n" * 99)
    file = tmp_path / "exp.citances.csv.gz"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(DataError, match=r"exp\.citances\.csv\.gz: cannot be read"):
        read("exp")
