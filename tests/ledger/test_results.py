import gzip
from pathlib import Path

import pytest

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS
from citectx.ledger import Results

HEADER = ",".join(COLUMNS)
ROW = 'exp,home,A,c-F,30.0,19.0,42.0,,1,"{""mu"": 10, ""k"": 3}",0'


def results(folder: Path, *rows: str, header: str = HEADER, scores: str = "") -> Results:
    (folder / "exp.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    if scores:
        (folder / "exp.citances.csv.gz").write_bytes(gzip.compress(scores.encode()))
    return Results(folder)


def test_a_table_comes_with_its_scores(tmp_path: Path) -> None:
    text = "corpus,topic,citance,method,c-F\nhome,001,NA,A,30\nhome,1,,A,\n"
    read = results(tmp_path, ROW, "exp,away,A,n,3,,,,10,{},0", scores=text)
    assert read.corpora("exp") == ["away", "home"]
    table, scores = read.read("exp")
    assert table["value"].tolist() == [30.0, 3.0]
    assert scores["topic"].tolist() == ["001", "1"] and scores["citance"].tolist() == ["NA", ""]
    assert scores["c-F"].isna().tolist() == [False, True]


def test_an_experiment_that_was_not_run_is_empty(tmp_path: Path) -> None:
    read = Results(tmp_path)
    assert read.corpora("exp") == [] and all(frame.empty for frame in read.read("exp"))


def test_a_table_without_a_column_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns"):
        results(tmp_path, ROW, header=HEADER.replace("ci_high", "ci")).read("exp")
