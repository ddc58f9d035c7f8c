"""Runs as files and in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import citectx
from citectx import Run
from citectx.corpora import Corpus
from citectx.errors import DataError, MissingDataError, ParameterError

KEY = ("D9001_TEACH", "1")


def test_trec_files_there_and_back(tmp_path: Path) -> None:
    run = Run({KEY: [(40, 90), (0, 39)], ("a:b c", "7 ü"): [(1, 2)]}, "two words")
    back = Run.read(run.to_trec(tmp_path / "run.trec"))
    assert back == run


def test_scores_decide_before_ranks_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    rows = ["5-9 1 0.5", "0-4 9 2e0", "20-30 3 0.5", "10-19 2 0.5"]
    path.write_text("".join(f"D1:1 Q0 D1:{row} x\n" for row in rows))
    assert Run.read(path).rankings["D1", "1"] == [(0, 4), (5, 9), (10, 19), (20, 30)]


def test_csv_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("rank,topic,citance,start,end\n1,D1,1,40,90\n2,D1,1,0,39\n1,D1,2,0,9\n")
    run = Run.read(path)
    assert run.rankings == {("D1", "1"): [(40, 90), (0, 39)], ("D1", "2"): [(0, 9)]}
    assert run.name == "mine"


@pytest.mark.parametrize(
    "row",
    [
        "D9001_TEACH:1 Q0 D9001_TEACH:1-9 1",
        "D9001_TEACH:1 Q0 D9001_TEACH:1-9 1 nan x",
        "D9001_TEACH:1 Q0 D9001_TEACH:1-9 one 1 x",
        "D9001_TEACH:1 Q0 D9001_TEACH:1_9 1 1 x",
        "D9001_TEACH:1 Q0 D9002_TEACH:1-9 1 1 x",
        "D9001_TEACH:1 Q0 D9001_TEACH:1-99999999999999999999 1 1 x",
    ],
)
def test_malformed_rows_are_named_with_file_and_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "bad.trec"
    path.write_text("D9001_TEACH:1 Q0 D9001_TEACH:1-9 1 2.5 x\n" + row + "\n")
    with pytest.raises(DataError, match=r"bad\.trec.*2"):
        Run.from_trec(path)


@pytest.mark.parametrize(
    "row", ["D9001_TEACH,1,5", "D9001_TEACH,1,5,x", "D9001_TEACH,1,-5,9", "D9001_TEACH,1,1.0,9"]
)
def test_malformed_csv_is_named_with_file_and_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"topic,citance,start,end\nD9001_TEACH,1,1,9\n{row}\n")
    with pytest.raises(DataError, match=r"bad\.csv, line 3"):
        Run.read(path)


@pytest.mark.parametrize("name", ["none.trec", "none.csv", "."])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingDataError, match="there is no file"):
        Run.read(tmp_path / name)


@pytest.mark.parametrize("suffix", ["trec", "csv"])
@pytest.mark.parametrize(
    ("topic", "citance", "span", "says"),
    [
        ("D0000", "1", (0, 9), "unknown topic"),
        ("D9001_TEACH", "99", (0, 9), "unknown citance"),
        ("D9001_TEACH", "1", (9, 9), "is empty"),
        ("D9001_TEACH", "1", (0, 10**7), "leaves the article"),
        ("D9001_TEACH", "1", (1, 9), "listed twice"),
    ],
)
def test_what_does_not_fit_a_corpus_is_named_with_file_and_line(
    teaching: Corpus,
    tmp_path: Path,
    suffix: str,
    topic: str,
    citance: str,
    span: tuple[int, int],
    says: str,
) -> None:
    path = tmp_path / f"run.{suffix}"
    rows = [("D9001_TEACH", "1", 1, 9), (topic, citance, *span)]
    if suffix == "csv":
        pd.DataFrame(rows, columns=["topic", "citance", "start", "end"]).to_csv(path, index=False)
        line = 3
    else:
        lines = [f"{t}:{c} Q0 {t}:{start}-{end} 1 1 x\n" for t, c, start, end in rows]
        path.write_text("".join(lines))
        line = 2
    task = citectx.contextualization(teaching)
    with pytest.raises(DataError, match=rf"run\.{suffix}, line {line}: .*{says}"):
        task.evaluate(Run.read(path))


def test_arrays_are_rankings_too() -> None:
    run = Run.of({KEY: np.array([[40, 90], [0, 39]])})
    run.check_spans(KEY, 100)
    assert [tuple(span) for span in run.rankings[KEY]] == [(40, 90), (0, 39)]


def test_rows_without_a_topic_are_not_dropped(teaching: Corpus) -> None:
    frame = pd.DataFrame({"topic": [KEY[0], None], "citance": "1", "start": 0, "end": [9, 8]})
    with pytest.raises(ParameterError, match="unknown topic"):
        citectx.contextualization(teaching).evaluate(frame)


def test_a_run_is_shown_in_a_line_and_a_small_table() -> None:
    run = Run({("<b>", str(i)): [(0, 9), (10, 19)] for i in range(1000)}, "mine")
    assert repr(run) == "Run('mine', 1,000 citances, 2,000 spans)"
    assert "&lt;b&gt;" in run._repr_html_()
    assert "<b>" not in run._repr_html_()
    many = Run({(f"T{i}", "1"): [(0, 9)] for i in range(1000)})
    assert len(many._repr_html_()) < 5000
