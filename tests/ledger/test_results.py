import gzip
from pathlib import Path

import numpy as np
import pytest

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS
from citectx.ledger import Results

HEADER = ",".join(COLUMNS)
ROW = 'exp,home,A,c-F,20.5,19.0,22.0,,10,"{""mu"": 10, ""k"": 3}",0'
SCORES = "corpus,topic,citance,method,c-F\nhome,t1,c1,A,30\nhome,t1,c2,A,\n"


def table(folder: Path, *rows: str, header: str = HEADER) -> Results:
    (folder / "exp.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return Results(folder)


def scores(folder: Path, text: str) -> Results:
    (folder / "exp.citances.csv.gz").write_bytes(gzip.compress(text.encode()))
    return Results(folder)


def test_cell_is_found_by_corpus_method_and_metric_with_its_interval(tmp_path: Path) -> None:
    results = table(tmp_path, ROW, "exp,away,A,c-F,3,,,,10,{},0")
    assert results.corpora("exp") == ["away", "home"]
    assert results.table("exp")["home", "A", "c-F"][:4] == (20.5, 19.0, 22.0, 10)
    value, low, high, *_ = results.table("exp")["away", "A", "c-F"]
    assert value == 3 and np.isnan([low, high]).all()


def test_experiment_that_was_not_run_has_no_table_and_no_scores(tmp_path: Path) -> None:
    results = Results(tmp_path)
    assert not results.ran("exp")
    assert results.corpora("exp") == []
    assert results.scores("exp", "home", "A", "c-F") is None


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([ROW, ROW], "line 3: a second row for home, A, c-F"),
        ([ROW.replace("20.5", "high")], "line 2: value is 'high'; expected a finite number"),
        ([ROW.replace("20.5", "inf")], "line 2: value is 'inf'"),
        ([ROW.replace("19.0", "x")], "line 2: ci_low is 'x'"),
        ([ROW.replace("19.0", "23")], "line 2: interval 23.0 to 22.0 is reversed"),
        ([ROW.replace("exp", "other")], "line 2: experiment 'other', expected 'exp'"),
        ([ROW + ",1"], "line 2: has 12 fields, expected 11"),
        (['exp,"home'], "cannot be read as CSV"),
    ],
)
def test_malformed_table_is_an_error_that_names_the_line(
    tmp_path: Path, rows: list[str], complaint: str
) -> None:
    with pytest.raises(DataError, match=f"exp.csv.*{complaint}"):
        table(tmp_path, *rows).table("exp")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            HEADER.replace(",ci_high,p_value", "").encode(),
            "line 1: lacks the columns ci_high, p_value",
        ),
        (b"", "cannot be read as CSV"),
        (b"\xff\xfe\x00", "cannot be read as CSV"),
    ],
)
def test_table_without_a_column_or_without_anything_is_an_error(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    (tmp_path / "exp.csv").write_bytes(content)
    with pytest.raises(DataError, match=complaint):
        Results(tmp_path).table("exp")


def test_scores_come_by_topic_and_citance_without_the_unscored_ones(tmp_path: Path) -> None:
    found = scores(tmp_path, SCORES).scores("exp", "home", "A", "c-F")
    assert found is not None and found.to_dict() == {("t1", "c1"): 30.0}


@pytest.mark.parametrize("key", [("away", "A", "c-F"), ("home", "B", "c-F"), ("home", "A", "c-P")])
def test_scores_that_were_not_kept_are_none(tmp_path: Path, key: tuple[str, str, str]) -> None:
    assert scores(tmp_path, SCORES).scores("exp", *key) is None


def test_ids_stay_text_even_where_they_look_like_numbers_or_gaps(tmp_path: Path) -> None:
    text = "corpus,topic,citance,method,c-F\nhome,001,NA,A,1\nhome,1,,A,2\n"
    found = scores(tmp_path, text).scores("exp", "home", "A", "c-F")
    assert found is not None and set(found.index) == {("001", "NA"), ("1", "")}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (SCORES + "home,t1,c1,A,31\n", "line 4: a second row for home, t1, c1, A"),
        (SCORES + "home,t1,c3,A,good\n", "line 4: c-F is 'good'"),
        (SCORES.replace("topic", "subject"), "line 1: lacks the columns topic"),
    ],
)
def test_malformed_scores_are_an_error_that_names_the_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(DataError, match=f"exp.citances.csv.gz.*{complaint}"):
        scores(tmp_path, text).scores("exp", "home", "A", "c-F")


def test_truncated_or_uncompressed_scores_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "exp.citances.csv.gz"
    for damaged in (gzip.compress(SCORES.encode())[:-9], SCORES.encode()):
        file.write_bytes(damaged)
        with pytest.raises(DataError, match="cannot be read as CSV"):
            Results(tmp_path).scores("exp", "home", "A", "c-F")
