"""Tables from others: the same numbers, or an error that names file, line and column."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.experiments import tables
from citectx.experiments.results import COLUMNS, read
from citectx.ledger import Results
from citectx.show.tables import table

NAME = "sigir2017_table1"
ROWS = [
    f'{NAME},one,BM25,c-F,20.5,19.0,22.0,0.01,10,"{{""mu"": 10, ""k"": 3}}",0',
    f"{NAME},one,LMD,c-F,10.25,9.0,12.0,,10,{{}},0",
]
GOOD = "\n".join([",".join(COLUMNS), *ROWS]) + "\n"

Reader = Callable[[Path], object]
READERS: dict[str, Reader] = {
    "read": lambda folder: read(folder, NAME),
    "ledger": lambda folder: Results(folder).read(NAME),
}
"""Who reads every number of a table."""

NUMBERS = [
    ("20.5", "nan", "value is 'nan'"),
    ("20.5", "inf", "value is 'inf'"),
    ("20.5", "1e999", "value is '1e999'"),
    ("20.5", "high", "value is 'high'"),
    ("20.5", "1_000", "value is '1_000'"),
    ("20.5", "20,5", "has 12 fields, expected 11"),
    ("19.0", "-inf", "ci_low is '-inf'"),
    ("19.0", "23", "interval 23.0 to 22.0 is reversed"),
    (",0.01,", ",1.5,", "p_value is '1.5'"),
    (",0.01,", ",-0.1,", "p_value is '-0.1'"),
    (",10,", ",ten,", "n is 'ten'"),
    (",10,", ",2.5,", "n is '2.5'"),
    (",10,", ",-3,", "n is '-3'"),
    (",0\n", ",zero\n", "seed is 'zero'"),
    (",0\n", ",-1\n", "seed is '-1'"),
    ('"{""mu"": 10, ""k"": 3}"', "mu=10", "params is 'mu=10'"),
    ('"{""mu"": 10, ""k"": 3}"', "[1]", r"params is '\[1\]'"),
]


def write(folder: Path, text: str | bytes) -> Path:
    content = text.encode() if isinstance(text, str) else text
    (folder / f"{NAME}.csv").write_bytes(content)
    return folder


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("old", "new", "complaint"), NUMBERS)
def test_a_cell_that_is_none_of_its_column_is_named(
    tmp_path: Path, reader: str, old: str, new: str, complaint: str
) -> None:
    assert old in GOOD
    write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(DataError, match=rf"{NAME}\.csv, line 2: {complaint}"):
        READERS[reader](tmp_path)


@pytest.mark.parametrize("reader", ["read", "ledger"])
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD + ROWS[0] + "\n", r"line 4: a second row for one, BM25, c-F"),
        (GOOD.replace(NAME, "other", 1), "line 2: experiment 'other', expected 'sigir2017_table1'"),
        (
            GOOD.replace("ci_low", "value", 1),
            "has the column 'value' twice|lacks the columns ci_low",
        ),
        (GOOD.replace("seed", "seeds", 1), "expected the columns|lacks the columns seed"),
        (GOOD.replace(",", ";"), "expected the columns|lacks the columns"),
        ("", "cannot be read as CSV"),
        (GOOD[:-20], "has . fields, expected 11"),
        (GOOD.replace("BM25", '"BM25', 1), "cannot be read as CSV"),
        (GOOD.replace("BM25", "x" * 200_000, 1), r"cannot be read as CSV \(field larger"),
        (GOOD.encode("utf-16"), "cannot be read as CSV"),
        (b"\x1f\x8b" + GOOD.encode(), "cannot be read as CSV"),
    ],
)
def test_another_shape_is_named(
    tmp_path: Path, reader: str, text: str | bytes, complaint: str
) -> None:
    write(tmp_path, text)
    with pytest.raises(DataError, match=rf"{NAME}\.csv.*({complaint})"):
        READERS[reader](tmp_path)


def test_columns_of_other_versions_are_not_compared(tmp_path: Path) -> None:
    wider = "\n".join(f"{line},{i}" for i, line in enumerate(GOOD.splitlines()))
    with pytest.raises(DataError, match="expected the columns"):
        read(write(tmp_path, wider.replace("seed,0", "seed,more", 1)), NAME)


def test_marks_of_spreadsheets_change_no_number(tmp_path: Path) -> None:
    expected = read(write(tmp_path, GOOD), NAME)
    assert expected["value"].tolist() == [20.5, 10.25] and expected["n"].dtype == int
    for text in ("\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip("\n")):
        pd.testing.assert_frame_equal(read(write(tmp_path, text), NAME), expected)


@pytest.mark.parametrize("cut", [1, 8, 20])
def test_a_truncated_table_of_scores_is_named(tmp_path: Path, cut: int) -> None:
    rows = "\n".join(f"one,t,{i},BM25,{i}" for i in range(100))
    packed = gzip.compress(f"corpus,topic,citance,method,c-F\n{rows}\n".encode())
    file = tmp_path / f"{NAME}.citances.csv.gz"
    file.write_bytes(packed)
    assert len(tables.read_csv(file)) == 100
    for damaged in (packed[:-cut], packed[:-8] + b"\0" * 8, packed + b"more"):
        file.write_bytes(damaged)
        with pytest.raises(DataError, match=r"citances\.csv\.gz: cannot be read as CSV"):
            Results(tmp_path).read(NAME)


def test_other_tables_keep_text_and_refuse_what_is_not_finite(tmp_path: Path) -> None:
    file = tmp_path / "extra.csv"
    file.write_text("method,share,n,known,note\nNA,0.25,3,True,\nNone,,4,False,x\n")
    frame = tables.typed(tables.read_csv(file), file)
    assert frame["method"].tolist() == ["NA", "None"], "no name is a missing number"
    assert frame["n"].tolist() == [3, 4] and frame["known"].tolist() == [True, False]
    assert frame["share"][0] == 0.25 and pd.isna(frame["share"][1])
    for cell in ("nan", "NaN", "inf", "-inf", "1e999"):
        file.write_text(f"method,share\nA,1\nB,{cell}\n")
        with pytest.raises(DataError, match=rf"extra\.csv, line 3: share is '{cell}'"):
            tables.typed(tables.read_csv(file), file)


def test_a_table_beside_the_papers_numbers_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "teaching" / "01"
    home.mkdir(parents=True)
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    write(home, GOOD)
    assert table("sigir2017", 1, profile="teaching").loc["BM25", ("c-F", "ours")] == 20.5
    write(home, GOOD + ROWS[0].replace("20.5", "90") + "\n")
    with pytest.raises(DataError, match="line 4: a second row"):  # not their mean
        table("sigir2017", 1, profile="teaching")
