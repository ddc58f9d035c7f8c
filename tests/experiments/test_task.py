"""The door's task: rankings and scores of our models and of anybody's spans."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import ir_measures as measures
import numpy as np
import pandas as pd
import pytest
import scipy.stats

import citectx
from citectx import Run
from citectx.corpora import Corpus
from citectx.errors import CitectxError, ParameterError
from citectx.experiments.rankings import doc_id
from citectx.experiments.task import Method, Task
from citectx.experiments.tuning import tuned_scores, variants
from citectx.retrieval import BM25
from citectx.types import Span

BY_NAME = ["nDCG@10", "P@1", "AP", "R@5", "RR", "RR@3", "Rprec", "Bpref", "Success@2"]
RETURNED = ["c-F", "c-P@1", "c-P@5", "wc-F", "RG-1"]
"""Metrics of what is returned; nDCG is of the whole ranking."""


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


@pytest.mark.parametrize("max_sentences", [1, 5])
def test_a_file_keeps_what_merging_did(
    teaching: Corpus, tmp_path: Path, max_sentences: int
) -> None:
    """Ours, read back, and the bare spans score the same: as the tables do."""
    task = citectx.contextualization(teaching, max_sentences=max_sentences)
    run = task.retrieve(BM25())
    back = Run.read(run.to_trec(tmp_path / "run.trec"))
    ours = task.evaluate(run, RETURNED)
    pd.testing.assert_frame_equal(task.evaluate(back, RETURNED), ours)
    pd.testing.assert_frame_equal(task.evaluate(dict(back.rankings), RETURNED), ours)
    frames = [topic.measure(BM25(), RETURNED) for topic in task.topics]
    expected = pd.concat(frames, ignore_index=True)
    pd.testing.assert_frame_equal(ours.drop(columns="topic"), expected, check_exact=True)


def test_a_ranking_holds_every_candidate_once(teaching: Corpus) -> None:
    task = citectx.contextualization(teaching, max_sentences=3)
    run = task.retrieve(BM25())
    for topic in task.topics:
        spans = topic.candidates.spans(np.arange(len(topic.candidates)))
        for citance in topic.citances:
            assert sorted(run.rankings[topic.topic.topic_id, citance.citance_id]) == sorted(spans)


def means_by_ir_measures(
    task: Task, run: Run, folder: Path, names: Sequence[str]
) -> dict[str, float]:
    """Compute means from the files, as somebody else would."""
    qrels = [*measures.read_trec_qrels(str(task.to_qrels(folder / "qrels")))]
    scored = [*measures.read_trec_run(str(run.to_trec(folder / "run.trec")))]
    wanted = [measures.parse_measure(name) for name in names]
    found = measures.calc_aggregate(wanted, qrels, scored)
    return {str(measure): 100 * float(value) for measure, value in found.items()}


@pytest.mark.parametrize("max_sentences", [1, 2])
def test_iterators_name_what_the_files_name(
    teaching: Corpus, tmp_path: Path, max_sentences: int
) -> None:
    task = citectx.contextualization(teaching, max_sentences=max_sentences)
    lines = task.to_qrels(tmp_path / "qrels").read_text("utf-8").splitlines()
    assert [f"{q} {i} {d} {grade}" for q, d, grade, i in task.qrels_iter()] == lines
    docs, queries = dict(task.docs_iter()), dict(task.queries_iter())
    assert len(docs) == sum(len(topic.candidates) for topic in task.topics)
    assert {line.split()[0] for line in lines} == {*queries}
    assert {line.split()[2] for line in lines} == {*docs}
    named = Run.read(task.retrieve(BM25()).to_trec(tmp_path / "run.trec"))
    for (topic, _), ranking in named.rankings.items():
        text = teaching[topic].reference.text
        assert all(docs[doc_id(topic, span)] == text[slice(*span)] for span in ranking)
    assert [*docs][:1] == [next(task.docs_iter()).doc_id]


def means_by_ranx(folder: Path) -> dict[str, float]:
    """Compute means from the same files with ranx, where it is installed."""
    ranx = pytest.importorskip("ranx")
    qrels = ranx.Qrels.from_file(str(folder / "qrels"), kind="trec")
    run = ranx.Run.from_file(str(folder / "run.trec"), kind="trec")
    names = {"ndcg": "nDCG", "ndcg@10": "nDCG@10", "precision@1": "P@1", "map": "AP"}
    found = ranx.evaluate(qrels, run, [*names])
    return {names[name]: 100 * float(value) for name, value in found.items()}


@pytest.mark.parametrize("max_sentences", [1, 2])
def test_means_are_those_of_ir_measures(
    teaching: Corpus, tmp_path: Path, max_sentences: int
) -> None:
    task = citectx.contextualization(teaching, max_sentences=max_sentences)
    run = task.retrieve(BM25(k1=0.4))
    names = [*BY_NAME, "nDCG"]
    ours = task.evaluate(run, names)[names].mean().to_dict()
    assert ours == pytest.approx(means_by_ir_measures(task, run, tmp_path, names), abs=1e-9)


def test_means_are_those_of_ranx(task: Task, run: Run, tmp_path: Path) -> None:
    means_by_ir_measures(task, run, tmp_path, ["P@1"])
    theirs = means_by_ranx(tmp_path)
    ours = task.evaluate(run, [*theirs])[[*theirs]].mean()
    assert ours.to_dict() == pytest.approx(theirs, abs=1e-9)


@pytest.mark.open_data
def test_means_count_citances_whose_evidence_is_no_candidate(tmp_path: Path) -> None:
    """Two citances of the open corpus have evidence in headings only: they count 0."""
    task = citectx.contextualization(citectx.load("citation-integrity"))
    run = task.retrieve(BM25())
    lost = sum(int((topic.relevant.sum(axis=1) == 0).sum()) for topic in task.topics)
    assert lost > 0
    names = ["nDCG@10", "P@1", "AP", "nDCG"]
    ours = task.evaluate(run, names)
    assert len(ours) == task.citances
    expected = means_by_ir_measures(task, run, tmp_path, names)
    assert ours[names].mean().to_dict() == pytest.approx(expected, abs=1e-9)


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


def test_compare_scores_as_the_tables_do(task: Task) -> None:
    methods = {"BM25": variants("BM25", "teaching"), "LMD": variants("LMD", "teaching")}
    metrics = ["c-F", "nDCG", "RG-1"]
    _, expected = tuned_scores(task.topics, methods, 5, metrics)
    found = task.scores({"BM25": citectx.BM25, "LMD": citectx.LMD}, 5, metrics)
    pd.testing.assert_frame_equal(found, expected[found.columns], atol=1e-12, rtol=0)


def test_runs_of_others_stand_beside_models(task: Task, run: Run, tmp_path: Path) -> None:
    """However the same spans are given, they score like the model that found them."""
    rows = [(*key, *span) for key, ranking in run.rankings.items() for span in ranking]
    given: dict[str, Method] = {
        "tuned": citectx.BM25,
        "model": BM25(k1=0.4),
        "run": run,
        "mapping": dict(run.rankings),
        "frame": pd.DataFrame(rows, columns=["topic", "citance", "start", "end"]),
        "file": Run.read(run.to_trec(tmp_path / "run.trec")),
    }
    metrics = ["c-F", "nDCG", "P@1"]
    found = task.compare(given, metrics=metrics).set_index(["method", "metric"])
    model = found.loc[["model"]].droplevel(0)
    for name in ("run", "mapping", "frame", "file"):
        pd.testing.assert_frame_equal(found.loc[[name]].droplevel(0), model)
    assert task.evaluate(BM25(k1=0.4), ["c-F"]).equals(task.evaluate(run, ["c-F"]))
    # Paired over the same citances: what tests of one's own find, too.
    scores = task.scores(given, metrics=metrics)
    wide = scores.pivot_table("c-F", ["topic", "citance"], "method")
    expected = scipy.stats.ttest_rel(wide["frame"], wide["tuned"]).pvalue
    assert found.loc[("frame", "c-F"), "t_test"] == pytest.approx(expected)


def test_runs_need_no_folds(teaching: Corpus) -> None:
    """One topic is too few for tuning, but enough for what is as it is."""
    task = citectx.contextualization(replace(teaching, topics=teaching.topics[:1]))
    methods: dict[str, Method] = {"model": BM25(), "run": task.retrieve(BM25())}
    assert task.compare(methods, metrics=["c-F"])["difference"][1] == 0
    with pytest.raises(ParameterError, match="two topics"):
        task.compare({"tuned": citectx.BM25})


def test_citances_without_evidence_may_be_in_a_run(teaching: Corpus) -> None:
    """Whoever works through a corpus does not look at the evidence."""
    topic = teaching.topics[0]
    first = replace(topic.citances[0], annotations=())
    changed = replace(topic, citances=(first, *topic.citances[1:]))
    task = citectx.contextualization(replace(teaching, topics=(changed,)))
    everything = {(topic.topic_id, c.citance_id): [Span(0, 20)] for c in topic.citances}
    assert len(task.evaluate(everything, ["c-F"])) == len(topic.citances) - 1
    alone = {(topic.topic_id, first.citance_id): [Span(0, 20)]}
    with pytest.raises(ParameterError, match="no span for any citance with evidence"):
        task.evaluate(alone)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda task: task.retrieve(citectx.BM25), r"such as citectx.BM25\(\)"),
        (lambda task: task.evaluate(citectx.BM25), r"such as citectx.BM25\(\)"),
        (lambda task: task.retrieve("BM25"), r"such as citectx.BM25\(\)"),
        (lambda _: citectx.contextualization(cast(Corpus, "teaching")), "citectx.load"),
        (lambda task: task.compare([citectx.BM25, citectx.LMD]), "names with models or runs"),
        (lambda task: task.compare({}), "names with models or runs"),
        (lambda task: task.compare({"x": "BM25"}), "expected a model"),
        (lambda task: task.compare({"x": [citectx.BM25]}), "expected a model"),
        (lambda task: task.compare({"x": BM25()}, metrics="c-F"), "list of names"),
        (lambda task: task.compare({"x": BM25()}, metrics=["c-F", "c-F"]), "twice"),
        (lambda task: task.evaluate("run.trec"), "found str"),
        (lambda task: task.evaluate(BM25(), ["bogus"]), "nDCG@10.*ours: .*c-F"),
        (lambda task: task.evaluate({("D9001_TEACH", "1"): 5}), "list of spans"),
        (lambda task: task.evaluate({("D9001_TEACH", "1"): [5]}), "two whole numbers"),
    ],
)
def test_errors_say_what_to_pass(task: Task, call: Callable[[Task], object], says: str) -> None:
    with pytest.raises(ParameterError, match=says) as caught:
        call(task)
    assert len(str(caught.value)) < 400


def test_a_task_is_shown_in_a_line(task: Task) -> None:
    assert repr(task) == "Task('teaching', 40 citances with evidence, k=3)"
    assert "max_sentences" in task._repr_html_()


@pytest.mark.parametrize(
    "options",
    [{"k": 0}, {"k": True}, {"k": "3"}, {"depht": 5}, {"depth": 0}, {"max_sentences": 1.5}],
)
def test_bad_settings(teaching: Corpus, options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        citectx.contextualization(teaching, **options)  # type: ignore[arg-type]
