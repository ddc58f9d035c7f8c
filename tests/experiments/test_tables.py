"""Tables from others: the same numbers, or an error that names file, line and column."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.experiments import tables
from citectx.experiments.results import COLUMNS, read

NAME = "sigir2017_table1"
ROWS = [
    f'{NAME},one,BM25,c-F,20.5,19.0,22.0,0.01,10,"{{""mu"": 10, ""k"": 3}}",0',
    f"{NAME},one,LMD,c-F,10.25,9.0,12.0,,10,{{}},0",
]
GOOD = "\n".join([",".join(COLUMNS), *ROWS]) + "\n"


def write(folder: Path, text: str | bytes) -> Path:
    content = text.encode() if isinstance(text, str) else text
    (folder / f"{NAME}.csv").write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD.replace("20.5", "nan", 1), "line 2: unexpected value 'nan'"),
        (GOOD.replace("20.5", "1e999", 1), "line 2: unexpected value '1e999'"),
        (GOOD.replace("10.25", "high", 1), "line 3: unexpected value 'high'"),
        (GOOD.replace("20.5", "20,5", 1), "line 2: has 12 fields, expected 11"),
        (GOOD.replace("19.0", "23", 1), "line 2: unexpected ci_low .*23.0.*, ci_high .*22.0"),
        (GOOD + ROWS[0] + "\n", "line 4: unexpected corpus 'one', method 'BM25', metric 'c-F'"),
        (GOOD.replace(NAME, "other", 1), "line 2: unexpected experiment 'other'"),
        (GOOD.replace("seed", "seeds", 1), "line 1: lacks the columns seed"),
        ("", "cannot be read as CSV"),
        (GOOD[:-20], "has . fields, expected 11"),
        (GOOD.replace("BM25", '"BM25', 1), "cannot be read as CSV"),
        (GOOD.encode("utf-16"), "cannot be read as CSV"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    write(tmp_path, text)
    with pytest.raises(DataError, match=rf"{NAME}\.csv.*{complaint}"):
        read(tmp_path, NAME)


def test_marks_of_spreadsheets_change_no_number(tmp_path: Path) -> None:
    expected = read(write(tmp_path, GOOD), NAME)
    assert expected["value"].tolist() == [20.5, 10.25]
    for text in ("\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip("\n")):
        pd.testing.assert_frame_equal(read(write(tmp_path, text), NAME), expected)


def test_a_truncated_table_of_scores_is_named(tmp_path: Path) -> None:
    rows = "\n".join(f"one,t,{i},BM25,{i}" for i in range(100))
    packed = gzip.compress(f"corpus,topic,citance,method,c-F\n{rows}\n".encode())
    file = tmp_path / f"{NAME}.citances.csv.gz"
    file.write_bytes(packed)
    assert len(tables.read_csv(file)) == 100
    for damaged in (packed[:-8], packed[:-8] + b"\0" * 8, packed + b"more"):
        file.write_bytes(damaged)
        with pytest.raises(DataError, match=r"citances\.csv\.gz: cannot be read as CSV"):
            tables.read_csv(file)
