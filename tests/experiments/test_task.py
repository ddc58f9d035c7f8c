"""The door's task: rankings, TREC files and scores of anybody's spans."""

from pathlib import Path

import ir_measures as measures
import numpy as np
import pandas as pd
import pytest

import citectx
from citectx import Run
from citectx.corpora import Corpus
from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.task import Task
from citectx.retrieval import BM25


@pytest.fixture(scope="module")
def task(teaching: Corpus) -> Task:
    return citectx.contextualization(teaching, k=3)


@pytest.fixture(scope="module")
def run(task: Task) -> Run:
    return task.retrieve(BM25(k1=0.4))


def test_run_scores_as_the_tables_do(task: Task, run: Run) -> None:
    ours = task.evaluate(run)
    for topic in task.topics:
        expected = topic.measure(BM25(k1=0.4))
        found = (
            ours[ours["topic"] == topic.topic.topic_id].drop(columns="topic").reset_index(drop=True)
        )
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("max_sentences", [1, 2])
def test_trec_files_there_and_back(teaching: Corpus, tmp_path: Path, max_sentences: int) -> None:
    task = citectx.contextualization(teaching, max_sentences=max_sentences)
    run = task.retrieve(BM25(), name="two words")
    back = Run.from_trec(run.to_trec(tmp_path / "run.trec"))
    assert back.name == run.name
    assert {k: list(v) for k, v in back.rankings.items()} == {
        k: list(v) for k, v in run.rankings.items()
    }


def test_ndcg_and_precision_are_those_of_ir_measures(task: Task, run: Run, tmp_path: Path) -> None:
    qrels = list(measures.read_trec_qrels(str(task.to_qrels(tmp_path / "qrels"))))
    scored = list(measures.read_trec_run(str(run.to_trec(tmp_path / "run.trec"))))
    theirs = pd.DataFrame(measures.iter_calc([measures.nDCG], qrels, scored))
    by_query = dict(zip(theirs["query_id"], theirs["value"], strict=True))
    ours = task.evaluate(run, ["nDCG"])
    relevant = [f"{t}:{c}" for t, c in zip(ours["topic"], ours["citance"], strict=True)]
    expected = [100 * by_query.get(q, 0.0) for q in relevant]
    np.testing.assert_allclose(ours["nDCG"], expected, atol=1e-9)


def test_anybodys_spans(task: Task, teaching: Corpus) -> None:
    topic = teaching.topics[0]
    perfect = {
        (topic.topic_id, c.citance_id): [s for g in c.gold.values() for s in g][:1]
        for c in topic.citances
    }
    scores = task.evaluate(perfect, ["c-P@1", "nDCG"])
    first = scores[scores["topic"] == topic.topic_id]
    assert (first["c-P@1"] == 100).all()
    assert (scores[scores["topic"] != topic.topic_id][["c-P@1", "nDCG"]] == 0).all(axis=None)
    frame = pd.DataFrame([(*key, *span) for key, spans in perfect.items() for span in spans])
    frame.columns = pd.Index(["topic", "citance", "start", "end"])
    pd.testing.assert_frame_equal(task.evaluate(frame, ["c-P@1", "nDCG"]), scores)


@pytest.mark.parametrize(
    ("spans", "culprit"),
    [
        ({}, "empty"),
        ({("D9001_TEACH", "1"): []}, "empty"),
        ({("D9001_TEACH", "1"): [(0, 10**7)]}, "leaves the article"),
        ({("D9001_TEACH", "1"): [(5, 5)]}, "is empty"),
        ({("D9001_TEACH", "1"): [(0, 9), (0, 9)]}, "listed twice"),
        ({("D9001_TEACH", "1"): [(0.5, 9)]}, "whole numbers"),
        ({("D9001_TEACH", "99"): [(0, 9)]}, "'99'"),
        ({("D0000", "1"): [(0, 9)]}, "'D0000'"),
        ({"D9001_TEACH": [(0, 9)]}, "(topic, citance)"),
        (pd.DataFrame({"topic": ["D9001_TEACH"]}), "lacks"),
        ([(0, 9)], "found list"),
    ],
)
def test_bad_spans_are_named(task: Task, spans: object, culprit: str) -> None:
    with pytest.raises(ParameterError) as caught:
        task.evaluate(spans, ["c-F"])  # type: ignore[arg-type]
    assert culprit in str(caught.value)


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


def test_models_that_score_nonsense_are_refused(task: Task) -> None:
    class Broken(BM25):
        def score(self, queries):  # type: ignore[no-untyped-def]
            return super().score(queries) * np.nan

    with pytest.raises(CitectxError, match="Broken"):
        task.retrieve(Broken())


def test_compare_tests_against_the_first(task: Task) -> None:
    found = task.compare({"BM25": citectx.BM25, "fixed": BM25(k1=0.4)}, folds=5, metrics=["c-F"])
    assert found["method"].tolist() == ["BM25", "fixed"]
    assert found["difference"].isna().tolist() == [True, False]
    assert found["difference"][1] == pytest.approx(found["value"][1] - found["value"][0])
    with pytest.raises(ParameterError):
        task.compare({"x": "BM25"})  # type: ignore[dict-item]


@pytest.mark.parametrize("options", [{"k": 0}, {"k": True}, {"depht": 5}])
def test_bad_settings(teaching: Corpus, options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        citectx.contextualization(teaching, **options)  # type: ignore[arg-type]
