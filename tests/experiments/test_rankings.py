"""Runs as frames and files, and their scores: ours, anybody's, and as ir-measures has them."""

from pathlib import Path

import ir_measures as measures
import pandas as pd
import pytest

import citectx
from citectx import cli
from citectx.corpora import Corpus
from citectx.errors import DataError
from citectx.experiments.contextualization import prepare
from citectx.experiments.evaluate import compare_runs
from citectx.retrieval import BM25

METRICS = ["c-F", "c-P@5", "wc-F", "nDCG", "RG-1"]


@pytest.fixture(scope="module")
def run(teaching: Corpus) -> pd.DataFrame:
    return citectx.retrieve(teaching, BM25(k1=0.4))


def test_a_run_scores_as_the_tables_do(teaching: Corpus, run: pd.DataFrame) -> None:
    found = citectx.evaluate(teaching, run, METRICS)
    topics = prepare(teaching)
    expected = pd.concat([topic.measure(BM25(k1=0.4), METRICS) for topic in topics])
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_exact=True)


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
def test_files_hold_the_same_run(tmp_path: Path, run: pd.DataFrame, name: str) -> None:
    citectx.to_trec(run, tmp_path / name)
    back = citectx.read_run(tmp_path / name)
    assert back.index[0] == 1
    pd.testing.assert_frame_equal(back.reset_index(drop=True), run, check_exact=True)


def test_scores_decide_before_ranks_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    rows = ["5-9 1 .58", "0-4 9 +2e0", "20-30 3 .58", "10-19 2 0.58", "1-2 1 -7."]
    path.write_text("".join(f"D1:1 Q0 D1:{row} x\n" for row in rows))
    found = citectx.read_run(path)
    assert found["start"].tolist() == [0, 5, 10, 20, 1]
    assert found["score"].tolist() == [2.0, 0.58, 0.58, 0.58, -7.0]
    assert found["rank"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "row",
    [
        *("D1:1 Q0 D1:1-9 1", "D1:1 Q0 D1:1-9 1 nan x", "D1:1 Q0 D1:1-9 one 1 x"),
        *("D1:1 Q0 D1:1_9 1 1 x", "D1:1 Q0 D2:1-9 1 1 x", "D1:1 Q0 D1:1-9 1 1 x y", "D1"),
    ],
)
def test_malformed_rows_are_named_with_file_and_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "bad.trec"
    path.write_text(f"D1:1 Q0 D1:1-9 1 2.5 x\n{row}\n")
    with pytest.raises(DataError, match=r"bad\.trec.*line 2"):
        citectx.read_run(path)


@pytest.mark.parametrize(
    ("topic", "citance", "start", "end", "says"),
    [
        ("D0000", "1", 0, 9, "is of no citance of teaching"),
        ("D9001_TEACH", "99", 0, 9, "is of no citance"),
        ("D9001_TEACH", "1", 9, 9, "is empty"),
        ("D9001_TEACH", "1", 0, 10**7, "leaves the article"),
        ("D9001_TEACH", "1", 1, 9, "is there twice"),
    ],
)
def test_what_does_not_fit_a_corpus_is_named_with_its_line(
    teaching: Corpus, tmp_path: Path, topic: str, citance: str, start: int, end: int, says: str
) -> None:
    path = tmp_path / "run.trec"
    first, row = "D9001_TEACH:1 Q0 D9001_TEACH:1-9", f"{topic}:{citance} Q0 {topic}:{start}-{end}"
    path.write_text(f"{first} 1 9 x\n{row} 2 8 x\n")
    with pytest.raises(DataError, match=rf"run\.trec, line 2: .*{says}"):
        citectx.evaluate(teaching, citectx.read_run(path), ["c-F"])


def test_means_are_those_of_ir_measures(
    teaching: Corpus, run: pd.DataFrame, tmp_path: Path
) -> None:
    """Without ties, which trec_eval breaks by the names of documents."""
    strict = run.assign(score=1 / run["rank"])
    citectx.to_trec(strict, tmp_path / "run.trec")
    citectx.to_qrels(teaching, tmp_path / "qrels")
    qrels = measures.read_trec_qrels(str(tmp_path / "qrels"))
    theirs = measures.calc_aggregate(
        [measures.nDCG], qrels, measures.read_trec_run(str(tmp_path / "run.trec"))
    )
    ours = citectx.evaluate(teaching, strict, ["nDCG"])["nDCG"].mean()
    assert ours == pytest.approx(100 * theirs[measures.nDCG], abs=1e-9)


def test_runs_are_compared_on_the_command_line(
    teaching: Corpus,
    run: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    citectx.to_trec(run, "bm25.trec")
    citectx.to_trec(run[run["topic"] == "D9001_TEACH"], "less.trec")
    command = ["evaluate", "bm25.trec", "less.trec", "--corpus", "teaching", "--metrics", "c-F"]
    assert cli.main(command) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["method", "metric", "n", "value"]
    scores = citectx.evaluate(teaching, run, ["c-F"])
    less = citectx.evaluate(teaching, citectx.read_run("less.trec"), ["c-F"])
    expected = compare_runs(pd.concat([scores.assign(method="a"), less.assign(method="b")]))
    assert [row.split()[3] for row in rows] == [f"{mean:.3f}" for mean in expected["value"]]
    assert expected["difference"][1] == pytest.approx(less["c-F"].mean() - scores["c-F"].mean())
