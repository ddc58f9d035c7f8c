"""``citectx evaluate``: anybody's files on the command line."""

import json
from pathlib import Path

import pandas as pd
import pytest

import citectx
from citectx.cli import main
from citectx.corpora import Corpus
from citectx.experiments.task import Task

RUN = ["evaluate", "bm25.trec", "lmd.csv", "--corpus", "teaching", "--metrics", "c-F", "nDCG@10"]


@pytest.fixture
def task(teaching: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Task:
    """Write two runs into the current folder."""
    monkeypatch.chdir(tmp_path)
    task = citectx.contextualization(teaching)
    task.retrieve(citectx.BM25()).to_trec("bm25.trec")
    lmd = task.retrieve(citectx.LMD())
    rows = [(*key, *span) for key, ranking in lmd.rankings.items() for span in ranking]
    frame = pd.DataFrame(rows, columns=["topic", "citance", "start", "end"])
    frame.to_csv("lmd.csv", index=False)
    return task


def test_means_and_tests_are_those_of_python(
    task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RUN, "--json"]) == 0
    found = pd.DataFrame(json.loads(capsys.readouterr().out)).set_index(["run", "metric"])
    methods = {"bm25.trec": citectx.BM25(), "lmd.csv": citectx.LMD()}
    expected = task.compare(methods, metrics=["c-F", "nDCG@10"])
    expected = expected.set_index(["method", "metric"]).loc[found.index]
    pairs = {"mean": "value", "difference": "difference", "p": "t_test"}
    pairs |= {"difference_low": "ci_low", "difference_high": "ci_high"}
    for ours, theirs in pairs.items():
        values = [float("nan") if v is None else v for v in found[ours]]
        assert values == pytest.approx(expected[theirs].tolist(), abs=1e-6, nan_ok=True)
    assert (found["n"] == 40).all()
    assert ((found["ci_low"] < found["mean"]) & (found["mean"] < found["ci_high"])).all()


def test_the_table_has_a_line_for_each_number(
    task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(RUN) == 0
    head, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert "minus bm25.trec" in head
    assert [row.split()[:2] for row in rows] == [
        [run, metric] for run in RUN[1:3] for metric in ("c-F", "nDCG@10")
    ]
    assert main([RUN[0], RUN[1], *RUN[3:]]) == 0
    assert "minus" not in capsys.readouterr().out


def test_missing_citances_are_told(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("bm25.trec").read_text().splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("D9001_TEACH:")]
    Path("bm25.trec").write_text("".join(kept))
    assert main([RUN[0], RUN[1], *RUN[3:]]) == 0
    assert "bm25.trec has no span for 32 of 40 citances" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.trec", "--corpus", "teaching"], "there is no file none.trec"),
        (["bm25.trec", "--corpus", "none"], "unknown corpus 'none'"),
        (["bm25.trec", "bm25.trec", "--corpus", "teaching"], "named twice"),
        (["bm25.trec", "--corpus", "teaching", "--metrics", "nDCG@0"], "unknown metric 'nDCG@0'"),
        (["bm25.trec", "--corpus", "teaching", "-k", "0"], "k must be"),
        (["lmd.csv", "bad.trec", "--corpus", "teaching"], "bad.trec, line 1: expected"),
    ],
)
def test_errors_have_a_message(
    task: Task, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    Path("bad.trec").write_text("nonsense\n")
    assert main(["evaluate", *arguments]) == 1
    assert says in capsys.readouterr().err
