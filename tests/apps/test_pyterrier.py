"""A retriever for PyTerrier, where that is installed."""

import pytest

import citectx
from citectx.apps import pyterrier
from citectx.corpora.model import Corpus
from citectx.errors import MissingDataError, ParameterError
from citectx.experiments.rankings import Run, doc_id, query_id
from citectx.experiments.task import Task

MODEL = citectx.BM25(k1=0.4)


@pytest.fixture
def task(teaching: Corpus) -> Task:
    return citectx.contextualization(teaching)


def test_frames_are_those_of_the_iterators(task: Task) -> None:
    topics, qrels = pyterrier.topics(task), pyterrier.qrels(task)
    assert [*topics] == ["qid", "query"]
    assert topics["qid"].tolist() == [query.query_id for query in task.queries_iter()]
    assert [*qrels] == ["qid", "docno", "label"]
    assert set(qrels["docno"]) == {doc.doc_id for doc in task.docs_iter()}


def test_results_are_those_of_the_task(task: Task) -> None:
    pytest.importorskip("pyterrier")
    found = pyterrier.retriever(task, MODEL)(pyterrier.topics(task))
    run: Run = task.retrieve(MODEL)
    ranked = found.groupby("qid", sort=False)["docno"].apply(list).to_dict()
    assert ranked == {
        query_id(key): [doc_id(key[0], (start, end)) for start, end in ranking]
        for key, ranking in run.rankings.items()
    }
    texts = dict(task.docs_iter())
    assert [*map(texts.get, found["docno"])] == found["text"].tolist()
    best = pyterrier.retriever(task, MODEL, k=2)(pyterrier.topics(task))
    assert best["rank"].tolist() == [0, 1] * best["qid"].nunique()


def test_pyterrier_evaluates_as_we_do(task: Task) -> None:
    pt = pytest.importorskip("pyterrier")
    bm25 = pyterrier.retriever(task, MODEL)
    topics, qrels = pyterrier.topics(task), pyterrier.qrels(task)
    table = pt.Experiment([bm25], topics, qrels, ["ndcg", "P_1"], names=["BM25"])
    ours = task.evaluate(MODEL, ["nDCG", "P@1"])[["nDCG", "P@1"]].mean() / 100
    assert table.loc[0, ["ndcg", "P_1"]].tolist() == pytest.approx(ours.tolist(), abs=1e-9)


def test_a_query_may_be_rewritten(task: Task) -> None:
    pt = pytest.importorskip("pyterrier")
    rewrite = pt.apply.query(lambda row: "mitochondria")
    found = (rewrite >> pyterrier.retriever(task, MODEL, k=1))(pyterrier.topics(task))
    assert found.groupby(found["qid"].str.partition(":")[0])["docno"].nunique().eq(1).all()


def test_mistakes_are_named(task: Task) -> None:
    pytest.importorskip("pyterrier")
    topics = pyterrier.topics(task)
    with pytest.raises(ParameterError, match=r"missing: \['query'\]"):
        pyterrier.retriever(task, MODEL).transform(topics[["qid"]])
    with pytest.raises(ParameterError, match="unknown topic of qid '1'"):
        pyterrier.retriever(task, MODEL).transform(topics.assign(qid="1"))


def test_without_pyterrier_the_message_says_what_to_install(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(pyterrier, "import_module", refuse)
    with pytest.raises(MissingDataError, match=r"citectx\[pyterrier\]"):
        pyterrier.retriever(task, MODEL)
