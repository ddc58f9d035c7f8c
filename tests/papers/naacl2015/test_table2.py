"""naacl2015 Table 2 and its comparison of models, end to end on the teaching corpus."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx import profiles
from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import prepare
from citectx.experiments.report import OVER_CITANCES
from citectx.experiments.results import COLUMNS, Result, to_csv
from citectx.papers.naacl2015 import table2 as naacl2015_table2
from citectx.papers.naacl2015.table2 import (
    LEFT_OUT,
    MEASURES,
    METHODS,
    PROTOCOL,
    lines,
)
from citectx.retrieval import QR
from citectx.types import Span
from tests.papers import scores_of


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return naacl2015_table2.run([teaching])


@pytest.fixture(scope="module")
def models(teaching: Corpus) -> Result:
    return naacl2015_table2.run_models([teaching])


def test_shape(result: Result) -> None:
    assert list(result.table.columns) == COLUMNS
    assert list(scores_of(result).columns) == ["corpus", "topic", "citance", "method", *MEASURES]
    assert len(scores_of(result)) == 9 * 40
    names = [*MEASURES, *(m + OVER_CITANCES for m in MEASURES)]
    assert list(zip(result.table["method"], result.table["metric"], strict=True)) == [
        (method, name) for method in (*METHODS, *LEFT_OUT) for name in names
    ]
    assert result.table["value"].between(0, 1).all()
    assert set(result.table["n"]) == {5, 40}


def test_values_are_means_over_topics_and_over_citances_inside_their_intervals(
    result: Result,
) -> None:
    by_topic = scores_of(result).groupby(["method", "topic"])[list(MEASURES)].mean()
    by_method = scores_of(result).groupby("method")[list(MEASURES)].mean()
    for row in result.table.to_dict("records"):
        method, metric = row["method"], row["metric"]
        if metric.endswith(OVER_CITANCES):
            expected = by_method[metric.removesuffix(OVER_CITANCES)][method]
        else:
            expected = by_topic[metric][method].mean()
        assert row["value"] == pytest.approx(expected)
        assert row["ci_low"] <= row["value"] <= row["ci_high"]


def test_scores_of_one_citance_worked_out_from_the_spans(teaching: Corpus, result: Result) -> None:
    topic = prepare(teaching, PROTOCOL)[1]
    model = QR(reformulation="expand", concepts=("teaching",))
    returned = topic.retrieve(topic.scores(model)[0], 3)
    rows = scores_of(result)[scores_of(result)["topic"] == topic.topic.topic_id]
    row = rows[rows["method"] == "expand"].iloc[0]
    scores = weighted_scores(returned, topic.citances[0].gold)
    assert row["citance"] == topic.citances[0].citance_id
    assert (row["recall"], row["precision"], row["F-1"]) == (
        scores.recall,
        scores.precision,
        scores.f1,
    )


def test_p_values_and_changes_are_against_the_baseline(result: Result) -> None:
    wide = scores_of(result).pivot_table(index=["topic", "citance"], columns="method", values="F-1")
    rows = result.table[result.table["metric"] == "F-1"].set_index("method")
    changes = result.extra["changes"].set_index(["method", "metric"])
    assert np.isnan(rows["p_value"]["baseline"])
    over_citances = result.table[result.table["metric"] == "F-1" + OVER_CITANCES].set_index(
        "method"
    )
    for method in set(METHODS) - {"baseline"}:
        for means, table in ((wide.groupby("topic").mean(), rows), (wide, over_citances)):
            expected = stats.ttest_rel(means[method], means["baseline"]).pvalue
            if not np.isnan(expected):  # scipy has none where all pairs are equal
                assert table.loc[method, "p_value"] == pytest.approx(expected)
        change = 100 * (rows["value"][method] / rows["value"]["baseline"] - 1)
        assert changes.loc[(method, "F-1"), "change"] == pytest.approx(change)
    assert len(changes) == 8 * 12
    assert (changes["p_value_holm"] >= changes["p_value"]).all()
    assert changes["ci_low"].le(changes["difference"] + 1e-9).all()


def test_queries_say_what_was_asked(teaching: Corpus, result: Result) -> None:
    queries = result.extra["queries"].set_index("method")
    topics = prepare(teaching, PROTOCOL)
    sizes = [len(q.weights) for t in topics for q in t.queries]
    terms, fell_back = queries["terms"], queries["fell_back"]
    assert queries["citances"]["baseline"] == 40
    assert (terms["baseline"], fell_back["baseline"]) == (np.mean(sizes), 0)
    assert terms["KW"] < terms["baseline"] < terms["expand"]
    assert (queries["found"] <= queries["terms"]).all()
    assert fell_back["reduce"] == fell_back["reduce+expand"] > 0
    params = json.loads(result.table.set_index("method")["params"]["reduce"].iloc[0])
    assert params["fell_back"] == fell_back["reduce"]
    assert (params["max_sentences"], params["overlap"], params["k"], params["tf"]) == (
        5,
        "merge",
        3,
        "log",
    )
    assert params["concepts"] == ["teaching"]


def test_depth_is_the_table_with_fewer_spans(
    teaching: Corpus, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(naacl2015_table2, "PROTOCOL", replace(PROTOCOL, depth=3))
    shallow = naacl2015_table2.run([teaching], ["baseline"])
    keys = ["method", "metric"]
    found = result.extra["depth"].set_index(keys)["value"]["baseline"]
    assert found.to_dict() == pytest.approx(
        shallow.table.set_index(keys)["value"]["baseline"].to_dict()
    )


def test_same_seed_same_bytes(teaching: Corpus, result: Result) -> None:
    some = ["baseline", "NP", *LEFT_OUT]
    # a row owes nothing to the others, but in Holm's correction
    again = naacl2015_table2.run([teaching], some[:2])
    assert to_csv(again.table) == to_csv(_rows(result.table, some))
    assert to_csv(again.extra["depth"]) == to_csv(_rows(result.extra["depth"], some))
    kept = again.extra["changes"].columns.drop("p_value_holm")
    assert to_csv(again.extra["changes"][kept]) == to_csv(
        _rows(result.extra["changes"], some)[kept]
    )


def _rows(table: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    return table[table["method"].isin(methods)].reset_index(drop=True)


def test_a_field_without_ontologies_has_three_rows(teaching: Corpus) -> None:
    other = Corpus("scisumm-train", teaching.topics[:2])
    table = naacl2015_table2.run([other]).table
    assert table["method"].unique().tolist() == ["baseline", "KW", "NP", *LEFT_OUT]
    assert json.loads(table["params"].iloc[0])["domain"] == "computational-linguistics"


def test_bad_input(teaching: Corpus) -> None:
    with pytest.raises(ParameterError, match="name of Reformulation 'UMLS'"):
        naacl2015_table2.run([teaching], ["baseline", "UMLS"])
    with pytest.raises(ParameterError, match="methods must hold 'baseline'"):
        naacl2015_table2.run([teaching], ["NP"])
    with pytest.raises(ParameterError, match="unknown method 'BM52'"):
        naacl2015_table2.run_models([teaching], ["VSM", "BM52"])


def test_lines_hold_each_character_once_one_sentence_a_line(teaching: Corpus) -> None:
    topic = prepare(teaching, PROTOCOL)[0]
    first, second, third = topic.candidates.sentences.spans[:3]
    overlapping = [Span(first.start, second.end), Span(second.start, third.start + 4)]
    text = topic.topic.reference.text
    expected = [
        text[first.start : first.end],
        text[second.start : second.end],
        text[third.start : third.start + 4],
    ]
    assert [line.strip() for line in lines(topic, overlapping).splitlines() if line.strip()] == [
        " ".join(e.split()) for e in expected
    ]


def test_models_are_compared_with_vsm_and_with_each_other(models: Result) -> None:
    assert models.table["method"].unique().tolist() == ["VSM", "BM25", "DFR", "LMD"]
    wide = scores_of(models).pivot_table(
        index=["topic", "citance"], columns="method", values="precision"
    )
    rows = models.table[models.table["metric"] == "precision"].set_index("method")
    assert np.isnan(rows["p_value"]["VSM"])
    topics = wide.groupby("topic").mean()
    assert rows.loc["LMD", "p_value"] == pytest.approx(
        stats.ttest_rel(topics["LMD"], topics["VSM"]).pvalue
    )
    pairs = models.extra["pairs"].set_index(["method", "against", "metric"])
    assert len(pairs) == 6 * 12
    assert pairs.loc[("LMD", "BM25", "precision" + OVER_CITANCES), "p_value"] == pytest.approx(
        stats.ttest_rel(wide["LMD"], wide["BM25"]).pvalue
    )
    tests = models.extra["pairs"]
    once = tests[tests["metric"].isin(MEASURES)]
    assert once["p_value_holm"].min() == pytest.approx(min(1, len(once) * once["p_value"].min()))
    assert sum(json.loads(rows["params"]["LMD"])["chosen"]["mu"].values()) == 5


@pytest.mark.open_data
def test_rows_of_citation_integrity_come_out_the_same_by_plain_loops() -> None:
    """Eq. 1 on sets of characters, averaged by pandas, for the rows that need no ontology."""
    corpus = profiles.load("citation-integrity")
    table = naacl2015_table2.run([corpus], ["baseline", "NP"]).table
    values = table.set_index(["method", "metric"])["value"]
    for method in ("baseline", "NP"):
        rows = []
        for topic in prepare(corpus, PROTOCOL):
            for citance, scores in zip(
                topic.citances, topic.scores(QR(reformulation=method)), strict=True
            ):
                found = {i for start, end in topic.retrieve(scores, 3) for i in range(start, end)}
                gold = [
                    {i for a, b in spans for i in range(a, b)} for spans in citance.gold.values()
                ]
                hits = sum(len(found & g) for g in gold)
                recall, precision = hits / sum(map(len, gold)), hits / (len(gold) * len(found))
                f1 = 2 * recall * precision / (recall + precision) if hits else 0.0
                rows.append((topic.topic.topic_id, recall, precision, f1))
        frame = pd.DataFrame(rows, columns=["topic", "recall", "precision", "F-1"])
        expected = frame.groupby("topic").mean().mean()
        for metric in ("recall", "precision", "F-1"):
            assert values[method, metric] == pytest.approx(expected[metric])
