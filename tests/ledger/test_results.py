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
    assert results.corpora("exp") == []
    assert results.scores("exp", "home", "A", "c-F") is None


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
